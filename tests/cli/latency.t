#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# latency on the recorded tree: the same pairs as a plain loop over its events; how they look; what is wrong, and where.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

tree=$SRC/examples/recorded
[ -d "$tree" ] || skip_all 'no recorded tree'
cd "$TMP" || exit 1
LC_ALL=C TZ=UTC
export LC_ALL TZ
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs "$tree" "$@"
}

# same START END ON BY WORD..: latency WORD.. says what Python says of these
same()
{
	start=$1 end=$2 on=$3 by=$4
	shift 4
	t --json latency --slower 0ns "$@"
	cp out answer
	like "$(python3 -I "$SRC/tests/helpers/pairs.py" events answer "$start" "$end" "$on" ${by:+"$by"})" \
		'^[1-9][0-9]* pairs are the same$' "$*: as Python has them"
}

if command -v python3 >/dev/null; then
	t --json drain
	cp out events
	wakeup=sched:sched_wakeup switch=sched:sched_switch
	same $wakeup $switch pid=next_pid '' sched_wakeup sched_switch
	same $wakeup $switch pid=next_pid '' sched_wakeup sched_switch on pid=next_pid
	same $wakeup $switch pid=next_pid comm sched_wakeup sched_switch by comm
	same $wakeup $switch pid=next_pid next_comm@end,target_cpu sched_wakeup sched_switch by next_comm,target_cpu
	same $wakeup $switch pid=next_pid,prio=next_prio '' sched_wakeup sched_switch on pid=next_pid,prio=next_prio
	same $wakeup $switch comm=next_comm '' sched_wakeup sched_switch on comm=next_comm
	same $wakeup $switch common_pid '' sched_wakeup sched_switch on common_pid
	same $switch $wakeup prev_pid=pid prev_comm sched_switch sched_wakeup on prev_pid=pid by prev_comm
	same $switch $switch prev_pid=next_pid '' off-cpu
	same $switch $switch prev_pid=next_pid prev_comm sched_switch sched_switch by prev_comm
	same $switch $switch prev_pid '' sched_switch sched_switch on prev_pid
	same $switch $switch prev_prio=next_prio '' sched_switch sched_switch on prev_prio=next_prio
	same syscalls:sys_enter_openat syscalls:sys_exit_openat common_pid '' syscall openat
	same syscalls:sys_enter_openat syscalls:sys_exit_openat common_pid comm,ret@end syscall openat by comm,ret
	same sched:sched_process_fork sched:sched_process_exec child_pid=pid '' \
		sched_process_fork sched_process_exec on child_pid=pid
else
	skip 'the pairs are those of Python' 'no python3'
fi

# Text

t latency syscall openat
is "$out" '                 latency : count     distribution
        32.8us -> 65.5us : 1        |****                                    |
         65.5us -> 131us : 0        |                                        |
          131us -> 262us : 4        |*****************                       |
          262us -> 524us : 2        |********                                |
         524us -> 1.05ms : 5        |**********************                  |
         1.05ms -> 2.1ms : 9        |****************************************|
         2.1ms -> 4.19ms : 1        |****                                    |
22 pairs, min 56.5us, avg 907us, p50 918us, p90 1.51ms, p99 2.51ms, p99.9 2.51ms, max 2.51ms' 'a histogram, as bcc draws it'
unlike "$err" 'pairs' 'that has said how many there were'
t latency sched_wakeup sched_switch by comm --top 2
is "$(awk '{ print $1, $2 }' out)" "COMM COUNT
record-tree.sh 92
bash 51
.. and" 'a row for each key, the most frequent first'
like "$err" '^241 pairs, 248 ends without a start$' 'what found no partner is said'
t latency sched_wakeup sched_switch --size 1
like "$err" ', [0-9]+ starts given up for want of room \(--size\)' '--size'
t latency syscall openat --worst 2
is "$(awk 'found && / since / { n++ } !NF { found = 1 } END { print n }' out)" 2 '--worst 2: two pairs behind the rest'
is "$(grep -c '^ *[^ ].* sched_\(wakeup\|switch\): ' out), $(grep '^        \.\.' out)" '11,         .. 19 earlier' 'with what happened in them'
like "$(grep ' since ' out | head -n 1)" '^ +bash-129 +\[00[01]\] 2026-11-21 08:56:[0-9.]+: 2.51ms since 08:56:[0-9.]+, common_pid=129$' \
	'the longest first, with both times'
