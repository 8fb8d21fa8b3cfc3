#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# long in a guest
# Settings that change, or are changed by, another one: each pair in both orders, by one session that ends or undoes, by two
# that end in either order, and by two that are killed with their guards and recovered. What was there before is there again.
# time limit: 1800
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

# look: all settings of the case's instance, one a line
look()
(
	cd "$D" || exit 1
	set --
	for name in tracing_on current_tracer trace_clock buffer_size_kb buffer_total_size_kb per_cpu/cpu*/buffer_size_kb \
		buffer_percent buffer_subbuf_size_kb tracing_cpumask trace_options options/* set_event set_event_pid \
		set_event_notrace_pid set_ftrace_pid set_ftrace_filter set_ftrace_notrace events/sched/*/enable \
		events/sched/*/filter events/sched/*/trigger; do
		[ ! -e "$name" ] || set -- "$@" "$name"
	done
	grep -H '' "$@" 2>&1 | grep -v ':#'
)

# as_before WHAT: the instance is as look has found it
as_before()
{
	look >"$TMP/now"
	is "$(diff "$TMP/was" "$TMP/now")" '' "$case_name: $order: $1"
}

# kill_both: the two sessions with their guards
kill_both()
{
	pkill -KILL -x -P "$one" trsh-guard
	pkill -KILL -x -P "$two" trsh-guard
	kill -KILL "$one" "$two"
	ended "$one"
	ended "$two"
	exec 8>&- 9>&-
	await let_go
}

# in_order FIRST SECOND
in_order()
{
	order="$1, $2"
	look >"$TMP/was"
	t -i "$I" --restore -c "$1" -c "$2"
	expect 0 "$order"
	as_before 'one session ends'
	t -i "$I" --restore -c "$1" -c "$2" -c undo -c undo
	expect 0 "$order, undo, undo"
	as_before 'one session undoes one after the other'
	for last in two one; do
		sessions
		tell_one "$1"
		tell_two "$2"
		if [ $last = two ]; then end_one; end_two; else end_two; end_one; fi
		as_before "of two sessions session $last ends last"
	done
	sessions
	tell_one "$1"
	tell_two "$2"
	kill_both
	t recover --all
	expect 0 "$order: recover"
	as_before 'two sessions are recovered'
}

# pair A B: two settings, in both orders
pair()
{
	in_order "$1" "$2"
	in_order "$2" "$1"
	nothing_left
}

# needs FILE..: below the instance; false, and the case is skipped: this kernel has none
needs()
{
	for name; do
		[ -e "$D/$name" ] || { skip "$case_name" "this kernel has no $name"; return 1; }
	done
}

begin 'the size of a buffer, and of its sub-buffers'
fresh
if needs buffer_subbuf_size_kb; then
	echo 1024 >"$D/buffer_size_kb"
	pair 'buffer 2M' 'write buffer_subbuf_size_kb 64'
	echo 1024 >"$D/buffer_size_kb"
	pair 'write buffer_size_kb 512' 'write buffer_subbuf_size_kb 8'
fi

begin 'sub-buffers that change once more under the size of another session'
fresh
if needs buffer_subbuf_size_kb; then
	echo 256 >"$D/buffer_size_kb"
	order='8, 16'
	look >"$TMP/was"
	sessions
	tell_two 'write buffer_subbuf_size_kb 8'
	tell_two 'write buffer_size_kb 768'
	tell_one 'write buffer_size_kb 1024'
	tell_two 'write buffer_subbuf_size_kb 16'
	end_one
	end_two
	as_before 'of two sessions'
	nothing_left
fi

begin 'a size that is rounded when it is given back, over one that was not'
fresh
if needs buffer_subbuf_size_kb; then
	echo 4 >"$D/buffer_subbuf_size_kb"
	echo 256 >"$D/buffer_size_kb"
	was=$(cat "$D/buffer_size_kb")
	sessions
	tell_two 'write buffer_subbuf_size_kb 8'
	tell_two 'write buffer_subbuf_size_kb 4'
	tell_two 'write buffer_size_kb 512'
	tell_two 'write buffer_subbuf_size_kb 8'
	tell_one 'write buffer_size_kb 1024'
	end_one
	end_two
	file_is buffer_size_kb "$was" 'the size before both, though it was rounded meanwhile'
