#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# long in a guest
# in a guest of its own
# time limit: 900
# doctor: each reason why nothing arrives, found where it is, and gone when its fix is typed.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

tab=$(printf '\t')

# doctor [COMMAND..]: of the case's instance, as rows "CHECK<TAB>FIX" in $rows
doctor()
{
	t -i "$I" --format csv doctor
	rows=$(printf '%s\n' "$out" | sed -n "s/^\([a-z-]*\),\(\"[^\"]*\"\|[^,]*\),.*/\1$tab\2/p" | sed "1d; s/$tab\"\(.*\)\"\$/$tab\1/")
}

# finds CHECK [FIX]: it is found, with that to type, and the status says so
finds()
{
	doctor
	like "$rows" "^$1$tab" "$case_name: finds $1"
	[ -z "${2-}" ] || same "$(printf '%s\n' "$rows" | sed -n "s/^$1$tab//p" | head -n 1)" "$2" "$1: what to type"
	same "$status" 1 "$1: status 1"
}

# mends CHECK: what it says to type is typed, and the finding is gone
mends()
{
	fix=$(printf '%s\n' "$rows" | sed -n "s/^$1$tab//p" | head -n 1)
	t -i "$I" -c "$fix"
	expect 0 "$1: '$fix' can be typed"
	doctor
	unlike "$rows" "^$1$tab" "$case_name: and mends it"
}

begin 'nothing is wrong'
fresh
t -i "$I" -c 'enable sched:sched_switch' -c doctor
expect 0 'status 0'
same "$out" '' 'no finding'
says "^tested: events come to '$I'; a marker arrived in an instance of its own\$" 'the test says what it saw'
says "^nothing found in '$I'\$" 'and the end'
true_that 'its instance is gone' no_own_instance
true_that 'a marker of it is not in the instance' sh -c "! grep -q 'tracing_mark_write: doctor' '$D/trace'"
: >"$D/trace"
t -i "$I" --read-only doctor
expect 0 'with --read-only'
says 'no instance of its own: .*--read-only' 'the part of the test that writes is left out'

begin 'how it is printed, and what it is to a batch'
fresh
t -i "$I" -c off -c doctor -c 'cat tracing_on'
expect 0 'findings are no error: the batch goes on and is kept'
same "$(printf '%s\n' "$out" | tail -n 1)" 0 'what stands behind it runs'
t -i "$I" -c doctor -c 'wait 0s'
expect 0 'the status is of the last command'
t -i "$I" -c 'try doctor' -c 'cat tracing_on -o /dev/null' -c 'doctor'
expect 1 'status 1 as the last one'
t -i "$I" -c "doctor; let x = \$?" -c on -c "marker status \${x}"
true_that '$? is 1' grep -q 'status 1' "$D/trace"
t -i "$I" off
t -i "$I" doctor
prints '^off +on +tracing is off: the buffer takes nothing$' 'a line has the check, what to type, and the finding'
# somebody else's instance may have events enabled, which is told as well
says "^$(printf '%s\n' "$out" | grep -c .) findings in '$I'; the column fix is what to type\$" 'they are counted'
t -i "$I" --json doctor
prints '^\{"type":"finding","check":"off","fix":"on","finding":"tracing is off: the buffer takes nothing"\}$' 'JSON'
[ -z "$PYTHON" ] || json 'is valid' "$TMP/out" 'assert {row["check"] for row in rows} - {"elsewhere"} == {"off", "nothing-enabled"}, rows'

begin 'tracing is off'
fresh
echo 'traceoff if prev_pid == -5' >"$D/events/sched/sched_switch/trigger"
t -i "$I" -c 'enable sched:sched_switch'
doctor
unlike "$rows" '^traceoff' "$case_name: a trigger that has not fired is no finding"
echo 0 >"$D/tracing_on"
finds off on
finds traceoff-trigger
prints 'a trigger of sched:sched_switch switches tracing off: traceoff' 'by what'
same "$(printf '%s\n' "$rows" | awk '$1 == "off" || $1 == "traceoff-trigger" { printf "%s ", $1 }')" 'traceoff-trigger off ' \
	'in the order in which one types it'
mends off
echo 0 >"$D/tracing_on"
doctor
mends traceoff-trigger
file_is events/sched/sched_switch/trigger "$(cat "$D/events/sched/sched_wakeup/trigger")" 'the trigger is gone'

