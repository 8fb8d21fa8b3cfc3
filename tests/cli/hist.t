#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# hist and count on the recorded tree: the same numbers as a count of the kernel's own text; what is wrong, and where.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

tree=$SRC/examples/recorded
[ -d "$tree" ] || skip_all 'no recorded tree'
cd "$TMP" || exit 1
LC_ALL=C
export LC_ALL
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs "$tree" "$@"
}

# counted NAME ARGUMENT..: what Python counts, into $want
counted()
{
	want=$(python3 -I "$SRC/tests/helpers/tally.py" "$tree/trace" "$@")
}

# rows FILTER: of the JSON on stdout, sorted
rows()
{
	jq -r "select(.type != \"end\") | $1 | map(tostring) | join(\" \")" out | LC_ALL=C sort
}

if command -v jq >/dev/null && command -v python3 >/dev/null; then
	for keys in prev_pid cpu pid prev_pid,next_pid cpu,pid,prev_prio target_cpu; do
		# shellcheck disable=SC2046 # words
		counted keys $(echo "$keys" | tr , ' ')
		t --json hist by "$keys"
		is "$(rows '[.count, .key[]]')" "$want" "by $keys: as the kernel's text has them"
		ok 'which are some' test "$(printf '%s\n' "$want" | wc -l)" -gt 1
	done
	counted keys event
	t --json hist
	is "$(rows '[.count, .key.event]' | sed 's/ [a-z]*:/ /; s/ sys_e[a-z]*_/ sys_/' | awk '{ n[$2] += $1 } END { for (e in n) print n[e], e }' | LC_ALL=C sort)" \
		"$(echo "$want" | sed 's/tracing_mark_write/print/' | LC_ALL=C sort)" 'without by: the events'
	counted sums cpu prev_prio
	t --json hist by cpu sum prev_prio min prev_prio max prev_prio where 'event == sched_switch'
	is "$(rows '[.count, .key.cpu, .sum, .min, .max]')" "$want" 'sum, min and max'
	counted log2 prev_pid
	t --json hist by prev_pid.log2
	is "$(rows 'select(.type == "hist") | [.count, .key[][0]]')" "$want" 'log2'
	counted log2 ret
	t --json hist by prev_pid --size 64K
	is "$status $(jq -s 'map(.count // 0) | add' out)" "0 $(grep -c ': sched_switch: ' "$tree/trace")" '--size 64K, as its help has it'
	t --json hist by ret.log2
	is "$(rows 'select(.type == "hist") | [.count, (.key[][0] | if type == "string" or . < 0 then "below" else . end)]')" \
		"$want" 'log2 of what can be negative'
	counted linear 7 next_pid
	t --json hist by 'next_pid.linear(7)'
	is "$(rows 'select(.type == "hist") | [.count, .key[][0]]')" "$want" 'linear'
	is "$(jq -r 'select(.type == "hist") | .key[] | .[1] - .[0]' out | sort -u)" 6 'each as wide as that'
	t --json hist by prev_pid/10
	is "$(jq -s 'map(.count // 0) | add' out)" "$(grep -c ': sched_switch: ' "$tree/trace")" 'an expression counts them all'
	t --json count by prev_pid
	is "$(jq -s 'map(.count // 0) | add' out)" "$(grep -c ': sched_switch: ' "$tree/trace")" 'count, too'
	ok 'with rates' jq -es 'map(select(.type == "count") | .rate > 0) | all' out
	t --json hist by prev_pid --size 3
	is "$(jq -s 'map(.count // 0) | add' out)" "$(grep -c ': sched_switch: ' "$tree/trace")" \
		'--size 3: none is lost from the count'
	is "$(jq -c 'select(.type == "hist" and .key == null) | .type' out), $(grep -c '"type":"hist"' out)" '"hist", 4' \
		'three keys, and one that is other'
	t --json hist by delta,event where 'delta > 1ms && delta < 2ms'
	is "$(jq -s -c '[.[] | select(.type == "hist") | .key.delta] | [length > 40, min > 1000000, max < 2000000]' out)" \
		'[true,true,true]' 'delta counts from an event that does not match, too'
	t --json hist by ret.log2
	is "$(jq -c 'select(.type == "percentiles") | .p50' out)" '[2,3]' 'percentiles are the ranges that they are in'
else
	skip 'the numbers are those of the kernel' 'no jq or no python3'
fi

# Text

