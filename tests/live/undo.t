#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# undo, restore, keep.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

begin 'more than there are'
fresh
t -i "$I" -c 'option sym-offset on' -c 'option sym-addr on' -c 'undo 5' -c 'redo 3'
expect 0 'undo and redo'
says '^there were only 2 commands to take back$' 'undo says how many there were'
says '^there were only 2 commands to make again$' 'and so does redo'
t -i "$I" -c undo -c 'undo 2'
unlike "$err" 'only' "$case_name: one whose number is not given says nothing of that"

begin 'none at all'
fresh
for none in 'undo 0' 'redo 0'; do
	t -i "$I" -c "$none"
	expect 2 "$none without a setting is refused"
	says "error: '0' is no number of commands: at least 1" "$none: with what there could be"
	t -i "$I" --restore --keep-going -c 'option sym-addr on' -c undo -c redo -c "$none"
	expect 2 "$none with one, too"
	says "error: '0' is no number of commands: at least 1" "$none: with the same words"
done

begin 'undo'
fresh
t -i "$I" -c 'option record-tgid on' -c 'enable sched:sched_process_exit' -c undo -c 'cat set_event' -c 'cat options/record-tgid'
expect 0 'succeeds'
same "$out" 1 'takes the last command back, and only that'
t -i "$I" -c 'enable sched signal' -c 'undo' -c 'cat set_event'
same "$out" '' 'a command with many writes as a whole'
t -i "$I" -c 'option sym-offset on' -c 'option sym-addr on' -c 'off' -c 'undo 2' -c 'cat options/sym-offset' -c 'cat options/sym-addr' -c 'cat tracing_on'
same "$(echo $out)" '1 0 1' 'undo 2 takes two back'
t -i "$I" undo
expect 0 'with nothing to take back'
says 'nothing to take back' 'is said'

begin 'what was taken back'
fresh
t -i "$I" -c 'option record-tgid on' -c 'write trace_clock mono' -c 'option sym-addr on' -c undo -c redo -c 'undo 2'
expect 0 'undo'
says '^1 setting taken back: option sym-addr on$' 'names the command'
says '^1 setting made again: option sym-addr on$' 'and so does redo'
says '^2 settings taken back: option sym-addr on; write trace_clock mono$' 'the newest first'
t -i "$I" -c 'write trace_clock global' -c 'option sym-addr on' -c 'option sym-offset on' -c 'option irq-info off' -c 'undo 4'
says '^4 settings taken back: option irq-info off; option sym-offset on; option sym-addr on; \.\.$' 'but not all of many'

begin 'redo of an instance'
fresh
t -c "instance create $I-made" -c undo -c redo -c 'instance use top' -c 'restore'
expect 0 'succeeds'
says "^in use: top \\(instance use $I-made goes there\\)\$" 'says where one is'

begin 'an instance that is gone'
fresh
made=$I-gone
t -I "$made" -c 'enable sched_process_exit' -c 'buffer 2M' -c "status | { cat >/dev/null; rmdir '$TRACING/instances/$made'; }" -c 'instance use top' -c undo
expect 0 'undo'
says "instance '$made' is gone, and what was set there\$" 'says so'
unlike "$err" 'taken back' "$case_name: and not that a setting was"
mkdir "$TRACING/instances/$made"
t -i "$made" -c 'enable sched_process_exit' -c 'off' -c "status | { cat >/dev/null; rmdir '$TRACING/instances/$made'; mkdir '$TRACING/instances/$made'; }" -c 'cat nosuch'
says "instance '$made' is gone, and what was set there; somebody has made another one of that name" 'one that was made anew'
unlike "$err" 'taken back' "$case_name: nor that one of them was"
rmdir "$TRACING/instances/$made"

begin 'the instance in use is gone'
top_option=$(cat "$TRACING/options/sym-offset")
fresh
t -I "$I-gone" -c 'option sym-offset on' -c "status | { cat >/dev/null; rmdir '$TRACING/instances/$I-gone'; }" -c undo \
	-c 'option sym-offset on'
