#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# Filters: set, judged, kept.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'set, show, clear'
fresh
t -i "$I" filter sched_switch 'prev_pid == 0 || next_pid == 0'
expect 0 'set'
file_is events/sched/sched_switch/filter 'prev_pid == 0 || next_pid == 0' 'the kernel has it'
t -i "$I" filter sched_switch
prints 'prev_pid == 0 \|\| next_pid == 0' 'filter EVENT shows it'
t -i "$I" filter
prints '^sched:sched_switch +prev_pid == 0' 'filter lists it'
same "$(wc -l <"$TMP/out")" 1 'and only it'
t -i "$I" filter sched_switch clear
expect 0 'clear'
file_is events/sched/sched_switch/filter none 'it is gone'

# Whatever stands inside quotes is the kernel's.
hard='prev_comm ~ "a|b;c#$x" && prev_comm != '"'"'it "is" # ; | ${x}'"'"' && prev_pid != -1'
begin 'hard characters'
fresh
printf 'filter sched_switch %s\n' "$hard" >"$TMP/hard.tsh"
t -i "$I" -c "filter sched_switch $hard"
expect 0 'by -c'
file_is events/sched/sched_switch/filter "$hard" '-c passes them on'
echo 0 >"$D/events/sched/sched_switch/filter"
t -i "$I" "$TMP/hard.tsh"
expect 0 'by a file'
file_is events/sched/sched_switch/filter "$hard" 'a file passes them on'
echo 0 >"$D/events/sched/sched_switch/filter"
status=0
"$TRACESH" -i "$I" <"$TMP/hard.tsh" >"$TMP/out" 2>"$TMP/err" || status=$?
expect 0 'by stdin'
file_is events/sched/sched_switch/filter "$hard" 'stdin passes them on'
echo 0 >"$D/events/sched/sched_switch/filter"
t -i "$I" filter sched_switch "$hard"
expect 0 'by an argument'
file_is events/sched/sched_switch/filter "$hard" 'an argument passes them on'

begin 'outer quotes'
fresh
t -i "$I" -c "filter sched_switch 'prev_pid == 1 && prev_prio > 5'"
expect 0 "the habit of echo '..' > filter"
file_is events/sched/sched_switch/filter 'prev_pid == 1 && prev_prio > 5' 'the quotes are taken off'

begin 'several events'
fresh
t -i "$I" filter 'sched:sched_wakeup*' 'prio < 100'
expect 0 'a glob'
file_is events/sched/sched_wakeup/filter 'prio < 100' 'the first has it'
file_is events/sched/sched_wakeup_new/filter 'prio < 100' 'the second too'

begin 'a whole system'
fresh
t -i "$I" enable syscalls: if common_pid == 1
expect 0 'is filtered in one command'
same "$(cat "$D"/events/syscalls/*/filter | grep -vcx 'common_pid == 1')" 0 'all of it'
t -i "$I" enable syscalls: signal if fd == 3
expect 1 'a filter that one event refuses is refused'
same "$(cat "$D"/events/syscalls/*/filter | grep -vcx 'common_pid == 1')" 0 'and the filters stay'
same "$(cat "$D/events/signal/signal_generate/enable")" 0 'and no event is enabled'

begin 'a bad filter'
fresh
cp "$TRACING/error_log" "$TMP/log" 2>/dev/null
echo 'prev_comm == "nobody is so"' >"$D/events/sched/sched_switch/filter"
echo 1 >"$D/events/sched/sched_switch/enable"
: >"$D/trace"
for bad in 'prev_pid ==' 'nosuch == 1' 'prev_pid == "x"' '(prev_pid == 1' 'prev_comm == bash' 'prev_pid === 1' \
	'prev_pid ~ 3' '&& prev_pid == 1'; do
	t -i "$I" filter sched_switch "$bad"
	expect 1 "refused: $bad"
done
file_is events/sched/sched_switch/filter 'prev_comm == "nobody is so"' 'the event keeps its old filter'
file_is events/sched/sched_switch/enable 1 'the event stays enabled'
same "$(count_events "$D")" 0 'no event came through unfiltered'
[ ! -f "$TMP/log" ] || true_that "other people's error_log is as before" cmp "$TMP/log" "$TRACING/error_log"
same "$(cat "$D/error_log" 2>&1)" "$(cat "$TRACING/instances/$I/error_log" 2>&1)" 'nor is that of the instance changed'

# tracesh's own system calls after the write would be seen.
begin 'a bad filter of an event that never rests'
fresh
echo 'id == 98765' >"$D/events/raw_syscalls/sys_enter/filter"
echo 1 >"$D/events/raw_syscalls/sys_enter/enable"
: >"$D/trace"
t -i "$I" filter raw_syscalls:sys_enter 'id =='
expect 1 'filter refuses it'
t -i "$I" -c 'write events/raw_syscalls/sys_enter/filter nosuch == 1'
expect 1 'write refuses it'
t -i "$I" enable raw_syscalls:sys_enter if 'id == "x"'
expect 1 'enable refuses it'
same "$(count_events "$D")" 0 'not one event came through'
file_is events/raw_syscalls/sys_enter/filter 'id == 98765' 'the filter is as before'

begin 'what is said about a bad filter'
fresh
t -i "$I" -c 'filter sched_switch prev_pidd == 1'
expect 1 'an unknown field'
says 'Field not found' "the kernel's own words"
says "did you mean 'prev_pid'" 'the nearest field'
says '^ {22}\^~{8}$' 'the caret stands under the field, not beside it'
says '^<-c 1>:1:21: error:' 'line and column are those of the field'
t -i "$I" -c 'filter sched_switch prev_comm == bash'
says 'quotes' 'forgotten quotes are guessed'
t -i "$I" -c 'filter sched_switch prev_pid == 12x'
says '\^' 'a bad number has a caret'
printf '\n  filter  sched_switch   next_pidd > 4\n' >"$TMP/bad.tsh"
t -i "$I" "$TMP/bad.tsh"
says 'bad.tsh:2:26: error:' 'in a file, its name, line and column'

begin 'a filter of an event that does not exist'
t filter sched_switsh 'prev_pid == 1'
expect 1 'is refused'
says "did you mean 'sched:sched_switch'" 'with the nearest name'

finish
