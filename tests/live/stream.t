#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# Live events: stream and drain.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'who is not traced'
t -c 'stream -n 1 sched_switch; stream -n 1 sched_switch'
expect 0 'is said'
is "$(grep -c '^not traced: tracesh .*): --here or --pid traces them$' "$TMP/err")$(grep -c '^traced all the same' "$TMP/err")" 11 'once in a session'

begin 'events in an instance of its own'
top_events=$(cat "$TRACING/set_event")
t --tz UTC stream -n 20 sched:sched_switch
expect 0 'succeeds'
same "$(sed -n 1p "$TMP/out" | sed 's/error.*//; s/clock [a-z_]*/clock C/')" \
	'# tracesh: instance own, clock C, times UTC (+0000), ' 'a line says where and in which times'
same "$(grep -vc '^#' "$TMP/out")" 20 '-n 20 prints twenty'
same "$(grep -v '^#' "$TMP/out" | grep -vcE '^ *.+-[0-9]+ +\[[0-9]{3}\] [^ ]{4,5} [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\.[0-9]{6}: sched_switch: prev_comm=')" \
	0 "in the kernel's columns, with a wall clock"
says '^20 events, 0 lost' 'a summary on stderr'
true_that 'its instance is gone' no_own_instance
same "$(cat "$TRACING/set_event")" "$top_events" 'the top-level instance has not enabled it'

begin 'the wall clock is the time of day'
from=$(date +%s)
t --json stream -n 5 sched:sched_switch
to=$(date +%s)
json 'each event lies between before and after' "$TMP/out" "
from datetime import datetime
assert len(events) == 5
for row in events:
    when = datetime.fromisoformat(row['time'][:26] + row['time'][-6:]).timestamp()
    assert $from - 0.001 <= when <= $to + 1.001, (row['time'], $from, $to)"

begin 'JSON'
t --json stream -n 50 sched:sched_switch sched:sched_wakeup
expect 0 'succeeds'
json 'start, events, end' "$TMP/out" "
assert rows[0]['type'] == 'start' and rows[0]['format'] == 1, rows[0]
assert rows[0]['boot_id'] == open('/proc/sys/kernel/random/boot_id').read().strip()
assert rows[-1]['type'] == 'end' and rows[-1]['events'] == 50 and rows[-1]['lost'] == 0, rows[-1]
assert len(events) == 50"
json 'events have what they should' "$TMP/out" "
for row in events:
    assert row['event'] in ('sched:sched_switch', 'sched:sched_wakeup'), row
    assert row['ts'].isdigit() and isinstance(row['cpu'], int) and isinstance(row['pid'], int), row
    fields = row['fields']
    if row['event'] == 'sched:sched_switch':
        assert fields['prev_pid'] == row['pid'], row
        assert row['comm'] in (fields['prev_comm'], '<...>', '<idle>'), row"
json 'in the order of time' "$TMP/out" "
last = 0
for row in events:
    assert int(row['ts']) >= last or row.get('late'), row
    last = max(last, int(row['ts']))"

begin 'CSV'
t --format csv stream -n 5 sched:sched_switch
expect 0 'succeeds'
same "$(wc -l <"$TMP/out")" 6 'a header and five rows'

begin 'with a filter'
# a task that is switched to and from all the time, as on a busy machine no CPU is ever idle
sh -c 'while :; do sleep 0.01; done' &
switching=$!
children="$children $switching"
t stream -n 10 sched:sched_switch if "prev_pid == $switching"
expect 0 'succeeds'
same "$(grep -v '^#' "$TMP/out" | grep -vc "prev_pid=$switching ")" 0 'every line passes it'
t stream sched:sched_switch if 'nosuch == 1'
expect 1 'a bad one is refused'
says 'Field not found' 'with the words of the kernel'
true_that 'its instance is gone' no_own_instance

begin '--cpu'
t stream -n 10 --cpu 0 sched:sched_switch
expect 0 'succeeds'
same "$(grep -v '^#' "$TMP/out" | grep -vc '\[000\]')" 0 'every line is of that CPU'
t stream -n 1 --cpu 4000 sched:sched_switch
false_that 'a CPU that is not there is refused' test "$status" -eq 0

begin '--for'
t stream --for 50ms sched:sched_switch
expect 0 'ends by itself'
says 'events?, ' 'with a summary'

