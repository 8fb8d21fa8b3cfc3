#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# needs synthetic
# time limit: 1500
# latency --in-kernel: the pairs that the kernel makes are those that are made here; what it cannot do; what is left behind.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
[ -e "$TRACING/synthetic_events" ] || skip_all 'this kernel has no synthetic events'
[ -d "$TRACING/events/syscalls/sys_exit_read" ] || skip_all 'this kernel has no events of system calls'

nothing_left()
{
	! grep -qs tracesh_lat_ "$TRACING/synthetic_events" && [ -z "$(ls -d "$TRACING"/instances/synth-tracesh_lat_* 2>/dev/null)" ] &&
		[ -z "$(ls -d "$TRACING/instances/tracesh-$1-"* 2>/dev/null)" ]
}

# both WORD..: latency of that in the kernel and here, while dd reads 300 times what nobody else does; what of their rows is not
# time in $TMP/kernel.rows and $TMP/here.rows
both()
{
	start "$TMP/kernel" "$TRACESH" --json latency --in-kernel "$@" if 'count == 140741'
	kernel=$child
	start "$TMP/here" "$TRACESH" --json latency "$@" if 'count == 140741'
	here=$child
	await is_streaming "$kernel"
	await is_streaming "$here"
	dd if=/dev/zero of=/dev/null bs=140741 count=300 2>/dev/null
	kill -INT "$kernel" "$here"
	ended "$kernel"
	ended "$here"
	for way in kernel here; do
		sed -n '/"type":"latency"/ { s/,"sum_ns.*//; s/,"min_ns.*//; s/,"avg_ns.*//; p; }' "$TMP/$way" >"$TMP/$way.rows"
	done
}

begin 'the same pairs'
fresh
set -- 'by comm,count.log2' 'by fd,comm' ''
[ -z "${TRACESH_VM_SAMPLE-}" ] || set -- 'by fd,comm'
for by; do
	# shellcheck disable=SC2086 # words
	both syscall read $by
	same "$(cat "$TMP/kernel.rows")" "$(cat "$TMP/here.rows")" "the rows ${by:-of all}"
	true_that 'there is one' grep -q '"count":300' "$TMP/kernel.rows"
	true_that 'each read is one' grep -q '"type":"pairs","pairs":300,' "$TMP/kernel"
	ok 'nothing is left' nothing_left "$kernel"
done
true_that 'what the kernel does not tell is null' grep -q '"ends_alone":null,"starts_open":null' "$TMP/kernel"

begin 'single ones'
# 0ns: an emulated clock may stand still for a read
fresh
start "$TMP/kernel" "$TRACESH" --json latency --in-kernel syscall read by fd --slower 0ns --worst 2 if 'count == 140741'
kernel=$child
await is_streaming "$kernel"
dd if=/dev/zero of=/dev/null bs=140741 count=20 2>/dev/null
kill -INT "$kernel"
ended "$kernel"
same "$(grep -c '"type":"pair"' "$TMP/kernel"),$(grep -c '"type":"worst"' "$TMP/kernel")" 20,2 'each, and the worst'
true_that 'with both times, and no CPU of the start' \
	grep -qE '"type":"pair","time":"2[^"]*","since":"2[^"]*".*"since_cpu":null,"pid":[0-9]+,"comm":"dd","on":\{"common_pid":[0-9]+\},"key":\{"fd":0\}' "$TMP/kernel"

begin 'those that have a name'
fresh
set -- 'wakeup by comm' softirq irq 'syscall' 'sched_process_exec sched_process_exit on common_pid=pid'
[ -z "${TRACESH_VM_SAMPLE-}" ] || set -- 'wakeup by comm'
for what; do
	# shellcheck disable=SC2086 # words
	t latency --in-kernel --for 300ms $what
	expect 0 "$what"
	says '^[0-9,]+ pairs?, made by the kernel' "$what: says who has made them"
