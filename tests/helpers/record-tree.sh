#!/bin/sh
# Records a small tree of this kernel, for tests and examples without root: formats,
# header_page, names, raw pages, the kernel's own text and the clock. Prints a tar
# archive on stdout. Needs root, tracefs and python3.
#
#   tests/vm/boot tests/helpers/record-tree.sh >tree.tar
set -eu

events='sched/sched_switch sched/sched_wakeup sched/sched_process_fork
	sched/sched_process_exec sched/sched_process_exit syscalls/sys_enter_openat
	syscalls/sys_exit_openat net/netif_receive_skb task/task_rename'

tracing=/sys/kernel/tracing
in=$tracing/instances/recorder-$$
tree=$(mktemp -d)
cleanup() {
	rmdir "$in" 2>/dev/null || :
	rm -rf "$tree"
}
trap cleanup EXIT
mkdir "$in"
echo 0 >"$in/tracing_on"
echo boot >"$in/trace_clock"
echo 0 >"$in/options/hash-ptr" 2>/dev/null || :

for event in $events; do
	[ -e "$in/events/$event" ] && echo 1 >"$in/events/$event/enable"
done
echo 1 >"$in/tracing_on"
echo "a marker: $(uname -r)" >"$in/trace_marker"
# What happens: a program, three datagrams over lo, a task with a hostile name.
ls / >/dev/null
bash -c 'for i in 1 2 3; do echo "datagram $i" >/dev/udp/127.0.0.1/9; done' 2>/dev/null || :
sh -c 'printf "x-1 [0] \033[31m:" >/proc/self/comm; : </etc/passwd'
echo 0 >"$in/tracing_on"

mkdir -p "$tree/events/ftrace" "$tree/tracesh"
cat "$in/trace" >"$tree/trace"
for event in $events ftrace/print; do
	[ -e "$in/events/$event/format" ] || [ -e "$tracing/events/$event/format" ] || continue
	mkdir -p "$tree/events/$event"
	for file in format id; do
		cat "$tracing/events/$event/$file" >"$tree/events/$event/$file" 2>/dev/null ||
			rm -f "$tree/events/$event/$file"
	done
done
cat "$in/events/header_page" >"$tree/events/header_page"
grep -E "^($(echo $events | tr ' /' '|:'))\$" "$tracing/available_events" >"$tree/available_events"
cat "$in/set_event" >"$tree/set_event"
for file in trace_clock tracing_on current_tracer; do
	cat "$in/$file" >"$tree/$file"
done
cat "$tracing/saved_cmdlines" >"$tree/saved_cmdlines"
for cpu in "$in"/per_cpu/cpu*; do
	mkdir -p "$tree/per_cpu/${cpu##*/}"
	cat "$cpu/stats" >"$tree/per_cpu/${cpu##*/}/stats"
	dd if="$cpu/trace_pipe_raw" of="$tree/per_cpu/${cpu##*/}/trace_pipe_raw" \
		bs="$(getconf PAGESIZE)" iflag=nonblock 2>/dev/null || :
done
# boot has one constant offset to the wall clock: the narrowest of many brackets.
python3 - >"$tree/tracesh/clock" <<'PYTHON'
import time
best = None
for i in range(1000):
    a = time.clock_gettime_ns(time.CLOCK_REALTIME)
    s = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    b = time.clock_gettime_ns(time.CLOCK_REALTIME)
    if best is None or b - a < best[2] - best[1]:
        best = (s, a, b)
s, a, b = best
print("boot -1 1 1 1", s, a, b, s, a, b)
PYTHON
tar -C "$tree" -cf - .
