#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cat, write, append: every file below the instance.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'cat'
for file in trace_clock available_tracers README events/sched/sched_switch/format; do
	t cat "$file"
	cat "$TRACING/$file" >"$TMP/want"
	true_that "$file is as the kernel gives it" diff "$TMP/want" "$TMP/out"
done
t cat events/sched
same "$out" "$(ls -A "$TRACING/events/sched" | sort)" 'a directory is listed'
t cat trace_clok
expect 1 'a file that is not there'
says "did you mean 'trace_clock'" 'the nearest is named'

begin 'files whose reading destroys'
fresh
echo kept >"$D/trace_marker"
size=$(cat "$D/buffer_size_kb")
for file in free_buffer trace_pipe per_cpu/cpu0/trace_pipe per_cpu/cpu0/trace_pipe_raw; do
	t -i "$I" cat "$file"
	expect 1 "$file is not read"
	says "'$file' is not read: ....." 'the reason is said'
done
t -i "$I" write free_buffer 1
expect 1 'free_buffer is not written'
says 'frees the ring buffer' 'the reason is said'
same "$(cat "$D/buffer_size_kb")" "$size" 'the buffer is as large'
true_that 'and as full' grep -q kept "$D/trace"

begin 'other spellings of the same files'
fresh
echo kept >"$D/trace_marker"
size=$(cat "$D/buffer_size_kb")
for path in ./free_buffer events/../free_buffer .//free_buffer free_buffer/ ./trace_pipe; do
	t -i "$I" cat "$path"
	false_that "cat $path fails" test "$status" -eq 0
	t -i "$I" write "$path" 1
	false_that "write $path too" test "$status" -eq 0
done
same "$(cat "$D/buffer_size_kb")" "$size" 'the buffer is as large'
true_that 'and as full' grep -q kept "$D/trace"

begin 'the files of another instance'
fresh
echo kept >"$D/trace_marker"
for path in free_buffer trace_pipe set_event; do
	t cat "instances/$I/$path"
	expect 1 "cat instances/NAME/$path is refused"
	says "^hint: instance use $I, then $path\$" 'and says what to do'
done
true_that 'the buffer is as full' grep -q kept "$D/trace"
t --restore append "instances/$I/set_event" sched:sched_process_exit
expect 1 'nor is one written'
file_is set_event '' 'its events are as before'
t cat instances
prints "^$I\$" 'the folder itself is listed'

begin 'files of the top instance alone'
fresh
for path in saved_cmdlines_size tracing_thresh uprobe_events instances available_events; do
	[ -e "$TRACING/$path" ] || continue
	for how in '' -n; do
		t ${how:+"$how"} -i "$I" cat "$path"
		expect 1 "cat $how $path in another instance fails"
		says '^hint: the top instance alone has it: instance use top$' 'and says where it is'
	done
