#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# function_graph: --format kernel prints what the kernel's own `trace` has, byte for byte.
# needs function_graph top
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

grep -qw function_graph "$TRACING/available_tracers" || skip_all 'this kernel has no function_graph'
[ "$(cat "$TRACING/current_tracer")" = nop ] && grep -q 'all functions enabled' "$TRACING/set_ftrace_filter" ||
	skip_all 'somebody uses the top-level instance'

# Where the tracer works: an instance, or on older kernels only the top-level one, which must be nobody's.
at=
place()
{
	if [ "$at" != "$TRACING" ]; then
		fresh
		in=$I at=$D
	fi
	if ! grep -qw function_graph "$at/available_tracers"; then
		remove_instance
		in='' at=$TRACING
	fi
	[ -n "$in" ] || erases
	# A few are enough: each costs.
	printf '%s\n' 'vfs_*' do_sys_openat2 schedule dput kfree >"$at/set_ftrace_filter"
	echo function_graph >"$at/current_tracer"
}

leave()
{
	echo nop >"$at/current_tracer"
	echo >"$at/set_ftrace_filter"
	echo 1 >"$at/tracing_on"
}

# set_option NAME VALUE: and how to take it back
set_option()
{
	echo "echo $(cat "$at/options/$1") >$at/options/$1" >>"$TMP/back"
	echo "$2" >"$at/options/$1"
}

# What happens: calls that nest, on both CPUs, tasks that change, markers. The cat of busybox reads nothing, by sendfile(2).
work()
{
	printf 'first\n' >"$at/trace_marker"
	sh -c 'cat /proc/version; sleep 0.01; cat /proc/uptime' >/dev/null &
	sh -c 'read -r load </proc/loadavg; sleep 0.01; : </etc/passwd' >/dev/null
	printf 'two\nlines' >"$at/trace_marker"
	wait $!
}

# traced OPTIONS EVENTS: records with these options ("noNAME" is off), and prints it in both ways
traced()
{
	: >"$TMP/back"
	echo 0 >"$at/tracing_on"
	for option in $1; do
		case $option in
		no*) set_option "${option#no}" 0 ;;
		*) set_option "$option" 1 ;;
		esac
	done
	for event in $2; do echo 1 >"$at/events/$event/enable"; done
	echo >"$at/trace"
	echo 1 >"$at/tracing_on"
	work
	echo 0 >"$at/tracing_on"
	for event in $2; do echo 0 >"$at/events/$event/enable"; done
	names_are_noted
	grep -v '^#' "$at/trace" >"$TMP/kernel"
	t -q ${in:+-i "$in"} --format kernel drain
}

# has OPTION..: this kernel has them all, at the top-level instance
has()
{
	for option; do
		[ -e "$TRACING/options/${option#no}" ] || return 1
	done
}

# graph NAME OPTIONS [EVENTS]
graph()
{
	begin "$1"
	# shellcheck disable=SC2086 # a list of words
	if has $2; then
		place
		traced "$2" "${3-}"
		expect 0 'succeeds'
		true_that 'there is something to print' grep -q 'vfs_read(' "$TMP/kernel"
		true_that 'is what the kernel prints' cmp "$TMP/kernel" "$TMP/out"
		cmp -s "$TMP/kernel" "$TMP/out" || diff "$TMP/kernel" "$TMP/out" | head -n 20 | cat -A | diag
		# what was set last is taken back first
		sed '1!G;h;$!d' "$TMP/back" >"$TMP/back.sh"
		. "$TMP/back.sh"
		leave
	else
		skip "$case_name" "no option of this kernel: $2"
	fi
}

# seldom NAME OPTIONS [EVENTS]: as graph, but in no sample: each is some seconds
seldom()
{
	[ -n "${TRACESH_VM_SAMPLE-}" ] || graph "$@"
}

events='sched/sched_switch syscalls/sys_enter_openat syscalls/sys_exit_openat'
seldom 'the defaults' ''
graph 'with other events' '' "$events"
graph 'times and tasks' 'funcgraph-abstime funcgraph-proc' "$events"
graph 'flags' 'latency-format funcgraph-abstime funcgraph-proc' "$events"
seldom 'names at the end' 'funcgraph-tail funcgraph-overrun' sched/sched_switch
seldom 'no marks' 'nofuncgraph-overhead' ''
seldom 'no CPU, no duration' 'nofuncgraph-cpu nofuncgraph-duration' "$events"
seldom 'no context' 'nocontext-info' "$events"
seldom 'no interrupts' 'nofuncgraph-irqs' ''
seldom 'no sleep time' 'nosleep-time' ''
seldom 'thread groups' 'record-tgid' sched/sched_switch
graph 'return values' 'funcgraph-retval' ''
graph 'return values in hex' 'funcgraph-retval funcgraph-retval-hex funcgraph-tail' ''
graph 'return addresses' 'funcgraph-retaddr' ''
graph 'return addresses and values' 'funcgraph-retaddr funcgraph-retval sym-addr' ''
graph 'arguments' 'funcgraph-args' ''
graph 'stacks' 'stacktrace' sched/sched_switch

begin 'our own text'
place
traced '' sched/sched_switch
echo 1 >"$at/tracing_on"
work
echo 0 >"$at/tracing_on"
t -q ${in:+-i "$in"} --tz UTC drain
expect 0 'succeeds'
time='[0-9]{4}-[0-9-]{5} [0-9:]{8}\.[0-9]{6}'
# marked where the machine stood still between two looks at its clocks
prints "^\\??$time \\|   [0-9]+\\) .* \\|  .*vfs_read\\(\\)" 'begins with the time'
. "$TMP/back"
leave

finish
