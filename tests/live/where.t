#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 900
# Questions of events: what is printed, what of it the kernel answers, and that both mean the same.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# wrong_at TEXT MESSAGE CARET-LINE: stream sched_switch where TEXT is refused there
wrong_at()
{
	t -c "stream -n 1 sched:sched_switch where $1"
	expect "${4-2}" "where $1: is refused"
	says "error: $2" "where $1: and why"
	says "^ *$3\$" "where $1: and where"
}

is_enabled() { grep -qs 1 "$TRACING/instances/tracesh-$1-"*/events/sched/sched_process_exec/enable; }

# filter_is FILTER WHAT COMMAND..: while the command runs, sched_process_exec has that filter in the instance of its own
filter_is()
{
	wanted=$1 what=$2
	shift 2
	start "$TMP/filtered" "$TRACESH" "$@"
	stream=$child
	await is_enabled "$stream"
	same "$(cat "$TRACING/instances/tracesh-$stream-"*/events/sched/sched_process_exec/filter)" "$wanted" "$what"
	kill -INT "$stream"
	ended "$stream"
	same "$status" 0 "$what: Ctrl-C ends it"
}

begin 'two fields, and what the kernel cannot'
fresh
t stream -n 20 sched:sched_switch where 'prev_pid != next_pid && (prev_pid * 2) / 2 == prev_pid'
expect 0 'succeeds'
same "$(printf '%s\n' "$out" | grep -c ' sched_switch: ')" 20 '-n counts what matches'
t stream --for 300ms sched:sched_switch where 'prev_pid == next_pid'
expect 0 'none matches'
says '^0 events, [0-9,]* not matching' 'and the others are counted'
t --json stream --for 300ms sched:sched_switch where 'prev_pid / (prev_prio - prev_prio) == 1'
expect 0 'a division by zero is no match'
says '[1-9][0-9,]* divided by zero' 'it is counted'
prints '"type":"end".*"unmatched":[1-9]' 'JSON has the number of those that did not match'

begin 'which task, and where'
fresh
# by their paths: the shell of busybox runs its own without exec
t run sched:sched_process_exec where 'comm == "true" && pid > 0 && cpu >= 0' -- sh -c '/bin/ls / >/dev/null; true; /bin/true'
expect 0 'of a program that is run'
same "$(printf '%s\n' "$out" | grep -c ' sched_process_exec: ')" 1 'one of its programs has that name'
t run sched:sched_process_exec where 'filename =~ "/(ls|true)$"' -- sh -c '/bin/ls / >/dev/null; /bin/true'
same "$(printf '%s\n' "$out" | grep -c ' sched_process_exec: ')" 2 'a regular expression'
t run sched:sched_process_exec where 'filename ~ "*/ls" || event == "sched_switch"' -- sh -c '/bin/ls / >/dev/null; /bin/true'
same "$(printf '%s\n' "$out" | grep -c ' sched_process_exec: ')" 1 'a glob'
# of a task that has ended the process may be unknown
echo here >"$D/trace_marker"
t -i "$I" drain where 'pid == tgid && buf ~ "here*"'
same "$(printf '%s\n' "$out" | grep -c ': here$')" 1 'a process is its first task'

begin 'names of values, of errors and of signals'
fresh
echo 1 >"$D/events/signal/signal_generate/enable"
sh -c 'kill -USR1 $$' 2>/dev/null || :
sh -c 'kill -TERM $$' 2>/dev/null || :
echo 0 >"$D/events/signal/signal_generate/enable"
t -i "$I" drain where 'sig in {SIGUSR1, SIGKILL}'
expect 0 'of signals'
prints ' signal_generate: sig=10 ' 'it is there'
same "$(printf '%s\n' "$out" | grep ' signal_generate: ' | grep -vc ' sig=\(10\|9\) ')" 0 'and no other'

begin 'functions by their names'
if grep -q ' hrtimer_wakeup$' /proc/kallsyms && [ -d "$TRACING/events/timer/hrtimer_start" ]; then
	fresh
	(while :; do sleep 0.1; done) &
	children="$children $!"
	t stream -n 1 --for 60s timer:hrtimer_start where 'function == hrtimer_wakeup'
	expect 0 'of a pointer'
	prints ' function=hrtimer_wakeup ' 'it is there'
	same "$(printf '%s\n' "$out" | grep ' hrtimer_start: ' | grep -vc ' function=hrtimer_wakeup ')" 0 'and no other'
	t stream --for 100ms timer:hrtimer_start where 'function == no_such_function'
	expect 1 'an unknown one is refused'
	says "'no_such_function' is neither a field nor a function of this kernel" 'with its name'
