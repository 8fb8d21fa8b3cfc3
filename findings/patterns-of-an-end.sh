#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: in a filter comm ~ "*zr" matches only names of 15 letters: the end is looked for at the end of the array.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. The same was seen with 6.12.117+deb13-amd64 and 7.2.13+deb14-amd64.
#
# "~" in a filter of an event compares a string with a pattern of * ? [ ]. A task's name is in most events as char comm[16],
# and COMM is that of the running task; filename of sched_process_exec is a string of its own length (__data_loc).
#
# Expected: "*zr" matches 7zr, in each of them, as "?*zr" and "*zr*" do.
# Seen: with filename it does. With comm and COMM it matches only what fills the array up to the zero at its end, so no name
# shorter than 15: a pattern that is * and a text has a comparison of its own (regex_match_end()), which takes the size of the
# array for the length of the text. No error is given, and "*zr" is read back. Any other mark in the pattern avoids it.
#
# Output seen, of a task 7zr and one with a name of 15 (is there an event?):
#   comm ~ "*zr": 7zr no, abcdefghijklmzr yes
#   COMM ~ "*zr": 7zr no, abcdefghijklmzr yes
#   comm ~ "?*zr": 7zr yes, abcdefghijklmzr yes
#   comm ~ "*[z]r": 7zr yes, abcdefghijklmzr yes
#   comm ~ "*zr*": 7zr yes, abcdefghijklmzr yes
#   filename ~ "*zr": 7zr yes, abcdefghijklmzr yes
#
# Needs apt-get, dpkg, cpio, gzip, qemu-system-x86_64. Runs without root, and without this machine's tracefs.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download linux-image-6.1.0-57-amd64=6.1.192-3 busybox-static=1:1.35.0-4+deb12u1+b1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done

mkdir -p root/bin root/dev root/tracing root/tmp
cp "$(find . -path ./root -prune -o -type f -path '*bin/busybox' -print | head -n 1)" root/bin/busybox
cat >root/init <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t devtmpfs none /dev
mount -t tracefs none /tracing
cp /bin/busybox /tmp/7zr
cp /bin/busybox /tmp/abcdefghijklmzr
# try EVENT FILTER
try()
{
	cd "/tracing/events/sched/$1"
	echo "$2" >filter && [ "$(cat filter)" = "$2" ] || return
	said=
	for name in 7zr abcdefghijklmzr; do
		echo >/tracing/trace
		echo 1 >enable
		/tmp/$name 2>/dev/null
		echo 0 >enable
		found=no
		! grep -q "$1: .*$name" /tracing/trace || found=yes
		said="$said${said:+,} $name $found"
	done
	echo "seen: $2:$said"
}
for filter in 'comm ~ "*zr"' 'COMM ~ "*zr"' 'comm ~ "?*zr"' 'comm ~ "*[z]r"' 'comm ~ "*zr*"'; do
	try sched_process_exit "$filter"
done
try sched_process_exec 'filename ~ "*zr"'
echo seen: end
poweroff -f
INIT
chmod 755 root/init
(cd root && find . | cpio -o -H newc --quiet | gzip -1) >initramfs
timeout 300 qemu-system-x86_64 -accel tcg,thread=single -cpu max -m 512 -nographic -no-reboot -kernel boot/vmlinuz-* \
	-initrd initramfs -append 'console=ttyS0 quiet panic=-1' </dev/null >console 2>&1 || exit 2
tr -d '\r' <console | sed -n 's/.*seen: //p' >seen
grep -q '^end$' seen || exit 2
sed -i '/^end$/d' seen
cat seen
sed -n '/^# Output seen/,/^#$/s/^#   //p' "$self" | cmp -s - seen || { echo 'it is no longer so' >&2; exit 1; }
