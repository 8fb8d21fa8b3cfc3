#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# A signal is heard at every moment: no write, open or wait sits unattended, and what was set is taken back.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

option_is_set() { [ "$(cat "$D/options/record-tgid")" = 1 ]; }

# blocked: the child has set the option, and waits
blocked()
{
	option_is_set && grep -qs '^State:[[:space:]]*S' "/proc/$child/status"
}

# aborts SIGNAL STATUS: the child, at once
aborts()
{
	true_that "SIG$1: it waits" await blocked
	kill -"$1" "$child"
	true_that "SIG$1 ends it" ended "$child"
	expect "$2" "SIG$1: with that status"
	file_is options/record-tgid 0 "SIG$1: what was set is taken back"
}

# each COMMAND..: aborts by each signal; the shell's own words for the reader are not looked at
each()
{
	for number in 1 2 15; do
		start "$TMP/each" "$@"
		case $number in
		1) aborts HUP 129 ;;
		2) aborts INT 130 ;;
		15) aborts TERM 143 ;;
		esac
	done
}

set='option record-tgid on'
mkfifo "$TMP/fifo"

begin 'a batch file that is a pipe without a writer'
fresh
each "$TRACESH" -i "$I" -c "$set" -c "source $TMP/fifo"

begin 'a batch file that is a pipe whose writer sleeps'
fresh
printf '%s\n' 'option sym-offset on' >"$TMP/part"
sleep 3000 >"$TMP/fifo" &
children="$children $!"
each "$TRACESH" -i "$I" -c "$set" -c "source $TMP/fifo"
file_is options/sym-offset 0 'nothing of it has run'

begin '-o a pipe without a reader'
fresh
each "$TRACESH" -i "$I" -c "$set" -c "events -o $TMP/fifo"

begin 'a reader that never reads'
fresh
mkfifo "$TMP/stalled"
sleep 3000 <>"$TMP/stalled" &
children="$children $!"
# shellcheck disable=SC2016 # for the inner shell
each sh -c 'exec >"$1"; shift; exec "$@"' sh "$TMP/stalled" "$TRACESH" -i "$I" -c "$set" --json -c events -c events

begin 'a program behind | that never reads'
fresh
each "$TRACESH" -i "$I" -c "$set" -c 'set format json' -c 'events | exec sleep 3000'
false_that 'the program has ended with it' pgrep -P "$child"

begin 'a program behind | that does not end'
fresh
each "$TRACESH" -i "$I" -c "$set" -c 'status | exec sleep 3000'

begin 'a signal that is ignored stays ignored'
fresh
start "$TMP/nohup" env --ignore-signal=HUP,INT,QUIT "$TRACESH" -i "$I" -c "$set" -c 'wait 3000s'
true_that 'it waits' await blocked
kill -HUP "$child"
kill -INT "$child"
kill -QUIT "$child"
kill -TERM "$child"
true_that 'SIGTERM ends it' ended "$child"
expect 143 'and it alone'
file_is options/record-tgid 0 'what was set is taken back'

begin 'children where SIGCHLD is ignored'
fresh
start "$TMP/ignored" env --ignore-signal=CHLD "$TRACESH" -q -i "$I" run sched:sched_process_exec -- sh -c 'exit 7'
true_that 'run ends' ended "$child"
expect 7 'with the status of its program'
start "$TMP/ignored" env --ignore-signal=CHLD "$TRACESH" -q -i "$I" -c 'set pipefail on' -c 'status | exit 7'
true_that 'a program behind | ends' ended "$child"
expect 1 'and its failure is seen'

begin 'a signal when all is done'
if preload raise-at; then
	# with the record that keeps what was set, and with the word to the guard after it
	for at in 'keep
' q; do
		fresh
		run env LD_PRELOAD="$PRELOAD" RAISE_AT="$at" "$TRACESH" -i "$I" option record-tgid on
		expect 0 'the status is that of what stays'
		file_is options/record-tgid 1 'the setting stays'
	done
	# before anything has come of it
	fresh
	run env LD_PRELOAD="$PRELOAD" RAISE_AT=' on
' "$TRACESH" -i "$I" option record-tgid on
	expect 143 'one that came before ends it'
	file_is options/record-tgid 0 'and what was set is taken back'

	begin 'a signal among many events'
	newline='
'
	for command in 'enable sched:*' 'filter sched:* common_pid == 1' 'trigger sched:* stacktrace if common_pid == 1'; do
		fresh
		# shellcheck disable=SC2086 # words
		run env LD_PRELOAD="$PRELOAD" RAISE_AT="1$newline" "$TRACESH" -i "$I" --restore -c "$command"
		expect 143 "$command: ends"
		unlike "$err" '[0-9]{2,} (events|settings)' "$command: with the event that it was at"
	done
fi

finish
