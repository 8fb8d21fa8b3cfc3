#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# What lists and streams look like, against the kernel's own text of the same events.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

command -v python3 >/dev/null || skip_all 'no python3'
tree=$SRC/examples/recorded
cd "$TMP" || exit 1
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs "$tree" "$@"
}

# check WHAT FILE..: says what is wrong with the files, one line each
cat >check.py <<'PYTHON'
import csv, io, json, os, re, sys

TREE = os.environ["TREE"]
problems = 0


def wrong(text):
    global problems
    problems += 1
    if problems <= 10:
        print(text)


def lines(path):
    data = open(path, "rb").read().decode()
    if data and not data.endswith("\n"):
        wrong("the last line has no end")
    return data.split("\n")[:-1]


def objects(path):
    found = []
    for n, line in enumerate(lines(path), 1):
        try:
            found.append(json.loads(line))
        except ValueError as error:
            wrong(f"line {n} is not JSON: {error}")
            continue
        if not isinstance(found[-1], dict) or next(iter(found[-1]), None) != "type":
            wrong(f"line {n} is no object with a type first: {line[:60]}")
    return found


def rows(path):
    text = open(path, "rb").read().decode()
    found = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    for n, row in enumerate(found, 1):
        if len(row) != len(found[0]):
            wrong(f"row {n} has {len(row)} cells, the header {len(found[0])}")
    return found


def check_json(path):
    if not objects(path):
        wrong("no object")


def check_csv(path):
    found = rows(path)
    if not found or not all(found[0]):
        wrong(f"no header, or one with an empty cell: {found[:1]}")
    if len(found) < 2:
        wrong("no row")
    if len(found) != len(lines(path)):
        wrong("a row is not a line")


def check_same(json_path, csv_path):
    """A list's cells are the same in JSON and CSV; behind the list JSON may have an object more (clock)."""
    header, *data = rows(csv_path)
    found = objects(json_path)
    found = [obj for obj in found if obj["type"] == found[0]["type"]]
    if len(found) != len(data):
        wrong(f"{len(found)} objects, {len(data)} rows")
    for obj, row in zip(found, data):
        obj.pop("type")
        if list(obj) != header:
            wrong(f"keys {list(obj)}, header {header}")
        text = ["" if v is None else str(v).lower() if isinstance(v, bool) else str(v) for v in obj.values()]
        if text != row:
            wrong(f"{text} is not {row}")


def formats():
    """Event -> its fields (name, type) without the common ones."""
    found = {}
    for event in [line.strip() for line in open(TREE + "/available_events")] + ["ftrace:print"]:
        fields = []
        for declared in open(f"{TREE}/events/{event.replace(':', '/')}/format"):
            match = re.match(r"\tfield:(.*?)(\w+)(\[[^]]*\])?;", declared)
            if match and not match[2].startswith("common_"):
                fields.append((match[2], match[1].strip() + (match[3] or "")))
        found[event] = fields
    return found


# "%16s-%-7d [%03d] FLAGS TIME: TEXT"; the name can hold anything.
LINE = re.compile(r"(.{16,}?)-(\d+) +\[(\d{3})\] ([^ ]{5}) +(\S+): (\w+)(.*)", re.S)
HOSTILE = re.compile("(.*31m:)-(\\d+) +\\[(\\d{3})\\] ([^ ]{5}) +(\\S+): (\\w+)(.*)", re.S)


def parse(path, skip_header=True):
    found = []
    for line in lines(path):
        if skip_header and line.startswith("#"):
            continue
        match = HOSTILE.fullmatch(line) if "31m:-" in line else LINE.fullmatch(line)
        if not match:
            wrong(f"not a line of an event: {line!r}")
            continue
        found.append(match.groups())
    return found


def kernel():
    return parse(TREE + "/trace")


def check_columns(path):
    ours, theirs = parse(path), kernel()
    if len(ours) != len(theirs):
        wrong(f"{len(ours)} events, the kernel has {len(theirs)}")
    names = ["pid", "cpu", "flags", "time", "event"]
    for n, (a, b) in enumerate(zip(ours, theirs), 1):
        for name, x, y in zip(names, a[1:6], b[1:6]):
            if x != y:
                wrong(f"event {n}: {name} {x}, the kernel's {y}")


