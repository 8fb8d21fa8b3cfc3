#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# long in a guest
# in a guest of its own
# time limit: 1200
# save and diff: the settings as a batch file that makes them again.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-state.sh"

cd "$TMP" || exit 1
quiet_tasks

# put TEXT FILE: writes a setting where the kernel has it; says whether it took it
put()
{
	[ -w "$2" ] || return 1
	printf '%s\n' "$1" 2>/dev/null >>"$2"
}

# fill DIRECTORY: settings of all kinds that this kernel takes
fill()
(
	cd "$1" || exit 1
	put mono trace_clock
	put 512 buffer_size_kb
	put 768 per_cpu/cpu0/buffer_size_kb
	put 13 buffer_percent
	put 1 tracing_cpumask
	put 1 options/sym-offset
	put 0 options/irq-info
	put 1 options/event-fork
	put "$sleeper $quiet_task" set_event_pid
	put "$quiet_task" set_event_notrace_pid
	put "$sleeper" set_ftrace_pid
	put vfs_read set_ftrace_filter
	put vfs_write set_ftrace_filter
	put 'vfs_s*' set_ftrace_notrace
	# shellcheck disable=SC2016 # the kernel's
	put 'prev_comm ~ "a|b;c#$x${y}"' events/sched/sched_switch/filter
	put "comm == 'x\"y'" events/sched/sched_process_exec/filter
	put '(pid==5)||(pid==6)' events/sched/sched_process_exit/filter
	put 'stacktrace if prev_pid == 4' events/sched/sched_switch/trigger
	put traceoff:5 events/sched/sched_process_fork/trigger
	put 'enable_event:signal:signal_deliver:2 if child_pid > 5' events/sched/sched_process_fork/trigger
	put traceon events/ftrace/print/trigger
	if grep -qs 'hist trigger' "$TRACING/README"; then
		put 'hist:keys=pid:ts0=common_timestamp.usecs' events/sched/sched_waking/trigger
		# shellcheck disable=SC2016
		put 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0' events/sched/sched_switch/trigger
		put 'hist:keys=common_pid.execname:vals=bytes_req:sort=bytes_req.descending:size=256' \
			events/kmem/kmalloc/trigger
		put 'hist:name=live:keys=call_site.sym:pause if bytes_req > 100' events/kmem/kmalloc/trigger
	fi
	put 1 events/sched/sched_switch/enable
	put 1 events/sched/sched_process_exit/enable
	put 1 events/signal/signal_generate/enable
	put 1 events/task/task_rename/enable
	put 0 tracing_on
	true
)

begin 'an instance'
fresh
sleeper
fill "$D"
settings "$D" >filled
t -i "$I" save save.tsh
expect 0 'save'
says '^[0-9]+ settings saved in save.tsh$' 'says how many'
same "$(stat -c %a save.tsh)" 600 'the file is its owner'\''s'
like "$(cat save.tsh)" "^# tracesh: settings of instance $I of .*, Linux .*, 20[0-9-]{8}T" "$case_name: its head says whose and when"
t -i "$I" save
grep -v '^# tracesh' save.tsh >filled.tsh
true_that 'without a file it is printed' sh -c "grep -v '^# tracesh' out | cmp - filled.tsh"
t -i "$I" diff save.tsh
expect 0 'diff: nothing has changed'
same "$out" '' 'and nothing is printed'
t -n -i "$I" save.tsh
expect 0 '-n accepts it'
same "$(settings "$D" | diff filled -)" '' 'and changes nothing'
without_hists "$D"
remove_instance
fresh
settings "$D" >fresh
false_that 'a new instance is another' cmp -s fresh filled
t -i "$I" -n save.tsh
expect 0 '-n where nothing is set'
t -i "$I" -f save.tsh
expect 0 'it is run'
same "$(settings "$D" | diff filled -)" '' 'all is as it was'
t -i "$I" diff save.tsh
expect 0 'diff finds nothing'
same "$out" '' 'and prints nothing'
without_hists "$D"

begin 'run where all of it is set'
fresh
echo 'stacktrace:2 if prev_pid == -7' >"$D/events/sched/sched_switch/trigger"
echo 'stacktrace:2' >"$D/events/sched/sched_waking/trigger"
await grep -q 'stacktrace:count=0' "$D/events/sched/sched_waking/trigger"
t -i "$I" save -f twice.tsh
settings "$D" >filled
t -i "$I" -f twice.tsh
expect 0 'it is no error'
says 'events/sched/sched_waking/trigger has that line \(as before\)' 'a trigger that has fired out is as before'
same "$(settings "$D" | diff filled -)" '' 'and nothing has changed'

