#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# needs hist
# time limit: 1500
# hist --in-kernel: what the kernel counts is what is counted here; what it cannot count; what is left behind.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
[ -e "$TRACING/events/sched/sched_switch/hist" ] || skip_all 'this kernel has no histograms'

LC_ALL=C
export LC_ALL

# trigger_of PID EVENT: the histograms of the instance of that tracesh
trigger_of() { grep -hs '^hist' "$TRACING/instances/tracesh-$1-"*/events/"$2"/trigger; }
is_counting() { [ -n "$(trigger_of "$1" "$2")" ]; }
no_own_instance() { [ -z "$(ls -d "$TRACING/instances/tracesh-$1-"* 2>/dev/null)" ]; }

command=hist
# both EVENT WORD..: $command of that in the kernel and here, while dd reads and writes 300 times a size that nobody else does,
# and that is no number of a process, which fork and wait return;
# their rows in $TMP/kernel and $TMP/here
both()
{
	event=$1
	start "$TMP/kernel" "$TRACESH" --json $command --in-kernel "$@" if 'ret == 140741'
	kernel=$child
	start "$TMP/here" "$TRACESH" --json $command "$@" if 'ret == 140741'
	here=$child
	await is_counting "$kernel" "$(echo "$event" | tr : /)"
	await is_streaming "$here"
	dd if=/dev/zero of=/dev/null bs=140741 count=300 2>/dev/null
	cp /bin/dd "$TMP/dd 2, x: 3"
	# a program of another name; that of busybox is none then
	all=640
	"$TMP/dd 2, x: 3" if=/dev/zero of=/dev/null bs=140741 count=20 2>/dev/null || all=600
	kill -INT "$kernel" "$here"
	ended "$kernel"
	ended "$here"
	# of a dd that has ended it may not be known how many bits it had
	rows="/\"type\":\"$command\"/ { s/,\"rate\":[0-9.]*//; s/?[0-9]* (\([a-z0-9_]*\) or [^)]*)/\1/; p; }"
	sed -n "$rows" "$TMP/kernel" >"$TMP/kernel.rows"
	sed -n "$rows" "$TMP/here" >"$TMP/here.rows"
}

begin 'the same table'
fresh
if [ -d "$TRACING/events/raw_syscalls/sys_exit" ]; then
	set -- 'comm,id.syscall' 'ret.log2 sum ret avg ret' 'comm,ret.linear(1K) sum ret avg id'
	[ -z "${TRACESH_VM_SAMPLE-}" ] || set -- "$3"
	for by; do
		# shellcheck disable=SC2086 # words
		both raw_syscalls:sys_exit by $by
		same "$(cat "$TMP/kernel.rows")" "$(cat "$TMP/here.rows")" "by $by"
		same "$(awk -F '"count":' '{ n += $2 } END { print n }' "$TMP/kernel.rows")" $all 'all of them'
	done
	command=count
	both raw_syscalls:sys_exit by comm
	same "$(cat "$TMP/kernel.rows")" "$(cat "$TMP/here.rows")" 'count, by comm'
	same "$(awk -F '"count":' '{ n += $2 } END { print n }' "$TMP/kernel.rows")" $all 'all of them'
	command=hist
	both raw_syscalls:sys_exit
	same "$(cat "$TMP/kernel.rows")" '{"type":"hist","key":{"event":"raw_syscalls:sys_exit"},"count":'$all'}' 'without a key'
	same "$(cat "$TMP/kernel.rows")" "$(cat "$TMP/here.rows")" 'as here'
	tail -n 1 "$TMP/kernel" >"$TMP/last"
	same "$(cut -c 1-36 "$TMP/last")" "{\"type\":\"end\",\"events\":$all,\"lost\":0," 'and the sum'
else
	skip 'the same table' 'the kernel has no events of system calls'
fi

begin 'text with odd characters'
# long in a guest
fresh
cp /bin/true "$TMP/odd } hitcount: 9, pid: 4" && cp /bin/true "$TMP/[7] "
start "$TMP/kernel" "$TRACESH" --json hist --in-kernel sched:sched_process_exec by filename,comm
kernel=$child
await is_counting "$kernel" sched/sched_process_exec
"$TMP/odd } hitcount: 9, pid: 4"
"$TMP/odd } hitcount: 9, pid: 4"
"$TMP/[7] "
kill -INT "$kernel"
ended "$kernel"
out=$(cat "$TMP/kernel")
prints '/odd \} hitcount: 9, pid: 4","comm":"odd \} hitcount:"\},"count":2\}' 'a name that looks like the end of a row'
prints '/\[7\]","comm":"\[7\]"\},"count":1\}' 'blanks at the end of a text are not known'
ok 'the instance is gone' no_own_instance "$kernel"

