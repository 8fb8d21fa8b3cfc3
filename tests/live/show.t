#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# show: the buffer's text, nothing consumed.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# named FILE: its lines, with the writer's name where the kernel has it no more: it knows 128 at a time, of all who trace
named()
{
	sed 's/^ *<\.\.\.>-\([0-9]\)/              sh-\1/' "$1"
}

# is_named_as FILE FILE: both have the same bytes then
is_named_as()
{
	named "$1" >"$TMP/named" && named "$2" | cmp "$TMP/named" -
}

begin 'the text'
fresh
for n in 1 2 3; do echo "number $n" >"$D/trace_marker"; done
cp "$D/trace" "$TMP/kernel"
t -i "$I" --format kernel show
true_that '--format kernel is the file, byte for byte' is_named_as "$TMP/kernel" "$TMP/out"
t -i "$I" --tz UTC show
expect 0 'succeeds'
time='[0-9]\{4\}-[0-9-]\{5\} [0-9:.]\{15\}: '
same "$(named "$TMP/out" | grep -v '^#' | sed "s/$time/TIME/")" \
	"$(named "$TMP/kernel" | grep -v '^#' | sed 's/ \{1,\}[0-9]\{1,\}\.[0-9]\{6\}: / TIME/')" \
	'all but the time is as the kernel prints it'
cp "$TMP/out" "$TMP/again"
t -i "$I" --tz UTC show
# The clock is looked at anew each time: the last digit may differ.
same "$(named "$TMP/out" | grep -v '^#' | sed "s/$time/TIME/")" "$(named "$TMP/again" | grep -v '^#' | sed "s/$time/TIME/")" \
	'it shows the same again'
true_that 'nothing was consumed' is_named_as "$TMP/kernel" "$D/trace"
t -i "$I" show -n 2
same "$(grep -v '^#' "$TMP/out" | sed 's/.*number //' | tr '\n' ' ')" '2 3 ' '-n 2 shows the last two'
t -i "$I" show -n 0
expect 2 '-n 0 is refused'

begin 'an empty buffer'
fresh
t -i "$I" show
expect 0 'succeeds'
says "is empty" 'is said'

begin 'JSON and CSV'
fresh
printf 'a "b", c' >"$D/trace_marker"
t -i "$I" --json show
expect 0 'JSON'
[ -z "$PYTHON" ] || true_that 'JSON has the text' "$PYTHON" -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
event = [row for row in rows if row["type"] == "event"]
assert len(event) == 1 and "a \"b\", c" in event[0]["text"], rows
assert set(event[0]) >= {"time", "cpu", "pid", "comm", "flags", "text"}, event' "$TMP/out"
t -i "$I" --format csv show
[ -z "$PYTHON" ] || true_that 'CSV has the text' "$PYTHON" -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 1 and "a \"b\", c" in rows[0]["text"], rows
assert rows[0]["event"] == "ftrace:print" and int(rows[0]["error_ns"]) >= 1000, rows' "$TMP/out"

begin 'CSV of show and of drain'
fresh
echo 1 >"$D/events/sched/sched_switch/enable"
echo 1 >"$D/events/sched/sched_process_exec/enable"
[ ! -d "$D/events/syscalls/sys_enter_dup2" ] || echo 1 >"$D/events/syscalls/enable"
sh -c 'ls / >/dev/null'
echo 0 >"$D/events/enable"
echo 'a marker, with a comma' >"$D/trace_marker"
t -i "$I" --format csv show
expect 0 'show'
cp "$TMP/out" "$TMP/shown"
t -i "$I" --format csv drain
expect 0 'drain'
[ -z "$PYTHON" ] || true_that 'each row is the same in both, but for digits that the text lacks' "$PYTHON" -c '
import csv, sys
shown, drained = [list(csv.DictReader(open(name))) for name in sys.argv[1:]]
assert len(shown) == len(drained) > 5, (len(shown), len(drained))
assert shown[0].keys() == drained[0].keys(), (shown[0], drained[0])
for a, b in zip(shown, drained):
    # what has no name in the text has no event there; names of tasks may be known to one only
    assert a["event"] in ("", b["event"]), (a, b)
    if a["event"]:
        assert a["text"] == b["text"], (a, b)
    assert [a[key] for key in ("cpu", "pid", "flags")] == [b[key] for key in ("cpu", "pid", "flags")], (a, b)
    assert abs(int(a["ts"]) - int(b["ts"])) <= 500 and int(a["error_ns"]) >= 500, (a, b)