expect 1 'what comes then is an error'
says "the instance '$I-gone' is gone: somebody deleted it" 'which says what it is'
unlike "$err" 'in use: top' "$case_name: the session does not go on in the top-level one"
is "$(cat "$TRACING/options/sym-offset")" "$top_option" "$case_name: where nothing is set"

begin 'what goes back is named'
fresh
t -i "$I" -c 'buffer 2M' -c 'enable sched_process_exit if pid == 3' -c 'trigger sched_process_exit stacktrace:5' -c 'clock mono' -c 'undo 4'
says "^  clock mono -> [a-z]* in '$I'\$" 'a setting'
says "^  sched:sched_process_exit enabled -> disabled in '$I'\$" 'an event'
says "^  filter of sched:sched_process_exit: pid == 3 -> none in '$I'\$" 'its filter'
says "^  trigger of sched:sched_process_exit: stacktrace:5 removed in '$I'\$" 'a trigger'
same "$(printf '%s\n' "$err" | grep -c "^  buffer 2M -> [0-9]*K in '$I'\$")" 1 'the buffer of all CPUs once'
t -i "$I" -c 'instance create live-named' -c 'instance use live-named' -c 'option record-tgid on' -c restore
says '^  instance live-named removed$' 'an instance'
unlike "$err" 'record-tgid on ->' "$case_name: without what was in it"
t -i "$I" -c 'enable net sched' -c restore
same "$(printf '%s\n' "$err" | grep -c 'enabled -> disabled')" 6 'not all of many'
says '^  and [0-9]+ more$' 'but how many more'
t -i "$I" -c 'enable sched_process_exit' -c 'disable sched_process_exit' -c restore
unlike "$err" '->' "$case_name: nothing of what was there and back"

begin 'a probe that goes back is named'
fresh
if [ -e "$TRACING/uprobe_events" ] && [ -e "$TRACING/dynamic_events" ] &&
	echo "p:live_undo_$$/f $(command -v cat):0x1000" >>"$TRACING/uprobe_events"; then
	t -c "append dynamic_events -:live_undo_$$/f" -c undo
	says "^  dynamic_events: live_undo_$$/f restored\$" 'without what removes it'
	echo "-:live_undo_$$/f" >>"$TRACING/uprobe_events"
else
	skip "$case_name" 'no probes of programs'
fi

begin 'what was set already is not touched'
fresh
echo 1 >"$D/options/record-tgid"
echo sched:sched_process_exit >"$D/set_event"
t -i "$I" -c 'option record-tgid on' -c 'enable sched:sched_process_exit' -c 'enable sched:sched_process_fork' -c restore
expect 0 'restore'
file_is options/record-tgid 1 "a colleague's option stays"
file_is set_event sched:sched_process_exit "a colleague's event stays"

begin 'a bit that is spelled another way'
fresh
t -i "$I" --restore -c 'write events/sched/sched_process_exit/enable 01'
expect 0 'is taken back'
file_is events/sched/sched_process_exit/enable 0 'and the event is off'
t -i "$I" --restore -c 'off' -c 'write tracing_on 2'
expect 0 'as is a 2'
file_is tracing_on 1 'and tracing is on'