def offset():
    kind, node = open(TREE + "/tracesh/clock").read().splitlines()
    if kind != "boot":
        wrong(f"a recording of the clock {kind}")
    stamp, before, after = (int(v) for v in node.split()[1:4])
    return (before + after) // 2 - stamp, (after - before) // 2


def check_json_events(path):
    found, theirs, fields = objects(path), kernel(), formats()
    start, *events, end = found
    if (start["type"], end["type"]) != ("start", "end"):
        wrong(f"begins with {start}, ends with {end}")
    want = {"format": 1, "instance": "top", "clock": "boot"}
    if {k: start[k] for k in want} != want or not 0 < start["error_ns"] < 100000:
        wrong(f"start: {start}")
    for key in "host", "boot_id", "kernel":
        if key not in start:
            wrong(f"start has no {key}")
    if end["events"] != len(theirs) or end["lost"] != 0 or not isinstance(end["seconds"], float):
        wrong(f"end: {end}")
    if len(events) != len(theirs):
        wrong(f"{len(events)} events, the kernel has {len(theirs)}")
    delta, error = offset()
    keys = "type time ts error_ns cpu pid tgid comm flags event fields".split()
    for n, (event, line) in enumerate(zip(events, theirs), 1):
        if list(event) != keys or event["type"] != "event":
            wrong(f"event {n}: keys {list(event)}")
            continue
        types = {"time": str, "ts": str, "error_ns": int, "cpu": int, "pid": int, "comm": str, "flags": str,
                 "event": str, "fields": dict}
        for key, kind in types.items():
            if type(event[key]) is not kind:
                wrong(f"event {n}: {key} is {event[key]!r}")
        if event["tgid"] is not None and type(event["tgid"]) is not int:
            wrong(f"event {n}: tgid is {event['tgid']!r}")
        match = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})\+00:00", event["time"])
        if not match:
            wrong(f"event {n}: time {event['time']}")
            continue
        from datetime import datetime, timezone
        wall = int(datetime.fromisoformat(match[1] + "+00:00").timestamp()) * 10**9 + int(match[2])
        if abs(wall - int(event["ts"]) - delta) > error + 1:
            wrong(f"event {n}: time {event['time']}, ts {event['ts']}")
        stamp = f"{(int(event['ts']) + 500) // 10**9}.{(int(event['ts']) + 500) // 1000 % 10**6:06}"
        got = [str(event["pid"]), f"{event['cpu']:03}", event["flags"], stamp]
        if got != list(line[1:5]):
            wrong(f"event {n}: {got}, the kernel's {line[1:5]}")
        check_fields(n, event, fields[event["event"]], line)


def check_fields(n, event, declared, line):
    system, name = event["event"].split(":")
    if system not in ("syscalls", "ftrace") and name != line[5]:
        wrong(f"event {n}: {name}, the kernel's {line[5]}")
    fields = event["fields"]
    if list(fields) != [d[0] for d in declared]:
        wrong(f"event {n}: fields {list(fields)}, declared {declared}")
        return
    for key, kind in declared:
        value = fields[key]
        if "char" in kind and ("[" in kind or "__data_loc" in kind):
            good = type(value) is str
        elif "*" in kind:
            good = type(value) is str and re.fullmatch(r"0x[0-9a-f]+", value)
        else:
            good = type(value) is int and abs(value) <= 2**53 or \
                type(value) is str and re.fullmatch(r"-?\d+", value) and abs(int(value)) > 2**53
        if not good:
            wrong(f"event {n}: {kind} {key} is {value!r}")
    if name in ("sched_switch", "sched_wakeup"):
        # The kernel's text has the same numbers. %03d is one of them.
        for key, text in re.findall(r"(?:^| )(\w*(?:pid|prio|cpu))=(\d+)", line[6]):
            if int(text) != fields[key]:
                wrong(f"event {n}: {key} {fields[key]}, the kernel's {text}")


