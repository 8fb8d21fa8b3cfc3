#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# What a session keeps after another one, which had set the same before, has ended.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

quiet_tasks
begin 'kept when the other one has ended'
while IFS='|' read -r command file want back; do
	fresh
	sessions
	tell_one "$command"
	tell_two "$command"
	end_one
	same "$status" 0 "$command: the first one ends well"
	tell_two keep
	end_two
	same "$status" 0 "$command: and so does the second one"
	true_that "$command: it stays" grep -q "$want" "$D/$file"
	echo "$back" >"$D/$file"
	nothing_left
done <<CASES
clock mono|trace_clock|\[mono\]|local
enable sched:sched_process_exit|events/sched/sched_process_exit/enable|1|0
append set_event sched:sched_process_exec|set_event|sched:sched_process_exec|!sched:sched_process_exec
filter sched:sched_process_exit pid == 7|events/sched/sched_process_exit/filter|pid == 7|0
append events/task/task_newtask/trigger stacktrace|events/task/task_newtask/trigger|^stacktrace|!stacktrace
append set_event_pid $quiet_task|set_event_pid|^$quiet_task\$|
option sym-offset on|options/sym-offset|1|0
write per_cpu/cpu0/buffer_size_kb 512|per_cpu/cpu0/buffer_size_kb|^5|1410
CASES

begin 'another value is kept'
while IFS='|' read -r command other file want by_hand now; do
	for by in '' "$by_hand"; do
		fresh
		sessions
		tell_one "$command"
		tell_two "$other"
		tell_two keep
		end_two
		[ -z "$by" ] || echo "$by" >"$D/$file"
		end_one
		same "$status" 0 "$command, $other${by:+, and then $by by hand}: the first one ends well"
		unlike "$err" 'somebody else' "$other: nobody else has changed it"
		[ -z "$by" ] || want=$now
		like "$(cat "$D/$file")" "$want" "$other: it stays"
		nothing_left
	done
done <<'CASES'
clock mono|clock boot|trace_clock|\[boot\]|mono|\[mono\]
buffer 256K|buffer 512K|buffer_size_kb|^5|256|^2
filter sched:sched_process_exit pid == 7|filter sched:sched_process_exit pid == 8|events/sched/sched_process_exit/filter|pid == 8|pid == 7|pid == 7
append set_event signal:signal_generate|append set_event !signal:signal_generate|set_event|^$|signal:signal_generate|^signal:signal_generate$
CASES

begin 'the size of one CPU is kept, and that of all goes back'
if [ -d "$TRACING/per_cpu/cpu1" ]; then
	fresh
	echo 256 >"$D/buffer_size_kb"
	sessions
	tell_one 'write buffer_size_kb 768'
	tell_two 'write per_cpu/cpu1/buffer_size_kb 512'
	tell_two keep
	end_two
	end_one
	same "$status" 0 'the first one ends well'
	says "^$I/per_cpu/cpu1/buffer_size_kb: changed by somebody else since; left as it is" 'it says what stays'
	same "$(small per_cpu/cpu1)" 512 'that CPU keeps its size'
	same "$(small per_cpu/cpu0)" 256 'and the other one has what it had'
	nothing_left
else
	skip "$case_name" 'there is one CPU'
fi

begin 'a list of tasks that was written as a whole, and is kept'
fresh
sessions
tell_one "write set_event_notrace_pid $quiet_task"
tell_two "append set_event_notrace_pid $other_quiet_task"
tell_two "write set_event_notrace_pid $quiet_task"
tell_two keep
end_two
end_one
file_is set_event_notrace_pid "$quiet_task" 'stays, though it is what was there before'
echo >"$D/set_event_notrace_pid"
nothing_left

begin 'an event that was switched off and on again, and is kept'
fresh
echo sched:sched_process_exit >"$D/set_event"
sessions
tell_two 'append set_event !sched:sched_process_exit'
tell_one 'append set_event sched:sched_process_exit'
tell_two 'append set_event sched:sched_process_exit'
tell_two keep
end_two
end_one
file_is set_event sched:sched_process_exit 'stays'
nothing_left

begin 'a task that was there before both'
fresh
sleeper
printf '%s\n' "$quiet_task" "$other_quiet_task" >"$D/set_event_pid"
sessions
tell_one "write set_event_pid $sleeper"
tell_two "append set_event_pid $other_quiet_task"
end_one
end_two
same "$status" 0 'is no change of somebody else'
same "$(sort "$D/set_event_pid")" "$(printf '%s\n' "$quiet_task" "$other_quiet_task" | sort)" 'it is there again'
nothing_left

begin 'what stays is not said to be taken back'
fresh
sessions
tell_one 'clock mono'
tell_two 'clock mono'
tell_one 'append events/task/task_newtask/trigger stacktrace'
tell_two 'append events/task/task_newtask/trigger stacktrace'
tell_two undo
tell_two restore
true_that 'what another session has set, by undo' grep -q "^1 setting stays: process $one has set it, too, .*: trigger" "$TMP/2.err"
true_that 'and by restore' grep -q "^1 setting stays: process $one has set it, too, and will restore the old value: clock in '$I'\$" \
	"$TMP/2.err"
