#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# reset: lists what is not the default, sets it back, and can be taken back.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# state DIRECTORY: what reset is about, of an instance
state()
{
	(cd "$1" && grep -Hs '' tracing_on current_tracer trace_clock tracing_cpumask buffer_percent options/* \
		set_event set_event_pid set_event_notrace_pid set_ftrace_pid set_ftrace_notrace_pid set_ftrace_filter \
		set_ftrace_notrace events/sched/*/filter events/sched/*/enable events/sched/*/trigger \
		events/signal/*/enable events/signal/*/filter 2>/dev/null)
}

# disturb: the case's instance as a colleague left it
disturb()
(
	cd "$D" || exit
	echo 'prev_pid == 5' >events/sched/sched_switch/filter
	echo 1 >events/sched/sched_switch/enable
	echo 1 >events/signal/signal_deliver/enable
	echo 'sig == 3' >events/signal/signal_generate/filter
	# Neither fires: tasks of the machine exit all the time.
	echo 'stacktrace:3 if pid == -7' >>events/sched/sched_process_exit/trigger
	echo 'enable_event:sched:sched_process_fork if pid == -7' >>events/sched/sched_process_exit/trigger
	echo 1 >options/event-fork
	echo "$quiet_task" >set_event_pid
	echo 1 >options/sym-offset
	echo 0 >options/overwrite
	echo 1 >tracing_cpumask
	[ ! -e buffer_percent ] || echo 20 >buffer_percent
	if echo schedule 2>/dev/null >set_ftrace_filter; then
		# That nobody calls.
		never=$(grep -xm 1 -e emergency_restart -e kernel_halt -e kernel_power_off "$TRACING/available_filter_functions")
		echo "${never:-vfs_fallocate}:traceon:4" >>set_ftrace_filter
		echo function >current_tracer
	fi
	echo mono >trace_clock
	echo 0 >tracing_on
) 2>/dev/null

quiet_tasks

begin 'an instance as mkdir makes it'
fresh
state "$D" >"$TMP/default"
t -i "$I" reset
expect 0 'reset lists'
same "$out" '' 'nothing'
says 'is as the kernel starts it$' 'which it says'
echo 512 >"$D/buffer_size_kb"
t -i "$I" reset
says "is as the kernel starts it, but for the buffer's size\$" 'with a buffer of another size it says that it stays'
echo 1408 >"$D/buffer_size_kb"
t -i "$I" reset all
expect 0 'reset all'
says "nothing to set back in '$I'" 'has nothing to do'

begin 'what somebody else left'
fresh
disturb
state "$D" >"$TMP/left"
t -i "$I" reset
expect 0 'reset lists'
prints '^events/sched/sched_switch/filter +prev_pid == 5 +0$' 'a filter'
prints '^events/sched/sched_process_exit/trigger +stacktrace:3 if pid == -7' 'a trigger'
prints '^trace_clock +mono +local$' 'the clock'
says '2 events, 2 triggers, 2 filters' 'and counts'
state "$D" >"$TMP/now"
true_that 'and changes nothing' diff "$TMP/left" "$TMP/now"
t -i "$I" reset all
expect 0 'reset all'
says "^set back in '$I': 2 events, 2 triggers, 2 filters, .*1 clock, 1 switch$" 'counts in one line'
state "$D" >"$TMP/now"
true_that 'is as mkdir made it' diff "$TMP/default" "$TMP/now"
disturb
t -i "$I" -c 'reset all' -c undo
expect 0 'undo'
state "$D" >"$TMP/now"
true_that 'takes it back' diff "$TMP/left" "$TMP/now"
fresh
t -i "$I" -c 'option sym-addr on' -c 'off' -c 'reset all' -c undo
says "^set back in '$I': 1 option, 1 switch$" 'lists that are empty are not counted'
says '^2 settings taken back: reset all$' 'by undo, either'
t -i "$I" -c 'option sym-addr off' -c 'on' -c keep -c 'reset all' -c undo
says '^there is nothing to take back' 'where nothing was set back there is nothing to take back'

begin 'one thing at a time'
for what in events:enable filters:filter triggers:trigger; do
	fresh
	disturb
	file=${what#*:}
	state "$D" | grep -v "/$file:" | grep -v ^set_event: >"$TMP/left"
	t -i "$I" reset "${what%:*}"
	expect 0 "${what%:*}"
	state "$D" | grep -v "/$file:" | grep -v ^set_event: >"$TMP/now"
	case $what in
	# Without its trigger the event that it arms is not marked any more.
	triggers*) sed -i 's/:0\*$/:0/; s/:1\*$/:1/' "$TMP/left" "$TMP/now" ;;
	esac
	true_that "${what%:*}: the rest stays" diff "$TMP/left" "$TMP/now"
	t -i "$I" reset
	false_that "${what%:*}: there is nothing of it left" grep "/$file " "$TMP/out"
