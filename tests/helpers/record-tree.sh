#!/bin/sh
# Records a small tree of this kernel, for tests and examples without root: what
# tracesh's record makes of an instance, and the kernel's own text of the same events.
# Prints a tar archive on stdout. Needs root and tracefs.
#
#   tests/vm/boot tests/helpers/record-tree.sh >tree.tar
set -eu

events='sched/sched_switch sched/sched_wakeup sched/sched_process_fork
	sched/sched_process_exec sched/sched_process_exit syscalls/sys_enter_openat
	syscalls/sys_exit_openat net/netif_receive_skb task/task_rename'

name=recorder-$$
in=/sys/kernel/tracing/instances/$name
work=$(mktemp -d)
cleanup() {
	rmdir "$in" 2>/dev/null || :
	rm -rf "$work"
}
trap cleanup EXIT
mkdir "$in"
echo 0 >"$in/tracing_on"
echo boot >"$in/trace_clock"
echo 0 >"$in/options/hash-ptr" 2>/dev/null || :

for event in $events; do
	[ ! -e "$in/events/$event" ] || echo 1 >"$in/events/$event/enable"
done
echo 1 >"$in/tracing_on"
echo "a marker: $(uname -r)" >"$in/trace_marker"
# What happens: a program, three datagrams over lo, a task with a hostile name.
ls / >/dev/null
bash -c 'for i in 1 2 3; do echo "datagram $i" >/dev/udp/127.0.0.1/9; done' 2>/dev/null || :
sh -c 'printf "x-1 [0] \033[31m:" >/proc/self/comm; : </etc/passwd'
echo 0 >"$in/tracing_on"

cat "$in/trace" >"$work/trace"
"${TRACESH:-tracesh}" -q -i "$name" record "$work/tree"
mv "$work/trace" "$work/tree/trace"
tar -C "$work/tree" -cf - .