def check_csv_events(path, json_path):
    """The same values as the JSON has."""
    header, *data = rows(path)
    if header != "time ts error_ns cpu pid tgid comm flags event text".split():
        wrong(f"header {header}")
    events = [o for o in objects(json_path) if o["type"] == "event"]
    if len(data) != len(events) or not events:
        wrong(f"{len(data)} rows, {len(events)} objects")
    for n, (row, event) in enumerate(zip(data, events), 1):
        for key, cell in zip(header, row):
            if key in ("time", "text"):
                continue
            value = event[key]
            if key == "error_ns":
                value += 500  # CSV has microseconds
            text = "" if value is None else str(value).replace("\x1b", "\\x1b")
            if cell != text and cell != "'" + text:
                wrong(f"row {n}: {key} {cell}, in JSON {value!r}")


def check_names(path):
    """From the event on in which the task gets its hostile name, and until it is gone, it has no other."""
    own = [o for o in objects(path) if o["type"] == "event" and o["pid"] == 130]
    at = [n for n, o in enumerate(own) if o["fields"].get("newcomm") == "x-1 [0] \x1b[31m:"]
    if len(at) != 1 or len(own) < at[0] + 5:
        wrong(f"its own events: {len(own)}, renamed at {at}")
    for o in own[at[0]:]:
        if o["comm"] != "x-1 [0] \x1b[31m:":
            wrong(f"a name: {o}")


def clean(path):
    """No control bytes, C1, bidi controls, and nothing that is no UTF-8."""
    data = open(path, "rb").read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        wrong(f"not UTF-8: {error}")
        return
    for match in re.finditer("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", text):
        wrong(f"{match[0]!r} in {text[max(0, match.start() - 30):match.end() + 10]!r}")


def check_clean(*paths):
    for path in paths:
        clean(path)


def check_show(path):
    """The kernel's text, with other times, and without what a terminal would obey."""
    delta, error = offset()
    theirs = [line for line in lines(TREE + "/trace") if not line.startswith("#")]
    ours = lines(path)
    if not ours[0].startswith("# tracesh: instance top, clock boot, times local (+0000), error +-"):
        wrong(f"header: {ours[0]}")
    ours = ours[1:]
    if len(ours) != len(theirs):
        wrong(f"{len(ours)} lines, the kernel's text has {len(theirs)}")
    from datetime import datetime
    for n, (a, b) in enumerate(zip(ours, theirs), 1):
        at = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}").search(a)
        # In the kernel's text it stands behind the flags, twelve columns wide.
        when = re.compile(r"(?<=\] \S{5} ) *\d+\.\d{6}(?=: )").search(b)
        if not at or not when:
            wrong(f"line {n}: no time: {a!r}")
            continue
        want = b[:when.start()] + "TIME" + b[when.end():]
        want = want.replace("\x1b", "\\x1b")
        if a[:at.start()] + "TIME" + a[at.end():] != want:
            wrong(f"line {n}: {a!r}, the kernel's {b!r}")
        wall = datetime.fromisoformat(at[0] + "+00:00")
        us = int(wall.timestamp()) * 10**6 + wall.microsecond
        stamp = int(when[0].strip().replace(".", ""))
        if abs(us * 1000 - stamp * 1000 - delta) > error + 1000:
            wrong(f"line {n}: {at[0]} for {when[0]}")


globals()["check_" + sys.argv[1]](*sys.argv[2:])
if problems > 10:
    print(f"and {problems - 10} more")
PYTHON
check()
{
	TREE=$tree timeout -k 5 120 python3 check.py "$@" 2>&1
}

# keep NAME: what the last t printed
keep()
{
	cp out "$1"
}

# Lists

# list STATUS-FREE COMMAND: as JSON and CSV, valid both and with the same cells
list()
{
	t --json -c "$1"
	is "status $status, $err, $(check json out)" 'status 0, , ' "--json: $1"
	keep list.json
	t --format csv -c "$1"
	is "status $status, $err, $(check csv out)" 'status 0, , ' "--format csv: $1"
	keep list.csv
}
for command in events 'events sched' 'events --on' "events --field '*pid*'" systems clock help 'help stream' status \
	buffer; do
	list "$command"
	# JSON has the lists of status as lists, and numbers, where CSV has what a person reads.
	[ "$command" = status ] || is "$(check same list.json list.csv)" '' "the same values in both: $command"