begin 'tasks that have ended'
fresh
sleep 0 &
ended=$!
wait "$ended"
sleeper
echo "$sleeper" >"$D/set_event_pid"
echo "$ended" >>"$D/set_event_pid"
t -i "$I" save
prints "^write set_event_pid $sleeper\$" 'are not saved'
prints "^# tasks of set_event_pid that have ended: $ended\$" 'which is said'
t -i "$I" save -f tasks.tsh
echo "write set_event_pid $sleeper $ended" >tasks.tsh
echo "$sleeper" >"$D/set_event_pid"
t -i "$I" diff tasks.tsh
expect 0 'nor do they differ'
echo "$ended" >"$D/set_event_pid"
t -i "$I" save
prints "^write set_event_pid $ended\$" 'but a list of nothing else is one'
sleep 0 &
ended="$ended $!"
wait $!
one=$sleeper
sleeper
echo "$one $ended $sleeper" >"$D/set_event_pid"
t -i "$I" save
prints "^write set_event_pid $one $sleeper\$" 'those between others do not cut the list in two'
prints "^# tasks of set_event_pid that have ended: $ended\$" 'and are named together'
t -i "$I" save -f tasks.tsh
says '^1 setting saved in tasks.tsh$' 'a list is one setting'

begin 'an instance, taken back'
fresh
settings "$D" | grep -v "^buffer_size_kb:\|/buffer_size_kb:" >fresh
t -i "$I" --restore -f save.tsh
expect 0 '--restore'
same "$(settings "$D" | grep -v "^buffer_size_kb:\|/buffer_size_kb:" | diff fresh -)" '' 'all is as before'
without_hists "$D"

begin 'an instance that is set back'
# needs snapshot
fresh
sleeper
fill "$D"
# what the command reset leaves
echo 1408 >"$D/buffer_size_kb"
[ ! -e "$D/snapshot" ] || t -i "$I" snapshot alloc
settings "$D" >filled
t -i "$I" save -f save.tsh
expect 0 'save'
true_that 'a trigger is the command of that name' grep -qx "trigger sched:sched_switch stacktrace if 'prev_pid == 4'" save.tsh
true_that 'and what it refuses is not' grep -qx 'append events/ftrace/print/trigger traceon' save.tsh
without_hists "$D"
t -i "$I" reset all
expect 0 'reset'
[ ! -e "$D/snapshot" ] || t -i "$I" snapshot free
t -i "$I" diff
expect 0 'nothing is set then'
t -i "$I" -f save.tsh
expect 0 'the file is run'
same "$(settings "$D" | diff filled -)" '' 'all is as it was'
t -i "$I" diff save.tsh
expect 0 'diff finds nothing'
if [ -e "$D/snapshot" ]; then
	true_that 'with memory for a snapshot' grep -q 'Snapshot is allocated' "$D/snapshot"
	without_hists "$D"
	t -i "$I" -c 'reset all' -c 'snapshot free'
	echo 1 >"$D/tracing_on"
	echo three >"$D/trace_marker"
	t -i "$I" snapshot alloc
	expect 0 'alloc'
	true_that 'leaves the events where they are' grep -q three "$D/trace"
	true_that 'and the snapshot empty' grep -q 'Snapshot is allocated' "$D/snapshot"
	t -i "$I" snapshot alloc
	says 'as before' 'once more it changes nothing'
	true_that 'the events are there still' grep -q three "$D/trace"
	t -i "$I" snapshot free
else
	skip "$case_name: with memory for a snapshot" 'this kernel has none'
fi
without_hists "$D"

begin 'what asks'
# needs functions
fresh
for alone in "$D"/events/preemptirq/irq_disable "$D"/events/lock/lock_acquire; do
	[ -d "$alone" ] || continue
	echo 'common_pid == 1' >"$alone/filter"
	echo 1 >"$alone/enable"
	t -i "$I" save -f save.tsh
	true_that "${alone##*/}: enable is told not to" grep -qx "enable --yes [a-z]*:${alone##*/}" save.tsh
	echo 0 >"$alone/enable"
	echo 0 >"$alone/filter"
	# the filter that the file sets asks nothing either
	sed -i '/^filter/d; /^enable/s/$/; disable &/' save.tsh
	sed -i 's/disable enable --yes/disable/' save.tsh
	t -i "$I" -f save.tsh
	expect 0 "${alone##*/}: and does not ask"
