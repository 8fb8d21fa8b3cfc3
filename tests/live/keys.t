#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 300
# The keys of a stream in the foreground.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

[ -n "$PYTHON" ] || skip_all 'no python3'
cd "$TMP" || exit 1
# one that has a screen to be cleared
export TERM=xterm NO_COLOR=1

# at_prompt: tracesh on a terminal, with the script on stdin
at_prompt()
{
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -i "$I" "$@"
	[ "$status" -eq 0 ] || diag "$out$err"
}

begin 'q'
fresh
at_prompt <<S
expect > \$
send stream sched_waking\\r
expect sched_waking: comm=
send q
expect [0-9] events?, [0-9]+ lost
expect > \$
send status\\r
expect tracer
expect > \$
send quit\\r
S
is "$status" 0 'ends a stream, and the prompt is back'
unlike "$out" '^q' 'it is not shown'

begin 'leaving'
fresh
at_prompt <<S
expect > \$
send option record-tgid on\\r
expect > \$
send quit\\r
expect restore takes back:
expect option record-tgid on -> off in '$I'
expect 1 setting was changed: keep, restore or cancel\\? \[cancel\] \$
send r\\r
S
is "$status" 0 'what would be taken back is named'
made=live-$$-made
at_prompt <<S
expect > \$
send instance create $made\\r
expect > \$
send option record-tgid on\\r
expect > \$
send quit\\r
expect restore takes back:
expect instance $made removed
expect 2 settings were changed: keep, restore or cancel\\? \[cancel\] \$
send r\\r
S
is "$status" 0 'and an instance that was made'
false_that 'which goes' test -d "$TRACING/instances/$made"

begin 'leaving with settings that are there and back, and with many'
fresh
at_prompt <<S
expect > \$
send option record-tgid on\\r
expect > \$
send option record-tgid off\\r
expect > \$
send quit\\r
expect restore changes nothing
expect 2 settings were changed: keep, restore or cancel\\? \[cancel\] \$
send C\\r
expect > \$
send quit\\r
expect restore changes nothing
expect 2 settings were changed: keep, restore or cancel\\? \[cancel\] \$
send R\\r
S
is "$status" 0 'that restore changes nothing is said'
at_prompt <<S
expect > \$
send clock mono\\r
expect > \$
send status | { cat >/dev/null; echo boot >'$D/trace_clock'; }\\r
expect > \$
send restore\\r
expect changed by somebody else since
expect > \$
send quit\\r
expect restore changes nothing
expect trace_clock: changed by somebody else since \\(now boot, it would go back to local\\); left as it is
expect 1 setting was changed: keep, restore or cancel\\? \[cancel\] \$
send k\\r
S
is "$status" 0 'and why'
at_prompt <<S
expect > \$
send enable sched\\r
expect > \$
send quit\\r
expect and [0-9]+ more: journal -v
expect settings were changed: keep, restore or cancel\\? \[cancel\] \$
send r\\r
S
is "$status" 0 'of many it is said what lists all'

begin 'leaving with what somebody else has changed since'
# foretold STEPS CHANGES: what quit foretells after these, commands and, behind a !, what somebody else does in the
# instance's folder, is what its restore says: the same words on what stays, and as many settings as it takes back
foretold()
{
	fresh
	echo "$1" | tr ';' '\n' | sed "s|^ *! \(.*\)|shell cd '$D' \&\& \1|; t; s|^ *\(.*\)|send \1\\\\r\nexpect > \$|" >"$TMP/steps"
	{
		echo 'expect > $'
		cat "$TMP/steps"
		printf 'send quit\\r\nexpect keep, restore or cancel\\? \\[cancel\\] $\nsend r\\r\n'
	} >"$TMP/keys"
	at_prompt <"$TMP/keys"
	printf '%s\n' "$out" | tr -d '\r' | sed 's/\x1b\[?2004[hl]//g; s/^tracesh: //' >"$TMP/lines"
	sed -n '/^restore \(takes back:\|changes nothing\)$/,/keep, restore or cancel/p' "$TMP/lines" >"$TMP/foretold"
	sed '1,/keep, restore or cancel/d; /^[0-9]* settings\{0,1\} taken back/d; /^\(error\|hint\): /d; /^\[exit/d; /^$/d' "$TMP/lines" >"$TMP/said"
	same "$(sed '1d; $d; /^  /d; / gone already$/d' "$TMP/foretold")" "$(cat "$TMP/said")" "$1: what stays is foretold"
	same "$(grep -c '^  ' "$TMP/foretold")" "$2" "$1: so is what goes back"
	grep ' taken back' "$TMP/lines" >"$TMP/count" || echo "0 settings" >"$TMP/count"
	like "$(cat "$TMP/count")" "^$2 settings?" "$1: which does"
	t -q recover --forget
}
while IFS='|' read -r steps changes; do
	foretold "$steps" "$changes"
