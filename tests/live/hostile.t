#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Text that comes from the kernel is hostile.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

ESC=$(printf '\033')

# safe WHAT: no byte of the output is a control byte but newline and tab
safe()
{
	for file in out err; do
		if LC_ALL=C tr -d '\n\t' <"$TMP/$file" | LC_ALL=C grep -q '[[:cntrl:]]'; then
			fail "$case_name: $1: no control byte in std$file"
			LC_ALL=C grep -n '[[:cntrl:]]' "$TMP/$file" | head -n 5 | cat -v | diag
		else
			pass "$case_name: $1: no control byte in std$file"
		fi
	done
	if [ -n "$PYTHON" ]; then
		true_that "$1: valid UTF-8 without C1 and bidi controls" "$PYTHON" -c '
import sys
text = open(sys.argv[1], "rb").read().decode("utf-8")
bad = [c for c in text if 0x80 <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069]
assert not bad, bad' "$TMP/out"
	fi
}

# A task with a bad name, which runs and ends by itself; its pid is $task.
bad_task()
{
	# printf of the shell itself: no other process may write there.
	sh -c 'printf %s "$1" >/proc/$$/comm; i=0; while [ $i -lt 1500 ]; do i=$((i + 1)); sleep 0.02; done' sh "$1" &
	task=$!
	children="$children $task"
	printf '%s\n' "$1" >"$TMP/bad-name"
	true_that 'the task has that name' await diff -a "$TMP/bad-name" "/proc/$task/comm"
}

for kind in escape bidi c1 newline invalid; do
	case $kind in
	escape) name="$ESC]0;evil$(printf '\007')" ;;
	bidi) name=$(printf 'a\342\200\256b\342\201\246') ;;
	c1) name=$(printf 'a\302\233 31m') ;;
	newline) name=$(printf 'a\nb-1 [000]\rc') ;;
	invalid) name=$(printf 'a\377\300\200b') ;;
	esac
	begin "a task's name: $kind"
	fresh
	bad_task "$name"
	t stream -n 4 sched:sched_switch if "prev_pid == $task || next_pid == $task"
	expect 0 'stream'
	safe stream
	same "$(grep -vc '^#' "$TMP/out")" 4 'an event is a line'
	t --json stream -n 4 sched:sched_switch if "prev_pid == $task || next_pid == $task"
	safe 'stream --json'
	[ -z "$PYTHON" ] || true_that 'each line is an object' "$PYTHON" -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$TMP/out"
	t --format csv stream -n 4 sched:sched_switch if "prev_pid == $task || next_pid == $task"
	safe 'stream --format csv'
	same "$(wc -l <"$TMP/out")" 5 'CSV: an event is a line'
	echo "prev_pid == $task || next_pid == $task" >"$D/events/sched/sched_switch/filter"
	echo 1 >"$D/events/sched/sched_switch/enable"
	true_that 'the buffer has some' await more_events_than 4
	echo 0 >"$D/tracing_on"
	t -i "$I" show
	expect 0 'show'
	safe show
	t -i "$I" --json show
	safe 'show --json'
	t -i "$I" drain
	safe drain
	t ps
	safe ps
	t --restore pid --no-fork "$name"
	safe 'a message about it'
	t -i "$I" cat trace
	safe 'cat'
	reap
done
begin 'a marker with newlines and escapes'
fresh
printf 'first\n          forged-1       [000] d..2.     1.000000: sched_switch: prev_comm=x\n%s[2Jthird' "$ESC" >"$D/trace_marker"
for command in drain; do
	t -i "$I" $command
	expect 0 "$command"
	safe "$command"
	same "$(grep -vc '^#' "$TMP/out")" 1 'it is one line'
	prints 'first\\n +forged-1' 'with the newline escaped'
done
printf 'first\n          forged-1       [000] d..2.     1.000000: sched_switch: prev_comm=x\n%s[2Jthird' "$ESC" >"$D/trace_marker"
t -i "$I" show
safe show
t -i "$I" --json drain
safe 'drain --json'
[ -z "$PYTHON" ] || true_that 'JSON has one event' "$PYTHON" -c '
import json, sys
rows = [row for row in map(json.loads, open(sys.argv[1])) if row["type"] == "event"]
assert len(rows) == 1, rows' "$TMP/out"

begin 'a filter with escapes, read back'
fresh
printf 'prev_comm == "%s[31m"' "$ESC" >"$D/events/sched/sched_switch/filter"
echo 1 >"$D/events/sched/sched_switch/enable"
for command in filter enable status 'info sched:sched_switch' 'cat events/sched/sched_switch/filter'; do
	# shellcheck disable=SC2086 # words
	t -i "$I" $command
	expect 0 "$command"
	safe "$command"
done
t -i "$I" filter sched_switch "prev_comm == ${ESC}[31m"
safe 'a refused one'

begin "an instance's name"
mkdir "$TRACING/instances/live-$$-bad$ESC[31m"
for command in instance 'status -a' status 'instance use live-bad'; do
	# shellcheck disable=SC2086
	t $command
	safe "$command"
done
rmdir "$TRACING/instances/live-$$-bad$ESC[31m"

finish