else
	skip "$case_name" 'no hrtimer_wakeup here'
fi

begin 'the time since the event before'
fresh
sh -c 'echo one >"$1"; echo two >"$1"; sleep 0.2; echo three >"$1"' sh "$D/trace_marker"
t -i "$I" drain where 'delta >= 150ms && delta < 100s'
expect 0 'succeeds'
same "$(printf '%s\n' "$out" | grep -o 'three\|one\|two')" three 'one came so late after the one before of the same task'

begin 'the time of day'
fresh
echo now >"$D/trace_marker"
t -i "$I" drain where "time > $(date +%s)000000000 - 60s && time <= $(date +%s)000000000 + 60s"
expect 0 'as ns since 1970'
prints 'now$' 'it is there'

begin 'what an event does not have'
fresh
t stream --for 300ms sched:sched_switch sched:sched_process_fork where 'parent_pid > 0 || prev_pid == next_pid'
expect 0 'is unknown'
says "^sched:sched_switch has no 'parent_pid': comparisons with it are unknown, and events for which the where is unknown are not printed" 'and told'
same "$(printf '%s\n' "$err" | grep -c "has no 'parent_pid'")" 1 'once'
says 'not matching \([0-9,]* unknown\)' 'the sum has them'
fresh
echo 1 >"$D/events/sched/sched_process_fork/enable"
for asks in drain 'stream --for 60s'; do
	question=where
	[ "$asks" = drain ] || question=--stop-when
	# a fork is the first event
	echo 0 >"$D/events/sched/sched_switch/enable"
	echo >"$D/trace"
	(:)
	echo 1 >"$D/events/sched/sched_switch/enable"
	# shellcheck disable=SC2086 # words
	t -i "$I" $asks $question 'prev_state == S || prev_state == D'
	expect 0 "$question: an event without the field"
	says "has no 'prev_state': comparisons with it are unknown" "$question: is told of the field"
	unlike "$err" "has no '[SD]'" "$case_name: $question: not of its values"
done

begin 'what is wrong with a question'
wrong_at 'prev_pidd == 1' "'prev_pidd' is no field" '\^~~~~~~~~' 1
says "^hint: did you mean 'prev_pid'\\? fields of sched_switch: prev_comm char\\[16\\], prev_pid pid_t" 'the fields with their types'
wrong_at 'prev_state == TASK_X' "'TASK_X' is neither a field nor a name of a value of 'prev_state'" '\^~~~~~' 1
says '^hint: names of prev_state: R, S, D' 'the names'
wrong_at 'prev_comm == 5' 'a string cannot be compared with a number' '\^~~~~~~~~~~~~~'
wrong_at '(prev_pid == 1' "missing '\\)'" '\^'
wrong_at 'prev_pid == 1 == 1' 'put the comparison before this in parentheses' '\^~'
wrong_at 'prev_comm =~ "["' '.*' '\^~~'

begin 'the kernel answers what it can'
fresh
t explain stream sched:sched_switch sched:sched_process_exec where \
	'pid == 5 && prev_pid != next_pid && prev_comm ~ "a*"'
expect 0 'explain succeeds'
printf '%s\n' "$out" >"$TMP/got"
cat >"$TMP/want" <<'END'
sched:sched_process_exec  kernel   pid == 5
sched:sched_process_exec  tracesh  prev_pid != next_pid  it is unknown for every event
sched:sched_process_exec  tracesh  prev_comm ~ "a*"      it is unknown for every event
sched:sched_switch        kernel   pid == 5
sched:sched_switch        tracesh  prev_pid != next_pid  the kernel compares a field only with a constant
sched:sched_switch        kernel   prev_comm ~ "a*"
sched:sched_process_exec  pid == 5
sched:sched_switch        common_pid == 5 && prev_comm ~ "a*"
END
true_that 'who answers what, and the filters' diff "$TMP/want" "$TMP/got"
filter_is '(pid > 1) && pid < 2' 'it is written, behind the one of if' \
	stream --for 60s sched:sched_process_exec if 'pid > 1' where 'pid < 2 && filename =~ "x"'