done <<CASES
enable sched_process_hang; clock boot; buffer 500K; ! echo >set_event; ! echo mono >trace_clock; ! echo 100 >buffer_size_kb|0
enable sched_process_hang; clock boot; buffer 500K; ! echo mono >trace_clock|2
option sym-addr on; ! echo nosym-addr >trace_options; clock boot; ! echo mono >trace_clock; clock global|1
append set_event sched:sched_process_hang; disable sched_process_hang; ! echo 1 >events/sched/sched_process_hang/enable|1
append set_event sched:sched_process_hang sched:sched_process_exec; ! echo 0 >events/sched/sched_process_exec/enable|1
filter sched_process_hang pid == 7; trigger sched_process_exec stacktrace; ! echo 0 >events/sched/sched_process_hang/filter|1
trigger sched_process_exec stacktrace; trigger sched_process_exec enable_event:sched:sched_process_hang; ! echo '!stacktrace' >events/sched/sched_process_exec/trigger|1
append set_event_pid 1; clock boot; ! echo 2 >>set_event_pid|2
instance create $made; clock boot; ! rmdir ../$made|0
instance create $made; write tracing_cpumask 1; ! echo 2 >../$made/tracing_cpumask|0
CASES
rmdir "$TRACING/instances/$made"

begin 'leaving with what another session had set first, and has handed over'
while IFS='|' read -r command words; do
	fresh
	sessions
	tell_one "$command"
	at_prompt <<S
expect > \$
send $command\\r
expect > \$
shell kill -HUP $one; while kill -0 $one; do sleep 0.1; done
send quit\\r
expect restore takes back:
expect $words
expect keep, restore or cancel\\? \\[cancel\\] \$
send r\\r
S
	is "$status" 0 "$command: what goes back is foretold"
	like "$out" '1 setting taken back' "$command: it goes back"
	unlike "$out" 'set before, too' "$command: and does not stay"
	end_one
	end_two
	nothing_left
done <<'CASES'
append set_event sched:sched_process_exit|set_event: sched:sched_process_exit removed
append events/sched/sched_process_exit/trigger traceoff:1 if prio == 5|trigger of sched:sched_process_exit: traceoff:count=1 if prio == 5 removed
append set_event_pid 77|tasks traced: 77 -> all
CASES

begin 'leaving with what a session that is gone has kept, too'
fresh
at_prompt <<S
expect > \$
send clock boot\\r
expect > \$
shell $TRACESH -q -i $I -c 'clock boot' -c keep
send quit\\r
expect restore changes nothing
expect 1 setting stays: another session has kept it, too: clock in '$I'
expect 1 setting was changed: keep, restore or cancel\\? \[cancel\] \$
send r\\r
S
is "$status" 0 'that it stays is foretold'
echo local >"$D/trace_clock"

begin 'leaving an instance that was made, in which something of ours counts as used'
fresh
while read -r command; do
	at_prompt <<-S
		expect > \$
		send instance create $made\\r
		expect > \$
		send $command\\r
		expect > \$
		send quit\\r
		expect restore takes back:
		expect instance $made removed
		expect settings were changed: keep, restore or cancel\\? \[cancel\] \$
		send r\\r
	S
	is "$status" 0 "$command: that it goes is named"
	unlike "$out" '^  (sched|signal|set_event|trigger|filter)' "$command: and no event of it"
	false_that "$command: it goes" test -d "$TRACING/instances/$made"