begin 'stacks'
fresh
t --json hist --in-kernel --for 500ms sched:sched_switch by stack --top 3
expect 0 'stack is a key'
# the kernel leaves out five functions, and on some machines schedule is one of them
case $(uname -m) in x86_64) inner=schedule ;; *) inner=[a-z] ;; esac
prints "^\\{\"type\":\"hist\",\"key\":\\{\"stack\":\\[\"[^\"]*$inner" 'innermost first'
t hist --in-kernel --for 500ms sched:sched_switch by comm,stack --top 3
prints '^[0-9]+ events?, comm ' 'as text'
prints "^    (__)?$inner" 'a function a line'
if [ -d "$TRACING/events/raw_syscalls/sys_exit" ] && [ "$inner" = schedule ]; then
	both raw_syscalls:sys_exit by stack
	same "$(awk -F '"count":' '{ n += $2 } END { print n }' "$TMP/kernel.rows")" $all 'all of them'
	same "$(sed 's/.*"count"//' "$TMP/kernel.rows")" "$(sed 's/.*"count"//' "$TMP/here.rows")" 'as many rows as here'
	# the kernel leaves out five functions, which may be one more than those of the tracer
	sed 's/.*\["//' "$TMP/kernel.rows" >"$TMP/ends"
	same "$(grep -c -F -f "$TMP/ends" "$TMP/here.rows")" "$(wc -l <"$TMP/here.rows")" 'which end as its rows do'
fi

begin 'more keys than there is room for'
# long in a guest
fresh
start "$TMP/kernel" "$TRACESH" --json hist --in-kernel --size 128 sched:sched_process_exec by pid
kernel=$child
await is_counting "$kernel" sched/sched_process_exec
i=0
while [ $i -lt 200 ]; do
	/bin/true
	i=$((i + 1))
done
kill -INT "$kernel"
ended "$kernel"
out=$(cat "$TMP/kernel")
same "$(printf '%s\n' "$out" | grep -c '"pid":')" 128 'as many as there is room for'
prints '"key":null,"count":[1-9]' 'the others together'

begin 'sums of large numbers'
# long in a guest
fresh
while :; do cat /proc/version; done >/dev/null &
busy=$!
t hist --in-kernel --for 300ms kmem:kmalloc by cpu sum call_site
expect 0 'a sum of addresses'
says "the kernel's sums have 64 bits" 'may have lost a carry, which is said'
t hist --in-kernel --for 300ms kmem:kmalloc by cpu sum bytes_req
unlike "$err" "the kernel's sums" "$case_name: one of sizes has not"
kill "$busy"
wait "$busy" 2>"$TMP/waited"

begin 'what it cannot do'
fresh
t hist --in-kernel --for 100ms sched:sched_switch by next_pid/2
expect 2 'an expression'
says 'error: the kernel cannot count by that: it is no field' 'is refused'
says '^hint: without --in-kernel it is counted here' 'with the way to have it'
t hist --in-kernel --for 100ms sched:sched_switch by next_pid max next_prio
says 'its histograms have sums, and no min or max' 'max'
t hist --in-kernel --for 100ms sched:sched_switch by next_pid where next_pid == 1
says "the kernel takes 'if FILTER'" 'where'
t hist --in-kernel --pid 1 --for 100ms sched:sched_switch by next_pid
says 'if common_pid == 1234' '--pid'
t hist --in-kernel --drain by pid
expect 2 '--drain'
t hist --in-kernel by pid
says 'EVENT is missing' 'no event'
t hist --in-kernel --for 100ms sched:sched_switch by next_pid if nosuch == 1
expect 1 'a filter that is none'
if [ -e "$TRACING/kprobe_events" ]; then
	# shellcheck disable=SC2016 # the kernel's
	echo 'p:live_three/e vfs_read a=$comm b=$comm c=$comm' >>"$TRACING/kprobe_events"
	t -c 'hist --in-kernel --for 100ms live_three:e by a,b,c'
	expect 1 'what the kernel refuses'
	says 'hist --in-kernel --for 100ms live_three:e by a,b,c' 'stands in the line'
	says '\^~' 'with a caret'
	echo '-:live_three/e' >>"$TRACING/kprobe_events"
else
	skip 'what the kernel refuses' 'no kprobes'
fi

begin 'killed'
fresh
echo 'hist:keys=next_pid' >>"$D/events/sched/sched_switch/trigger"
start "$TMP/kernel" "$TRACESH" hist --in-kernel sched:sched_switch by next_pid
kernel=$child
await is_counting "$kernel" sched/sched_switch
kill -KILL "$kernel"
wait "$kernel" 2>/dev/null
t recover
expect 0 'recover'
ok 'removes the instance' no_own_instance "$kernel"
same "$(grep -c '^hist:keys=next_pid' "$D/events/sched/sched_switch/trigger")" 1 "a colleague's histogram stays"
echo '!hist:keys=next_pid' >>"$D/events/sched/sched_switch/trigger"
finish