filter_is none 'not with --no-pushdown' stream --for 60s --no-pushdown sched:sched_process_exec where 'pid < 2'
t explain stream sched:sched_switch where 'delta > 5ms'
prints 'tracesh  delta > 5ms  delta needs every event' 'not where each event counts'
t explain hist sched:sched_switch by delta where 'prev_pid == 5'
prints 'tracesh  prev_pid == 5  delta needs every event' 'nor where a key does'
filter_is 'COMM == "sh" && !(COMM ~ "x*")' 'the name that a task has at the event' \
	stream --for 60s sched:sched_process_exec where 'comm == sh && !(comm ~ "x*")'
t explain stream sched:sched_process_exec where 'comm =~ "^s" && pid > 1'
prints '^sched:sched_process_exec  tracesh  pid > 1 +the names of tasks \(comm\) are learnt from all events$' 'names are learnt here'
t explain stream sched:sched_process_exec where 'comm != "<idle>" && pid > 1'
prints '^sched:sched_process_exec  tracesh  comm != "<idle>"  no task has this name in the kernel$' \
	'nor is one of ours asked of it'
t explain latency sched_waking sched_switch on pid=next_pid by comm --slower 5ms if 'next_prio < 100'
expect 0 'latency'
prints '^tracesh +next_prio < 100 +of the end$' 'its filter is of one of the two'
prints '^tracesh +sched:sched_waking and sched:sched_switch on pid=next_pid by comm ' 'pairs are made here'
prints '^tracesh +--slower 5ms ' 'and looked at'
t explain stacks sched_switch if 'prev_state != 0' where 'prev_prio < next_prio'
expect 0 'stacks'
prints '^kernel +stacktrace ' 'the stacks are the option'
prints '^tracesh +stacks ' 'and counted here'
prints '^sched:sched_switch +tracesh +prev_prio < next_prio ' 'and the question'
t explain status
expect 2 'what has no where'
says "error: there is no 'where' to explain" 'is not explained'
t -n -c 'explain stream sched_switch where prev_pid == 1' -c 'stream sched_switch where prev_pid =='
expect 2 'under -n'
says 'the expression ends where a value is missing' 'the question is read'

begin 'the same with and without the kernel'
fresh
question='filename ~ "*/true" && pid > 1 && old_pid == pid'
t run --no-pushdown sched:sched_process_exec where "$question" -- sh -c '/bin/true; true; /bin/true'
same "$(printf '%s\n' "$out" | grep -c ' sched_process_exec: ')" 2 'without'
t run sched:sched_process_exec where "$question" -- sh -c '/bin/true; true; /bin/true'
same "$(printf '%s\n' "$out" | grep -c ' sched_process_exec: ')" 2 'with'

begin 'fields: chosen columns'
fresh
t stream -n 5 sched:sched_switch fields time,prev_comm prev_state 'next=next_pid' 'twice=next_pid*2' pid
expect 0 'succeeds'
title='^time  *prev_comm  *prev_state  *next  *twice  *pid$'
prints "$title" 'the titles'
same "$(printf '%s\n' "$out" | sed "1,/$title/d" | awk '$(NF - 1) != 2 * $(NF - 2)' | wc -l)" 0 'a computed column'
same "$(printf '%s\n' "$out" | sed "1,/$title/d" | wc -l)" 5 'a row for each event'
t --format csv stream -n 2 sched:sched_switch fields prev_comm prev_state next_pid
same "$(printf '%s\n' "$out" | head -n 1)" prev_comm,prev_state,next_pid 'CSV has their names'
same "$(printf '%s\n' "$out" | grep -Ec '^.*,[A-Zt+|]+,[0-9]+$')" 2 'and rows; a state has its letters'
t --format csv stream -n 2 --raw sched:sched_switch fields prev_comm prev_state next_pid
same "$(printf '%s\n' "$out" | grep -Ec '^.*,[0-9]+,[0-9]+$')" 2 '--raw has numbers'
if [ -n "$PYTHON" ]; then
	t --json stream -n 2 sched:sched_switch fields prev_comm prev_state x=next_pid+1 parent_pid=prev_pid
	true_that 'JSON has them as fields' "$PYTHON" -c '
import json, sys
events = [row for row in map(json.loads, sys.stdin) if row["type"] == "event"]
assert len(events) == 2, events
for event in events:
    fields = event["fields"]
    assert list(fields) == ["prev_comm", "prev_state", "x", "parent_pid"], fields
    assert isinstance(fields["x"], int) and isinstance(fields["prev_state"], str), fields
' <"$TMP/out"
else
	skip "$case_name: JSON has them as fields" 'no python3'
