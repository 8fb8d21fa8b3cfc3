# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who else uses the top-level instance of the tracefs at $TRACING. Tests that would disturb them are left out.

# top_reader: who has the top-level buffer open to consume it, in words
top_reader()
{
	find /proc/[0-9]*/fd -lname '*trace_pipe*' 2>/dev/null | while read -r top_fd; do
		for top_file in "$TRACING/trace_pipe" "$TRACING"/per_cpu/cpu*/trace_pipe "$TRACING"/per_cpu/cpu*/trace_pipe_raw; do
			# shellcheck disable=SC3013 # every sh of today has it
			[ "$top_fd" -ef "$top_file" ] || continue
			top_pid=${top_fd#/proc/}
			top_pid=${top_pid%%/*}
			printf '%s (%s) reads it\n' "$(tr -cd '[:alnum:]_-' <"/proc/$top_pid/comm")" "$top_pid"
		done
	done
}

# top_setting: what is set there so that a test would disturb it, or would see no events
top_setting()
{
	! grep -qx 0 "$TRACING/tracing_on" || echo 'tracing is off'
	grep -qx nop "$TRACING/current_tracer" || echo "the tracer is $(cat "$TRACING/current_tracer")"
	top_event=$(head -n 1 "$TRACING/set_event")
	[ -z "$top_event" ] || echo "$top_event is enabled"
	for top_file in set_event_pid set_event_notrace_pid set_ftrace_pid set_ftrace_notrace_pid; do
		[ -e "$TRACING/$top_file" ] || continue
		! head -n 1 "$TRACING/$top_file" 2>/dev/null | grep -q '^[0-9]' || echo "$top_file has tasks"
	done
}

# top_user: the first such fact; nothing when the instance is free
top_user()
{
	top_found=$(top_reader | head -n 1)
	[ -n "$top_found" ] || top_found=$(top_setting | head -n 1)
	printf '%s' "$top_found"
}
