#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# needs synthetic
# sql of two events: rows of known pairs, the way back, what is wrong and where.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
[ -e "$TRACING/synthetic_events" ] || skip_all 'this kernel has no synthetic events'
. "$SRC/tests/live/lib-sql.sh"

nothing_left() { ! grep -qs -e tracesh_sql_ -e live_ "$TRACING/synthetic_events" && [ -z "$(ls -d "$TRACING"/instances/synth-* 2>/dev/null)" ]; }

begin 'two events'
cp /bin/true "$TMP/sql-one"
on='FROM sched_process_exec AS s JOIN sched_process_exit AS e ON s.common_pid = e.pid'
start "$TMP/joined" "$TRACESH" --json sql "SELECT s.filename AS program, (e.TIMESTAMP - s.TIMESTAMP) AS ns, e.prio, s.pid - s.old_pid AS zero $on WHERE s.filename ~ '*/sql-one' AND e.prio > 0"
joined=$child
await is_streaming "$joined"
for i in 1 2 3 4 5 6; do "$TMP/sql-one"; done
/bin/true
kill -INT "$joined"
ended "$joined"
out=$(cat "$TMP/joined")
same "$(printf '%s\n' "$out" | grep -c '"event":"synthetic:tracesh_sql_')" 6 'six programs'
prints '"program":"[^"]*/sql-one","ns":[1-9][0-9]*,"prio":[0-9]+,"zero":0\}' 'with what was selected'
true_that 'nothing of it is left' nothing_left
t -c "sql --as live_run 'SELECT s.filename AS program $on'" -c 'synth list' -c 'sql --for 100ms "select program from live_run"' -c 'synth delete live_run'
expect 0 'an event that stays'
prints '^live_run  *char\[\] program  *synth-live_run$' 'is listed'
true_that 'and goes' nothing_left
t --dry-run -c "sql --as live_run 'SELECT s.filename AS program $on'"
prints "^add synthetic_events 'live_run char program\\[\\]'" '--dry-run is a script that makes it'
true_that 'and writes nothing' nothing_left
printf '%s\n' "$out" >"$TMP/script"
true_that 'which runs' sh "$TMP/script"
true_that 'and makes it' grep -q '^live_run' "$TRACING/synthetic_events"
t synth delete live_run
start "$TMP/killed" "$TRACESH" sql "SELECT e.pid $on"
killed=$child
await is_streaming "$killed"
kill -KILL "$killed"
wait "$killed" 2>/dev/null
await let_go
true_that 'after SIGKILL the guard takes it back' nothing_left

begin 'one END for each START'
if [ -d "$TRACING/events/syscalls/sys_exit_write" ]; then
	start "$TMP/joined" "$TRACESH" --json sql "SELECT e.ret, s.count AS size FROM sys_enter_write s JOIN sys_exit_write e ON s.common_pid = e.common_pid WHERE s.count = 1417"
	joined=$child
	await is_streaming "$joined"
	# what it says of itself at the end are writes, too
	dd if=/dev/zero of="$TMP/written" bs=1417 count=20 2>"$TMP/said"
	kill -INT "$joined"
	ended "$joined"
	out=$(cat "$TMP/joined")
	same "$(printf '%s\n' "$out" | grep -c '"ret":1417,"size":1417\}')" 20 'those of dd'
	same "$(printf '%s\n' "$out" | grep -c '"event":"synthetic:')" 20 'and no other, though no time was asked for'
else
	skip "$case_name" 'the kernel has no events of system calls'
fi

begin 'a field pid, and the task'
# the last that woke it, and not itself
for how in '' --no-kernel; do
	# shellcheck disable=SC2086 # none or one word
	t --json sql $how -n 200 'SELECT s.pid, s.common_pid AS by, e.next_pid AS runs FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid WHERE s.common_pid > 0'
	same "$(printf '%s\n' "$out" | grep -c '"pid":\([0-9]*\),"by":[0-9]*,"runs":\1}')" 200 "the field $how"
	# an interrupt may wake the very task that it interrupts
	true_that "is not the task $how" test "$(printf '%s\n' "$out" | grep -c '"pid":\([0-9]*\),"by":\1,')" -lt 100
done

