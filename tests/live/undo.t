#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# undo, restore, keep.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

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

begin 'what was set already is not touched'
fresh
echo 1 >"$D/options/record-tgid"
echo sched:sched_process_exit >"$D/set_event"
t -i "$I" -c 'option record-tgid on' -c 'enable sched:sched_process_exit' -c 'enable sched:sched_process_fork' -c restore
expect 0 'restore'
file_is options/record-tgid 1 "a colleague's option stays"
file_is set_event sched:sched_process_exit "a colleague's event stays"

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
else
	skip "$case_name" 'this kernel has no buffer_percent'
fi

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
t --restore -c 'enable sched if common_pid > 0' -c 'pid 1' -c 'option record-tgid on' -c 'cpus 0' -c 'off' \
	-c 'append events/sched/sched_switch/trigger stacktrace if prev_pid == 1' -c 'on' -c 'buffer 2M'
expect 0 '--restore'

begin 'at-exit'
fresh
t -i "$I" -c 'set at-exit restore' -c 'option record-tgid on'
expect 0 'set at-exit restore'
file_is options/record-tgid 0 'takes back'

begin 'undo of an instance'
t -c "instance create live-$$-undo" -c 'enable sched' -c 'undo 2' -c instance
expect 0 'succeeds'
false_that 'it is gone' test -d "$TRACING/instances/live-$$-undo"
prints '\*.*top' 'and the top-level one is in use'

begin '-v shows the writes'
fresh
t -v -i "$I" option record-tgid on
says "echo '1' > .*instances/$I/options/record-tgid" 'as shell commands'

finish
