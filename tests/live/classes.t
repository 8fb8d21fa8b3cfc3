#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# long in a guest
# time limit: 1500
# Every class of file (src/kernel/tracefs/class.c): written, taken back, the same as before, byte for byte as the kernel reads
# it. Where the kernel changes it by itself, as the class compares it. What somebody else changed meanwhile stays.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# place: where the rows of a case work: an instance of each row's own, or the top-level one
place=fresh

# can FILE [TEXT]: it is there, and can be read; otherwise the row is skipped. With TEXT it can be written as well.
can()
{
	if [ ! -e "$D/$1" ]; then
		skip "$case_name: $row" "this kernel has no $1 here"
		return 1
	fi
	# Policy may forbid what root may otherwise do.
	if ! cat "$D/$1" >/dev/null 2>"$TMP/why"; then
		skip "$case_name: $row" "$(cat "$TMP/why")"
		return 1
	fi
}

# prepare ROW FILE SETUP: false when the kernel cannot do it
prepare()
{
	row=$1
	if [ "$place" = fresh ]; then
		fresh
	else
		remove_instance
		D=$TRACING
	fi
	export D
	can "$2" || return 1
	if ! (cd "$D" && eval "$3") 2>"$TMP/why"; then
		skip "$case_name: $row" "it cannot be prepared: $(head -n 1 "$TMP/why")"
		return 1
	fi
}

# leave: the next row does not work at the top, unless it says so
leave()
{
	[ "$place" = fresh ] || D=''
}

# here ARGUMENT..: tracesh in the row's instance
here()
{
	if [ -n "$I" ]; then
		t -i "$I" "$@"
	else
		t "$@"
	fi
}

# row NAME FILE SETUP COMMAND: back to the byte; a second undo has nothing to do
row()
{
	if prepare "$1" "$2" "$3"; then
		cat "$D/$2" >"$TMP/want"
		here -c "$4" -c "cat $2" -c undo -c undo
		expect 0 "$row: written, and taken back"
		says 'nothing to take back' "$row: once"
		false_that "$row: it was another value meanwhile" cmp "$TMP/want" "$TMP/out"
		true_that "$row: as before" diff "$TMP/want" "$D/$2"
	fi
	leave
}

# theirs NAME FILE SETUP COMMAND THEIRS: what somebody else did meanwhile is reported, and stays
theirs()
{
	if prepare "$1" "$2" "$3"; then
		here -c "$4" -c "cat tracing_on | cd \$D; $5; cat $2 >$TMP/want" -c undo
		expect 1 "$row: not ours any more"
		says "$2: (.*: )?changed by somebody else" "$row: reported"
		true_that "$row: theirs stays" diff "$TMP/want" "$D/$2"
	fi
	leave
}

# beside NAME FILE SETUP COMMAND THEIRS WANT: what somebody else added to a shared list stays, ours goes
beside()
{
	if prepare "$1" "$2" "$3"; then
		here -c "$4" -c "cat tracing_on | cd \$D; $5" -c undo
		expect 0 "$row: ours is taken back"
		same "$(cat "$D/$2")" "$6" "$row: theirs stays"
	fi
	leave
}

# empty FILE: a list of the top-level instance, where it may be written
empty()
{
	[ ! -e "$TRACING/$1" ] || (true >"$TRACING/$1") 2>/dev/null || true
}

# flows: sched_switch comes in the case's instance
flows()
{
	echo 1 >"$D/events/sched/sched_switch/enable"
	more_events_than "$(count_events "$D")" || await more_events_than "$(count_events "$D")"
}

fork=events/sched/sched_process_fork exit=events/sched/sched_process_exit switch=events/sched/sched_switch

begin 'pids'
# needs functions
sleeper
mine=$sleeper
for list in set_event_pid set_event_notrace_pid set_ftrace_pid set_ftrace_notrace_pid; do
	row "$list, set" $list ':' "write $list $mine"
	row "$list, more" $list "echo 1 >$list" "append $list $mine"
	row "$list, another" $list "echo 1 >$list" "write $list $mine"
	if [ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ]; then
		theirs "$list" $list ':' "write $list $mine" "echo 1 >$list"
	else
		skip "$case_name: $list of somebody else" 'in a pid namespace its numbers say nothing'
	fi
