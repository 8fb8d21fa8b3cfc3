#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which tasks are traced.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# A task of the test's own, called tsh-NAME-PID, with its pid in $task. It ends by itself.
task()
{
	cat >"$TMP/task.sh" <<'END'
printf %s "$1" >/proc/$$/comm
i=0
while [ $i -lt 3000 ]; do
	i=$((i + 1))
	sleep 0.02
done
END
	sh "$TMP/task.sh" "$1" &
	task=$!
	children="$children $task"
	await grep -qx "$1" "/proc/$task/comm"
}

# The same without children: a new child has its parent's name until it runs a program of its own.
childless_task()
{
	[ -p "$TMP/never" ] || mkfifo "$TMP/never"
	# shellcheck disable=SC2016 # its own
	sh -c 'printf %s "$1" >/proc/$$/comm; read -r line <"$2"; echo "$line"' sh "$1" "$TMP/never" &
	task=$!
	children="$children $task"
	await grep -qx "$1" "/proc/$task/comm"
}

listed()
{
	tr ' ' '\n' <"$D/set_event_pid" | grep -qx "$1"
}

begin 'set, show, clear'
fresh
task tsh-a-$$
t -i "$I" pid "$task"
expect 0 'set'
true_that 'the kernel has it' listed "$task"
file_is options/event-fork 1 'children to come are followed'
t -i "$I" pid
prints "(^|[^0-9])$task([^0-9]|\$)" 'is shown'
t -i "$I" pid clear
expect 0 'clear'
file_is set_event_pid '' 'the list is empty'
file_is options/event-fork 0 'children are not followed any more'
echo 1 >"$D/events/sched/sched_switch/enable"
true_that 'and events come' await more_events_than 0

begin 'the events are those of the task'
fresh
task tsh-b-$$
t -i "$I" -c "pid tid:$task" -c 'enable raw_syscalls:sys_enter'
expect 0 'set'
true_that 'there are some' await more_events_than 5
echo 0 >"$D/tracing_on"
grep -v '^#' "$D/trace" | grep -vE -- "-$task +\[" | head -n 5 >"$TMP/others"
# Children that were born meanwhile are followed.
grep -vE '(sh|sleep|tsh-b-[0-9]*|<\.\.\.>)-[0-9]+ +\[' "$TMP/others" >"$TMP/strangers"
same "$(cat "$TMP/strangers")" '' 'and nobody else is among them'

begin 'children and --no-fork'
fresh
sh -c 'sleep 60 & sleep 61 & wait' &
parent=$!
children="$children $parent"
true_that 'a task with two children' await sh -c "[ \$(grep -lx 'PPid:.$parent' /proc/[0-9]*/status 2>/dev/null | wc -l) -eq 2 ]"
kids=$(grep -lx "PPid:	$parent" /proc/[0-9]*/status 2>/dev/null | tr -dc '0-9\n')
t -i "$I" pid "$parent"
for kid in $kids; do
	true_that 'a child is listed' listed "$kid"
	children="$children $kid"
done
t -i "$I" pid --no-fork "$parent"
expect 0 '--no-fork'
file_is set_event_pid "$parent" 'the process alone'
file_is options/event-fork 0 'and none to come'
# shellcheck disable=SC2086
kill $kids 2>/dev/null

begin 'threads'
if [ -n "$PYTHON" ]; then
	fresh
	start "$TMP/threads" "$PYTHON" -c '
import threading, time, sys
for i in range(3):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print("ready", flush=True)
time.sleep(60)'
	true_that 'a process with four threads' await grep -q ready "$TMP/threads"
	t -i "$I" pid "$child"
	same "$(sort -n "$D/set_event_pid" | tr '\n' ' ')" "$(ls "/proc/$child/task" | sort -n | tr '\n' ' ')" \
		'all are listed'
	t -i "$I" pid "tid:$child"
	file_is set_event_pid "$child" 'tid:N is one of them'
else
	skip "$case_name" 'no python3'
fi

# /proc/TID/stat adds up what all threads have used: to look at each so takes the square of their number.
begin 'a process with many threads'
if [ -z "$PYTHON" ]; then
	skip "$case_name" 'no python3'
elif preload log-opens; then
	fresh
	start "$TMP/threads" "$PYTHON" -c '
import threading, time
threading.stack_size(65536)
for i in range(2000):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print("ready", flush=True)
time.sleep(600)'
	true_that 'a process with 2,001 threads' await grep -q ready "$TMP/threads"
	threads=$child
	for action in '' add not; do
		rm -f "$TMP/opens"
		run env LD_PRELOAD="$PRELOAD" OPENS_LOG="$TMP/opens" "$TRACESH" -i "$I" -c "pid $action $threads" -c undo
		expect 0 "pid $action, and undo"
		opens=$(grep -cE '/(stat|status)$' "$TMP/opens")
		true_that 'each of them is looked at' [ "$opens" -ge 2001 ]
		# stat and status, for the lists of the events and of the function tracers
		true_that 'and not often' [ "$opens" -le $((2 * 2 * 2001 + 1000)) ]
		same "$(grep -vE '^/proc/(self|[0-9]+/task/[0-9]+)/' "$TMP/opens" | grep '/stat$')" '' \
			'and by itself'
	done
	file_is set_event_pid '' 'nothing is left'
	kill "$threads"
	ended "$threads"
