#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 600
# A busy stream by several threads: however it ends, whoever reads it, and whatever it may use, it prints what it says that it
# prints, in order, in bounded memory, without its own threads, and leaves nothing.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# busy: a task that makes system calls as fast as it can, until the case ends
busy()
{
	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	children="$children $!"
}

# has_threads: the child prints by several
has_threads()
{
	[ "$(find "/proc/$child/task" -mindepth 1 -maxdepth 1 | wc -l)" -ge "${1-4}" ]
}

# has_bytes FILE BYTES: at least so many
has_bytes()
{
	[ "$(stat -c %s "$1")" -ge "$2" ]
}

# stream ARG..: the child streams into the file events, by four threads; a pipe has no second thread that writes
stream()
{
	start "$TMP/events" "$TRACESH" --json --threads 4 -c "stream $* syscalls"
}

# printed_much: the child prints by four threads, and has printed some MB
printed_much()
{
	true_that 'it has four threads' await has_threads
	true_that 'it prints' await has_bytes "$TMP/events" 4000000
}

# whole FILE: lines of JSON: all whole, their number and that of the losses is that of the sum, and in order
whole()
{
	json 'every line is whole, in order, and counted' "$1" '
end = rows[-1]
assert end["type"] == "end", end
lost = [row for row in rows if row["type"] == "lost"]
assert end["events"] == len(events), (end, len(events))
assert end.get("at_least") or end["lost"] >= sum(row["count"] or 0 for row in lost), (end, len(lost))
stamps = [int(row["ts"]) for row in events if not row.get("late")]
assert stamps == sorted(stamps)'
	true_that 'no instance is left' no_own_instance
}

begin 'Ctrl-C'
busy
stream
printed_much
kill -INT "$child"
true_that 'ends it' ended "$child"
expect 0 'successfully'
whole "$TMP/events"

begin 'TERM'
busy
stream
printed_much
kill -TERM "$child"
true_that 'ends it' ended "$child"
expect 143 'with its status'
like "$(cat "$TMP/events.err")" 'ended by a signal' 'TERM: is said'
whole "$TMP/events"

begin 'an end of its own'
busy
stream --for 700ms
true_that 'comes' ended "$child"
expect 0 '--for: successfully'
whole "$TMP/events"
stream -n 200000
true_that 'comes with -n' ended "$child"
expect 0 '-n: successfully'
whole "$TMP/events"
same "$(grep -c '"type":"event"' "$TMP/events")" 200000 'and has so many events'

begin 'stopped for a while'
busy
stream
printed_much
kill -STOP "$child"
is_stopped() { grep -q '^State:[[:space:]]*T' "/proc/$child/status"; }
true_that 'it is stopped' await is_stopped
# losses FILE..: what the kernel has overwritten in the child's instance
has_losses()
{
	cat "$TRACING/instances/tracesh-$child-"*/per_cpu/cpu*/stats | awk '/^overrun:/ && $2 > 0 { found = 1 } END { exit !found }'
}
true_that 'the buffer overflows' await has_losses
size=$(stat -c %s "$TMP/events")
kill -CONT "$child"
true_that 'it goes on' await has_bytes "$TMP/events" $((size + 2000000))
kill -INT "$child"
true_that 'ends' ended "$child"
expect 0 'successfully'
whole "$TMP/events"
like "$(tail -n 1 "$TMP/events")" '"lost":[1-9]' "$case_name: with losses"

