#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: the print format of a return probe names its two addresses in the other order than `trace` prints them.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. A return probe of a program (uprobe_events) has the same format, and `trace` the same order.
#
# Who reads the ring buffer itself (trace-cmd, perf, libtraceevent) makes an event's text of "print fmt" in its format file.
# Return probes are printed by a function of their own in the kernel, print_kretprobe_event(), not by that format.
#
# Expected: both give one text, as with other events.
# Seen: `trace` says "return address <- function", the format says function first. Read by the format, a probe of do_filp_open says
# (do_filp_open <- do_sys_openat2+..), as if do_sys_openat2 had returned to do_filp_open.
#
# Output seen, behind the name of the event:
#   trace: (do_sys_openat2 <- do_filp_open)
#   format: "(%lx <- %lx)", REC->__probe_func, REC->__probe_ret_ip
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

mkdir -p root/bin root/proc root/tracing
cp "$(find . -type f -path '*bin/busybox' | head -n 1)" root/bin/busybox
cat >root/init <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t tracefs none /tracing
cd /tracing
echo 'r:probe/back do_filp_open' >kprobe_events
echo 1 >events/probe/back/enable
/bin/busybox cat /init >/dev/null
echo 0 >tracing_on
/bin/busybox grep 'back: .*do_sys_openat2' trace
/bin/busybox grep '^print fmt' events/probe/back/format
/bin/busybox poweroff -f
INIT
chmod 755 root/init
(cd root && find . | cpio -o -H newc --quiet | gzip -1) >initramfs
timeout 300 qemu-system-x86_64 -accel tcg,thread=single -cpu max -m 512 -nographic -no-reboot -kernel boot/vmlinuz-* \
	-initrd initramfs -append 'console=ttyS0 quiet panic=-1' </dev/null >console 2>&1 || exit 2
tr -d '\r' <console | sed -n 's/.*back: (\([a-z0-9_]*\)+[^ ]* <- \([a-z0-9_]*\)[^)]*).*/trace: (\1 <- \2)/p; s/.*print fmt: /format: /p' |
	sort -ru >seen
cat seen
sed -n '/^# Output seen/,/^#$/s/^#   //p' "$self" | cmp -s - seen || { echo 'it is no longer so' >&2; exit 1; }
