#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Somebody else traces on the same machine.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin "a colleague's cat trace_pipe"
fresh
cat "$D/trace_pipe" >"$TMP/colleague" &
cat=$!
children="$children $cat"
echo one >"$D/trace_marker"
true_that 'reads' await grep -q one "$TMP/colleague"
t -i "$I" stream --for 10ms
expect 1 'stream does not steal'
says "cat \\($cat\\)" 'and says who reads'
says '^hint: ' 'and what one can do'
t -i "$I" drain
expect 1 'nor does drain'
t -i "$I" stream --here --for 10ms sched:sched_switch
expect 1 'nor stream --here'
file_is set_event '' 'which leaves nothing enabled'
t -i "$I" show
expect 0 'show looks without consuming'
t status -a
prints "cat \\($cat\\)" 'status -a tells who reads'
t -i "$I" stream -n 5 sched:sched_switch
expect 0 'a stream in an instance of its own works'
t -i "$I" run -o /dev/null sched:sched_process_exec -- true
expect 0 'and run'
t -i "$I" tracer function
false_that 'the tracer cannot be changed meanwhile' test "$status" -eq 0
echo two >"$D/trace_marker"
echo three >"$D/trace_marker"
true_that 'the colleague has all that was written' await sh -c "grep -q two '$TMP/colleague' && grep -q three '$TMP/colleague'"
same "$(grep -c 'sched_switch' "$TMP/colleague")" 0 'and nothing of ours'
kill "$cat"
wait "$cat" 2>/dev/null
t -i "$I" drain
expect 0 'when it has ended, drain works'

begin 'in the top-level instance'
# needs top
# Beside it, unread, only for as long as tracesh looks.
sleeper "$TRACING/trace_pipe"
t stream --for 10ms
expect 1 'stream does not steal'
says "sleep \\($sleeper\\)" 'and says who has it open'
t stream -n 3 sched:sched_switch
expect 0 'a stream in an instance of its own works'

begin 'a reader of one CPU'
fresh
sleeper "$D/per_cpu/cpu0/trace_pipe_raw"
t -i "$I" drain
expect 1 'of raw pages is a reader too'
says "sleep \\($sleeper\\)" 'and named'

begin 'a second tracesh'
fresh
start "$TMP/live" "$TRACESH" -i "$I" stream
true_that 'the first reads' await grep -q '^# tracesh' "$TMP/live"
first=$child
t -i "$I" drain
expect 1 'the second is refused'
says "another tracesh|tracesh \\($first\\)" 'and told why'
echo one >"$D/trace_marker"
true_that 'the first has the event' await grep -q 'one$' "$TMP/live"
kill -INT "$first"
ended "$first"
t -i "$I" drain
expect 0 'then it may'

begin 'two tracesh with instances of their own'
start "$TMP/live1" "$TRACESH" stream sched:sched_switch
one=$child
start "$TMP/live2" "$TRACESH" stream sched:sched_switch
two=$child
true_that 'the first has events' await grep -q 'sched_switch:' "$TMP/live1"
true_that 'the second too' await grep -q 'sched_switch:' "$TMP/live2"
kill -INT "$one" "$two"
ended "$one"
same "$status" 0 'the first ends well'
ended "$two"
same "$status" 0 'the second too'
true_that 'both instances are gone' no_own_instance

begin "a colleague's settings in the top-level instance"
# needs top
echo 1 >"$TRACING/options/sym-addr"
echo 'prev_pid == 1' >"$TRACING/events/sched/sched_switch/filter"
t --restore -c 'option record-tgid on' -c 'enable sched:sched_process_exit' -c 'filter sched_switch prev_pid == 2' -c 'stream -n 2 sched_switch'
expect 0 'a session comes and goes'
same "$(cat "$TRACING/options/sym-addr")" 1 'the option is there'
same "$(cat "$TRACING/events/sched/sched_switch/filter")" 'prev_pid == 1' 'and the filter'
echo 0 >"$TRACING/options/sym-addr"
echo 0 >"$TRACING/events/sched/sched_switch/filter"

finish