begin 'times'
on='FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid'
set -- '(e.TIMESTAMP_USECS - s.TIMESTAMP_USECS) AS us, e.TIMESTAMP_USECS' 'TIMESTAMP_DELTA, s.TIMESTAMP as woken' \
	's.prio + e.next_prio AS both, s.pid, e.next_comm'
[ -z "${TRACESH_VM_SAMPLE-}" ] || set -- "$1"
for what; do
	t sql -n 3 "SELECT $what $on"
	expect 0 "$what"
done
true_that 'nothing of them is left' nothing_left
if grep -q common_stacktrace "$TRACING/README"; then
	t explain sql "SELECT s.pid, s.STACKTRACE how, e.STACKTRACE as at_end $on"
	prints '^synthetic_events +tracesh_sql_[0-9]+ pid_t pid; unsigned long how\[\]; unsigned long at_end\[\]$' 'stacks are fields of the event'
fi
t explain sql "SELECT s.pid, TIMESTAMP_DELTA_USECS us $on WHERE s.prio > 3 AND (e.next_prio < 200 AND (s.target_cpu = 0 OR s.target_cpu > 0))"
expect 0 'explain'
prints '/sched_waking/trigger +hist:keys=pid:b1=pid,b2=common_timestamp.usecs if prio > 3 && \(target_cpu == 0 \|\| target_cpu > 0\)$' 'the trigger of the one'
prints '/sched_switch/trigger +hist:keys=next_pid:e2=common_timestamp.usecs-\$b2:onmatch\(sched.sched_waking\).trace\(tracesh_sql_[0-9]+,\$b1,\$e2\) if next_prio < 200$' 'and of the other'

begin 'what is wrong with two'
t synth sched_switch sched_waking sched_switch on pid=next_pid
expect 1 'a name that an event has'
says 'error: sched:sched_switch is called so' 'is refused'
on='from sched_waking s join sched_switch e on s.pid = e.next_pid'
refused 2 "'common_pid' is of both events" 10 "select common_pid $on"
refused 2 "there is another 'pid'" 3 "select s.pid, e.next_pid pid $on"
refused 2 'it needs a name' 18 "select s.pid + e.next_pid $on"
refused 1 "'next_comm' is a string" 11 "select s.pid + e.next_comm as x $on"
refused 1 "'pid' is no field of sched:sched_switch" 5 "select s.pid, e.pid $on"
says 'hint: the task that it is of is e.common_pid' 'what to type'
refused 1 "'pid' is no field of sched:sched_switch" 5 'select s.prio from sched_waking s join sched_switch e on s.pid = e.pid'
refused 2 "'pid' is a field of neither event" 3 'select pid from sched_switch s join sched_switch e on s.next_pid = e.prev_pid'
says 'hint: the task that an event is of is its common_pid: s.common_pid' 'what to type'
refused 1 "'nosuch' is no field" 8 "select e.nosuch $on"
refused 2 "begins with neither 's' nor 'e'" 5 "select q.pid $on"
refused 2 'of two events the fields are named' 1 "select * $on"
refused 2 'one condition about both events' 11 "select s.pid $on where s.prio > 3 or e.next_prio = 3"
refused 2 "'e.next_prio' is a field" 11 "select s.pid $on where s.prio > e.next_prio"
refused 1 'Field not found' 6 "select s.pid $on where e.nosuch = 3"
refused 2 'all in ns or all in us' 21 "select TIMESTAMP_DELTA, s.pid, TIMESTAMP_DELTA_USECS us $on"
refused 1 "'STACKTRACE' is the stack of sched:sched_waking" 12 "select s.STACKTRACE - s.pid as x $on"
refused 2 'two events have no stack in common' 12 'select s.pid from sched_waking s join sched_switch e on s.STACKTRACE = e.next_pid'
refused 2 'the kernel has no filter for stacks' 12 "select s.pid $on where s.STACKTRACE = 3"
refused 2 'both are of sched_waking' 6 'select s.pid from sched_waking s join sched_switch e on s.pid = s.prio'
refused 2 'they are never equal' 11 'select s.pid from sched_waking s join sched_switch e on s.pid = e.next_comm'
refused 2 "'prev_pid' is of both events" 8 'select prev_comm from sched_switch join sched_switch on prev_pid = next_pid'
true_that 'nothing of it is left' nothing_left
finish
