#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers
# time limit: 900
# record: a folder of raw pages that is read like the kernel's own buffer.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# events_of FILE: its lines without comments and without the names of tasks, which change with what else is traced
events_of()
{
	grep -v '^#' "$1" | sed 's/^ *[^[]*-\([0-9]* *\[[0-9]\)/\1/'
}

# work: what the cases record
work()
{
	sh -c 'sh -c : & wait'
	dd if=/dev/zero of=/dev/null bs=1 count=2000 2>/dev/null
	ls / >/dev/null
}

# remove_killed PID: the instance of a tracesh that could not clean up
remove_killed()
{
	for directory in "$TRACING/instances/tracesh-$1-"*; do
		[ ! -d "$directory" ] || rmdir "$directory"
	done
}

tree=$TMP/tree
# again: the next recording, and nothing that the one before it has said
again()
{
	rm -rf "$tree" "$TMP/live" "$TMP/live.err"
}

begin 'the current instance'
fresh
again
real_pointers
for event in sched/sched_switch sched/sched_process_fork sched/sched_process_exec raw_syscalls/sys_enter timer/timer_start; do
	[ ! -d "$D/events/$event" ] || echo 1 >"$D/events/$event/enable"
done
work
echo 'a marker' >"$D/trace_marker"
echo 0 >"$D/tracing_on"
cat "$D/trace" >"$TMP/trace"
t -i "$I" record "$tree"
expect 0 'succeeds'
says 'tracing is off' 'that nothing new will come is said'
says "^[0-9,]+ events, .* 0 lost, .*: tracesh --tracefs $tree drain" 'a summary says what to type next'
same "$(grep -vc '^#' "$D/trace")" 0 'its pages are taken'
t --tracefs "$tree" --format kernel drain
expect 0 'drain reads it'
events_of "$TMP/trace" >"$TMP/want"
events_of "$TMP/out" >"$TMP/got"
true_that 'and prints what the kernel printed' diff "$TMP/want" "$TMP/got"
cp "$TMP/out" "$TMP/first-drain"
t --tracefs "$tree" --format kernel drain
true_that 'again: nothing is consumed' cmp "$TMP/out" "$TMP/first-drain"
t --tracefs "$tree" stream
same "$(grep -vc '^#' "$TMP/out")" "$(wc -l <"$TMP/want" | tr -d ' ')" 'stream has as many events'
t --tracefs "$tree" show
same "$(grep -vc '^#' "$TMP/out")" "$(wc -l <"$TMP/want" | tr -d ' ')" 'show too'
t --tracefs "$tree" --format kernel show -n 3
tail -n 3 "$TMP/want" >"$TMP/last"
events_of "$TMP/out" >"$TMP/got"
true_that 'show -n 3: the last three' cmp "$TMP/last" "$TMP/got"
t --tracefs "$tree" --json drain
json 'JSON says where it comes from' "$TMP/out" "
import os
assert rows[0]['host'] == os.uname().nodename and rows[0]['kernel'] == os.uname().release, rows[0]
assert rows[0]['boot_id'] == open('/proc/sys/kernel/random/boot_id').read().strip(), rows[0]
assert rows[0]['instance'] == '$I', rows[0]
assert len(events) == sum(1 for _ in open('$TMP/want')) == rows[-1]['events']
assert rows[-1]['lost'] == 0"
json 'and when it was' "$TMP/out" "
from datetime import datetime
import time
when = datetime.fromisoformat(events[-1]['time'][:26] + events[-1]['time'][-6:]).timestamp()
assert abs(when - time.time()) < 300, events[-1]['time']"
t --tracefs "$tree" events
prints 'sched:sched_switch' 'events lists what was recorded'
t --tracefs "$tree" info sched:sched_switch
prints 'prev_comm' 'info knows the fields'
t --tracefs "$tree" status
prints 'recorded tree' 'status says what it is'
if grep -q '^nobody:' /etc/passwd && setpriv --reuid nobody --clear-groups true 2>/dev/null; then
	chmod 755 "$TMP"
	chmod -R a+rX "$tree"
	t --tracefs "$tree" --format kernel drain
	cp "$TMP/out" "$TMP/as-root"
	setpriv --reuid nobody --clear-groups "$TRACESH" --tracefs "$tree" --format kernel drain \
		>"$TMP/as-nobody" 2>/dev/null || :
	# the program may lie where others cannot go
	if [ -s "$TMP/as-nobody" ]; then
		true_that 'no root is needed' cmp "$TMP/as-root" "$TMP/as-nobody"
	else
		skip "$case_name: no root is needed" 'the program cannot be run as nobody'
	fi
