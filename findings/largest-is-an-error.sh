#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: onmax() of a histogram takes an error for the largest result: -2 is kept, and 3 is not more.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. onmax() and sums were seen alike with 6.12.117+deb13-amd64 and 7.2.13+deb14-amd64.
#
# A hist trigger can save what came with the largest value of a variable, hist:keys=id:r=ret:onmax($r).save(ret), add up
# values, and sort. The field ret of raw_syscalls/sys_exit is a long; the format file says that it is signed, and filters
# compare it so.
#
# Expected: of -2 (ENOENT) and 3 the largest is 3, wherever a histogram compares.
# Seen: rows sorted by a key are (3 before -2, which is printed as 2^64 - 2). Variables of onmax() and sums are compared
# without a sign: one failed call is the maximum for good, and the rows with negative sums are the greatest. With an offset
# in the variable, r=ret+4095, the maximum is right.
#
# Output seen; each time `cat` opens a file that is not there (-2) and one that is (3), and reads that (a sum above 0):
#   onmax($r) of r=ret: 18446744073709551614
#   onmax($r) of r=ret+4095: 4098
#   keys=ret, descending: 3 18446744073709551614
#   vals=ret, descending: openat -2, read
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
cd /tracing/events/raw_syscalls/sys_exit
# try HIST CONDITION: shows a histogram of what `cat` did; openat is 257, read 0, sendfile 40
try()
{
	echo "$1 if COMM == \"cat\" && ($2)" >trigger || return
	cat /none /init >/dev/null 2>&1
	cat hist
	echo "!$1 if COMM == \"cat\" && ($2)" >trigger
}
for value in ret ret+4095; do
	try "hist:keys=id:r=$value:onmax(\$r).save(ret)" 'id == 257' | sed -n "s/.*max: *\([0-9]*\).*/seen: onmax(\$r) of r=$value: \1/p"
done
echo "seen: keys=ret, descending:" $(try 'hist:keys=ret:sort=ret.descending' 'id == 257' | sed -n 's/^{ ret: *\([0-9]*\).*/\1/p')
echo "seen: vals=ret, descending:" $(try 'hist:keys=id:vals=ret:sort=ret.descending' \
	'id == 257 && ret < 0 || id == 0 || id == 40' | sed -n 's/^{ id: *257 .*614$/openat -2,/p; s/^{ id: *\(0\|40\) .*/read/p')
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