tell_two 'clock mono'
tell_one keep
end_one
tell_two restore
true_that 'what it has kept' grep -q "^1 setting stays: it had this value before the command: clock in '$I'\$" "$TMP/2.err"
false_that 'and no more is said' grep -q 'taken back' "$TMP/2.err"
end_two
true_that 'the clock stays' grep -q '\[mono\]' "$D/trace_clock"
echo '!stacktrace' >"$D/events/task/task_newtask/trigger"
nothing_left
for file in set_event_pid set_event_notrace_pid; do
	fresh
	echo "$quiet_task" >"$D/$file"
	sessions
	tell_one "append $file $quiet_task"
	tell_one restore
	tell_two "append $file $other_quiet_task"
	tell_two "append $file $other_quiet_task"
	tell_two undo
	true_that "$file: a task that was listed by hand" grep -q '^1 setting stays: it had this value before the command: tasks ' "$TMP/1.err"
	true_that "$file: a task that we have listed before" grep -q '^1 setting stays: it had this value before the command: tasks ' "$TMP/2.err"
	same "$(cat "$TMP/1.err" "$TMP/2.err" | grep -c 'taken back')" 0 "$file: no more is said"
	end_one
	end_two
	same "$(cat "$D/$file")" "$quiet_task" "$file: it stays"
	echo >"$D/$file"
	nothing_left
done

while IFS='|' read -r command file back want; do
	begin "who is said to take back: $command"
	fresh
	sessions
	tell_one "$command"
	tell_two "$command"
	t -i "$I" -c "$command" -c keep
	end_two
	unlike "$err" "process $one " "$command: nobody does what somebody else has kept"
	like "$err" '^1 setting stays: ' "$command: it stays"
	end_one
	echo "$back" >"$D/$file"
	nothing_left
	sessions
	tell_one "$command"
	tell_two "$command"
	tell_one keep
	tell_one "$command"
	tell_two undo
	like "$(cat "$TMP/2.err")" '^1 setting stays: it had this value before the command: ' "$command: nor one that has only asked for it"
	echo "$back" >"$D/$file"
	end_one
	unlike "$err" 'stays' "$command: what somebody has taken back meanwhile does not stay"
	end_two
	nothing_left
	sessions
	tell_one "$command"
	tell_two "$command"
	echo "$back" >"$D/$file"
	tell_one undo
	unlike "$(cat "$TMP/1.err")" 'stays' "$command: nor where it was ours"
	like "$(cat "$TMP/1.err")" '^0 settings taken back \(1 was gone already\)$' "$command: it was gone"
	end_two
	unlike "$err" 'stays' "$command: for both"
	end_one
	nothing_left
done <<CASES
clock boot|trace_clock|local|
enable sched:sched_process_exit|events/sched/sched_process_exit/enable|0|
append set_event sched:sched_process_exec|set_event|!sched:sched_process_exec|
filter sched:sched_process_exit pid == 7|events/sched/sched_process_exit/filter|0|
append events/task/task_newtask/trigger stacktrace|events/task/task_newtask/trigger|!stacktrace|
option sym-offset on|options/sym-offset|0|
write per_cpu/cpu0/buffer_size_kb 512|per_cpu/cpu0/buffer_size_kb|1408|
CASES

begin 'what is gone already is not said to be taken back'
fresh
sessions
tell_one 'append events/task/task_newtask/trigger stacktrace'
tell_one 'option record-tgid on'
tell_one 'option sym-offset on'
tell_two 'append events/task/task_newtask/trigger !stacktrace'
echo 0 >"$D/options/record-tgid"
tell_one undo
tell_one undo
tell_one restore
same "$(grep -c '^0 settings taken back (1 was gone already)$' "$TMP/1.err") $(grep -c '^1 setting taken back: option sym-offset on$' "$TMP/1.err")" \
	'2 1' 'by another session, and by somebody'
tell_one 'option record-tgid on'
tell_one 'option sym-offset on'
echo 0 >"$D/options/record-tgid"
tell_one 'undo 2'
true_that 'one of two' grep -q '^1 setting taken back (1 more was gone already): option sym-offset on$' "$TMP/1.err"
tell_one 'option record-tgid on'
tell_one 'option record-tgid off'
tell_one restore
true_that 'what we have set and set back is' grep -q '^2 settings taken back$' "$TMP/1.err"
end_one
end_two
nothing_left

begin 'a command that ends well when the other one has ended'
fresh
sessions
tell_one 'clock mono'
mkfifo "$TMP/in3"
"$TRACESH" -i "$I" -f - <"$TMP/in3" >"$TMP/3" 2>"$TMP/3.err" 8>&- 9>&- &
third=$!
exec 7>"$TMP/in3"
printf 'clock mono\ncat tracing_cpumask\n' >&7
await has_lines "$TMP/3" 1
end_one
exec 7>&-
ended "$third"
same "$status" 0 'it keeps'
true_that 'what both have set' grep -q '\[mono\]' "$D/trace_clock"
echo local >"$D/trace_clock"
end_two
nothing_left