fi

begin 'a buffer that has overwritten events'
fresh
again
echo 8 >"$D/buffer_size_kb"
echo 1 >"$D/events/raw_syscalls/sys_enter/enable"
dd if=/dev/zero of=/dev/null bs=1 count=5000 2>/dev/null
echo 0 >"$D/tracing_on"
t -i "$I" record "$tree"
says '^[0-9,]+ events, [0-9]+K, 0 lost, ([0-9,]+|older ones) overwritten before it began, ' 'the sum does not say that it has all'

begin 'symbols, enumerators and names without this kernel'
fresh
again
if [ -d "$D/events/timer/hrtimer_start" ] && [ -d "$D/events/workqueue" ]; then
	real_pointers
	echo 1 >"$D/events/timer/enable"
	echo 1 >"$D/events/workqueue/enable"
	sleep 0.2
	echo 0 >"$D/tracing_on"
	cat "$D/trace" >"$TMP/trace"
	t -i "$I" record "$tree"
	expect 0 'succeeds'
	# Nothing of this kernel is mounted there.
	unshare -m sh -c 'mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec "$@"' sh \
		"$TRACESH" --tracefs "$tree" --format kernel drain >"$TMP/got-raw" 2>"$TMP/err" || :
	events_of "$TMP/trace" >"$TMP/want"
	events_of "$TMP/got-raw" >"$TMP/got"
	true_that 'the same text without /proc and /sys' diff "$TMP/want" "$TMP/got"
	same "$(grep -E ' _(stext|etext|sinittext|einittext|end)$' "$tree/kallsyms")" \
		"$(grep -E ' _(stext|etext|sinittext|einittext|end)$' /proc/kallsyms)" 'with the ends of sections: behind them nothing has a name'
	true_that 'with few of the symbols' sh -c '[ "$(wc -l <"$1")" -lt 20000 ]' sh "$tree/kallsyms"
else
	skip "$case_name" 'this kernel has no such events'
fi

# somebody_works: who is traced, on a quiet machine too
somebody_works()
{
	while :; do sleep 0.05; done >/dev/null 2>&1 &
	children="$children $!"
}

begin 'events in an instance of its own'
top_events=$(cat "$TRACING/set_event")
again
somebody_works
t record --for 300ms "$tree" sched:sched_switch
expect 0 'succeeds'
t --tracefs "$tree" drain
prints ' sched_switch: prev_comm=' 'the events are there'
true_that 'its instance is gone' no_own_instance
same "$(cat "$TRACING/set_event")" "$top_events" 'the top-level instance has not enabled it'

begin 'a filter'
again
somebody_works
t record --for 300ms "$tree" sched:sched_switch if 'prev_pid != 0'
expect 0 'succeeds'
t --tracefs "$tree" drain
prints 'prev_pid=' 'events that pass it'
same "$(grep -v '^#' "$TMP/out" | grep -c 'prev_pid=0 ')" 0 'and no others'
t --tracefs "$tree" status
prints '^filter: +sched:sched_switch: prev_pid != 0$' 'the recording keeps it, without what keeps tracesh out'
t --tracefs "$tree" count
says '^sched:sched_switch was recorded with a filter: prev_pid != 0$' 'what is counted is not all'
t --tracefs "$tree" latency off-cpu
says '^the filter of sched:sched_switch \(prev_pid != 0\) left events out of the recording: a pair may seem longer' 'nor are pairs'
again
t record --for 1ms "$tree" sched:sched_switch
t --tracefs "$tree" status
same "$(grep -c '^filter:' "$TMP/out")" 0 'what keeps tracesh out is none of the user'
again
fresh
echo 'common_pid > 1' >"$D/events/raw_syscalls/sys_enter/filter"
echo 1 >"$D/events/raw_syscalls/sys_enter/enable"
echo 1 >"$D/tracing_cpumask"
work
echo 0 >"$D/events/raw_syscalls/sys_enter/enable"
echo 0 >"$D/tracing_on"
t -i "$I" record "$tree"
t --tracefs "$tree" filter
prints '^raw_syscalls:sys_enter +common_pid > 1$' 'of the current instance, too, and of an event that is off by then'
t --tracefs "$tree" --json status
prints '"cpus":\[0\]' 'and its CPUs'
again
t record --for 100ms "$tree" sched:sched_process_exit if 'pid == -5'
says '^0 events, 0 lost, [^(]* \(nothing passed the filter, or nothing happened\); read it' 'of none no size is said, and why'
again
t record --for 300ms "$tree" sched:sched_switch if 'nosuch == 1'
expect 1 'a bad one is refused'
says 'Field not found' 'with the words of the kernel'
true_that 'its instance is gone' no_own_instance
false_that 'and no folder is left' test -e "$tree"
again
t record "$tree" sched:sched_process_exec -- nosuchprog
expect 127 'a program that is not there is refused'
says "cannot run 'nosuchprog': No such file" 'with the reason'
false_that 'and no folder is left' test -e "$tree"