begin 'hundreds of events'
systems='block|cgroup|ext4|fib|huge_memory|irq|jbd2|napi|neigh|net|oom|power|sched|signal|skb|sock|task|tcp|timer|udp|vmscan'
systems="$systems|workqueue|writeback"
many=$(cut -d: -f1 "$TRACING/available_events" | sort -u | grep -xE "$systems" | sed 's/$/:/')
all_are_enabled()
{
	for set in "$TRACING"/instances/tracesh-"$child"-*/set_event; do
		[ "$(sort -u "$set" | grep -c .)" -ge "$wanted" ] 2>/dev/null || return 1
	done
}
wanted=$(grep -cE "^($systems):" "$TRACING/available_events")
# shellcheck disable=SC2086 # words
start "$TMP/live" "$TRACESH" stream $many
true_that 'lines come' await grep -q '^[^#]' "$TMP/live"
true_that 'and all of them get enabled' await all_are_enabled
kill -INT "$child"
true_that 'Ctrl-C ends it' ended "$child"
same "$status" 0 'successfully'
true_that 'its instance is gone' no_own_instance
# shellcheck disable=SC2086 # words
t stream --for 50ms $many
expect 0 '--for'
# shellcheck disable=SC2086 # words
t stream -n 1 $many
expect 0 '-n'
same "$(grep -vc '^#' "$TMP/out")" 1 'a line'
true_that 'its instance is gone' no_own_instance

begin 'Ctrl-C'
fresh
cat >"$TMP/stream.tsh" <<END
stream sched:sched_switch
marker after the stream
END
start "$TMP/live" "$TRACESH" -i "$I" "$TMP/stream.tsh"
true_that 'events arrive while it runs' await grep -q 'sched_switch:' "$TMP/live"
kill -INT "$child"
true_that 'ends it' ended "$child"
same "$status" 0 'successfully'
true_that 'with a summary' grep -q 'events*, ' "$TMP/live.err"
true_that 'and the file goes on' grep -q 'after the stream' "$D/trace"
true_that 'its instance is gone' no_own_instance

# The program sleeps in its wait while the marks are written, so that it hears of Ctrl-C before it can read them.
begin 'Ctrl-C, and what was written before it'
# marks_then_ctrl_c ARGUMENT..: 200 of them on each CPU, one second's sleep of the stream long
marks_then_ctrl_c()
{
	fresh
	start "$TMP/live" "$TRACESH" -i "$I" "$@"
	echo first >"$D/trace_marker"
	true_that 'it reads' await grep -q 'first' "$TMP/live"
	kill -STOP "$child"
	n=0
	while [ $n -lt 200 ]; do
		echo "mark $n." >"$D/trace_marker"
		n=$((n + 1))
	done
	kill -INT "$child"
	kill -CONT "$child"
	true_that 'it ends' ended "$child"
	same "$status" 0 'successfully'
}
marks_then_ctrl_c stream
same "$(grep -o 'mark [0-9]*\.$' "$TMP/live" | sort -u | grep -c .)" 200 'all of them are printed'
same "$(grep -c 'mark [0-9]*\.$' "$TMP/live")" 200 'once'
true_that 'the summary counts them' grep -q '^201 events, 0 lost' "$TMP/live.err"
marks_then_ctrl_c --json stream
same "$(grep -c '"type":"event".*mark [0-9]*\.' "$TMP/live")" 200 'JSON: all of them are printed'
true_that 'JSON: the end counts them' grep -q '"type":"end","events":201,"lost":0,"seconds"' "$TMP/live"
# Not a second later, though more is written than it can print.
fresh
echo 1 >"$D/events/raw_syscalls/enable"
start "$TMP/live" "$TRACESH" -i "$I" stream
true_that 'events arrive' await grep -q 'NR ' "$TMP/live"
kill -INT "$child"
true_that 'a stream of many ends too' ended "$child"
same "$status" 0 'successfully'
same "$(sed -n 's/,//g; s/^\([0-9]*\) events* .*lost.*/\1/p' "$TMP/live.err")" "$(grep -c '^[^#]' "$TMP/live")" 'the summary counts what is printed'
echo 0 >"$D/events/raw_syscalls/enable"