begin 'an instance that was handed over'
fresh
made=live-$$-made
for command in 'option sym-offset on' 'enable sched:sched_process_exec'; do
	sessions
	tell_one "instance create $made"
	tell_two "instance use $made"
	tell_two "$command"
	end_one
	tell_two keep
	true_that "$command: it counts" grep -q '^2 settings kept$' "$TMP/2.err"
	end_two
	same "$status" 0 "$command: whoever keeps ends well"
	true_that "$command: it stays" test -d "$TRACING/instances/$made"
	nothing_left
	rmdir "$TRACING/instances/$made"
done

begin 'an instance that was handed over, with nothing in it to keep'
fresh
sessions
tell_one "instance create $made"
tell_two "instance use $made"
tell_two 'option sym-offset on'
end_one
tell_two 'undo; keep'
end_two
said="^instance '$made', handed over by another session, is not kept, and goes at the end: a setting made in it keeps it\$"
like "$err" "$said" "$case_name: keep says what becomes of it"
false_that 'it goes' test -d "$TRACING/instances/$made"
nothing_left
sessions
tell_one "instance create $made"
tell_two "instance use $made"
tell_two 'option sym-offset on'
end_one
tell_two 'undo; keep; option sym-addr on; keep'
end_two
true_that 'such a setting keeps it' test -d "$TRACING/instances/$made"
nothing_left
rmdir "$TRACING/instances/$made"

begin 'kept beside a session that is gone'
fresh
sessions
tell_one 'clock mono'
kill -KILL "$(pgrep -x -P "$one" trsh-guard)" "$one"
exec 8>&-
ended "$one"
tell_two 'clock mono'
tell_two keep
t recover --all
expect 0 'recover'
true_that 'leaves what was kept since' grep -q '\[mono\]' "$D/trace_clock"
echo local >"$D/trace_clock"
end_two
nothing_left

begin 'two sessions that are gone'
fresh
sessions
tell_one 'clock mono'
tell_two 'option sym-offset on'
one_guard=$(pgrep -x -P "$one" trsh-guard) two_guard=$(pgrep -x -P "$two" trsh-guard)
kill -KILL "$one_guard" "$two_guard" "$one" "$two"
exec 8>&- 9>&-
ended "$one"
ended "$two"
await gone "$one_guard"
await gone "$two_guard"
t status
same "$(grep -c ': tracesh recover --all takes it back$' "$TMP/err")" 2 'status says what takes both back'
t recover --all
expect 0 'and it does'
nothing_left

begin 'two sessions that are gone have set the same'
fresh
sessions
tell_one 'clock mono'
tell_two 'clock boot'
one_guard=$(pgrep -x -P "$one" trsh-guard) two_guard=$(pgrep -x -P "$two" trsh-guard)
kill -KILL "$one_guard" "$two_guard" "$one" "$two"
exec 8>&- 9>&-
ended "$one"
ended "$two"
await gone "$one_guard"
await gone "$two_guard"
t recover --list
unlike "$err" 'somebody else' "$case_name: nobody else has changed it"
t recover --all
expect 0 'recover'
says "^1 setting is undone together with those of process $two, which has ended, too: clock in '$I'\$" 'says whose goes back with whose'
says "^process $two: 1 setting taken back\$" 'and counts it once'
unlike "$err" '0 settings' "$case_name: and no setting twice"
true_that 'takes both back' grep -q '\[local\]' "$D/trace_clock"
nothing_left

begin 'set beside a session that is gone'
fresh
sessions
tell_one 'clock mono'
tell_two 'clock boot'
await pgrep -x -P "$two" trsh-guard
kill -KILL "$(pgrep -x -P "$two" trsh-guard)" "$two"
exec 9>&-
ended "$two"
await flock -n "$(ls /run/tracesh/"$two"-*.journal)" true
tell_one undo
true_that 'what is taken back by recover is said to be' grep -q "^1 setting stays: process $two has set it, too, and has ended: recover will restore the old value: clock in '$I'\$" "$TMP/1.err"
t recover --all
expect 0 'recover'
true_that 'takes it back' grep -q '\[local\]' "$D/trace_clock"
end_one
nothing_left

begin 'a journal that somebody removes'
fresh
sessions
tell_one 'clock mono'
rm /run/tracesh/"$one"-*.journal
tell_one 'option sym-offset on'
kill -KILL "$(pgrep -x -P "$one" trsh-guard)" "$one"
exec 8>&-
ended "$one"
true_that 'it goes on in the other place' test -n "$(ls /var/lib/tracesh)"
t recover
expect 0 'recover'
true_that 'takes all back' grep -q '\[local\]' "$D/trace_clock"
file_is options/sym-offset 0 'what was set after that, too'
end_two
nothing_left

finish