done
row 'pid clear' set_event_pid 'echo 1 >set_event_pid' 'pid clear'
fresh
t -i "$I" -c "write set_event_pid $mine" -c undo
true_that 'events flow again' flows
# With event-fork the kernel takes the last pid out, and the empty list lets nothing pass.
fresh
sleeper
list=$D/set_event_pid
export sleeper list
t -i "$I" -c 'option event-fork on' -c "write set_event_pid $sleeper" \
	-c 'cat tracing_on | kill -KILL $sleeper; while grep -q . "$list"; do sleep 0.02; done' \
	-c 'cat set_event_pid' -c 'undo 2'
expect 0 'a task that has exited: taken back'
same "$out" '' 'a task that has exited: the kernel had emptied the list'
file_is set_event_pid '' 'a task that has exited: empty as before'
true_that 'a task that has exited: events flow again' flows
# One of several, in the list from before.
fresh
sleeper
echo "$mine
$sleeper" >"$D/set_event_pid"
cat "$D/set_event_pid" >"$TMP/want"
t -i "$I" -c 'write set_event_pid 1' -c "cat tracing_on | kill -KILL $sleeper" -c undo
true_that 'a list from before whose task has exited: as before' diff "$TMP/want" "$D/set_event_pid"

begin 'enable'
row 'on' $fork/enable ':' 'enable sched_process_fork'
row 'off' $fork/enable "echo 1 >$fork/enable" 'disable sched_process_fork'
arm="echo 'enable_event:sched:sched_process_fork:5 if pid == -7' >>$exit/trigger"
row 'on, where a trigger has armed it' $fork/enable "$arm" 'enable sched_process_fork'
row 'off, where a trigger has armed it' $fork/enable "echo 1 >$fork/enable; $arm" 'disable sched_process_fork'
row 'by set_event, where a trigger has armed it' $fork/enable "$arm" 'append set_event sched:sched_process_fork'
row 'off by set_event, where a trigger has armed it' $fork/enable "echo 1 >$fork/enable; $arm" 'append set_event !sched:sched_process_fork'
row 'set_event' set_event 'echo signal: >>set_event' 'append set_event sched:'
row 'set_event, off' set_event 'echo signal: >>set_event' 'append set_event !signal:'
row 'set_event, some there already' set_event 'echo sched:sched_switch >>set_event' 'append set_event sched:'
beside 'set_event' set_event ':' 'append set_event sched:sched_process_fork' 'echo signal:signal_generate >>set_event' signal:signal_generate
row 'tracing_on' tracing_on ':' off

begin 'filters'
row 'set' $switch/filter ':' 'filter sched_switch prev_pid == 5'
row 'another' $switch/filter "echo '  prev_pid == 5 && prev_comm ~ \"x;|#*\"  ' >$switch/filter" 'filter sched_switch next_pid == 6'
row 'cleared' $switch/filter "echo 'prev_pid == 5' >$switch/filter" 'filter sched_switch clear'
row '0 reads back as none' $switch/filter "echo 'prev_pid == 5' >$switch/filter" "write $switch/filter 0"
theirs 'a filter' $switch/filter ':' 'filter sched_switch prev_pid == 5' "echo 'prev_pid == 9' >$switch/filter"
# The text of an error stands in the file: there is no filter, and it cannot be written back.
fresh
echo 'nonsense == 5' 2>/dev/null >"$D/$switch/filter" || :
t -i "$I" -c 'filter sched_switch prev_pid == 5' -c undo
expect 0 'after a refused filter: taken back'
false_that 'after a refused filter: ours is gone' grep -q 'prev_pid == 5' "$D/$switch/filter"

begin 'triggers'
row 'added' $exit/trigger "echo 'traceon:7 if pid == -7' >>$exit/trigger" 'trigger sched_process_exit stacktrace:3 if pid == -7'
row 'removed' $exit/trigger "echo 'traceon:7 if pid == -7' >>$exit/trigger; echo 'stacktrace:0' >>$exit/trigger" 'trigger sched_process_exit clear'
row 'by append' $exit/trigger ':' "append $exit/trigger traceoff:3 if pid == -7"
row 'of another event' $exit/trigger "$arm" "append $exit/trigger !enable_event:sched:sched_process_fork"
theirs 'one of the same kind' $exit/trigger ':' 'trigger sched_process_exit traceoff if pid == -7' "echo '!traceoff' >>$exit/trigger; echo 'traceon if pid == -7' >>$exit/trigger"
beside 'another one' $exit/trigger ':' 'trigger sched_process_exit traceoff if pid == -7' "echo 'stacktrace:4 if pid == -7' >>$exit/trigger" 'stacktrace:count=4 if pid == -7'
# The counts of a trigger that fires go down: it is the same one.
fresh
echo stacktrace:100000 >>"$D/$exit/trigger"
t -i "$I" -c 'trigger sched_process_exit clear' -c 'cat tracing_on | sh -c :' -c undo
expect 0 'that fires: removed and taken back'
true_that 'that fires: as before, but for the count' grep -Eqx 'stacktrace:count=[0-9]+' "$D/$exit/trigger"