done <<COMMANDS
enable sched_process_exec
enable sched
enable sched_process_exec signal:*
append set_event sched:sched_process_exec
trigger sched_process_exec stacktrace
trigger sched_process_exec enable_event:sched:sched_process_fork
COMMANDS

begin 'leaving an instance that was made, which somebody else uses'
fresh
at_prompt <<S
expect > \$
send instance create $made\\r
expect > \$
send enable sched_process_exec\\r
expect > \$
shell echo 1 >$TRACING/instances/$made/events/sched/sched_process_hang/enable
send quit\\r
expect restore takes back:
expect settings were changed: keep, restore or cancel\\? \[cancel\] \$
send r\\r
S
unlike "$out" "instance $made removed" 'is not said to go'
true_that 'and stays' test -d "$TRACING/instances/$made"
rmdir "$TRACING/instances/$made"
t -q recover --forget

begin 'leaving with what another session has handed over'
fresh
made=live-$$-made
# hand_over ANSWER [COMMAND]: to one at the prompt, where that is answered when it leaves
hand_over()
{
	start "$TMP/other" "$TRACESH" -i "$I" -c "instance create $made" -c 'wait 300s'
	await test -d "$TRACING/instances/$made"
	at_prompt <<-S
		expect > \$
		send instance use $made\\r
		expect > \$
		send option record-tgid on\\r
		expect > \$
		shell kill -TERM $child; while ls /run/tracesh/$child-* >/dev/null 2>&1; do sleep 0.05; done
		send ${2-}\\r
		expect > \$
		send quit\\r
		expect restore takes back:
		expect instance $made removed
		expect (was|were) changed: keep, restore or cancel\\? \[cancel\] \$
		send $1\\r
	S
	ended "$child"
}
hand_over r
like "$out" '2 settings were changed: keep' "$case_name: the question counts it"
like "$out" "2 settings taken back; removed: instance '$made'" "$case_name: as the answer does"
false_that 'which removes it' test -d "$TRACING/instances/$made"
hand_over r undo
like "$out" '1 setting was changed: keep' "$case_name: it is asked also when it is all that there is"
like "$out" "1 setting taken back; removed: instance '$made'" "$case_name: as the answer says"
false_that 'which removes it' test -d "$TRACING/instances/$made"
hand_over r 'undo; keep; undo'
like "$out" "^instance '$made', handed over by another session, is not kept: quit asks, and keep as the answer keeps it\$" \
	"$case_name: keep says what it leaves"
like "$out" "^instance '$made', handed over by another session, goes at the end, or by restore\$" "$case_name: so does undo"
false_that 'which quit has removed' test -d "$TRACING/instances/$made"
hand_over k undo
true_that 'or keeps it' rmdir "$TRACING/instances/$made"
same "$(ls /run/tracesh)" '' 'and no journal is left'

begin 'leaving with what another session has set, too'
fresh
# shared LINE: what that sets here was set by another session as well, or is; the answers of quit
shared()
{
	at_prompt <<-S
		expect > \$
		send $1\\r
		expect > \$
		send option sym-offset on\\r
		expect > \$
		shell echo '$2' >$TMP/other.in; until [ -s $TMP/other.out ]; do sleep 0.05; done
		send quit\\r
		expect restore takes back:
		expect option sym-offset on -> off in '$I'
		expect settings? stays?: process $child has set (it|them), too, and will restore the old value: $3
		expect were changed: keep, restore or cancel\\? \[cancel\] \$
		send r\\r
	S
	is "$status" 0 "$2: what stays is named"
	same "$(printf '%s\n' "$out" | grep -c "process $child has set .*, too, .* old value: $3")" 2 "$2: as when it does"
	unlike "$(printf '%s\n' "$out" | grep -v 'option sym-offset')" '^  .*( -> | removed| restored)' "$2: and not as what goes"
}
while IFS='|' read -r line theirs name; do
	mkfifo "$TMP/other.in"
	: >"$TMP/other.out"
	start "$TMP/other" sh -c 'exec "$0" -i "$1" --restore -f - <"$2" >"$3"' "$TRACESH" "$I" "$TMP/other.in" "$TMP/other.out"
	exec 8>"$TMP/other.in"
	shared "$line" "$theirs; cat tracing_cpumask" "$name"
	exec 8>&-
	ended "$child"
	rm "$TMP/other.in"
