#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# Instances that a session has made: what stays of them, what goes, and what is said of both.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

begin 'what somebody has changed in an instance of ours'
fresh
made=$I-made
filter=$TRACING/instances/$made/events/sched/sched_process_exec/filter
sessions
tell_one "instance create $made"
tell_one 'filter sched:sched_process_exec common_pid == 3'
tell_one 'clock mono'
echo 'common_pid == 9' >"$filter"
end_one
expect 1 'the end fails'
says "^instance '$made': not removed, as somebody else has changed what was set in it" 'the instance is left, and why'
says "filter: changed by somebody else since .now common_pid == 9" 'as the value is'
same "$(cat "$filter")" 'common_pid == 9' 'which is there'
like "$(cat "$TRACING/instances/$made/trace_clock")" '\[local\]' "$case_name: what nobody else has changed goes back"
echo 'common_pid == 3' >"$filter"
t recover
expect 0 'recover'
false_that 'removes it when the value is ours again' test -d "$TRACING/instances/$made"
end_two
nothing_left

begin 'a size that somebody has changed in an instance of ours'
fresh
made=$I-made
sessions
tell_one "instance create $made"
tell_one 'buffer 200K'
tell_one 'clock mono'
echo 777 >"$TRACING/instances/$made/buffer_size_kb"
tell_one 'undo 3'
true_that 'it is left' test -d "$TRACING/instances/$made"
like "$(cat "$TRACING/instances/$made/trace_clock")" '\[local\]' "$case_name: the clock goes back, which goes before the size"
tell_one 'option sym-offset on'
tell_one undo
same "$(grep -c "^instance '$made': not removed" "$TMP/1.err")" 1 'what was left is tried again without a word'
end_one
same "$(ls /run/tracesh | grep -c "^$one-")" 1 'a journal says what is left'
t recover --forget
expect 0 'recover --forget'
true_that 'leaves it' test -d "$TRACING/instances/$made"
end_two
nothing_left
rmdir "$TRACING/instances/$made"

begin 'where another session has settings in it, too'
fresh
made=$I-made
filter=$TRACING/instances/$made/events/sched/sched_process_exec/filter
sessions
tell_one "instance create $made"
tell_one 'filter sched:sched_process_exec common_pid == 3'
tell_two "instance use $made"
tell_two 'option sym-offset on'
echo 'common_pid == 9' >"$filter"
end_one
end_two
same "$(cat "$filter")" 'common_pid == 9' 'it does not go with that one either'
same "$(cat "$TRACING/instances/$made/options/sym-offset")" 0 'which takes its own back'
echo 'common_pid == 3' >"$filter"
t recover
false_that 'recover removes it' test -d "$TRACING/instances/$made"
nothing_left

begin 'an instance that was handed over is named when it goes'
fresh
made=$I-made
# hand_over: the second one goes on in it, alone
hand_over()
{
	sessions
	tell_one "instance create $made"
	tell_two "instance use $made"
	tell_two 'option sym-offset on'
	tell_two 'clock mono'
	end_one
	says '^1 setting stays: process [0-9]+ has set it, too, and will restore the old value: instance live-' 'who has made it names it'
}
hand_over
tell_two restore
same "$(grep -c '^3 settings taken back' "$TMP/2.err") $(grep -c "^  instance $made removed" "$TMP/2.err")" '1 1' 'restore counts and names it'
end_two
hand_over
end_two
says "^3 settings taken back; removed: instance '$made'" 'the end'
hand_over
pkill -KILL -x -P "$two" trsh-guard
kill -KILL "$two"
ended "$two"
exec 9>&-
await let_go
t recover
expect 0 'recover'
says "^process $two: 3 settings taken back; removed: instance '$made'" 'recover'
hand_over
kill -KILL "$two"
ended "$two"
exec 9>&-
true_that 'the guard' await grep -q "killed: 3 settings taken back; removed: instance '$made'" "$TMP/2.err"
nothing_left

begin 'what undo lists is what has gone back'
fresh
made=$I-made
sessions
tell_one "instance create $made"
tell_one 'option sym-offset on'
tell_one 'clock mono'
tell_two "instance use $made"
tell_two 'option sym-addr on'
tell_one 'undo 3'
true_that 'without the instance that another session goes on in' grep -q '^2 settings taken back: clock mono; option sym-offset on$' "$TMP/1.err"
true_that 'which is named' grep -q "^1 setting stays: process $two has set it, too, .* old value: instance $made$" "$TMP/1.err"
tell_two 'option hex on'
tell_two undo
lines2=$((lines2 + 2))
tell_two journal
true_that 'journal does not say that who has handed it over has ended' grep -qF "(instance '$made', handed over by another session; goes with this one)" "$TMP/2"
end_two
tell_one 'instance use top'
tell_one "instance create $made"
tell_one "instance use $made"
tell_one 'clock boot'
t -i "$made" -c 'option sym-addr on'
tell_one 'undo 2'
true_that 'nor one in which another session has kept something' grep -q '^1 setting taken back: clock boot$' "$TMP/1.err"
end_one
nothing_left
rmdir "$TRACING/instances/$made"

begin 'what stays is named'
fresh
sleeper
sessions
for line in 'clock mono' 'option sym-offset on' 'enable sched:sched_process_exec' 'buffer 300K' "pid --no-fork tid:$sleeper"; do
	tell_one "$line"
	tell_two "$line"
done
end_one
says "^[0-9]+ settings stay: process $two has set them, too, .* old value: sched:sched_process_exec in '$I', .* and [12] more" \
	'as other sessions have set it, too'
