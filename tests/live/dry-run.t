#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in a guest of its own
# time limit: 900
# --dry-run: the writes of a session as a script, and that the script does what the session does.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-state.sh"

cd "$TMP" || exit 1
# The shells that are to read it: the one of this test, and another.
shells='sh'
! command -v busybox >/dev/null || shells='sh busybox'

# with_shell SHELL SCRIPT
with_shell()
{
	case $1 in
	busybox) run timeout 60 busybox sh "$2" ;;
	*) run timeout 60 "$1" "$2" ;;
	esac
}

# equals WHAT FILE: what the batch file does to an instance, its script does too, in each shell; the dry run does nothing
equals()
{
	fresh
	settings "$D" >untouched
	run "$TRACESH" -i "$I" --dry-run -f "$2"
	expect 0 "$1: the dry run"
	cp out script.sh
	same "$(settings "$D" | diff untouched -)" '' "$1: changes nothing"
	run "$TRACESH" -q -i "$I" -f "$2"
	expect 0 "$1: the batch"
	settings "$D" >with-batch
	for shell in $shells; do
		rmdir "$D" && mkdir "$D"
		with_shell "$shell" script.sh
		expect 0 "$1: the script, in $shell"
		same "$(settings "$D" | diff with-batch -)" '' "$1: does the same, in $shell"
	done
}

begin 'a batch'
# Not the first task: it forks, which fires the traceoff, and its threads come and go.
sleeper
sed "s/SLEEPER/$sleeper/" >batch.tsh <<'BATCH'
# all that changes something
let size = 512K
off; clock mono
buffer ${size}
option sym-offset on; option irq-info off
cpus 0
pid --no-fork SLEEPER
enable sched:sched_switch if prev_comm ~ "a|b;c#$x" && next_comm != "it's"
enable 'sched:*fork' signal
disable signal:signal_generate
filter sched_process_exec comm == 'x"y'
filter sched_process_exit pid == 7
filter sched_process_exit clear
append events/sched/sched_process_fork/trigger traceoff:5 if child_pid > 5
append events/sched/sched_process_fork/trigger stacktrace
append events/sched/sched_process_fork/trigger !stacktrace
write buffer_percent 13
append set_event task:task_rename
try option no-such-option on else option record-tgid on
try clock no-such-clock
events sched
status | head -n 1
show -n 1
enable raw_syscalls
undo
wait 1ms
option verbose on
keep
option hex on
restore
on
BATCH
equals 'commands' batch.tsh
like "$(cat script.sh)" "^# option sym-offset on\$" "$case_name: the script names the commands"
like "$(cat script.sh)" '^#!/bin/sh$' "$case_name: it says what reads it"
like "$(cat script.sh)" '^set -e$' "$case_name: it stops at an error"
unlike "$(cat script.sh)" "^[^#]*echo [^\"]" "$case_name: it does not use echo"
if command -v shellcheck >/dev/null; then
	true_that 'shellcheck has nothing to say' shellcheck -e SC2016,SC2129 -s sh script.sh
fi

begin 'an instance of the batch'
name=live-$$-9
cat >batch.tsh <<BATCH
instance create $name
enable sched:sched_process_exit
clock boot
option sym-addr on
buffer 256K
BATCH
t --dry-run batch.tsh
expect 0 'the dry run'
cp out script.sh
false_that 'makes none' test -d "$TRACING/instances/$name"
t -q batch.tsh
expect 0 'the batch'
settings "$TRACING/instances/$name" >with-batch
rmdir "$TRACING/instances/$name"
for shell in $shells; do
	with_shell "$shell" script.sh
	expect 0 "the script, in $shell"
	same "$(settings "$TRACING/instances/$name" | diff with-batch -)" '' "does the same, in $shell"
	rmdir "$TRACING/instances/$name"
done
t --dry-run -c "instance create $name" -c 'clock boot' -c undo -c 'undo'
expect 0 'undo'
like "$out" "^rmdir \"\\\$TRACEFS\"/instances/$name\$" "$case_name: is in the script too"
cp out script.sh
with_shell sh script.sh
expect 0 'the script'
false_that 'leaves no instance' test -d "$TRACING/instances/$name"
t --dry-run -I "$name" -c off
cp out script.sh
with_shell sh script.sh
expect 0 '-I'
same "$(cat "$TRACING/instances/$name/tracing_on")" 0 'makes it and works in it'
rmdir "$TRACING/instances/$name"
t --dry-run -c "instance create $name" -c "instance delete $name" -c "instance use $name"
expect 1 'what was deleted cannot be used'
same "$out" '' 'and a batch that fails is no script'

begin 'a save'
fresh
echo 'prev_comm ~ "x*" && next_pid > 3' >"$D/events/sched/sched_switch/filter"
echo traceoff:3 >>"$D/events/sched/sched_switch/trigger"
echo 'signal:*' >"$D/set_event"
t -i "$I" save save.tsh
cp save.tsh batch.tsh
# of the same instance, whose name the next one has too
equals 'of an instance' batch.tsh

