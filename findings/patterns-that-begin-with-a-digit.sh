#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: in a filter a pattern that begins with a digit is none: comm ~ "7z*" is compared as it stands, asterisk and all.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. The same was seen with 6.12.117+deb13-amd64 and 7.2.13+deb14-amd64.
#
# "~" in a filter of an event compares a string with a pattern of * ? [ ]: sched_process_exit, of tasks named 7z..
#
# Expected: "7z*" matches the task 7zr, as "z7*" matches z7r.
# Seen: it is taken, read back as written, and matches nothing. In set_ftrace_filter a digit begins the number of a function,
# not a name, and filters read their patterns with that function (filter_parse_regex()): it does not look for * behind a
# digit, and what it calls a number the filter compares as a whole text. [7] in the place of 7 is a pattern.
#
# Output seen, of one task 7zr (is there an event?):
#   comm ~ "7z*": no
#   comm ~ "7*": no
#   comm ~ "7z?": no
#   comm ~ "7zr": yes
#   comm ~ "[7]z*": yes
#   comm ~ "?zr": yes
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
cd /tracing/events/sched/sched_process_exit
for filter in 'comm ~ "7z*"' 'comm ~ "7*"' 'comm ~ "7z?"' 'comm ~ "7zr"' 'comm ~ "[7]z*"' 'comm ~ "?zr"'; do
	echo "$filter" >filter || continue
	[ "$(cat filter)" = "$filter" ] || continue
	echo >/tracing/trace
	echo 1 >enable
	/tmp/7zr 2>/dev/null
	echo 0 >enable
	found=no
	! grep -q 'sched_process_exit: comm=7zr' /tracing/trace || found=yes
	echo "seen: $filter: $found"
done
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