begin 'what only one instance has'
# needs top
option=options/trace_printk_dest
if [ "$(cat "$TRACING/$option" 2>/dev/null)" = 1 ]; then
	fresh
	made=$I-made
	mkdir "$TRACING/instances/$made"
	echo 1 >"$D/$option"
	t -i "$made" -c 'option trace_printk_dest on' -c "cat $option" -c restore -c "cat $option"
	expect 0 'succeeds'
	same "$(echo $out)" '1 0' 'another one gets it, and loses it'
	is "$(cat "$D/$option")" 1 'whoever had it before has it again'
	t -i "$made" --restore -c 'write trace_options trace_printk_dest' -c 'instance use top' -c 'option trace_printk_dest on' -c "cat $option" -c undo -c "cat $option"
	same "$(echo $out)" '1 0' 'the top-level instance gets it, and loses it'
	is "$(cat "$D/$option")" 1 "$case_name: and at the end whoever had it has it again"
	mkdir "$TRACING/instances/$made-2"
	sessions
	tell_one "instance use $made; option trace_printk_dest on"
	tell_two "instance use $made-2; option trace_printk_dest on"
	end_one
	is "$(cat "$TRACING/instances/$made-2/$option")" 1 "$case_name: who has taken it last keeps it"
	is "$(cat "$D/$option")" 0 "$case_name: and whoever had it first waits"
	end_two
	is "$(cat "$D/$option")" 1 "$case_name: until the end of that one"
	nothing_left
	rmdir "$TRACING/instances/$made-2"
	odd="$TRACING/instances/$I odd"
	mkdir "$odd"
	echo 1 >"$odd/$option"
	t -i "$made" --restore -c 'option trace_printk_dest on'
	expect 1 'an instance with a blank in its name has it'
	says "instance '$I odd' has trace_printk_dest, and undo cannot restore it" 'which is said'
	says "^hint: by hand: echo 1 >$TRACING/instances/$made/$option\$" 'and what can be typed'
	is "$(cat "$odd/$option")" 1 "$case_name: and it keeps it"
	echo 1 >"$TRACING/$option"
	rmdir "$odd"
	echo 0 >"$D/$option"
	rmdir "$TRACING/instances/$made"
else
	skip "$case_name" 'the top-level instance does not have trace_printk_dest'
fi

begin 'keep'
fresh
t -i "$I" --restore -c 'option record-tgid on' -c keep -c 'option sym-addr on'
expect 0 'succeeds'
file_is options/record-tgid 1 'what was kept stays'
file_is options/sym-addr 0 'what came later is taken back'

begin 'somebody else changed it since'
fresh
t -i "$I" -c 'option record-tgid on' -c 'write buffer_percent 31' -c "cat tracing_on | echo 44 >'$D/buffer_percent'" -c 'undo 2'
if [ -e "$D/buffer_percent" ]; then
	expect 1 'is a failure'
	says 'buffer_percent: changed by somebody else' 'the file is named'
	file_is buffer_percent 44 'their value stays'
	file_is options/record-tgid 0 'the rest is taken back'
	t -i "$I" --restore -c 'write buffer_percent 31' -c "cat tracing_on | echo 45 >'$D/buffer_percent'"
	expect 1 'so it is at the end, under --restore'
	says 'buffer_percent: changed by somebody else' 'which names it, too'
else
	skip "$case_name" 'this kernel has no buffer_percent'
fi

"$TRACESH" recover --all --forget -q 2>/dev/null

begin 'ours again'
fresh
echo 'common_pid == 2' >"$D/events/sched/sched_process_exit/filter"
theirs="status | { cat >/dev/null; echo 'common_pid == 4' >'$D/events/sched/sched_process_exit/filter'; }"
ours="status | { cat >/dev/null; echo 'common_pid == 3' >'$D/events/sched/sched_process_exit/filter'; }"
t -i "$I" --keep-going -c 'option sym-addr on' -c 'enable sched_process_exit if common_pid == 3' -c "$theirs" -c undo \
	-c 'cat events/sched/sched_process_exit/filter' -c redo -c undo -c undo -c "$ours" -c restore