begin '-- PROGRAM'
again
t record "$tree" sched:sched_process_exec -- /bin/sh -c '/bin/true; /bin/echo said; exit 3'
expect 3 "the exit status is the program's"
same "$out" said 'its stdout is its own'
t --tracefs "$tree" drain
same "$(grep -v '^#' "$TMP/out" | sed 's/.*filename=\([^ ]*\) .*/\1/; s,.*/,,' | tr '\n' ' ')" 'sh true echo ' \
	'its events and no others'
again
t record "$tree" sched:sched_process_exec -- /nonexistent/program
expect 127 'one that cannot be run is a failed command'
true_that 'its instance is gone' no_own_instance
again
t record "$tree" -- true
expect 0 'without EVENT'
t --tracefs "$tree" drain
prints 'sched_process_exec: ' 'processes'
prints 'sys_enter: ' 'and system calls'

begin 'Ctrl-C'
again
start "$TMP/live" "$TRACESH" -c "record $tree sched:sched_switch" -c 'events sched_switch'
true_that 'it records' await grep -q 'Ctrl-C ends it' "$TMP/live.err"
sleep 0.2
kill -INT "$child"
true_that 'ends it' ended "$child"
same "$status" 0 'successfully'
true_that 'and what follows is done' grep -q sched_switch "$TMP/live"
t --tracefs "$tree" drain
prints ' sched_switch: ' 'the events are there'
true_that 'info says why' grep -q '^ended_by Ctrl-C$' "$tree/tracesh/info"
true_that 'its instance is gone' no_own_instance

begin 'SIGTERM'
again
start "$TMP/live" "$TRACESH" record "$tree" sched:sched_switch
true_that 'it records' await grep -q 'Ctrl-C ends it' "$TMP/live.err"
sleep 0.2
kill -TERM "$child"
true_that 'ends it' ended "$child"
same "$status" 143 'with 128+15'
t --tracefs "$tree" drain
prints ' sched_switch: ' 'the events are there'
true_that 'its instance is gone' no_own_instance

begin '--max keeps the newest'
again
cpus=$(find "$TRACING/per_cpu" -maxdepth 1 -name 'cpu*' | wc -l)
max=$((cpus * 128))
start "$TMP/live" "$TRACESH" record --max "${max}K" "$tree" raw_syscalls:sys_enter
true_that 'it records' await grep -q 'Ctrl-C ends it' "$TMP/live.err"
dd if=/dev/zero of=/dev/null bs=1 count=150000 2>/dev/null
sh -c 'exec dd if=/dev/zero of=/dev/null bs=1 count=3' 2>/dev/null
kill -INT "$child"
true_that 'Ctrl-C ends it' ended "$child"
same "$status" 0 'successfully'
true_that 'not more than that is written' sh -c '[ "$(cat "$1"/per_cpu/cpu*/trace_pipe_raw | wc -c)" -le "$2" ]' \
	sh "$tree" $((max * 1024))
true_that 'how much was given up is said' grep -q '[1-9][0-9,]* older ones given up (--max)' "$TMP/live.err"
t --tracefs "$tree" --json drain
expect 0 'it is readable'
json 'in the order of time, and what was given up is all the rest' "$TMP/out" "
info = dict(line.rstrip('\n').split(' ', 1) for line in open('$tree/tracesh/info'))
assert info['pages'] == 'in order', info
last = 0
for row in events:
    assert int(row['ts']) >= last or row.get('late'), row
    last = max(last, int(row['ts']))
