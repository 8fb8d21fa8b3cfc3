# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of graph and profile: function_graph in an instance of tracesh's own, or in the top one. To be read after
# lib-live.sh; without the tracer the file is skipped.

grep -qw function_graph "$TRACING/available_tracers" || skip_all 'this kernel has no function_graph'
[ -e "$TRACING/set_graph_function" ] && [ -e "$TRACING/set_ftrace_filter" ] || skip_all 'this kernel cannot choose functions'

# is_graphing PID: whether that tracesh has begun
is_graphing()
{
	for each in "$TRACING/instances/tracesh-$1-"* "$TRACING"; do
		! grep -qsx function_graph "$each/current_tracer" || ! grep -qsx 1 "$each/tracing_on" || return 0
	done
	return 1
}

# settings: of the top instance, as one text
settings()
{
	(cd "$TRACING" && grep -H '' current_tracer set_ftrace_filter set_graph_function max_graph_depth tracing_on \
		buffer_size_kb set_event trace_clock trace_options)
}

# free: the top instance has no events, as both want it; the marker of the case went with them
free()
{
	erases
	echo >"$TRACING/trace"
}