# Not by oflag=nonblock, which busybox's dd has none of, and so would take every pipe for a full one.
stalled_is_full() { ! timeout 5 dd if=/dev/zero of="$TMP/stalled" bs=512 count=1 2>/dev/null; }
begin 'Ctrl-C, and a reader that never reads'
mkfifo "$TMP/stalled"
sleep 3000 <>"$TMP/stalled" &
stalled=$!
children="$children $stalled"
# shellcheck disable=SC2016 # for the inner shell
start "$TMP/live" sh -c 'exec >"$1"; shift; exec "$@"' sh "$TMP/stalled" "$TRACESH" stream raw_syscalls
true_that 'it is full' await stalled_is_full
kill -INT "$child"
true_that 'ends it, with no other signal' ended "$child"
same "$status" 0 'successfully'
true_that 'what nobody read is said' grep -Eq 'nobody read the last [0-9]+ lines$' "$TMP/live.err"
true_that 'its instance is gone' no_own_instance
kill "$stalled"

begin 'SIGTERM'
start "$TMP/live" "$TRACESH" stream sched:sched_switch
true_that 'events arrive' await grep -q 'sched_switch:' "$TMP/live"
kill -TERM "$child"
true_that 'ends it' ended "$child"
same "$status" 143 'with 128+15'
true_that 'its instance is gone' no_own_instance

begin 'the current instance'
fresh
echo before >"$D/trace_marker"
start "$TMP/live" "$TRACESH" -i "$I" stream
true_that 'events from before come first' await grep -q 'tracing_mark_write: before$\|: print: .*before$' "$TMP/live"
echo 'while it runs' >"$D/trace_marker"
true_that 'each event is there at once, though stdout is a file' await grep -q 'while it runs$' "$TMP/live"
true_that 'a line says which were there before' sh -c "grep '^#' '$TMP/live' | grep -q before"
true_that 'that no event is enabled is said at once' grep -q 'no event is enabled' "$TMP/live.err"
kill -INT "$child"
ended "$child"
same "$status" 0 'Ctrl-C ends it'
same "$(grep -c 'before$' "$D/trace")" 0 'what was printed is consumed'

begin 'tracing that is off'
fresh
echo 0 >"$D/tracing_on"
t -i "$I" stream --for 10ms
expect 0 'succeeds'
says 'tracing is off' 'is said at once'

begin 'drain'
fresh
for n in 1 2 3 4 5; do echo "number $n" >"$D/trace_marker"; done
t -i "$I" -c 'drain -n 2' -c drain
expect 0 'succeeds'
same "$(grep -v '^#' "$TMP/out" | sed 's/.*number //' | tr '\n' ' ')" '1 2 3 4 5 ' \
	'in their order, what was read ahead too, each once'
t -i "$I" drain
same "$(grep -vc '^#' "$TMP/out")" 0 'what is printed is gone'
same "$(count_events "$D" | grep -c .)" 1 'the buffer is still there'
echo more >"$D/trace_marker"
t -i "$I" drain
same "$(grep -c 'more$' "$TMP/out")" 1 'and takes events'

begin 'what was read and not printed is said'
fresh
# More of them fit into what is read at once than are wanted.
for text in 1 2 3 4 5 6 7 8; do
	echo $text >"$D/trace_marker"
done
t -i "$I" drain -n 2
expect 0 'drain -n 2'
said=$(sed -n 's/^\([0-9]*\) events\{0,1\} read from the buffer and not printed.*/\1/p' "$TMP/err")
same "$(($(grep -vc '^#' "$TMP/out") + $(grep -vc '^#' "$D/trace") + ${said:-0}))" 8 'printed, there, or said: none else'