t count where 'event == sched_switch'
is "$(sed -n '2s/  */ /gp' out)" 'sched:sched_switch 1718 489' 'count: the 488 spans between 489 events in 284.01 ms'
t count where 'event == print'
is "$(sed -n '2s/  */ /gp' out)" 'ftrace:print - 1' 'of one event no rate is known'
t --json count where 'event == print'
like "$out" '"count":1,"rate":null}' 'JSON, too'
t --format csv count where 'event == print'
is "$(sed -n 2p out)" 'ftrace:print,,1' 'and CSV'
t hist by prev_pid --top 3
is "$(awk '{ print $1, $2 }' out)" "PREV_PID COUNT
0 238
129 64
15 44
.. and" 'the most frequent first, and how many more'
like "$err" '^309 events without such a key not counted' 'what has no such field is said'
like "$err" '^798 events, 0 lost' 'and what there was'
ok 'ASCII where the locale is' sh -c "LC_ALL=C tr -d '\\n -~' <out | wc -c | grep -qx 0"
run env LC_ALL=C.UTF-8 timeout -k 5 60 "$TRACESH" --tracefs "$tree" hist by prev_pid --top 1
is "$(sed -n 2p out | tr -d ' 0-9')" ████████████████████████████████████████ 'blocks where it has them'
t hist by ret.log2
is "$out" '                ret.log2 : count     distribution
                 below 0 : 1        |*                                       |
                  0 -> 1 : 0        |                                        |
                  2 -> 3 : 21       |****************************************|
22 events, p50 2 -> 3, p90 2 -> 3, p99 2 -> 3' 'a histogram, as bcc draws it'
t hist by comm,ret,comm
is "$status" 2 'a key that is named twice'
like "$err" "'comm' is a key already" 'says so'
t hist by comm,ret.log2 --top 2
is "$(grep -c '^comm = ' out), $(tail -n 1 out)" '2, .. and 4 more' 'one for each'
like "$out" '^comm = bash$' 'the largest is among them'
t --json hist by event sum 'dfd*0+4611686018427387904' where 'event == sys_enter_openat'
like "$out" '"count":22,"sum":"101457092405402533888"\}' 'a sum of more than 64 bits is a string in JSON'
t --json hist by event avg 'dfd*0+9007199254740993' min 'cpu*0-9007199254740993' max 'dfd*0+9007199254740992' \
	where 'event == sys_enter_openat'
like "$out" '"avg":"9007199254740993.00","min":"-9007199254740993","max":9007199254740992\}' \
	'so is what a double does not hold'
t --json hist by event min -9223372036854775808 max -9223372036854775808 where 'event == print'
like "$out" '"min":"-9223372036854775808","max":"-9223372036854775808"\}' 'the least number is below 0'
t -n -c 'explain hist nosuch by x; explain status; explain hist sched_switch by nosuch; explain hist sched_switch by next_pid'
is "$status, $(printf '%s\n' "$err" | grep -c 'error:')" '2, 3' '-n checks what is explained, too'
like "$err" "unknown event 'nosuch'" 'an event'
like "$err" "there is no 'where' to explain" 'what cannot be explained'
like "$err" "'nosuch' is no field" 'and a field'
t hist by cpu sum prev_prio avg prev_prio max next_prio
lacking=$(LC_ALL=C "$TRACESH" --tracefs "$tree" --json count by event 2>/dev/null |
	awk -F'"count":' '/"count"/ && !/sched_switch/ { sub(/[^0-9].*/, "", $2); n += $2 } END { print n }')
is "$(printf '%s\n' "$err" | grep -c "^$lacking events without prev_prio are counted, but are no part of its sum\$")" 1 'events without a value are counted, which is said once'
is "$(printf '%s\n' "$err" | grep -c "^$lacking events without next_prio are counted, but are no part of its max\$")" 1 'for each value'
t hist by cpu sum prev_prio where 'event == sched_switch'
unlike "$err" 'are counted, but' 'not where all have it'
t --format csv hist by prev_pid sum prev_prio --top 1
is "$out" 'prev_pid,count,sum
0,238,28560' 'CSV'
t --format csv hist by 'ret.log2' --top 1
is "$out" 'ret.log2.low,ret.log2.high,count
2,3,21' 'CSV of ranges'
t hist where 'event == sched_process_exec'
is "status $status, $(awk '{ print $1, $2 }' out)" 'status 0, EVENT COUNT
sched:sched_process_exec 4' 'where'
t hist where '1 == 2'
is "status $status, $out" 'status 0, ' 'of nothing: nothing'
like "$err" '798 not matching' 'and why'
cp -r "$tree" of-one && chmod -R u+w of-one && echo 4194303 >of-one/set_event_pid
run timeout -k 5 60 "$TRACESH" --tracefs of-one hist by cpu
like "$err" '^0 events, [0-9]+ of other tasks not counted, 0 lost, [^(]*$' 'of no listed task: nothing, and no doubt what was set'
t stream --stop-when 'next_pid == 123456' --before 1ms
like "$err" '^0 events, 0 lost, [^(]*$' 'events that wait in vain did come'
t hist --top 1 by prev_pid where 'prev_pid > 0'
is "$(awk 'NR == 2 { print $1, $2 }' out)" '129 64' 'options before the clauses'