begin 'nothing is enabled'
fresh
finds nothing-enabled 'enable sched:sched_switch'
mends nothing-enabled
# somebody else has what one looks for
mkdir "$TRACING/instances/$I-b"
t -i "$I-b" doctor
like "$out" "^elsewhere .*instance use $I +1 event is enabled in the instance '$I'\$" "$case_name: where it is enabled is told"
rmdir "$TRACING/instances/$I-b"

begin 'filters that can never match'
fresh
# filtered EVENT FILTER [FINDING [WHAT]]: what doctor says about it
filtered()
{
	t -i "$I" -c "filter $1 $2" -c "enable $1" -c doctor -c "disable $1" -c "filter $1 clear"
	if [ -n "${3-}" ]; then
		same "$(printf '%s\n' "$out" | sed -n "s/^filter  *//p" | sed 's/   */ /g')" \
			"filter $1 clear the filter of $1 ${4-matches nothing}: $3" "$2"
	else
		same "$(printf '%s\n' "$out" | grep '^filter ')" '' "$2: can match"
	fi
}
# One that has ended: nobody gets its number so soon.
sh -c : &
gone=$!
wait $gone
filtered sched:sched_switch 'prev_pid < 0' "'prev_pid < 0' is never true"
filtered sched:sched_switch 'prev_pid == 1 && prev_pid == 2' "'prev_pid == 1' and 'prev_pid == 2' are never true at once"
filtered sched:sched_switch 'prev_pid == 1 || prev_pid == 2'
filtered sched:sched_switch 'prev_comm == "sixteen-letters-"' \
	"'prev_comm == \"sixteen-letters-\"': it has at most 15 characters"
filtered sched:sched_switch 'prev_comm == "fifteen-letters"'
filtered sched:sched_switch 'comm ~ "*seventeen-letters*"' "'comm ~ \"*seventeen-letters*\"': it has at most 15 characters"
filtered sched:sched_switch 'prev_comm ~ "*a*b*c*d*e*f*g*h*"'
filtered sched:sched_switch "next_pid == $gone" "'next_pid == $gone': there is no such task"
filtered sched:sched_switch "next_pid != $gone"
filtered sched:sched_switch "next_pid == $$"
filtered sched:sched_switch 'next_pid == 0'
filtered sched:sched_switch 'cpu == 5000' "'cpu == 5000': that CPU is not traced"
filtered sched:sched_switch 'cpu == 0'
filtered kmem:kmalloc 'call_site >= 0xffffffff81000000 && call_site < 0xffffffff82000000'
# the kernel cuts it, and it is true of softirq 0
filtered irq:softirq_raise 'vec == 4294967296' '4294967296 does not fit its 32 bits' "compares 'vec' with 0"
filtered irq:softirq_raise 'vec == 4294967295'
filtered sched:sched_switch 'prev_prio == -3'
filtered sched:sched_switch 'prev_prio == -2147483648'
filtered sched:sched_switch 'prev_prio == -2147483649' '-2147483649 does not fit its 32 bits' "compares 'prev_prio' with 2147483647"
filtered sched:sched_switch 'cpu & 1' "'cpu & 1': the kernel has no & for the number of a CPU: where cpu & 1"
filtered sched:sched_switch '!(cpu & 1)'
filtered sched:sched_switch 'prev_prio & 0' "'prev_prio & 0': it tests no bit"
reads="it is an address of the program's memory, which filename.ustring reads"
filtered syscalls:sys_enter_openat 'filename == "/a"' "'filename == \"/a\"': $reads"
filtered syscalls:sys_enter_openat 'filename != "/a"' "'filename != \"/a\"': $reads"
filtered syscalls:sys_enter_openat '!(filename == "/a")'
filtered syscalls:sys_enter_openat 'filename.ustring == "/a"'
t -i "$I" -c 'filter sched:sched_switch prev_pid < 0' -c 'enable sched:sched_switch'
doctor
mends filter

