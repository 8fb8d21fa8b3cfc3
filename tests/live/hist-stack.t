#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# hist by stack, counted here: the rows are those that the kernel's own text has, counted another way.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
[ -e "$TRACING/options/stacktrace" ] || skip_all 'this kernel has no option stacktrace'

LC_ALL=C
export LC_ALL

# load: programs that are made, started and ended, of this test alone
cp /bin/true "$TMP/stacked"
load() { for _ in 1 2 3 4 5 6 7 8 9; do "$TMP/stacked"; done; }

# rows_of: of the kernel's text the rows that hist would print as JSON, in order; functions of the tracer stand above each stack
# there, and a histogram keeps sixteen
rows_of()
{
	awk '
	function take() { if (frames != "") n[frames]++; frames = ""; some = 0 }
	/<stack trace>$/ { take(); next }
	/^ => / {
		name = substr($0, 5)
		if (!some && name ~ /^(trace_event_raw_event_|__traceiter_|ftrace_syscall_e)/) next
		if (some++ < 16) frames = frames (some > 1 ? "," : "") "\"" name "\""
		next
	}
	{ take() }
	END {
		take()
		for (frames in n) printf "{\"type\":\"hist\",\"key\":{\"stack\":[%s]},\"count\":%d}\n", frames, n[frames]
	}' "$1" | sort
}

begin "as the kernel's text has them"
fresh
for pid in $$ 0; do echo $pid; done >"$D/set_event_pid"
echo 1 >"$D/options/event-fork"
echo 1 >"$D/options/stacktrace"
for event in fork exec exit; do echo 1 >"$D/events/sched/sched_process_$event/enable"; done
load
echo 0 >"$D/tracing_on"
cat "$D/trace" >"$TMP/text"
rows_of "$TMP/text" >"$TMP/rows"
true_that 'there are some' grep -q '"count":9}' "$TMP/rows"
t -i "$I" record --for 1ms "$TMP/tree"
expect 0 'they are recorded'
t --json --tracefs "$TMP/tree" hist by stack
expect 0 'and counted'
printf '%s\n' "$out" | grep '"type":"hist"' | sort >"$TMP/hist"
same "$(cat "$TMP/hist")" "$(cat "$TMP/rows")" 'row by row'
same "$(printf '%s\n' "$out" | sed -n 's/.*"type":"end","events":\([0-9]*\),.*/\1/p')" \
	"$(grep -c ' sched_process_[a-z]*: ' "$TMP/text")" 'a stack is no event'
t --tracefs "$TMP/tree" hist by comm,stack where 'event == sched_process_exec' --top 1
expect 0 'of some of them'
prints '^9 events, comm stacked$' 'as text, with another key'
prints '^    [a-z_]*exec' 'a function a line'
true_that 'the tracer is not among them' test -z "$(printf '%s\n' "$out" | grep -e trace_event_raw_event -e __traceiter)"
t --tracefs "$TMP/tree" --format csv hist by stack --top 1
prints '^[^ ,]+( <- [^ ,]+)+,[0-9]+$' 'CSV: a row each'

begin 'in an instance of its own'
start "$TMP/own" "$TRACESH" --json hist sched:sched_process_exec by stack where "filename ~ '*/stacked'"
own=$child
await is_streaming "$own"
load
kill -INT "$own"
ended "$own"
out=$(cat "$TMP/own")
same "$(printf '%s\n' "$out" | sed -n 's/.*"count":\([0-9]*\)}$/\1/p' | awk '{ n += $1 } END { print n }')" 9 'each event once'
prints '"type":"end","events":9,"lost":0,' 'the sum'
true_that 'no instance of its own is left' no_own_instance
t count --for 200ms --every 100ms sched:sched_switch by stack --top 1
expect 0 'count'
prints '^[0-9]+ events?, [0-9.]+ a second$' 'with rates'

begin 'what has none'
fresh
t -i "$I" hist --here --for 100ms sched:sched_process_exec by stack
expect 1 'an instance without the option'
says "error: in '$I' events have no stacks: options/stacktrace is off" 'is refused'
says '^hint: write options/stacktrace 1' 'with what to do'
echo 1 >"$D/tracing_on"
# the event was on for a moment, and others may have started programs
: >"$D/trace"
echo 'without' >"$D/trace_marker"
t -i "$I" --dry-run hist --drain by stack
t -i "$I" -c 'write options/stacktrace 1' -c 'hist --drain by stack'
says "^1 event without such a key, or a stack of the kernel's, not counted$" 'an event from before it was on'
t latency --for 100ms wakeup by stack
expect 2 'a pair'
says 'error: stack is a key of hist and count' 'has none'
remove_instance
finish