done <<CASES
clock boot|clock boot|clock in '$I'
enable sched_process_hang|enable sched_process_hang|sched:sched_process_hang in '$I'
append set_event sched:sched_process_exec|enable sched_process_exec|set_event sched:sched_process_exec in '$I'
filter sched_process_exec pid == 7|filter sched_process_exec pid == 7|.* in '$I'
trigger sched_process_exec stacktrace|trigger sched_process_exec stacktrace|.* in '$I'
buffer 512K|buffer 600K|buffer.* in '$I'
option record-tgid on|option record-tgid on|option record-tgid in '$I'
append set_event_pid 1|append set_event_pid 1|.* in '$I'
instance create $made; instance use $I|instance use $made; option record-tgid on|instance $made
CASES

begin 'space'
fresh
at_prompt <<S
expect > \$
send stream\\r
expect tracing|no event|#
send  \x20
expect paused: space goes on
send x
expect q ends, space pauses, / filters
send  \x20
send !
send ?
expect q ends, space pauses, / filters
send q
expect events?, [0-9]+ lost
expect > \$
send quit\\r
S
is "$status" 0 'pauses; another key tells of all'

begin 't and c'
fresh
at_prompt <<S
expect > \$
send stream sched_waking\\r
expect 20[0-9-]+ [0-9:.]+: sched_waking
send t
expect # times from here on: short
expect . [0-9:.]+: sched_waking
send tttttttttt
expect # times from here on: short
send c
expect \x1b\[H\x1b\[2J
send q
expect > \$
send quit\\r
S
is "$status" 0 'the times in another style, an empty screen'

begin 'a filter'
fresh
at_prompt <<S
expect > \$
send stream sched_waking sched_process_exec\\r
expect sched_waking: comm=
send /
expect filter: \$
send no_such_field == 1\\r
expect l\\r? {8}\^~+
expect the kernel refuses the filter: 
expect have no such field: 
expect filter: no_such_field == 1
send \x15where delta > 1ms\\r
expect only a filter of the kernel can stand here
expect filter: where delta > 1ms
send \x15pid == 123454321\\r
expect # filter for what happens from now on: pid == 123454321
send /
expect filter: pid == 123454321
send \x15pi\t
expect pid 
send \x15\\r
expect # filter for what happens from now on: none
expect sched_waking: comm=
send /
expect filter: \$
send pid\x03
expect sched_waking: comm=
send /
expect filter: \$
send common_pid\x1b
expect sched_waking: comm=
send /
expect filter: \$
send \x1b[A\r
expect # filter for what happens from now on: none
expect sched_waking: comm=
send q
expect > \$
send stream\\r
expect #
send /
expect / works with stream EVENT
send q
expect > \$
send quit\\r
S
is "$status" 0 'is refused or taken while the stream runs'
unlike "$out" 'sched_waking.*pid=123454321' 'nobody has that pid'

# What nobody has asked to end, and a table of more rows than the screen has
begin 'tables while they change'
fresh
for command in 'hist sched_switch by next_pid' 'latency wakeup by pid' 'hist sched_switch by next_pid,prev_prio.log2'; do
	at_prompt <<S
size 9 100
expect > \$
send $command\\r
expect Ctrl-C ends it
expect \x1b\\[[0-9]+A\x1b\\[\\?7l
send \x03
expect \\.\\. and [0-9]+ more.* \\(--top N shows more\\)
expect [0-9] events?, [0-9]+ lost
expect > \$
send quit\\r
S
	is "$status" 0 "$command: changes, and ends with what fits"
done
at_prompt <<S
expect > \$
send hist --for 1ms sched_switch by next_pid\\r
expect [0-9] events?, [0-9]+ lost
expect > \$
send quit\\r
S
unlike "$out" 'Ctrl-C ends it' 'not what ends by itself'

finish