given_up = sum(int(v.split()[-1]) for k, v in info.items() if k.startswith('cpu'))
lost = sum(int(v.split()[3]) for k, v in info.items() if k.startswith('cpu'))
assert given_up + lost + len(events) >= 300000, (given_up, lost, len(events))
assert 0 < len(events) < 150000, len(events)
assert any('were overwritten' in row.get('text', '') for row in rows if row['type'] == 'note'), rows[:3]"
again
t record --max 8K "$tree" sched:sched_switch
expect 2 'one that is too small is refused'
says '--max [0-9.]+[KM] at least' 'with the least that will do'
false_that 'and no folder is left' test -e "$tree"

begin 'a ring that was left behind'
again
start "$TMP/live" "$TRACESH" record --max "${max}K" "$tree" raw_syscalls:sys_enter
killed=$child
true_that 'it records' await grep -q 'Ctrl-C ends it' "$TMP/live.err"
dd if=/dev/zero of=/dev/null bs=1 count=150000 2>/dev/null
sleep 0.3
kill -KILL "$killed"
ended "$killed" || :
remove_killed "$killed"
true_that 'is one' grep -q '^pages ring$' "$tree/tracesh/info"
t --tracefs "$tree" status
prints '^state: +a recorded tree without an end \(its record was killed, or goes on\): nothing happens here$' 'status says so'
t --tracefs "$tree" count
says '^the recording has no end: record was killed, or is still running; events and names that it had not written are missing' 'who counts it is told'
says '^[0-9,]+ events, at least 0 lost' 'that there may have been more'
t --tracefs "$tree" --json drain
expect 0 'it is readable'
json 'from its oldest page on' "$TMP/out" "
assert events
last = {}
for row in events:
    assert int(row['ts']) >= last.get(row['cpu'], 0), row
    last[row['cpu']] = int(row['ts'])
assert not any('damaged' in row.get('text', '') for row in rows), rows[:3]"

begin '--detach'
again
t record --detach "$tree" sched:sched_switch
expect 0 'the prompt is back'
says 'process [0-9]+, .*kill [0-9]+' 'how to end it is said'
pid=$(sed -n 's/.*kill \([0-9]*\)$/\1/p' "$TMP/err")
true_that 'it goes on' kill -0 "$pid"
# nor what a shell or ssh waits for that has called it; its guard does not, either
holds_no_terminal()
{
	for each in "$pid" $(pgrep -P "$pid"); do
		for number in 0 1 2; do
			[ "$(readlink "/proc/$each/fd/$number")" = /dev/null ] || return
		done
	done
}
true_that 'it holds no terminal' await holds_no_terminal
kill -HUP "$pid"
sleep 0.2
true_that 'after a hang-up too' kill -0 "$pid"
kill "$pid"
true_that 'kill ends it' await gone "$pid"
t --tracefs "$tree" drain
prints ' sched_switch: ' 'the events are there'
true_that 'properly' grep -q '^ended_by ' "$tree/tracesh/info"
true_that 'its instance is gone' no_own_instance
again
t record --detach --for 300ms "$tree" sched:sched_switch
expect 0 '--detach --for'
pid=$(sed -n 's/.*kill \([0-9]*\)$/\1/p' "$TMP/err")
true_that 'ends by itself' await gone "$pid"
t --tracefs "$tree" drain
prints ' sched_switch: ' 'the events are there'
again
t record --detach "$tree" sched:sched_switch if 'nosuch == 1'
expect 1 'an error is the command'"'"'s'
says 'Field not found' 'in the words of the kernel'
says '^ +nosuch == 1|record --detach.*nosuch' 'under the words that were typed'
t record --detach "$tree" -- true
expect 2 'not with a program'

begin 'the terminal goes away'
again
if [ -n "$PYTHON" ]; then
	"$PYTHON" - "$TRACESH" "$tree" >"$TMP/pid" <<'END'
import os, pty, re, sys
pid, master = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], 'record', '--detach', sys.argv[2], 'sched:sched_switch'])
text = b''
while not re.search(rb'kill \d+\s', text):
    try:
        text += os.read(master, 4096)
    except OSError:
        break
# who has started it ends first: a hangup's SIGCONT takes the SIGSTOP away that the leak sanitizer waits for at its end
os.waitpid(pid, 0)
os.close(master)
print(re.search(rb'kill (\d+)\s', text).group(1).decode())
END
	pid=$(cat "$TMP/pid")
	sleep 0.2
	true_that 'it goes on' kill -0 "$pid"
	kill "$pid"
	true_that 'kill ends it' await gone "$pid"
	t --tracefs "$tree" drain
	prints ' sched_switch: ' 'the events are there'
	true_that 'its instance is gone' no_own_instance