fi
t run sched:sched_process_exec sched:sched_process_exit fields event filename -- true
prints '^sched_process_exit +-$' 'what an event does not have'
prints '^sched_process_exec +[^ ]*/true$' 'and what it has'
if [ -d "$TRACING/events/syscalls/sys_exit_openat" ]; then
	t run syscalls:sys_exit_openat where 'ret == -ENOENT' fields ret -- cat /nowhere/at/all
	prints '^ *-ENOENT$' 'an error by its name'
else
	skip "$case_name: an error by its name" 'no events of system calls'
fi
t stream -n 1 sched:sched_switch fields prev_comm x=prev_pit
expect 1 'an unknown field is refused'
says "error: 'prev_pit' is no field" 'with its name'
says '^ *\^~~~~~~~$' 'where it stands'
says "did you mean 'prev_pid'" 'and what was meant'

begin 'a flight recorder'
# marks TEXT..: into the buffer of the case's instance, each at once but for `-`, which waits; and when each was written,
# in microseconds of its clock, into $TMP/when
marks()
{
	for text; do
		if [ "$text" = - ]; then sleep 0.5; else echo "$text" >"$D/trace_marker"; fi
	done
	sed -n 's/.* \([0-9]*\)\.\([0-9]*\): tracing_mark_write: .*/\1\2/p' "$D/trace" >"$TMP/when"
}

# between N M: from mark N to mark M, in microseconds, of which the kernel's text may lack one
between()
{
	awk -v n="$1" -v m="$2" 'NR == n { from = $1 } NR == m { printf "%d", $1 - from + 1 }' "$TMP/when"
}

printed_marks()
{
	printf '%s\n' "$out" | grep -o 'one$\|two$\|stop$\|three$\|four$' | tr '\n' ' '
}

fresh
marks one - two stop three - four
# as wide as it must be for what stands next to it, by the times that the events have
before=$(between 2 3)
after=$(between 3 4)
t -i "$I" stream --for 60s --stop-when 'buf ~ "stop*"' --before "${before}us" --after "${after}us"
expect 0 'succeeds'
same "$(printed_marks)" 'two stop three ' 'what led to it, and what came of it'
fresh
marks one two stop three
t -i "$I" stream --for 60s --stop-when 'buf ~ "stop*"'
same "$(printed_marks)" 'one two stop ' 'without a window it ends behind it'
t stream --for 200ms --stop-when 'prev_pid == next_pid' --before 1s sched:sched_switch
expect 0 'where it never comes'
says '^--stop-when was true for no event: the last [0-9,]* are not printed' 'is said'
# On a busy machine the short pause may be the longer one.
for _ in 1 2 3 4 5 6 7 8 9; do
	fresh
	marks one two - three four
	[ "$(between 2 3)" -le $(($(between 1 2) + 2)) ] || break
done
t -i "$I" stream --for 60s --stop-when "delta > $(between 1 2)us"
same "$(printed_marks)" 'one two three ' 'the time since the event before; nothing behind it'
t -i "$I" stream -n 5 --stop-when 'delta>500ms' --before 1s
expect 2 '--before with -n is refused'
t -c "explain stream --stop-when 'prev_pid == 1' sched:sched_switch where prev_pid > 1"
prints 'tracesh  prev_pid > 1  --stop-when needs every event' 'the kernel holds nothing back'
t stream --before 1s sched:sched_switch
expect 2 '--before alone'
says "error: '--before' goes with --stop-when" 'is refused'

begin 'TAB in questions and columns'
run "$TRACESH" --complete -- stream sched_switch where prev_state == ''
like "$out" '^S	' 'values by their names'
run "$TRACESH" --complete -- stream sched_switch sched_process_fork where par
like "$out" '^parent_pid	' 'fields that one of them has'
run "$TRACESH" --complete -- stream sched_switch where prev_comm ''
like "$out" '^=~	' 'operators of our own'
run "$TRACESH" --complete -- stream sched_switch fields prev_comm del
like "$out" '^delta	' 'columns'

