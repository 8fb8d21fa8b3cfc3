#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: an event of a user-space probe says that interrupts were off, in an NMI in a hard interrupt, 15 preempt_disable() deep.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. The same was seen with 6.12.117+deb13-amd64 (DNZff) and 7.2.13+deb14-amd64 (DBZff).
#
# Each event has a byte of flags and one of depths, which `trace` prints as five letters. A probe of a program (uprobe_events)
# fires where the program runs in user space: interrupts are on, nothing is nested.
#
# Expected: the letters of an event of the same program that the kernel makes of itself: ...1. of its last system call, exit_group.
# Seen: DNZff. The kernel takes one from the depth, for what a trace event itself has added where it can be preempted
# (tracing_gen_ctx_dec()), but the handler of a user-space probe adds nothing: 0 - 1 is all ones, in the flags as well. Who
# looks for events in interrupts by their flags finds every user-space probe.
#
# Output seen:
#   entry DNZff
#   sys_exit_group ...1.
#
# Needs apt-get, dpkg, cpio, gzip, qemu-system-x86_64, readelf. Runs without root, and without this machine's tracefs.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download linux-image-6.1.0-57-amd64=6.1.192-3 busybox-static=1:1.35.0-4+deb12u1+b1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done

# where the program begins, as a place in its file
busybox=$(find . -type f -path '*bin/busybox' | head -n 1)
entry=$(readelf -hW "$busybox" | sed -n 's/.*Entry point address: *//p')
offset=$(readelf -lW "$busybox" | while read -r type at address _ size _; do
	if [ "$type" = LOAD ] && [ $((entry)) -ge $((address)) ] && [ $((entry)) -lt $((address + size)) ]; then
		printf '0x%x\n' $((entry - address + at))
	fi
done)

mkdir -p root/bin root/proc root/tracing
cp "$busybox" root/bin/busybox
cat >root/init <<INIT
#!/bin/busybox sh
/bin/busybox mount -t tracefs none /tracing
cd /tracing
echo 'p:probe/entry /bin/busybox:$offset' >uprobe_events
echo 1 >events/probe/entry/enable
echo 1 >events/syscalls/sys_enter_exit_group/enable
/bin/busybox true
echo 0 >tracing_on
/bin/busybox grep busybox- trace
/bin/busybox poweroff -f
INIT
chmod 755 root/init
(cd root && find . | cpio -o -H newc --quiet | gzip -1) >initramfs
timeout 300 qemu-system-x86_64 -accel tcg,thread=single -cpu max -m 512 -nographic -no-reboot -kernel boot/vmlinuz-* \
	-initrd initramfs -append 'console=ttyS0 quiet panic=-1' </dev/null >console 2>&1 || exit 2
sed -n 's/.*busybox-[0-9]* *\[[0-9]*\] \([^ ]*\) *[0-9.]*: \([^:(]*\).*/\2 \1/p' console | sort -u >seen
cat seen
sed -n '/^# Output seen:/,/^#$/s/^#   //p' "$self" | cmp -s - seen || { echo 'it is no longer so' >&2; exit 1; }
