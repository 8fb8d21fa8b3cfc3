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

finish