begin 'what the output does not take is said'
# filled: so many that one reading does not take all
filled()
{
	fresh
	yes 'marker xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' | head -n 12000 >"$TMP/markers"
	"$PYTHON" -c "
fd = open('$D/trace_marker', 'wb', buffering=0)
for line in open('$TMP/markers', 'rb'):
    fd.write(line)"
}
# whole FILE: how many lines of markers are in it, each to its end
whole()
{
	if [ -s "$1" ] && [ -n "$(tail -c 1 "$1")" ]; then sed '$d' "$1"; else cat "$1"; fi | grep -c 'marker x'
}
# accounts NAME PRINTED: what the kernel has given out is in the file, or counted
accounts()
{
	taken=$(cat "$D"/per_cpu/cpu*/stats | awk '/^read events:/ { n += $3 } END { print n }')
	said=$(sed -n 's/^\([0-9]*\) events\{0,1\} read from the buffer and not printed.*/\1/p' "$TMP/err")
	true_that "$1: some are read" test "$taken" -gt 0
	same "$(($2 + ${said:-0}))" "$taken" "$1: printed, or said"
}
if [ -n "$PYTHON" ] && [ -e /dev/full ] && mkdir "$TMP/small" && mount -t tmpfs -o size=100k none "$TMP/small" 2>/dev/null; then
	for format in text json csv kernel; do
		filled
		run sh -c '"$@" >/dev/full' sh "$TRACESH" -i "$I" --format $format drain
		expect 1 "$format: /dev/full"
		accounts "$format: /dev/full" 0
		filled
		t -i "$I" --format $format drain -o "$TMP/small/o"
		expect 1 "$format: a full place"
		accounts "$format: a full place" "$(whole "$TMP/small/o")"
		rm -f "$TMP/small/o"
	done
	filled
	t -i "$I" --keep-going -c "drain -o $TMP/small/o" -c "drain -o /dev/null"
	same "$(grep -c 'read from the buffer and not printed' "$TMP/err")" 1 'a drain behind it: once'
	accounts 'a drain behind it' $(($(whole "$TMP/small/o") + \
		$(sed -n 's/^\([0-9,]*\) events, 0 lost.*/\1/p' "$TMP/err" | tr -d ,)))
	filled
	t -i "$I" -o "$TMP/small/o" stream -n 12000
	expect 1 'stream'
	accounts 'stream' "$(whole "$TMP/small/o")"
	umount "$TMP/small"
	# What the pipe has taken, and its reader has not, nobody counts.
	filled
	t -i "$I" -c "drain | head -n 1"
	expect 0 'a reader that goes'
	taken=$(cat "$D"/per_cpu/cpu*/stats | awk '/^read events:/ { n += $3 } END { print n }')
	said=$(sed -n 's/^\([0-9]*\) events\{0,1\} read from the buffer and not printed.*/\1/p' "$TMP/err")
	true_that 'a reader that goes: said' test "${said:-0}" -gt $((taken - 3000))
	true_that 'no more than there were' test "${said:-0}" -le "$taken"
else
	skip "$case_name" 'nothing can be mounted, or there is no /dev/full'
fi

begin 'losses'
if [ -n "$PYTHON" ]; then
	fresh
	for file in "$D"/per_cpu/cpu*/buffer_size_kb; do echo 8 >"$file"; done
	"$PYTHON" -c "
import os
fd = os.open('$D/trace_marker', os.O_WRONLY)
for i in range(4000):
    os.write(fd, b'number %015d' % i)"
	overrun=$(cat "$D"/per_cpu/cpu*/stats | awk '/^overrun:/ { n += $2 } END { print n }')
	true_that 'some are lost' test "$overrun" -gt 0
	t -i "$I" --json drain
	expect 0 'succeeds'
	json 'the lost and the printed are all' "$TMP/out" "
lost = [row for row in rows if row['type'] == 'lost']
assert lost, rows[:3]
assert sum(row['count'] for row in lost) == $overrun == rows[-1]['lost'], (lost, $overrun, rows[-1])
assert len(events) + $overrun == 4000, len(events)"
	json 'they stand where they happened' "$TMP/out" "
seen = {}
for row in rows:
    if row['type'] == 'lost':
        assert row['cpu'] not in seen, row
    elif row['type'] == 'event':
        seen[row['cpu']] = True"
else
	skip "$case_name" 'no python3'
fi

begin 'losses, in text'
fresh
for file in "$D"/per_cpu/cpu*/buffer_size_kb; do echo 8 >"$file"; done
echo 1 >"$D/events/raw_syscalls/sys_enter/enable"
dd if=/dev/zero of=/dev/null bs=1 count=3000 2>/dev/null
echo 0 >"$D/events/raw_syscalls/sys_enter/enable"
t -i "$I" drain
prints '^# cpu [0-9]+: ([0-9]+ events lost|events lost, count unknown)$' 'a line where they are missing'
says 'lost.*buffer' 'the summary names what helps'