# Completion

for line in 'by prev_p' 'by cpu prev_p' 'by cpu sum prev_p'; do
	# shellcheck disable=SC2086 # words
	t --complete -- hist sched_switch $line
	is "$(cut -f 1 out | tr '\n' ' ')" 'prev_pid prev_prio ' "completion: $line"
done
for line in next_comm comm event; do
	t --complete -- hist sched_switch by "$line."
	is "$(cut -f 1 out)" '' "completion: $line is a string, and not grouped"
done
t --complete -- hist sched_switch by next_pid.
is "$(cut -f 1 out | tr '\n' ' ')" 'next_pid.hex next_pid.linear( next_pid.log2 next_pid.sym next_pid.sym_offset next_pid.syscall ' \
	'completion: how a number is grouped'
t --complete -- latency sched_wakeup sched_switch on pid=target
is "$(cut -f 1 out)" '' 'completion: behind on A= stands what END has'
t --complete -- latency sched_wakeup sched_switch on pid=next_p
is "$(cut -f 1 out | tr '\n' ' ')" 'pid=next_pid pid=next_prio ' 'completion: which that is'
t --complete -- h
is "$(cut -f 1 out | tr '\n' ' ')" 'help hist history ' 'completion: the command'

# What is wrong: expected/messages.txt has the words

# order HINT ARGUMENT..: an event stands behind a clause; of a kernel that the tree stands for
order()
{
	hint=$1
	shift
	t -n -c "$*"
	ok "$*: is refused" test "$status" -ne 0
	is "$(sed -n 's/^hint: //p' err)" "$hint" "$*: the order"
}
for command in hist count; do
	order "events stand before 'by': $command sched_switch by nosuch" $command by nosuch sched_switch
	order "events stand before 'by': $command sched_switch by .." $command by sched_switch
	order "events stand before 'by': $command sched:sched_switch by comm,prev_pid" $command by comm,prev_pid sched:sched_switch
	order "events stand before 'where': $command sched_switch where prev_pid == 1" $command where prev_pid == 1 sched_switch
done
order "events stand before 'where': stream sched_switch where nosuch == 1" stream where nosuch == 1 sched_switch
order "events stand before 'fields': stream sched_switch fields prev_pid" stream fields prev_pid sched_switch
order "events stand before 'if': stream sched_switch if prev_pid == 1" stream if prev_pid == 1 sched_switch
order "events stand before 'where': stacks sched_switch where prev_pid == 1" stacks where prev_pid == 1 sched_switch
order "events stand before 'by': help hist" hist by comm --for 1s sched_switch
order "START stands before 'by': help latency" latency by comm wakeup
t -n -c 'stream where prev_pid == sched'
unlike "$err" 'stand before' 'an operand is none'
t -c 'hist by stack,prev_pid,stack'
is "$status" 2 'stack twice'
like "$err" "error: 'stack' is a key already" 'is said'
# The kernel's words for numbers.
t hist by prev_state where 'event == sched_switch'
like "$out" '^R +243  ' 'no bit is set: R'
like "$out" '^D +185  ' 'a word for 2'
like "$out" '^R\+ +1  ' 'and what stands behind it'
t --json hist by prev_state where 'event == sched_switch'
like "$out" '^\{"type":"hist","key":\{"prev_state":"D"\},"count":185\}$' 'JSON has them, too'

t hist by stack
like "$err" 'error: what was recorded has no stacks: options/stacktrace was off' 'a recording without stacks'
t -c 'hist by prev_pid --size 0'
like "$err" "'0' is not between 1 and" '--size 0'
t -c 'hist by prev_pid --every 1ms'
like "$err" "'1ms' is less than 100ms" '--every 1ms'
t -c 'hist by'
is "$status" 2 'by nothing'
t -c 'hist by ,'
is "$status" 2 'by a comma'
t -c 'hist by prev_pid.log2(3)'
like "$err" 'log2 takes nothing in brackets' 'brackets behind log2'
for text in . .. a. .log2 '1..2' 'prev_pid.' '()' '(.log2)' '.linear(' 'prev_pid.linear(99999999999999999999)' ')' "'"; do
	t -c "hist by $text"
	ok "by $text is refused, not worse: $status" test "$status" -eq 1 -o "$status" -eq 2
done

done_testing
