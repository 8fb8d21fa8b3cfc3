#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# Triggers: set, listed, removed, taken back; snapshots.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

exit_trigger=events/sched/sched_process_exit/trigger
# count: what the kernel lists of the exit event
count()
{
	grep -vc '^#' "$D/$exit_trigger"
}

begin 'set, list, remove'
fresh
t -i "$I" trigger sched_process_exit 'stacktrace:3 if pid == -77'
expect 0 'set'
file_is $exit_trigger 'stacktrace:count=3 if pid == -77' 'the kernel has it'
t -i "$I" trigger sched_process_exit 'stacktrace:3 if pid == -77'
expect 0 'the same once more'
says 'as before' 'is nothing new'
same "$(count)" 1 'and there is one'
t -i "$I" trigger
prints '^sched:sched_process_exit +stacktrace +3 +pid == -77$' 'trigger lists it'
t -i "$I" --json trigger
prints '^\{"type":"trigger","event":"sched:sched_process_exit","trigger":"stacktrace","left":"3","filter":"pid == -77"\}$' 'as JSON'
t -i "$I" trigger sched_process_fork
same "$out" '' 'another event has none'
says 'no trigger' 'which is said'
t -i "$I" trigger sched_process_exit '!stacktrace'
expect 0 'removed by its name'
same "$(count)" 0 'it is gone'
t -i "$I" -c 'trigger sched_process_exit stacktrace' -c undo
same "$(count)" 0 'undo takes it back'

begin 'what is there stays'
fresh
echo 'traceon:4 if pid == -7' >>"$D/$exit_trigger"
t -i "$I" trigger sched_process_exit traceoff
expect 1 'one of its kind is refused'
says 'has a trigger of this kind already: traceon:4 if pid == -7' 'and named'
says 'trigger sched:sched_process_exit !traceon' 'with what removes it'
t -i "$I" trigger sched_process_exit '!traceoff'
expect 1 'a removal that the kernel would carry out on another one'
says "there is no trigger 'traceoff'" 'is refused'
file_is $exit_trigger 'traceon:count=4 if pid == -7' 'it stays'
t -i "$I" -c 'trigger sched_process_exit stacktrace' -c 'trigger sched_process_exit enable_event:sched:sched_process_fork:2' -c 'undo 2'
file_is $exit_trigger 'traceon:count=4 if pid == -7' "undo leaves a colleague's"
t -i "$I" trigger sched_process_exit '!traceon if pid == 8'
expect 1 'a removal with another filter is refused'
file_is $exit_trigger 'traceon:count=4 if pid == -7' 'the kernel would have done it'
echo '!traceon' >>"$D/$exit_trigger"

begin 'events that a trigger has switched'
fresh
deliver=events/signal/signal_deliver/enable
t --restore -i "$I" -c 'enable signal:signal_deliver' -c 'trigger sched_process_exec enable_event:signal:signal_deliver' \
	-c 'disable signal:signal_deliver' -c 'cat tracing_on | cat' -c "cat $deliver"
expect 0 'on, though it was switched off since'
prints '^1\*$' 'the trigger has fired'
file_is $deliver 0 'it is off in the end'
echo 1 >"$D/$deliver"
t --restore -i "$I" -c 'trigger sched_process_exec disable_event:signal:signal_deliver' -c 'cat tracing_on | cat' \
	-c "cat $deliver"
expect 0 'off'
prints '^0\*$' 'the trigger has fired'
file_is $deliver 1 'it is on in the end'

begin 'clear and back'
fresh
echo 'stacktrace:5 if pid == -7' >>"$D/$exit_trigger"
echo 'enable_event:sched:sched_process_fork' >>"$D/$exit_trigger"
echo 'enable_event:sched:sched_process_exec:3 if pid == -9' >>"$D/$exit_trigger"
echo 'traceoff:0' >>"$D/events/sched/sched_process_fork/trigger"
cat "$D/$exit_trigger" >"$TMP/want"
t -i "$I" trigger 'sched:sched_process_*' clear
expect 0 'of a glob'
says '^4 triggers removed' 'counts them'
same "$(count)" 0 'all are gone'
t -i "$I" trigger sched_process_exit clear
expect 0 'where there is none'
says 'no trigger to remove' 'is said'
sed '1!G;h;$!d' "$TMP/want" | sed 's/:count=/:/; s/:unlimited//' | while read -r line; do
	printf '%s\n' "$line" >>"$D/$exit_trigger"
