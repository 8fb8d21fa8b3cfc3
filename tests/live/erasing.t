#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What makes the kernel erase events that nobody has read, in the buffer or in a snapshot, is said, asked before, or saved.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

# filled: 2,000 events in the case's instance, and nothing else
filled()
{
	echo 1408 >"$D/buffer_size_kb"
	echo >"$D/trace"
	seq -f 'number %.0f' 2000 | while read -r line; do echo "$line"; done >"$D/trace_marker"
}

held() { grep -vc '^#' "$D/snapshot"; }
unread() { awk '$1 == "entries:" { n += $2 } END { print n + 0 }' "$D"/per_cpu/cpu*/stats; }

# with_snapshot: 2,000 events in a snapshot, and three in the buffer
with_snapshot()
{
	filled
	echo 1 >"$D/snapshot"
	echo >"$D/trace"
	for line in one two three; do echo "$line"; done >"$D/trace_marker"
}

clock=$(sed 's/.*\[\(.*\)\].*/\1/' "$TRACING/trace_clock")
other=mono
[ "$clock" != mono ] || other=global
rescued=$XDG_STATE_HOME/tracesh/rescued
seq -f 'marker "number %.0f"' 2000 >"$TMP/many"

begin 'numbers as the kernel reads them'
fresh
[ ! -e "$D/buffer_subbuf_size_kb" ] || echo 4 >"$D/buffer_subbuf_size_kb"
many=$(printf '%070d' 8)
# as_echo COMMAND FILE FIRST TEXT: the command takes the text as the kernel takes it from echo, and undo takes it back
as_echo()
{
	echo "$3" >"$D/$2"
	as_before=$(cat "$D/$2")
	took=0
	echo "$4" 2>/dev/null >"$D/$2" || took=1
	kernel=$(cat "$D/$2")
	echo "$3" >"$D/$2"
	t -i "$I" -c "$1 $2 $4" -c "cat $2" -c restore
	[ $took = 0 ] || kernel=
	same "$status $out $(cat "$D/$2")" "$took $kernel $as_before" "$3, then $1 $2 '$4': as echo does, and back"
}
for text in 8 +8 08 0x8 ++8 -8 8_0 "$many"; do
	as_echo write buffer_size_kb 64 "$text"
	as_echo append per_cpu/cpu0/buffer_size_kb 64 "$text"
	as_echo write tracing_on 0 "$text"
done
for text in 1 +1 01 +0 00 0x0; do
	for file in tracing_on options/markers events/sched/sched_process_exit/enable; do
		as_echo write "$file" 0 "$text"
		as_echo write "$file" 1 "$text"
	done
done
# The kernel reads the count of a trigger in base 0.
for text in 5 010 0x10 +3; do
	trigger=$D/events/sched/sched_process_exit/trigger
	took=0
	echo "traceoff:$text if pid == -5" 2>/dev/null >"$trigger" || took=1
	kernel=$(grep -v '^#' "$trigger")
	[ $took = 1 ] || echo "!traceoff" >"$trigger"
	t -i "$I" -c "append events/sched/sched_process_exit/trigger traceoff:$text if pid == -5" -c 'cat events/sched/sched_process_exit/trigger' -c undo
	same "$status $(echo "$out" | grep -v '^#') $(grep -vc '^#' "$trigger")" "$took $kernel 0" "a count of $text: set, and taken back"
done
t -i "$I" -c 'write buffer_size_kb +99999999999'
expect 1 'a plus makes no buffer that does not fit'
says 'of memory are available' 'and why'

begin 'a text that does not reach the kernel'
fresh
event=events/sched/sched_process_exit
echo $$ >"$D/set_event_pid"
echo 'pid == 1' >"$D/$event/filter"
for file in trace_clock current_tracer buffer_percent buffer_size_kb buffer_subbuf_size_kb tracing_cpumask tracing_on \
	options/overwrite trace_options $event/filter $event/enable trace_marker; do
	[ -e "$D/$file" ] || continue
	for how in write append; do
		filled
		cat "$D/$file" >"$TMP/text_before" 2>/dev/null || :
		t -i "$I" -c "set confirm off" -c "$how $file \"\""
		expect 1 "$how $file ''"
		says "an empty text changes nothing in '$file'" 'is refused'
		unlike "$err" erased "$case_name: and no word of events"
		cat "$D/$file" >"$TMP/text_after" 2>/dev/null || :
		true_that "$file is as before" cmp -s "$TMP/text_before" "$TMP/text_after"
		same "$(unread)" 2000 "$how $file '': and the events are there"
	done