begin 'long texts'
fresh
filter='prev_pid == 100000'
n=100001
while [ ${#filter} -lt 3000 ]; do
	filter="$filter || prev_pid == $n"
	n=$((n + 1))
done
echo "filter sched_switch $filter" >batch.tsh
t -i "$I" --dry-run -f batch.tsh
true_that 'a long filter is no one for printf' grep -q '^cat > .*<<' "$TMP/out"
equals 'a long filter' batch.tsh
if grep -qs 'hist trigger' "$TRACING/README"; then
	echo "append events/sched/sched_switch/trigger hist:keys=next_pid:vals=prev_prio if $filter" >batch.tsh
	equals 'a long trigger' batch.tsh
fi
pids=$(seq -s ' ' 20000 20600)
echo "write set_event_pid $pids" >batch.tsh
equals 'a long list' batch.tsh
same "$(wc -l <"$D/set_event_pid")" 601 'has all of its numbers'

begin 'reading what is not written'
fresh
t -i "$I" --dry-run -c 'clock mono' -c 'clock mono' -c 'tracer nop' -c 'buffer_percent 5'
expect 2 'a mistake is one here too'
same "$out" '' 'and there is no script'
t -i "$I" --dry-run -c 'clock mono' -c 'clock mono' -c 'tracer nop'
same "$(grep -c '^printf' "$TMP/out")" 1 'what was written a line before is there'
prints '^#   \(nothing to write\)$' 'that is said'
t -i "$I" --dry-run -c 'enable sched_switch if nosuchfield == 1'
expect 1 'a filter is judged'
t -i "$I" --dry-run -c 'write nosuchfile 1'
expect 1 'a file must be there'
t -i "$I" --dry-run --read-only -c 'clock mono'
expect 1 'but not with --read-only'
t -i "$I" --dry-run -c 'clear' -c 'marker hello'
prints "^: > \"\\\$TRACEFS\"/instances/$I/trace\$" 'clear'
prints "^printf %s hello > \"\\\$TRACEFS\"/instances/$I/trace_marker\$" 'marker'

begin 'what prints'
fresh
echo one >"$D/trace_marker"
t -i "$I" --dry-run -c 'show -n 1 | grep -c one' -c 'cat tracing_on' -c 'cat options' -c "show -o $TMP/shown" -c drain \
	-c 'stream -n 1 sched_switch' -c "run -- true" -c 'stream --for 1s'
expect 0 'the dry run'
cp out script.sh
false_that 'writes no file' test -e shown
prints '^# stream -n 1 sched_switch$' 'what needs an instance of its own is a comment'
with_shell "${shells##* }" script.sh
expect 0 'the script'
same "$(sed -n 1,2p "$TMP/out")" '1
1' 'prints the like'
true_that 'and the files' grep -q one shown
same "$(grep -c one "$D/trace")" 0 'drain takes out'

begin 'probes'
# needs kprobes
if [ -e "$TRACING/kprobe_events" ] && grep -qw kprobe_events "$TRACING/README"; then
	erases
	cat >batch.tsh <<BATCH
append kprobe_events p:live_$$/probe vfs_read count=%dx
append dynamic_events r:live_$$/return vfs_read
filter live_$$:probe count > 100
append events/live_$$/probe/trigger stacktrace:3 if count == 123456789
enable live_$$ if common_pid > 1
functions filter vfs_read 'vfs_w*'
functions notrace vfs_open
BATCH
	if grep -qw function "$TRACING/available_tracers"; then
		echo 'tracer function' >>batch.tsh
		echo 'option func_stack_trace on' >>batch.tsh
	fi
	undo_batch()
	(
		cd "$TRACING" || exit 1
		[ ! -e options/func_stack_trace ] || echo 0 >options/func_stack_trace
		echo nop >current_tracer
		echo >set_ftrace_filter
		echo >set_ftrace_notrace
		echo '!stacktrace' >>"events/live_$$/probe/trigger"
		echo 0 >"events/live_$$/enable"
		echo "-:live_$$/return" >>dynamic_events
		echo "-:live_$$/probe" >>kprobe_events
	)
	t -n batch.tsh
	expect 0 '-n knows the event that the batch makes'
	t --dry-run batch.tsh
	expect 0 'the dry run too'
	cp out script.sh
	false_that 'and makes no probe' grep -q live_$$ "$TRACING/dynamic_events"
	t -q batch.tsh
	expect 0 'the batch'
	settings "$TRACING" >with-batch
	undo_batch
	for shell in $shells; do
		with_shell "$shell" script.sh
		expect 0 "the script, in $shell"
		same "$(settings "$TRACING" | diff with-batch -)" '' "does the same, in $shell"
		undo_batch
	done
else
	skip "$case_name" 'this kernel has no kprobes'
fi

begin 'a pause is for a write'
fresh
t -i "$I" --dry-run pid 1
expect 0 'pid'
same "$(awk '/> .*tracing_on$/ { if (last == NR - 1) print; last = NR }' "$TMP/out")" '' 'no two lines that only switch tracing off and on'

finish