done
for command in 'info sched_switch' 'info sched' set; do
	list "$command"
done
t --json -c 'info sched_switch'
is "$(printf '%s\n' "$out" | python3 -c '
import json, sys
o = json.loads(sys.stdin.read())
print(o["event"], type(o["id"]).__name__, len(o["fields"]), o["fields"][3]["name"], o["fields"][3]["signed"],
      o["print"][:10])')" 'sched:sched_switch int 11 common_pid True "prev_comm' 'info as JSON has its fields'
t --json ps
is "status $status, $(check json out)" 'status 0, ' '--json: ps'
t --json -c 'cat saved_cmdlines'
is "status $status, $(check json out)" 'status 0, ' '--json: cat'
t --format csv -c 'cat saved_cmdlines'
is "status $status, $(wc -l <out)" "status 0, $(wc -l <"$tree/saved_cmdlines")" '--format csv: cat, a cell a line'
t --json -c 'events nosuch'
is "status $status, $out" 'status 1, ' 'no JSON of an error'
t -c 'set format json' -c 'systems'
is "$(check json out)" '' 'set format json'
t -c 'set format csv' -c 'systems | head -n 1'
is "$out" 'system,events,enabled' 'set format csv, behind a pipe too'
t --json --format text systems
is "$(printf '%s\n' "$out" | head -n 1)" 'net       1  1' 'the last format counts'
t events
is "$(printf '%s\n' "$out" | sort)" "$(sort "$tree/available_events")" 'events in a pipe: exactly available_events'

# The events of the recording

t drain
keep drain.txt
t --json drain
keep drain.json
is "status $status, $(check json_events drain.json)" 'status 0, ' "drain --json: the kernel's events, every field"
t --format csv drain
keep drain.csv
is "status $status, $(check csv_events drain.csv drain.json)" 'status 0, ' 'drain --format csv: the same values'
t --time trace drain
is "status $status, $(check columns out)" 'status 0, ' "drain --time trace: the kernel's events, column by column"
t --format kernel drain
is "status $status, $(check columns out)" 'status 0, ' 'drain --format kernel: the same'
is "$(grep -c '^#' out)" 0 'and nothing else'
t stream
is "$(grep -v '^#' out | cmp - drain.txt 2>&1 | head -n 1)" "$(grep -v '^#' drain.txt | cmp - drain.txt 2>&1 | head -n 1)" \
	'stream ends with the recording, and prints the same'

number=$(grep -vc '^#' "$tree/trace")
is "$(grep -vc '^#' drain.txt)" "$number" 'drain: as many lines as events'
t -q drain
is "$err" '' 'drain -q: no summary'
t drain
like "$err" "^$number events, 0 lost, " 'drain: a summary'

# of a recording; what was left of a live buffer comes next: live/stream
t drain -n 10
is "$(grep -vc '^#' out)" 10 'drain -n 10: ten lines'
is "$(grep -v '^#' out)" "$(grep -v '^#' drain.txt | head -n 10)" 'the first ones'
t -c 'drain -n 5' -c 'drain -n 5'
is "$(grep -v '^#' out)" "$(for i in 1 2; do grep -v '^#' drain.txt | head -n 5; done)" 'drain -n 5 twice begins twice'
t -c 'drain -n 5' -c 'drain'
is "$(grep -v '^#' out)" "$(grep -v '^#' drain.txt | head -n 5; grep -v '^#' drain.txt)" 'drain behind drain -n 5 has all'
t -c drain -c drain
is "$(grep -v '^#' out)" "$(grep -v '^#' drain.txt; grep -v '^#' drain.txt)" 'a second drain has all again'
t drain -n 0
is "status $status, $out" 'status 2, ' 'drain -n 0 is refused'
t drain --cpu 1
is "$(grep -v '^#' out)" "$(grep '\[001\]' drain.txt)" 'drain --cpu 1'
t -c 'drain --cpu 0' -c 'drain --cpu 1'
is "$(grep -v '^#' out | sort)" "$(grep -v '^#' drain.txt | sort)" 'drain --cpu 0 and 1 together'
t drain -o drain.o
is "$(cat drain.o)" "$(cat drain.txt)" 'drain -o FILE'