fi

begin 'names'
fresh
childless_task tsh-n-$$
t -i "$I" pid --no-fork "tsh-n-$$"
expect 0 'a name'
file_is set_event_pid "$task" 'is found'
t -i "$I" pid "tsh-nn-$$"
expect 1 'one that nobody has is refused'
says "did you mean 'tsh-n-$$'" 'with the nearest'
file_is set_event_pid "$task" 'and the list stays'

begin 'a pid that does not exist'
fresh
t -i "$I" pid 4194303
expect 1 'is refused'
says "no task '4194303'" 'and named'
t -i "$I" pid tid:4194303
expect 1 'as a thread too'
t -i "$I" pid -- -1
false_that 'nor a negative one' test "$status" -eq 0
file_is set_event_pid '' 'nothing was written'
file_is options/event-fork 0 'nor the option'

begin 'a list that replaces another one'
fresh
echo 1 >"$D/set_event_pid"
t -i "$I" -c "pid --no-fork tid:$$" -c "pid --no-fork tid:$$ tid:1" -c undo
says "^the list of tasks in 'set_event_pid' was replaced: 1\$" 'says which tasks'
same "$(printf '%s\n' "$err" | grep -c 'was replaced')" 1 "$case_name: and nothing where they all stay"
t -i "$I" -c "pid --no-fork add tid:$$" -c undo
unlike "$err" 'was replaced' "$case_name: nor where one is added"

begin 'tasks that are left out, and are to be traced'
fresh
for command in pid 'pid add'; do
	printf '1\n2\n' >"$D/set_event_notrace_pid"
	t -i "$I" -c "pid --no-fork tid:$$" -c "$command --no-fork tid:1" -c undo -c redo
	same "$(printf '%s\n' "$err" | grep -cx "these tasks are no longer left out, because 'set_event_notrace_pid' was changed: 1")" 2 "$command: are named, by redo too"
	file_is set_event_notrace_pid 2 "$command: they are gone from that list"
	t -i "$I" pid clear
done

begin 'without /proc'
fresh
# The sanitizers need it when the program starts.
for command in 'pid 1' 'pid tid:1' 'pid sh' 'ps' 'stream -n 1 --pid 1 sched:sched_switch' \
	'stacks --user --for 1ms sched:sched_switch' 'probe /bin/sh:main'; do
	run env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" unshare -m "$TRACESH" -i "$I" --keep-going \
		-c 'cat tracing_cpumask | mount -t tmpfs tmpfs /proc' -c "$command"
	expect 3 "$command"
	says '/proc is not mounted: nothing can be read of tasks' 'says so'
	says '^hint: mount -t proc proc /proc' 'and what to type'
done

begin 'a name that no task has'
t -c 'pid nosuchproc-at-all'
expect 1 'pid'
says "no task is called 'nosuchproc-at-all'" 'is named'
says "^hint: ps '\*nosuchproc-at-all\*' searches inside the names" 'with what to type'

begin 'add and del'
fresh
task tsh-x-$$
x=$task
task tsh-y-$$
y=$task
t -i "$I" -c "pid --no-fork $x" -c "pid add --no-fork $y"
expect 0 'add'
same "$(sort -n "$D/set_event_pid" | tr '\n' ' ')" "$(printf '%s\n' "$x" "$y" | sort -n | tr '\n' ' ')" 'both are listed'
says '^1 task more traced' 'says how many are new'
t -i "$I" pid add --no-fork "$x" "$y"
says '^0 tasks more traced' 'of those that are listed none is'
if [ -e "$D/set_event_notrace_pid" ]; then
	t -i "$I" pid del --no-fork "$x"
	expect 0 'del'
	says '^1 task less traced' 'says how many'
	file_is set_event_pid "$y" 'takes out what add has put in'
	file_is set_event_notrace_pid '' 'and leaves the other list alone'
	t -i "$I" pid del --no-fork "$x"
	expect 1 'what is not listed cannot be taken out'
	says "'$x' is not in the lists" 'which is said'
	file_is set_event_pid "$y" 'and the list stays'
	t -i "$I" pid del --no-fork "$y"
	says 'all tasks are traced' 'after the last one all are traced'
	t -i "$I" pid
	prints "^tasks: +all\$" "as pid says"
	t -i "$I" pid add --no-fork "$x"
	says '1 task traced .*and no other' 'add to an empty list leaves the others out, and says so'
	t -i "$I" pid clear
	t -i "$I" pid not --no-fork "$x"
	expect 0 'not'
	file_is set_event_notrace_pid "$x" 'is the other list'
	file_is set_event_pid '' 'all the others are traced'
	t -i "$I" pid del --no-fork "$x"
	file_is set_event_notrace_pid '' 'del takes it off there too'
	t -i "$I" -c "pid not --no-fork $x" -c "pid add --no-fork $x"
	file_is set_event_notrace_pid '' 'and so does add'
	t -i "$I" -c "pid not $y" -c 'pid clear'
	file_is set_event_pid '' 'clear empties the one'
	file_is set_event_notrace_pid '' 'and the other'
