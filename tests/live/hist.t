#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 900
# hist and count on a running kernel: known numbers of markers, programs and reads; what is left behind.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

LC_ALL=C
export LC_ALL
no_own_instance() { [ -z "$(ls -d "$TRACING/instances/tracesh-$1-"* 2>/dev/null)" ]; }

begin 'what is in the buffer'
fresh
for i in 1 2 3 4 5 6 7; do echo "mark $i" >"$D/trace_marker"; done
t -i "$I" hist by pid
expect 2 'nothing is taken out of it by leaving EVENT out'
says "^hint: hist --drain has those in the buffer of '$I', and takes them out" 'but when that is said'
t -i "$I" --json hist --drain
expect 0 'succeeds'
prints '"key":\{"event":"ftrace:print"\},"count":7\}' 'seven markers'
prints '"type":"end","events":7,"lost":0' 'and how many there were'
t -i "$I" drain
same "$out" "$(printf '%s\n' "$out" | grep '^#')" 'which hist has taken out'
t --read-only -i "$I" hist --drain
expect 1 'not under --read-only'

begin 'programs that are started'
fresh
# a session that is traced forks: whoever runs beside has other names
cp /bin/true "$TMP/tally-one" && cp /bin/true "$TMP/tally-two"
start "$TMP/counted" "$TRACESH" --json hist sched:sched_process_exec by filename
counting=$child
# switched on at last: what is made is on, until it is switched off
is_counting()
{
	[ -n "$(cat "$TRACING/instances/tracesh-$counting-"*/set_event 2>/dev/null)" ] &&
		[ "$(cat "$TRACING/instances/tracesh-$counting-"*/tracing_on 2>/dev/null)" = 1 ]
}
await is_counting
for i in 1 2 3 4 5; do "$TMP/tally-one"; done
for i in 1 2 3; do "$TMP/tally-two"; done
kill -INT "$counting"
ended "$counting"
out=$(cat "$TMP/counted") err=$(cat "$TMP/counted.err")
same "$(printf '%s\n' "$out" | grep -c 'tally-one"},"count":5}')" 1 'five of one, after Ctrl-C'
same "$(printf '%s\n' "$out" | grep -c 'tally-two"},"count":3}')" 1 'three of another'
ok 'the instance is gone' no_own_instance "$counting"

# hist_of_short WORD..: hist of that, while a shell of its own starts programs of two names twenty times each; this one's forks are
# not recorded, as it stands above tracesh
hist_of_short()
{
	start "$TMP/counted" "$TRACESH" --json hist "$@"
	counting=$child
	await is_counting
	sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$0"; "$1"; done; :' "$TMP/tally-three" "$TMP/tally-two"
	kill -INT "$counting"
	ended "$counting"
	out=$(cat "$TMP/counted") err=$(cat "$TMP/counted.err")
}

begin 'names of tasks that end at once'
cp /bin/true "$TMP/tally-three"
hist_of_short sched:sched_process_exec by comm where 'comm == "tally-three"'
prints '"key":\{"comm":"tally-three"\},"count":20\}' 'all of one name'
prints '"type":"end","events":20,' 'and no others are recorded'
if [ -d "$TRACING/events/syscalls/sys_enter_exit_group" ]; then
	hist_of_short syscalls:sys_enter_exit_group by comm
	prints '"key":\{"comm":"tally-three"\},"count":20\}' 'of one name, without a question'
	prints '"key":\{"comm":"tally-two"\},"count":20\}' 'and of the other'
	hist_of_short syscalls:sys_enter_execve by comm
	same "$(printf '%s\n' "$out" | grep -c tally-three)" 0 'what is before an exec is not called like what comes of it'
	prints '"key":\{"comm":"sh"\},"count":[0-9]+' 'but like who forked'
else
	skip "$case_name" 'the kernel has no events of system calls'
fi

# count_reads WORD..: hist of that, while dd reads and writes 300 times a size that nobody else does, and that is no number of a
# process, which fork and wait return
count_reads()
{
	start "$TMP/counted" "$TRACESH" --json hist "$@" where 'ret == 140741'
	counting=$child
	await is_counting
	dd if=/dev/zero of=/dev/null bs=140741 count=300 2>/dev/null
	kill -INT "$counting"
	ended "$counting"
	out=$(cat "$TMP/counted") err=$(cat "$TMP/counted.err")
}

begin 'sizes of reads'
fresh
if [ -d "$TRACING/events/syscalls/sys_exit_read" ]; then
	count_reads syscalls:sys_exit_read by ret.log2 sum ret
	prints '"key":\{"ret.log2":\[131072,262143\]\},"count":300,"sum":42222300\}' 'all of dd, with their sum'
else
	skip 'sizes of reads' 'the kernel has no events of system calls'
fi