# - is no file, as with other programs
for command in 'systems -o -' 'systems -o - | cat'; do
	printf '%s\n' "$(timeout -k 5 60 "$TRACESH" --tracefs "$tree" -c "$command")" >checked
	is "$(cat checked)" "$(timeout -k 5 60 "$TRACESH" --tracefs "$tree" systems)" "$command: is stdout"
done
is "$(timeout -k 5 60 "$TRACESH" --tracefs "$tree" -o - systems)" "$(cat checked)" '-o - of the program, too'
false_dash=$(ls -d ./- 2>/dev/null)
is "$false_dash" '' 'no file is called -'
for twice in '-o A -o B' '-i top -i top' '--tracefs A --tracefs B'; do
	# shellcheck disable=SC2086 # words
	run timeout -k 5 60 "$TRACESH" $twice systems
	is "$status $(sed 1q "$TMP/err")" "2 tracesh: error: option '${twice%% *}' given twice" "$twice: is refused"
done
for places in '-i A --private' '--private -I A'; do
	# shellcheck disable=SC2086 # words
	run timeout -k 5 60 "$TRACESH" $places --tracefs "$tree" -o A systems
	is "$status $(echo $err)" "2 tracesh: error: option '$(expr "$places" : '.*\(-[iI]\)')' beside '--private', which works in \
an instance of its own hint: remove one of the two" "$places: is refused"
	is "$(ls A 2>/dev/null)" '' "$places: and no file is made"
done
run timeout -k 5 60 "$TRACESH" --tracefs "$tree" -c 'systems -o A -o B'
is "$status $err" "2 <-c 1>:1:14: error: option '-o' given twice
  systems -o A -o B
               ^~
hint: remove one of the two" 'twice with a command: refused, with a caret'
is "$(ls A B 2>/dev/null)" '' 'and neither file is made'

echo kept >full
ln -s full link
printf '%s\n' "$(timeout -k 5 60 "$TRACESH" --tracefs "$tree" -n -o full systems; cat full)" >checked
is "$(cat checked)" kept '-n leaves the file of -o as it is'
timeout -k 5 60 "$TRACESH" --tracefs "$tree" -o full info nosuch 2>/dev/null
is "$(cat full)" kept 'a command that fails before it prints leaves the file of -o as it is'
timeout -k 5 60 "$TRACESH" --tracefs "$tree" -o longer -c systems -c systems
timeout -k 5 60 "$TRACESH" --tracefs "$tree" -o longer systems
timeout -k 5 60 "$TRACESH" --tracefs "$tree" -o once systems
is "$(cat longer)" "$(cat once)" 'one that prints replaces it'
timeout -k 5 60 "$TRACESH" --tracefs "$tree" -o longer let x = 1
is "$? $(cat longer)" '0 ' 'and so does one that has nothing to print'
# full MODE NAME: where no file may grow
full()
{
	set -- "$2" $(case $1 in before) echo -o "$2" systems ;; *) echo systems -o "$2" ;; esac)
	shift
	(trap '' XFSZ && ulimit -f 0 && exec timeout -k 5 60 "$TRACESH" --tracefs "$tree" "$@" 2>/dev/null)
}
for place in before behind; do
	full $place grown
	is "$? $(ls grown 2>/dev/null)" '1 ' "-o $place the command: a file that we have made and nothing could be written to goes"
	: >there
	full $place there
	is "$? $(ls there)" '1 there' 'but not one that was there'
	rm there
done
timeout -k 5 60 "$TRACESH" --tracefs "$tree" -n -o none systems
is "$(ls none 2>/dev/null)" '' '-n makes no file for -o'
timeout -k 5 60 "$TRACESH" --tracefs "$tree" -o link systems 2>/dev/null
is "$(cat full)" kept 'the -o before a command follows no symbolic link'

# show: the kernel's text