else
	skip "$case_name: del" 'this kernel has no set_event_notrace_pid'
fi

begin 'a list that changes lets nobody through'
fresh
childless_task tsh-v-$$
x=$task
childless_task tsh-w-$$
y=$task
start "$TMP/busy" dd if=/dev/zero of=/dev/null bs=1 count=100000000
t -i "$I" -c "pid --no-fork $x" -c 'enable raw_syscalls:sys_enter'
for i in 1 2 3 4 5; do
	t -i "$I" -c "pid --no-fork $y" -c "pid add --no-fork $x" -c "pid del --no-fork $y"
	[ "$status" -eq 0 ] || fail "$case_name: change $i: status $status"
done
file_is set_event_pid "$x" 'the list is as wanted'
same "$(grep -vc '^#' "$D/trace")" 0 'no other task came through meanwhile'
file_is tracing_on 1 'and recording goes on'
t -i "$I" -c off -c "pid --no-fork $y"
file_is tracing_on 0 'or stays off'

begin 'undo'
fresh
task tsh-u-$$
echo 1 >"$D/events/sched/sched_switch/enable"
t -i "$I" -c "pid $task" -c undo
says "^ *tasks traced: .*$task.* -> all" 'says which tasks were traced'
expect 0 'succeeds'
file_is set_event_pid '' 'the list is empty'
file_is options/event-fork 0 'the option is back'
count=$(count_events "$D")
true_that 'and events of others come' await more_events_than $((count + 50))

begin 'what undo says of a list'
fresh
childless_task tsh-words-$$
first=$task
childless_task tsh-other-$$
second=$task
t -i "$I" -c "pid --no-fork tid:$first" -c "pid --no-fork add tid:$second" -c undo
says "^ *tasks traced: $first $second -> $first in '$I'" 'of one that was added to: all of it, before and after'
t -i "$I" -c "pid --no-fork add tid:$second" -c "pid --no-fork del tid:$first" -c undo
says "^ *tasks traced: $second -> $first $second in '$I'" 'of one that was taken out of'

begin 'a list that the kernel has emptied, in the top-level instance'
# needs top
sleeper
victim=$sleeper
t --restore -c "pid $victim" -c "cat set_event_pid | cat >'$TMP/during'; kill $victim; while grep -q '[0-9]' $TRACING/set_event_pid; do sleep 0.02; done"
expect 0 'the task exits while it is the only one'
same "$(cat "$TMP/during")" "$victim" 'it was listed'

begin 'a task that has gone'
fresh
sleeper
victim=$sleeper
cat >"$TMP/kill" <<KILL
kill $victim
while grep -qs '^State:.[^ZX]' /proc/$victim/status; do sleep 0.01; done
cat >/dev/null
KILL
t -i "$I" -c "pid --no-fork $victim" -c "cat set_event_pid | sh $TMP/kill" -c 'stream --for 10ms'
expect 0 'a stream goes on'
says 'none of the traced tasks is alive' 'and says why nothing comes'

begin 'the function tracers have a list of their own'
fresh
if [ -e "$D/set_ftrace_pid" ] && cat "$D/set_ftrace_pid" >/dev/null 2>&1; then
	t -i "$I" pid --no-fork $$
	file_is set_ftrace_pid $$ 'it is set too'
	t -i "$I" pid clear
	file_is set_ftrace_pid 'no pid' 'and cleared'
else
	t -i "$I" pid --no-fork $$
	expect 0 'one that may not be written does not matter'
	file_is set_event_pid $$ 'events have theirs'
fi

begin 'children that come while a list is taken back'
fresh
for i in 1 2 3 4 5 6; do
	t -i "$I" --restore -c 'pid 1' -c 'pid add 1' -c 'pid clear' -c 'pid 1' -c 'wait 50ms' -c 'pid add 1'
	[ "$status" -eq 0 ] || fail "round $i ends with status $status"
	[ -z "$(cat "$D/set_event_pid")" ] || fail "round $i leaves $(tr '\n' ' ' <"$D/set_event_pid")"
done
file_is set_event_pid '' 'none stays'

finish
