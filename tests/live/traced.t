#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 900
# What is recorded of some tasks: pairs, counts and times between events, against the kernel's text of all tasks.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

turns=$BUILD/tests/helpers/turns
[ -x "$turns" ] || skip_all 'no tests/helpers/turns (make check-programs)'
# a task keeps its name in the guest
cp "$turns" "$TMP/turns"
mkfifo "$TMP/go"

# is_recording INSTANCE: it has all of its events, and is on (again)
is_recording()
{
	cat "$TRACING/instances/$1"*/events/sched/sched_switch/enable "$TRACING/instances/$1"*/events/sched/sched_waking/enable \
		2>/dev/null | grep -q 1 &&
		[ "$(cat "$TRACING/instances/$1"*/tracing_on 2>/dev/null)" = 1 ]
}

# tasks: $server and $client wait for their work
tasks()
{
	for event in sched/sched_switch sched/sched_waking task/task_newtask; do
		echo 1 >"$D/events/$event/enable"
	done
	echo 0 >"$D/tracing_on"
	echo 8192 >"$D/buffer_size_kb"
	: >"$TMP/tasks"
	"$TMP/turns" 20 20 <"$TMP/go" >"$TMP/tasks" &
	children="$children $!"
	exec 7>"$TMP/go"
	await grep -q . "$TMP/tasks"
	read -r server client <"$TMP/tasks"
}

# work: they work, and the kernel records all tasks in the case's instance; into $truth what that says
work()
{
	echo 1 >"$D/tracing_on"
	echo go >&7
	await grep -q done "$TMP/tasks"
	echo 0 >"$D/tracing_on"
	us=$(sed -n 's/^not traced: .*(\(.*\))$/\1/p' "$TMP/measured.err")
	truth=$(awk -v PIDS="$server" -v WOKEN="$client" -f "$SRC/tests/helpers/turns.awk" "$D/trace")
}

# measure ARGUMENT..: that command of tracesh, while they work; SERVER stands for that task
measure()
{
	fresh
	tasks
	# shellcheck disable=SC2046 # words
	start "$TMP/measured" "$TRACESH" $(echo "$*" | sed "s/SERVER/$server/g")
	measure_it tracesh-$child-
}

# measure_here COMMAND: the same, in an instance that lists the server
measure_here()
{
	fresh
	tasks
	here=live-$$-here
	mkdir "$TRACING/instances/$here"
	start "$TMP/measured" "$TRACESH" --json --restore -i "$here" -c "pid $server" -c "$1"
	measure_it "$here"
	rmdir "$TRACING/instances/$here"
}

# measure_it INSTANCE: what was started last
measure_it()
{
	measuring=$child
	await is_recording "$1"
	work
	kill -INT "$measuring"
	ended "$measuring"
	out=$(cat "$TMP/measured") err=$(cat "$TMP/measured.err")
	exec 7>&-
}

# of WHAT: its number in the truth; longest WHAT: in us
of() { printf '%s\n' "$truth" | awk -v what="$1" '$1 == what { n = $2 } END { print n + 0 }'; }
longest() { printf '%s\n' "$truth" | awk -v what="$1" '$1 == what { n = $3 } END { print n + 0 }'; }

# pairs_of WHAT COMMAND..: its pairs are those that the truth has as that
pairs_of()
{
	what=$1
	shift
	measure "$@"
	expect 0 'succeeds'
	true_that 'there are some' [ "$(of "$what")" -gt 0 ]
	prints "^\\{\"type\":\"pairs\",\"pairs\":$(of "$what")," 'as many as the kernel had'
	# of two instances, which are written one after the other
	max=$(printf '%s\n' "$out" | sed -n 's/.*"max_ns":\([0-9]*\).*/\1/p')
	off=$(((max + 500) / 1000 - $(longest "$what")))
	true_that "and none that is longer ($max ns, $(longest "$what") us)" [ "${off#-}" -le $((50 + max / 10000000)) ]
}

