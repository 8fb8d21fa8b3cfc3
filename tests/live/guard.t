#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in a guest of its own
# time limit: 1200
# What a tracesh that is killed leaves: nothing, by its guard; or what recover takes back.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# settings: what the cases change, in the case's instance
settings()
{
	(cd "$D" && grep -H '' tracing_on current_tracer trace_clock buffer_size_kb options/record-tgid set_event set_event_pid \
		events/sched/*/filter events/sched/*/enable events/sched/*/trigger tracing_cpumask 2>/dev/null)
}
as_before() { settings >"$TMP/now" && cmp -s "$TMP/was" "$TMP/now"; }
guard_of() { pgrep -x -P "$1" trsh-guard; }
journal_is_gone() { [ -z "$(ls /run/tracesh 2>/dev/null)" ]; }
changed() { grep -q 1 "$D/options/record-tgid" && grep -q . "$D/set_event_pid"; }

# has_ended PID: also when nobody has asked for its status yet
has_ended() { ! [ -e "/proc/$1/exe" ]; }

# begin_session [COMMAND..]: one that has changed all sorts of things, and waits; its pid is $child
begin_session()
{
	fresh
	settings >"$TMP/was"
	start "$TMP/session" "$@" "$TRACESH" -i "$I" -c 'buffer 300K' -c 'enable sched if common_pid > 0' -c 'cpus 0' \
		-c 'append events/sched/sched_switch/trigger stacktrace if prev_pid == 1' -c 'option record-tgid on' \
		-c 'pid 1' -c 'wait 60s'
	await changed || fail "$case_name: the session has begun"
	# it is forked before the first write, and named when it runs
	await guard_of "$child" || fail "$case_name: it has a guard"
}

begin 'killed'
begin_session
guard=$(guard_of "$child")
kill -KILL "$child"
ended "$child"
true_that 'everything is as it was' await as_before
true_that 'the journal is gone' await journal_is_gone
true_that 'and so is the guard' await gone "$guard"

# The 20 TB of AddressSanitizer are far below these limits.
limits='ulimit $how -v 1000000000000000; ulimit $how -d 1000000000000000; ulimit $how -f 1000000000; ulimit $how -t 100000'
# limits_of PID: of CPU time, files and memory, each soft and hard
limits_of() { sed -nE 's/^Max (address space|data size|file size|open files|cpu time) +([0-9a-z]+) +([0-9a-z]+).*/\1 \2 \3/p' "/proc/$1/limits"; }
lifted='cpu time unlimited unlimited
file size unlimited unlimited
data size unlimited unlimited
open files 4000 4000
address space unlimited unlimited'
# limited [-S]: a session with soft limits, or with hard ones as well, is killed; dash takes -SH for -H
limited()
{
	begin_session sh -c "how=${1-}; ulimit -n 4000; ulimit -S -n 256; $limits; exec \"\$@\"" sh
	is "$(limits_of "$(guard_of "$child")")" "$lifted" "$case_name: the guard has none, and files as many as it may"
	like "$(limits_of "$child")" "^cpu time 100000 $([ -n "${1-}" ] && echo unlimited || echo 100000)\$" "$case_name: the session has its own"
	kill -KILL "$child"
	ended "$child"
	true_that 'everything is as it was' await as_before
}

begin 'limits that the session can die of'
limited -S

begin 'limits that only root may raise'
if sh -c 'ulimit -t 100000; ulimit -t unlimited' 2>/dev/null; then
	limited
else
	skip "$case_name" 'root may not raise limits here'
fi

begin 'killed with its guard'
begin_session
guard=$(guard_of "$child")
kill -KILL "$guard" "$child"
ended "$child"
await let_go
true_that 'its settings are left' changed
t status
says "process $child, .* has left [1-9][0-9]* settings: tracesh recover" 'the next one says so'
t -q status
unlike "$err" 'has left' "$case_name: but not with -q"
t recover --list
expect 0 'recover --list'
prints "^$child  " 'lists it'
t --json recover --list
prints "\"process\":$child," 'in JSON as well'
false_that 'and leaves it' as_before
t recover 1
expect 1 'another process'
says 'process 1 has left nothing behind' 'is said'
t recover
expect 0 'recover'
says "process $child: [0-9]* settings taken back" 'says what it did'
true_that 'everything is as it was' as_before
true_that 'the journal is gone' journal_is_gone
t recover
expect 0 'again'
says 'nothing was left behind' 'does nothing'

begin 'a guard that is killed is replaced'
fresh
settings >"$TMP/was"
mkfifo "$TMP/lines"
"$TRACESH" -i "$I" -f - <"$TMP/lines" 2>"$TMP/session.err" &
child=$!
children="$children $child"
exec 7>"$TMP/lines"
echo 'option record-tgid on' >&7
await guard_of "$child"
guard=$(guard_of "$child")
kill -KILL "$guard"
await has_ended "$guard"
echo 'pid 1' >&7
true_that 'by the next command' await changed
true_that 'which says so' await grep -q 'the guard was killed; a new one was started' "$TMP/session.err"
await guard_of "$child"
false_that 'it is another one' test "$(guard_of "$child")" = "$guard"
kill -KILL "$child"
ended "$child"
exec 7>&-
true_that 'that takes all back, from before and since' await as_before
true_that 'the journal is gone' await journal_is_gone

begin 'two that were killed'
begin_session
first=$child
start "$TMP/second" "$TRACESH" -i "$I" -c 'option sym-offset on' -c 'wait 60s'
second=$child
await grep -q 1 "$D/options/sym-offset"
await guard_of "$second"
kill -KILL "$(guard_of "$first")" "$(guard_of "$second")" "$first" "$second"
ended "$first"
ended "$second"
await let_go
t recover
expect 1 'recover alone'
says '2 sessions have left settings' 'asks which'
t recover "$second"
expect 0 'by its process'
file_is options/sym-offset 0 'one'
file_is options/record-tgid 1 'and not the other'
t recover --all -q
expect 0 '--all'
true_that 'everything is as it was' as_before

begin 'changed by somebody else'
begin_session
echo 0 >"$D/options/record-tgid"
echo 'common_pid == 77' >"$D/events/sched/sched_switch/filter"
kill -KILL "$(guard_of "$child")" "$child"
ended "$child"
await let_go
t recover
expect 1 'is a failure'
says "instances/$I/events/sched/sched_switch/filter: changed by somebody else since .now common_pid == 77, it would go back to none.; left as it is\$" \
	'that is said, with its value'
is "$(cat "$D/events/sched/sched_switch/filter")" 'common_pid == 77' "$case_name: their filter stays"
file_is options/record-tgid 0 'what is back already is no matter'
file_is set_event_pid '' 'the rest is taken back'
t status
unlike "$err" 'has left' "$case_name: who comes is not told of it"
t recover
expect 1 'a second time'
says "instances/$I/events/sched/sched_switch/filter: changed by somebody else" 'says it again'
echo 'common_pid > 0' >"$D/events/sched/sched_switch/filter"
t status
says 'has left 1 setting' 'when they have taken it back, it is told'
t recover
expect 0 'recover'
true_that 'takes it back then' as_before
begin_session
printf 'prev_comm == "\033x%060d"\n' 0 >"$D/events/sched/sched_switch/filter"
kill -KILL "$(guard_of "$child")" "$child"
ended "$child"
await let_go
t recover
says 'since .now prev_comm == "\\x1bx0{1,60} [.][.], it would' 'a long one is cut, and escaped'
echo 'common_pid > 0' >"$D/events/sched/sched_switch/filter"
t recover
expect 0 'and back again'
begin_session
echo 'common_pid == 77' >"$D/events/sched/sched_switch/filter"
kill -KILL "$(guard_of "$child")" "$child"
ended "$child"
await let_go
t recover --forget
expect 0 '--forget'
says "process $child: 1 setting forgotten" 'gives it up'
t recover
says 'nothing was left behind' 'for good'

begin 'a journal that is damaged in its middle'
begin_session
kill -KILL "$(guard_of "$child")" "$child"
ended "$child"
await let_go
# the record of the first write
for journal in /run/tracesh/*.journal; do
	awk '!done && sub(/\twrite\t/, "\tWrite\t") { done = 1 } { print }' "$journal" >"$TMP/damaged"
	cat "$TMP/damaged" >"$journal"
done
t recover
expect 1 'is a failure'
says "the journal of process $child is damaged" 'that is said'
says "its file is $(ls /run/tracesh/*.journal)" 'and where it is'
t recover
expect 1 'and each time'
unlike "$err" 'nothing was left' "$case_name: nobody says that nothing was left"
file_is set_event_pid '' 'what stands behind the damage is taken back'
rm -f /run/tracesh/*.journal

begin 'a guard that is still at work'
begin_session
guard=$(guard_of "$child")
kill -STOP "$guard"
kill -KILL "$child"
ended "$child"
start "$TMP/waits" "$TRACESH" recover
true_that 'recover waits for it' await grep -q "process $guard is just taking back what process" "$TMP/waits.err"
t status
says 'process [0-9]+ is just taking back the changes of a tracesh that is gone \(process' 'who comes is told'
kill -CONT "$guard"
true_that 'until it has ended' ended "$child"
true_that 'everything is as it was' as_before
true_that 'the journal is gone' journal_is_gone

begin 'a guard that is still at work, for the recover service'
caps=$(sed -n 's/^CapabilityBoundingSet=//p' "$SRC/packaging/tracesh-recover.service" | tr A-Z a-z | sed 's/cap_/+/g; s/ /,/g')
if ! setpriv --bounding-set "-all,$caps" true 2>/dev/null; then
	skip "$case_name" 'setpriv cannot take capabilities away here'
else
	begin_session
	guard=$(guard_of "$child")
	kill -STOP "$guard"
	kill -KILL "$child"
	ended "$child"
	start "$TMP/waits" setpriv --bounding-set "-all,$caps" "$TRACESH" recover
	true_that 'recover waits for it' await grep -q "process $guard is just taking back what process" "$TMP/waits.err"
	kill -CONT "$guard"
	true_that 'until it has ended' ended "$child"
	true_that 'everything is as it was' as_before
fi

begin 'killed in the middle of a write'
begin_session
kill -KILL "$(guard_of "$child")" "$child"
ended "$child"
await let_go
# as if it had been before it knew what came of the writes
sed -i '/	done	/d' /run/tracesh/*.journal
echo 'traceoff if prev_pid == -7' >>"$D/events/sched/sched_switch/trigger"
echo 'common_pid == 77' >"$D/events/sched/sched_wakeup/filter"
t recover
expect 1 'recover'
says "instances/$I/events/sched/sched_wakeup/filter: changed by somebody else" 'sees what somebody else has set'
file_is events/sched/sched_switch/trigger 'traceoff:unlimited if prev_pid == -7' 'only its own trigger is taken away'
echo '!traceoff' >>"$D/events/sched/sched_switch/trigger"
echo 0 >"$D/events/sched/sched_wakeup/filter"
true_that 'the rest is as it was' as_before

begin 'files that are none of ours'
(umask 077 && echo 'what is this' >/run/tracesh/1-1.journal && : >/run/tracesh/1-2.journal)
ln -s /etc/passwd /run/tracesh/1-3.journal
t recover
expect 1 'recover fails'
says '/run/tracesh/1-1.journal cannot be read as a journal \(it is not a journal of this version\)' 'names a file of another kind'
says '/run/tracesh/1-3.journal cannot be read as a journal \(it is a link\)' 'and a link'
says 'journal of process 1 is incomplete: .*; its file is /run/tracesh/1-2.journal' 'and one that has lost its text'
is "$(cat /run/tracesh/1-1.journal)" 'what is this' "$case_name: they are left"
rm /run/tracesh/1-[123].journal

begin 'its own instance'
start "$TMP/stream" "$TRACESH" stream sched_switch
await test -s "$TMP/stream"
ls "$TRACING/instances" >"$TMP/instances"
own=$(sed -n "/^tracesh-$child-/p" "$TMP/instances")
true_that 'there is one' test -n "$own"
kill -KILL "$child"
ended "$child"
true_that 'is removed' await test ! -d "$TRACING/instances/$own"

begin 'the program that it ran'
cat >"$TMP/program" <<EOF
#!/bin/sh
echo \$\$ >$TMP/program.pid
exec sleep 300
EOF
chmod +x "$TMP/program"
start "$TMP/run" "$TRACESH" run sched_switch -- "$TMP/program"
await test -s "$TMP/program.pid"
kill -KILL "$child"
ended "$child"
true_that 'does not survive' await gone "$(cat "$TMP/program.pid")"
true_that 'nor does its instance' await no_own_instance

begin 'unread events'
fresh
start "$TMP/clock" "$TRACESH" -i "$I" -c 'clock mono' -c 'enable sched_switch' -c 'wait 60s'
await more_events_than 100
kill -KILL "$child"
ended "$child"
true_that 'the clock is as it was' await grep -qF '[local]' "$D/trace_clock"
saved=$(ls "$XDG_STATE_HOME/tracesh/rescued")
t status
says "^from an earlier session: [0-9,]+ unread events of '$I' are saved(, [0-9,]+ older ones did not fit)?; read them with: tracesh --tracefs $XDG_STATE_HOME/tracesh/rescued/$saved" \
	'the next one says where they are, and that it has not saved them'
t status
unlike "$err" 'are saved' "$case_name: once"
small=0
while [ $small -lt 80 ]; do
	mkdir "$XDG_STATE_HOME/tracesh/rescued/20990101T0000$((small + 10))Z-000-x"
	small=$((small + 1))
done
t --restore -i "$I" -c 'clock mono' -c 'marker x'
true_that 'many small ones do not drive it out' test -d "$XDG_STATE_HOME/tracesh/rescued/$saved"
t --tracefs "$XDG_STATE_HOME/tracesh/rescued/$saved" drain
expect 0 'they can be read'
prints 'sched_switch: prev_comm=' 'as events'
# with the 16 MB that the next one may have more than 128 MB
mkdir "$XDG_STATE_HOME/tracesh/rescued/20000101T000000Z-000-x"
fallocate -l 120M "$XDG_STATE_HOME/tracesh/rescued/20000101T000000Z-000-x/file"
t --restore -i "$I" -c 'clock mono' -c 'marker x'
says 'the oldest recording in .* is dropped: 20000101T000000Z-000-x$' 'a large one goes'
false_that 'it is not there any more' test -e "$XDG_STATE_HOME/tracesh/rescued/20000101T000000Z-000-x"
true_that 'and no other' test -d "$XDG_STATE_HOME/tracesh/rescued/$saved"

begin 'unread events: the room that they do not need'
fresh
why=$(mount_new ext4)
if [ -n "$why" ]; then
	skip "$case_name" "$why"
else
	for each in one two; do
		run env XDG_STATE_HOME="$TMP/small" "$TRACESH" --restore -i "$I" -c 'clock mono' -c "marker $each"
		says "^1 unread event of '$I' is saved" "$each is saved"
	done
	same "$(blocks_behind "$TMP/small/tracesh/rescued")" 0 'is given back'
	umount "$TMP/small"
fi

begin 'unread events for which the buffer of before is too small'
fresh
echo 8 >"$D/buffer_size_kb"
size=$(cat "$D/buffer_size_kb")
rescued=$XDG_STATE_HOME/tracesh/rescued
many=600
{ echo 'buffer 1M'; seq -f 'marker "number %.0f"' "$many"; } >"$TMP/many"
# larger_buffer WORD..: a buffer with many events, and then what the words do
larger_buffer()
{
	echo >"$D/trace"
	ls "$rescued" >"$TMP/saved"
	"$@"
	same "$(cat "$D/buffer_size_kb")" "$size" 'the buffer is as it was'
	saved=$(ls "$rescued" | grep -vxFf "$TMP/saved")
	t --tracefs "$rescued/$saved" drain
	same "$(grep -c 'number [0-9]' "$TMP/out")" "$many" 'all of them are in one recording'
}
is_size() { grep -q "^$1" "$2/buffer_size_kb"; }
undone()
{
	{ cat "$TMP/many"; echo restore; } >"$TMP/batch"
	t -i "$I" "$TMP/batch"
	says "$many unread events of '$I' are saved" 'undo saves them'
}
larger_buffer undone
killed()
{
	{ cat "$TMP/many"; echo 'wait 60s'; } >"$TMP/batch"
	start "$TMP/larger" "$TRACESH" -i "$I" "$TMP/batch"
	await grep -q "number $many" "$D/trace"
	kill -KILL "$child"
	ended "$child"
	true_that 'is killed' await is_size "$size" "$D"
}
larger_buffer killed
ls "$rescued" >"$TMP/saved"
start "$TMP/larger" "$TRACESH" -I "$I-larger" -c 'buffer 8M' -c 'wait 60s'
await is_size 8 "$TRACING/instances/$I-larger"
yes | dd bs=1000 count=5000 of="$TRACING/instances/$I-larger/trace_marker" iflag=fullblock 2>"$TMP/dd"
kill -KILL "$child"
ended "$child"
true_that 'in an instance of its own: that is gone' await test ! -d "$TRACING/instances/$I-larger"
saved=$(ls "$rescued" | grep -vxFf "$TMP/saved")
t --tracefs "$rescued/$saved" --json drain
same "$(grep -c '"type":"event"' "$TMP/out")" 5000 'and its events are saved once'

begin 'unread events that cannot be saved'
fresh
t -i "$I" -c 'clock mono' -c 'enable sched_switch' -c 'wait 100ms' -c 'disable sched_switch' -c keep
mkdir "$TMP/none"
run env XDG_STATE_HOME="$TMP/none" sh -c 'mount -t tmpfs -o ro,mode=700 tmpfs "$XDG_STATE_HOME" && exec "$@"' sh \
	"$TRACESH" -i "$I" -c 'clock boot' -c 'marker hello' -c undo
says 'trace_clock: this would erase [0-9]* unread events*, which cannot be saved' 'is said'
true_that 'and they stay' grep -q hello "$D/trace"
for option in '' --forget; do
	# shellcheck disable=SC2086
	run env XDG_STATE_HOME="$TMP/none" "$TRACESH" recover $option
	expect 1 "recover${option:+ }$option does not do it, either"
	says '^hint: recover tries again; the unread events want another XDG_STATE_HOME, clear or instance delete NAME before$' \
		'and says what does'
done
umount "$TMP/none"
t recover
expect 0 'when there is room, recover does it'
says "unread events* of '$I' (is|are) saved" 'and saves them'
true_that 'the clock is as it was' grep -qF '[mono]' "$D/trace_clock"

begin 'unread events that there is not enough room for'
fresh
full=$I-full
entries() { cat "$TRACING/instances/$full"/per_cpu/cpu*/stats | awk '/^entries:/ { n += $2 } END { print n }'; }
for size in 900k 1500k 2300k; do
	mount -t tmpfs -o "size=$size,mode=700" tmpfs "$TMP/none"
	start "$TMP/session" env XDG_STATE_HOME="$TMP/none" "$TRACESH" -I "$full" -c 'buffer 4M' -c 'wait 60s'
	await grep -q 'buffer of' "$TMP/session.err"
	awk 'BEGIN { for (i = 0; i < 25000; i++) { printf "marker number %d xxxxxxxxxxxxxxxxxxxxxxx\n", i; fflush() } }' \
		>"$TRACING/instances/$full/trace_marker"
	kill -KILL "$child"
	ended "$child"
	true_that "$size: the guard says so" await grep -q "this would erase 25000 unread events, which cannot be saved" "$TMP/session.err"
	same "$(entries)" 25000 "$size: and all of them stay"
	same "$(ls "$TMP/none/tracesh/rescued")" '' "$size: nothing half is left there"
	umount "$TMP/none"
	t recover
	expect 0 "$size: recover"
	says "^25,000 unread events of '$full' are saved" "$size: saves them where there is room"
done

begin 'where /run cannot be written'
fresh
settings >"$TMP/was"
mount -o remount,ro /run
second_is ro
start "$TMP/session" "$TRACESH" -i "$I" -c 'option record-tgid on' -c 'pid 1' -c 'wait 60s'
await changed
true_that 'it is said' grep -q 'no journal in /run/tracesh' "$TMP/session.err"
kill -KILL "$child"
ended "$child"
true_that 'the guard works all the same' await as_before
mount -o remount,rw /run

begin 'a journal that others could have written'
fresh
mkdir -p -m 700 /run/tracesh
chmod 777 /run/tracesh
t -i "$I" -c 'option record-tgid on' -c undo
expect 0 'goes on'
says 'no journal: others may write to /run/tracesh .mode 777. .chmod 700 /run/tracesh.' 'and says so'
true_that 'nothing was written there' journal_is_gone
umount /var/lib/tracesh
t -i "$I" -c 'option record-tgid on' -c undo
expect 0 'goes on in the other place'
says '^others may write to /run/tracesh .mode 777. .chmod 700 /run/tracesh.: settings of other sessions are not seen' 'and says what it does not see'
chmod 700 /run/tracesh

begin 'an end like any other'
fresh
start "$TMP/session" "$TRACESH" -i "$I" -c 'option record-tgid on' \
	-c "cat tracing_on | while [ ! -e $TMP/go-on ]; do sleep 0.05; done"
true_that 'has a guard' await guard_of "$child"
guard=$(guard_of "$child")
: >"$TMP/go-on"
ended "$child"
is "$status" 0 "$case_name: success"
true_that 'leaves no journal' journal_is_gone
true_that 'and no guard' gone "$guard"
file_is options/record-tgid 1 'and keeps its settings'

finish