else
	skip "$case_name" 'no python3'
fi

begin '--detach of the current instance'
fresh
again
echo 1 >"$D/events/sched/sched_switch/enable"
t -i "$I" record --detach "$tree"
expect 0 'succeeds'
pid=$(sed -n 's/.*kill \([0-9]*\)$/\1/p' "$TMP/err")
t -i "$I" drain
expect 1 'nobody else reads it meanwhile'
kill "$pid"
true_that 'kill ends it' await gone "$pid"
t --tracefs "$tree" drain
prints ' sched_switch: ' 'the events are there'
t -i "$I" drain -n 1
expect 0 'and the instance is free again'

begin 'a folder that cannot be used'
again
mkdir "$tree"
t record --for 1ms "$tree" sched:sched_switch
expect 0 'an empty one can'
t record --for 1ms "$tree" sched:sched_switch
expect 1 'one with files in it cannot'
says 'exists and is not empty' 'it says so'
says '^hint: record ' 'and what to type'
t record --for 1ms "$TMP/nowhere/tree" sched:sched_switch
false_that 'nor one in a folder that is not there' test "$status" -eq 0
says 'mkdir -p' 'it says what to type'
echo text >"$TMP/file"
t record --for 1ms "$TMP/file" sched:sched_switch
false_that 'nor a file' test "$status" -eq 0
says '^hint: ' 'it says what to type'
mkdir "$TMP/ro"
if mount -t tmpfs -o ro none "$TMP/ro" 2>/dev/null; then
	t record --for 1ms "$TMP/ro/tree" sched:sched_switch
	expect 3 'nor one of a disk that is read-only'
	says 'Read-only file system' 'it says so'
	says '^hint: ' 'and what to do'
	umount "$TMP/ro"
fi
true_that 'no instance is left' no_own_instance

begin 'a folder that others can change'
again
other=$TMP/others
mkdir "$other" "$TMP/secret" && chmod 755 "$TMP"
# refused WHAT FOLDER
refused()
{
	t record --for 1ms "$2" sched:sched_switch
	expect 1 "$1"
	says "^hint: " "$1: it says what to type"
	same "$(ls -A "$other/empty" "$TMP/secret" 2>/dev/null | grep -v ':$' | tr -d '\n')" '' "$1: nothing is written"
}
mkdir "$other/empty" && chmod 777 "$other/empty"
refused 'one that all may write to' "$other/empty"
says 'other users may write to it' 'it says why'
chmod 1777 "$other/empty"
refused 'with the sticky bit, too' "$other/empty/"
chmod 770 "$other/empty" && chgrp 1234 "$other/empty"
refused 'one that a group may write to' "$other/empty"
chmod 755 "$other/empty" && chown 65534 "$other/empty"
refused 'one of somebody else' "$other/empty"
ln -s "$TMP/secret" "$other/link" && chown -h 65534 "$other/link"
refused 'a link of somebody else' "$other/link"
refused 'and with a / behind it' "$other/link/"
refused 'a link on the way' "$other/link/tree"
says 'leads through a symbolic link of another user' 'it says why'
# on a stick that is mounted for the user who calls sudo
chown 65534 "$other/empty"
run env SUDO_UID=65534 "$TRACESH" record --for 1ms "$other/empty" sched:sched_switch
expect 0 'one of the user who called sudo can'
rm -rf "$other/empty" && mkdir -m 775 "$other/empty"
refused 'one of root that its group may write to' "$other/empty"
# the private group of the user who called sudo
chown 65534:65534 "$other/empty"
run env SUDO_UID=65534 "$TRACESH" record --for 1ms "$other/empty" sched:sched_switch
expect 0 'one that only its own private group may write to can'
ln -s "$TMP/secret" "$TMP/mine"
t record --for 1ms "$TMP/mine" sched:sched_switch
expect 0 'so can one behind a link of our own'
rm -rf "$TMP/secret" "$other" && mkdir "$TMP/secret" "$other" && chown 65534 "$other"

# What somebody who could change the folder meanwhile would do
for text in info comms clock; do
	echo secret >"$TMP/secret/$text"