assert sum(row["event"] == "" for row in shown) * 10 < len(shown), "events without a name"' "$TMP/shown" "$TMP/out"

# shown WHAT: the marker's line, with a time
shown()
{
	t -i "$I" --tz UTC show
	expect 0 "$1"
	like "$(grep 'here I am' "$TMP/out")" '[0-9]{4}-[0-9-]{5} [0-9:]{8}\.[0-9]{6}: tracing_mark_write: here I am$' \
		"$case_name: $1: the time is converted"
}

begin 'layouts'
fresh
echo 'here I am' >"$D/trace_marker"
shown standard
echo 1 >"$D/options/record-tgid"
shown record-tgid
echo 0 >"$D/options/irq-info"
shown 'record-tgid without irq-info'
echo 0 >"$D/options/record-tgid"
shown 'without irq-info'
echo 1 >"$D/options/irq-info"
echo 0 >"$D/options/context-info"
t -i "$I" show
prints 'context-info is off' 'context-info off: the reason is said'
prints '^.*here I am$' 'and the text printed'
echo 1 >"$D/options/context-info"
if [ -e "$D/options/latency-format" ]; then
	echo 1 >"$D/options/latency-format"
	cp "$D/trace" "$TMP/kernel"
	t -i "$I" show
	prints 'latency-format' 'latency-format: the reason is said'
	same "$(grep 'here I am' "$TMP/out")" "$(grep 'here I am' "$TMP/kernel")" 'and the line is untouched'
else
	skip "$case_name: latency-format" 'not an option of an instance here'
fi

begin 'a task that is called like a line of the trace'
fresh
echo 1 >"$D/events/sched/sched_process_exit/enable"
sh -c 'printf "%s" "x-1 [000] d... 1" >/proc/$$/comm; exit 0'
true_that 'has exited' await grep -q 'comm=x-1 \[000\]' "$D/trace"
t -i "$I" --json show
if [ -n "$PYTHON" ]; then
	true_that 'is one event, of the pid that it has' "$PYTHON" -c '
import json, re, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
rows = [row for row in rows if row["type"] == "event" and "comm=x-1 [000]" in row["text"]]
assert len(rows) == 1, rows
# the name may be that of an earlier task of this number
assert rows[0]["pid"] == int(re.search(r" pid=(\d+)", rows[0]["text"]).group(1)), rows' "$TMP/out"
else
	skip "$case_name" 'no python3'
fi
t -i "$I" --tz UTC show
like "$(grep 'comm=x-1' "$TMP/out")" '20[0-9]{2}-[0-9-]{5} [0-9:]{8}\.[0-9]{6}: sched_process_exit' \
	"$case_name: its time is converted, and not its name"

begin 'an event that has lines like events in its text'
fresh
echo first >"$D/trace_marker"
# one write, so that it is one event
printf 'x\n%s\n%s\n%s\n' '           <...>-1     [000] .....     1.000000: tracing_mark_write: forged' \
	'           <...>-1     [000] .....     1.000001: tracing_mark_write: forged' \
	'           <...>-1     [000] .....     1.000002: tracing_mark_write: forged' >"$TMP/forged"
dd if="$TMP/forged" of="$D/trace_marker" bs=4096 count=1 2>/dev/null
echo last >"$D/trace_marker"
t -i "$I" show
prints 'tracing_mark_write: last$' 'hides none that comes after it'
t -i "$I" show -n 1
prints 'tracing_mark_write: last$' 'nor with -n'
t -i "$I" clock counter
echo first >"$D/trace_marker"
echo last >"$D/trace_marker"
t -i "$I" show
prints 'tracing_mark_write: last$' 'without wall times what was there is printed'

begin 'a buffer that is written to all the time'
fresh
echo 64 >"$D/buffer_size_kb"
echo 1 >"$D/events/sched/enable"
sh -c 'while echo more; do :; done' >"$D/trace_marker" &
children="$children $!"
await more_events_than 1000
t -i "$I" show
expect 0 'has an end'

begin 'bare times'
fresh
for clock in counter x86-tsc uptime; do
	grep -qw -e "$clock" "$D/trace_clock" || continue
	echo "$clock" >"$D/trace_clock"
	echo 'here I am' >"$D/trace_marker"
	t -i "$I" show
	expect 0 "$clock"
	prints 'here I am$' "$clock: the event is there"
	[ "$clock" != counter ] || prints 'no wall-clock time' 'counter: that there is none is said'
done

finish
