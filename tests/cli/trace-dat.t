#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings as trace.dat: what trace-cmd reads of them, what tracesh reads of it, damaged files.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
cd "$TMP" || exit 1
tree=$SRC/examples/recorded

# ---- the same recording in a file ----

"$TRACESH" -q "$tree" drain >tree.out
for to in trace.dat:6 trace.dat:7 trace.dat:7:none; do
	run "$TRACESH" "$tree" export --to $to x-$to.dat
	is "$status" 0 "$to: export succeeds"
	like "$err" '^48K of pages in .x-' "$to: says how much"
	is "$(stat -c %a x-$to.dat)" 600 "$to: is private, as a recording is"
	ok "$to: the same text" sh -c '"$TRACESH" -q "$1" drain | cmp - tree.out' sh x-$to.dat
	for command in 'stats' 'events' 'info sched_switch' 'count by event' 'hist by next_comm' 'latency wakeup' status \
		'show' 'time' 'drain fields time comm next_comm prev_state' 'drain where next_prio < 120' 'cat tracesh/clock'; do
		# shellcheck disable=SC2086 # words of the command
		"$TRACESH" -q --tracefs "$tree" $command >want 2>&1
		# shellcheck disable=SC2086
		"$TRACESH" -q --tracefs x-$to.dat $command >got 2>&1
		sed -i "s|x-$to.dat|$tree|" got
		ok "$to: the same by '$command'" cmp want got
	done
	for format in json csv kernel; do
		"$TRACESH" -q --format $format --tracefs "$tree" drain | sed 's/"seconds":[0-9.]*//' >want 2>&1
		"$TRACESH" -q --format $format --tracefs x-$to.dat drain | sed 's/"seconds":[0-9.]*//' >got 2>&1
		ok "$to: the same as $format" cmp want got
	done
	"$TRACESH" -q x-$to.dat export again.dat && "$TRACESH" -q again.dat export --to $to -f third.dat
	ok "$to: a file of a file is the same" cmp third.dat x-$to.dat
	rm -f again.dat third.dat
done
ok 'the ending chooses version 6' sh -c '"$TRACESH" -q "$1" export y.dat && cmp y.dat x-trace.dat:6.dat' sh "$tree"

# ---- where recordings are read ----

is "$("$TRACESH" -q report y.dat | cksum)" "$(cksum <tree.out)" 'report prints all events'
is "$("$TRACESH" -q report y.dat stats)" "$("$TRACESH" -q "$tree" stats)" 'report runs a command on it'
is "$("$TRACESH" -q report "$tree" stats)" "$("$TRACESH" -q "$tree" stats)" 'report reads a folder'
is "$(echo stats | "$TRACESH" -q y.dat)" "$("$TRACESH" -q "$tree" stats)" 'commands of stdin, too'
run "$TRACESH" report nosuch.dat
like "$err" "cannot open 'nosuch.dat'" 'report of no file'
run "$TRACESH" -n -c 'report nosuch.dat stats'
is "$status" 0 'a check lets an earlier command make the file'
run "$TRACESH" -n -c 'report y.dat drian'
like "$err" "unknown command 'drian'" 'a check checks the command'
run "$TRACESH" report /
like "$err" "'/' is neither tracefs nor a recorded tree" 'report of a folder that is none'

# ---- writing ----

run "$TRACESH" "$tree" export y.dat
like "$err" "'y.dat' exists already" 'refuses an old file'
like "$err" 'export -f replaces it' 'and says how'
run "$TRACESH" "$tree" export -f y.dat
is "$status" 0 'replaces it with -f'
run "$TRACESH" "$tree" export z.txt
like "$err" 'hint: name it FILE.dat' 'an ending that is no format'
run "$TRACESH" "$tree" export --to tar z.dat
like "$err" "no format 'tar'" 'no such format'
mkdir folder.dat
run "$TRACESH" "$tree" export -f folder.dat
like "$err" "'folder.dat' is a folder" 'replaces no folder'
ln -s y.dat link.dat
run "$TRACESH" "$tree" export -f link.dat
like "$err" "'link.dat' is a symbolic link" 'replaces no link'
run "$TRACESH" "$tree" export nosuch/y.dat
like "$err" "cannot write 'nosuch/y.dat'" 'no folder'
run "$TRACESH" "$tree" export /dev/full
like "$err" 'the ending of' 'a device has no ending'
# shellcheck disable=SC2016 # expanded by the other shell
run sh -c 'ulimit -f 32; trap "" XFSZ; "$TRACESH" "$1" export full.dat' sh "$tree"
like "$err" 'File too large' 'a disk that is full'
is "$(find . -name '*full*')" '' 'leaves nothing'

# ---- damage ----

if command -v python3 >/dev/null; then
	run python3 -I "$SRC/tests/helpers/damage-dat.py" "$TRACESH" x-trace.dat:6.dat x-trace.dat:7.dat x-trace.dat:7:none.dat
	is "$status" 0 'damaged and cut files: no crash, and an error that says where'
	[ "$status" = 0 ] || diag "$out $err"
else
	skip 'damaged files' 'no python3'
fi

# ---- trace-cmd ----

if ! command -v trace-cmd >/dev/null; then
	skip 'trace-cmd' 'no trace-cmd here'
	done_testing
	exit
fi
# fields FILE: "TIME PID CPU EVENT" of each line of trace-cmd's report with its raw fields
fields()
{
	LD_LIBRARY_PATH=/usr/lib/$(uname -m)-linux-gnu trace-cmd report -R -t "$1" 2>/dev/null |
		sed -n 's/^ *\(.*\)-\([0-9]*\) *\[0*\([0-9]\)\][^0-9]*\([0-9.]*\): \([a-z_]*\):.*/\4 \2 \3 \5/p'
}
"$TRACESH" -q --format csv --precision ns "$tree" drain |
	python3 -I -c '
import csv, datetime, sys
rows = csv.DictReader(sys.stdin)
for row in rows:
    when, rest = row["time"].split(".")
    seconds = int(datetime.datetime.fromisoformat(when + "+00:00").timestamp())
    print("%d.%s %s %s %s" % (seconds, rest[:9], row["pid"], row["cpu"], row["event"].split(":")[-1]))
' >want 2>csv.err || diag "$(cat csv.err; "$TRACESH" -q --format csv "$tree" drain | head -n 3)"
for to in trace.dat:6 trace.dat:7 trace.dat:7:none; do
	fields x-$to.dat >got
	ok "$to: trace-cmd reads the same times, tasks, CPUs and events" cmp want got
	is "$(wc -l <got)" "$(grep -c '^[^#]' tree.out)" "$to: all of them"
	ok "$to: trace-cmd finds it valid" trace-cmd dump --validate x-$to.dat
done
trace-cmd convert --file-version 7 -i x-trace.dat:6.dat -o c7.dat >/dev/null 2>&1
trace-cmd convert --file-version 6 -i c7.dat -o c6.dat >/dev/null 2>&1
"$TRACESH" -q --time trace --tracefs y.dat drain | sed 1d >want
for file in c7 c6; do
	"$TRACESH" -q --time trace --tracefs $file.dat drain | sed 1d >got
	ok "$file: a file that trace-cmd has written reads the same" cmp want got
done
done_testing
