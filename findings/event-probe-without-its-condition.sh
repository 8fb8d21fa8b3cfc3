#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: dynamic_events lists an event probe without its condition: what is saved and written back probes every event.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. The same line was read with 6.12.117+deb13-amd64 and 7.2.13+deb14-amd64.
#
# An event probe makes an event of another one, with "if FILTER" only of some of its records. dynamic_events lists all probes
# as the lines that define them, for who saves them, shows them, or makes them again.
#
# Expected: the line that was read is the probe that was made.
# Seen: the condition is in force, but the line ends before "if", and the filter file of the new event says "none", as that is
# another filter. Made again from its line, the probe has no condition.
#
# Output seen, of a task that ends with 3 and one that ends with 4:
#   written: e:demo/few syscalls/sys_enter_exit_group code=$error_code if error_code == 3
#   events/demo/few/filter: none
#   events: code=0x3
#   read: e:demo/few syscalls.sys_enter_exit_group code=$error_code
#   events: code=0x3 code=0x4
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

mkdir -p root/bin root/dev root/tracing
cp "$(find . -path ./root -prune -o -type f -path '*bin/busybox' -print | head -n 1)" root/bin/busybox
cat >root/init <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t devtmpfs none /dev
mount -t tracefs none /tracing
cd /tracing
# make HOW LINE: makes the probe, and says which events it makes
make()
{
	echo "$2" >>dynamic_events || return
	echo "seen: $1: $2"
	[ "$1" = read ] || echo "seen: events/demo/few/filter: $(cat events/demo/few/filter)"
	echo >trace
	echo 1 >events/demo/few/enable
	sh -c 'exit 3'
	sh -c 'exit 4'
	echo 0 >events/demo/few/enable
	echo "seen: events: $(sed -n 's/.* few: .*\(code=0x[34]\)$/\1/p' trace | tr '\n' ' ' | sed 's/ $//')"
}
make written 'e:demo/few syscalls/sys_enter_exit_group code=$error_code if error_code == 3'
line=$(cat dynamic_events)
echo -:demo/few >>dynamic_events
make read "$line"
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