done
if grep -qw function "$D/available_tracers" && echo '*' 2>/dev/null >"$D/set_ftrace_notrace"; then
	t -i "$I" --yes tracer function
	t -i "$I" save -f save.tsh
	true_that 'tracer is told not to' grep -qx 'tracer --yes function' save.tsh
	true_that 'all functions are one glob' grep -qx 'functions notrace \*' save.tsh
	t -i "$I" tracer nop
	t -i "$I" -f save.tsh
	expect 0 'and does not ask'
	file_is current_tracer function 'it is set'
	echo nop >"$D/current_tracer"
	echo >"$D/set_ftrace_notrace"
else
	skip "$case_name: tracer" 'no function tracing here'
fi

begin 'functions with commands'
# needs functions
fresh
# one that is never called; the kernel removes no instance that has a command
never=$(grep -xm 1 -e emergency_restart -e kernel_halt -e kernel_power_off "$TRACING/available_filter_functions" 2>/dev/null)
if [ -n "$never" ] && echo "$never:traceoff:3" 2>/dev/null >>"$D/set_ftrace_filter"; then
	echo "$never:stacktrace" >>"$D/set_ftrace_filter"
	settings "$D" >filled
	t -i "$I" save -f save.tsh
	expect 0 'save'
	echo "!$never:traceoff:0" >>"$D/set_ftrace_filter"
	echo "!$never:stacktrace" >>"$D/set_ftrace_filter"
	t -q -i "$I" -f save.tsh
	expect 0 'it is run'
	same "$(settings "$D" | diff filled -)" '' 'all is as it was'
	echo "!$never:traceoff:0" >>"$D/set_ftrace_filter"
	echo "!$never:stacktrace" >>"$D/set_ftrace_filter"
else
	skip "$case_name" 'this kernel refuses them'
fi

begin 'with only what is not as the kernel starts'
fresh
t -i "$I" save
same "$(grep -vc '^#' out)" 0 'nothing in a new instance'
echo 0 >"$D/tracing_on"
t -i "$I" save
same "$(grep -v '^#' out)" off 'one setting is one line'
echo 1 >"$D/tracing_on"
echo sched:sched_process_exit >"$D/set_event"
t -i "$I" save
same "$(grep -v '^#' out)" 'off
enable sched:sched_process_exit
on' 'nothing is recorded before all is there'

begin 'many events'
fresh
echo 'syscalls:*' >"$D/set_event"
t -i "$I" save many.tsh
same "$(awk '!/^#/ && length > 110' many.tsh)" '' 'the lines are no longer than usual'
sort "$D/set_event" >filled
echo >"$D/set_event"
t -q -i "$I" many.tsh
expect 0 'are run'
true_that 'and are all enabled again' sh -c "sort '$D/set_event' | cmp - filled"

begin 'the file'
fresh
t -i "$I" save save.tsh
expect 1 'one that is there is not written to'
says 'exists already' 'is said'
says 'save -f save.tsh' 'and how'
echo precious >precious
ln -s precious link.tsh
t -i "$I" save -f link.tsh
expect 1 'nor is a link followed'
same "$(cat precious)" precious 'what it leads to stays'
mkfifo fifo
t -i "$I" save -f fifo
expect 1 'nor a pipe replaced'
ln -s nowhere dangling.tsh
t -i "$I" save dangling.tsh
expect 1 'nor is one made behind a link'
true_that 'there' test ! -e nowhere
echo 13 >"$D/buffer_percent"
t -i "$I" save -f save.tsh
expect 0 '-f replaces it'
same "$(grep -v '^#' save.tsh)" 'off
write buffer_percent 13
on' 'with what is set now'
same "$(ls save.tsh*)" save.tsh 'and leaves nothing beside it'
t -i "$I" save no/such/folder.tsh
expect 1 'a folder that is not there fails'
t -i "$I" save -
prints '^write buffer_percent 13$' '- is stdout'
t -i "$I" -c 'save | grep -c percent'
same "$out" 1 'and a program can read it'

begin 'diff'
fresh
sleeper
fill "$D"
t -i "$I" save a.tsh
echo 20 >"$D/buffer_percent"
echo 0 >"$D/events/signal/signal_generate/enable"
echo 1 >"$D/events/signal/signal_deliver/enable"
echo "$other_quiet_task" >"$D/set_event_pid"
echo 0 >"$D/events/sched/sched_process_exit/filter"
t -i "$I" save b.tsh
t -i "$I" diff a.tsh
expect 1 'status 1'
grep '^[-+]' "$TMP/out" | sort >changes
printf '%s\n' '--- a.tsh' '+++ now' '-write buffer_percent 13' '+write buffer_percent 20' \
	'-filter sched:sched_process_exit (pid==5)||(pid==6)' '+enable signal:signal_deliver' \
	'-enable signal:signal_generate' "-write set_event_pid $sleeper" "-write set_event_pid $quiet_task" \
	"+write set_event_pid $other_quiet_task" |
	sort >filled