done
start "$TMP/live" "$TRACESH" record "$other/tree" sched:sched_switch
true_that 'it records' await grep -q 'Ctrl-C ends it' "$TMP/live.err"
mv "$other/tree/tracesh" "$other/was" && ln -s "$TMP/secret" "$other/tree/tracesh"
mv "$other/tree/per_cpu" "$other/cpus" && ln -s "$TMP/secret" "$other/tree/per_cpu"
kill -INT "$child"
true_that 'it ends' ended "$child"
false_that 'the links that were put into it are an error' test "$status" -eq 0
same "$(ls "$TMP/secret"; cat "$TMP/secret"/*)" "clock
comms
info
secret
secret
secret" 'and nothing is written behind them'
# and who can rename the folder itself: what is written goes into the one that was made
start "$TMP/live" "$TRACESH" record "$other/again" sched:sched_switch
true_that 'it records' await grep -q 'Ctrl-C ends it' "$TMP/live.err"
mv "$other/again" "$other/moved" && ln -s "$TMP/secret" "$other/again"
kill -INT "$child"
true_that 'it ends, too' ended "$child"
same "$(cat "$TMP/secret"/*)" "secret
secret
secret" 'and nothing is written elsewhere'
t --tracefs "$other/moved" drain
prints ' sched_switch: ' 'the events are where the folder is now'
rm -rf "$other" "$TMP/secret"

begin 'a full disk'
again
mkdir "$TMP/small"
if mount -t tmpfs -o size=4m,nr_inodes=10000 none "$TMP/small" 2>/dev/null; then
	start "$TMP/live" "$TRACESH" record "$TMP/small/tree" raw_syscalls:sys_enter
	true_that 'it records' await grep -q 'Ctrl-C ends it' "$TMP/live.err"
	children="$children $(
		dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null &
		echo $!
	)"
	true_that 'it ends by itself' ended "$child"
	same "$status" 1 'and fails'
	true_that 'it says why' grep -q 'No space left on device' "$TMP/live.err"
	true_that 'and what to type' grep -q '^hint: .*drain.*--max SIZE' "$TMP/live.err"
	t --tracefs "$TMP/small/tree" drain
	expect 0 'what is there can be read'
	prints ' sys_enter: ' 'events'
	unlike "$out" 'damaged|inside a page' "$case_name: whole pages"
	true_that 'info says it too' grep -q '^ended_by a full disk$' "$TMP/small/tree/tracesh/info"
	true_that 'its instance is gone' no_own_instance
	rm -rf "$TMP/small/tree"
	head -c 3900000 /dev/zero >"$TMP/small/filler"
	t record --for 1ms "$TMP/small/tree" 'sched:*'
	false_that 'no room for the formats' test "$status" -eq 0
	says 'No space left on device' 'is said'
	false_that 'and nothing is left' test -e "$TMP/small/tree"
	umount "$TMP/small"
else
	skip "$case_name" 'no tmpfs can be mounted'
fi

# sum NAME: of all CPUs' stats of the case's instance
sum()
{
	cat "$D"/per_cpu/cpu*/stats | awk -F': ' -v name="$1" '$1 == name { n += $2 } END { print n + 0 }'
}

# markers COUNT [CPU]: into the case's instance
markers()
{
	count=$1
	set -- "$1" ${2:+taskset -c "$2"}
	shift
	"$@" awk -v n="$count" \
		'BEGIN { for (i = 0; i < n; i++) { printf "marker number %d xxxxxxxxxxxxxxxxxxxxxxx\n", i; fflush() } }' >"$D/trace_marker"
}

# adds_up NAME PROGRAM..: it records what is in the buffer to $TMP/small/tree; the sums go to $events, $lost and $left
adds_up()
{
	name=$1
	shift
	before=$(sum 'read events')
	run "$@"
	events=$(sed -n 's/^\([0-9,]*\) events*, .*/\1/p' "$TMP/err" | tr -d ,)
	lost=$(sed -n 's/^[0-9,]* events*, .*, \([0-9,]*\) lost,.*/\1/p' "$TMP/err" | tr -d ,)
	left=$(sed -n 's/.* \([0-9,]*\) left in the buffer,.*/\1/p' "$TMP/err" | tr -d ,)
	older=$(sed -n 's/.* \([0-9,]*\) older ones given up.*/\1/p' "$TMP/err" | tr -d ,)
	same "$((events + lost + ${older:-0}))" "$(($(sum 'read events') - before))" \
		"$name: what it says is what the kernel has given out"
	same "${left:-0}" "$(sum entries)" "$name: and what is still there"
	"$TRACESH" --tracefs "$TMP/small/tree" --json drain >"$TMP/drained" 2>/dev/null
	same "$(grep -c '"type":"event"' "$TMP/drained")" "$events" "$name: the rest is in the file"
}

