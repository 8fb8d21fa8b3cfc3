#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# needs function_graph top
# profile: calls and times of functions; that the top instance is used when it is free, and is afterwards as it was.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-graphing.sh"

before=$(settings)

# profile_dd COUNT WORD..: tracesh with these words, until dd has read and written so often
profile_dd()
{
	count=$1
	shift
	start "$TMP/profile" "$TRACESH" "$@"
	profile=$child
	await is_graphing "$profile"
	dd if=/dev/zero of=/dev/null bs=1 count="$count" 2>/dev/null
	kill -INT "$profile"
	ended "$profile"
	out=$(cat "$TMP/profile") err=$(cat "$TMP/profile.err")
}

begin 'what is called'
fresh
free
if grep -qw function_graph "$D/available_tracers"; then own=yes; else own=; fi
profile_dd 300 --json profile vfs_read vfs_write
same "$status" 0 'Ctrl-C ends it'
for function in vfs_read vfs_write; do
	calls=$(printf '%s\n' "$out" | sed -n "s/.*\"key\":{\"function\":\"$function\"},\"count\":\([0-9]*\),.*/\1/p")
	true_that "$function: those of dd are among them" test "${calls:-0}" -ge 300
done
prints '"type":"profile","key":\{"function":"vfs_read"\},"count":[0-9]+,"sum":[1-9][0-9]*,"avg":[0-9.]+,"max":[1-9][0-9]*\}' \
	'with times in ns'
same "$(settings)" "$before" 'the top instance is as before'
same "$(cat "$TRACING/trace" | grep -vc '^#')" 0 'with nothing left in its buffer'

begin 'as text'
free
profile_dd 30 profile --top 1 vfs_read vfs_write
same "$status" 0 'succeeds'
prints '^FUNCTION +COUNT +SUM +AVG +MAX +SHARE$' 'with a header'
prints '^vfs_(read|write) +[0-9]+ +[0-9.]+[mun]?s +[0-9.]+[mun]?s +[0-9.]+[mun]?s' 'a function'
free
t profile --for 100ms vfs_read vfs_write
expect 0 'for a time'

begin 'what is in the way'
# long in a guest
fresh
free
t profile --for 100ms vfs_raed
expect 1 'a function that there is not'
says '^ +\^~~~~~~~$' 'is shown'
says "^hint: did you mean 'vfs_read'" 'and which there is'
same "$(settings)" "$before" 'the top instance is as before'
if [ -z "$own" ]; then
	t -i "$I" profile --for 100ms vfs_read
	expect 3 'not in an instance'
	says '^hint: instance use top' 'but there'
	echo mine >"$TRACING/trace_marker"
	t profile --for 100ms vfs_read
	expect 1 'not where somebody has events'
	true_that 'and they stay' grep -q mine "$TRACING/trace"
	echo >"$TRACING/trace"
	echo 1 >"$TRACING/events/sched/sched_process_exec/enable"
	t profile --for 100ms vfs_read
	expect 1 'nor where somebody records some'
	echo 0 >"$TRACING/events/sched/sched_process_exec/enable"
	echo >"$TRACING/trace"
	echo vfs_open >"$TRACING/set_ftrace_filter"
	t profile --for 100ms vfs_read
	expect 0 'a list that nobody uses'
	same "$(cat "$TRACING/set_ftrace_filter")" vfs_open 'is put back'
	echo >"$TRACING/set_ftrace_filter"
fi
same "$(settings)" "$before" 'the top instance is as before'

t profile --for 100ms '*' </dev/null
expect 1 'all functions at once'
says "traces all [0-9,]+ functions" 'are asked about'
true_that 'and nothing is set' test "$(settings)" = "$before"

begin 'options that somebody has set'
# long in a guest
fresh
if [ -e "$TRACING/options/sleep-time" ]; then
	echo 0 >"$TRACING/options/sleep-time"
	free
	t profile --for 1ms vfs_read
	says '^the option sleep-time is off: the times do not include sleep$' 'is said'
	free
	t graph --for 1ms vfs_read
	says '^the option sleep-time is off' 'by graph, too'
	echo 1 >"$TRACING/options/sleep-time"
	free
	t profile --for 1ms vfs_read
	unlike "$err" 'is off' "$case_name: not where it is on"
fi

begin 'ended from outside'
# long in a guest
free
signals='TERM HUP'
[ -z "${TRACESH_VM_SAMPLE-}" ] || signals=HUP
for signal in $signals; do
	start "$TMP/profile" "$TRACESH" profile vfs_read
	profile=$child
	await is_graphing "$profile"
	kill -"$signal" "$profile"
	ended "$profile"
	true_that "$signal ends it" test "$status" -gt 128
	same "$(settings)" "$before" "$signal: the top instance is as before"
	no_own() { [ -z "$(ls -d "$TRACING/instances/tracesh-$profile-"* 2>/dev/null)" ]; }
	true_that "$signal: no instance is left" no_own
done

finish