t show
keep show.txt
is "status $status, $(check show show.txt)" 'status 0, ' "show: the kernel's text, with times replaced"
t --format kernel show
is "status $status, $(cmp out "$tree/trace" 2>&1)" 'status 0, ' "show --format kernel: the kernel's, byte for byte"
t show -n 7
is "$(sed 1d out)" "$(tail -n 7 show.txt)" 'show -n 7'
t show -n 100000
is "$(sed 1d out)" "$(sed 1d show.txt)" 'show -n with more than there is'
t show -n 0
is "status $status, $out" 'status 2, ' 'show -n 0 is refused'
t -c show -c show
is "$(sed -n "$((number + 2)),\$p" out | sed 1d)" "$(sed 1d show.txt)" 'show takes nothing out'
t --time trace show
is "status $status, $(check columns out)" 'status 0, ' 'show --time trace'
t --json show
is "$(check json out), $(grep -c '"type":"event"' out)" ", $number" 'show --json'
t --format csv show
is "$(check csv out), $(wc -l <out)" ", $((number + 1))" 'show --format csv'
cp out shown
t --format csv drain
is "$(head -n 1 shown)" "$(head -n 1 out)" 'show and drain have the same columns'
is "$(cut -d, -f4-6,8-9 shown)" "$(cut -d, -f4-6,8-9 out)" 'and in these the same: CPU, pid, tgid, flags, event'
t --format csv --time none show -n 1
is "$(tail -n 1 out | cut -d, -f1)" '' 'show --format csv --time none: no time'
t --format csv --time trace show -n 1
is "$(tail -n 1 out | cut -d, -f1)" "$(tail -n 1 "$tree/trace" | sed 's/.* \([0-9]*\.[0-9]*\): .*/\1/')" \
	"show --format csv --time trace: the kernel's digits"

# A task is called x-1 [0] ESC[31m:

esc=$(printf '\033')
ok 'the recording has the hostile name' grep -q "x-1 \[0\] $esc\[31m:" "$tree/trace"
for format in text json csv; do
	for command in drain show stream 'cat trace' 'cat saved_cmdlines' status ps events 'info task_rename'; do
		t --format $format -c "$command"
		cat err >>out
		is "$(check clean out)" '' "no control bytes: --format $format, $command"
	done
done
t --format kernel drain
ok 'the kernel format has the bytes as they are' grep -q "x-1 \[0\] $esc\[31m:" out
t -c 'drain | cat' -c 'show -o shown'
cat shown >>out
is "$(check clean out)" '' 'no control bytes: behind a pipe, with -o'
is "$(check names drain.json)" '' 'from its rename on the task has its name in JSON'
is "$(grep -c '^ *x-1 \[0\] \\x1b\[31m:-130 ' drain.txt)" "$(grep -c '"pid":130,[^{]*31m:"' drain.json)" \
	'and in the text, on as many lines'

# On a terminal
cat >terminal.py <<'PYTHON'
import os, pty, sys

printed = []


def read(fd):
    printed.append(os.read(fd, 65536))
    return printed[-1]


status = pty.spawn(sys.argv[2:], read)
open(sys.argv[1], "wb").write(b"".join(printed).replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(status))
PYTHON
for arguments in 'drain' 'show' '--format kernel show' '--format kernel drain' '--format kernel cat trace' \
	'cat saved_cmdlines' 'events' 'ps'; do
	# shellcheck disable=SC2086
	run timeout -k 5 60 python3 terminal.py terminal "$TRACESH" --color never --tracefs "$tree" $arguments
	is "status $status, $(check clean terminal)" 'status 0, ' "no control bytes on a terminal: $arguments"
	ok 'and it printed something' test -s terminal