expect 1 'one undo has failed'
prints '^common_pid == 4' 'their value stays'
says '^1 setting made again: enable sched_process_exit if common_pid == 3; what undo had left stays as it is' 'redo says that it is a part'
says '^1 setting taken back: option sym-addr on' 'undo goes on with the one before'
file_is events/sched/sched_process_exit/filter 'common_pid == 2' 'restore takes it back when it is ours again'
file_is events/sched/sched_process_exit/enable 0 'like the rest'
t -i "$I" --keep-going -c 'enable sched_process_exit if common_pid == 3' -c "$theirs" -c undo -c "$ours" -c undo
file_is events/sched/sched_process_exit/filter 'common_pid == 2' 'and so does undo, when there is nothing else'
true_that 'no journal is left' test -z "$(ls /run/tracesh 2>/dev/null)"

begin 'everything that can be set'
fresh
(cd "$D" && grep -H '' tracing_on current_tracer trace_clock buffer_size_kb per_cpu/*/buffer_size_kb buffer_percent \
	tracing_cpumask options/* set_event set_event_pid events/sched/*/filter events/sched/*/enable \
	events/sched/*/trigger 2>/dev/null) >"$TMP/want"
t -i "$I" -c 'enable sched if common_pid > 0' -c 'filter signal common_pid == 4' -c 'disable sched_switch' -c 'pid 1' -c 'pid add 1' \
	-c 'clock mono' -c 'buffer 300K' -c 'option record-tgid on' -c 'cpus 0' -c off -c 'append set_event task:' \
	-c 'append events/sched/sched_switch/trigger stacktrace if prev_pid == 1' -c 'write trace_options nooverwrite' -c restore
expect 0 'restore'
(cd "$D" && grep -H '' tracing_on current_tracer trace_clock buffer_size_kb per_cpu/*/buffer_size_kb buffer_percent \
	tracing_cpumask options/* set_event set_event_pid events/sched/*/filter events/sched/*/enable \
	events/sched/*/trigger 2>/dev/null) >"$TMP/got"
true_that 'is as it was' diff "$TMP/want" "$TMP/got"

begin 'the same in the top-level instance'
# needs top
erases # a buffer that becomes smaller again drops what does not fit, the oldest first
t --restore -c 'enable sched if common_pid > 0' -c 'pid 1' -c 'option record-tgid on' -c 'cpus 0' -c 'off' \
	-c 'append events/sched/sched_switch/trigger stacktrace if prev_pid == 1' -c 'on' -c 'buffer 2M'
expect 0 '--restore'

begin 'at-exit'
fresh
t -i "$I" -c 'set at-exit restore' -c 'option record-tgid on'
expect 0 'set at-exit restore'
file_is options/record-tgid 0 'takes back'

begin 'redo where somebody has made another instance of that name'
fresh
mkdir "$TRACING/instances/$I-made"
anew="status | { cat >/dev/null; rmdir '$TRACING/instances/$I-made'; mkdir '$TRACING/instances/$I-made'; }"
t -i "$I-made" --keep-going -c 'option sym-offset on' -c undo -c "$anew" -c 'instance use top' -c redo
same "$(cat "$TRACING/instances/$I-made/options/sym-offset")" 0 'sets nothing in it'
says "'options/sym-offset' is not set again in '$I-made': somebody has made another instance of that name since" 'and says so'
rmdir "$TRACING/instances/$I-made"
t -I "$I-made" --keep-going -c 'option sym-offset on' -c 'undo 2' -c 'redo' -c redo -c 'instance use top'
same "$(cat "$TRACING/instances/$I-made/options/sym-offset")" 1 'one that redo has made again is ours'
rmdir "$TRACING/instances/$I-made"

begin 'redo'
fresh
t -i "$I" -c 'option record-tgid on' -c 'enable sched_switch if prev_pid == 1' -c 'undo 2' -c 'cat options/record-tgid' -c redo \
	-c 'cat options/record-tgid' -c 'cat set_event' -c redo -c 'cat events/sched/sched_switch/filter' -c redo