begin 'an empty answer says why'
fresh
t stream --for 1ms sys_enter_openat if 'filename == "/a"'
says "^the filter of syscalls:sys_enter_openat matches nothing: .*$reads\$" 'before it runs: a user pointer'
says '^0 events, 0 lost, [^(]* \(nothing passed the filter, or nothing happened\)$' 'and where the sum is'
t count --for 1ms sys_enter_openat if '!(filename == "/a")'
unlike "$err" 'matches nothing' "$case_name: what always matches"
t stream --for 1ms sched_switch where 'next_comm == "sixteen-letters-"'
says '^the where of sched:sched_switch matches nothing: .*at most 15 characters$' 'where, too'
t count --for 1ms sys_enter_openat where 'dfd == -100'
unlike "$err" 'matches nothing' "$case_name: the bits of a large number"
t stream --for 1ms sys_enter_openat where 'filename == "/a"'
expect 2 'where cannot read the memory of programs'
says "which only the kernel reads: if FIELD.ustring" 'which is said'
t -n -c "stream sys_enter_openat where filename ~ '/a*'"
says "which only the kernel reads: if FIELD.ustring" 'of a pattern, too'
t -i "$I" stream --for 1ms
says "^no event is enabled in '$I'" 'before it runs: nothing is enabled'
says '^0 events, 0 lost, [^(]* \(doctor says why\)$' 'who knows more'
t -i "$I" record --for 1ms "$TMP/empty"
says "^no event is enabled in '$I'" 'record, before it runs'
says '^0 events, 0 lost, [^(]* \(doctor says why\); read it with' 'and at the end'
for command in drain show stream 'hist by cpu' count; do
	t --tracefs "$TMP/empty" -c "$command"
	says '^0 events, 0 lost, [^(]* \(status says what was set\)$' "and of the recording: $command"
done
echo 0 >"$D/tracing_on"
t -i "$I" stream --for 1ms
says "^tracing is off in '$I'" 'before it runs: tracing is off'
t -i "$I" record --for 1ms "$TMP/empty-off"
says "^tracing is off in '$I'" 'record, too'
t -i "$I" drain
says ' \(doctor says why\)$' 'drain'
t -i "$I" show
says "^the buffer of '$I' is empty \(doctor says why\)$" 'show'
echo 1 >"$D/tracing_on"
sh -c : &
wait $!
echo $! >"$D/set_event_pid"
echo 1 >"$D/events/sched/sched_switch/enable"
t -i "$I" stream --for 1ms
says '^none of the traced tasks is alive' 'before it runs: they have ended'
echo 0 >"$D/events/sched/sched_switch/enable"
echo >"$D/set_event_pid"

begin 'events that wait for a trigger'
fresh
echo 'enable_event:sched:sched_wakeup if prev_pid == -5' >"$D/events/sched/sched_switch/trigger"
finds soft-disabled 'enable sched:sched_wakeup'
prints 'sched:sched_wakeup is off until a trigger of sched:sched_switch switches it on' 'which trigger'
same "$(printf '%s\n' "$rows" | grep -c soft-disabled)" 1 'the event that carries the trigger is no finding'
like "$rows" '^nothing-enabled' "$case_name: and neither of them is enabled"
mends soft-disabled
t -i "$I" disable sched:sched_wakeup
echo '!enable_event:sched:sched_wakeup' >"$D/events/sched/sched_switch/trigger"

begin 'tasks that have ended'
fresh
echo 1 >"$D/events/sched/sched_switch/enable"
sleeper
second=$sleeper
sleeper
t -i "$I" pid --no-fork "$sleeper" "$second"
doctor
unlike "$rows" 'tasks' "$case_name: those that live are no finding"
kill -KILL "$second"
wait "$second" 2>/dev/null
finds stale-tasks "write set_event_pid $sleeper"
mends stale-tasks
kill -KILL "$sleeper"
wait "$sleeper" 2>/dev/null
finds tasks 'pid clear'
mends tasks

begin 'a list that the kernel has emptied'
fresh
if [ -e "$D/options/event-fork" ]; then
	echo 1 >"$D/events/sched/sched_switch/enable"
	echo 1 >"$D/options/event-fork"
	sleeper
	echo "$sleeper" >"$D/set_event_pid"
	kill -KILL "$sleeper"
	wait "$sleeper" 2>/dev/null
	await sh -c "! grep -q . '$D/set_event_pid'"
	file_is set_event_pid '' 'reads as one that was never set'
	finds muted 'pid clear'
	says "nothing came to '$I' within" 'the test says why it looked'
	mends muted
	says "tested: events come to '$I'" 'and they come'