begin 'a reader that does not read'
busy
mkfifo "$TMP/stuck"
exec 8<>"$TMP/stuck"
start "$TMP/said" sh -c 'exec "$@" >"$0" 8>&-' "$TMP/stuck" "$TRACESH" --json --pool 2M --threads 4 -c 'stream syscalls'
# far more than a pipe and the pool hold
has_a_million() { sum_events "$(echo "$TRACING/instances/tracesh-$child-"*)" 2>/dev/null && [ "$live_sum" -gt 1000000 ]; }
true_that 'nobody reads a million events' await has_a_million
high() { sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$child/status"; }
had=$(high)
# what it reads of the kernel it drops, and counts
sum_events "$(echo "$TRACING/instances/tracesh-$child-"*)"
had_events=$live_sum
has_more_events() { sum_events "$(echo "$TRACING/instances/tracesh-$child-"*)" && [ $((live_sum - had_events)) -gt 4000000 ]; }
true_that 'many more events come' await has_more_events
if grep -qs -e __asan_init -e __tsan_init "$TRACESH"; then
	skip "$case_name: its memory" 'a sanitizer keeps what was freed'
else
	diag "$case_name: $had KB, then $(high) KB"
	true_that 'its memory does not grow' test "$(high)" -lt $((had + 4096))
	true_that 'and is bounded' test "$(high)" -lt 32768
fi
exec 7<"$TMP/stuck" 8>&-
cat <&7 >"$TMP/events" &
reader=$!
children="$children $reader"
exec 7<&-
true_that 'it goes on when somebody reads' await has_bytes "$TMP/events" 4000000
kill -INT "$child"
true_that 'ends' ended "$child"
expect 0 'successfully'
true_that 'to the last line' ended "$reader"
whole "$TMP/events"

begin 'a reader that goes'
busy
run sh -c '"$@" | head -n 100000 | tail -n 1' sh "$TRACESH" --threads 4 -c 'stream syscalls'
expect 0 'ends it'
same "$err" "$(printf '%s\n' "$err" | grep -v events)" 'without a sum'
true_that 'no instance is left' no_own_instance

begin 'a full disk'
busy
t --threads 4 -o /dev/full -c 'stream syscalls'
expect 1 'ends it'
says 'cannot write .*/dev/full.*: No space left on device' 'and is said'
true_that 'no instance is left' no_own_instance

begin 'one CPU for all'
busy
start "$TMP/events" taskset -c 0 "$TRACESH" --json --threads 4 -c 'stream syscalls'
printed_much
kill -INT "$child"
true_that 'ends' ended "$child"
whole "$TMP/events"
start "$TMP/events" taskset -c 0 "$TRACESH" --json -c 'stream syscalls'
true_that 'auto: it prints' await has_bytes "$TMP/events" 4000000
false_that 'and has one thread that does' has_threads 3
kill -INT "$child"
true_that 'ends' ended "$child"
whole "$TMP/events"

# in_group CONTROLLER FILE TEXT..: a control group of the case's own of either version, $group, with that in its file
in_group()
{
	group=
	for place in /sys/fs/cgroup "/sys/fs/cgroup/$1"; do
		[ -e "$place/cgroup.procs" ] || continue
		[ ! -e "$place/cgroup.subtree_control" ] || echo "+$1" 2>/dev/null >"$place/cgroup.subtree_control"
		mkdir "$place/live-$$" 2>/dev/null || continue
		if [ -e "$place/live-$$/$2" ] && echo "$3" >"$place/live-$$/$2"; then
			group=$place/live-$$
			at_exit "rmdir '$group' 2>/dev/null || :"
			return 0
		fi
		rmdir "$place/live-$$"
	done 2>/dev/null
	return 1
}

begin 'no thread can be started'
# what is there already: the shell that becomes tracesh, its guard and its sampler
if ! in_group pids pids.max 2; then
	skip "$case_name" 'no control group counts processes'
else
	busy
	start "$TMP/events" sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$group" "$TRACESH" --json --threads 4 -c 'stream syscalls'
	true_that 'it prints' await has_bytes "$TMP/events" 4000000
	false_that 'by one' has_threads 4
	kill -INT "$child"
	true_that 'ends' ended "$child"
	expect 0 'successfully'
	whole "$TMP/events"
	true_that 'the group is empty' rmdir "$group"
fi

begin 'a frozen buffer'
fresh
echo 8192 >"$D/buffer_size_kb"
echo 1 >"$D/events/raw_syscalls/enable"
echo 1 >"$D/events/sched/enable"
dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null
echo 0 >"$D/tracing_on"
t -q -i "$I" -c "record $TMP/frozen"
expect 0 'is recorded'
for format in text json; do
	for n in 1 2 7; do
		"$TRACESH" -q --threads $n --format $format --tracefs "$TMP/frozen" -c drain | sed 's/,"seconds":[0-9.]*}$/}/' >"$TMP/by.$n"
	done
	true_that "$format: 2 threads print the same" cmp "$TMP/by.1" "$TMP/by.2"
	true_that "$format: 7 threads, too" cmp "$TMP/by.1" "$TMP/by.7"
	true_that "$format: it is much" has_bytes "$TMP/by.7" 4000000
done

begin 'one after the other in a session'
busy
t -c 'set threads 4' -c 'stream --for 200ms syscalls -o one' -c 'run -o five sched_process_exec -- echo between' -c 'set threads auto' \
	-c 'stream --for 200ms syscalls -o two' -c 'set threads 7' -c 'stream --for 200ms syscalls -o three' \
	-c 'stream -n 1000 syscalls | tail -n 1' -c 'run -o four syscalls -- sh -c "exit 0"' -c 'status -o six'
expect 0 'all of them'
prints '^between$' 'programs run'
true_that 'to the end' test -s six
same "$(printf '%s\n' "$err" | grep -c '^[0-9,]* events*, .* lost')" 6 'each has its sum'
true_that 'no instance is left' no_own_instance
rm -f one two three four five six

begin 'jobs'
busy
t -c 'set threads 4' -c 'stream syscalls -o one &; stream syscalls -o two &; wait 2s; jobs; kill all; jobs'
expect 0 'both end'
for file in one two; do
	true_that "$file: has printed" test -s $file
done
says '^no job runs' 'none is left'
true_that 'no instance is left' no_own_instance
rm -f one two

begin 'its own threads'
busy
start "$TMP/said" "$TRACESH" --json --threads 4 -o "$TMP/events" -c 'stream syscalls sched'
true_that 'it has four threads, and one that writes' await has_threads 5
true_that 'it prints' await has_bytes "$TMP/events" 20000000
ls "/proc/$child/task" >"$TMP/tids"
kill -INT "$child"
true_that 'ends' ended "$child"
# Each may make some calls until it is excluded.
json 'are not in it' "$TMP/events" "
tids = set(int(line) for line in open('$TMP/tids'))
assert len(tids) >= 5
calls = [row for row in events if row['pid'] in tids and row['event'].startswith('sys_')]
assert len(calls) < 60, (len(calls), calls[-1])"
true_that 'no instance is left' no_own_instance

finish