done
for line in 'append set_event_pid ""' 'append set_event ""' 'append set_event " "' 'append set_event_pid " "' \
	"append $event/trigger \"\"" 'write trace_options " "' 'marker ""'; do
	t -i "$I" -c "$line"
	expect 1 "$line"
	says 'an empty text changes nothing' "$line: is refused"
done
file_is set_event_pid $$ 'the list is as before'
t -i "$I" -c 'write set_event_pid ""'
expect 0 'what opening clears'
file_is set_event_pid '' 'is cleared'
echo 0 >"$D/$event/filter"
filled
t -i "$I" -c 'append trace "word"'
expect 1 'append trace'
says "the kernel adds no text to 'trace'" 'is refused'
for text in ' nop' 'nop '; do
	t -i "$I" -c "set confirm off" -c "write current_tracer \"$text\""
	unlike "$err" erased "$case_name: the tracer that there is, with blanks"
done
same "$(unread)" 2000 'none of that erases'
t -i "$I" -c "write trace_clock \" $clock\""
same "$(unread)" 0 'the clock that there is, with a blank, does'
says "the change erased 2000 events of '$I'" 'and that is said'

begin 'a smaller buffer, however it is typed'
fresh
for command in 'write buffer_size_kb +8' 'append buffer_size_kb 8' 'append buffer_size_kb +08' 'write buffer_size_kb 0008'; do
	filled
	t -i "$I" -c "$command"
	expect 0 "$command"
	lost=$((2000 - $(unread)))
	true_that 'the kernel drops events' test "$lost" -gt 0
	says "the change erased $lost events of '$I'" "$command: says how many went"
done
filled
for cpu in "$D"/per_cpu/cpu*; do
	t -i "$I" -c "write per_cpu/${cpu##*/}/buffer_size_kb +8"
	cat "$TMP/err"
done >"$TMP/all"
true_that 'of one CPU, too' grep -q "the change erased [0-9]* events of '$I'" "$TMP/all"

begin 'the same value, appended'
fresh
for command in "append trace_clock $clock" 'append current_tracer nop'; do
	filled
	t -i "$I" -c "$command" -c undo
	same "$status $(unread)" '0 2000' "$command: nothing is written"
done

begin 'redo'
fresh
for command in 'buffer 8K' "clock $other" 'write buffer_subbuf_size_kb 16'; do
	case $command in *subbuf*) [ -e "$D/buffer_subbuf_size_kb" ] || continue ;; esac
	filled
	echo "$clock" >"$D/trace_clock"
	filled
	{
		echo "set confirm off"
		echo "$command"
		echo undo
		cat "$TMP/many"
		echo redo
	} >"$TMP/batch"
	t -i "$I" "$TMP/batch"
	expect 0 "$command, redo"
	says "1 setting made again: $command" 'it is made again'
	same "$(grep -c "the change erased [0-9]* events of '$I'" "$TMP/err")" 2 "$command: twice it is said how many went"