begin 'the buffer'
row 'buffer_size_kb' buffer_size_kb ':' 'write buffer_size_kb 300'
row 'buffer SIZE' buffer_size_kb ':' 'buffer 300K'
row 'one CPU' buffer_size_kb ':' 'write per_cpu/cpu0/buffer_size_kb 301'
row 'CPUs that differ: X' buffer_size_kb 'echo 333 >per_cpu/cpu0/buffer_size_kb' 'write buffer_size_kb 200'
row 'CPUs that differ: the first' per_cpu/cpu0/buffer_size_kb 'echo 333 >per_cpu/cpu0/buffer_size_kb' 'write buffer_size_kb 200'
row 'CPUs that differ: the second' per_cpu/cpu1/buffer_size_kb 'echo 333 >per_cpu/cpu0/buffer_size_kb' 'buffer 200K'
theirs 'buffer_size_kb' buffer_size_kb ':' 'write buffer_size_kb 300' 'echo 500 >buffer_size_kb'
row 'tracing_cpumask' tracing_cpumask ':' 'write tracing_cpumask 1'
row 'cpus' tracing_cpumask 'echo 1 >tracing_cpumask' 'cpus all'
theirs 'tracing_cpumask' tracing_cpumask ':' 'write tracing_cpumask 1' 'echo 2 >tracing_cpumask'
row 'trace_clock' trace_clock ':' 'clock mono'
row 'trace_clock, from another' trace_clock 'echo uptime >trace_clock' 'clock global'
theirs 'trace_clock' trace_clock ':' 'clock mono' 'echo global >trace_clock'
row 'buffer_percent' buffer_percent ':' 'write buffer_percent 31'
theirs 'buffer_percent' buffer_percent ':' 'write buffer_percent 31' 'echo 44 >buffer_percent'
row 'buffer_subbuf_size_kb' buffer_subbuf_size_kb ':' 'write buffer_subbuf_size_kb 8'
theirs 'buffer_subbuf_size_kb' buffer_subbuf_size_kb ':' 'write buffer_subbuf_size_kb 8' 'echo 16 >buffer_subbuf_size_kb'

begin 'options'
row 'an option on' trace_options ':' 'write trace_options sym-offset'
row 'an option off' trace_options ':' 'write trace_options noirq-info'
row 'nooverwrite' trace_options ':' 'write trace_options nooverwrite'
row 'overwrite' trace_options 'echo nooverwrite >trace_options' 'write trace_options overwrite'
row 'its file' options/record-tgid ':' 'option record-tgid on'
row 'several' trace_options 'echo 1 >options/sym-addr' 'write trace_options nosym-addr; write trace_options hex; undo'

begin 'the tracer'
# needs functions function_graph top
place=fresh
row 'current_tracer' current_tracer 'grep -qw function available_tracers && cat set_ftrace_filter && echo schedule >set_ftrace_filter' 'tracer function'
row 'an option of it' trace_options 'grep -qw function available_tracers && cat set_ftrace_filter && echo schedule >set_ftrace_filter && echo function >current_tracer' 'write trace_options func_stack_trace'
erases
place=top
row 'tracing_thresh' tracing_thresh ':' 'write tracing_thresh 500'
row 'function_graph' current_tracer 'grep -qw function_graph available_tracers && echo schedule >set_ftrace_filter' 'tracer function_graph'
empty set_ftrace_filter
row 'max_graph_depth' max_graph_depth ':' 'write max_graph_depth 3'
theirs 'max_graph_depth' max_graph_depth ':' 'write max_graph_depth 3' 'echo 5 >max_graph_depth'
[ ! -e "$TRACING/max_graph_depth" ] || echo 0 >"$TRACING/max_graph_depth"
row 'saved_cmdlines_size' saved_cmdlines_size ':' 'write saved_cmdlines_size 20000'
row 'tracing_max_latency' tracing_max_latency ':' 'write tracing_max_latency 7'
place=fresh

