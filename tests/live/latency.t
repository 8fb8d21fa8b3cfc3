#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 1500
# latency on a running kernel: the pairs of a frozen buffer against a plain loop over its events; known numbers of reads;
# what ends by itself, and what is left behind.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

LC_ALL=C
export LC_ALL
no_own_instance() { [ -z "$(ls -d "$TRACING/instances/tracesh-$1-"* 2>/dev/null)" ]; }
# Its instance is on at first, too, before there is an event in it.
is_measuring()
{
	[ "$(cat "$TRACING/instances/tracesh-$measuring-"*/events/syscalls/sys_exit_read/enable 2>/dev/null)" = 1 ] &&
		[ "$(cat "$TRACING/instances/tracesh-$measuring-"*/tracing_on 2>/dev/null)" = 1 ]
}
is_over() { ! kill -0 "$measuring" 2>/dev/null || [ "$(sed 's/.*) //; s/ .*//' "/proc/$measuring/stat" 2>/dev/null)" = Z ]; }

# measure ARGUMENT..: latency with these in the background, until it has begun
measure()
{
	start "$TMP/measured" "$TRACESH" --json latency "$@"
	measuring=$child
	await is_measuring
}

# measured: its end, after Ctrl-C
measured()
{
	kill -INT "$measuring" 2>/dev/null
	ended "$measuring"
	out=$(cat "$TMP/measured") err=$(cat "$TMP/measured.err")
}

# compare START END ON BY WORD..: of a frozen buffer, recorded
compare()
{
	start=$1 end=$2 on=$3 by=$4
	shift 4
	"$TRACESH" --tracefs "$TMP/frozen" --json latency --slower 0ns "$@" >"$TMP/answer" 2>/dev/null
	like "$(python3 -I "$SRC/tests/helpers/pairs.py" "$TMP/events" "$TMP/answer" "$start" "$end" "$on" ${by:+"$by"})" \
		'^[1-9][0-9]* pairs are the same$' "$*: as Python has them"
}

begin 'a frozen buffer'
if command -v python3 >/dev/null; then
	fresh
	echo 1 >"$D/events/sched/sched_waking/enable"
	echo 1 >"$D/events/sched/sched_switch/enable"
	for _ in 1 2 3 4 5 6 7 8; do
		(sleep 0.01; :) &
		(sleep 0.01; :) &
		wait
	done
	echo 1 >"$D/events/raw_syscalls/enable"
	dd if=/dev/zero of=/dev/null bs=1 count=200 2>/dev/null
	echo 0 >"$D/tracing_on"
	rm -rf "$TMP/frozen"
	t -i "$I" record "$TMP/frozen"
	"$TRACESH" --tracefs "$TMP/frozen" --json drain >"$TMP/events" 2>/dev/null
	compare sched:sched_waking sched:sched_switch pid=next_pid '' wakeup
	compare sched:sched_waking sched:sched_switch pid=next_pid comm sched_waking sched_switch on pid=next_pid by comm
	compare raw_syscalls:sys_enter raw_syscalls:sys_exit common_pid id syscall by id
else
	skip 'a frozen buffer' 'no python3'
fi