done
if [ -n "$PYTHON" ]; then
	echo 1408 >"$D/buffer_size_kb"
	echo >"$D/trace"
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q -i "$I" <<S
expect > \$
send clock mono_raw\\r
expect > \$
send undo\\r
expect > \$
send marker "one"\\r
expect > \$
send redo\\r
expect another clock erases 1 unread event of '$I'; go on
send n\\r
expect not done
expect > \$
send redo\\r
expect \\[y/N\\] \$
send y\\r
expect the change erased 1 event of
expect > \$
send undo\\r
expect > \$
send quit 0\\r
S
	prints '^\[exit 0\]$' 'at the prompt it is asked before'
	[ "$status" -eq 0 ] || diag "$out$err"
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -i "$I" <<S
expect > \$
send option sym-addr on\r
expect > \$
send clock mono_raw\r
expect > \$
send option sym-offset on\r
expect > \$
send undo 3\r
expect > \$
send marker "one"\r
expect > \$
send redo 3\r
expect another clock erases 1 unread event of '$I'; go on
send n\r
expect 1 setting made again: option sym-addr on
expect not made again: clock mono_raw; option sym-offset on
expect not done
expect > \$
send cat options/sym-addr\r
expect \n1
expect > \$
send redo 3\r
expect go on
send y\r
expect 2 settings made again: clock mono_raw; option sym-offset on
expect > \$
send undo 3\r
expect 3 settings taken back: option sym-offset on; clock mono_raw; option sym-addr on
expect > \$
send quit 0\r
S
	prints '^\[exit 0\]$' 'after a no in the middle what was made stays, and redo goes on from there'
	[ "$status" -eq 0 ] || diag "$out$err"
fi

begin 'other tracers and clocks on a busy buffer'
fresh
echo 1 >"$D/events/sched/sched_switch/enable"
await more_events_than 100
t -i "$I" -c "clock $other"
says "the change erased [0-9]* events of '$I'" 'the events that come at once hide nothing'

begin 'a probe that goes'
fresh
other_name=$I-other
mkdir "$TRACING/instances/$other_name"
if echo "p:tsh_erasing/away /bin/sh:0x2000" 2>/dev/null >>"$TRACING/uprobe_events"; then
	for where in "$D" "$TRACING/instances/$other_name"; do
		echo 1 >"$where/events/tsh_erasing/away/enable"
		echo 0 >"$where/events/tsh_erasing/away/enable"
		echo kept >"$where/trace_marker"
	done
	t -c 'append uprobe_events -:tsh_erasing/away' -c keep
	expect 0 'is removed'
	same "$(unread)" 0 'the kernel erases the buffers in which it was ever on'
	for where in "$I" "$other_name"; do
		says "the change erased 1 event of '$where'" 'which is said of each'
	done
	odd=$I-'odd name'
	mkdir "$TRACING/instances/$odd"
	echo "p:tsh_erasing/away /bin/sh:0x2000" >>"$TRACING/uprobe_events"
	for where in "$D" "$TRACING/instances/$odd"; do
		echo 1 >"$where/events/tsh_erasing/away/enable"
		echo 0 >"$where/events/tsh_erasing/away/enable"
		echo kept >"$where/trace_marker"
	done
	printf "append uprobe_events 'p:tsh_erasing/more /bin/sh:0x2000\n-:tsh_erasing/away'\n" >"$TMP/batch"
	t -f "$TMP/batch"
	for where in "$I" "$odd"; do
		says "the change erased 1 event of '$where'" 'the second line of a text, and an instance of any name'
	done
	echo '-:tsh_erasing/more' >>"$TRACING/uprobe_events"
	rmdir "$TRACING/instances/$odd"
else
	skip "$case_name" 'no probes in programs here'
fi
rmdir "$TRACING/instances/$other_name"

begin 'a probe taken back that somebody had on for a while'
fresh
if echo 'p:live_on/there vfs_read' >>"$TRACING/kprobe_events" 2>/dev/null; then
	echo '-:live_on/there' >>"$TRACING/kprobe_events"
	for way in undo KILL; do
		echo >"$D/trace"
		rm -rf "$rescued"
		sessions
		tell_one 'instance use top'
		tell_one 'append kprobe_events p:live_on/x vfs_read'
		echo 1 >"$D/events/live_on/x/enable"
		cat /proc/self/comm >"$TMP/comm"
		echo 0 >"$D/events/live_on/x/enable"
		true_that "$way: there are events" test "$(unread)" -gt 0
		if [ $way = undo ]; then
			tell_one undo
			end_one
		else
			kill -KILL "$one"
			exec 8>&-
			ended "$one"
			await sh -c '! grep -q live_on/x "$1"' sh "$TRACING/kprobe_events"
			await test -e "$rescued/.notices"
			t status
		fi
		same "$(unread)" 0 "$way: the kernel erases them"
		says "taking a probe back erased [0-9]* events? of '$I'" "$way: which is said"
		end_two
	done