begin 'a full disk: what is taken out of the buffer is in the file'
fresh
mkdir -p "$TMP/small"
echo 4096 >"$D/buffer_size_kb"
for place in 1100k 1500k 2000k none; do
	case $place in *k) size=$place ;; *) size=1500k ;; esac
	mount -t tmpfs -o "size=$size,nr_inodes=10000" none "$TMP/small" 2>/dev/null ||
		{ skip "$case_name" 'no tmpfs can be mounted'; break; }
	again
	echo >"$D/trace"
	markers 30000
	set -- "$TRACESH"
	# a file system that reserves nothing
	if [ "$place" = none ]; then
		preload no-fallocate || { umount "$TMP/small"; continue; }
		set -- env "LD_PRELOAD=$PRELOAD" "$TRACESH"
	fi
	adds_up "$place" "$@" -i "$I" -c off -c "record $TMP/small/tree"
	expect 1 "$place: it fails"
	[ "$place" = none ] || same "$lost" 0 "$place: nothing is lost"
	echo 1 >"$D/tracing_on"
	umount "$TMP/small"
done

# leave KB: of the file system at $TMP/small
leave()
{
	fallocate -l "$(($(df -Pk "$TMP/small" | awk 'END { print $4 }') - $1))K" "$TMP/small/filler" 2>/dev/null
}

# few_entries: less than two pages of them are in the buffer
few_entries() { [ "$(sum entries)" -lt 200 ]; }

last=$((cpus - 1))
if ! taskset -c "$last" true 2>/dev/null; then
	last=
fi
for type in tmpfs ext4 xfs btrfs; do
	begin "the room of a recording: $type"
	fresh
	echo 4096 >"$D/buffer_size_kb"
	why=$(mount_new "$type")
	if [ -n "$why" ]; then
		skip "$case_name" "$why"
		continue
	fi
	at_exit "umount '$TMP/small' 2>/dev/null"
	markers 2000 "$last"
	adds_up 'much room' "$TRACESH" -i "$I" -c off -c "record $TMP/small/tree"
	same "$events $lost $left" '2000 0 ' 'all of it is recorded'
	same "$(blocks_behind "$TMP/small/tree")" 0 'what no page has taken is given back'
	settings=$(find "$TMP/small/tree" -type f ! -name trace_pipe_raw -exec stat -c '%b' {} + |
		awk '{ n += $1 } END { print int(n / 2) }')
	for max in '' "--max $((cpus * 512))K"; do
		umount "$TMP/small"
		why=$(mount_new "$type")
		leave $((settings + 500))
		echo >"$D/trace"
		echo 1 >"$D/tracing_on"
		markers 30000 "$last"
		what="a full disk${max:+ with $max}"
		adds_up "$what" "$TRACESH" -i "$I" -c off -c "record $max $TMP/small/tree"
		expect 1 "$what: it fails"
		same "$lost" 0 "$what: nothing is lost"
		# 45 bytes or so each
		true_that "$what: what has room is recorded" test "$events" -ge 2000
	done
	umount "$TMP/small"
	why=$(mount_new "$type")
	echo >"$D/trace"
	echo 1 >"$D/tracing_on"
	again
	start "$TMP/live" "$TRACESH" -i "$I" record --max "$((cpus * 128))K" "$TMP/small/tree"
	await grep -q 'Ctrl-C ends it' "$TMP/live.err"
	markers 10000 "$last"
	await few_entries
	leave 1000
	cat /dev/zero >"$TMP/small/filler2" 2>/dev/null
	markers 10000 "$last"
	await few_entries
	kill -INT "$child"
	true_that 'old pages on a full disk: Ctrl-C ends it' ended "$child"
	same "$status" 0 'old pages on a full disk: successfully'
	true_that 'old pages on a full disk: new ones take their place' grep -q ' 0 lost, .* older ones given up' "$TMP/live.err"
	umount "$TMP/small"
done

begin 'a tree is not recorded'
t --tracefs "$SRC/examples/recorded" record "$TMP/copy"
expect 3 'refused'
says 'needs a running kernel' 'with the reason'

finish