done
run timeout -k 5 60 python3 terminal.py terminal env TERM=xterm "$TRACESH" --color always --tracefs "$tree" drain
sed "s/$esc\[[0-9;]*m//g" terminal >no-colours
is "$(check clean no-colours)" '' 'with colours: only they'
is "$(grep -c "$esc\[31m" terminal)" 0 "and none of the task's"
ok 'there are colours' grep -q "$esc\[" terminal

# In our own texts a colour is one, and not shown as what it is made of.
for arguments in help 'help --all' 'help time' 'help stream' 'apropos pid' set status events systems 'info sched_switch'; do
	# shellcheck disable=SC2086
	run "$TRACESH" --color always --tracefs "$tree" $arguments
	is "$status $(printf '%s\n' "$out" | grep -c '\\x1b')" '0 0' "colours of $arguments"
done

# Of a process that runs now
python3 -c '
import ctypes, time
ctypes.CDLL(None).prctl(15, b"\x1b[31m\nt\xff\xc2\x9b1m", 0, 0, 0)
open("named", "w").close()
time.sleep(600)' &
sleeper=$!
at_exit '[ -z "$sleeper" ] || kill "$sleeper"'
tries=0
until [ -e named ] || [ $tries -gt 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
for format in text json csv; do
	t --format $format -c ps
	is "$(check clean out)" '' "no control bytes: ps --format $format of a hostile name"
	if [ $format = json ]; then
		is "$(grep -c "\"pid\":$sleeper," out), $(check json out)" '1, ' 'and it is there'
	fi
done
kill $sleeper
wait $sleeper 2>/dev/null
# its number is somebody else's soon
sleeper=

# Times

# styled STYLE REGEX [OPTION..]: of all lines of drain, and of show, which has microseconds
styled()
{
	style=$1
	regex=$2
	shift 2
	for command in drain show; do
		case "$command $*" in 'show '*' ns') continue ;; esac
		t --time "$style" "$@" $command
		is "status $status, $(grep -v '^#' out | grep -Evc "^.{16,}-[0-9]+ +\\[00[01]\\] [^ ]{5} ${regex}[a-z_]+[:( ]")" \
			'status 0, 0' "--time $style $* $command"
	done
}
day='2026-11-21'
clock='08:5[67]:[0-9]{2}'
styled wall "$day $clock\.[0-9]{6}: "
styled wall "$day $clock\.[0-9]{9}: " --precision ns
styled short "$clock\.[0-9]{6}: "
styled iso "${day}T$clock\.[0-9]{6}\+00:00: "
styled iso "${day}T$clock\.[0-9]{9}\+00:00: " --precision ns
styled utc "${day}T$clock\.[0-9]{6}Z: "
styled rel '[0-9]\.[0-9]{6}: '
styled rel '[0-9]\.[0-9]{9}: ' --precision ns
styled delta '[0-9]\.[0-9]{6}: '
styled delta-cpu '[0-9]\.[0-9]{6}: '
styled delta-task '[0-9]\.[0-9]{9}: ' --precision ns
styled trace '    3\.[0-9]{6}: '
styled trace '    3\.[0-9]{9}: ' --precision ns
styled none ''
bound='\+-[0-9.]+[num]?s: '
styled wall "$day $clock\.[0-9]{6} $bound" --show-error
styled short "$clock\.[0-9]{9} $bound" --show-error --precision ns
styled utc "${day}T$clock\.[0-9]{6}Z $bound" --show-error
styled rel '[0-9]\.[0-9]{6}: ' --show-error
styled trace '    3\.[0-9]{6}: ' --show-error
for format in json csv kernel; do
	for command in drain show; do
		t --format $format $command
		grep -v '"type":"end"' out >plain
		t --format $format -c "set show-error on; $command"
		is "status $status, $(grep -v '"type":"end"' out | cmp plain - 2>&1)" 'status 0, ' "show-error changes nothing: --format $format $command"
	done
done
if [ -e /usr/share/zoneinfo/Asia/Kolkata ]; then
	styled wall "$day 14:2[67]:[0-9]{2}\.[0-9]{6}: " --tz Asia/Kolkata
	styled iso "${day}T03:5[67]:[0-9]{2}\.[0-9]{6}-05:00: " --tz America/New_York
else
	skip 'zones by name' 'no zoneinfo here'
fi
styled iso "${day}T14:2[67]:[0-9]{2}\.[0-9]{6}\+05:30: " --tz '<+0530>-5:30'
styled utc "${day}T$clock\.[0-9]{6}Z: " --tz EST5
styled wall "$day 03:5[67]:[0-9]{2}\.[0-9]{6}: " --tz EST5

first=$(grep -v '^#' "$tree/trace" | sed -n '1s/.* \([0-9.]*\): sched.*/\1/p')
t --time trace drain -n 1
like "$out" " $first: " "the first event's time"
t --time rel drain
is "$(grep -v '^#' out | head -n 1 | grep -o '[0-9]\.[0-9]*: ')" '0.000000: ' 'rel begins at 0'
last=$(grep -v '^#' "$tree/trace" | tail -n 1 | sed 's/.* \([0-9.]*\): sys.*/\1/')
is "$(tail -n 1 out | grep -o ' [0-9]\.[0-9]*: ' | awk -v first="$first" -v last="$last" \
	'{ d = $1 - (last - first); print (d < 0.0000021 && d > -0.0000021) }')" 1 'and ends at the length of the recording'
t --time delta drain
is "$(grep -v '^#' out | grep -o ' -*[0-9]\.[0-9]*: ' | awk -v first="$first" -v last="$last" \
	'{ sum += $1 } END { d = sum - (last - first); print (d < 0.001 && d > -0.001) }')" 1 'delta sums up to it'
# What the deltas of each CPU, of each task (and idle task) sum up to, and its last line's time since its first.
for key in cpu task; do
	for style in rel delta-$key; do
		t --precision ns --time "$style" drain
		grep -v '^#' out | awk -v key="$key" -v style="$style" '{
			match($0, /\[00[01]\]/)
			cpu = substr($0, RSTART, RLENGTH)
			pid = substr($0, 1, RSTART - 1)
			sub(/ +$/, "", pid)
			sub(/.*-/, "", pid)
			split(substr($0, RSTART), word, " ")
			of = key == "cpu" ? cpu : pid == 0 ? "idle" cpu : pid
			sub(/:/, "", word[3])
			if (!(of in first))
				first[of] = word[3]
			sum[of] = style == "rel" ? word[3] - first[of] : sum[of] + word[3]
		} END { for (of in sum) printf "%s %.6f\n", of, sum[of] }' | sort >"sums-$style"
	done
	is "$(cmp sums-rel "sums-delta-$key" 2>&1), $(($(wc -l <sums-rel) > 1))" ', 1' "delta-$key sums up to it"