else
	skip "$case_name" 'no kprobes here'
fi

begin 'the names of tasks'
fresh
names_before=$(cat "$TRACING/saved_cmdlines_size")
named() { grep -q . "$TRACING/saved_cmdlines"; }
names() { grep -c . "$TRACING/saved_cmdlines"; }
# names_held: an event in the case's instance, and names that the kernel keeps until it has to
names_held()
{
	echo 1 >"$D/events/sched/sched_switch/enable"
	await_most=100
	await named
	unset await_most
	echo 0 >"$D/events/sched/sched_switch/enable"
	held=$(names)
}
# note_names: in a batch, with what they are in $TMP/noted; at times a kernel notes none for long
note_names="cat tracing_on | timeout 5 sh -c 'until grep -q . $TRACING/saved_cmdlines; do echo 1 >$D/events/sched/sched_switch/enable; done'; \
grep -c . $TRACING/saved_cmdlines >$TMP/noted; echo 0 >$D/events/sched/sched_switch/enable"
erased() { sed -n "s/^$1 the names\{0,1\} of \([0-9]*\) tasks\{0,1\}, in all instances.*/\1/p" "$TMP/err"; }
for how in write append; do
	names_held
	t -c "$how saved_cmdlines_size 8192"
	expect 0 "$how: another size"
	large=$(cat "$TRACING/saved_cmdlines_size")
	true_that "$how: it is another one" test "$large" -ge 8192
	if [ "$held" -eq 0 ]; then
		skip "$case_name: $how: how many names went is said" 'the kernel has noted none'
	else
		# other events on this machine add some
		true_that "$how: how many names went is said" test "$(erased 'the change erased')" -ge "$held"
	fi
	names_held
	t -c "$how saved_cmdlines_size 8192" -c "$how saved_cmdlines_size +$large" -c 'write saved_cmdlines_size 008192'
	unlike "$err" erase "$case_name: $how: what the kernel rounds to the same"
	true_that "$how: and the names are there" test "$(names)" -ge "$held"
	echo "$names_before" >"$TRACING/saved_cmdlines_size"
done
t -c 'write saved_cmdlines_size 8192' -c "$note_names" -c undo
expect 0 'undo'
if [ "$(cat "$TMP/noted")" -eq 0 ]; then
	skip "$case_name: undo: says it, too" 'the kernel has noted none'
else
	true_that 'undo: says it, too' test "$(erased 'taking saved_cmdlines_size back erases')" -ge 1
fi
same "$(cat "$TRACING/saved_cmdlines_size")" "$names_before" 'and the size is back'
# Somebody has given it back in between.
t -c 'write saved_cmdlines_size 8192' -c "cat tracing_on | echo $names_before >$TRACING/saved_cmdlines_size" -c "$note_names" -c undo
expect 0 'undo of a size that is back'
same "$(erased 'taking saved_cmdlines_size back erases')" '' 'undo: erases nothing'
true_that 'and the names are there' test "$(names)" -ge "$(cat "$TMP/noted")"
echo >"$D/trace"
[ -z "$PYTHON" ] || names_held
if [ -n "$PYTHON" ] && [ "$held" -eq 0 ]; then
	skip "$case_name: at the prompt it is asked before" 'the kernel has noted none'
elif [ -n "$PYTHON" ]; then
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q <<S
expect > \$
send write saved_cmdlines_size 256\\r
expect > \$
send append saved_cmdlines_size 8192\\r
expect another size erases the names? of [0-9,]* tasks?, in all instances; go on
send n\\r
expect not done
expect > \$
send quit 0\\r
S
	prints '^\[exit 0\]$' 'at the prompt it is asked before'
	[ "$status" -eq 0 ] || diag "$out$err"
	same "$(cat "$TRACING/saved_cmdlines_size")" "$names_before" 'and no keeps the size'
	true_that 'and the names' test "$(names)" -ge "$held"
fi