done
true_that 'the test writes them as they were' cmp "$TMP/want" "$D/$exit_trigger"
t -i "$I" -c 'trigger sched_process_exit clear' -c undo
expect 0 'undo'
true_that 'brings them back, in their order' cmp "$TMP/want" "$D/$exit_trigger"
t -i "$I" -c 'trigger sched_process_exit clear' -c undo -c undo
says 'nothing to take back' 'a second undo has nothing to do'
true_that 'and changes nothing' cmp "$TMP/want" "$D/$exit_trigger"

begin 'refusals'
fresh
t -i "$I" -c 'trigger sched_process_exit tracof'
says "did you mean 'traceoff'" 'an unknown action'
says '^ {29}\^~{5}$' 'has the caret'
t -i "$I" -c 'trigger sched_process_exit traceoff:many'
says "'many' is no count" 'a count that is none'
t -i "$I" -c 'trigger sched_process_exit enable_event:sched:sched_swich'
says "did you mean 'sched:sched_switch'" 'an unknown event behind the action'
says '^<-c 1>:1:41: error:' 'is blamed alone'
t -i "$I" -c 'trigger sched_process_exit traceoff:2  if  piid == 3'
says 'Field not found' "a bad filter: the kernel's words"
says '^ {45}\^~~~$' 'with the caret under the field'
t -i "$I" -c 'let f = piid' -c "trigger sched_process_exit traceoff if \${f} == 3"
says '^<-c 2>:1:40: error:' 'also behind a variable'
t -i "$I" trigger 'sched:sched_process_*' 'traceoff if group_dead == 1'
expect 1 'one of several events lacks the field'
same "$(cat "$D"/events/sched/*/trigger | grep -vc '^#')" 0 'nothing was written'
t -i "$I" trigger sched_process_exit clear if 'pid == 3'
expect 2 'clear takes no filter'
t -n -i "$I" trigger sched_process_exit 'traceoff if pid == 1'
expect 0 '-n'
same "$(count)" 0 'writes nothing'
for action in '' nosuch traceoff:0 enable_event:sched:nosuch 'traceoff if pid > 1 &&'; do
	t -n -i "$I" trigger sched_process_exit "$action"
	false_that "-n refuses what is wrong: '$action'" test "$status" -eq 0
	says '^ +\^' 'and has the caret'
done

begin 'a traceoff fires'
fresh
t -i "$I" trigger sched_process_exit traceoff:1
sh -c :
t -i "$I" trigger
prints '^sched:sched_process_exit +traceoff +0$' 'its count has gone down'
says 'tracing is off .* a traceoff trigger has fired' 'is said by trigger'
t -i "$I" status
prints '^stopped: +by a traceoff' 'and by status'
echo 1 >"$D/tracing_on"
t -i "$I" -c 'off' -c trigger
false_that 'is not said of an off of our own' grep -E 'tracing is off .* a traceoff' "$TMP/err"

begin 'an event that only carries a trigger'
fresh
t -i "$I" -c 'trigger sched_process_exit stacktrace if pid == -7' -c status
prints '^state: +nothing is being traced; tracing is on, nothing is enabled$' 'is not recorded, as status says'
prints '^events: +none enabled' 'nor enabled'
prints '^trigger: +sched:sched_process_exit: stacktrace' 'and its trigger is there'

