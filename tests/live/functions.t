#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# functions, and the function tracers.
# needs functions
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# What is a race takes some rounds; one where each start takes long, all of them in the proofs.
rounds='1 2 3 4 5'
[ -z "${TRACESH_VM_SAMPLE-}" ] || rounds=1

if ! cat "$TRACING/set_ftrace_filter" >/dev/null 2>&1; then
	begin 'a kernel without'
	t functions 'vfs_*'
	expect 3 'functions says it'
	says 'even to root|has no function tracing' 'with the reason'
	says '^hint: ' 'and a hint'
	t functions filter vfs_read
	expect 3 'functions filter too'
	fresh
	if grep -qw function "$D/available_tracers"; then
		echo kept >"$D/trace_marker"
		t -i "$I" tracer function
		expect 3 'tracer function too'
		true_that 'and the buffer is not erased' grep -q kept "$D/trace"
	fi
	end_case
	skip 'the function tracers' 'this kernel refuses them, even to root'
	finish
fi

begin 'functions'
t functions 'vfs_rea*'
expect 0 'succeeds'
grep -oE '^vfs_rea[^ ]*' "$TRACING/available_filter_functions" >"$TMP/want"
sed 's/[[:blank:]].*//' "$TMP/out" >"$TMP/got"
true_that 'those of available_filter_functions' diff "$TMP/want" "$TMP/got"
fresh
t -i "$I" functions 'vfs_rea*'
expect 0 'in an instance, which has no such list'
sed 's/[[:blank:]].*//' "$TMP/out" >"$TMP/got"
true_that 'the same' diff "$TMP/want" "$TMP/got"
t functions 'no_such_function_*'
expect 1 'a glob that matches none fails'

begin 'filter, notrace, clear'
fresh
t -i "$I" functions filter vfs_read vfs_write
expect 0 'filter'
same "$(sort "$D/set_ftrace_filter" | tr '\n' ' ')" 'vfs_read vfs_write ' 'the kernel has both'
t -i "$I" functions filter
prints '^vfs_read$' 'is shown'
t -i "$I" -c 'functions filter vfs_open' -c undo
expect 0 'undo'
same "$(sort "$D/set_ftrace_filter" | tr '\n' ' ')" 'vfs_read vfs_write ' 'the list is as before'
t -i "$I" -c 'functions filter no_such_function_xyz'
expect 1 'an unknown one is refused'
same "$(sort "$D/set_ftrace_filter" | tr '\n' ' ')" 'vfs_read vfs_write ' 'and the list stays'
t -i "$I" functions notrace 'vfs_s*'
same "$(sort "$D/set_ftrace_notrace")" "$(grep -oE '^vfs_s[^ ]*' "$TRACING/available_filter_functions" | sort)" 'notrace takes a glob'
t -i "$I" functions clear
like "$(cat "$D/set_ftrace_filter")" 'all functions enabled' "$case_name: clear empties the one"
like "$(cat "$D/set_ftrace_notrace")" 'no functions disabled' "$case_name: and the other"
t -i "$I" -c 'functions filter vfs_read' -c 'functions clear' -c restore
like "$(cat "$D/set_ftrace_filter")" 'all functions enabled' "$case_name: restore: as it was"

begin 'functions of modules go back, in every list'
# long in a guest
# needs top
# two functions of one module, whose names no other function has
awk '$2 != "" { n[$1]++; of[$1] = $2; order[++all] = $1; next } { n[$1]++ }
	END {
		for (i = 1; i <= all; i++)
			if (n[order[i]] == 1 && of[order[i]] == of[last])
				{ print last, order[i]; exit }
			else if (n[order[i]] == 1)
				last = order[i]
	}' "$TRACING/available_filter_functions" >"$TMP/pair"
read -r one two <"$TMP/pair" || :
lists='set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace stack_trace_filter'
[ -z "${TRACESH_VM_SAMPLE-}" ] || lists=set_graph_notrace
for file in $lists; do
	if [ -z "$two" ] || [ ! -e "$TRACING/$file" ]; then
		skip "$case_name: $file" 'this kernel has no module with two, or no such list'
		continue
	fi
	printf '%s\n' "$one" "$two" >"$TRACING/$file"
	sort "$TRACING/$file" >"$TMP/want"
	same "$(grep -c ' \[' "$TMP/want")" 2 "$file: they are of a module"
	t --restore write "$file" vfs_read
	expect 0 "$file: after another one"
	sort "$TRACING/$file" >"$TMP/got"
	true_that "$file: they are as before" cmp "$TMP/want" "$TMP/got"
	t --dry-run --restore write "$file" vfs_read
	true_that "$file: a script works" sh "$TMP/out"
	sort "$TRACING/$file" >"$TMP/got"
	true_that "$file: and leaves them as before" cmp "$TMP/want" "$TMP/got"
	echo >"$TRACING/$file"
done

begin 'a command that counts, beside one that does not'
# long in a guest
fresh
both="vfs_mknod:traceoff vfs_mknod:traceoff:3"
for first in $both; do
	for second in $both; do
		[ "$first" != "$second" ] || continue
		echo "$first" >>"$D/set_ftrace_filter"
		before=$(cat "$D/set_ftrace_filter")
		t -i "$I" --restore append set_ftrace_filter "$second"
		expect 0 "$second"
		same "$(cat "$D/set_ftrace_filter")" "$before" "$second goes, $first stays"
		t -i "$I" --dry-run --restore append set_ftrace_filter "$second"
		true_that 'a script works' sh "$TMP/out"
		same "$(cat "$D/set_ftrace_filter")" "$before" 'and leaves the other, too'
		echo "!$first" >>"$D/set_ftrace_filter"
	done