for name in wakeup off-cpu; do
	begin "latency $name of one task"
	pairs_of "$name" --json latency "$name" --pid SERVER
done

# each event ends what waits, also one that the filter leaves out
begin 'latency off-cpu if it went to sleep'
pairs_of slept --json latency off-cpu --pid SERVER if prev_state == 1
begin 'latency wakeup if it is to that CPU'
pairs_of wakeup-0 --json latency wakeup --pid SERVER if target_cpu == 0
begin 'latency wakeup if that runs before'
pairs_of wakeup-120 --json latency wakeup --pid SERVER if prev_prio == 120

for command in hist count; do
	begin "$command of one task"
	measure --json "$command" --pid SERVER sched:sched_switch
	prints "\"key\":\\{\"event\":\"sched:sched_switch\"\\},\"count\":$(of away)[,}]" 'each switch away from it'
	measure --json "$command" --pid SERVER sched:sched_waking by pid
	prints "\"key\":\\{\"pid\":$client\\},\"count\":$(of wakes)[,}]" 'each wakeup by it'
	prints '"others":[1-9]' 'those of others are not counted, which is said'
done

begin 'stacks of one task'
measure --json stacks --pid SERVER sched:sched_switch
expect 0 'succeeds'
says "^$(of away) stacks? of $(of away) events?, .*[0-9]+ of other tasks not counted" 'each switch away from it'

begin 'delta of one task'
measure --json hist --pid SERVER sched:sched_switch by delta
same "$(printf '%s\n' "$out" | sed -n 's/.*"key".*"count":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }')" "$(of deltas)" \
	'from each of its switches to the next one'
begin 'fields delta of one task'
measure --json stream --pid SERVER sched:sched_switch fields pid delta
same "$(printf '%s\n' "$out" | grep -c '"delta":[0-9]')" "$(of deltas)" 'it has those'
true_that 'and of other tasks there are events, which have none' [ "$(printf '%s\n' "$out" | grep -c '"delta":null')" -gt 20 ]
begin 'where delta of one task'
measure --json stream --pid SERVER sched:sched_switch where 'delta >= 0'
same "$(printf '%s\n' "$out" | grep -c '"type":"event"')" "$(of deltas)" 'it prints those'

for name in wakeup off-cpu; do
	begin "latency $name in an instance that lists one task"
	measure_here "latency --here $name"
	expect 0 'succeeds'
	# a child that has ended may not be known
	pairs=$(printf '%s\n' "$out" | sed -n 's/^{"type":"pairs","pairs":\([0-9]*\),.*/\1/p')
	true_that "no more than the kernel had ($pairs, $(of "$name"))" [ "$pairs" -le "$(of "$name")" ]
	true_that 'and those of the task itself' [ "$pairs" -ge $(($(of "$name") - 4 * 20)) ]
	says 'children of listed tasks may be counted as other tasks' 'which is said'
done

begin 'tasks that are left out'
measure --json latency off-cpu --slower 0ns
true_that 'there are pairs' [ "$(printf '%s\n' "$out" | grep -c '"type":"pair"')" -gt 20 ]
for task in $us; do
	unlike "$out" "\"type\":\"pair\".*\"on\":\\{\"prev_pid\":$task\\}" "$case_name: none is of $task"
done

begin 'a recording of a program'
fresh
rm -rf "$TMP/recorded"
t record "$TMP/recorded" sched:sched_switch sched:sched_waking sched:sched_process_fork -- "$TMP/turns" 5 0 </dev/null
expect 0 'is made'
true_that 'it keeps who was listed' grep -q '^[0-9]' "$TMP/recorded/set_event_pid"
listed=$(cat "$TMP/recorded/set_event_pid")
t --tracefs "$TMP/recorded" --json hist by pid where 'event == sched_switch'
prints "\"key\":\\{\"pid\":$listed\\}" 'the program is counted'
unlike "$out" '"pid":0[,}]' "$case_name: idle is not"

