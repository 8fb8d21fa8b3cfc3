#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An invocation is a transaction.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# changed: whether the settings of the case's script are there; unchanged: whether none is
changed()
{
	[ "$(cat "$D/options/record-tgid")" = 1 ] && grep -q sched_process_exit "$D/set_event"
}

unchanged()
{
	[ "$(cat "$D/options/record-tgid")" = 0 ] && [ -z "$(cat "$D/set_event")" ] &&
		[ "$(cat "$D/events/sched/sched_switch/filter")" = none ] && [ -z "$(cat "$D/set_event_pid")" ]
}

changes='option record-tgid on
filter sched_switch prev_pid == 1
pid --no-fork 1
enable sched:sched_process_exit'

begin 'success keeps'
fresh
printf '%s\n' "$changes" >"$TMP/good.tsh"
t -i "$I" "$TMP/good.tsh"
expect 0 'succeeds'
true_that 'the settings are there' changed

begin 'an error takes everything back'
fresh
printf '%s\nwrite tracing_on nonsense\n' "$changes" >"$TMP/bad.tsh"
t -i "$I" "$TMP/bad.tsh"
expect 1 'fails'
says 'bad.tsh:5:' 'the line is named'
true_that 'nothing is left' unchanged
t -i "$I" -c "$changes" -c 'write tracing_on nonsense'
expect 1 'with -c too'
true_that 'nothing is left by -c' unchanged
printf '%s\nwrite tracing_on nonsense\n' "$changes" >"$TMP/stdin"
status=0
"$TRACESH" -i "$I" <"$TMP/stdin" >"$TMP/out" 2>"$TMP/err" || status=$?
expect 1 'on stdin too'
true_that 'nothing is left by stdin' unchanged

begin 'an error in a command with many events'
fresh
t -i "$I" -c 'enable sched signal nosuchevent'
expect 1 'fails'
file_is set_event '' 'none of them is enabled'

begin 'a syntax error runs nothing'
fresh
printf 'marker begun\noption record-tgid on\nbuffer much\n' >"$TMP/syntax.tsh"
t -i "$I" "$TMP/syntax.tsh"
expect 2 'is status 2'
says 'syntax.tsh:3:8: error:' 'with its place'
same "$(count_events "$D")" 0 'the first command did not run'

begin '--keep-going'
fresh
t -i "$I" --keep-going -c 'option record-tgid on' -c 'write tracing_on nonsense' -c 'enable sched:sched_process_exit'
expect 1 'says that something failed'
true_that 'and keeps the rest' changed

begin 'try'
fresh
t -i "$I" -c 'try clock nosuchclock else clock mono'
expect 0 'the other command runs'
like "$(cat "$D/trace_clock")" '\[mono\]' "$case_name: it is set"
t -i "$I" -c 'try enable nosuch:event' -c 'option record-tgid on'
expect 0 'alone it is a note'
says 'note: .*nosuch:event' 'that is printed'
file_is options/record-tgid 1 'the rest runs'