expect 0 'succeeds'
same "$(echo $out)" '0 1 prev_pid == 1' 'makes one command again at a time, the first one first'
says 'nothing to make again' 'until there is no more'
t -i "$I" --restore -c 'option sym-addr on' -c undo -c 'option sym-offset on' -c redo -c 'cat options/sym-addr'
same "$out" 0 'a new change ends it'
t -i "$I" --restore -c 'option sym-addr on' -c 'enable sched' -c restore -c 'redo 5' -c 'cat options/sym-addr' -c undo -c undo \
	-c 'cat options/sym-addr'
same "$(echo $out)" '1 0' 'of restore, and undone again'

begin 'redo that fails on the way'
fresh
# closed FILE, opened: the file of the case's instance can be written to by nobody
closed() { echo "status | { cat >/dev/null; mount --bind -o ro $D/options/$1 $D/options/$1; }"; }
opened="status | { cat >/dev/null; while umount $D/options/sym-offset 2>/dev/null; do :; done; }"
t -i "$I" --restore --keep-going -c 'option sym-addr on' -c 'option sym-offset on' -c 'option hex on' -c 'option bin on' -c 'undo 4' \
	-c "$(closed sym-offset)" -c 'redo 3' -c 'cat options/sym-addr' -c 'journal' -c "$opened" -c 'redo 3' -c 'cat options/bin' \
	-c 'undo 4' -c 'cat options/sym-addr'
expect 3 'redo 3'
says '^1 setting made again: option sym-addr on$' 'says what is made again'
says '^not made again: option sym-offset on; option hex on$' 'and what of that which was asked for is not'
like "$out" ' 1  option sym-addr on$' 'which journal says, too'
says '^3 settings made again: option sym-offset on; option hex on; option bin on$' 'redo goes on with what was refused'
same "$(echo "$out" | grep -x '[01]' | tr '\n' ' ')" '1 1 0 ' 'all is as it is said'
t -i "$I" --restore --keep-going -c 'option sym-addr on' -c 'option sym-offset on' -c 'undo 2' -c "$(closed sym-offset)" \
	-c 'try redo 2 else status' -c 'cat options/sym-addr' -c "$opened" -c redo -c 'cat options/sym-offset'
expect 0 'where it is tried'
same "$(echo "$out" | grep -x '[01]' | tr '\n' ' ')" '1 1 ' 'what was made stays made, and the rest can be'
says '^2 settings taken back' 'and all of it goes back'
t -i "$I" -c 'option sym-addr on' -c 'option sym-offset on' -c 'undo 2' -c "$(closed sym-offset)" -c 'redo 2'
expect 3 'in a file that ends there'
says '^1 setting taken back$' 'that is taken back'
file_is options/sym-addr 0 'and is as before'
while umount "$D/options/sym-offset" 2>/dev/null; do :; done

begin 'redo of what somebody has set meanwhile'
fresh
theirs="status | { cat >/dev/null; echo 1 >'$TRACING/instances/$I-made/options/hex'; }"
t -c "instance create $I-made" -c 'option hex on' -c 'option sym-offset on' -c 'undo 2' -c "$theirs" -c 'redo 2' -c journal -c undo -c redo \
	-c 'undo 2'
expect 0 'succeeds'
says '^not made again, as it was set already: option hex on$' 'says that it is so already'
says '^1 setting made again: option sym-offset on$' 'and makes the rest'
unlike "$out" 'hex' "$case_name: journal has nothing that undo could take back"
says '^1 setting taken back: option sym-offset on$' 'undo takes back what was made'
rmdir "$TRACING/instances/$I-made" 2>/dev/null

begin 'redo after a command that was refused'
fresh
while read -r refused; do
	sessions
	tell_one 'option sym-offset on'
	tell_one undo
	tell_one "$refused"
	tell_one redo
	file_is options/sym-offset 1 "$refused: is made all the same"
	end_one
	end_two