begin 'stream prints what the kernel lets through'
measure --json stream --pid SERVER sched:sched_switch
true_that 'switches to it as well' [ "$(printf '%s\n' "$out" | grep -c '"type":"event"')" -gt "$(of away)" ]

begin 'halves that would be missing'
while read -r word command; do
	t -n -c "$command"
	expect 2 "$command"
	says "$word" 'says why'
	says '^hint: ' 'and what to type'
done <<'END'
CPU latency --cpu 0 wakeup
CPU latency --cpu 0 off-cpu by comm
CPU latency --cpu 0 syscall
CPU stream --cpu 0 sched_switch where delta > 1ms
CPU stream --cpu 0 --stop-when 'delta > 1ms' sched_switch
CPU hist --cpu 0 sched_switch by delta.log2
task latency --pid 1 sched_waking sched_wakeup on target_cpu
END
for command in 'latency --cpu 0 irq' 'latency --cpu 0 --pid 1 softirq' 'stream --cpu 0 sched_switch fields delta' \
	'latency --pid 1 wakeup'; do
	t -n -c "$command"
	expect 0 "$command"
done
fresh
t -i "$I" -c 'cpus 0' -c 'latency --for 10ms --here wakeup'
expect 2 'latency --here of some CPUs'
says "^hint: 'cpus all' first" 'says what to type'
t -i "$I" -c "pid $$" -c 'latency --for 10ms --here sched_waking sched_wakeup on target_cpu'
expect 2 'latency --here of some tasks'
says "^hint: 'pid clear' first" 'says what to type'
t -i "$I" -c "pid $$" -c 'latency --drain sched_waking sched_wakeup on target_cpu'
expect 2 'latency --drain, too'
says "^hint: 'pid clear' first" 'says what to type'
t --tracefs "$TMP/recorded" latency sched_waking sched_switch on prio=next_prio
expect 2 'latency of a recording of some tasks'
says '^hint: only some tasks were recorded' 'says so'
t --tracefs "$TMP/recorded" latency wakeup
expect 0 'but not where the key is one'
fresh
if [ -e "$D/set_event_notrace_pid" ]; then
	echo $$ >"$D/set_event_notrace_pid"
	t -i "$I" -c 'latency --for 10ms --here sched_waking sched_wakeup on target_cpu'
	expect 2 'latency --here without some tasks'
	says "^hint: write set_event_notrace_pid '' first" 'says what to type'
	t -i "$I" -c "write set_event_notrace_pid ''" -c 'latency --for 10ms --here sched_waking sched_wakeup on target_cpu'
	expect 0 'and that is what it takes'
fi

# of_all COMMAND: pairs with a key that is no task, of what this shell does, which is above tracesh
of_all()
{
	start "$TMP/measured" "$TRACESH" --json "$@"
	measuring=$child
	await is_umask
	for _ in 1 2 3 4 5 6 7 8 9; do umask 022; done
	kill -INT "$measuring"
	ended "$measuring"
	out=$(cat "$TMP/measured") err=$(cat "$TMP/measured.err")
	unlike "$err" 'not traced' "$case_name: nobody is left out"
}
is_umask()
{
	[ "$(cat "$TRACING/instances/tracesh-$measuring-"*/events/syscalls/sys_exit_umask/enable 2>/dev/null)" = 1 ] &&
		[ "$(cat "$TRACING/instances/tracesh-$measuring-"*/tracing_on 2>/dev/null)" = 1 ]
}
if [ -d "$TRACING/events/syscalls/sys_exit_umask" ]; then
	begin 'pairs whose key is no task'
	of_all latency sys_enter_umask sys_exit_umask on __syscall_nr
	true_that 'are of all tasks' [ "$(printf '%s\n' "$out" | sed -n 's/^{"type":"pairs","pairs":\([0-9]*\),.*/\1/p')" -ge 9 ]
	of_all sql --no-kernel 'SELECT s.mask, e.ret FROM sys_enter_umask AS s JOIN sys_exit_umask AS e ON s.__syscall_nr = e.__syscall_nr'
	true_that 'a JOIN, too' [ "$(printf '%s\n' "$out" | grep -c '"type":"event"')" -ge 9 ]