begin 'SIGTERM'
fresh
printf '%s\nwait 100s\n' "$changes" >"$TMP/wait.tsh"
for signal in TERM:143 HUP:129; do
	want=${signal#*:} signal=${signal%:*}
	start "$TMP/live" "$TRACESH" -i "$I" "$TMP/wait.tsh"
	true_that "$signal: the settings are there" await changed
	kill -s "$signal" "$child"
	true_that "$signal: it ends" ended "$child"
	same "$status" "$want" "$signal: with 128+signal"
	true_that "$signal: nothing is left" unchanged
	true_that "$signal: what was taken back is said" grep -q 'taken back' "$TMP/live.err"
done

begin 'Ctrl-C in a wait'
fresh
printf '%s\nwait 100s\nmarker goes on\n' "$changes" >"$TMP/wait.tsh"
start "$TMP/live" "$TRACESH" -i "$I" "$TMP/wait.tsh"
true_that 'the settings are there' await changed
# In the wait: it sleeps in the kernel.
true_that 'it waits' await grep -q '^State:.S' "/proc/$child/status"
kill -INT "$child"
true_that 'it ends' ended "$child"
same "$status" 0 'successfully'
true_that 'after the rest of the file' grep -q 'goes on' "$D/trace"
true_that 'the settings are kept' changed

begin 'a second Ctrl-C within a second'
fresh
{
	printf '%s\n' "$changes"
	i=0
	while [ $i -lt 200 ]; do
		i=$((i + 1))
		echo 'wait 100s'
	done
} >"$TMP/wait.tsh"
start "$TMP/live" "$TRACESH" -i "$I" "$TMP/wait.tsh"
true_that 'the settings are there' await changed
i=0
while kill -INT "$child" 2>/dev/null && [ $i -lt 150 ] && ! gone "$child"; do
	i=$((i + 1))
	sleep 0.03
done
true_that 'it ends' ended "$child"
same "$status" 130 'with 128+2'
true_that 'nothing is left' unchanged

begin 'Ctrl-C at another moment'
fresh
printf '%s\ncat tracing_on | touch %s; while [ -e %s ]; do sleep 0.05; done\nwait 100s\n' "$changes" "$TMP/in-the-pipe" \
	"$TMP/in-the-pipe" >"$TMP/pipe.tsh"
start "$TMP/live" "$TRACESH" -i "$I" "$TMP/pipe.tsh"
true_that 'a program runs behind |' await test -e "$TMP/in-the-pipe"
kill -INT "$child"
rm "$TMP/in-the-pipe"
true_that 'it ends' ended "$child"
same "$status" 130 'with 128+2'
true_that 'nothing is left' unchanged

begin '--check writes nothing'
fresh
dump >"$TMP/all"
printf '%s\n' "$changes" "instance create live-$$-never" 'enable sched' 'marker never' clear off 'clock mono' 'tracer nop' \
	'buffer 64M' 'cpus 0' 'stream -n 1 sched_switch' 'run -- true' drain 'append set_event signal:' \
	"instance delete live-$$-never" undo restore keep >"$TMP/check.tsh"
t -i "$I" -n "$TMP/check.tsh"
expect 0 'a good file'
same "$out" '' 'prints nothing'
dump >"$TMP/now"
true_that 'every setting is as before' diff "$TMP/all" "$TMP/now"
false_that 'no marker is written' grep -q never "$TRACING/trace"
same "$(count_events "$D")" 0 'nor any other event'
printf 'enable nosuch:one\nclock nosuch\nfilter sched_switch nosuch == 1\nbufer 1M\noption nosuch on\nenable sched\n' >"$TMP/check.tsh"
t -i "$I" --check "$TMP/check.tsh"
false_that 'a bad file fails' test "$status" -eq 0
for line in 1 2 3 4 5; do
	says "check.tsh:$line:[0-9]+: error:" "the error of line $line is told"
done
unlike "$err" 'check.tsh:6' "$case_name: and the good line is not"

begin '--read-only'
fresh
t -i "$I" --read-only off
expect 1 'a write is refused'
says 'read-only' 'with the reason'
file_is tracing_on 1 'and not done'
t -i "$I" --read-only cat tracing_on
same "$out" 1 'reading is not'
t -i "$I" --read-only stream -n 1 sched_switch
false_that 'an instance of its own is refused' test "$status" -eq 0

echo kept >"$D/trace_marker"
for command in drain 'stream -n 1'; do
	# shellcheck disable=SC2086 # words
	t -i "$I" --read-only $command
	expect 1 "$command, which consumes, is refused"
	says '^hint: show prints them' 'and says what does not'
done
true_that 'the event is there' grep -q kept "$D/trace"
mkdir -p -m 700 "$XDG_STATE_HOME/tracesh/rescued"
echo 'a notice for the next session' >"$XDG_STATE_HOME/tracesh/rescued/.notices"
chmod 600 "$XDG_STATE_HOME/tracesh/rescued/.notices"
for option in --read-only --check; do
	t -i "$I" "$option" status
	true_that "$option: what waits to be said stays" test -s "$XDG_STATE_HOME/tracesh/rescued/.notices"
done
t -i "$I" --read-only status
says 'a notice for the next session' 'and is said'
t -i "$I" status
false_that 'without it it is said once' test -e "$XDG_STATE_HOME/tracesh/rescued/.notices"
seq -f 'notice %04.0f: a line of some hundred bytes, as such notes are, which is written by a guard or by a batch.' 400 \
	>"$XDG_STATE_HOME/tracesh/rescued/.notices"
chmod 600 "$XDG_STATE_HOME/tracesh/rescued/.notices"
cp "$XDG_STATE_HOME/tracesh/rescued/.notices" "$TMP/notices"
for _ in 1 2 3; do
	t -i "$I" status
	printf '%s\n' "$err" | sed -n 's/.*earlier session: //p'
done >"$TMP/said"
true_that 'many are said by several sessions, in whole lines' cmp "$TMP/notices" "$TMP/said"
false_that 'and then no more' test -e "$XDG_STATE_HOME/tracesh/rescued/.notices"

begin 'source, variables, arguments'
fresh
cat >"$TMP/inner.tsh" <<'END'
# $1 is the event
let system = sched
filter ${system}:$1 prev_pid == ${?} && prev_comm != "$retval ${system}"
END
t -i "$I" -c "source $TMP/inner.tsh sched_switch"
expect 0 'succeeds'
file_is events/sched/sched_switch/filter 'prev_pid == 0 && prev_comm != "$retval sched"' 'with its variables'
cat >"$TMP/outer.tsh" <<END
#!$TRACESH
option record-tgid on
source $TMP/inner.tsh nosuchevent
END
t -i "$I" "$TMP/outer.tsh"
expect 1 'an error in a sourced file'
says 'inner.tsh:3:' 'is told with its place'
says 'included from .*outer.tsh:3' 'and from where it was read'
file_is options/record-tgid 0 'and takes all back'

begin 'let in a branch of try that is not taken'
fresh
printf '%s\n' 'let x = first' 'try status else let x = second' 'marker x is ${x}' >"$TMP/branch.tsh"
t -i "$I" "$TMP/branch.tsh"
expect 0 'succeeds'
true_that 'the variable is what it was' grep -q 'x is first' "$D/trace"
printf '%s\n' 'try status else let y = second' 'marker y is ${y}' >"$TMP/branch.tsh"
t -i "$I" "$TMP/branch.tsh"
false_that 'one that was never set is unknown' test "$status" -eq 0

begin 'a sourced file that fails'
# needs top
fresh
printf 'instance use %s\noption record-tgid on\nnosuchcommand\n' "$I" >"$TMP/bad.tsh"
printf 'instance use %s\noption record-tgid on\ncat nosuchfile\n' "$I" >"$TMP/late.tsh"
t --keep-going -c "try source $TMP/bad.tsh else marker instead-of-bad" -c "try source $TMP/late.tsh else marker instead-of-late" \
	-c 'instance' -c "let end = yes"
expect 0 'try judges it, with --keep-going too'
for file in bad late; do
	true_that "its else is run: $file" grep -q "tracing_mark_write: instead-of-$file\$" "$TRACING/trace"
done
file_is options/record-tgid 0 'what it had set is taken back'
same "$(grep -c '^1 setting taken back' "$TMP/err"), $(grep -c '^  option record-tgid on -> off in ' "$TMP/err")" '1, 1' \
	'which is said'
prints '^\* +top$' 'and the session is where it was'

begin 'a file that is run by its #! line'
fresh
# no blank can stand in its path
ln -s "$TRACESH" "$TMP/tracesh"
printf '#!%s -q\ninstance use %s\nmarker from the script\n' "$TMP/tracesh" "$I" >"$TMP/script.tsh"
chmod 755 "$TMP/script.tsh"
run "$TMP/script.tsh"
expect 0 'succeeds'
true_that 'and ran' grep -q 'from the script' "$D/trace"

begin 'quit'
fresh
t -i "$I" -c 'option record-tgid on' -c 'quit 5' -c 'option record-tgid off'
expect 5 'its status'
file_is options/record-tgid 1 'keeps the changes and runs nothing more'

begin '-n: what is not there'
for wrong in 'cat nosuch' 'write nosuch 1' 'append nosuch 1' 'pid 99999999' 'cpus 99' 'run -- nosuchprog ls' \
	'stream --pid 1,99999999 sched_switch'; do
	# shellcheck disable=SC2086
	t -n -c "$wrong"
	# as a shell has it
	case $wrong in
	run*) expect 127 "$wrong" ;;
	*) expect 1 "$wrong" ;;
	esac
	says "error: (there is no|cannot run) .*(nosuch|99)" "$wrong: says what"
done
for right in 'cat trace_clock' 'cat events' 'pid 1' 'cpus all' 'cpus 0' 'run -- sh -c nosuch' 'stream --pid 1 sched_switch'; do
	t -n -c "$right"
	expect 0 "$right"
done
if setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	printf 'status\nshow\nstatus\n' >"$TMP/three.tsh"
	chmod 755 "$TMP"
	cp "$TRACESH" "$TMP/program"
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$TMP/program" -n "$TMP/three.tsh"
	expect 3 'as nobody'
	same "$(grep -c 'Permission denied' "$TMP/err")" 1 'says once why nothing can be looked at'
else
	skip "$case_name" 'no setpriv that becomes another user'
fi

finish
