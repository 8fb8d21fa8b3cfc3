#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf: a tracepoint's event takes no CLOCK_BOOTTIME, _REALTIME or _TAI for its times, EINVAL; a page fault's event does.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. The same was seen with 6.12.117+deb13-amd64 and 7.2.13+deb14-amd64.
#
# perf_event_open(2) names five clocks for clockid with use_clockid (perf record -k). Who records tracepoints beside ftrace's
# clock "boot", or beside logs in wall time, sets the same clock.
#
# Expected: a clock that one software event takes, the others take, or an error that tells the clock from the event.
# Seen: a clock whose reading is not safe in an NMI is refused, unless the event is of a kind that says that it never comes in one
# (PERF_PMU_CAP_NO_NMI). The kinds software (page-faults) and the timers (cpu-clock, task-clock) say so; tracepoint, and with it
# each probe, does not, though it is a software event, too. One has to record with CLOCK_MONOTONIC and add the offset.
#
# Output seen:
#   page-faults: MONOTONIC yes, MONOTONIC_RAW yes, REALTIME yes, BOOTTIME yes, TAI yes
#   cpu-clock: MONOTONIC yes, MONOTONIC_RAW yes, REALTIME yes, BOOTTIME yes, TAI yes
#   tracepoint: MONOTONIC yes, MONOTONIC_RAW yes, REALTIME Invalid argument, BOOTTIME Invalid argument, TAI Invalid argument
#
# Needs apt-get, dpkg, cc with a static libc, cpio, gzip, qemu-system-x86_64. Runs without root, and without this machine's tracefs.
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
cat >clocks.c <<'C'
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void try(const char *name, int type, long config)
{
	static const struct { const char *name; int id; } clocks[] = {
		{ "MONOTONIC", CLOCK_MONOTONIC }, { "MONOTONIC_RAW", CLOCK_MONOTONIC_RAW },
		{ "REALTIME", CLOCK_REALTIME }, { "BOOTTIME", CLOCK_BOOTTIME }, { "TAI", CLOCK_TAI },
	};

	printf("seen: %s:", name);
	for (int i = 0; i < 5; i++) {
		struct perf_event_attr attr = {
			.type = type, .size = sizeof(attr), .config = config, .sample_period = 1,
			.sample_type = PERF_SAMPLE_TIME, .use_clockid = 1, .clockid = clocks[i].id, .disabled = 1,
		};
		int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

		printf("%s %s %s", i ? "," : "", clocks[i].name, fd < 0 ? strerror(errno) : "yes");
		if (fd >= 0)
			close(fd);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	try("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	try("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	try("tracepoint", PERF_TYPE_TRACEPOINT, atol(argv[1]));
	return 0;
}
C
cc -w -static clocks.c -o root/bin/clocks || exit 2
cat >root/init <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t tracefs none /tracing
/bin/clocks "$(/bin/busybox cat /tracing/events/sched/sched_switch/id)"
/bin/busybox echo seen: end
/bin/busybox poweroff -f
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