begin 'a full buffer, to its end'
fresh
# It has 2,118 pages, not a fourth of it: pages have a head. What is read at once ended just between the two.
echo 8432 >"$D/buffer_size_kb"
echo 1 >"$D/events/raw_syscalls/enable"
is_full()
{
	dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
	grep -q '^overrun: [1-9]' "$D"/per_cpu/cpu*/stats
}
await is_full
echo 0 >"$D/tracing_on"
t -i "$I" -o /dev/null drain
expect 0 'drain'
same "$(cat "$D"/per_cpu/cpu*/stats | awk '$1 == "entries:" { n += $2 } END { print n }')" 0 'nothing is left'

begin 'one buffer, read by CPUs and as a whole'
fresh
for i in 1 2 3 4 5 6 7 8 9; do echo "m$i" >"$D/trace_marker"; done
t -i "$I" -c 'drain --cpu 0-63 -n 2' -c 'drain -n 3' -c 'drain --cpu 0-63 -n 1' -c drain
expect 0 'in one session'
same "$(grep -o 'm[1-9]$' "$TMP/out" | tr '\n' ' ')" 'm1 m2 m3 m4 m5 m6 m7 m8 m9 ' 'nothing is lost, nothing comes twice'

begin 'a clock that somebody else changes between two drains'
fresh
echo tai >"$D/trace_clock"
echo first >"$D/trace_marker"
t -i "$I" -c drain -c "status | { cat >/dev/null; echo mono >'$D/trace_clock'; echo second >'$D/trace_marker'; }" -c drain
expect 0 'in one session'
prints " $(date +%Y)-[0-9-]+ [0-9:.]+: .*: first\$" 'what came before it'
prints " $(date +%Y)-[0-9-]+ [0-9:.]+: .*: second\$" 'and after it has its time, and is not late'

begin 'a child that became another program after its fork was seen'
fresh
only_ours
echo 1 >"$D/events/sched/sched_process_fork/enable"
# with 64 bits of time on boards of 32
for each in "$D"/events/syscalls/sys_enter_clock_nanosleep*; do
	echo 1 >"$each/enable"
done
# child_is_named: a child was seen, and the kernel has had room for its name until then, as others' tasks need it, too
child_is_named()
{
	echo >"$D/trace"
	echo 1 >"$D/tracing_on"
	sh -c 'sleep 0.04321; :'
	echo 0 >"$D/tracing_on"
	grep -E 'sys_clock_nanosleep.*rqtp' "$D/trace" | grep -oE ' sleep-[0-9]+' | sort -u >"$TMP/want"
	t -i "$I" drain
	grep -E 'sys_clock_nanosleep.*rqtp' "$TMP/out" | grep -oE ' sleep-[0-9]+' | sort -u >"$TMP/got"
	names=$(cat "$TRACING/saved_cmdlines")
	[ -z "$names" ] || echo "$names" | grep -qx "$(sed 's/.*-//' "$TMP/want") sleep"
}
await child_is_named
if [ -z "$names" ]; then
	skip "$case_name" 'this kernel records no names any more: saved_cmdlines is empty'
else
	true_that 'the kernel has its name' test -s "$TMP/want"
	true_that 'and so has drain' diff "$TMP/want" "$TMP/got"
fi

begin 'in a private session'
t --private -c 'stream sched:sched_switch -n 1'
expect 0 'stream'
same "$(grep -c 'the pid setting of' "$TMP/err")" 0 'nobody has set a pid'

begin 'losses that a full page has no room to count'
fresh
# 60 events of sched_switch fill a page to its last byte
echo 0 >"$D/tracing_on"
echo 16 >"$D/buffer_size_kb"
echo 1 >"$D/events/sched/sched_switch/enable"
overruns()
{
	cat "$D"/per_cpu/cpu*/stats | awk '$1 == "overrun:" { n += $2 } END { print n + 0 }'
}
overruns_come()
{
	/bin/true
	[ "$(overruns)" -gt 1000 ]
}
echo 1 >"$D/tracing_on"
await overruns_come
echo 0 >"$D/tracing_on"
t -i "$I" drain
expect 0 'drain'
same "$(sed -n 's/.* events, \([0-9,]*\) lost,.*/\1/p' "$TMP/err" | tr -d ,)" "$(overruns)" 'says how many'

begin 'events from before the clock was set back'
fresh
if preload shift-clock; then
	echo tai >"$D/trace_clock"
	for i in 1 2 3; do echo "m$i" >"$D/trace_marker"; done
	run env LD_PRELOAD="$PRELOAD" SHIFT_SECONDS=-1000 "$TRACESH" -i "$I" drain
	expect 0 'drain'
	same "$(grep -o 'm[1-9]$' "$TMP/out" | tr '\n' ' ')" 'm1 m2 m3 ' 'prints them'
	same "$(grep -c 'not printed' "$TMP/err")" 0 'all of them'
