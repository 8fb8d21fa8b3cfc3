#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording has all that its text needs: where neither /proc nor /sys of this kernel is, it reads as the kernel's own.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# lines FILE: without comments, and without what stands before the time: names become known meanwhile
lines()
{
	sed -E -e '/^#/d' -e 's/^ *[^ ].*-[0-9]+ +(\([ 0-9-]+\) )?\[[0-9]{3}\] [^ ]{4,6} +([0-9]+\.[0-9]{6}: )/\2/' "$1"
}

work()
{
	ls / >/dev/null
	sh -c 'sleep 0.01; : </etc/passwd; cat /proc/self/maps' >/dev/null
}

# prepare: an instance of the case's own, off
prepare()
{
	fresh
	echo 0 >"$D/tracing_on"
	echo 8192 >"$D/buffer_size_kb"
	real_pointers
}

# trace COMMAND..: with tracing on
trace()
{
	echo 1 >"$D/tracing_on"
	"$@"
	echo 0 >"$D/tracing_on"
}

# read_elsewhere OPTION..: the recording, where nothing of this kernel is
read_elsewhere()
{
	unshare -m sh -c 'mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec "$@"' sh \
		"$TRACESH" -q --tracefs "$TMP/tree" "$@"
}

# compare PATTERN: of the buffer, in whose text there are lines of that form
compare()
{
	names_are_noted
	cat "$D/trace" >"$TMP/kernel"
	rm -rf "$TMP/tree"
	t -i "$I" record "$TMP/tree"
	expect 0 'succeeds'
	read_elsewhere --format kernel drain >"$TMP/recorded" 2>"$TMP/err" || fail "$case_name: the recording is read"
	same "$(cat "$TMP/err")" '' 'the recording is read without complaint'
	lines "$TMP/kernel" >"$TMP/want"
	lines "$TMP/recorded" >"$TMP/got"
	true_that "there are lines like $1" grep -qE -- "$1" "$TMP/want"
	true_that "its $(grep -c '' "$TMP/want") lines are the kernel's" cmp "$TMP/want" "$TMP/got"
	cmp -s "$TMP/want" "$TMP/got" || diff "$TMP/want" "$TMP/got" | head -n 20 | cat -v | cut -c 1-500 | diag
	rm -f "$TMP/kernel" "$TMP/want"
}

# functions TRACER [OPTION]: what follows is of these functions, with an option that this kernel may lack
functions()
{
	grep -qw "$1" "$D/available_tracers" || return
	echo >"$D/set_ftrace_filter" || return
	for function in 'vfs_*' 'hrtimer_start*' '*kuid*' 'ovl_*' 'ext4_file*' '*apic_timer_interrupt'; do
		echo "$function" >>"$D/set_ftrace_filter"
	done 2>/dev/null
	echo "$1" >"$D/current_tracer" || return
	[ -z "${2-}" ] || { [ -e "$D/options/$2" ] && echo 1 >"$D/options/$2"; }
}

# no_functions [OPTION]: options of a tracer are the same in all instances
no_functions()
{
	[ -z "${1-}" ] || [ ! -e "$D/options/$1" ] || echo 0 >"$D/options/$1"
	echo nop >"$D/current_tracer"
}

begin 'arguments of functions'
# needs functions
prepare
if functions function func-args 2>/dev/null; then
	trace work
	compare 'vfs_open\(path=0x[0-9a-f]+, file=0x[0-9a-f]+\)'
	true_that 'with few of the types' test "$(wc -c <"$TMP/tree/btf")" -lt 65536
	read_elsewhere --json drain >"$TMP/json" 2>/dev/null
	true_that 'JSON: the arguments are there' grep -q '"function":"vfs_open","fields":{.*"args":\[' "$TMP/json"
	no_functions func-args
else
	no_functions func-args
	skip "$case_name" 'this kernel records none, or not in an instance'
fi

begin 'arguments in the graph of functions'
# needs function_graph
prepare
if functions function_graph funcgraph-args 2>/dev/null; then
	trace work
	compare 'vfs_open\(path=0x[0-9a-f]+, file=0x[0-9a-f]+\)'
	no_functions funcgraph-args
else
	no_functions funcgraph-args
	skip "$case_name" 'this kernel records none, or not in an instance'
fi

begin 'the graph of functions'
# needs function_graph
prepare
if functions function_graph 2>/dev/null; then
	trace work
	compare 'vfs_open\('
	# which calls are those of interrupts, and how wide a CPU's number is
	for name in __irqentry_text_start __irqentry_text_end; do
		! grep -q " $name$" /proc/kallsyms || true_that "$name is there" grep -q " $name$" "$TMP/tree/kallsyms"
	done
	true_that 'so is nr_cpu_ids' grep -q '^nr_cpu_ids 0x' "$TMP/tree/variables"
	no_functions
else
	no_functions
	skip "$case_name" 'not in an instance of this kernel'
fi

begin 'events of each kind'
prepare
for system in sched timer irq signal task workqueue vmscan kmem writeback filemap syscalls net sock skb block; do
	[ ! -e "$D/events/$system/enable" ] || echo 1 >"$D/events/$system/enable"
done
echo $$ >"$D/set_event_pid"
echo 1 >"$D/options/event-fork"
trace work
compare ' sched_process_exec: |^[0-9.]+: sched_process_exec: '

finish
