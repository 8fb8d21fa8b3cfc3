#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: when the last task of set_event_pid has ended, the file is empty as if nothing were set, and no event comes any more.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. The same was seen with 6.12.117+deb13-amd64 and 7.2.13+deb14-amd64.
#
# set_event_pid limits events to tasks; empty, it limits nothing. With options/event-fork their children are added, and each
# is taken out when it ends.
#
# Expected: what reads the same works the same: an empty file, all events.
# Seen: the kernel tells a list without tasks from no list. After the last task has ended nothing passes: events/enable is 1,
# tracing_on is 1, set_event_pid is empty, and there is no event. Who reads the state, to show it or to restore it later, cannot
# see it. Cutting the empty file (: >set_event_pid) takes the list away.
#
# Output seen, with sched_process_exit enabled and two tasks ending at each step:
#   before: set_event_pid [] enable 1 tracing_on 1, 2 events
#   task and child ended: set_event_pid [] enable 1 tracing_on 1, 0 events
#   cut though empty: set_event_pid [] enable 1 tracing_on 1, 2 events
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

mkdir -p root/bin root/tracing
cp "$(find . -path ./root -prune -o -type f -path '*bin/busybox' -print | head -n 1)" root/bin/busybox
cat >root/init <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t tracefs none /tracing
cd /tracing
step()
{
	echo >trace
	sh -c : && sh -c :
	exits=$(grep -c 'sched_process_exit: comm=sh' trace)
	echo "seen: $1: set_event_pid [$(cat set_event_pid)] enable $(cat events/sched/sched_process_exit/enable)" \
		"tracing_on $(cat tracing_on), $exits events"
}
echo 1 >options/event-fork
echo 1 >events/sched/sched_process_exit/enable
step before
sh -c 'echo $$ >set_event_pid; sh -c :; :'
step 'task and child ended'
: >set_event_pid
step 'cut though empty'
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