fi

begin 'tracesh does not trace itself'
if [ -e "$TRACING/set_event_notrace_pid" ]; then
	start "$TMP/live" "$TRACESH" --json stream raw_syscalls:sys_enter
	me=$child
	true_that 'events arrive' await grep -q '"type":"event"' "$TMP/live"
	dd if=/dev/zero of=/dev/null bs=1 count=100 2>/dev/null
	kill -INT "$child"
	ended "$child"
	same "$(grep -c "\"pid\":$me," "$TMP/live")" 0 'none of them is its own'
	same "$(grep -c "\"pid\":$$," "$TMP/live")" 0 'nor of the shell that started it'
else
	skip "$case_name" 'this kernel has no set_event_notrace_pid'
fi

begin '--here'
fresh
echo 'prev_pid == 3' >"$D/events/sched/sched_switch/filter"
t -i "$I" stream --here -n 3 sched:sched_switch if 'next_pid > 0'
expect 0 'succeeds'
same "$(grep -c " sched_switch: .* next_pid=[1-9]" "$TMP/out")" 3 'prints them'
file_is set_event '' 'nothing stays enabled'
file_is events/sched/sched_switch/filter 'prev_pid == 3' 'the filter from before is back'

begin 'settings of its own instance'
fresh
sleeper
echo "$sleeper" >"$D/set_event_pid"
echo 1 >"$D/tracing_cpumask"
t -i "$I" -c 'stream -n 1 sched_waking' -c 'stream -n 1 sched_waking'
same "$(printf '%s\n' "$err" | grep -c "^the pid.* of '$I' do\(es\)\? not apply to the stream's own instance: use --here, or --pid")" 1 \
	"that the present instance's are not its is said once"
t -i "$I" stream --for 50ms --pid "$sleeper" sched_process_exec
unlike "$err" '^the pid' "$case_name: not where it has its own"
t stream --for 100ms --pid "$sleeper" sched_waking raw_syscalls:sys_enter
same "$(printf '%s\n' "$out" | grep -v '^#' | grep -vc 'pid='"$sleeper")" 0 '--pid: of no other task'
start "$TMP/two" "$TRACESH" stream --pid "$$,$sleeper" raw_syscalls:sys_enter
true_that 'a list, and a shell above it' await grep -q -- "-$$ .*sys_enter" "$TMP/two"
kill -INT "$child"
ended "$child"
t stream --pid "$sleeper,nosuchtask" sched_waking
says "no task is called 'nosuchtask'" 'who is not there is named'
for where in '--here sched_waking' '-n 1'; do
	# shellcheck disable=SC2086
	t -i "$I" stream --pid 1 $where
	expect 2 "not for the present one: $where"
	says 'hint: to set the tasks in the current instance: pid TASK..' 'with what is'
done
t stream --buffer 0 sched_waking
expect 2 'a buffer of nothing'

begin 'the times that --time gives'
fresh
echo one >"$D/trace_marker"
echo two >"$D/trace_marker"
for style in wall:'[0-9]{4}-[0-9-]{5} [0-9:]{8}\.[0-9]{6}:' short:' [0-9:]{8}\.[0-9]{6}:' iso:'T[0-9:]{8}\.[0-9]{6}' \
	utc:'[0-9:]{8}\.[0-9]{6}' trace:' [0-9]+\.[0-9]{6}: ' rel:' \+?0\.[0-9]{6}' delta:' \+?0\.[0-9]{6}'; do
	t -i "$I" --time "${style%%:*}" show
	prints "one$" "${style%%:*}: the event"
	like "$(grep 'one$' "$TMP/out")" "${style#*:}" "$case_name: ${style%%:*}: the time"
done
t -i "$I" --time none show
unlike "$(grep 'one$' "$TMP/out")" '[0-9]{2}:[0-9]{2}|[0-9]\.[0-9]{6}' "$case_name: none: no time"
t -i "$I" --time trace --precision ns drain
like "$(grep 'one$' "$TMP/out")" ' [0-9]+\.[0-9]{9}: ' "$case_name: ns: nine digits"