done

begin 'the tracer function, in an instance'
fresh
if grep -qw function "$D/available_tracers"; then
	t -i "$I" -c 'functions filter vfs_read' -c 'pid --no-fork 1' -c 'pid clear' -c 'tracer function'
	expect 0 'is set'
	cat /proc/version >/dev/null
	t -i "$I" -c off -c 'show'
	prints 'vfs_read' 'and traces'
	same "$(grep -v '^#' "$TMP/out" | grep -vc 'vfs_read')" 0 'nothing else'
	t -i "$I" on
	start "$TMP/busy" sh -c 'while :; do cat /proc/version; done'
	for round in $rounds; do
		t -i "$I" functions filter vfs_read no_such_function_xyz
		t -i "$I" write set_ftrace_filter 'no_such_function_xyz'
	done
	expect 1 'a list with an unknown name is refused'
	says "no function 'no_such_function_xyz'" 'and names it'
	t -i "$I" -c off -c 'functions filter' -c 'write set_ftrace_filter 1'
	same "$(grep -v '^#' "$D/trace" | grep -vc 'vfs_read')" 0 'and no other function comes meanwhile'
	t -i "$I" tracer nop
	says 'erased|nop' 'nop again'
else
	skip "$case_name" 'not in an instance here'
fi

begin 'function_graph'
# long in a guest
# needs top
if grep -qw function_graph "$TRACING/available_tracers"; then
	erases
	t -c 'functions filter vfs_read vfs_write' -c 'functions graph vfs_read' -c 'tracer function_graph'
	expect 0 'is set, with a graph function'
	same "$(cat "$TRACING/current_tracer")" function_graph 'the kernel has it'
	same "$(cat "$TRACING/set_graph_function")" vfs_read 'and the function'
	cat /proc/version >/dev/null
	echo 0 >"$TRACING/tracing_on"
	names_are_noted
	options=$(cd "$TRACING/options" && grep -H '' funcgraph-*)
	t --tz UTC show
	expect 0 'show'
	prints '^ *[0-9]{4}-[0-9-]{5} [0-9:]{8}\.[0-9]{6} +\| +[0-9]+\) .*-[0-9]+ +\| .*vfs_read\(\)' \
		'with a converted time and the task'
	same "$(cd "$TRACING/options" && grep -H '' funcgraph-*)" "$options" 'the options are as before'
	t --json show
	[ -z "$PYTHON" ] || true_that 'JSON has time, task and text' "$PYTHON" -c '
import json, sys
rows = [row for row in map(json.loads, open(sys.argv[1])) if row["type"] == "event"]
assert rows
for row in rows:
    assert row["time"] and isinstance(row["pid"], int) and isinstance(row["cpu"], int), row
assert any("vfs_read" in row["text"] for row in rows)' "$TMP/out"
	t --format kernel show
	cp "$TRACING/trace" "$TMP/kernel"
	true_that '--format kernel is the file' cmp "$TMP/kernel" "$TMP/out"
	echo 1 >"$TRACING/tracing_on"
	t -c 'tracer nop' -c 'functions clear'
	expect 0 'and all is taken away'
	like "$(cat "$TRACING/set_graph_function")" 'all functions enabled|^$' "$case_name: the graph function too"
else
	skip "$case_name" 'this kernel has none'
fi

begin 'a transaction with a tracer'
# needs top
if grep -qw function_graph "$TRACING/available_tracers"; then
	erases
	t -v --restore -c 'functions filter vfs_read' -c 'tracer function_graph' -c 'show -n 1'
	expect 0 '--restore'
	same "$(printf '%s\n' "$err" | sed -n 's/^+ .*\///p' | tail -n 2 | paste -sd ' ' -)" 'current_tracer set_ftrace_filter' \
		'the tracer goes first: without its list it would trace every function'
	same "$(cat "$TRACING/current_tracer")" nop 'takes the tracer back'
	like "$(cat "$TRACING/set_ftrace_filter")" 'all functions enabled' "$case_name: and the filter"
else
	skip "$case_name" 'this kernel has none'
fi

# ---- commands ----

begin 'what a command of a function has switched'
# long in a guest
fresh
# a function that is called all the time, also while everything is taken back
while :; do read -r each </proc/self/stat; done &
calls=$!
children="$children $calls"
filter=set_ftrace_filter
for round in $rounds; do
	t -i "$I" --restore -c "append $filter vfs_open:enable_event:sched:sched_switch" -c 'wait 50ms'
	same "$status$(cat "$D/events/sched/sched_switch/enable")" 00 "an event is off again ($round)"
done
t -i "$I" --restore -c "functions filter vfs_read" -c "append $filter vfs_open:traceoff:1" -c 'wait 200ms'
says "tracing is off in '$I' and stays so: a traceoff has fired" 'a traceoff that has fired is said'
file_is tracing_on 0 'and not undone'
t -i "$I" --restore -c "append $filter vfs_open:traceon" -c 'wait 200ms' -c 'cat tracing_on'
same "$out" 1 'a traceon fires'
file_is tracing_on 0 'and what it has switched on is off again'
echo 1 >"$D/tracing_on"
"$TRACESH" -i "$I" --restore --dry-run -c "append $filter vfs_open:enable_event:sched:sched_switch" -c 'wait 50ms' >"$TMP/script.sh"
run sh "$TMP/script.sh"
same "$status$(cat "$D/events/sched/sched_switch/enable")" 00 'nor does a script leave it on'
kill "$calls"

finish