if [ -d "$TRACING/events/syscalls/sys_exit_read" ]; then
	begin 'reads of dd'
	fresh
	measure syscall read by comm if count == 2741
	dd if=/dev/zero of=/dev/null bs=2741 count=300 2>/dev/null
	measured
	prints '"key":\{"comm":"dd"\},"count":300,' 'each has its start: the filter is for that alone'
	prints '"type":"pairs","pairs":300,' 'and there are no others'
	prints '"type":"end","events":' 'it has an end'
	ok 'the instance is gone' no_own_instance "$measuring"

	begin 'what the buffer has'
	fresh
	echo 'count == 2741' >"$D/events/syscalls/sys_enter_read/filter"
	echo 1 >"$D/events/syscalls/sys_enter_read/enable"
	echo 1 >"$D/events/syscalls/sys_exit_read/enable"
	dd if=/dev/zero of=/dev/null bs=2741 count=200 2>/dev/null
	echo 0 >"$D/tracing_on"
	t -i "$I" --json latency --drain syscall read
	prints '"type":"pairs","pairs":200,' '--drain takes it out'
	t -i "$I" --json latency --drain syscall read
	prints '"type":"pairs","pairs":0,' 'and nothing is left'
	t --read-only -i "$I" latency --drain syscall read
	expect 1 'not under --read-only'
	t -i "$I" latency --drain syscall read if count == 2741
	expect 2 'it cannot be filtered any more'
	longer='leaves events out: a pair may seem longer than it was$'
	echo 0 >"$D/events/syscalls/sys_enter_read/filter"
	echo 'ret < 0' >"$D/events/syscalls/sys_exit_read/filter"
	t -i "$I" latency --drain syscall read
	same "$(printf '%s\n' "$err" | grep -c "$longer")" 0 'of a task each call that has failed has its own start'
	echo 'count == 2741' >"$D/events/syscalls/sys_enter_read/filter"
	t -i "$I" latency --drain syscall read
	says "^the filter of syscalls:sys_enter_read \\(count == 2741\\) $longer" 'but with two filters not'
	for end in enter exit; do
		echo 'comm == "dd"' >"$D/events/syscalls/sys_${end}_read/filter"
	done
	t -i "$I" latency --drain syscall read
	same "$(printf '%s\n' "$err" | grep -c "$longer")" 0 'unless they are of the task'
	echo 'prev_state == 1' >"$D/events/sched/sched_switch/filter"
	t -i "$I" latency --drain off-cpu
	says "^the filter of sched:sched_switch \\(prev_state == 1\\) $longer" 'of one event that is both ends it is said'
	t -i "$I" latency --here --for 1ms off-cpu if 'prev_pid > 0'
	says "^the filter of sched:sched_switch \\(prev_state == 1\\) $longer" 'with --here, too'
	t -i "$I" hist --here --for 1ms sched_switch by delta.log2
	says 'leaves events out: delta is from the last event that passed it$' 'and of delta'

	begin 'slow ones'
	fresh
	# a pipe on which nobody writes for a while
	# of this test alone: on a busy machine others read so much meanwhile that the oldest of it is forgotten
	measure --slower 50ms --worst 1 --pid $$ syscall read if count == 4091
	(sleep 0.1; echo) | dd of=/dev/null bs=4091 count=1 2>/dev/null
	await grep -q '"type":"pair"' "$TMP/measured"
	ok 'it is printed while more is awaited' grep -q '"type":"pair"' "$TMP/measured"
	measured
	same "$(printf '%s\n' "$out" | grep -c '"type":"worst"')" 1 'the worst stands at the end'
	prints '"type":"pair","time":"2[0-9T:.+-]*","since":"2[0-9T:.+-]*"' 'with both wall-clock times'
	prints '"type":"worst",.*"between":\[.*"between_earlier":[0-9]+,"between_whole":true\}$' 'and what happened in it'

	begin 'what happened in between'
	fresh
	for event in umask chdir; do
		echo 1 >"$D/events/syscalls/sys_enter_$event/enable"
	done
	(umask 022; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$i" >"$D/trace_marker"; done; cd /)
	echo 0 >"$D/tracing_on"
	t -i "$I" latency --drain sys_enter_umask sys_enter_chdir --worst 1
	prints '^        \.\. [0-9]+ earlier$' 'more than there is room for is counted'
	same "$(printf '%s\n' "$out" | sed -n 's/^         .*tracing_mark_write: //p' | tr '\n' ' ')" '5 6 7 8 9 10 11 12 ' 'the last eight stand there'

	begin 'the first that is slow enough'
	fresh
	measure --stop-at 50ms syscall read if count == 4091
	mkfifo "$TMP/slow"
	dd of=/dev/null bs=4091 count=1 <"$TMP/slow" 2>/dev/null &
	reading=$!
	exec 9>"$TMP/slow"
	# it takes so long from when it waits
	await grep -q ' 0xffb ' "/proc/$reading/syscall"
	sleep 0.1
	echo >&9
	exec 9>&-
	await is_over
	measured
	prints '"stopped":true' 'ends it'
	same "$(printf '%s\n' "$out" | grep -c '"type":"pair"')" 1 'with that pair'
	ok 'the instance is gone' no_own_instance "$measuring"

	begin 'in the current instance'
	fresh
	start "$TMP/measured" "$TRACESH" -i "$I" --json latency --here --every 200ms syscall read if count == 2741
	measuring=$child
	await grep -q '"type":"round"' "$TMP/measured"
	dd if=/dev/zero of=/dev/null bs=2741 count=100 2>/dev/null
	measured
	prints '"type":"pairs","pairs":100,' '--here'
	file_is events/syscalls/sys_enter_read/enable 0 'off again'
	file_is events/syscalls/sys_enter_read/filter none 'without a filter'
else
	skip 'reads' 'the kernel has no events of system calls'
fi

begin 'switches that are missing'
fresh
for json in '' --json; do
	echo 'next_pid == 0' >"$D/events/sched/sched_switch/filter"
	echo 1 >"$D/events/sched/sched_switch/enable"
	goes_idle() { [ "$(grep -c sched_switch "$D/trace")" -gt 20 ]; }
	await goes_idle
	echo 0 >"$D/events/sched/sched_switch/enable"
	# shellcheck disable=SC2086 # a word or none
	t -i "$I" $json latency --drain off-cpu
	if [ -n "$json" ]; then
		prints '"switches_missing":[1-9]' 'in JSON, too'
	else
		says '^at least [1-9][0-9]* sched_switch events are missing, ' 'is said'
	fi
done
echo 0 >"$D/events/sched/sched_switch/filter"

begin 'system calls by the names of libc'
for call in read fstat uname umount2; do
	t -n -c "latency syscall $call"
	expect 0 "$call"
done
t -n -c 'latency syscall fsatt'
says "no system call 'fsatt' has events here" 'and none that there is not'

begin 'wakeups'
fresh
t latency --for 300ms wakeup by comm --top 3
expect 0 'succeeds'
t -c 'watch 1s latency wakeup'
expect 2 'what goes on by itself does not stand in a watch'
t -i "$I" latency --for 100ms sched_waking sched_switch on pid=next_pid if nosuch == 1
expect 1 'a filter that neither takes'
# The one that kept somebody waiting may be tracesh: its switches are left out elsewhere.
begin 'who ran meanwhile'
# filter_of WORD..: that of sched_switch in the instance of latency
filter_of()
{
	start "$TMP/waiting" "$TRACESH" latency "$@"
	waiting=$child
	await is_streaming "$waiting"
	cat "$TRACING/instances/tracesh-$waiting-"*/events/sched/sched_switch/filter
	kill -INT "$waiting"
	ended "$waiting"
}
same "$(filter_of wakeup --worst 3)" none '--worst'
like "$(filter_of wakeup)" 'prev_pid != [1-9]' "$case_name: without it tracesh is left out"
like "$(filter_of off-cpu --worst 3)" 'prev_pid != [1-9]' "$case_name: what begins with a switch"

finish
