#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# An output that is slower than the events, as a serial line is.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

[ -n "$PYTHON" ] || skip_all 'no python3'

# The events are there when the stream begins, and no others come: it can be said how many they are. Of this test alone: a busy
# machine would fill the buffer. What a case before has left in $TMP/lines must not be taken for the output of this one.
much()
{
	fresh
	rm -f "$TMP/lines"
	echo 1 >"$D/options/event-fork"
	echo $$ >"$D/set_event_pid"
	echo 1 >"$D/events/raw_syscalls/enable"
	dd if=/dev/zero of=/dev/null bs=1 count=1000 2>/dev/null
	echo 0 >"$D/events/raw_syscalls/enable"
	echo >"$D/set_event_pid"
	echo 0 >"$D/options/event-fork"
	printf 'XON \021 XOFF \023 bell \007 bar |' >"$D/trace_marker"
	echo 0 >"$D/tracing_on"
	recorded=$(count_events "$D")
}

# slowly ARGUMENT..: tracesh on a terminal whose reader does what the script on stdin says
# shellcheck disable=SC2016 # for the inner shell
slowly()
{
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" sh -c 'exec "$@" 2>"$0"' "$TMP/said" "$TRACESH" -q -i "$I" "$@"
	prints '^\[exit 0\]' 'ends, successfully'
	grep -v '^$\|^\[exit\|^\^C' "$TMP/out" >"$TMP/lines"
}

# The printed, the skipped and the lost are all that the kernel recorded.
all_are_there='
skipped = [row for row in rows if row["type"] == "skipped"]
lost = sum(row["count"] for row in rows if row["type"] == "lost")
left_out = sum(row["count"] for row in skipped)
end = rows[-1]
assert end["type"] == "end" and not end.get("unread"), end
assert (end["events"], end["lost"], end.get("skipped", 0)) == (len(events), lost, left_out), (end, len(events), lost, left_out)
assert len(events) + lost + left_out == '

begin 'a slow terminal, in JSON'
much
# The kernel would throw away what the terminal has not shown at Ctrl-C, and cut a line in two.
for ending in 'signal INT' 'send \x03'; do
	slowly --json stream --lag 10ms <<S
trickle "type":"skipped"
$ending
S
	json "$ending: every line is whole, every event accounted for" "$TMP/lines" "$all_are_there $recorded
assert skipped and all(row['reason'] == 'slow output' for row in skipped), skipped
assert [row for row in rows if row['type'] == 'note' and 'lines a second' in row['text']]"
	much
done

begin 'a slow terminal, without a word'
much
slowly --color never stream <<'S'
trickle events? skipped, the output is too slow
signal INT
S
skipped=$(sed -n 's/,//g; s/^# \([0-9]*\) events* skipped the output is too slow$/\1/p' "$TMP/lines" | awk '{ n += $1 } END { print n + 0 }')
lost=$(sed -n 's/^# cpu [0-9]*: \([0-9]*\) events* lost$/\1/p' "$TMP/lines" | awk '{ n += $1 } END { print n + 0 }')
same "$(($(grep -vc '^#' "$TMP/lines") + skipped + lost))" "$recorded" 'every event is printed, skipped or lost'
same "$(grep -c '^# the output takes about [0-9,]* lines* a second: .*--columns.*--lag none' "$TMP/lines")" 1 'what helps is said once'

begin 'the summary'
much
slowly stream --lag 10ms <<'S'
trickle events? skipped, the output is too slow
signal INT
S
# -q
same "$(grep -c 'skipped' "$TMP/said")" 0 'is not said when nothing is to be'
much
t -i "$I" stream --lag 10ms --for 50ms
like "$(printf '%s\n' "$err" | tr -d ,)" "^$recorded events 0 lost [0-9.]+ m?s\$" "$case_name: of a fast output has no word of it"

begin 'what is not skipped'
much
slowly --json stream --lag none <<S
trickle "type":"event"
expect bar
signal INT
S
json '--lag none' "$TMP/lines" "$all_are_there $recorded
assert not skipped"
much
slowly --json stream -n 400 <<S
trickle "type":"event"
S
json 'with -n' "$TMP/lines" "
assert len(events) == 400 and not [row for row in rows if row['type'] == 'skipped']"
much
"$TRACESH" -q --json -i "$I" drain | "$PYTHON" -c '
import os, time
while data := os.read(0, 65536):
    time.sleep(0.001)
    os.write(1, data)' >"$TMP/lines"
json 'into a pipe' "$TMP/lines" "$all_are_there $recorded
assert not skipped
text = [row['fields']['buf'] for row in events if 'buf' in row['fields']]
assert text[0].startswith('XON \x11 XOFF \x13 bell \x07 bar'), text"
same "$(LC_ALL=C tr -d '\n\040-\176' <"$TMP/lines" | wc -c)" 0 'all of it is printable ASCII'

begin 'a slow pipe'
much
mkfifo "$TMP/pipe"
"$PYTHON" -c '
import os, sys, time
fd, data = os.open(sys.argv[1], os.O_RDONLY), b""
while more := os.read(fd, 65536 if b"skipped" in data else 256):
    data += more
    with open(sys.argv[2], "wb") as out:
        out.write(data)
    time.sleep(0 if b"skipped" in data else 0.01)' "$TMP/pipe" "$TMP/lines" &
reader=$!
children="$children $reader"
# shellcheck disable=SC2016 # for the inner shell
start "$TMP/live" sh -c 'exec >"$1"; shift; exec "$@"' sh "$TMP/pipe" "$TRACESH" -q --json -i "$I" stream --lag 10ms
true_that 'with --lag it is skipped, too' await grep -q '"type":"skipped"' "$TMP/lines"
kill -INT "$child"
true_that 'ends' ended "$child"
wait "$reader"
json 'every event is accounted for' "$TMP/lines" "$all_are_there $recorded"

begin 'a serial line'
if command -v socat >/dev/null; then
	much
	socat "pty,link=$TMP/board,b115200" "pty,link=$TMP/host,b115200,raw,echo=0" 2>"$TMP/socat" &
	line=$!
	children="$children $line"
	true_that 'is there' await test -e "$TMP/host"
	# the line is open until the end
	exec 5<>"$TMP/board"
	# as a board's: NL becomes CR NL
	cat "$TMP/host" >"$TMP/lines" &
	children="$children $!"
	# shellcheck disable=SC2016 # for the inner shell
	start "$TMP/live" sh -c 'exec >"$1"; shift; exec "$@"' sh "$TMP/board" "$TRACESH" -q --json -i "$I" stream --lag none
	true_that 'all comes' await grep -q 'bar |' "$TMP/lines"
	kill -INT "$child"
	true_that 'Ctrl-C ends it' ended "$child"
	true_that 'the end comes' await grep -q '"type":"end"' "$TMP/lines"
	exec 5>&-
	kill "$line"
	json 'every line is whole, every event there' "$TMP/lines" "$all_are_there $recorded
assert not skipped"
	if command -v jq >/dev/null; then
		same "$(jq -r .type <"$TMP/lines" | grep -c '^event$')" "$recorded" 'jq reads it'
	fi
else
	skip "$case_name" 'no socat'
fi

begin '--lag'
t -n stream --lag none sched_switch
expect 0 'none'
t -n stream --lag 2s sched_switch
expect 0 'a time'
t stream --lag 0 sched_switch
expect 2 'nothing is no time'
t stream --lag soon sched_switch
expect 2 'nor is a word'
t --json stream --for none sched_switch
expect 2 'none is for --lag alone'

finish