done <<'COMMANDS'
write nosuch 1
append set_event_pid abc
enable nosuch
filter sched_process_exit nosuch == 1
trigger sched_process_exit nosuch
write trace_clock nosuch
instance create a/b
COMMANDS
sessions
tell_one 'option sym-offset on'
tell_one undo
tell_one 'option sym-addr on'
tell_one redo
end_one
says '^there is nothing to make again' 'one that has changed something ends it'
end_two

begin 'redo upon a filter and tasks of somebody else'
fresh
sleeper
sessions
tell_one 'filter sched_process_exit pid == 1'
tell_one "pid --no-fork tid:$sleeper"
tell_one 'undo 2'
tell_two 'filter sched_process_exit pid == 7'
tell_two "pid --no-fork tid:$$"
tell_one 'redo 2'
end_one
says '^the filter of sched:sched_process_exit was replaced: pid == 7$' 'says which filter it has replaced'
says "^the list of tasks in 'set_event_pid' was replaced: $$\$" 'and which tasks'
end_two
nothing_left

begin 'a value that the kernel reads as the one that is there'
fresh
sessions
tell_one 'append current_tracer " nop"'
tell_one 'write tracing_cpumask "0x1"'
tell_one 'write buffer_size_kb "1410 "'
tell_one journal
end_one
unlike "$err" 'stays' 'is no setting'
unlike "$(cat "$TMP/1")" 'current_tracer' 'and stands in no journal'
end_two
nothing_left

begin 'journal'
fresh
t -i "$I" journal
says 'nothing was changed' 'without changes'
t -i "$I" --restore -c 'option record-tgid on' -c 'enable sched:sched_process_exit' -c 'option record-tgid on' -c journal
prints '^ *1  [0-9:]{8}  1  option record-tgid on$' 'a line each command'
prints '^ *2  [0-9:]{8}  1  enable sched:sched_process_exit$' 'as typed'
same "$(echo "$out" | wc -l)" 2 'that changed something'
t -i "$I" --restore -c 'option record-tgid on' -c 'append events/sched/sched_process_exit/trigger traceoff' -c 'journal -v'
prints "^1  $I  options/record-tgid  *0  *1  *write$" 'the writes, and how they are taken back'
prints "^2  $I  events/sched/sched_process_exit/trigger  .*traceoff  line by line$" 'line by line where others have lines'
t -i "$I" --json --restore -c 'option record-tgid on' -c journal
prints '^\{"type":"journal","number":1,"time":"[0-9:]*","settings":1,"command":"option record-tgid on"\}$' 'in JSON'

begin 'an option with blanks around its name'
fresh
t -i "$I" -c "append trace_options ' record-tgid '" -c 'cat options/record-tgid' -c 'option record-tgid off' -c undo -c undo -c 'cat options/record-tgid'
expect 0 'trace_options, as the kernel takes it'
same "$(echo $out)" '1 0' 'goes back'
unlike "$err" 'it cannot be undone' "$case_name: which is not said to be none"

begin 'the load goes first'
fresh
# In the order of the writes reversed, the filter would go before the event.
t -i "$I" -c 'enable sched_switch' -c 'filter sched_switch prev_pid == -1' -c 'clear' -c 'wait 200ms' -c restore -c stats
expect 0 'restore'
says '^0 events in the buffer' 'no event came meanwhile'

begin 'a private instance'
"$TRACESH" --private -c 'enable sched_switch' -c 'wait 100ms' -c instance -c 'cat set_event' -c undo -c 'cat set_event' -c show \
	>"$TMP/out" 2>"$TMP/err"
is $? 0 "$case_name: succeeds"
like "$(cat "$TMP/out")" '^\*  tracesh-[0-9]+-1' "$case_name: is in use"
like "$(cat "$TMP/out")" 'sched_switch: prev_comm=' "$case_name: has its events"
is "$(grep -c '^sched:sched_switch$' "$TMP/out")" 1 "$case_name: undo works in it"
true_that 'is gone at the end' no_own_instance
t --private -c 'clock mono' -c 'enable sched_switch' -c 'wait 50ms' -c 'cat nosuch'
unlike "$err" 'are saved' "$case_name: nothing is saved of what was to go"
true_that 'after an error, too' no_own_instance

