#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The lock between two sessions that write: it is waited for with open ears, once, and nothing is written without it.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# keep_lock: a process that has the lock and keeps it; its pid is $child, and $holder
keep_lock()
{
	flock -F "$TRACING/instances" sleep 3000 </dev/null >/dev/null 2>&1 &
	child=$! holder=$!
	children="$children $child"
	await sh -c '! flock -n "$1" true' sh "$TRACING/instances"
}
drop_lock()
{
	kill -KILL "$holder"
	ended "$holder"
	await flock -n "$TRACING/instances" true
}
# waits PID: it has opened the lock's folder, and asks for it
waits() { ls -l "/proc/$1/fd" | grep -q ' /.*/instances$'; }

begin 'somebody is stopped who has it'
fresh
keep_lock
kill -STOP "$holder"
run timeout -k 5 30 "$TRACESH" -i "$I" --keep-going -c 'option record-tgid on' -c 'option sym-offset on'
expect 1 'nothing is written'
says "'options/record-tgid' is not written: tracesh \\(process $child, which is stopped\\) is writing" 'who keeps it is said'
says "kill -CONT $child" 'and what helps'
file_is options/record-tgid 0 'the setting is as it was'
kill -CONT "$holder"
drop_lock

begin 'somebody keeps it'
fresh
keep_lock
for signal in TERM INT HUP; do
	start "$TMP/session" env --default-signal=HUP "$TRACESH" -i "$I" -c 'option record-tgid on'
	session=$child
	true_that "$signal: it waits" await waits "$session"
	kill -"$signal" "$session"
	ended "$session"
	case $signal in TERM) number=143 ;; INT) number=130 ;; HUP) number=129 ;; esac
	is "$status" $number "$case_name: $signal is heard while it waits"
	file_is options/record-tgid 0 'and nothing is written'
done
start "$TMP/session" "$TRACESH" -i "$I" -c 'option record-tgid on'
true_that 'once more it waits' await waits "$child"
session=$child
kill -KILL "$holder"
ended "$session"
is "$status" 0 "$case_name: and writes when it is given back"
file_is options/record-tgid 1 'the setting is there'

# sets: a session that has set two options, takes back when it ends, and is told to; its pid is $session
sets()
{
	start "$TMP/session" "$TRACESH" --restore -i "$I" -c 'option record-tgid on' -c 'option sym-offset on' -c 'wait 60s'
	session=$child
	await grep -q 1 "$D/options/sym-offset"
}
# is_back NAME: it has ended and taken both back
is_back()
{
	ended "$session"
	is "$status" 143 "$case_name: $1: ends"
	file_is options/record-tgid 0 "$1: takes back"
	file_is options/sym-offset 0 "$1: all of it"
}

begin 'the way back waits for one that goes on'
fresh
sets
keep_lock
kill -TERM "$session"
true_that 'who is waited for is said' await grep -q "waiting for tracesh (process [0-9]*), which is writing" "$TMP/session.err"
file_is options/sym-offset 1 'nothing is taken back meanwhile'
drop_lock
is_back 'when it is given back'
same "$(grep -c 'without waiting' "$TMP/session.err")" 0 'nothing was done without it'

begin 'the way back of a session that ends by itself'
fresh
mkfifo "$TMP/in"
"$TRACESH" --restore -i "$I" -f - <"$TMP/in" >"$TMP/session" 2>"$TMP/session.err" &
session=$!
children="$children $session"
exec 9>"$TMP/in"
echo 'option sym-offset on' >&9
await grep -q 1 "$D/options/sym-offset"
keep_lock 9>&-
exec 9>&-
true_that 'it waits' await waits "$session"
kill -TERM "$session"
true_that 'waits on when it is told to end just then' await grep -q 'waiting for' "$TMP/session.err"
file_is options/sym-offset 1 'without the lock it takes nothing back'
drop_lock
ended "$session"
file_is options/sym-offset 0 'it takes back when it has it'
same "$(grep -c 'without waiting' "$TMP/session.err")" 0 'nothing was done without it'

begin 'the way back does not wait for ever'
fresh
sets
keep_lock
kill -TERM "$session"
await grep -q 'waiting for' "$TMP/session.err"
kill -TERM "$session"
is_back 'another signal'
same "$(grep -c "tracesh (process [0-9]*) is writing, and has not ended: taken back" "$TMP/session.err")" 1 'which is said once'
same "$(grep -c 'waiting for tracesh.*which is writing' "$TMP/session.err")" 1 'it is waited for once'
drop_lock

begin 'the way back does not wait for one that is stopped'
fresh
sets
keep_lock
kill -STOP "$holder"
kill -TERM "$session"
is_back 'somebody who is stopped'
same "$(grep -c "tracesh (process [0-9]*, which is stopped) is writing, and does not go on: taken back" "$TMP/session.err")" 1 \
	'which is said once'
kill -CONT "$holder"
drop_lock

begin 'Ctrl-Z in the middle of many writes'
fresh
yes 'enable sched; disable sched' | head -n 20000 >"$TMP/many"
for try in 1 2 3 4 5 6 7 8; do
	# in a process group that is nobody's orphan, which alone can be stopped so
	start "$TMP/session" timeout -k 5 60 "$TRACESH" -q -i "$I" -f "$TMP/many"
	await pgrep -P "$child" || break
	session=$(pgrep -P "$child")
	await grep -q . "$D/set_event" || break
	kill -TSTP "$session"
	await grep -q '^State:.T' "/proc/$session/status" || break
	! grep -q " $session [0-9a-f:]*:$(stat -c %i "$TRACING/instances") " /proc/locks || break
	kill -KILL "$session"
	ended "$session"
	await let_go
	[ $try -lt 8 ] || ok 'whoever is stopped has given the lock back' true
done
[ $try -eq 8 ] || fail "$case_name: whoever is stopped has given the lock back"
kill -KILL "$session" 2>/dev/null || :

finish