begin 'the clock counter has no wall time'
fresh
echo counter >"$D/trace_clock"
echo one >"$D/trace_marker"
t -i "$I" drain
expect 0 'succeeds'
prints 'clock counter, .*no wall-clock time' 'says so'
prints 'one$' 'prints the event'

begin 'every clock'
for clock in $(tr -d '[]' <"$TRACING/trace_clock"); do
	fresh
	echo "$clock" >"$D/trace_clock" 2>/dev/null || continue
	from=$(date +%s)
	echo one >"$D/trace_marker"
	t -i "$I" --json drain
	expect 0 "$clock"
	[ "$clock" != counter ] || continue
	json "$clock: the event is of now" "$TMP/out" "
from datetime import datetime
assert len(events) == 1
when = datetime.fromisoformat(events[0]['time'][:26] + events[0]['time'][-6:]).timestamp()
assert abs(when - $from) < 100, (events[0]['time'], $from)"
done

begin 'drain -n: the rest stays'
fresh
# all on one CPU: what is read of another beside them is lost
taskset -c 0 sh -c 'for i in $(seq 100); do echo "note $i" >"$1"; done' sh "$D/trace_marker"
t -i "$I" --time none drain -n 5
expect 0 'succeeds'
same "$(grep -c 'note [1-5]$' "$TMP/out")" 5 'the first five'
same "$(grep -vc '^#' "$TMP/out")" 5 'and no more'
left=$(grep -vc '^#' "$D/trace")
cpus=$(getconf _NPROCESSORS_ONLN)
true_that 'the others are there, but for a few that were read' test "$left" -ge $((95 - 2 * cpus))
t -i "$I" drain
same "$(grep -vc '^#' "$TMP/out")" "$left" 'and come next'

begin 'with little memory'
fresh
real_pointers
only_ours
echo 1 >"$D/events/kmem/kmalloc/enable"
echo 1 >"$D/events/timer/timer_start/enable"
echo 1 >"$D/events/timer/timer_expire_entry/enable"
enough()
{
	[ "$(count_events "$D")" -ge 2000 ] || { ls -lR /proc/self >/dev/null 2>&1; false; }
}
await enough
echo 0 >"$D/tracing_on"
cat "$D/trace" >"$TMP/kernel.txt"
t --pool 64K -i "$I" --format kernel drain
expect 0 'succeeds'
# without the names, of which the kernel may have forgotten one in between: it has room for 128
grep -v '^#' "$TMP/kernel.txt" | sed 's/^.\{16\}//' >"$TMP/want"
grep -v '^#' "$TMP/out" | sed 's/^.\{16\}//' >"$TMP/got"
same "$(cmp "$TMP/want" "$TMP/got" 2>&1)" '' 'every symbol is looked for by itself, and is the one of the kernel'

begin 'two commands with a reader each'
fresh
for i in $(seq 10); do
	echo "note $i" >"$D/trace_marker"
	t -i "$I" -c 'drain | cat' -c 'drain | cat'
	[ "$status" -eq 0 ] || break
done
expect 0 'their programs are no readers of ours'

begin 'what a test expects'
t stream -n 1 --for 1s --expect sched_switch
expect 0 'that comes'
t stream -n 1 --for 10ms --expect sched_switch if 'next_pid == 123456789'
expect 1 'that does not come'
says '^<arguments>: error: 0 of the 1 events that were expected came$' 'is an error'
t stream -n 1 --for 10ms sched_switch if 'next_pid == 123456789'
expect 0 'without --expect it is none'
t -c "try stream -n 1 --for 10ms --expect sched_switch if 'next_pid == 123456789'"
expect 1 'in a try the status is the same'
says '0 of the 1 events that were expected came' 'and why is a note'
t -c "try stream -n 1 --for 10ms --expect sched_switch if 'next_pid == 123456789'" -c 'time now'
expect 0 'and what comes behind it is run'
t -c "try stream -n 1 --for 10ms --expect sched_switch if 'next_pid == 123456789' else time now"
expect 0 'what stands behind else has its own'
t stream --for 10ms --stop-when 'next_pid == 123456789' --expect sched_switch
expect 1 'what is to end it'
says '^<arguments>: error: no event came for which --stop-when is true$' 'is said'
t stream --for 1s --stop-when 'prev_pid > 0' --expect sched_switch
expect 0 'what has ended it'

finish
