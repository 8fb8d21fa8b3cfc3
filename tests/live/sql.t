#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# sql of one event: what it is in other words, rows of known events, what is wrong and where.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sql.sh"

# means WORDS STATEMENT: explain says that it is this in our own words
means()
{
	t explain sql "$2"
	expect 0 "$2"
	says "^it is: $1\$" "$2: in other words"
}

begin 'one event'
means 'hist --top 5 sched:sched_switch by next_comm if next_pid > 0' 'SELECT next_comm, COUNT(*) FROM sched_switch WHERE next_pid > 0 LIMIT 5'
means 'hist sched:sched_switch by prev_pid,next_pid sum next_prio' 'select s.prev_pid, s.next_pid, cast(next_prio as _counter_) from sched.sched_switch as s'
means 'hist sched:sched_switch by comm min next_prio max next_prio' 'select cast(common_pid as comm), min(next_prio), max(next_prio) from sched:sched_switch'
for what in 'max(next_prio), min(next_prio)' 'sum(next_prio), sum(prev_prio) as other'; do
	t explain sql "select $what from sched:sched_switch"
	expect 0 "$what"
	says '^hist has no words for it: it takes one sum, avg, min and max, in this order$' "$what: hist would refuse it"
done
means 'hist sched:sched_waking by COMM' 'select cast(common_pid as execname) from sched_waking'
means 'hist sched:sched_switch by \(next_prio-prev_prio\),next_pid.log2' 'select next_prio - prev_prio, cast(next_pid as log) from sched_switch'
means 'hist sched:sched_switch by next_comm if next_comm ~ "a\*" && ! \(next_pid == 5 \|\| next_pid != 6\)' "select next_comm from sched_switch where next_comm ~ 'a*' and not (next_pid = 5 or next_pid <> 6) group by next_comm"
means 'hist sched:sched_switch by next_prio.linear\(64\)' 'select cast(next_prio as BUCKETS=64) from sched_switch'
means 'hist kmem:kmalloc by call_site.sym_offset,stack' 'select cast(call_site as SYM-OFFSET), stacktrace as how from kmalloc'
means 'stream sched:sched_switch if prev_pid > 1' 'select * from sched_switch x where x.prev_pid > 1'
means 'stream -n 3 sched:sched_switch' 'select * from sched_switch limit 3'

begin 'counted, and printed'
cp /bin/true "$TMP/sql-one"
start "$TMP/counted" "$TRACESH" --json sql "SELECT filename AS program, COUNT(*), MAX(old_pid) AS pid FROM sched_process_exec WHERE filename ~ '*/sql-one'"
counting=$child
await is_streaming "$counting"
for i in 1 2 3 4 5; do "$TMP/sql-one"; done
/bin/true
kill -INT "$counting"
ended "$counting"
out=$(cat "$TMP/counted")
prints '"program":"[^"]*/sql-one"\},"count":5,"pid":[0-9]+' 'five programs, under the names of the statement'
start "$TMP/offsets" "$TRACESH" --json sql 'SELECT CAST(call_site AS SYM-OFFSET) AS place, CAST(call_site AS SYM) AS code FROM kmalloc'
counting=$child
await is_streaming "$counting"
for i in 1 2 3 4 5; do "$TMP/sql-one"; done
kill -INT "$counting"
ended "$counting"
like "$(cat "$TMP/offsets")" '"key":\{"place":"([a-zA-Z0-9_.]+)\+0x[0-9a-f]+/0x[0-9a-f]+( \[[a-z0-9_]+\])?","code":"\1[" ]' 'an address with its offset'
start "$TMP/printed" "$TRACESH" sql -n 2 SELECT '*' FROM sched_process_exec WHERE filename '~' "'*/sql-one'" LIMIT 7
printing=$child
await is_streaming "$printing"
for i in 1 2 3 4 5; do "$TMP/sql-one"; done
ended "$printing"
same "$(grep -c 'sched_process_exec: filename=.*/sql-one ' "$TMP/printed")" 2 'two events, without quotes'

begin 'the name of the task, not that in a field'
cp /bin/cat "$TMP/sql-woken"
cp /bin/dd "$TMP/sql-wakes"
for how in '' --in-kernel; do
	[ -z "$how" ] || [ -e "$TRACING/events/sched/sched_waking/hist" ] || continue
	# shellcheck disable=SC2086 # none or one word
	start "$TMP/counted" "$TRACESH" --json sql $how 'SELECT comm AS woken, CAST(common_pid AS comm) AS by FROM sched_waking WHERE comm = "sql-woken"'
	counting=$child
	await is_streaming "$counting"
	for i in 1 2 3 4 5; do
		for n in 1 2 3; do
			sleep 0.02
			"$TMP/sql-wakes" if=/dev/zero bs=100 count=1 2>"$TMP/said"
		done
	done | "$TMP/sql-woken" >"$TMP/read"
	kill -INT "$counting"
	ended "$counting"
	like "$(cat "$TMP/counted")" '"key":\{"woken":"sql-woken","by":"sql-wakes"\}' "who wakes it $how"
done

begin 'what is wrong with one'
refused 1 "'pid' is no field of sched:sched_switch" 3 'select prev_comm, pid from sched_switch'
says 'hint: the task that it is of is common_pid' 'what to type'
refused 1 "'pid' is no field of sched:sched_switch" 5 'select prev_comm from sched_switch s where s.pid = 3'
refused 2 "only common_pid has a task's name" 3 'select cast(pid as comm) from sched_waking'
refused 2 "expected ',' or FROM, not 'c'" 1 'select a b c from d'
refused 2 'expected a field behind this' 1 'select'
refused 1 "unknown event 'nosuch'" 6 'select a from nosuch'
refused 1 "'nosuch' is no field" 6 'select nosuch from sched_switch'
refused 1 "'nosuch' is no field" 6 'select prev_pid, cast(nosuch as hex) from sched_switch'
refused 1 'Field not found' 6 'select prev_pid from sched_switch where prev_prio > 3 and nosuch = 3'
refused 2 "there is no type 'foo'" 3 'select cast(prev_pid as foo) from sched_switch'
refused 2 "there is no type 'buckets'" 7 'select cast(prev_pid as buckets) from sched_switch'
refused 2 'linear needs the width of its steps' 9 'select cast(prev_pid as buckets=0) from sched_switch'
refused 2 'a stack has no CAST' 10 'select cast(STACKTRACE as hex) from sched_switch'
refused 2 "only common_pid has a task's name" 8 'select cast(prev_pid as comm) from sched_switch'
refused 2 "'x.prev_pid' does not begin with 'sched_switch'" 10 'select x.prev_pid from sched_switch'
refused 2 'it is not in GROUP BY' 8 'select next_pid, prev_pid from sched_switch group by next_pid'
refused 2 "'prev_pid' is not selected" 8 'select next_pid from sched_switch group by prev_pid'
refused 2 'times are of a JOIN' 9 'select timestamp from sched_switch'
refused 2 '\* stands alone' 1 'select *, prev_pid from sched_switch'
t sql --as live_x 'select prev_pid from sched_switch'
expect 2 '--as without JOIN'
says 'there is no JOIN' 'is refused'

finish