begin 'a name that means nothing'
fresh
t drain where call_sit == 1
expect 1 'is an error where no event is enabled'
says "'call_sit' is no field of any of the events\$" 'it says why'
says "^hint: did you mean 'call_site'\? fields of " 'and what is near to it, of any event'
t -i "$I" drain where event == sched_wakin
expect 1 'of an event'
says "no event here has the name 'sched_wakin'" 'it says what it is not'
says "^hint: did you mean 'sched_waking'" 'and what it may be'
t -i "$I" drain where 'system in {sched, nosuch}'
expect 1 'of a system'
says "no system here has the name 'nosuch'" 'which it is not'
t -i "$I" drain where 'event == print || event ~ "nosuch*"'
expect 0 'those of the tracer have names, too'
t stream -n 1 sched_switch where next_comm == bash
expect 1 'a string without quotes'
says '^hint: strings need quotes: next_comm == "bash"$' 'is said to be one'
# the shell has taken the quotes
for word in trc02.sh my-prog kworker/0:1 3proxy /bin/sh 'my-prog && cpu == 0'; do
	for field in comm next_comm; do
		t -n -c "stream sched_switch where $field == $word"
		true_that "$field == $word" test "$status" -ne 0
		says "^hint: strings need quotes: $field == \"${word%% *}\"\$" 'is said to be one'
	done
done
t -n -c 'stream sched_switch where comm ~ kwork*'
says '^hint: strings need quotes: comm ~ "kwork\*"$' 'a pattern, too'
t -n -c 'stream --stop-when "comm == my-prog" sched_switch'
says '^hint: strings need quotes: comm == "my-prog"$' 'what ends it, too'
t -n -c 'stream sched_switch where next_prio == my-prog'
unlike "$err" 'need quotes' "$case_name: a number is none"
t stream -n 1 sched_switch timer_start where expirs == 1
expect 1 'of two events'
says "^hint: did you mean 'expires'\? fields of timer_start: " 'the one is named that has it'

begin 'random filters, the kernel beside us'
oracle=$BUILD/tests/helpers/filter-oracle
expressions=${TRACESH_EXPRESSIONS:-200}
seed=${TRACESH_SEED:-$$}
if [ -x "$oracle" ]; then
	run "$oracle" "$expressions" "$seed"
	expect 0 "seed $seed: none of $expressions differs"
	printf '%s\n' "$out" | diag
	kept=$(printf '%s\n' "$out" | sed -n 's/.* \([0-9]*\) keep some.*/\1/p')
	true_that 'many of them keep something' test "${kept:-0}" -ge $((expressions / 4))
	refused=$(printf '%s\n' "$out" | sed -n 's/.* \([0-9]*\) refused.*/\1/p')
	true_that 'few of them are refused' test "${refused:-$expressions}" -le $((expressions / 10))
else
	skip "$case_name" 'no tests/helpers/filter-oracle (make check-programs)'
fi

begin 'ticks'
fresh
t stream -n 5 timer:timer_start fields now wait=expires-now
expect 0 'a timer is armed'
prints '^[0-9]+\.[0-9]{3} +-?[0-9.]+ (ms|s)' 'moments are seconds since boot, spans times'
seconds=$(printf '%s\n' "$out" | sed -n 's/^\([0-9]*\)\.[0-9]* .*/\1/p' | head -n 1)
uptime=$(cut -d . -f 1 /proc/uptime)
true_that 'since the boot' test $((uptime - seconds)) -lt 600 -a $((seconds - uptime)) -lt 600
t stream -n 5 --raw timer:timer_start fields now wait=expires-now
prints '^[0-9]+ +-?[0-9]+ *$' '--raw: as numbers'
t stream -n 3 timer:timer_start where 'expires - now < 100d' fields wait=expires-now
expect 0 'a span of ticks is compared with a time'
prints '^-?[0-9.]+ (ms|s)$' 'and kept'
t stream --for 10s -n 1 --expect timer:timer_start where 'expires - now > 1us + 1us && expires - now < 1s'
expect 0 'with a sum of times, too'
t stream --for 500ms timer:timer_start where 'now - expires > 1d || expires - now < -1d'
expect 0 'a span may be negative'
unlike "$out" timer_start 'and is none that is past all bounds'
t stream -n 1 timer:timer_start where expires '>' 1s
expect 2 'a moment of ticks is no time'
says 'this counts ticks since boot: compare a time with a difference, as expires - now' 'which is said'
t record --for 300ms "$TMP/ticks" timer:timer_start
t --tracefs "$TMP/ticks" drain -n 3 where 'expires - now < 100d' fields wait=expires-now
prints '^-?[0-9.]+ (ms|s)$' 'a recording knows how long a tick is'
t stream -n 1 timer:timer_start fields timer function
prints '^0x[0-9a-f]+  [a-z_]' 'a pointer is a number, or what it points into'

finish