same "$(diff filled changes)" '' 'each change is a line of - and one of +'
cp "$TMP/out" now.diff
t diff a.tsh b.tsh
expect 1 'two files: status 1'
same "$(sed 1,2d "$TMP/out")" "$(sed 1,2d now.diff)" 'the same lines'
t diff b.tsh a.tsh
same "$(sed '1,2d; s/^+/x/; s/^-/+/; s/^x/-/' "$TMP/out" | sort)" "$(sed 1,2d now.diff | sort)" 'the other way round the signs are'
t --json diff a.tsh b.tsh
expect 1 'JSON'
json 'its rows have file, before and after' "$TMP/out" '
assert len(rows) == 7, rows
assert {"type": "difference", "instance": None, "file": "buffer_percent", "before": "13", "after": "20"} in rows, rows'
t diff a.tsh a.tsh
expect 0 'a file and itself: status 0'
t diff nosuch.tsh
expect 2 'trouble: status 2'
printf 'off\nstream -n 1\n' >other.tsh
t diff other.tsh
expect 2 'what is no save: status 2'
says "other.tsh:2: 'stream' is no command of a save" 'and the line is said'
echo 'enable   sched_switch' >short.tsh
t -i "$I" diff short.tsh
expect 2 'an event without its system is no save, either'
says "short.tsh:1: 'sched_switch' is no event" 'which is said'
says '^hint: write sched:sched_switch$' 'and what it is called'
echo 'enable nosuch' >short.tsh
t -i "$I" diff short.tsh
unlike "$err" '^hint: write' "$case_name: of a name that no event has nothing is"
without_hists "$D"
remove_instance
fresh
t -i "$I" diff
expect 0 'without a file, where nothing is set: status 0'
echo 20 >"$D/buffer_percent"
t -i "$I" diff
expect 1 'and where something is: status 1'
same "$(sed 1,2d "$TMP/out")" '+write buffer_percent 20' 'it is printed'

begin 'diff of sizes that sub-buffers round'
fresh
for subbuf in 4 8 64; do
	if ! echo 4 >"$D/buffer_subbuf_size_kb"; then
		skip "$case_name" 'this kernel has sub-buffers of a page'
		break
	fi
	echo 258 >"$D/buffer_size_kb"
	echo $subbuf >"$D/buffer_subbuf_size_kb"
	rm -f sizes.tsh
	t -i "$I" save sizes.tsh
	t -i "$I" --restore -c 'buffer 1M' -c 'source sizes.tsh' -c 'diff sizes.tsh'
	expect 0 "sourced where sub-buffers have $subbuf KB: the same"
	t -i "$I" --restore -c 'source sizes.tsh' -c "buffer $((258 + 2 * subbuf))K" -c 'diff sizes.tsh'
	expect 1 "two sub-buffers of $subbuf KB more are others"
	like "$out" '^-buffer 258K$' "$case_name: with both sizes"
done 2>/dev/null

begin 'all instances'
fresh
echo 20 >"$D/buffer_percent"
t save -a
expect 0 'save -a'
prints '^instance use top$' 'the top one has its section'
prints "^try instance create $I else instance use $I\$" 'this one is made'
true_that 'and filled' sh -c "sed -n '/^instance use $I\$/,/^instance/p' '$TMP/out' | grep -qx 'write buffer_percent 20'"
grep -v "^$" "$TMP/out" >all.tsh
t -n all.tsh
expect 0 '-n accepts it'
t diff all.tsh
expect 0 'diff: all is the same'
echo 30 >"$D/buffer_percent"
t diff all.tsh
expect 1 'but one that changes'
prints "^@@ instance $I\$" 'is named'
prints '^\+write buffer_percent 30$' 'and shown'