begin 'one row of one number'
# each of another size and sign; the first event is read by another path than those behind it
for field in common_type common_flags common_preempt_count common_pid pid 'common_type.linear(1000)' common_type.log2; do
	hist_of_short sched:sched_process_exec by "$field" where 'comm == "tally-three"'
	same "$(printf '%s\n' "$out" | sed -n 's/.*"key":{\([^}]*\)}.*/\1/p' | sort | uniq -d)" '' "$field: no key is there twice"
	same "$(printf '%s\n' "$out" | sed -n 's/.*"key":{"[^}]*},"count":\([0-9]*\).*/\1/p' | awk '{ sum += $1 } END { print sum }')" 20 "$field: all are counted"
done

begin 'as a heat'
if [ -d "$TRACING/events/raw_syscalls/sys_exit" ]; then
	start "$TMP/counted" "$TRACESH" hist --heat --every 200ms raw_syscalls:sys_exit by ret.log2 where 'ret == 140741'
	counting=$child
	await is_counting
	dd if=/dev/zero of=/dev/null bs=140741 count=300 2>/dev/null
	await grep -q '^[0-9:]*\.[0-9] ' "$TMP/counted"
	kill -INT "$counting"
	ended "$counting"
	out=$(cat "$TMP/counted") err=$(cat "$TMP/counted.err")
	same "$(printf '%s\n' "$out" | sed -n '1p')" 'TIME        128K' 'the bucket stands above'
	same "$(printf '%s\n' "$out" | awk '/^[0-9:]+\.[0-9] / { n += $NF } END { print n }')" 600 'the lines have all'
	prints '^[0-9:]{8}\.[0-9]  (:::|\+\+\+)  [1-9][0-9]*$' 'with shades for hundreds'
	says "^a cell: '\.' 1 event, ':' 10, '\+' 100," 'which are explained'
	prints '^ *131072 -> 262143 +: 600 ' 'at the end the histogram'
	t hist --heat --every 200ms --for 300ms raw_syscalls:sys_exit by '(ret*0+18446744073709551615-id%2).linear(1)' where 'id >= 0'
	prints '^TIME        18446744073709551614(18446744073709551615)?$' 'no bucket is below 0, and the larger one is behind'
	t --json hist --heat --every 200ms --for 300ms raw_syscalls:sys_exit by ret.log2
	expect 0 'as JSON'
	prints '^\{"type":"round",' 'it is --every'
else
	skip 'a heat' 'the kernel has no events of system calls'
fi

begin 'names of system calls'
fresh
if [ -d "$TRACING/events/raw_syscalls/sys_exit" ]; then
	count_reads raw_syscalls:sys_exit by id.syscall
	prints '"key":\{"id.syscall":"(read|\?0 \(read or .*\))"\},"count":300\}' 'what dd reads'
	prints '"key":\{"id.syscall":"(write|\?1 \(write or .*\))"\},"count":300\}' 'and writes'
else
	skip 'names of system calls' 'the kernel has no events of system calls'
fi

begin 'in the current instance'
fresh
echo before >"$D/trace_marker"
start "$TMP/counted" "$TRACESH" -i "$I" --json hist --here --every 200ms sched:sched_process_exec by filename
counting=$child
# it has begun when the first round has ended
await grep -q '"type":"round"' "$TMP/counted"
echo between >"$D/trace_marker"
"$TMP/tally-one"
kill -INT "$counting"
ended "$counting"
out=$(cat "$TMP/counted") err=$(cat "$TMP/counted.err")
same "$(printf '%s\n' "$out" | grep -c 'ftrace:print')" 0 'only what was asked for is counted'
prints 'tally-one"\},"count":1\}' 'and that is'
file_is events/sched/sched_process_exec/enable 0 'off again'
says '^[0-9]+ events? from before taken out of the buffer, not counted$' 'what else was there is told'
says '^[0-9]+ events? that (was|were) not asked for taken out of the buffer, not counted$' 'and what else came'
echo 1 >"$D/events/sched/sched_process_fork/enable"
(:)
for command in count hist latency; do
	what=sched:sched_process_exec
	[ "$command" = "${command#latency}" ] || what='sched:sched_process_exec sched:sched_process_exit'
	# shellcheck disable=SC2086 # words
	t -i "$I" $command --here --for 50ms $what if 'common_pid == 1'
	says '^[0-9]+ events? from before taken out' "$command: what was there"
	says '^0 events, 0 lost, .* \(nothing passed the filter, or nothing happened\)$' "$command: why there is no row"
	(:)
done
echo 0 >"$D/events/sched/sched_process_fork/enable"

begin 'rates in CSV'
fresh
start "$TMP/counted" "$TRACESH" --format csv count --every 200ms sched:sched_process_exec by filename
counting=$child
await is_counting
for i in 1 2 3 4 5; do "$TMP/tally-one"; done
rows_with() { [ "$(grep -c "tally-one,.*,$1\$" "$TMP/counted")" -gt "$2" ]; }
# one that has them, and one that came later
await rows_with 5 1
kill -INT "$counting"
ended "$counting"
same "$(grep 'tally-one' "$TMP/counted" | tail -n 1 | cut -d , -f 3,4)" 0.0,5 'the last row is of its own time, as those before'