t latency syscall openat --stop-at 1ms
is "$(grep -c since out), $(tail -n 1 out | sed 's/ pair.*//')" '1, 1' '--stop-at: the first that is as long, and nothing behind it'
like "$err" '^stopped at that pair' 'which is said'
t --time trace latency syscall openat --slower 2ms
like "$(head -n 1 out)" ': 2.51ms since +3\.[0-9]{6}, common_pid=129$' 'the times of the trace clock'
t latency sched_wakeup sched_switch on pid
like "$err" "^on pid: of sched_wakeup that is a field, of sched_switch, which has none of that name, the running task's: \
two different things \(usual is on pid=next_pid\)$" 'on: a field of one event, of the other what all have'
unlike "$err" 'missing' 'no switch is missing'
t latency sched_wakeup sched_switch on cpu,common_pid
unlike "$err" '^on ' 'and where it is the same of both nothing is said'
t latency sched_wakeup sched_switch on pid=next_pid --slower 500us
like "$out" ', pid=[0-9]+ \([a-zA-Z0-9_.:/-]+\)$' 'a task that waited has its name, as the line is another'"'"'s'
t --time none latency syscall openat --slower 2ms by ret
like "$(head -n 1 out)" '\[00[01]\] 2.51ms, common_pid=129, ret=3$' 'no times'
t --format csv latency syscall openat by ret
is "$(cut -d , -f 1,2 out | tr '\n' ' ')" "ret,count 3,21 '-ENXIO,1 " 'CSV'
t --format csv latency syscall openat --worst 2 by ret
is "$(cut -d , -f 3- out)" "ns,cpu,since_cpu,pid,comm,on_common_pid,by_ret
2510960,0,0,129,bash,129,3
1995640,0,0,129,bash,129,'-ENXIO" 'CSV of pairs'

# Completion

completes()
{
	want=$1
	shift
	t --complete -- "$@"
	is "$(cut -f 1 out | tr '\n' ' ')" "$want" "completion: $*"
}
completes 'wakeup ' latency wake
completes 'syscall syscalls: ' latency sysc
completes 'openat ' latency syscall open
completes 'sched_switch ' latency sched_wakeup sched_sw
completes 'target_cpu ' latency sched_wakeup sched_switch on tar
completes 'pid=next_pid pid=next_prio ' latency sched_wakeup sched_switch on pid=next_p
completes 'comm,target_cpu ' latency sched_wakeup sched_switch by comm,tar
completes 'dfd ' latency syscall openat if df
completes 'ret ' latency syscall openat by ret

# What is wrong: expected/messages.txt has the words
pair='latency sched_wakeup sched_switch'
for text in . .. = == '=a' 'a=' 'a==b' ',' '()' '(=)' 'pid=(' "'" 'pid=next_pid=pid'; do
	t -c "$pair on $text"
	ok "on $text is refused, not worse: $status" test "$status" -eq 1 -o "$status" -eq 2
done

# What a recording has not

mkdir filtered && cp -R "$tree/." filtered
echo 'prev_state == 1' >filtered/events/sched/sched_switch/filter
tree=filtered
left='^the filter of sched:sched_switch \(prev_state == 1\) left events out of the recording: '
t $pair
like "$err" "${left}a pair may seem longer than it was\$" 'a pair of what has a filter is doubted'
t latency syscall openat
unlike "$err" "$left" 'but not of others'
t hist by delta.log2
like "$err" "${left}delta is from the last event that passed it\$" 'delta'
t stream -n 1 where 'delta > 1ms'
like "$err" "${left}delta is from the last event that passed it\$" 'also in where'
t hist by cpu
like "$err" '^sched:sched_switch was recorded with a filter: prev_state == 1$' 'what is counted is not all'
t info sched_switch
like "$out" '^  filter:   prev_state == 1$' 'info'
t --json info sched_switch
like "$out" '"filter":"prev_state == 1"' 'info in JSON'
rm filtered/events/sched/sched_switch/filter
echo 1 >filtered/tracing_cpumask
t $pair
like "$err" '^hint: only some CPUs were recorded$' 'of some CPUs halves are missing'
t hist by delta.log2
like "$err" '^not all CPUs were recorded: delta is from the last event on those that were$' 'of delta, too'

done_testing