else
	skip "$case_name" 'this kernel does not follow children'
fi

begin 'CPUs that are left out'
fresh
echo 1 >"$D/events/sched/sched_switch/enable"
if [ -d "$D/per_cpu/cpu1" ]; then
	t -i "$I" cpus 1
	finds cpus 'cpus all'
	prints 'not every CPU is traced: what happens on 0(-[0-9]+)?(,[0-9,-]+)? is left out' 'which'
	mends cpus
fi
echo 0 >"$D/tracing_cpumask"
finds cpus 'cpus all'
prints 'no CPU is traced' 'none at all'
t -i "$I" cpus all

begin 'another reader'
fresh
sleeper "$D/trace_pipe"
finds reader show
prints "sleep \\($sleeper\\) reads the events of this buffer" 'who it is'
kill -KILL "$sleeper"
wait "$sleeper" 2>/dev/null
doctor
unlike "$rows" '^reader' "$case_name: gone when it has ended"

begin 'the buffer'
fresh
t -i "$I" buffer 8K
finds small-buffer 'buffer 1408K'
doctor
mends small-buffer
t -i "$I" buffer 8K
i=0
while [ $i -lt 2000 ]; do
	echo "filler $i, and some more text that takes its room in the buffer of this CPU"
	i=$((i + 1))
done >"$TMP/filler"
while read -r line; do echo "$line"; done <"$TMP/filler" >"$D/trace_marker"
doctor
like "$rows" "^overwritten$tab" "$case_name: what was overwritten is found"
prints '[0-9,]+ events were overwritten before anybody read them' 'with the number'
t -i "$I" -c clear
doctor
unlike "$rows" '^overwritten' "$case_name: not after clear"
t -i "$I" option overwrite off
while read -r line; do echo "$line"; done <"$TMP/filler" >"$D/trace_marker"
finds dropped 'option overwrite on'
t -i "$I" -c clear
doctor
unlike "$rows" '^dropped' "$case_name: not after clear either"

begin 'the clock'
fresh
for clock in counter uptime; do
	t -i "$I" clock "$clock"
	finds clock
	mends clock
done
t -i "$I" clock local
doctor
unlike "$rows" '^clock' "$case_name: the usual one is no finding"

begin 'the function tracers'
# needs functions
fresh
if grep -qw function "$D/available_tracers" && head -c 1 "$D/set_ftrace_filter" >/dev/null 2>&1; then
	t -i "$I" functions filter vfs_read
	finds no-tracer 'tracer function'
	mends no-tracer
	unlike "$rows" '^(no-functions|ftrace-off|functions-refused)' "$case_name: all is well then"
	sleeper
	t -i "$I" pid --no-fork "$sleeper"
	kill -KILL "$sleeper"
	wait "$sleeper" 2>/dev/null
	finds tasks 'pid clear'
	mends tasks
	if [ -e "$D/options/function-trace" ]; then
		t -i "$I" option function-trace off
		finds function-trace 'option function-trace on'
		mends function-trace
	fi
	t -i "$I" --yes -c 'tracer nop' -c 'functions clear' -c "functions notrace '*'" -c 'tracer function'
	finds no-functions 'functions clear'
	t -i "$I" -c 'tracer nop' -c 'functions clear'
else
	t -i "$I" functions filter vfs_read
	[ "$status" -eq 0 ] && t -i "$I" functions clear
	skip "$case_name" 'no function tracing here'
fi

begin 'commands of functions'
# needs functions
fresh
if head -c 1 "$D/set_ftrace_filter" >/dev/null 2>&1 && echo 'vfs_read:traceoff' >>"$D/set_ftrace_filter" 2>/dev/null; then
	await grep -qx 0 "$D/tracing_on"
	finds traceoff-function "append set_ftrace_filter '!vfs_read:traceoff'"
	mends traceoff-function
	unlike "$(cat "$D/set_ftrace_filter")" traceoff "$case_name: it is gone"
else
	skip "$case_name" 'no function tracing here'
fi

begin 'a snapshot without a buffer'
# needs snapshot
fresh
# One that never fires: without the buffer the kernel would switch tracing off, 5.10 the top-level instance's.
if echo 'snapshot if prev_pid == -5' >"$D/events/sched/sched_switch/trigger" 2>/dev/null; then
	if echo 0 >"$D/snapshot" 2>/dev/null; then
		finds no-snapshot 'snapshot alloc'
		mends no-snapshot
	else
		skip "$case_name" 'this kernel keeps the buffer while a trigger wants it'
	fi
	echo '!snapshot' >"$D/events/sched/sched_switch/trigger"
