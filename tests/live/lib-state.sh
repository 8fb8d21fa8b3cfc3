# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests that compare all settings of an instance.

# The systems that these tests touch; to look at all of them takes an emulated guest seconds.
systems="sched signal task kmem raw_syscalls ftrace live_$$"

# settings DIRECTORY: every setting of an instance, a line each
settings()
(
	cd "$1" || exit 1
	for name in tracing_on current_tracer trace_clock buffer_size_kb per_cpu/cpu*/buffer_size_kb buffer_percent \
		buffer_subbuf_size_kb tracing_cpumask tracing_thresh max_graph_depth options/* set_event set_event_pid \
		set_event_notrace_pid set_ftrace_pid set_ftrace_notrace_pid set_ftrace_notrace set_graph_function \
		set_graph_notrace dynamic_events; do
		[ ! -e "$name" ] || set -- "$@" "$name"
	done
	shift
	grep -H '' "$@" 2>&1
	# functions and their commands stand there in no order
	[ ! -e set_ftrace_filter ] || grep -H '' set_ftrace_filter 2>&1 | sort
	! grep -qs 'Snapshot is freed' snapshot || echo 'snapshot:freed'
	for system in $systems; do
		[ -d "events/$system" ] || continue
		grep -Hsv '^none$' "events/$system"/*/filter
		grep -Hsv '^#' "events/$system"/*/trigger
		grep -Hs '' "events/$system"/*/enable | grep -v ':0$'
	done
)

# without_hists DIRECTORY: takes the histograms away, users of variables first: the kernel removes no instance that has
# a histogram with variables
without_hists()
{
	for hist_round in 1 2; do
		grep -Hs '^hist:' "$1"/events/sched/*/trigger "$1"/events/kmem/*/trigger |
			sed 's/ \[[a-z]*\]$//; s/:hist:live:/:hist:name=live:/' |
			while IFS= read -r hist_line; do
				printf '!%s\n' "${hist_line#*/trigger:}" 2>/dev/null >>"${hist_line%%/trigger:*}/trigger"
			done
	done
	true
}