begin 'functions'
# needs functions
filter=set_ftrace_filter
row 'a glob' $filter ':' "write $filter vfs_re*"
row 'a glob, more' $filter "echo schedule >$filter" "append $filter vfs_re*"
row 'others' $filter "echo 'vfs_re*' >$filter" 'functions filter schedule'
row 'none' $filter "echo 'vfs_re*' >$filter" 'functions clear'
row 'not' set_ftrace_notrace ':' 'functions notrace vfs_re*'
theirs 'names' $filter ':' "write $filter schedule" "echo vfs_read >>$filter"
row 'a command' $filter ':' "append $filter schedule:traceoff:3"
row 'a command, without a count' $filter ':' "append $filter schedule:traceon"
row 'a command beside others' $filter "echo vfs_iter_read:stacktrace:5 >>$filter; echo schedule >>$filter" "append $filter vfs_write:enable_event:sched:sched_switch:2"
row 'names beside a command' $filter "echo vfs_iter_read:traceon:5 >>$filter; echo schedule >>$filter" "write $filter vfs_write"
row 'a command removed' $filter "echo vfs_iter_read:traceon:5 >>$filter" "append $filter !vfs_iter_read:traceon:0"
row 'a command of several functions' $filter ':' "append $filter vfs_re*:traceon:5"
row 'of a module' $filter "echo ovl_open >$filter" "write $filter schedule"
# The kernel takes a module's name that begins with a digit for something else.
row 'of a module 9..' $filter "echo p9_client_cb >$filter" "write $filter schedule"
row 'a command on a module' $filter "echo ovl_open:traceon:5 >>$filter" "append $filter !ovl_open:traceon:0"
fresh
if echo vfs_read:traceon:100000 2>/dev/null >>"$D/$filter"; then
	t -i "$I" -c "append $filter schedule" -c 'cat tracing_on' -c undo
	expect 0 'a command whose count goes down: names beside it are taken back'
	true_that 'a command whose count goes down: it stays' grep -Eqx 'vfs_read:traceon:count=[0-9]+' "$D/$filter"
	false_that 'a command whose count goes down: the names are gone' grep -qx schedule "$D/$filter"
fi

begin 'functions of the top instance'
# needs functions top
place=top
row 'set_graph_function' set_graph_function ':' 'functions graph vfs_read'
row 'set_graph_function, others' set_graph_function 'echo vfs_write >set_graph_function' 'write set_graph_function vfs_read'
empty set_graph_function
row 'set_graph_notrace' set_graph_notrace ':' 'write set_graph_notrace vfs_read'
row 'stack_trace_filter' stack_trace_filter ':' 'write stack_trace_filter vfs_read'
place=fresh

# probes FILE OURS FOREIGN REMOVAL: ours goes after its users, somebody else's stays
probes()
{
	file=$1 ours=$2 foreign=$3 removal=$4
	place=top
	row "$file, added" "$file" "echo '$foreign' >>$file" "append $file $ours"
	if grep -qs live_foreign "$TRACING/$file"; then
		row "$file, a foreign one removed" "$file" ':' "append $file $removal"
		other=$(echo "$foreign" | sed 's/live_foreign/live_other/')
		beside "$file" "$file" ':' "append $file $ours" "echo '$other' >>$file" \
			"$(cat "$TRACING/$file" && sed -n 's/live_foreign/live_other/p' "$TRACING/$file")"
		cat "$TRACING/$file" >"$TMP/want"
		if [ "$file" != synthetic_events ]; then
			# The kernel clears the buffer when an event goes that was enabled in it.
			erases
			t -c "append $file $ours" -c 'enable live_ours:' -c restore
			expect 0 "$file: with a user, taken back"
			true_that "$file: with a user, as before" diff "$TMP/want" "$TRACING/$file"
		fi
		echo "$removal" | sed 's/live_foreign/live_other/' >>"$TRACING/$file"
		echo "$removal" >>"$TRACING/$file"
	fi
	place=fresh
}

begin 'probes'
# needs kprobes synthetic top
probes kprobe_events "p:live_ours/one vfs_read+0 a=$(register)" 'p:live_foreign/one vfs_write' '-:live_foreign/one'
probes dynamic_events 'p:live_ours/two vfs_read' 'r:live_foreign/two vfs_write ret=$retval' '-:live_foreign/two'
# a program of our own: whoever runs it meets the probe's instruction
cp /bin/true "$TMP/probed"
probes uprobe_events "p:live_ours/three $TMP/probed:0x1000" "p:live_foreign/three $TMP/probed:0x1010" '-:live_foreign/three'
probes synthetic_events "'live_ours u64 lat; pid_t pid'" 'live_foreign u64 lat; char comm[16]' '!live_foreign'

finish