begin 'an event that a trigger enables'
fresh
target=events/signal/signal_generate/enable
fires="trigger sched_switch enable_event:signal:signal_generate"
t -i "$I" --restore -c "$fires" -c "cat $target" -c 'wait 200ms' -c "cat $target" -c 'journal -v' -c journal
expect 0 '--restore'
prints '^1\*$' 'it has fired'
prints 'signal_generate/enable +0 +\(by the trigger\) +write' 'journal -v expects it'
says '^1 setting taken back' 'which is one setting'
file_is "$target" 0 'the event is off again'
t -i "$I" --restore -c 'enable signal:signal_generate' -c "$fires" -c 'wait 200ms'
file_is "$target" 0 'also one that was enabled before'
t -i "$I" --restore -c "$fires" -c 'enable signal:signal_generate' -c 'wait 100ms' -c 'trigger sched_switch clear' -c 'wait 100ms'
file_is "$target" 0 'or after'
t -i "$I" --restore -c "append events/sched/sched_switch/trigger enable_event:signal:signal_generate" -c 'wait 200ms' -c undo -c redo -c 'wait 200ms' -c undo
file_is "$target" 0 'or was appended, undone and redone'
echo 1 >"$D/$target"
t -i "$I" --restore -c "$fires" -c 'wait 100ms'
file_is "$target" 1 'one that was on stays on'
echo 0 >"$D/$target"
echo enable_event:signal:signal_generate >>"$D/events/sched/sched_switch/trigger"
await grep -qx '1\*' "$D/$target"
t -i "$I" --restore -c "$fires"
file_is "$target" '1*' "a colleague's trigger keeps its event"
echo '!enable_event:signal:signal_generate' >>"$D/events/sched/sched_switch/trigger"

begin 'counts go down meanwhile'
fresh
t -i "$I" -c 'trigger sched_process_exit stacktrace:500' -c 'cat tracing_on | sh -c :' -c undo
expect 0 'undo'
same "$(count)" 0 'takes it back'
false_that 'and calls it nobody else'"'"'s' grep 'somebody else' "$TMP/err"

begin 'snapshots'
fresh
if [ -e "$D/snapshot" ]; then
	t -i "$I" snapshot
	prints '^snapshot: +none' 'none at first'
	echo one-of-the-test >"$D/trace_marker"
	t -i "$I" snapshot take
	expect 0 'take'
	says 'holds its [1-9][0-9]* events?, in more memory: [0-9]' 'says how many, and the memory'
	t -i "$I" snapshot
	prints '^snapshot: +holds events' 'it is there'
	t -i "$I" snapshot show
	expect 0 'show'
	prints 'one-of-the-test' 'has its events'
	prints ' 20[0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9:.]*: .*one-of-the-test' 'with wall-clock times'
	t -i "$I" snapshot show -n 0
	expect 2 '-n 0 is refused'
	t -i "$I" --format kernel snapshot show
	same "$out" "$(cat "$D/snapshot")" "--format kernel is the kernel's text"
	t -i "$I" show
	false_that 'the buffer has it no more' grep one-of-the-test "$TMP/out"
	t -i "$I" status
	prints '^snapshot: +holds events, [0-9.]*[KM]' 'status has it'
	t -i "$I" snapshot clear
	expect 0 'clear'
	t -i "$I" snapshot show
	says 'snapshot of .* is empty' 'an empty one'
	t -i "$I" snapshot free
	expect 0 'free'
	says 'memory are free again' 'says so'
	t -i "$I" snapshot clear
	expect 1 'clear without one is refused'
	t -i "$I" trigger sched_process_exit snapshot:1
	expect 0 'a trigger takes one'
	t -i "$I" -c 'trigger sched_process_exit clear' -c 'snapshot free'
	expect 0 'and lets it go'
else
	t -i "$I" snapshot take
	expect 3 'a kernel without them'
	says 'CONFIG_TRACER_SNAPSHOT' 'says what it lacks'
	t -i "$I" trigger sched_process_exit snapshot
	expect 3 'nor a trigger'
	says 'CONFIG_TRACER_SNAPSHOT' 'for the same reason'
fi

begin 'histograms'
fresh
if [ -e "$D/events/sched/sched_process_exit/hist" ]; then
	t -i "$I" trigger sched_process_exit 'hist:keys=pid:vals=hitcount if prio > 0'
	expect 0 'set'
	t -i "$I" trigger
	prints 'sched:sched_process_exit +hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 +prio > 0$' 'listed'
	cat "$D/$exit_trigger" >"$TMP/want"
	t -i "$I" -c 'trigger sched_process_exit clear' -c undo
	expect 0 'cleared and back'
	true_that 'as it was' cmp "$TMP/want" "$D/$exit_trigger"
	t -i "$I" -c 'trigger sched_process_exit hist:keys=piid'
	expect 1 'a bad key'
	says 'the kernel refuses the trigger: ' "the kernel's words"
	says '^<-c 1>:1:38: error:' 'with the place'
	echo hist:keys=pid:ts0=common_timestamp >>"$D/events/sched/sched_process_fork/trigger" 2>/dev/null || :
	echo '!hist:keys=pid:ts0=common_timestamp' >>"$D/events/sched/sched_process_fork/trigger" 2>/dev/null || :
	t -i "$I" trigger sched_process_exit clear
	echo local >"$D/trace_clock"
	t -i "$I" -c 'trigger sched_waking hist:keys=pid:ts0=common_timestamp.usecs' -c 'cat trace_clock' \
		-c 'trigger sched_switch hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking)' -c 'trigger' -c 'undo 3'
	prints '\[global\]' "a histogram of times sets the clock"
	true_that 'which undo takes back' grep -q '\[local\]' "$D/trace_clock"
	same "$(cat "$D"/events/sched/*/trigger | grep -vc '^#')" 0 'with the triggers'
