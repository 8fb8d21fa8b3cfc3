#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ext4: a hole that is punched behind the end of a file frees nothing of what fallocate has reserved there; on xfs it does.
#
# Versions: Linux 6.18, amd64; file systems made by e2fsprogs 1.47.0 and xfsprogs 6.1.0 (Debian 12's 1.47.0-2+b2, 6.1.0-1),
# reservations by fallocate of util-linux 2.38.1 (2.38.1-5+deb12u3).
#
# fallocate(2) reserves room behind the end with FALLOC_FL_KEEP_SIZE, and a program that writes a log or a recording wants to
# give back what it did not need. FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE over that range looks like the opposite call.
#
# Expected: after it the file has the blocks of its data, 8 of 512 bytes, on both.
# Seen: on xfs it has, on ext4 all 2,048 stay, and the call says 0: ext4 takes no hole that begins behind the end. They go when
# the file is cut to the size that it has, truncate(2). What is not cut stays reserved for as long as the file is there, and
# du counts it.
#
# Output seen:
#   ext4: written 8, reserved 2048, after the hole 2048, after truncate to its size 8
#   xfs: written 8, reserved 2048, after the hole 8, after truncate to its size 8
#
# Needs apt-get, dpkg, mount with loop devices, and root.
set -eu
self=$(realpath "$0")
[ "$(id -u)" -eq 0 ] || { echo 'not run: needs root'; exit 2; }
tmp=$(mktemp -d)
trap 'umount "$tmp/place" 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 xfsprogs=6.1.0-1 \
	util-linux=2.38.1-5+deb12u3 || exit 2
for deb in *.deb; do dpkg -x "$deb" tree; done
LD_LIBRARY_PATH=$(echo tree/usr/lib/*-linux-gnu tree/lib/*-linux-gnu | tr ' ' :)
export LD_LIBRARY_PATH
mkdir place
mkfs_of() { find tree -name "mkfs.$1" -perm -100 | head -n 1; }
blocks() { stat -c %b place/file; }

# try TYPE: what a file there has of blocks
try()
{
	rm -f image
	truncate -s 400M image
	"$(mkfs_of "$1")" -q image
	mount -o loop -t "$1" image place
	head -c 4096 /dev/zero | tr '\0' x >place/file
	sync place/file
	written=$(blocks)
	tree/usr/bin/fallocate -n -o 0 -l 1048576 place/file
	reserved=$(blocks)
	tree/usr/bin/fallocate -p -o 4096 -l 1044480 place/file
	sync place/file
	punched=$(blocks)
	truncate -s 4096 place/file
	sync place/file
	echo "$1: written $written, reserved $reserved, after the hole $punched, after truncate to its size $(blocks)"
	umount place
}

{ try ext4 && try xfs; } >seen || exit 2
cat seen
sed -n '/^# Output seen:$/,/^#$/s/^#   //p' "$self" | cmp - seen || { echo 'differs from what was seen'; exit 1; }