begin 'a snapshot'
fresh
if [ ! -e "$D/snapshot" ]; then
	skip "$case_name" 'this kernel has none'
	finish
fi
for command in 'buffer 8K' 'write buffer_size_kb +8' "clock $other" 'write snapshot 2' 'write snapshot +0' 'snapshot clear' 'snapshot free' \
	'write buffer_subbuf_size_kb 16' 'append events/sched/sched_process_exit/trigger hist:keys=common_timestamp'; do
	case $command in *subbuf*) [ -e "$D/buffer_subbuf_size_kb" ] || continue ;; esac
	case $command in *hist*) [ -e "$D/events/sched/sched_process_exit/hist" ] || continue ;; esac
	echo "$clock" >"$D/trace_clock"
	with_snapshot
	t -i "$I" -c "$command"
	expect 0 "$command"
	left=$(held)
	[ "$left" -lt 2000 ] || left=0
	! grep -q 'Snapshot is' "$D/snapshot" || left=0
	says "the change erased (3 events of '$I' and $((2000 - left)) of its snapshot|$((2000 - left)) events of the snapshot of '$I')" \
		"$command: says how many of it went"
	[ ! -e "$D/buffer_subbuf_size_kb" ] || echo 4 >"$D/buffer_subbuf_size_kb"
done
with_snapshot
t -i "$I" -c 'buffer 1400K' -c 'buffer 4M' -c 'option sym-offset on' -c 'snapshot take' -c 'tracer nop'
unlike "$err" 'erased' "$case_name: what erases nothing says nothing"
same "$(unread)" 2000 'a second take brings the older events back into the buffer'
t -i "$I" -c 'option sym-offset off' -c 'snapshot free' -c 'buffer 1408K'
with_snapshot
echo nocontext-info >"$D/trace_options"
t -i "$I" -c 'snapshot clear'
says "the change erased 2000 events of the snapshot of '$I'" 'without its header, too'
echo context-info >"$D/trace_options"
echo 0 >"$D/snapshot"

# held_of NAME: the snapshot holds the start of a program of this name, and nothing else
held_of()
{
	cp "$(command -v ls)" "$TMP/named/$1"
	echo >"$D/trace"
	echo 0 >"$D/snapshot"
	echo 1 >"$D/events/sched/sched_process_exec/enable"
	(cd "$TMP/named" && "./$1") >/dev/null 2>&1
	echo 0 >"$D/events/sched/sched_process_exec/enable"
	echo 1 >"$D/snapshot"
}

begin 'a snapshot in the words of others'
fresh
mkdir -p "$TMP/named/entries-in-buffer"
nl='
'
for options in 'context-info' 'nocontext-info' 'latency-format' 'verbose' 'raw'; do
	for word in '* Snapshot is freed *' '* Snapshot is allocated *' 'entries-in-buffer/entries-written: 0' \
		"#$nl# * Snapshot is freed *$nl#" "#$nl# entries-in-buffer#"; do
		echo "$clock" >"$D/trace_clock"
		held_of "$word"
		echo "$options" >"$D/trace_options"
		word=$(echo "$word" | tr '\n' '_')
		t -i "$I" -c snapshot
		like "$out" 'holds events' "$options, $word: it is there"
		t -i "$I" -c "clock $other" -c 'snapshot clear'
		says "the change erased .*[1-9][0-9]* (event|of its snapshot)" "$options, $word: and its loss is said"
		case $options in no*) echo "${options#no}" ;; *) echo "no$options" ;; esac >"$D/trace_options"
	done
done
echo context-info >"$D/trace_options"
t -i "$I" -c snapshot -c 'snapshot free' -c snapshot
same "$(echo "$out" | grep -Eo 'empty|none')" "empty${nl}none" 'and none is none'
rm -rf "$rescued"
echo "$clock" >"$D/trace_clock"
sessions
tell_one "clock $other"
held_of '* Snapshot is freed *'
tell_one undo
end_one
says "event.* of the snapshot of '$I' (is|are) saved as text" 'a step back saves it'
end_two
echo 0 >"$D/snapshot"