fi

begin 'larger sub-buffers before, and a size that is made of them'
fresh
if needs buffer_subbuf_size_kb; then
	echo 64 >"$D/buffer_subbuf_size_kb"
	echo 1024 >"$D/buffer_size_kb"
	pair 'buffer 2M' 'write buffer_subbuf_size_kb 4'
fi

begin 'the size of a CPU, and of sub-buffers'
fresh
if needs buffer_subbuf_size_kb per_cpu/cpu1; then
	echo 1024 >"$D/buffer_size_kb"
	pair 'write per_cpu/cpu1/buffer_size_kb 512' 'write buffer_subbuf_size_kb 64'
	echo 512 >"$D/per_cpu/cpu1/buffer_size_kb"
	pair 'buffer 2M' 'write buffer_subbuf_size_kb 64'
fi

begin 'the size of all CPUs, and of one'
fresh
if needs per_cpu/cpu1; then
	echo 1024 >"$D/buffer_size_kb"
	pair 'buffer 2M' 'write per_cpu/cpu1/buffer_size_kb 512'
fi

begin 'the clock, and sub-buffers'
fresh
if needs buffer_subbuf_size_kb; then
	pair 'clock mono' 'write buffer_subbuf_size_kb 64'
fi

# takes_tracer NAME: the case's instance does; false, and the case is skipped
takes_tracer()
{
	if (echo "$1" >"$D/current_tracer") 2>/dev/null; then
		echo nop >"$D/current_tracer"
		return 0
	fi
	skip "$case_name" "no tracer $1 in an instance"
	return 1
}

# few_functions: the tracer function takes those in the case's instance
few_functions() { echo vfs_fsync >"$D/set_ftrace_filter"; }

begin 'the function tracer, and its options'
fresh
if takes_tracer function; then
	few_functions
	pair 'tracer function' 'option func_stack_trace on'
	pair 'tracer function' 'write set_ftrace_filter vfs_read'
	pair 'tracer function' 'option function-fork on'
fi

for tracer in function blk; do
	begin "the tracer $tracer, the clock, and the buffer"
	fresh
	takes_tracer $tracer || continue
	[ $tracer = blk ] || few_functions
	echo 1024 >"$D/buffer_size_kb"
	pair "tracer $tracer" 'clock mono'
	pair "tracer $tracer" 'buffer 2M'
	! needs buffer_subbuf_size_kb || pair "tracer $tracer" 'write buffer_subbuf_size_kb 64'
done

begin 'an event, and the list of events'
fresh
pair 'enable sched:sched_process_exit' 'append set_event sched:sched_process_exit'
echo 1 >"$D/events/sched/sched_process_exit/enable"
pair 'disable sched:sched_process_exit' 'append set_event !sched'
pair 'disable sched:sched_process_exit' 'append set_event sched:sched_process_exit'
echo 0 >"$D/events/sched/sched_process_exit/enable"

begin 'an event, and its filter'
fresh
pair 'enable sched:sched_process_exit' 'filter sched:sched_process_exit pid == 1'
pair 'enable sched:sched_process_exit if pid == 1' 'filter sched:sched_process_exit clear'

begin 'an event, and a trigger that enables it'
fresh
pair 'enable sched:sched_process_exit' 'trigger sched:sched_process_exec enable_event:sched:sched_process_exit'

begin 'recording, and a trigger that switches it off'
fresh
pair 'off' 'trigger sched:sched_process_hang traceoff'

begin 'an option, and the list of options'
fresh
pair 'option sym-offset on' 'write trace_options sym-offset'
echo sym-offset >"$D/trace_options"
pair 'option sym-offset off' 'write trace_options nosym-offset'

begin 'a list of tasks, and the option that follows their children'
fresh
quiet_tasks
pair "append set_event_pid $quiet_task" 'option event-fork on'
needs set_event_notrace_pid && pair "append set_event_pid $quiet_task" "append set_event_notrace_pid $other_quiet_task"

finish
