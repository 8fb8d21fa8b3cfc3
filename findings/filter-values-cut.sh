#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: a filter's number that is wider than its field is taken and cut: no port is "dport < 65536", and port 9 is 65545.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. Fields of 8, 16 and 32 bits of an event probe were seen cut alike with 6.12.117+deb13-amd64 and 7.2.13+deb14-amd64.
#
# Filters of events (events/SYSTEM/EVENT/filter, perf record --filter) compare a field with a number. A number of more than 64
# bits is refused, "Illegal integer value". dport is a __u16, newstate an int with a sign.
#
# Expected: as in C, and as with fields of 64 bits: each port is below 65536, none is 65545; or the filter is refused.
# Seen: the number is taken, and read back whole, but compared as a number of the field's size. 65536 is 0, and nothing is
# below it; 2147483648 is the least int, 4294967295 is -1. Who writes a bound "above all" loses all events, without a word.
#
# Output seen, of one refused connection to port 9 (is there an event?):
#   dport == 9: yes
#   dport == 65545: yes
#   dport <= 65535: yes
#   dport < 65536: no
#   dport < 65546: yes
#   newstate >= 0: yes
#   newstate < 2147483648: no
#   newstate < 4294967295: no
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
ip link set lo up
cd /tracing/events/sock/inet_sock_set_state
for filter in 'dport == 9' 'dport == 65545' 'dport <= 65535' 'dport < 65536' 'dport < 65546' 'newstate >= 0' \
	'newstate < 2147483648' 'newstate < 4294967295'; do
	echo "$filter" >filter || continue
	[ "$(cat filter)" = "$filter" ] || continue
	echo >/tracing/trace
	echo 1 >enable
	nc 127.0.0.1 9 </dev/null >/dev/null 2>&1
	echo 0 >enable
	found=no
	! grep -q 'inet_sock_set_state: ' /tracing/trace || found=yes
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