begin 'several tables in CSV'
for command in 'count sched_switch by cpu' 'hist sched_switch by cpu' 'hist sched_switch by prev_prio.log2' 'latency wakeup by cpu' \
	'latency wakeup'; do
	# shellcheck disable=SC2086 # words
	set -- $command
	name=$1
	shift
	t --format csv "$name" --every 100ms --for 350ms "$@"
	expect 0 "$command"
	same "$(printf '%s\n' "$out" | grep -c '^seconds,')" 1 "$command: one header"
	true_that "$command: the time tells which table, the last is of the end" sh -c 'printf "%s\n" "$1" | awk -F , "
		NR > 1 && \$1 < last { exit 1 } NR > 1 { last = \$1; n[\$1] = 1 } END { for (i in n) t++; exit !(t > 2 && last >= 0.35) }"' sh "$out"
done
t --format csv count --for 100ms sched_switch by cpu
same "$(printf '%s\n' "$out" | head -n 1)" 'cpu,rate,count' 'of one table there is none'
t count --every 100ms --for 350ms sched_switch by cpu
same "$(printf '%s\n' "$out" | grep -A 1 '^all of it:$' | tail -n 1 | awk '{ print $1, $2, $3 }')" 'CPU RATE COUNT' 'text says which rates are of all'

begin 'rates'
t count --for 700ms --every 300ms sched:sched_switch by cpu
expect 0 'count'
same "$(printf '%s\n' "$out" | awk 'NF == 0' | wc -l | awk '{ print ($1 >= 1) }')" 1 'elsewhere than at a terminal the tables follow each other'
t --json count --for 300ms sched:sched_switch
prints '^\{"type":"count","key":\{"event":"sched:sched_switch"\},"count":[0-9]+,"rate":[0-9.]+\}' 'JSON'

t --json count --for 700ms --every 200ms sched:sched_switch
same "$(printf '%s\n' "$out" | grep '"type":"round"' | head -n 1 | grep -c '"seconds":0\.[1-9]')" 1 'each round ends'

# steady_rate FILE WHAT: the rate is that at which so many calls were made one after the other, by the caller's own clock
steady_rate() { same "$("$PYTHON" "$SRC/tests/helpers/steady.py" "$1" "$TMP/steady" 2>&1)" right "$2"; }

# Who counts late at the beginning, or long at the end, has another rate than the one that makes the calls.
begin 'rates of what is known'
if [ -n "$PYTHON" ] && [ -e "$TRACING/events/syscalls/sys_enter_getpriority" ]; then
	start "$TMP/steady" "$PYTHON" "$SRC/tests/helpers/steady.py" 200
	steady=$child
	t -o "$TMP/rates" --json count --for 2s sys_enter_getpriority if "common_pid == $steady"
	expect 0 'alone'
	steady_rate "$TMP/rates" 'alone'
	t -o "$TMP/rates" --json count --for 2s 'syscalls:sys_enter_[a-p]*' if "common_pid == $steady"
	steady_rate "$TMP/rates" 'beside many others'
	json 'seconds are those of the events' "$TMP/rates" 'assert 1.99 < rows[-1]["seconds"] < 2.3, rows[-1]'
	t record --for 2s "$TMP/recorded" sys_enter_getpriority if "common_pid == $steady"
	t -o "$TMP/rates" --json --tracefs "$TMP/recorded" count
	steady_rate "$TMP/rates" 'of a recording'
	kill -KILL "$steady"
	sleeper
	start "$TMP/recording" "$TRACESH" record --for 2s "$TMP/once" sched:sched_process_exit if "pid == $sleeper"
	recording=$child
	await is_streaming "$recording"
	kill -KILL "$sleeper"
	ended "$recording"
	t --json --tracefs "$TMP/once" count
	prints '"count":1,"rate":0\.5\}' 'one in two seconds'
	rm -r "$TMP/recorded" "$TMP/once"
fi

begin 'rates of CPUs that have lost more of the past'
if taskset -c 1 true 2>/dev/null && taskset -c 0 true 2>/dev/null; then
	fresh
	echo 8 >"$D/buffer_size_kb"
	taskset -c 1 sh -c 'echo a' >"$D/trace_marker"
	taskset -c 0 sh -c 'i=0; while [ $((i += 1)) -le 3000 ]; do echo b; done' >"$D/trace_marker"
	echo 0 >"$D/tracing_on"
	t -i "$I" --json count --drain by cpu
	prints '"key":\{"cpu":1\},"count":1,"rate":0\.0' 'one from before the first of the other CPU that is left has none'
	prints '"key":\{"cpu":0\},"count":[0-9]+,"rate":[1-9]' 'the others have'
else
	skip "$case_name" 'one CPU'
fi

begin 'as a watch'
t -c 'watch 1s hist sched:sched_switch by cpu'
expect 2 'what goes on by itself does not stand in a watch'
finish