done
for line in 'write saved_cmdlines_size 64' 'append uprobe_events p:tshlive/none /bin/true:0x10'; do
	path=${line#* }
	[ -e "$TRACING/${path%% *}" ] || continue
	t -i "$I" -c "$line"
	expect 1 "$line in another instance fails"
	says '^hint: the top instance alone has it: instance use top$' 'and says where it is'
done
t -i "$I" write nosuch 1
expect 1 'a file that is nowhere'
says "^hint: this kernel has no 'nosuch'\$" 'is said to be nowhere'
t append uprobe_events p:tshlive/none /nosuch:0x10
false_that 'what a file that is there does not find is refused' test "$status" -eq 0
unlike "$err" 'this kernel has no|did you mean' 'and no word of the file'

begin 'out of the instance'
top_state=$(cat "$TRACING/tracing_on")
fresh
for path in ../../tracing_on ../tracing_on /etc/passwd events/../tracing_on events/../../../tracing_on ..; do
	t -i "$I" cat "$path"
	false_that "cat $path fails" test "$status" -eq 0
	same "$out" '' 'and prints nothing'
	says 'leads out of the instance' 'and says why'
	t --dry-run -i "$I" -c "cat $path"
	same "$status: $out" '2: ' 'nor is it in a script'
	says 'leads out of the instance' 'which says why, too'
done
t -i "$I" write ../../tracing_on 0
false_that 'nor is there a way to write' test "$status" -eq 0
same "$(cat "$TRACING/tracing_on")" "$top_state" 'the file is as before'

begin 'write'
fresh
before=$(cat "$D/trace_options" | grep -c '^norecord-tgid$')
same "$before" 1 'an option is off'
t -i "$I" write trace_options record-tgid
expect 0 'an option by trace_options'
file_is options/record-tgid 1 'is set'
t -i "$I" -c 'write trace_options norecord-tgid' -c undo
file_is options/record-tgid 1 'and undone'
if [ -e "$D/buffer_percent" ]; then
	percent=$(cat "$D/buffer_percent")
	t -i "$I" -c 'write buffer_percent 17' -c 'cat buffer_percent' -c undo
	same "$out" 17 'a file without a command of its own is set'
	file_is buffer_percent "$percent" 'and undone'
else
	skip "$case_name: buffer_percent" 'this kernel has none'
fi
t -i "$I" write options/nosuch 1
expect 1 'a file that is not there'
t -i "$I" write tracing_on nonsense
expect 1 'what the kernel refuses'
says 'Invalid argument' 'its words are said'

t -i "$I" -c 'append tracing_on 1' -c 'append events/sched/sched_switch/filter 0'
expect 0 'the same value, appended'
says '^tracing_on has that value \(as before\)$' 'is one'
says '^events/sched/sched_switch/filter has that value \(as before\)$' 'a filter, too'

begin 'files where setting would destroy'
fresh
echo sched:sched_process_exit >"$D/set_event"
t -i "$I" write set_event sched:sched_process_fork
expect 1 'set_event is not set'
says 'append set_event' 'the way is shown'
file_is set_event sched:sched_process_exit 'other events stay enabled'
for file in events/enable events/sched/enable events/sched/filter; do
	t -i "$I" write "$file" 0
	expect 1 "$file is refused"
done
file_is set_event sched:sched_process_exit 'other events stay enabled'
t -i "$I" append set_event sched:sched_process_fork
same "$(sort "$D/set_event" | tr '\n' ' ')" 'sched:sched_process_exit sched:sched_process_fork ' 'append adds one'
t -i "$I" -c 'append set_event signal:signal_deliver' -c undo
same "$(sort "$D/set_event" | tr '\n' ' ')" 'sched:sched_process_exit sched:sched_process_fork ' 'and undo takes it away'
for file in dynamic_events uprobe_events kprobe_events synthetic_events; do
	[ -e "$TRACING/$file" ] || continue
	t write "$file" 'p:tshlive/x vfs_read'
	expect 1 "$file is not set"
done

begin 'a filter through write'
fresh
echo 'prev_pid == 1' >"$D/events/sched/sched_switch/filter"
t -i "$I" -c 'write events/sched/sched_switch/filter prev_pid =='
expect 1 'a bad one is refused'
file_is events/sched/sched_switch/filter 'prev_pid == 1' 'the old one stays'
t -i "$I" -c 'write events/sched/sched_switch/filter prev_pid == 2' -c undo
file_is events/sched/sched_switch/filter 'prev_pid == 1' 'undo gives it back'
t -i "$I" -c 'write events/sched/sched_switch/filter 0'
file_is events/sched/sched_switch/filter none '0 clears'

begin 'a trigger'
fresh
file=events/sched/sched_process_exec/trigger
none=$(cat "$D/$file")
echo 'traceoff:3 if pid == 1' >"$D/$file"
t -i "$I" write "$file" stacktrace
expect 1 "is not set: that removes other people's"
t -i "$I" -c "append $file stacktrace:5 if pid == 1" -c "cat $file"
expect 0 'is appended'
prints '^stacktrace:count=5 if pid == 1$' 'the kernel has it'
t -i "$I" -c "append $file enable_event:signal:signal_deliver if pid == 1" -c undo
expect 0 'undo'
like "$(cat "$D/$file")" '^stacktrace:count=5 if pid == 1$' "$case_name: leaves the other"
like "$(cat "$D/$file")" '^traceoff:count=3 if pid == 1$' "$case_name: and that of a colleague"
unlike "$(cat "$D/$file")" '^enable_event' "$case_name: and takes its own"
echo '!stacktrace:5' >>"$D/$file"
echo '!traceoff:3' >>"$D/$file"
file_is "$file" "$none" 'the test leaves none'

begin 'a hist trigger'
# needs hist
fresh
file=events/sched/sched_process_exec/trigger
if [ -e "$D/events/sched/sched_process_exec/hist" ]; then
	t -i "$I" -c "append $file hist:keys=pid:size=256 if pid > 1" -c "cat $file" -c undo
	expect 0 'appended and undone'
	prints '^hist:keys=pid.* if pid > 1' 'the kernel had it'
	unlike "$(cat "$D/$file")" '^hist' "$case_name: it is gone"
else
	skip "$case_name" 'this kernel has no hist triggers'
fi

begin 'a uprobe'
if [ -e "$TRACING/uprobe_events" ]; then
	text="p:tshlive/up $(readlink -f /bin/true):0x1000"
	fresh
	# enabled, it looks at the instruction that is there
	if (echo "$text" >>"$TRACING/uprobe_events" && echo 1 >"$D/events/tshlive/up/enable" &&
		echo 0 >"$D/events/tshlive/up/enable") 2>/dev/null; then
		echo '-:tshlive/up' >>"$TRACING/uprobe_events"
		t -c "append uprobe_events $text" -c "instance use $I" -c 'enable tshlive:up' \
			-c 'instance use top' -c 'cat uprobe_events' -c 'undo 2'
		expect 0 'made, enabled, and both undone'
		prints '^p:tshlive/up ' 'the kernel had it'
		unlike "$(cat "$TRACING/uprobe_events")" tshlive "$case_name: it is gone"
	else
		echo '-:tshlive/up' >>"$TRACING/uprobe_events" 2>/dev/null || :
		skip "$case_name" 'this kernel takes none here'
	fi
else
	skip "$case_name" 'this kernel has no uprobes'
fi

# Where it was enabled, the kernel erases the buffer when it is removed: not the top-level one here.
begin 'a kprobe'
# needs kprobes
if [ -e "$TRACING/kprobe_events" ]; then
	fresh
	# The kernel erases every buffer when an event goes that was enabled once.
	erases
	echo 'p:tshcolleague/kept vfs_write' >>"$TRACING/kprobe_events"
	t -c 'append kprobe_events p:tshlive/kp vfs_read' -c "instance use $I" -c 'enable tshlive:kp' \
		-c 'instance use top' -c 'cat kprobe_events' -c 'undo 2'
	expect 0 'made, enabled, and both undone'
	prints '^p:tshlive/kp vfs_read' 'the kernel had it'
	unlike "$(cat "$TRACING/kprobe_events")" tshlive "$case_name: it is gone"
	like "$(cat "$TRACING/kprobe_events")" '^p:tshcolleague/kept' "$case_name: that of a colleague is not"
	t -c 'append kprobe_events p:tshlive/kp vfs_read' -c 'enable nosuchevent'
	expect 1 'an error after it'
	unlike "$(cat "$TRACING/kprobe_events")" tshlive "$case_name: takes it back"
	t -c 'append kprobe_events p:tshlive/kp no_such_function_anywhere'
	expect 1 'a bad one is refused'
	echo '-:tshcolleague/kept' >>"$TRACING/kprobe_events"
else
	skip "$case_name" 'this kernel has no kprobes'
fi

begin 'a synthetic event'
# needs synthetic
if [ -e "$TRACING/synthetic_events" ]; then
	t -c 'append synthetic_events tshlive_lat u64 lat; pid_t pid' -c 'cat synthetic_events' -c undo
	if [ "$status" -eq 0 ]; then
		expect 0 'made and undone'
		prints '^tshlive_lat' 'the kernel had it'
	else
		t -c "append synthetic_events 'tshlive_lat u64 lat; pid_t pid'" -c 'cat synthetic_events' -c undo
		expect 0 'made and undone, in quotes for the ;'
		prints '^tshlive_lat' 'the kernel had it'
	fi
	unlike "$(cat "$TRACING/synthetic_events")" tshlive "$case_name: it is gone"
else
	skip "$case_name" 'this kernel has no synthetic events'
fi

begin 'what undo cannot give back'
fresh
echo one >"$D/trace_marker"
t -i "$I" -c 'write trace 0' -c undo
says 'undo cannot take this back' 'is said'

begin 'a word that is a file'
fresh
t -i "$I" -c 'cat tracing_on' -c buffer_percent
expect 2 'is no command'
says '^hint: it is a file: cat buffer_percent prints it, write buffer_percent TEXT sets it$' 'and what prints and sets it is said'

finish
