#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sql of two events where the kernel makes none of them: known pairs, and the rows that the kernel's own events have.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sql.sh"

# rows FILE: what was selected in it, a row a line
rows() { sed -n 's/.*"fields":{"time":"[0-9]*",\(.*\)}}$/\1/p' "$1"; }

begin 'known pairs'
cp /bin/true "$TMP/here-one"
on='FROM sched_process_exec AS s JOIN sched_process_exit AS e ON s.common_pid = e.pid'
start "$TMP/joined" "$TRACESH" --json sql --no-kernel "SELECT s.filename AS program, (e.TIMESTAMP - s.TIMESTAMP) AS ns, e.prio, s.pid - s.old_pid AS zero $on WHERE s.filename ~ '*/here-one' AND e.prio > 0"
joined=$child
await is_streaming "$joined"
for _ in 1 2 3 4 5 6; do "$TMP/here-one"; done
/bin/true
kill -INT "$joined"
ended "$joined"
out=$(cat "$TMP/joined")
same "$(rows "$TMP/joined" | grep -c '^"program":"[^"]*/here-one","ns":[1-9][0-9]*,"prio":[0-9]*,"zero":0$')" 6 'six programs, with what was selected'
same "$(rows "$TMP/joined" | wc -l | tr -d ' ')" 6 'and no others'
prints '"type":"end","events":6,"lost":0,' 'a row is an event'
true_that 'no instance of its own is left' no_own_instance

begin 'one event that is both'
# each has a filter of its own, and is the START of the next one of its task
start "$TMP/joined" "$TRACESH" --json sql --no-kernel "SELECT s.filename AS before, e.filename AS after FROM sched_process_exec AS s JOIN sched_process_exec AS e ON s.pid = e.pid WHERE s.filename ~ '*/sh' AND e.filename ~ '*/here-one'"
joined=$child
await is_streaming "$joined"
for _ in 1 2 3; do /bin/sh -c 'exec "$0"' "$TMP/here-one"; done
"$TMP/here-one"
kill -INT "$joined"
ended "$joined"
same "$(rows "$TMP/joined" | sort | uniq -c | tr -s ' ')" " 3 \"before\":\"/bin/sh\",\"after\":\"$TMP/here-one\"" 'three times one came of the other'

begin 'stacks: as many rows as were asked for'
start "$TMP/load" sh -c 'while sleep 0.01; do :; done'
load=$child
for n in 1 3; do
	run timeout 60 "$TRACESH" --json sql --no-kernel -n $n 'SELECT s.STACKTRACE AS how, e.next_pid AS pid FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid'
	printf '%s\n' "$out" >"$TMP/joined"
	same "$(rows "$TMP/joined" | wc -l | tr -d ' ')" "$n" "-n $n"
done
kill "$load"

begin 'stacks'
# the START's and the END's, which are deep in two calls of the kernel
start "$TMP/joined" "$TRACESH" --json sql --no-kernel "SELECT s.filename AS program, s.STACKTRACE, e.STACKTRACE AS at_end FROM sched_process_exec AS s JOIN sched_process_exit AS e ON s.common_pid = e.pid WHERE s.filename ~ '*/here-one'"
joined=$child
await is_streaming "$joined"
for _ in 1 2 3; do "$TMP/here-one"; done
kill -INT "$joined"
ended "$joined"
out=$(cat "$TMP/joined")
same "$(rows "$TMP/joined" | grep -c '^"program":"[^"]*/here-one","stack":"STACK:\\n=> [^"]*exec[^"]*","at_end":"STACK:\\n=> do_exit[^"]*"$')" 3 'are in the rows of three programs'
prints '"type":"end","events":3,"lost":0,' 'and are no events'

begin 'times and numbers'
on='FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid'
for what in '(e.TIMESTAMP_USECS - s.TIMESTAMP_USECS) AS us, e.TIMESTAMP_USECS' 'TIMESTAMP_DELTA, s.TIMESTAMP as woken' 's.prio + e.next_prio AS both, s.pid, e.next_comm'; do
	t sql --no-kernel -n 3 "SELECT $what $on"
	expect 0 "$what"
	same "$(printf '%s\n' "$out" | grep -c '^20')" 3 "$what: so many rows"
done
t --format csv sql --no-kernel -n 2 "SELECT s.comm, e.next_comm AS runs, s.pid - s.pid AS none $on"
expect 0 'CSV'
prints '^time,comm,runs,none$' 'has the names'
prints '^20[^,]*,[^,]+,[^,]+,0$' 'and rows'

begin 'what is said'
t explain sql --no-kernel "SELECT s.pid $on WHERE s.prio > 3"
expect 0 'explain'
prints '^kernel +sched_waking if prio > 3$' 'has the filter'
prints '^tracesh +ON pid = next_pid +--no-kernel$' 'and who makes the pairs'
refused 2 'times are all in ns or all in us' 17 "SELECT s.TIMESTAMP, e.TIMESTAMP_USECS $on"
t sql --no-kernel --in-kernel "SELECT s.pid $on"
expect 2 'in the kernel and not'
t sql --no-kernel --as live_here "SELECT s.pid $on"
expect 2 'an event that stays'
many=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do many="$many${many:+, }s.pid AS p$i"; done
t sql --no-kernel "SELECT $many $on"
expect 2 'seventeen values of START'
says 'more than 16 values are kept of sched_waking' 'are too many'

# both STATEMENT: its rows of nine programs, paired by the kernel and here, in $TMP/kernel and $TMP/joined
both()
{
	start "$TMP/kernel" "$TRACESH" --json sql --in-kernel "$1"
	kernel=$child
	start "$TMP/joined" "$TRACESH" --json sql --no-kernel "$1"
	joined=$child
	await is_streaming "$kernel"
	await is_streaming "$joined"
	for _ in 1 2 3 4 5 6 7 8 9; do "$TMP/here-one"; done
	kill -INT "$kernel" "$joined"
	ended "$kernel"
	ended "$joined"
}

if [ -e "$TRACING/synthetic_events" ]; then
	begin "as the kernel's own"
	on="FROM sched_process_exec AS s JOIN sched_process_exit AS e ON s.common_pid = e.pid WHERE s.filename ~ '*/here-one'"
	what='s.filename AS program, s.pid, s.old_pid, e.prio, s.pid + e.pid AS sum, e.comm'
	both "SELECT $what $on"
	same "$(rows "$TMP/joined" | wc -l | tr -d ' ')" 9 'nine rows'
	same "$(rows "$TMP/joined")" "$(rows "$TMP/kernel")" 'the same ones'

	if grep -q common_stacktrace "$TRACING/README"; then
		# frames FILE: the rows, with what every stack there has: it may begin a function or two further out or in
		frames() { rows "$1" | sed 's/"how":"[^"]*=> bprm_execve/"how":"bprm_execve/; s/"at_end":"[^"]*=> do_exit/"at_end":"do_exit/'; }
		what="s.filename AS program, s.STACKTRACE AS how, e.STACKTRACE AS at_end"
		both "SELECT $what $on"
		same "$(frames "$TMP/joined" | grep -c '"how":"bprm_execve.*"at_end":"do_exit')" 9 'nine stacks'
		same "$(frames "$TMP/joined")" "$(frames "$TMP/kernel")" 'the same ones'
	fi
else
	begin 'without the kernel'
	t --json sql -n 1 "SELECT s.pid $on"
	expect 0 'is the way where it makes none'
	prints '"fields":\{"time":"[0-9]+","pid":[0-9]+\}' 'with rows'
fi
finish
