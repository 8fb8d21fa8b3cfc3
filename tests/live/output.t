#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the output goes: full disks, readers that leave.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'a full disk'
for command in events 'stream -n 100 sched:sched_switch' 'drain' 'info sched:sched_switch'; do
	fresh
	echo one >"$D/trace_marker"
	set -- $command
	first=$1
	shift
	t -i "$I" "$first" -o /dev/full "$@"
	expect 1 "$command fails"
	says "/dev/full.*No space left on device" "$command says so"
done
true_that 'instances of its own are gone' no_own_instance
t -o /dev/full events
expect 1 'tracesh -o too'
says 'No space left on device' 'and says so'
status=0
"$TRACESH" events >/dev/full 2>"$TMP/err" || status=$?
err=$(cat "$TMP/err")
: >"$TMP/out"
expect 1 'stdout too'
says 'No space left on device' 'and says so there'

begin 'a disk that becomes full'
fresh
mkdir "$TMP/tiny"
mount -t tmpfs -o size=16k tmpfs "$TMP/tiny"
t events -o "$TMP/tiny/events"
expect 1 'a list fails'
says 'tiny/events.*No space left on device' 'and the file is named'
rm -f "$TMP/tiny/events"
t -i "$I" -c "option record-tgid on" -c "stream -o $TMP/tiny/stream sched:sched_switch"
expect 1 'a stream ends by itself'
says 'No space left on device' 'with the reason'
file_is options/record-tgid 0 'and the settings are taken back'
true_that 'its instance is gone' no_own_instance
true_that 'what fitted is there' test -s "$TMP/tiny/stream"
umount "$TMP/tiny"
# Enough for the thread that writes beside the one that decodes.
fresh
mount -t tmpfs -o size=1m tmpfs "$TMP/tiny"
head -c 2000000 /dev/zero | tr '\0' x | dd of="$D/trace_marker" bs=100 2>/dev/null
t -i "$I" drain -o "$TMP/tiny/drain"
expect 1 'a large drain fails'
says 'tiny/drain.*No space left on device' 'and says so'
same "$(wc -c <"$TMP/tiny/drain")" 1048576 'what fitted is there'
umount "$TMP/tiny"

begin 'a reader that leaves'
{ "$TRACESH" -q stream sched:sched_process_fork if 'parent_pid == -2' 2>"$TMP/err"; echo $? >"$TMP/status"; } |
	head -n 1 >"$TMP/out"
read -r status <"$TMP/status"
expect 0 'ends a stream whose events never come'
{ "$TRACESH" events 2>"$TMP/err"; echo $? >"$TMP/status"; } | head -n 1 >"$TMP/out"
status=$(cat "$TMP/status")
err=$(cat "$TMP/err")
expect 0 'events | head -n 1'
same "$err" '' 'is quiet'
{ "$TRACESH" -q stream sched:sched_switch 2>"$TMP/err"; echo $? >"$TMP/status"; } | head -n 3 >"$TMP/out"
status=$(cat "$TMP/status")
err=$(cat "$TMP/err")
expect 0 'stream | head -n 3'
same "$err" '' 'is quiet'
same "$(wc -l <"$TMP/out")" 3 'and gave three lines'
true_that 'its instance is gone' no_own_instance
{ "$TRACESH" stream sched:sched_switch 2>"$TMP/err"; echo $? >"$TMP/status"; } | head -n 3 >"$TMP/out"
status=$(cat "$TMP/status")
same "$(grep -vE -e '^(not traced|traced all the same): ' -e "^the pid setting of 'top' " "$TMP/err")" '' 'without -q: no summary, the reader has what it wanted'
t -q -c 'events | head -n 1' -c 'stream sched:sched_switch | head -n 3'
expect 0 'the same by | of tracesh'
same "$err" '' 'is quiet'
same "$(wc -l <"$TMP/out")" 4 'and gave four lines'

begin 'a program behind |'
t -c 'events | wc -l' 
same "$(echo $out)" "$(wc -l <"$TRACING/available_events" | tr -d ' ')" 'reads it all'
t -c 'set pipefail on' -c 'events | exit 7'
expect 1 'its failure counts with pipefail'
t -c 'events | exit 7' -c 'set'
expect 0 'and not without'
t -c 'events | no-such-program-anywhere' -c set
expect 0 'one that is not there'
says 'not found' 'the shell says it'

begin '-o FILE'
t events -o "$TMP/events" sched
expect 0 'succeeds'
same "$out" '' 'stdout is empty'
same "$(sort "$TMP/events")" "$(grep '^sched:' "$TRACING/available_events" | sort)" 'the file has the list'
ln -s "$TMP/target" "$TMP/link"
t events -o "$TMP/link"
expect 1 'a symbolic link is not followed'
false_that 'nor what it leads to made' test -e "$TMP/target"
t events -o "$TMP/no/such/folder"
expect 1 'a folder that is not there'

finish