done
t -c 'set time short; set precision ns; set tz "<+0530>-5:30"' -c 'drain -n 1'
like "$out" ' 14:26:57\.764140910: ' 'set time, precision, tz: the same as the options'
like "$out" '^# .*times <\+0530>-5:30 \(\+0530\), error \+-' 'the header names the zone'
for own in '' local; do
	run env TZ=XXX-1 "$TRACESH" --tracefs "$tree" -c 'set time iso; set tz EST5' -c "set tz '$own'; drain -n 1"
	like "$out" "^# .*times local \(\+0100\)" "set tz '$own' is back to the machine's own"
	like "$out" ' [0-9T:.-]*\+01:00: ' 'in the times too'
	t --tz "$own" -c 'set tz'
	is "$out" 'tz:  local' "--tz '$own'"
done
t -c 'set tz Nowhere/At-all' -c 'set tz'
is "status $status, $(grep -c 'unknown time zone' "$TMP/err")" 'status 2, 1' 'a zone that does not exist is an error'
like "$err" '^hint: a zone is a file below .*, or a rule, as UTC0' 'and the hint says what a zone is'
if [ -e /usr/share/zoneinfo/Asia/Kolkata ]; then
	for command in drain show; do
		t --tz Asia/Kolkata $command -n 1
		like "$out" '^# .*times Asia/Kolkata \(\+0530\), error \+-' "$command: a zone of the database in the header"
	done
	run env TZDIR="$TMP" "$TRACESH" --tz Asia/Kolkata -c 'set tz'
	is "$status" 2 'TZDIR is where zones are looked for'
	mkdir "$TMP/Asia"
	cp /usr/share/zoneinfo/Asia/Kolkata "$TMP/Asia/Mine"
	run env TZDIR="$TMP" "$TRACESH" --tz Asia/Mine -c 'set tz'
	is "status $status, $out" 'status 0, tz:  Asia/Mine' 'and found'
fi
t --time utc drain -n 1
like "$out" '^# .*times UTC, error \+-' 'and UTC'
t --time short drain
is "$(grep -c "^# $day" out)" 0 'short: no line for the day when it does not change'
t --time short --tz XXX-15:03:02.5 drain -n 1
is "$status" 2 'a rule with a fraction is none'

done_testing