else
	skip "$case_name" 'no snapshots here'
fi

# What a test cannot or must not do to the machine stands in files that are laid over the kernel's.
begin 'what the machine forbids'
fresh
echo 1 >"$D/events/sched/sched_switch/enable"
echo 1 >"$TMP/one"
echo 0 >"$TMP/zero"
if mount --bind "$TMP/one" /proc/sys/kernel/traceoff_on_warning 2>/dev/null; then
	doctor
	unlike "$rows" '^traceoff' "$case_name: while tracing is on, it has not happened"
	t -i "$I" off
	finds traceoff-on-warning
	t -i "$I" on
	umount /proc/sys/kernel/traceoff_on_warning
else
	skip "$case_name: traceoff_on_warning" 'this kernel does not have it'
fi
if mount -t tmpfs nodev /sys/kernel/security 2>/dev/null; then
	echo 'none integrity [confidentiality]' >/sys/kernel/security/lockdown
	finds lockdown
	echo 'none [integrity] confidentiality' >/sys/kernel/security/lockdown
	doctor
	unlike "$rows" '^lockdown' "$case_name: integrity does not keep tracefs away"
	umount /sys/kernel/security
else
	skip "$case_name: lockdown" 'there is no place for its file'
fi
mkdir "$TMP/mnt"
mount --bind "$TRACING" "$TMP/mnt"
mount -o remount,bind,ro "$TMP/mnt"
t --tracefs "$TMP/mnt" -i "$I" doctor
expect 1 'a read-only mount'
prints "^permission +!mount -o remount,rw $TMP/mnt +nothing can be changed here: Read-only file system\$" 'is found'
umount "$TMP/mnt"

begin 'what is read ahead'
fresh
i=0
while [ $i -lt 40 ]; do
	echo "marker $i" >"$D/trace_marker"
	i=$((i + 1))
done
# Whether a drain takes more than it prints is up to the pages; at the end tracesh says how much it was.
for n in 1 2 3 4; do
	t -i "$I" -c "drain -n $n -o /dev/null" -c doctor
	said=$(sed -n 's/^\([0-9]*\) events\{0,1\} read from the buffer and not printed.*/\1/p' "$TMP/err")
	same "$(printf '%s\n' "$out" | sed -n 's/^read-ahead  *drain  *\([0-9]*\) events\{0,1\} w.*/\1/p')" "$said" \
		"drain -n $n: what was read ahead is found"
done

begin 'a recorded tree'
t --tracefs "$SRC/examples/recorded" doctor
expect 3 'is not examined'

begin 'what is set in the instance, with --here'
fresh
echo 'next_pid == 4' >"$D/events/sched/sched_switch/filter"
t -i "$I" count --here --for 100ms sched:sched_switch
says 'keeps its filter: next_pid == 4' 'a filter'
unlike "$err" 'the cpus setting of' 'all CPUs are recorded'
t -i "$I" count --here --for 100ms sched:sched_switch if 'next_pid > 4'
unlike "$err" 'keeps its filter' 'not with another one'
if [ -d "$D/per_cpu/cpu1" ]; then
	echo 1 >"$D/tracing_cpumask"
	t -i "$I" count --here --for 100ms sched:sched_switch
	says "the cpus setting of '$I' applies here: events of other CPUs are not recorded \(to record them: cpus all\)" 'a mask of CPUs'
fi
t hist --cpu 4000 --for 100ms sched:sched_switch by comm
expect 1 'a CPU that is not there is an error, also where names are read of all'
says 'this machine has no such CPU' 'and said'

begin 'why nothing came'
t stacks --for 100ms sched:sched_process_exec where 'filename == "/no/such"'
says 'nothing matched the where, or nothing happened' 'stacks, with a question'
t count --for 100ms sched:sched_process_exec where 'filename == "/no/such"'
says 'nothing matched the where, or nothing happened' 'count'
t stacks --for 100ms sched:sched_process_exec if 'filename == "/no/such"'
says 'nothing passed the filter, or nothing happened' 'with a filter'

finish
