#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# Two or more sessions on one file: whoever ends first, what each has asked for stays until it ends, and in the end
# everything is as it was before the first. 200 random schedules against a model, 100 as a sample; TRACESH_SESSIONS=1000 makes
# more, TRACESH_SEED=N the same ones again.
# time limit: 3600
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

lists=$((${TRACESH_SESSIONS:-200} / 10))
[ -z "${TRACESH_VM_SAMPLE-}" ] || lists=$((lists / 4))
seed=${TRACESH_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
# random HELPER COUNT [KINDS [TOP]]: what it makes leaves everything as it was
random()
{
	diag "COUNT=$2 TRACESH_SEED=$seed"
	true_that "$2 of them end as they should" env TRACESH_KINDS="${3-}" TRACESH_TOP="${4-}" python3 "$SRC/tests/helpers/$1" "$TRACESH" "$TRACING" "$2" "$seed"
	"$TRACESH" recover --all --forget -q 2>/dev/null
}

begin 'two sessions trace one task'
fresh
sleeper
sessions
tell_one "pid --no-fork tid:$sleeper"
tell_two "pid --no-fork add tid:$sleeper"
end_one
same "$status" 0 'the first one ends well'
says '^[0-9]+ settings? stays?: process [0-9]+ has set (it|them), too' 'and says what stays'
file_is set_event_pid "$sleeper" 'the second one still traces that task, and no other'
end_two
same "$status" 0 'the second one ends well'
file_is set_event_pid '' 'nobody is listed in the end'
nothing_left

begin 'two sessions enable one event'
fresh
sessions
tell_one 'enable sched:sched_process_exit if pid == 1'
tell_two 'enable sched:sched_process_exit if pid == 1'
kill -TERM "$one"
ended "$one"
exec 8>&-
file_is events/sched/sched_process_exit/enable 1 'it stays on for the second one'
file_is events/sched/sched_process_exit/filter 'pid == 1' 'with its filter'
end_two
file_is events/sched/sched_process_exit/enable 0 'it is off in the end'
file_is events/sched/sched_process_exit/filter none 'without a filter'
nothing_left

begin 'a session whose journal is cut'
fresh
mkdir -p -m 700 /run/tracesh
mount -t tmpfs -o size=64k,mode=700 tmpfs /run/tracesh
sessions
tell_one 'enable sched:sched_process_exit'
tell_two 'enable sched:sched_process_exit'
cat /dev/zero >/run/tracesh/filler 2>/dev/null
second_is ro
long=$(awk 'BEGIN { for (i = 0; i < 100; i++) printf "|| prev_pid == 1%03d ", i }')
n=0
until grep -q 'ends here' "$TMP/2.err" || [ $n -eq 30 ]; do
	n=$((n + 1))
	tell_two "filter sched:sched_switch prev_pid == $n $long"
done
true_that 'it is cut' grep -q 'ends here' "$TMP/2.err"
end_one
file_is events/sched/sched_process_exit/enable 1 'what it had set before that stays on for it'
rm /run/tracesh/filler
end_two
file_is events/sched/sched_process_exit/enable 0 'it is off in the end'
umount /run/tracesh /var/lib/tracesh

begin 'while /run is full'
fresh
mount -t tmpfs -o size=16k,mode=700 tmpfs /run/tracesh
second_is size=1m
cat /dev/zero >/run/tracesh/filler 2>/dev/null
made=live-$$-made
echo 64 >"$D/buffer_size_kb"
sessions
tell_one 'enable sched:sched_process_exit'
tell_two 'enable sched:sched_process_exit'
tell_one 'write buffer_size_kb 256'
tell_two 'write buffer_size_kb 512'
tell_one "instance create $made"
tell_two "instance use $made"
tell_two 'option sym-offset on'
end_one
file_is events/sched/sched_process_exit/enable 1 'what both have asked for stays on'
same "$(small .)" 512 'the last value stands'
true_that 'an instance that is in use stays' test -d "$TRACING/instances/$made"
end_two
file_is events/sched/sched_process_exit/enable 0 'it is off in the end'
same "$(small .)" 64 'the value is the first one'
false_that 'the instance goes' test -d "$TRACING/instances/$made"
same "$(ls /var/lib/tracesh)" '' 'no journal is left'
umount /run/tracesh /var/lib/tracesh

begin 'without /proc'
if grep -qs __asan_init "$TRACESH"; then
	skip "$case_name" 'the sanitizers need it'
else
	fresh
	mount -t tmpfs tmpfs /proc
	sessions
	tell_one 'enable sched:sched_process_exit'
	tell_two 'enable sched:sched_process_exit'
	exec 8>&-
	wait "$one"
	file_is events/sched/sched_process_exit/enable 1 'it stays on for the second one'
	exec 9>&-
	wait "$two"
	umount /proc
	file_is events/sched/sched_process_exit/enable 0 'it is off in the end'
fi

begin 'by two files that are one setting'
fresh
sessions
tell_one 'enable sched:sched_process_exit'
tell_two 'append set_event sched:sched_process_exit'
tell_one 'write options/sym-offset 1'
tell_two 'write trace_options sym-offset'
end_one
file_is set_event sched:sched_process_exit 'the event stays on for the second one'
file_is options/sym-offset 1 'as does the option'
end_two
file_is set_event '' 'the event is off in the end'
file_is options/sym-offset 0 'and the option'
sessions
tell_one 'append set_event sched:sched_process_exit'
tell_two 'enable sched:sched_process_exit'
tell_one 'write trace_options sym-offset'
tell_two 'write options/sym-offset 1'
kill -KILL "$one"
ended "$one"
exec 8>&-
true_that 'the guard of the first one ends' await grep -q inherit /run/tracesh/"$two"-*.journal
file_is set_event sched:sched_process_exit 'the other way round it stays, too'
file_is options/sym-offset 1 'as does the option'
end_two
file_is set_event '' 'the event is off in the end'
file_is options/sym-offset 0 'and the option'
nothing_left

begin 'what was handed over by the other file is seen'
fresh
sessions
tell_one 'enable sched:sched_process_exit'
tell_one 'disable sched:sched_process_exit'
tell_two 'append set_event !sched:sched_process_exit'
tell_one undo
end_one
end_two
file_is set_event '' 'the event is off, as before'
nothing_left

begin 'one session by two files that are one setting'
fresh
t --restore -i "$I" -c 'append set_event sched:sched_process_exit' -c 'disable sched:sched_process_exit'
expect 0 'on and off again'
file_is events/sched/sched_process_exit/enable 0 'the event is off, as before'
t --restore -i "$I" -c 'enable sched:sched_process_exit' -c 'append set_event !sched:sched_process_exit'
expect 0 'the other way round'
file_is events/sched/sched_process_exit/enable 0 'it is off, too'

t --restore -i "$I" -c 'enable sched:sched_process_exit' -c 'append set_event !sched:sched_process_exit' \
	-c 'append set_event sched:sched_process_exit' -c 'disable sched:sched_process_exit'
expect 0 'there and back by the other file in between'
file_is events/sched/sched_process_exit/enable 0 'it is off, too'

begin 'an event that the trigger of one has enabled, and another session asks for'
fresh
sessions
tell_one 'trigger sched:sched_process_exec enable_event:sched:sched_process_exit'
/bin/true
file_is events/sched/sched_process_exit/enable '1*' 'the trigger has fired'
tell_two 'enable sched:sched_process_exit'
end_one
file_is events/sched/sched_process_exit/enable 1 'it stays on for the second one'
end_two
file_is events/sched/sched_process_exit/enable 0 'it is off in the end'
nothing_left

begin 'the size of all CPUs, and of one'
fresh
if [ ! -d "$D/per_cpu/cpu1" ]; then
	skip "$case_name" 'there is one CPU'
else
	echo 64 >"$D/buffer_size_kb"
	before=$(sizes)
	sessions
	tell_one 'write buffer_size_kb 256'
	tell_two 'write per_cpu/cpu1/buffer_size_kb 512'
	end_one
	same "$(sizes)" "$(small per_cpu/cpu0) 512" 'what one CPU was given stays, the others go back'
	same "$(small per_cpu/cpu0)" "${before%% *}" 'to what they had'
	end_two
	same "$(sizes)" "$before" 'in the end so does that one'
	sessions
	tell_one 'write per_cpu/cpu1/buffer_size_kb 512'
	tell_two 'write buffer_size_kb 256'
	kill -KILL "$one"
	ended "$one"
	exec 8>&-
	true_that 'the guard of the first one ends' await grep -q inherit /run/tracesh/"$two"-*.journal
	same "$(small .)" 256 'the other way round, what all were given stays'
	end_two
	same "$(sizes)" "$before" 'and in the end each is what it was'
	nothing_left
fi

begin 'a value upon a value'
fresh
before=$(cat "$D/tracing_cpumask")
sessions
tell_one 'write tracing_cpumask 1'
tell_two 'write tracing_cpumask 2'
tell_one 'write tracing_cpumask 3'
end_two
same "$(($(tr -d , <"$D/tracing_cpumask")))" 3 'the last one stands'
end_one
file_is tracing_cpumask "$before" 'in the end it is what it was'
nothing_left

begin 'who keeps the size of one CPU cannot list them'
if preload fail-nth; then
	fresh
	echo 128 >"$D/buffer_size_kb"
	sessions LD_PRELOAD="$PRELOAD" FAIL_NTH=1 FAIL_TIMES=99 FAIL_WITH=EBUSY FAIL_CALL=openat2 FAIL_PATH=per_cpu
	tell_two 'buffer 256K'
	tell_one 'write per_cpu/cpu0/buffer_size_kb 256'
	tell_one keep
	end_one
	end_two
	same "$(small per_cpu/cpu0)" 128 'the size of all goes back as a whole'
	nothing_left
fi

begin 'a command that keeps'
fresh
sessions
tell_one 'enable sched:sched_process_exit'
tell_one 'append events/task/task_newtask/trigger stacktrace'
t -i "$I" -c 'enable sched:sched_process_exit' -c 'append events/task/task_newtask/trigger stacktrace'
expect 0 'asks for what is set already'
end_one
same "$status" 0 'the session ends well'
file_is events/sched/sched_process_exit/enable 1 'and takes nothing away from it'
true_that 'nor the trigger' grep -q '^stacktrace' "$D/events/task/task_newtask/trigger"
echo '!stacktrace' >"$D/events/task/task_newtask/trigger"
end_two
nothing_left

begin 'what a command has kept is not said to go'
fresh
quiet_tasks
sessions
tell_one 'clock mono'
tell_one 'append set_event sched:sched_process_exit'
tell_one "append set_event_pid $quiet_task"
tell_one 'append events/task/task_newtask/trigger stacktrace'
t -i "$I" -c 'clock mono' -c 'enable sched:sched_process_exit' -c "append set_event_pid $quiet_task" \
	-c 'append events/task/task_newtask/trigger stacktrace'
expect 0 'a command that keeps four settings'
tell_one 'undo 4'
tell_one 'filter sched:sched_process_exit pid == 1'
tell_one undo
end_one
says '^4 settings stay: another session has kept them, too' 'they stay, which is said'
true_that 'that they go is not' test "$(grep -c 'taken back' "$TMP/1.err")" -eq 1
says '^1 setting taken back: filter' 'what was not kept goes'
same "$(cat "$D/events/sched/sched_process_exit/enable" "$D/set_event_pid" | tr '\n' ' ')" "1 $quiet_task " 'they are there'
true_that 'the trigger, too' grep -q '^stacktrace' "$D/events/task/task_newtask/trigger"
echo '!stacktrace' >"$D/events/task/task_newtask/trigger"
echo >"$D/set_event_pid"
echo 0 >"$D/events/enable"
end_two
nothing_left

begin 'a command that keeps something else'
fresh
sessions
tell_one 'enable sched:sched_process_exit'
tell_one 'append set_event signal'
t -c "probe /bin/sh:0x1000"
t -i "$I" -c 'append set_event task:task_newtask'
expect 0 'a line of a list'
t -i "$I" -c 'enable signal:signal_deliver'
expect 0 'an event of a system that was asked for by its name'
end_one
same "$(sort "$D/set_event" | tr '\n' ' ')" 'signal:signal_deliver task:task_newtask ' 'what was kept stays, and no more'
end_two
echo >"$D/set_event"
if [ -d "$D/per_cpu/cpu1" ]; then
	echo 64 >"$D/buffer_size_kb"
	sessions
	tell_one 'write buffer_size_kb 512'
	t -i "$I" -c 'write per_cpu/cpu1/buffer_size_kb 512'
	end_one
	same "$(sizes)" '64 512' 'of the sizes that of the CPU that was asked for'
	end_two
fi
nothing_left

begin 'a session that is recovered beside one that lives'
fresh
sessions
tell_one 'enable sched:sched_process_exit'
pkill -KILL -x -P "$one" trsh-guard
kill -KILL "$one"
ended "$one"
exec 8>&-
tell_two 'enable sched:sched_process_exit'
t recover
expect 0 'recover'
file_is events/sched/sched_process_exit/enable 1 'takes nothing from the one that lives'
end_two
file_is events/sched/sched_process_exit/enable 0 'it is off in the end'
nothing_left

begin 'a listed task that has ended'
fresh
sleeper
sessions
tell_one "pid --no-fork tid:$sleeper"
sleep 3000 &
brief=$!
tell_two "pid --no-fork add tid:$brief"
kill "$brief"
wait "$brief" 2>/dev/null
end_one
false_that 'the list is not emptied under who listed it, which would let all tasks through' test -z "$(cat "$D/set_event_pid")"
end_two
file_is set_event_pid '' 'it is in the end'
nothing_left

begin 'a list that another session has replaced for a while'
fresh
quiet_tasks
sessions
tell_one "append set_event_pid $quiet_task"
tell_one "append set_event_pid $other_quiet_task"
tell_two "write set_event_pid $quiet_task"
tell_one "pid del tid:$quiet_task"
end_two
file_is set_event_pid "$other_quiet_task" 'the task that it took out is listed again'
end_one
same "$status" 0 'what the first one has set is its own'
file_is set_event_pid '' 'and goes'
nothing_left

begin 'a list that two sessions have emptied'
fresh
quiet_tasks
echo 1 >"$D/set_event_pid"
sessions
tell_one "pid --no-fork tid:$quiet_task"
tell_two 'pid clear'
end_one
same "$status" 0 'the first one ends well'
file_is set_event_pid '' 'all tasks are traced for who has cleared it last'
end_two
file_is set_event_pid 1 'what was listed before both is listed in the end'
sessions
tell_one 'pid clear'
tell_two 'pid clear'
end_one
file_is set_event_pid '' 'also where it was empty by then'
end_two
file_is set_event_pid 1 'and is listed in the end'
sessions
tell_one 'pid clear'
t -i "$I" -c 'pid clear'
expect 0 'a command that keeps it'
end_one
file_is set_event_pid '' 'it stays empty'
echo 1 >"$D/set_event_pid"
tell_two 'pid clear'
tell_two "pid --no-fork add tid:$quiet_task"
end_two
file_is set_event_pid 1 'one that was filled again goes back as well'
nothing_left

begin 'a list that another session has replaced for good'
fresh
quiet_tasks
echo 1 >"$D/set_event_pid"
sessions
tell_one "pid --no-fork tid:$quiet_task"
tell_two "pid --no-fork tid:$other_quiet_task"
end_one
file_is set_event_pid "$other_quiet_task" 'nobody comes back beside the task it has listed'
end_two
file_is set_event_pid 1 'what was listed before both is listed in the end'
sessions
tell_one "pid --no-fork tid:$quiet_task"
tell_two "pid --no-fork tid:$quiet_task"
end_one
file_is set_event_pid "$quiet_task" 'nor where both have listed the same one'
end_two
file_is set_event_pid 1 'in the end it is as before'
nothing_left
sessions
tell_one "pid --no-fork tid:$quiet_task"
t -i "$I" -c "pid --no-fork tid:$other_quiet_task"
expect 0 'a command that keeps it'
end_one
file_is set_event_pid "$other_quiet_task" 'nor beside one that is kept'
end_two
t recover --all --forget

begin 'an instance that another session has settings in'
fresh
made=live-$$-made
sessions
tell_one "instance create $made"
tell_two "instance use $made"
tell_two 'option sym-offset on'
tell_two 'marker of the other one'
end_one
true_that 'its events stay' grep -q 'of the other one' "$TRACING/instances/$made/trace"
true_that 'stays' test -d "$TRACING/instances/$made"
same "$(cat "$TRACING/instances/$made/options/sym-offset")" 1 'with what is set in it'
unlike "$err" 'unread event' "$case_name: none is taken away"
end_two
false_that 'goes when that session ends' test -d "$TRACING/instances/$made"
nothing_left

begin 'an instance that was handed over'
fresh
made=live-$$-made
sessions
tell_one "instance create $made"
tell_two "instance use $made"
tell_two 'option sym-offset on'
tell_two 'option sym-addr on'
end_one
lines2=$((lines2 + 3))
tell_two journal
like "$(tail -n 4 "$TMP/2")" "1 +\\(instance '$made', handed over by another session; goes with this one\\)" 'journal shows it at once'
tell_two undo
true_that 'stays when one command is taken back' test -d "$TRACING/instances/$made"
same "$(cat "$TRACING/instances/$made/options/sym-addr")" 0 'which is taken back'
same "$(cat "$TRACING/instances/$made/options/sym-offset")" 1 'and nothing else is'
tell_two undo
true_that 'stays when all commands are taken back' test -d "$TRACING/instances/$made"
lines2=$((lines2 + 1))
tell_two journal
like "$(tail -n 2 "$TMP/2")" "1 +\(instance '$made', handed over by another session; goes with this one\)" \
	'journal shows it'
tell_two 'option sym-addr on'
tell_two restore
false_that 'goes when everything is taken back' test -d "$TRACING/instances/$made"
end_two
nothing_left

begin 'an instance in which another session has kept what it has set'
fresh
made=live-$$-made
sessions
tell_one "instance create $made"
tell_two "instance use $made"
tell_two 'enable sched:sched_process_exec'
tell_two keep
end_one
same "$status" 0 'who has made it ends well'
says "^instance '$made' stays: another session has kept what it has set there" 'and says that it stays'
same "$(cat "$TRACING/instances/$made/events/sched/sched_process_exec/enable")" 1 'with what was kept'
end_two
nothing_left
rmdir "$TRACING/instances/$made"
sessions
tell_one "instance create $made"
tell_two "instance use $made"
tell_two 'option sym-offset on'
tell_two keep
tell_two 'instance use top'
tell_two 'set confirm off'
tell_two "instance delete $made"
end_one
says "^instance '$made' is gone" 'one that was deleted since is not said to stay'
end_two
nothing_left
sessions
tell_one "instance create $made"
tell_one 'option sym-offset on'
t -i "$made" -c 'filter sched:sched_process_exec pid == 1'
expect 0 'a command that keeps'
kill -KILL "$one"
ended "$one"
exec 8>&-
end_two
t recover
same "$(cat "$TRACING/instances/$made/events/sched/sched_process_exec/filter")" 'pid == 1' 'its setting stays, too'
same "$(cat "$TRACING/instances/$made/options/sym-offset")" 0 'and what the first one has set goes'
nothing_left
rmdir "$TRACING/instances/$made"

begin 'an instance that somebody without a journal uses'
fresh
made=live-$$-made
for file in events/sched/sched_process_exec/enable set_event_pid; do
	sessions
	tell_one "instance create $made"
	tell_one 'enable sched:sched_switch'
	echo 1 >"$TRACING/instances/$made/$file"
	end_one
	says "^instance '$made': in use, not removed: somebody has set events, tasks or a tracer in it" "$file: it is left"
	same "$(cat "$TRACING/instances/$made/$file" "$TRACING/instances/$made/events/sched/sched_switch/enable" | tr '\n' ' ')" '1 0 ' \
		'with what they have set, and no more'
	echo 0 >"$TRACING/instances/$made/events/enable"
	echo >"$TRACING/instances/$made/set_event_pid"
	t recover
	false_that 'recover removes it when they are done' test -d "$TRACING/instances/$made"
	end_two
	nothing_left
done
echo 0 >"$D/events/enable"

guard_of() { pgrep -x -P "$1" trsh-guard; }

# cut_off FILE FIRST BETWEEN LAST: the first of two has set FILE to FIRST and, after the second had set BETWEEN, to LAST; it is
# killed as soon as it has written BETWEEN back, its guard as well, and the second one ends before anybody goes on
cut_off()
{
	fresh
	was=$(cat "$D/$1")
	# as it reads, which is what is written back
	echo "$3" >"$D/$1"
	between=$(sed 's/.*\[\(.*\)\].*/\1/' "$D/$1")
	echo "$was" | sed 's/.*\[\(.*\)\].*/\1/' >"$D/$1"
	sessions "LD_PRELOAD=$PRELOAD" "RAISE_AFTER=$between"
	tell_one "write $1 $2"
	tell_two "write $1 $between"
	tell_one "write $1 $4"
	kill -KILL "$(guard_of "$one")"
	end_one
	same "$status" 137 'the first one is killed'
	end_two
	t status
	says 'has left 2 settings' 'who comes is told of it'
	t recover
	expect 0 'recover'
	same "$(cat "$D/$1")" "$was" 'it reads what it did before both'
	nothing_left
}

# cut_short TEXT FIRST SECOND: the second session sets FIRST, the first one SECOND, and is killed in the middle of taking that
# back, right after it has written TEXT; the second one ends before the guard of the first one goes on. set_event reads then
# what it did before both
cut_short()
{
	was=$(cat "$D/set_event")
	sessions "LD_PRELOAD=$PRELOAD" "RAISE_AFTER=$1"
	tell_two "append set_event $2"
	tell_one "append set_event $3"
	guard=$(guard_of "$one")
	kill -STOP "$guard"
	true_that 'its guard stands' await grep -q '^State:.T' "/proc/$guard/status"
	end_one
	same "$status" 137 'the first one is killed'
	end_two
	kill -CONT "$guard"
	true_that 'its guard ends' await gone "$guard"
	same "$(cat "$D/set_event")" "$was" 'the list is what it was'
	nothing_left
}

if preload raise-at; then
	begin 'killed in the middle of taking back: two lines that another session has brought'
	fresh
	cut_short signal:signal_deliver signal '!signal'
	begin 'killed in the middle of taking back: two lines that another session has taken out'
	fresh
	echo signal >"$D/set_event"
	cut_short '!signal:signal_generate' '!signal' signal
fi

begin 'what is left is said once'
if preload raise-at; then
	fresh
	# the record that its second write is taken back, with its checksum
	sessions "LD_PRELOAD=$PRELOAD" "RAISE_AFTER=33a11def	gone	2" RAISE_STOP=yes
	tell_two 'option sym-addr on'
	tell_one 'write options/sym-addr 1'
	tell_one 'option sym-offset on'
	tell_one 'write buffer_percent 31'
	echo 32 >"$D/buffer_percent"
	exec 8>&-
	true_that 'it stands in the middle of taking back' await grep -q '^State:.T' "/proc/$one/status"
	end_two
	kill -CONT "$one"
	end_one
	same "$(grep -c 'buffer_percent: changed by somebody else' "$TMP/1.err")" 1 'when something is handed over in between'
	file_is options/sym-addr 0 'which is taken back, too'
	t recover --forget
	echo 50 >"$D/buffer_percent"
fi

if preload raise-at; then
	begin 'killed in the middle of taking back: a clock'
	cut_off trace_clock global mono boot
	begin 'killed in the middle of taking back: there and back'
	cut_off trace_clock global mono local
	begin 'killed in the middle of taking back: a size'
	cut_off buffer_size_kb 300 400 500
	begin 'killed in the middle of taking back: the size of a CPU'
	cut_off per_cpu/cpu0/buffer_size_kb 300 400 500
fi

begin 'killed in the middle of taking back: what went on and off, and a trigger'
if preload cut-at; then
	left=0
	for moment in 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		fresh
		rm -f "$TMP/cut"
		sessions "LD_PRELOAD=$PRELOAD" "CUT_AT=$TMP/cut"
		tell_one 'enable sched:sched_process_exit'
		tell_one 'append set_event signal:signal_generate'
		tell_one 'disable sched:sched_process_exit'
		tell_one 'append events/task/task_newtask/trigger stacktrace'
		kill -KILL "$(guard_of "$one")"
		echo $moment >"$TMP/cut"
		end_one
		end_two
		t -q recover
		[ -z "$(cat "$D/set_event")" ] || left=$((left + 1))
	done
	same "$left" 0 'no event stays on, at whichever moment'
	nothing_left
fi

begin 'killed in the middle of taking back: there and back, of which a part was given away'
if preload cut-at; then
	left=0 cut=0
	for moment in 4 5 6 7 8 9 10; do
		fresh
		rm -f "$TMP/cut"
		sessions "LD_PRELOAD=$PRELOAD" "CUT_AT=$TMP/cut"
		tell_one 'write buffer_percent 31'
		# stands between, and has ended when the first one is recovered
		"$TRACESH" -i "$I" --restore -c 'write buffer_percent 31' -c 'wait 600s' 8>&- 9>&- &
		third=$!
		children="$children $third"
		await sh -c 'grep -qs done /run/tracesh/"$1"-*' sh "$third"
		tell_one 'write buffer_percent 50'
		tell_two 'write buffer_percent 50'
		tell_one 'write buffer_percent 31'
		kill -KILL "$(guard_of "$one")"
		echo $moment >"$TMP/cut"
		end_one
		[ "$status" -ne 137 ] || cut=$((cut + 1))
		kill -TERM "$third"
		ended "$third"
		t -q recover
		end_two
		t -q recover
		[ "$(cat "$D/buffer_percent")" = 50 ] || left=$((left + 1))
	done
	true_that 'it is killed at most of them' test "$cut" -ge 4
	same "$left" 0 'it reads what it did before all of them, at whichever moment'
	nothing_left
fi

begin 'random schedules'
if command -v python3 >/dev/null; then
	random sessions.py "${TRACESH_SESSIONS:-200}"
	# one that has failed: a value that was set back to what it was before, and kept
	true_that 'schedule 54 of a fixed seed' env TRACESH_KINDS= TRACESH_TOP= python3 "$SRC/tests/helpers/sessions.py" "$TRACESH" "$TRACING" \
		200 16078344 54
	begin 'random schedules, some killed in the middle of taking back'
	! preload cut-at || TRACESH_CUT="${PRELOAD##* }" TRACESH_CUT_FIRST="${PRELOAD% *}" random sessions.py "${TRACESH_SESSIONS:-25}"
	# two of those that have failed, each by a size that was rounded to sub-buffers of ours or of somebody else
	for schedule in 2 56; do
		! preload cut-at || true_that "schedule $schedule of a fixed seed" env TRACESH_CUT="${PRELOAD##* }" \
			TRACESH_CUT_FIRST="${PRELOAD% *}" python3 "$SRC/tests/helpers/sessions.py" "$TRACESH" "$TRACING" 60 4210136 "$schedule"
	done
	# and by one that the kernel had rounded as it went back, before that was recorded
	! preload cut-at || true_that "schedule 111 of a fixed seed" env TRACESH_KINDS="sub buffer cpu" TRACESH_CUT="${PRELOAD##* }" \
		TRACESH_CUT_FIRST="${PRELOAD% *}" python3 "$SRC/tests/helpers/sessions.py" "$TRACESH" "$TRACING" 300 990101 111
	# and by what one that was killed had put back, before that was recorded: a line, and what a trigger switches
	for schedule in 24 796; do
		! preload cut-at || true_that "schedule $schedule of 1500" env TRACESH_KINDS= TRACESH_CUT="${PRELOAD##* }" \
			TRACESH_CUT_FIRST="${PRELOAD% *}" python3 "$SRC/tests/helpers/sessions.py" "$TRACESH" "$TRACING" 1500 480003 "$schedule"
	done
	# and by what it had given to another one, before its journal said so
	! preload cut-at || true_that 'schedule 1900 of 2000' env TRACESH_KINDS= TRACESH_CUT="${PRELOAD##* }" \
		TRACESH_CUT_FIRST="${PRELOAD% *}" python3 "$SRC/tests/helpers/sessions.py" "$TRACESH" "$TRACING" 2000 490001 1900
	begin 'storms: all at once, killed at any moment'
	random storm.py "${TRACESH_STORMS:-20}"
else
	skip "$case_name" 'no python3'
fi

begin 'lists of functions: random schedules'
# needs functions
if ! cat "$TRACING/set_ftrace_filter" >/dev/null 2>&1; then
	skip "$case_name" 'this kernel has no such list, or it may not be read'
elif command -v python3 >/dev/null; then
	random sessions.py "$lists" 'functions commands exclude'
else
	skip "$case_name" 'no python3'
fi

begin 'those of the top instance: random schedules'
# needs functions top
# long in a guest
if [ ! -e /run/vm/main ] || ! command -v python3 >/dev/null; then
	skip "$case_name" 'not in a guest, or no python3'
else
	size=$(cat "$TRACING/buffer_size_kb")
	random sessions.py "$lists" 'functions exclude graph nograph' yes
	echo "${size%% *}" >"$TRACING/buffer_size_kb"
fi

finish