done
if [ -e "$TRACING/kprobe_events" ]; then
	# on a quiet board nobody else reads
	start "$TMP/load" sh -c 'while :; do head -c 9 /proc/uptime >/dev/null; sleep 0.1; done'
	load=$child
	t latency --in-kernel --stop-at 1ns vfs_read vfs_read%return
	kill "$load"
	wait "$load" 2>/dev/null
	expect 0 'a function and its return'
	prints ': [0-9.]+[mun]?s since ' 'is stopped at the first'
	false_that 'and no probe is left' grep -q tracesh_ "$TRACING/kprobe_events"
fi
t explain latency --in-kernel wakeup by comm
expect 0 'explain'
prints '^synthetic_events +tracesh_lat_[0-9]+ u64 lat; pid_t next_pid; char comm\[16\]$' 'has what is written'

reads=40000
[ -z "${TRACESH_VM_SAMPLE-}" ] || reads=5000
# reads on two CPUs at once, then ends what was started last
read_on_both()
{
	kernel=$child
	await is_streaming "$kernel"
	for cpu in 0 1; do
		taskset -c "$cpu" dd if=/dev/zero of=/dev/null bs=1 count=$reads 2>/dev/null &
		eval "loop$cpu=\$!"
	done
	wait "$loop0" "$loop1"
	kill -INT "$kernel"
	ended "$kernel"
}

begin 'a key that two CPUs have at once'
fresh
if taskset -c 1 true 2>/dev/null && taskset -c 0 true 2>/dev/null; then
	start "$TMP/kernel" "$TRACESH" --json latency --in-kernel sys_enter_read sys_exit_read on __syscall_nr if 'count == 1'
	read_on_both
	true_that 'there are pairs' grep -q '"type":"pairs","pairs":[1-9]' "$TMP/kernel"
	true_that 'none began before all of it' [ "$(sed -n 's/.*"max_ns":"*\([0-9]*\).*/\1/p' "$TMP/kernel")" -le \
		"$(sed -n 's/.*"type":"end".*"seconds":\([0-9]*\).*/\1/p' "$TMP/kernel")999999999" ]
	true_that 'how many did is said' grep -q '"backwards":[0-9]' "$TMP/kernel"
	start "$TMP/kernel" "$TRACESH" --json sql 'SELECT (e.TIMESTAMP - s.TIMESTAMP) AS ns
		FROM sys_enter_read s JOIN sys_exit_read e ON s.__syscall_nr = e.__syscall_nr WHERE s.count = 1'
	read_on_both
	true_that 'sql has rows' grep -q '"ns":[1-9]' "$TMP/kernel"
	same "$(awk -F'"ns":"*' -v up="$(cut -d. -f1 /proc/uptime)" 'NF > 1 && $2 + 0 > up * 1e9 { print }' "$TMP/kernel")" '' \
		'and none of more than the uptime'
else
	skip "$case_name" 'one CPU'
fi

begin 'what it cannot do'
fresh
t latency --in-kernel --for 100ms sched_waking sched_switch on pid=next_pid by prio/2
expect 1 'an expression'
says "'prio/2' of sched:sched_waking is no field of it" 'is refused'
says '^hint: without --in-kernel pairs are made here' 'with the way to have it'
t latency --in-kernel --for 100ms off-cpu by comm
expect 1 'the name of a task that only START is of'
t latency --in-kernel --for 100ms --pid 1 wakeup
expect 2 '--pid'
says 'if common_pid == 1234' 'with the way to have it'
t latency --in-kernel --drain wakeup
says '--in-kernel is for new events; --drain reads only those in the buffer' '--drain'
t latency --in-kernel --here wakeup
says 'not in the kernel: what makes the pairs has an instance of its own' '--here'

begin 'killed'
fresh
for signal in TERM KILL; do
	start "$TMP/kernel" "$TRACESH" latency --in-kernel wakeup
	kernel=$child
	await is_streaming "$kernel"
	kill -"$signal" "$kernel"
	wait "$kernel" 2>/dev/null
	# the guard, without anybody
	[ "$signal" != KILL ] || await let_go
	ok "$signal: nothing is left" nothing_left "$kernel"
done
finish
