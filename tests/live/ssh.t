#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Through ssh, by a real sshd on the loopback: data, batch files, exit statuses, and what ends with the connection.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/lib-ssh.sh"
need_sshd
. "$SRC/tests/live/lib-live.sh"

start_sshd board || skip_all "nobody can log in by ssh here: $(head -n 1 "$TMP/ssh.err")"

option_is_set() { [ "$(cat "$D/options/record-tgid")" = 1 ]; }
option_is_back() { [ "$(cat "$D/options/record-tgid")" = 0 ]; }
has_events() { grep -q '"type":"event"' "$1"; }

begin 'commands and their data'
fresh
run s board "$TRACESH" --json -i "$I" -c "'enable sched_process_exec'" -c "'status'" -c "'disable sched_process_exec'"
is "$status" 0 'it runs'
like "$out" '^\{"type":"status",' 'JSON comes back'
run s board "$TRACESH" --json -i "$I" run sched_process_exec -- true
is "$status $(grep -c '"type":"event"' "$TMP/out")" '0 1' 'the events of a program'
like "$out" '^\{"type":"start",.*"host":"' 'with the host'

begin 'exit statuses'
fresh
run s board "$TRACESH" -i "$I" events nosuch:event
is "$status" 1 '1: a command that failed'
run s board "$TRACESH" -c nosuch
is "$status" 2 '2: no such command'
run s board "$TRACESH" --tracefs /nowhere status
is "$status" 3 '3: no tracefs'
run s board "$TRACESH" -i "$I" -c "'run sched_process_exec -- sh -c \"exit 7\"'"
is "$status" 7 "a program's own"

begin 'a batch file of this side'
fresh
cat >"$TMP/x.tsh" <<'BATCH'
option record-tgid on
enable sched_process_exec
try run sched_process_exec -- true
status
BATCH
run s board "$TRACESH" --json --restore -i "$I" -f - <"$TMP/x.tsh"
is "$status" 0 'it runs'
like "$out" '"event":"sched:sched_process_exec"' 'its events come back'
file_is options/record-tgid 0 '--restore: what it set is taken back'
printf 'option record-tgid on\nenable nosuch\n' >"$TMP/x.tsh"
run s board "$TRACESH" -i "$I" -f - <"$TMP/x.tsh"
is "$status" 1 'an error in it'
like "$err" "<stdin>:2:8: error: .*nosuch" 'with its place'
file_is options/record-tgid 0 'what was set before it is taken back'

begin 'the connection is gone while events come'
fresh
start "$TMP/streamed" ssh -F "$TMP/ssh.config" board "$TRACESH" --json --restore -i "$I" -c "'option record-tgid on'" \
	-c "'stream --here sched_switch'"
true_that 'events come' await has_events "$TMP/streamed"
true_that 'the option is set' await option_is_set
kill -KILL "$child"
ended "$child"
true_that 'what was set is taken back' await option_is_back

begin 'the connection is gone while nothing comes'
fresh
start "$TMP/streamed" ssh -F "$TMP/ssh.config" board "$TRACESH" --json --restore -i "$I" -c "'option record-tgid on'" \
	-c "'stream --here sched_switch if prev_pid == 123456789'"
true_that 'the option is set' await option_is_set
true_that 'it has begun' await grep -q '"type":"start"' "$TMP/streamed"
kill -KILL "$child"
ended "$child"
true_that 'what was set is taken back' await option_is_back

begin 'a terminal: the connection is gone'
fresh
start "$TMP/terminal" ssh -F "$TMP/ssh.config" -tt board "$TRACESH" -i "$I" -c "'option record-tgid on'" -c "'wait 3000s'"
true_that 'the option is set' await option_is_set
kill -KILL "$child"
ended "$child"
true_that 'SIGHUP: what was set is taken back' await option_is_back

begin 'a terminal: Ctrl-C'
fresh
mkfifo "$TMP/keys"
ssh -F "$TMP/ssh.config" -tt board "$TRACESH" -i "$I" -c "'option record-tgid on'" -c "'wait 3000s'" -c "'marker after'" \
	<"$TMP/keys" >"$TMP/terminal" 2>&1 &
child=$!
children="$children $child"
exec 9>"$TMP/keys"
true_that 'the option is set' await option_is_set
# The command that is set before the wait may still run.
true_that 'Ctrl-C ends it' await sh -c 'printf "\003" >&9; sleep 0.2; ! kill -0 "$1" 2>/dev/null || grep -q "^State:.*Z" "/proc/$1/status"' sh "$child"
exec 9>&-
ended "$child"
case $status in
0) file_is options/record-tgid 1 'a Ctrl-C: the next commands have run, and what was set stays' ;;
130) file_is options/record-tgid 0 'two of them: what was set is taken back' ;;
*) fail "Ctrl-C: status $status" ;;
esac

finish