begin 'a snapshot that is taken back over'
fresh
for command in 'buffer 8M' "clock $other" 'write buffer_subbuf_size_kb 16'; do
	case $command in *subbuf*) [ -e "$D/buffer_subbuf_size_kb" ] || continue ;; esac
	rm -rf "$rescued"
	echo "$clock" >"$D/trace_clock"
	echo 8 >"$D/buffer_size_kb"
	{
		echo "$command"
		cat "$TMP/many"
		echo snapshot take
		echo "cat snapshot"
		echo restore
	} >"$TMP/batch"
	t -i "$I" "$TMP/batch"
	expect 0 "$command, restore"
	cp "$TMP/out" "$TMP/was"
	n=$(grep -vc '^#' "$TMP/was")
	says "$(echo "$n" | sed 's/...$/,&/; s/^,//') events of the snapshot of '$I' are saved as text; read them with: less $rescued/[^ ]*-$I-snapshot$" \
		"$command: says that they are saved"
	same "$(cat "$rescued"/*-"$I"-snapshot)" "$(cat "$TMP/was")" "$command: and they are there"
	echo 0 >"$D/snapshot"
done
rm -rf "$rescued"
made=$I-made
t -I "$made" --restore -c 'marker one' -c 'snapshot take'
says "1 event of the snapshot of '$made' is saved as text" 'an instance that goes with its session'
false_that 'it is gone' test -d "$TRACING/instances/$made"
true_that 'and the event is there' grep -q one "$rescued"/*-"$made"-snapshot
t -I "$made" -c 'marker one' -c 'snapshot take' -c "instance delete $made"
says "instance '$made' is deleted, with no events and 1 of its snapshot" 'one that is deleted'
rm -rf "$rescued"
start "$TMP/killed" "$TRACESH" -I "$made" -c 'marker one' -c 'snapshot take' -c 'wait 60s'
await grep -q one "$TRACING/instances/$made/snapshot"
kill -KILL "$child"
ended "$child"
true_that 'one of a session that is killed goes' await test ! -d "$TRACING/instances/$made"
true_that 'and its event is there' grep -q one "$rescued"/*-"$made"-snapshot
t status
says "1 event of the snapshot of '$made' is saved as text" 'which the next one says'
mkdir "$TMP/none"
run env XDG_STATE_HOME="$TMP/none" sh -c 'mount -t tmpfs -o ro,mode=700 tmpfs "$XDG_STATE_HOME" && exec "$@"' sh \
	"$TRACESH" -i "$I" -c "clock $other" -c 'marker hello' -c 'snapshot take' -c undo
says 'trace_clock: this would erase 1 snapshot event, which cannot be saved: .*erase them yourself: snapshot clear' 'where it cannot be saved it is said'
true_that 'and it stays' grep -q hello "$D/snapshot"
umount "$TMP/none"
t -i "$I" recover
false_that 'recover takes that back' grep -qF "[$other]" "$D/trace_clock"

begin 'a snapshot at the prompt'
fresh
if [ -n "$PYTHON" ]; then
	with_snapshot
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q -i "$I" <<S
expect > \$
send buffer 8K\\r
expect a smaller buffer may erase some of 3 unread events of '$I' and 2,000 of its snapshot; go on|a smaller buffer may erase some of 2,000 events of the snapshot
send n\\r
expect not done
expect > \$
send clock $other\\r
expect another clock erases 3 unread events of '$I' and 2,000 of its snapshot; go on
send n\\r
expect not done
expect > \$
send snapshot clear\\r
expect this erases 2,000 events of the snapshot of '$I'; go on
send n\\r
expect not done
expect > \$
send snapshot free\\r
expect this erases 2,000 events of the snapshot
send n\\r
expect not done
expect > \$
send write snapshot 0\\r
expect this erases 2,000 events of the snapshot
send n\\r
expect not done
expect > \$
send instance delete $I\\r
expect of '$I' and 2,000 of its snapshot; go on
send n\\r
expect not done
expect > \$
send quit 0\\r
S
	prints '^\[exit 0\]$' 'it is asked before'
	[ "$status" -eq 0 ] || diag "$out$err"
	same "$(held)" 2000 'and no keeps the events'
fi

finish
