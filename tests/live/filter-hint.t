#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# What is said about a filter that the kernel refuses, and under which of the user's words the caret stands.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# FILTER, the text above the caret, and what the hint has; each is a command of one batch.
cat >"$TMP/rows" <<'ROWS'
prev_pidd == 1|prev_pidd|did you mean 'prev_pid'\? sched:sched_switch has .*char prev_comm\[(16|TASK_COMM_LEN)\], pid_t prev_pid
qqqqqq == 1|qqqqqq|sched:sched_switch has
prev_pid = 1|=|equal is written '=='
prev_pid === 1|===|is written '=='
prev_comm =~ "a"|=~|is written '~'
prev_comm !~ "a"|!~|!\(prev_comm ~ \.\.\)
prev_comm == bash|bash|strings need quotes: prev_comm == "bash"
prev_comm ~ kwork*|kwork*|strings need quotes: prev_comm ~ "kwork\*"
prev_comm == 5|5|strings need quotes
prev_comm & "a"|&|'prev_comm' is a string
prev_comm > "a"|>|'prev_comm' is a string
prev_pid == "1"|"1"|write numbers without quotes: prev_pid == 1
prev_pid ~ "1*"|"1*"|'prev_pid' is a number \(pid_t\), no string
prev_pid == next_pid|next_pid|the kernel cannot compare two fields
prev_comm == next_comm|next_comm|the kernel cannot compare two fields
prev_state == S|S|filters have no names for its values: S is 1$
prev_pid == 12x|12x|numbers are 10, 0x1f or 017
prev_pid == 1.5|1.5|numbers are whole
prev_pid == 1 and next_pid == 2|and|'and' is written '&&'
prev_pid == 1 or next_pid == 2|or|'or' is written
not prev_pid == 1|not|'not' is written '!'
prev_pid == 1 & next_pid == 2|&|comparisons are joined by '&&'
prev_pid == 1 next_pid == 2|next_pid|is missing before 'next_pid'
prev_pid ==|==|a value is missing behind '=='
prev_pid|prev_pid|a field alone is no comparison
== 1|=|a field is missing
(prev_pid == 1|(|there is no '\)' for this '\('
prev_pid == 1)|)|there is no '\(' for this '\)'
(prev_pid == 1 && (next_pid == 2)|(|there is no '\)' for this '\('
cpu & CPUS{0-1|{|there is no '}' for this '{'
ROWS

begin 'each fault with its hint'
fresh
while IFS='|' read -r filter blamed hint; do
	printf 'filter sched_switch %s\n' "$filter"
done <"$TMP/rows" >"$TMP/all.tsh"
t -i "$I" --keep-going "$TMP/all.tsh"
expect 1 'the batch fails'
number=0
while IFS='|' read -r filter blamed hint; do
	number=$((number + 1))
	# An error is its message, the line, the caret and the hint.
	grep -A3 "all.tsh:$number:[0-9]*: error: the kernel refuses the filter: " "$TMP/err" >"$TMP/one"
	line=$(sed -n 2p "$TMP/one") caret=$(sed -n 3p "$TMP/one")
	head=${caret%%^*}
	mark=${caret#"$head"}
	above=$(printf '%s\n' "$line" | cut -c "$((${#head} + 1))-$((${#head} + ${#mark}))")
	same "$above" "$blamed" "$filter: the caret"
	like "$(sed -n 4p "$TMP/one")" "^hint: .*$hint" "$case_name: $filter: the hint"
done <"$TMP/rows"
file_is events/sched/sched_switch/filter none 'no filter is set'

# The kernel is the judge.
begin 'what the kernel takes is set'
fresh
while read -r filter; do
	echo 0 >"$D/events/sched/sched_switch/filter"
	printf '%s\n' "$filter" >"$D/events/sched/sched_switch/filter" 2>/dev/null || continue
	kernel=$(cat "$D/events/sched/sched_switch/filter")
	echo 0 >"$D/events/sched/sched_switch/filter"
	t -i "$I" -c "filter sched_switch $filter"
	expect 0 "$filter"
	file_is events/sched/sched_switch/filter "$kernel" "$filter: as the kernel has it"
done <<'GOOD'
prev_comm.ustring == "x"
cpu & CPUS{0-1}
stacktrace == 1
!!prev_pid == -1
prev_pid & 0
prev_comm ~ "a|b;c#$x"
common_type == 1 || CPU == 0 && comm != 'it "is"'
GOOD

# under LINE CARET WHAT: the caret of the last error stands so
under()
{
	same "$(grep -B1 '^ *^~*$' "$TMP/err")" "$1
$2" "$3"
}

begin "the caret stands under the user's own text"
fresh
t -i "$I" -c 'let n = 5' -c 'filter sched_switch prev_pid == ${n} && next_pidd == ${n}'
expect 1 'behind a variable'
under '  filter sched_switch prev_pid == ${n} && next_pidd == ${n}' \
	'                                          ^~~~~~~~~' 'behind a variable, under the name'
t -i "$I" -c 'let w = 12x' -c 'filter sched_switch prev_pid == ${w}'
under '  filter sched_switch prev_pid == ${w}' \
	'                                  ^~~~' 'under the variable that brings the fault'
printf '\n\tenable sched_switch if prev_pid == $1 && \\\n  prev_comm = "${2}"\n' >"$TMP/args.tsh"
t -i "$I" "$TMP/args.tsh" 1234 bash
expect 1 'in a file with arguments'
says 'args.tsh:3:13: error: the kernel refuses' 'the line behind a continuation'
under '    prev_comm = "${2}"' '              ^' 'and the operator in it'
t -i "$I" "$TMP/args.tsh" 12x bash
says 'args.tsh:2:37: error: the kernel refuses' 'the line of the argument'
under '   enable sched_switch if prev_pid == $1 && \' '                                      ^~' 'the argument itself'
t -i "$I" -c "filter sched_switch 'prev_pid = 1 || next_pid == 2'"
under "  filter sched_switch 'prev_pid = 1 || next_pid == 2'" \
	'                                ^' 'inside quotes that were taken off'
t -i "$I" -c 'let n = 5' -c 'filter sched_switch "prev_pid == ${n} && next_pidd > 1"'
under '  filter sched_switch "prev_pid == ${n} && next_pidd > 1"' \
	'                                           ^~~~~~~~~' 'inside double quotes with a variable'
t -i "$I" -c 'write events/sched/sched_switch/filter prev_pidd == 1'
expect 1 'write'
under '  write events/sched/sched_switch/filter prev_pidd == 1' \
	'                                         ^~~~~~~~~' 'the text that write was given'
t stream -n 1 sched_switch if 'prev_pid = 1'
expect 1 'stream'
says "equal is written '=='" 'stream says the same'
t -i "$I" filter sched_switch 'prev_pid = 1'
under '  filter sched_switch prev_pid = 1' '                               ^' 'an argument of the command line'

begin 'several events'
t -n -c 'filter sched:sched_wak* prioo == 1'
expect 1 'refused'
says '[0-9] of [0-9] events have no such field: sched:sched_wak' 'those without the field are listed'
t -n -c 'filter sched:sched_wakeup* prio = 1'
says "equal is written '=='" 'another fault is told as for one event'

begin 'with the word of enable'
fresh
t -i "$I" filter sched:sched_switch if prev_pid == 1
expect 1 'filter EVENT if FILTER'
says "hint: without 'if': filter sched:sched_switch prev_pid == 1" 'how it is typed'

finish