begin 'the top instance, with probes'
# needs kprobes top
fresh
if [ -e "$TRACING/kprobe_events" ] && echo "p:live_$$/probe vfs_read count=$(register)" 2>/dev/null >>"$TRACING/kprobe_events"; then
	# each read is an event of the top-level buffer, and there are many
	erases
	cd "$TRACING" || exit 1
	echo "r3:live_$$/return vfs_read" >>kprobe_events
	# shellcheck disable=SC2016
	! grep -q 'e\[:' README || echo "e:live_$$/eprobe sched.sched_process_exec pid=\$pid:u32" >>dynamic_events
	[ ! -e synthetic_events ] || echo "live_$$ u64 lat; pid_t pid; char comm[16]" >>synthetic_events
	echo 'count > 100' >"events/live_$$/probe/filter"
	echo 'stacktrace:3 if count == 123456789' >>"events/live_$$/probe/trigger"
	echo 1 >"events/live_$$/probe/enable"
	echo 1 >"events/live_$$/return/enable"
	echo 'vfs_read vfs_write' >set_ftrace_filter
	echo vfs_open >set_ftrace_notrace
	# what is added goes again, newest first
	empty()
	{
		echo 0 >"events/live_$$/probe/enable"
		echo 0 >"events/live_$$/return/enable"
		echo '!stacktrace' >>"events/live_$$/probe/trigger"
		echo >set_ftrace_filter
		echo >set_ftrace_notrace
		! grep -q "e:live_$$/eprobe" dynamic_events || echo "-:live_$$/eprobe" >>dynamic_events
		[ ! -e synthetic_events ] || echo "!live_$$" >>synthetic_events
		echo "-:live_$$/return" >>kprobe_events
		echo "-:live_$$/probe" >>kprobe_events
	}
	settings . >"$TMP/filled"
	t save "$TMP/top.tsh"
	expect 0 'save'
	t save --boot "$TMP/boot"
	expect 0 'save --boot'
	like "$(cat "$TMP/boot")" "^kprobe_event=\"p:live_$$/probe,vfs_read,count=$(register);r3:live_$$/return,vfs_read\"\$" "$case_name: the probes as a parameter"
	like "$(cat "$TMP/boot")" "^trace_trigger=\"?probe.stacktrace:3 if count == 123456789\"?\$" "$case_name: the trigger"
	like "$(cat "$TMP/boot")" "^trace_event=live_$$:probe,live_$$:return\$" "$case_name: the events"
	like "$(cat "$TMP/boot")" "^ftrace_filter=vfs_(read,vfs_write|write,vfs_read)\$" "$case_name: the functions"
	like "$(cat "$TMP/boot")" "^# no parameter: filter live_$$:probe 'count > 100'\$" "$case_name: what has none is a comment"
	t -i "$I" save
	like "$out" "^# all instances have: append dynamic_events 'p:live_$$/probe vfs_read" "$case_name: in an instance they are a remark"
	empty
	t -n "$TMP/top.tsh"
	expect 0 '-n where there is no probe yet'
	t -q -f "$TMP/top.tsh"
	expect 0 'it is run'
	same "$(settings . | diff "$TMP/filled" -)" '' 'all is as it was'
	t diff "$TMP/top.tsh"
	expect 0 'diff finds nothing'
	empty
	t -q --restore -f "$TMP/top.tsh"
	expect 0 'with --restore'
	false_that 'it leaves no probe' grep -q "live_$$" dynamic_events
	cd "$TMP" || exit 1
else
	skip "$case_name" 'this kernel has no kprobes'
fi

begin 'systems at boot'
fresh
t -i "$I" -c 'enable --yes sched timer' -c 'enable signal:signal_generate' -c 'save --boot'
expect 0 'save --boot'
prints "^trace_instance=$I,sched:,signal:signal_generate,timer:\$" 'all of a system in one word'
unlike "$out" 'that is more than' "$case_name: which is short"
t -i "$I" -c 'disable sched:sched_switch' -c 'save --boot'
prints "^trace_instance=$I,sched:sched_.*,signal:signal_generate,timer:\$" 'not where one is off'
unlike "$out" 'sched:sched_switch' "$case_name: that one is left out"
for system in timer block irq workqueue signal kmem ext4 syscalls; do
	[ -d "$D/events/$system" ] || continue
	for one in "$D/events/$system"/*/; do
		one=$(basename "$one")
		break
	done
	t -i "$I" -c "enable --yes $system" -c "disable $system:$one" -c 'save --boot'
	length=$(printf '%s\n' "$out" | grep -v '^#' | tr '\n' ' ' | wc -c)
	if [ "$length" -gt 2048 ]; then wanted='the 2048 bytes of most kernels'
	elif [ "$length" -gt 1024 ]; then wanted='the 1024 bytes of arm and of many boot loaders'
	else wanted=; fi
	same "$(printf '%s\n' "$out" | sed -n 's/^# that is more than //p')" "$wanted" "$length bytes"
done

finish