done
fresh
disturb
t -i "$I" -c 'reset pids' -c 'reset options' -c 'reset tracer' -c 'reset functions'
expect 0 'pids, options, tracer, functions'
(cd "$D" && grep -Hs '' options/* set_event_pid current_tracer set_ftrace_filter) | sort >"$TMP/now"
grep -E '^(options/|set_event_pid|current_tracer|set_ftrace_filter)' "$TMP/default" | sort >"$TMP/want"
true_that 'set back' diff "$TMP/want" "$TMP/now"
file_is events/sched/sched_switch/filter 'prev_pid == 5' 'filters stay'

begin 'a trigger that enables events fires meanwhile'
fresh
# Of the events there are few that happen all the time.
echo enable_event:sched:sched_process_fork >>"$D/events/sched/sched_switch/trigger"
echo enable_event:signal:signal_generate >>"$D/events/sched/sched_switch/trigger"
await grep -qx '1\*' "$D/events/signal/signal_generate/enable"
t -i "$I" reset all
expect 0 'reset all'
says '2 events, 2 triggers' 'counts each once'
file_is events/signal/signal_generate/enable 0 'its event is off'
file_is events/sched/sched_process_fork/enable 0 'and the other one'
t -i "$I" reset
says 'is as the kernel starts it' 'and nothing is left'

begin 'a list that the kernel has emptied mutes'
fresh
sleeper
echo 1 >"$D/options/event-fork"
echo "$sleeper" >"$D/set_event_pid"
reap
list_is_empty() { ! grep -q . "$D/set_event_pid"; }
await list_is_empty
file_is set_event_pid '' 'the kernel has taken the last one out'
echo 1 >"$D/events/sched/sched_switch/enable"
before=$(count_events "$D")
t -i "$I" reset pids
expect 0 'reset pids'
true_that 'lets events flow' await more_events_than "$before"

begin 'probes'
# needs top
# The kernel clears the buffer when an event goes that was enabled in it.
erases
# a program of our own: whoever runs it meets the probe's instruction
probed=$TMP/probed
cp /bin/true "$probed"
if (echo "p:tracesh_$$/one $probed:0x1000" >>"$TRACING/uprobe_events") 2>/dev/null; then
	echo "p:tracesh/two $probed:0x1000" >>"$TRACING/uprobe_events"
	echo "p:live_foreign/three $probed:0x1000" >>"$TRACING/uprobe_events"
	free_number
	echo "p:tracesh_$free/four $probed:0x1000" >>"$TRACING/uprobe_events"
	# as a session in another pid namespace has it, whose number nobody has here
	exec 7<"$TRACING/events/tracesh_$free"
	flock -s 7
	sort "$TRACING/uprobe_events" >"$TMP/want"
	echo 1 >"$TRACING/events/tracesh/two/enable"
	t -c 'reset all' -c 'cat uprobe_events' -c undo
	expect 0 'reset all'
	prints live_foreign/three "a colleague's stays"
	prints "tracesh_$$/one" 'and that of a tracesh that runs'
	prints "tracesh_$free/four" 'and one that somebody holds'
	false_that 'the other one goes' grep tracesh/two "$TMP/out"
	sort "$TRACING/uprobe_events" >"$TMP/now"
	true_that 'undo brings it back' diff "$TMP/want" "$TMP/now"
	true_that 'and its events on' grep -qx 1 "$TRACING/events/tracesh/two/enable"
	echo 0 >"$TRACING/events/tracesh/two/enable"
	exec 7<&-
	t -c 'reset all' -c 'cat uprobe_events' -c undo
	expect 0 'reset all, when nobody holds it any more'
	false_that 'it goes' grep "tracesh_$free/four" "$TMP/out"
	printf '%s\n' "-:tracesh_$$/one" '-:tracesh/two' '-:live_foreign/three' "-:tracesh_$free/four" >"$TMP/gone"
	while read -r line; do
		echo "$line" >>"$TRACING/uprobe_events"
	done <"$TMP/gone"
else
	skip "$case_name" 'this kernel has no uprobes'
fi

begin 'the clock that the kernel has started with'
# needs top
erases
was=$(sed 's/.*\[\(.*\)\].*/\1/' "$TRACING/trace_clock")
usual=$(sed -n 's/.*trace_clock=\([^ ]*\).*/\1/p' /proc/cmdline)
if [ -z "$usual" ] && dmesg 2>/dev/null | grep -q 'switching default tracing clock to "global"'; then
	usual=global
elif [ -z "$usual" ] && dmesg 2>/dev/null | head -n 1 | grep -q 'Linux version'; then
	usual=local
fi
if [ -n "$usual" ]; then
	echo mono >"$TRACING/trace_clock"
	t reset
	prints "trace_clock +mono +$usual" 'another one is listed'
	t -c 'reset all' -c 'cat trace_clock' -c undo
	prints "\[$usual\]" 'and set back to that'
	echo "$usual" >"$TRACING/trace_clock"
	t reset
	false_that 'that one is none' grep trace_clock "$TMP/out"
	t save
	false_that 'nor is it saved as one' grep 'clock' "$TMP/out"
else
	echo global >"$TRACING/trace_clock"
	t -c 'reset all' -c 'cat trace_clock' -c undo
	says 'not looked at: .*trace_clock \(its log no longer tells' 'which the log no longer tells'
	prints '\[global\]' 'so it stays'
fi
echo "$was" >"$TRACING/trace_clock"

begin 'what reset leaves, it names'
# needs top
erases
left=
if echo 'live_foreign int x' 2>/dev/null >>"$TRACING/synthetic_events"; then
	t reset
	says 'but for .*1 probe or synthetic event of others' "somebody's synthetic event"
	left=yes
fi
if [ -e "$TRACING/snapshot" ] && grep -q 'Snapshot is freed' "$TRACING/snapshot" && echo 1 2>/dev/null >"$TRACING/snapshot"; then
	t reset
	says "but for .*a snapshot's memory" "a snapshot's memory"
	echo 0 >"$TRACING/snapshot"
	left=yes
fi
echo '!live_foreign int x' 2>/dev/null >>"$TRACING/synthetic_events"
[ -n "$left" ] || skip "$case_name" 'this kernel has neither synthetic events nor snapshots'

finish
