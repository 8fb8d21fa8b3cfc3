#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers
# time limit: 2400
# Text that comes from the kernel is hostile.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

ESC=$(printf '\033')

# One that looks at all of it: to start it each time would take most of the time of this file.
if [ -n "$PYTHON" ]; then
	mkfifo "$TMP/asked" "$TMP/answered"
	"$PYTHON" -I "$SRC/tests/helpers/safe-output.py" --serve <"$TMP/asked" >"$TMP/answered" &
	exec 5>"$TMP/asked" 6<"$TMP/answered"
fi

# is_safe KIND FILE WHAT
is_safe()
{
	echo "$1 $2" >&5
	answer=
	read -r answer <&6
	same "$answer" safe "$3"
}

# safe WHAT [text|json|csv]: what the last run printed can do no harm
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
		is_safe "${2-text}" "$TMP/out" "$1: its stdout is safe"
		is_safe text "$TMP/err" "$1: its stderr is safe"
	fi
}

# shape FORMAT COMMAND: what safe is to look for; status -a prints a table for each instance
shape()
{
	case $1,$2 in
	csv,'status -a') echo text ;;
	*) echo "$1" ;;
	esac
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

for kind in escape bidi c1 newline invalid formula; do
	case $kind in
	escape) name="$ESC]0;evil$(printf '\007')" ;;
	bidi) name=$(printf 'a\342\200\256b\342\201\246') ;;
	c1) name=$(printf 'a\302\233 31m') ;;
	newline) name=$(printf 'a\nb-1 [000]\rc') ;;
	formula) name="=cmd|' /C calc'" ;;
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
	safe 'stream --json' json
	t --format csv stream -n 4 sched:sched_switch if "prev_pid == $task || next_pid == $task"
	safe 'stream --format csv' csv
	same "$(wc -l <"$TMP/out")" 5 'CSV: an event is a line'
	echo "prev_pid == $task || next_pid == $task" >"$D/events/sched/sched_switch/filter"
	echo 1 >"$D/events/sched/sched_switch/enable"
	true_that 'the buffer has some' await more_events_than 4
	echo 0 >"$D/tracing_on"
	t -i "$I" show
	expect 0 'show'
	safe show
	t -i "$I" --json show
	safe 'show --json' json
	t -i "$I" --format csv show
	safe 'show --format csv' csv
	t -i "$I" drain
	safe drain
	case $kind in
	invalid | formula) formats='text json csv' ;;
	*) formats=text ;;
	esac
	for format in $formats; do
		t --format "$format" ps
		safe "ps, $format" "$format"
	done
	t --complete pid add ''
	safe '--complete'
	t -i "$I" --restore pid --no-fork "$name"
	safe 'a message about it'
	t -i "$I" cat trace
	safe 'cat'
	reap
done
begin "a task's name that looks like a line of our own"
fresh
mkfifo "$TMP/never"
# The event of the renaming tells the name: what the kernel has saved may be the one before.
echo 1 >"$D/events/task/task_rename/enable"
# shellcheck disable=SC2016 # its own
sh -c 'printf %s "$1" >/proc/$$/comm; echo here >"$2"; read -r line <"$3"; echo "$line"' sh \
	"# cpu 1: 9$(printf '\001\001')lost" "$D/trace_marker" "$TMP/never" &
children="$children $!"
true_that 'it is there' await grep -q here "$D/trace"
t -i "$I" drain
prints '^ # cpu 1: 9.*los-[0-9]+ .*: here' 'is no such line: a blank stands before it'
same "$(grep '^#' "$TMP/out" | grep -c here)" 0 'nor does it begin with one'

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
safe 'drain --json' json
[ -z "$PYTHON" ] || true_that 'JSON has one event' "$PYTHON" -c '
import json, sys
rows = [row for row in map(json.loads, open(sys.argv[1])) if row["type"] == "event"]
assert len(rows) == 1, rows' "$TMP/out"

begin 'a filter with escapes, read back'
fresh
printf 'prev_comm == "%s[31m"' "$ESC" >"$D/events/sched/sched_switch/filter"
echo 1 >"$D/events/sched/sched_switch/enable"
printf 'traceoff if prev_comm == "%s[31m"' "$ESC" >"$D/events/sched/sched_switch/trigger"
for command in filter enable status 'status -a' 'info sched:sched_switch' 'cat events/sched/sched_switch/filter' \
	'cat events/sched/sched_switch/trigger' 'events --on' stats trigger 'trigger sched:sched_switch' doctor; do
	for format in text json csv; do
		# shellcheck disable=SC2086 # words
		t -i "$I" --format $format $command
		case $err in *'unknown command'*) break ;; esac
		safe "$command, $format" "$(shape "$format" "$command")"
	done
done
printf '!traceoff if prev_comm == "%s[31m"' "$ESC" >"$D/events/sched/sched_switch/trigger"
t -i "$I" -v --restore enable sched_switch
safe 'the note that it keeps its filter'
t -i "$I" -v -c 'filter sched_switch prev_pid == 1' -c undo
safe 'undo'
# Somebody else has changed it meanwhile.
t -i "$I" -c 'filter sched_switch prev_pid == 1' \
	-c 'cat tracing_on | cat >/dev/null; printf "prev_comm == \"\\033[31m\"" >'"$D/events/sched/sched_switch/filter" -c undo
safe 'a value that is not ours'
t -i "$I" filter sched_switch "prev_comm == ${ESC}[31m"
safe 'a refused one'

begin "an instance's name"
bad_instance=$(printf 'live-%s-\033[31m\342\200\256\n=x' $$)
mkdir "$TRACING/instances/$bad_instance"
for command in instance 'status -a' status 'instance use live-bad' 'instance delete live-bad' 'cat instances' stats doctor; do
	for format in text json csv; do
		# shellcheck disable=SC2086
		t --format $format $command
		case $err in *'unknown command'*) break ;; esac
		safe "$command, $format" "$(shape "$format" "$command")"
	done
done
for option in -i -I; do
	t $option "$bad_instance" status
	safe "$option"
	[ "$status" -ne 0 ] || fail "$case_name: such a name is refused"
done
t --complete instance use ''
safe '--complete'
unlike "$out" 'live' "$case_name: it is not offered"
rmdir "$TRACING/instances/$bad_instance"

# A program whose name and arguments are hostile, and what it prints.
begin 'run'
evil=$TMP/$(printf 'e\033[31mv')
printf '#!/bin/sh\nexit 0\n' >"$evil"
chmod +x "$evil"
for format in text json csv; do
	t --format $format run sched:sched_process_exec sched:sched_process_exit -- "$evil"
	expect 0 "run, $format"
	safe "run, $format" $format
done
t run sched:sched_process_exec -- "$evil-none"
safe 'a program that is not there'

# The path of a probe is what somebody gave it.
if [ -e "$TRACING/uprobe_events" ]; then
	begin "a probe's path"
	fresh
	library=$TMP/$(printf 'l\033]0;x\007ib')
	cp /bin/true "$library"
	if printf 'p:live%s/evil %s:0x1000 a=%%ip\n' $$ "$library" >>"$TRACING/uprobe_events" 2>/dev/null; then
		for command in 'cat uprobe_events' 'cat dynamic_events' "events live$$" "info live$$:evil" status; do
			# shellcheck disable=SC2086
			t $command
			safe "$command"
		done
		echo "-:live$$/evil" >>"$TRACING/uprobe_events"
	else
		skip "$case_name: all of it" 'the kernel takes no such path'
	fi
fi

finish
