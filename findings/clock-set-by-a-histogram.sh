#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: a histogram that uses common_timestamp sets the buffer's clock to global and erases its events; the clock stays so.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. The same was seen with 6.12.117+deb13-amd64 and 7.2.13+deb14-amd64.
#
# A hist trigger counts events in a table of its own, and measures times with ts0=common_timestamp.usecs. It records nothing
# in the ring buffer, and is removed by the same text with "!" in front.
#
# Expected: the buffer, whose events are of another event, and trace_clock are as before; at most the trigger is refused.
# Seen: the clock was mono and is global, because the trigger names none (:clock=mono would), all events that were recorded are
# gone, as with any change of the clock, and nothing is said. The events that follow have times that cannot be compared with
# mono's. Removing the trigger changes nothing of that. The same trigger without a time leaves both alone.
#
# Output seen:
#   at first: [mono], 2 events
#   hist:keys=prev_pid: [mono], 2 events
#   hist:keys=prev_pid:ts0=common_timestamp.usecs: [global], 0 events
#   removed: [global], 0 events
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
say()
{
	echo "seen: $1: $(sed 's/.*\(\[.*\]\).*/\1/' trace_clock), $(grep -c 'sched_process_exit: comm=sh' trace) events"
}
echo mono >trace_clock
echo 1 >events/sched/sched_process_exit/enable
sh -c : && sh -c :
echo 0 >events/sched/sched_process_exit/enable
say 'at first'
for trigger in hist:keys=prev_pid hist:keys=prev_pid:ts0=common_timestamp.usecs; do
	echo "$trigger" >events/sched/sched_switch/trigger || continue
	say "$trigger"
	echo "!$trigger" >events/sched/sched_switch/trigger
done
say removed
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
