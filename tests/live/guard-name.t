#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The guard is not found by the name of tracesh, and nobody waits for who reads what it did.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

guard_of() { pgrep -x -P "$1" trsh-guard; }
journal_is_gone() { [ ! -e "/run/tracesh/$child.journal" ]; }

file_reads() { [ "$(cat "$D/$1")" = "$2" ]; }
found_by() { "$@" | grep -qx "$guard"; }

# begin_session COMMAND..: a session by that command, which has changed a setting and waits
begin_session()
{
	fresh
	start "$TMP/session" "$@" -i "$I" -c 'option record-tgid on' -c 'wait 60s'
	await grep -q 1 "$D/options/record-tgid" || fail "$case_name: the session has begun"
	await guard_of "$child" || fail "$case_name: it has a guard"
	guard=$(guard_of "$child")
}

begin 'the name of the guard'
begin_session "$TRACESH"
false_that 'is none of tracesh, in its command line either' grep -q tracesh "/proc/$guard/comm" "/proc/$guard/cmdline"
true_that 'its arguments end where they end' sh -c '[ -z "$(tr -d "\0" <"$1" | sed "s/^trsh-guard//")" ]' sh "/proc/$guard/cmdline"
false_that 'pkill tracesh does not find it' found_by pgrep tracesh
false_that 'nor does pkill -f' found_by pgrep -f tracesh
true_that 'which find the session' sh -c 'pgrep -f tracesh | grep -qx "$1"' sh "$child"
kill -KILL "$child"
ended "$child"
true_that 'it takes back' await file_reads options/record-tgid 0

# a name too short for it
ln -s "$TRACESH" "$TMP/t"
fresh
(PATH=$TMP exec t -i "$I" -c 'option record-tgid on' -c 'wait 60s') >"$TMP/session" 2>&1 </dev/null &
child=$!
children="$children $child"
await guard_of "$child"
guard=$(guard_of "$child")
true_that 'of a short command line it takes what has room' grep -q '^t' "/proc/$guard/cmdline"
kill -KILL "$child"
ended "$child"
true_that 'and takes back' await file_reads options/record-tgid 0

begin 'a guard that is stopped'
fresh
start "$TMP/session" "$TRACESH" -i "$I" -c 'option record-tgid on' -c "cat tracing_on | while [ ! -e $TMP/go-on ]; do sleep 0.05; done"
await guard_of "$child"
guard=$(guard_of "$child")
kill -STOP "$guard"
: >"$TMP/go-on"
ended "$child"
is "$status" 0 "$case_name: keeps no session from its end"
true_that 'and ends with it' gone "$guard"

begin 'stderr is a pipe that nobody empties'
mkfifo "$TMP/full"
exec 7<>"$TMP/full"
dd if=/dev/zero of="$TMP/full" oflag=nonblock bs=4096 count=1000 2>/dev/null
begin_session sh -c 'exec "$@" 2>&7' sh "$TRACESH"
kill -KILL "$child"
ended "$child"
true_that 'the settings go back' await file_reads options/record-tgid 0
true_that 'and the journal is given back' await journal_is_gone
t recover
expect 0 'recover waits for nobody'
exec 7>&-

finish
