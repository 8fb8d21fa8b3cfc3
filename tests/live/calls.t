#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# needs function_graph top
# graph: what functions call, whole calls and slow ones; that the top instance is afterwards as it was.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-graphing.sh"

# On kernels whose instances have no function_graph each graph patches every function, twice, and traces all of them: ten
# seconds in a guest. There only those that begin as vfs_read does, and what it calls, can be traced meanwhile.
few_functions()
{
	[ -n "$own" ] || echo '[!rv]*' >"$TRACING/set_ftrace_notrace"
}

all_functions()
{
	[ -n "$own" ] || echo >"$TRACING/set_ftrace_notrace"
}

mkdir "$TRACING/instances/live-$$-own"
if grep -qw function_graph "$TRACING/instances/live-$$-own/available_tracers"; then own=yes; else own=; fi
rmdir "$TRACING/instances/live-$$-own"
at_exit all_functions

# A little of vfs_read, again and again, for this case.
load()
{
	start "$TMP/load" sh -c 'while sleep 0.02; do read -r up </proc/uptime; done'
}

before=$(settings)

begin 'one call'
fresh
free
few_functions
load
t graph -n 1 vfs_read
expect 0 'succeeds'
body=$(grep '|' "$TMP/out" | sed 's/.*|  //')
same "$(printf '%s\n' "$body" | sed -n '1p')" 'vfs_read() {' 'begins with it'
like "$(printf '%s\n' "$body" | sed -n '$p')" '^}( /\*.*)?$' 'and ends with its return'
same "$(printf '%s\n' "$body" | grep -c '^[a-z}]')" 2 'one call'
true_that 'what it calls is below it' test "$(printf '%s\n' "$body" | grep -c '^  ')" -gt 0
says '^1 call$' 'it is counted'
same "$(settings)" "$before" 'the top instance is as before'
same "$(grep -vc '^#' "$TRACING/trace")" 0 'with nothing left in its buffer'
all_functions

begin 'no deeper than'
free
load
if [ -z "$own" ]; then
	echo vfs_open >"$TRACING/set_ftrace_filter"
	echo vfs_write >"$TRACING/set_graph_function"
	echo 7 >"$TRACING/max_graph_depth"
fi
few_functions
t graph -n 2 --depth 1 vfs_read
expect 0 'succeeds'
true_that 'no more than the function' sh -c "grep -q 'us  *|  vfs_read();' '$TMP/out' && ! grep -q '|    ' '$TMP/out'"
same "$(grep -c 'vfs_read();' "$TMP/out")" 2 'as often as was said'
all_functions
if [ -z "$own" ]; then
	same "$(cat "$TRACING/set_ftrace_filter" "$TRACING/set_graph_function" "$TRACING/max_graph_depth" | paste -sd' ')" \
		'vfs_open vfs_write 7' 'lists that nobody uses are put back'
	echo >"$TRACING/set_ftrace_filter"
	echo >"$TRACING/set_graph_function"
	echo 0 >"$TRACING/max_graph_depth"
fi

begin 'slow ones'
# long in a guest
free
start "$TMP/slow" sh -c 'while :; do sleep 0.06 | cat >/dev/null; done'
few_functions
t graph -n 2 --slower 30ms --depth 1 'vfs_read' vfs_write
all_functions
expect 0 'succeeds'
# of a task that came to another CPU meanwhile the return has a line of its own
same "$(grep -c ') [*@$] *[0-9.]* us *|  [v}]' "$TMP/out")" 2 'two that took long'
says '^[0-9,]+ calls?, 2 of them took 30 ms or more' 'of many'

begin 'of one task, as JSON'
# long in a guest
free
start "$TMP/load" sh -c 'while :; do read -r up </proc/uptime; done'
one=$child
load
few_functions
t --json graph --pid "$one" -n 5 --depth 1 vfs_read
expect 0 'succeeds'
# "ambiguous" stands between where the clock has jumped, as a guest's does when its machine is busy.
prints '"event":"ftrace:funcgraph_entry",("ambiguous":true,)?"function":"vfs_read","fields":\{"func":' 'with the name of the function'
prints '"event":"ftrace:funcgraph_exit",("ambiguous":true,)?"function":"vfs_read"' 'twice'
same "$(sed -n 's/.*"event":"ftrace:funcgraph_entry".*"pid":\([0-9]*\).*/\1/p; s/.*"pid":\([0-9]*\).*"event":"ftrace:funcgraph_entry".*/\1/p' \
	"$TMP/out" | sort -u)" "$one" 'its calls and no others'
t graph --pid tid:99999999 --for 100ms vfs_read
expect 1 'a task that there is not'
says '^ +\^~+$' 'is shown'
same "$(settings)" "$before" 'the top instance is as before'
all_functions

begin 'the profile of one task, as JSON'
# long in a guest
free
start "$TMP/load" sh -c 'while :; do read -r up </proc/uptime; done'
one=$child
load
few_functions
t --json profile --pid "$one" --for 300ms vfs_read vfs_write
expect 0 'succeeds'
prints '"key":\{"function":"vfs_read"\}' 'what it calls'
unlike "$out" 'vfs_write' "$case_name: and nothing else"
same "$(settings)" "$before" 'the top instance is as before'
all_functions

begin 'what is in the way'
# long in a guest
fresh
free
t graph --for 100ms vfs_raed
expect 1 'a function that there is not'
says '^ +\^~~~~~~~$' 'is shown'
says "^hint: did you mean 'vfs_read'" 'and which there is'
t graph --depth 0 --for 100ms vfs_read
expect 2 'a depth of nothing'
echo 77 >"$TRACING/tracing_thresh"
t graph --for 100ms vfs_read
expect 1 'a threshold'
says '^hint: write tracing_thresh 0' 'and what to do'
echo 0 >"$TRACING/tracing_thresh"
if [ -n "$own" ]; then
	echo function_graph >"$D/current_tracer"
	t graph --for 100ms vfs_read
	expect 1 'a graph of somebody'
	says "^hint: -i $I tracer nop" 'and where'
	echo nop >"$D/current_tracer"
else
	t -i "$I" graph --for 100ms vfs_read
	expect 3 'not in an instance'
	says '^hint: instance use top' 'but there'
fi
same "$(settings)" "$before" 'the top instance is as before'

begin 'explained'
t explain graph --depth 2 --slower 5ms vfs_read vfs_write
expect 0 'graph'
prints '^kernel +--depth 2$' 'the depth is the kernel'"'s"
prints '^tracesh +--slower 5ms ' 'the time is not'
prints '^set_graph_function +vfs_read vfs_write$' 'what is written'
prints '^max_graph_depth +2$' 'with its depth'
t explain profile vfs_read
expect 0 'profile'
prints '^set_ftrace_filter +vfs_read$' 'its list'

begin 'ended from outside'
# long in a guest
free
few_functions
signals='INT TERM'
[ -z "${TRACESH_VM_SAMPLE-}" ] || signals=TERM
for signal in $signals; do
	start "$TMP/graph" "$TRACESH" graph --depth 3 vfs_read
	graph=$child
	await is_graphing "$graph"
	kill -"$signal" "$graph"
	ended "$graph"
	same "$(settings)" "$before" "$signal: the top instance is as before"
	no_own() { [ -z "$(ls -d "$TRACING/instances/tracesh-$graph-"* 2>/dev/null)" ]; }
	true_that "$signal: no instance is left" no_own
done
all_functions

finish