fi

# reborn INSTANCE COMMAND..: while three tasks live that have one number, one after the other; that is $number
reborn()
{
	is_reborn_measured=$1
	shift
	python3 -I "$SRC/tests/helpers/reborn.py" <"$TMP/go" >"$TMP/number" &
	children="$children $!"
	reborn=$!
	exec 7>"$TMP/go"
	start "$TMP/measured" "$TRACESH" --json "$@"
	measuring=$child
	await is_on_for "$is_reborn_measured"
	echo go >&7
	exec 7>&-
	wait "$reborn"
	kill -INT "$measuring"
	ended "$measuring"
	out=$(cat "$TMP/measured") err=$(cat "$TMP/measured.err") number=$(cat "$TMP/number")
}
is_on_for()
{
	[ "$(cat "$TRACING/instances/tracesh-$measuring-"*/events/"$1"/enable 2>/dev/null)" = 1 ] &&
		[ "$(cat "$TRACING/instances/tracesh-$measuring-"*/tracing_on 2>/dev/null)" = 1 ]
}
begin 'tasks that have one number'
if command -v python3 >/dev/null && echo | python3 -I "$SRC/tests/helpers/reborn.py" >/dev/null; then
	reborn sched/sched_switch latency off-cpu --slower 0ns
	prints "\"type\":\"pair\".*\"on\":\\{\"prev_pid\":$number\\}" 'off-cpu: each has pairs'
	same "$(printf '%s\n' "$out" | grep -c "\"ns\":[0-9]\{9,\},.*\"on\":{\"prev_pid\":$number}")" 0 'none is of two of them'
	reborn raw_syscalls/sys_exit latency raw_syscalls:sys_enter raw_syscalls:sys_exit --slower 0ns
	prints "\"type\":\"pair\".*\"on\":\\{\"common_pid\":$number\\}" 'syscall: each has pairs'
	same "$(printf '%s\n' "$out" | grep -c "\"ns\":[0-9]\{9,\},.*\"on\":{\"common_pid\":$number}")" 0 'none is of two of them'
	reborn raw_syscalls/sys_enter stream raw_syscalls:sys_enter fields pid delta
	prints "\"pid\":$number,\"delta\":[0-9]" 'delta: each has some'
	same "$(printf '%s\n' "$out" | grep -c "\"pid\":$number,\"delta\":[0-9]\{9,\}[,}]")" 0 'none is of two of them'
else
	skip "$case_name" 'no python3, or a number cannot be chosen'
fi

begin 'delta across a loss'
if taskset -c 1 true 2>/dev/null && taskset -c 0 true 2>/dev/null; then
	fresh
	echo 8 >"$D/buffer_size_kb"
	# shellcheck disable=SC2016 # of that shell
	taskset -c 1 sh -c 'echo a; echo a; taskset -pc 0 $$ >&2; i=0; while [ $((i += 1)) -le 3000 ]; do echo b; done' \
		>"$D/trace_marker" 2>/dev/null
	echo 0 >"$D/tracing_on"
	t -i "$I" --json drain fields cpu delta
	same "$(printf '%s\n' "$out" | sed -n 's/.*"fields":{"cpu":1,"delta":\([0-9n]\).*/\1/p' | sed 's/[0-9]/known/' | tr '\n' ' ')" 'n known ' \
		'is known before it'
	like "$(printf '%s\n' "$out" | grep -m 1 '"fields":{"cpu":0,')" '"delta":null' "$case_name: and not behind it"
	prints '"fields":\{"cpu":0,"delta":[0-9]' 'then it is again'
fi

finish