tell_two 'option sym-addr on'
t -i "$I" -c 'option sym-addr on'
end_two
says "^1 setting stays: another session has kept it, too: option sym-addr in '$I'" 'or kept it'
nothing_left

begin 'one that was killed, whose instance somebody has made anew'
fresh
made=$I-made
sessions
tell_one "instance create $made"
tell_one 'option sym-offset on'
pkill -KILL -x -P "$one" trsh-guard
kill -KILL "$one"
ended "$one"
exec 8>&-
await let_go
rmdir "$TRACING/instances/$made"
mkdir "$TRACING/instances/$made"
t recover --all
expect 0 'recover has nothing to try again'
says "^instance '$made' is gone, and what was set there; somebody has made another one of that name" 'and says why'
same "$(ls /run/tracesh | grep -c "^$one-")" 0 'no journal of it is left'
true_that 'the other one stays' rmdir "$TRACING/instances/$made"
end_two

begin 'one that was killed, whose instance others use'
fresh
made=$I-made
sessions
tell_one "instance create $made"
tell_one 'option sym-offset on'
await pgrep -x -P "$one" trsh-guard
pkill -KILL -x -P "$one" trsh-guard
kill -KILL "$one"
ended "$one"
exec 8>&-
await flock -n "$(ls /run/tracesh/"$one"-*.journal)" true
# counted: of recover --list
counted()
{
	t --json recover --list
	like "$out" "\"settings\":1,\"instances\":$1" "$2"
}
counted 1 'its instance is counted'
echo 1 >"$TRACING/instances/$made/events/sched/sched_process_exit/enable"
counted 0 'not while somebody without a journal has set an event in it'
echo 0 >"$TRACING/instances/$made/events/sched/sched_process_exit/enable"
counted 1 'again when that is gone'
tell_two "instance use $made"
tell_two 'option sym-addr on'
counted 0 'nor while a session that lives has set something in it'
tell_two undo
t recover --all
expect 0 'recover'
end_two
nothing_left

begin 'one that was handed over, deleted and made anew by somebody else'
fresh
made=$I-made
sessions
tell_one "instance create $made"
tell_two "instance use $made"
tell_two 'option sym-offset on'
end_one
tell_two 'instance use top'
tell_two "instance delete $made"
mkdir "$TRACING/instances/$made"
end_two
expect 0 'the end of whoever deleted it'
true_that 'the other one stays' rmdir "$TRACING/instances/$made"
nothing_left

begin 'one that another session is in, and has set nothing in'
fresh
made=$I-made
sessions
tell_one "instance create $made"
tell_two "instance use $made"
tell_one restore
false_that 'goes with who has made it' test -d "$TRACING/instances/$made"
echo 'option hex on' >&9
true_that 'the other one is told' await grep -q "the instance '$made' is gone: somebody deleted it" "$TMP/2.err"
true_that 'and what to type next' grep -q '^hint: instance use top$' "$TMP/2.err"
tell_two 'instance use top'
end_two
expect 1 'whose failed command is its status'
end_one
nothing_left

begin 'one in which another session has settings, deleted'
fresh
made=$I-made
sessions
tell_one "instance create $made"
tell_one 'option sym-offset on'
t instance delete "$made"
expect 1 'is not deleted unasked'
asked="this deletes the instance, in which process $one, another tracesh, has 2 settings"
says "error: $asked: this needs --yes" 'and whose settings it has is said'
true_that 'it is still there' test -d "$TRACING/instances/$made"
t --yes instance delete "$made"
expect 0 'with --yes it is deleted'
says "process $one, another tracesh, had settings in '$made'" 'and whose settings it had is said'
end_one
like "$err" "^instance '$made' is gone, and what was set there\$" "$case_name: as its session says"
mkdir "$TRACING/instances/$made"
t instance delete "$made"
expect 0 'another one of that name is deleted'
unlike "$err" 'had settings' "$case_name: without a word"
end_two
nothing_left

begin 'one in which other sessions have settings, deleted at the prompt'
fresh
made=$I-made
sessions
tell_one "instance create $made"
tell_one 'option sym-offset on'
asked="this deletes the instance, in which process $one, another tracesh, has 2 settings"
if [ -n "$PYTHON" ]; then
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q -i "$I" <<S
expect > \$
send instance delete $made\\r
expect $asked; go on\\? \\[y/N\\] \$
send \\r
expect not done
expect > \$
send !echo one >$TRACING/instances/$made/trace_marker\\r
expect > \$
send instance delete $made\\r
expect erases 1 unread event of '$made'; go on\\? \\[y/N\\] \$
send n\\r
expect not done
expect > \$
send quit\\r
S
	expect 0 'is asked about, once'
fi
tell_two "instance use $made"
tell_two 'option sym-addr on'
t instance delete "$made"
says "process ($one|$two), another tracesh, and 1 more have 3 settings: this needs" 'of several there is one number'
tell_two "instance use $I"
t --yes instance delete "$made"
expect 0 'is deleted'
end_one
end_two
nothing_left

begin 'one that two sessions have set something in, deleted'
fresh
made=$I-made
sessions
tell_one "instance create $made"
tell_two "instance use $made"
tell_two 'option sym-offset on'
tell_two "instance use $I"
t --yes instance delete "$made"
end_one
like "$err" "^instance '$made' is gone, and what was set there\$" "$case_name: is said to be gone"
unlike "$err" 'stays|taken back' "$case_name: not to stay with the other one, nor to go"
end_two
nothing_left

finish