begin 'undo of an instance'
t -c "instance create live-$$-undo" -c 'enable sched' -c 'undo 2' -c instance
expect 0 'succeeds'
false_that 'it is gone' test -d "$TRACING/instances/live-$$-undo"
prints '\*.*top' 'and the top-level one is in use'
fresh
made=live-$$-undo
t -i "$I" -c "instance create $made-1" -c 'option sym-addr on' -c "instance create $made-2" -c 'undo' -c 'undo 2' -c 'cat options/sym-addr'
expect 0 'two in a row'
same "$(printf '%s\n' "$err" | grep '^in use: ')" "in use: $made-1
in use: $I" 'each says that one is where one was before it was made'
t -i "$I" -c "instance create $made-1" -c "instance create $made-2" -c "instance use $I" -c "instance use $made-2" -c 'undo 2' -c redo -c restore
says "^in use: $I\$" 'the last one that is still there'
says "^in use: $I \\(instance use $made-1 goes there\\)\$" 'where redo leaves one'
t -i "$I" -c "instance create $made-1" -c "instance delete $made-1" -c instance
says "is deleted, with no events; in use: $I\$" 'one that is deleted'
prints "\\*.*$I" 'is left for the same'

begin 'sizes of CPUs that differ'
if [ -d "$TRACING/per_cpu/cpu1" ]; then
	fresh
	t -i "$I" --restore -c 'buffer 512K' -c 'write per_cpu/cpu0/buffer_size_kb 64' -c 'buffer 256K' -c undo
	says "^  buffer 256K -> [0-9]+K, 5[0-9]+K.* in '$I'" 'undo names them'
else
	skip "$case_name" 'there is one CPU'
fi

begin 'restore leaves what the session stands in'
fresh
for option in "-I $I-own" --private; do
	# shellcheck disable=SC2086
	t $option --restore -c 'option sym-offset on' -c 'marker unread' -c restore -c undo -c instance -c 'drain' -c 'option sym-addr on' -c redo
	like "$err" '^1 setting taken back' "$option: restore takes back what was set in it"
	unlike "$(printf '%s\n' "$err" | sed '/redo\|made again/,$d')" 'in use: top' "$option: the instance stays"
	like "$out" '^\* .*(own|tracesh-)' "$option: and is in use"
	like "$out" ' unread$' "$option: with its events"
	like "$err" 'there is nothing to take back' "$option: nor does undo take it"
	true_that "$option: it goes at the end" test ! -e "$TRACING/instances/$I-own"
done

begin '-v shows the writes'
fresh
t -v -i "$I" option record-tgid on
says "printf '%s.n' 1 > .*instances/$I/options/record-tgid" 'as shell commands'

begin '--verbose: every write, as sh reads it'
fresh
t -v -i "$I" -c "filter sched:sched_switch prev_comm == \"it's\"" -c undo -c redo
expect 0 'a filter with an apostrophe'
sed -n 's/^+ //p' "$TMP/err" >"$TMP/writes"
same "$(grep -c 'sched_switch/filter$' "$TMP/writes")" 3 'what undo and redo write, too'
after=$(cat "$D/events/sched/sched_switch/filter")
echo 0 >"$D/events/sched/sched_switch/filter"
true_that 'sh runs them' sh -e "$TMP/writes"
file_is events/sched/sched_switch/filter "$after" 'and they do the same'
t -v stream sched:sched_switch -n 1
expect 0 'stream'
says '^[+] mkdir .*/instances/tracesh-' 'an own instance is made'
says '^[+] printf .*/instances/tracesh-.*/tracing_on' 'is written to'
says '^[+] rmdir .*/instances/tracesh-' 'and is removed'

finish