else
	t -i "$I" trigger sched_process_exit hist:keys=pid
	expect 3 'a kernel without them'
	says 'CONFIG_HIST_TRIGGERS' 'says what it lacks'
fi

begin 'what the kernel says of an appended one'
fresh
if [ -e "$D/error_log" ]; then
	t -i "$I" -c "append $exit_trigger 'stacktrace:5 if pidd == 1'"
	expect 1 'is refused'
	says 'the kernel refuses the filter: Field not found' "in the kernel's words"
	place=$(printf '%s\n' "$err" | sed -n 2p)
	caret=$(printf '%s\n' "$err" | sed -n 3p)
	place=${place%%pidd*} caret=${caret%%^*}
	same "${#caret}" "${#place}" 'under the field'
else
	skip "$case_name" 'a kernel without error_log'
fi

begin 'an event with only a trigger does not record'
fresh
echo 'stacktrace if pid == -77' >>"$D/$exit_trigger"
t -i "$I" status
prints '^state: +nothing is being traced' 'in status'
t -i "$I" enable
says 'no event is enabled' 'nor does enable list it'
t -i "$I" events --on
same "$out" '' 'nor events --on'
echo 1 >"$D/events/syscalls/enable" 2>/dev/null || echo 1 >"$D/events/net/enable"
others=$(grep -vc '^sched:' "$D/set_event")
t -i "$I" status
prints "^state: +recording: $others events\$" 'among many others as well'
echo 0 >"$D/events/enable"
echo '!stacktrace' >>"$D/$exit_trigger"

begin 'a traceoff that has fired'
fresh
t -i "$I" --restore -c 'enable sched_switch' -c 'trigger sched_switch traceoff' -c 'wait 300ms'
expect 0 'is no failure'
says "^(tracesh: )?(warning: )?tracing is off in '$I' and stays so: a traceoff has fired" 'and is said when all is taken back'
file_is tracing_on 0 'not undone'
t -i "$I" on
expect 0 'on switches it on'

begin 'the memory of a snapshot'
fresh
# needs snapshot
if t -i "$I" --restore -c 'trigger sched_switch snapshot:1 if prev_pid == -5' && [ $status = 0 ]; then
	says "the snapshot of '$I' still uses memory; snapshot free frees it" 'stays, which is said'
	t -i "$I" snapshot free
	t -i "$I" -c 'trigger sched_switch traceoff if prev_pid == -5' -c undo
	unlike "$err" 'snapshot' 'and not where there is none'
else
	skip "$case_name" 'no snapshots here'
fi

begin 'a traceon that has fired'
fresh
echo 0 >"$D/tracing_on"
t -i "$I" --restore -c 'trigger sched_switch traceon' -c 'wait 300ms' -c 'cat tracing_on'
same "$out" 1 'it has'
file_is tracing_on 0 'what it has switched on goes off again'
"$TRACESH" -i "$I" --restore --dry-run -c 'trigger sched_switch traceon' -c 'wait 100ms' >"$TMP/script.sh"
run sh "$TMP/script.sh"
same "$status$(cat "$D/tracing_on")" 00 'as it does by a script'
t -i "$I" -c 'trigger sched_switch traceon:1 if next_pid == -7' -c on -c 'undo 2'
expect 0 'one that has not'
unlike "$err" 'somebody' "$case_name: is not in the way of others"
file_is tracing_on 0 'and it is off as before'
echo 1 >"$D/tracing_on"
t -i "$I" --restore -c 'trigger sched_switch traceon' -c off
file_is tracing_on 1 'nor where it was on before'

finish
