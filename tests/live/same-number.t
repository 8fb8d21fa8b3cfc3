#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sessions that have one number, each in a pid namespace of its own, and what of theirs is left behind.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-probe.sh"

unshare -p -f --mount-proc true 2>/dev/null || skip_all 'no pid namespaces'

# have_target: where the probes are; not before a case that has some, for a compiler takes long in a guest
have_target()
{
	[ -n "${place-}" ] || build_target
	place=$target:$offset
}

# inside NAME: a session with number 1 and a /run of its own, whose commands come from the FIFO $TMP/NAME.in
inside()
{
	mkfifo "$TMP/$1.in"
	# shellcheck disable=SC2016 # for the inner shell
	start "$TMP/$1" unshare -m -p -f --mount-proc sh -c 'mount -t tmpfs tmpfs /run; exec "$1" --restore --keep-going -f - <"$2"' \
		inside "$TRACESH" "$TMP/$1.in"
}
# done_by NAME N: it has come to its mark N
done_by() { await grep -q "mark $2" "$TMP/$1"; }
ours() { sed -n 's,^[^:]*:\(tracesh_1[_0-9]*/ev\) .*,\1,p' "$probes" | tr '\n' ' '; }
lacks() { ! grep -q "$1" "$probes"; }

begin 'two sessions with one number'
# needs top
erases
fresh
have_target
inside a
a=$child
exec 7>"$TMP/a.in"
inside b
b=$child
exec 8>"$TMP/b.in"
echo "probe ev=$target:greet" >&7
echo 'cat tracing_on | sed "s/.*/mark 1/"' >&7
true_that 'one has made its probe' done_by a 1
first=$(ours)
printf '%s\n' "probe ev=$target:greet%return" 'probe list' 'reset all' 'probe delete ev' 'probe delete "e*"' 'cat tracing_on | sed "s/.*/mark 2/"' >&8
true_that 'the other has one of that name' done_by b 2
out=$(cat "$TMP/b")
prints '^tracesh_1[_0-9]*:ev +return .* this session' 'its own is of its session'
prints '^tracesh_1[_0-9]*:ev +function .* another session' 'that of the first is not'
same "$(ours)" "$first" 'neither reset nor delete takes it'
printf '%s\n' 'probe delete ev' undo 'probe list' 'cat tracing_on | sed "s/.*/mark 3/"' >&7
true_that 'the first deletes and undoes' done_by a 3
out=$(cat "$TMP/a")
prints '^tracesh_1[_0-9]*:ev +function .* this session' 'and it is its own again'
exec 7>&- 8>&-
ended "$a"
ended "$b"
true_that 'each takes its own away' lacks ' *:tracesh_1'

begin 'left with a number that lives'
fresh
have_target
echo "p:tracesh_1/left $place" >>"$TRACING/uprobe_events"
t recover
expect 0 'recover'
says "^probe 'tracesh_1:left' seems to be left: no tracesh uses it, but there is a process 1; tracesh recover --all removes it" 'names it'
unlike "$err" 'nothing was left' 'and does not deny it'
flock -s "$TRACING/events/tracesh_1" sleep 3000 &
holder=$!
children="$children $holder"
await grep -q "FLOCK.* READ .*:$(stat -c %i "$TRACING/events/tracesh_1") " /proc/locks
t recover --all
false_that 'with --all it stays where somebody holds it' lacks tracesh_1/left
pkill -P "$holder" || :
kill "$holder" 2>/dev/null
wait "$holder" 2>/dev/null
t recover --all
says "^probe 'tracesh_1:left' that no tracesh holds is removed" 'and goes where nobody does'
true_that 'it is gone' lacks tracesh_1/left
start "$TMP/journal" "$TRACESH" --restore -c "append uprobe_events 'p:tracesh_1/left $place'" -c 'wait 1h'
true_that 'one that a session has made by hand' await grep -q tracesh_1/left "$probes"
t recover --all
false_that 'stays, as it is in its journal' lacks tracesh_1/left
kill -TERM "$child"
ended "$child"
true_that 'and goes with it' lacks tracesh_1/left

begin 'two commands with one number'
# needs synthetic top
erases
fresh
made() { grep -o 'tracesh_lat_1[_0-9]*' "$TRACING/synthetic_events" | sort -u | wc -l; }
both_made() { [ "$(made)" = 2 ]; }
none_made() { [ "$(made)" = 0 ]; }
if [ -e "$TRACING/synthetic_events" ]; then
	lat="latency --in-kernel --for 1h sched_waking sched_switch on pid=next_pid"
	for i in 1 2; do
		# shellcheck disable=SC2016,SC2086 # for the inner shell; words
		start "$TMP/lat$i" unshare -m -p -f --mount-proc sh -c 'mount -t tmpfs tmpfs /run; exec "$@"' inside "$TRACESH" $lat
		eval "lat$i=\$child"
		await eval '[ "$(made)" = $i ]'
	done
	true_that 'the kernel pairs for both' both_made
	run unshare -m -p -f --mount-proc "$TRACESH" reset
	expect 0 'reset of a third'
	unlike "$out" tracesh_lat_ 'would take neither'
	# shellcheck disable=SC2154 # by eval
	pkill -INT -P "$lat1,$lat2"
	ended "$lat1"
	same "$status" 0 'the first ends well'
	ended "$lat2"
	same "$status" 0 'and the second'
	true_that 'nothing is left' none_made
else
	skip "$case_name" 'this kernel has no synthetic events'
fi

finish
