#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# long in a guest
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

# to_check: script.sh is one of those that shellcheck reads at the end; in a sample the last one of each case, for each is half
# a second
to_check()
{
	cp script.sh "checked-$case_number${TRACESH_SAMPLE:--$tests}.sh"
}

# number SIGNAL
number()
{
	case $1 in
	HUP) echo 1 ;;
	INT) echo 2 ;;
	TERM) echo 15 ;;
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
		fresh
		with_shell "$shell" script.sh
		expect 0 "$1: the script, in $shell"
		same "$(settings "$D" | diff with-batch -)" '' "$1: does the same, in $shell"
	done
}

# refused SETTING TEXT REASON: the script in ./refused.sh says these three, and that it took all back, in each shell
refused()
{
	for shell in $shells; do
		with_shell "$shell" refused.sh
		expect 1 "a setting that is refused, in $shell"
		same "$err" "refused.sh: $1 does not take: $2
$3
refused.sh: what was written is taken back" 'the setting, the reason, and nothing else'
	done
}

begin 'what the kernel refuses'
fresh
run "$TRACESH" -i "$I" --dry-run -c 'on' -c 'filter sched_switch "prev_pid == 5"' -c 'trigger sched_switch traceoff'
expect 0 'the dry run'
cp out script.sh
switch=instances/$I/events/sched/sched_switch
sed "/^put .*filter/s/prev_pid/nosuch/" script.sh >refused.sh
refused "$switch/filter" 'nosuch == 5' 'event filter parse error: error: Field not found
  Command: nosuch == 5
                  ^'
sed "/^add .*trigger/s/traceoff/'traceoff if nosuch == 5'/" script.sh >refused.sh
# 6.1 does not log what is wrong in the filter of a trigger
why='Invalid argument'
echo >"$D/error_log"
! echo 'traceoff if nosuch == 5' >"$TRACING/$switch/trigger" 2>/dev/null || fail 'a trigger is not refused'
! grep -q 'Command: nosuch == 5' "$D/error_log" || why='event filter parse error: error: Field not found
  Command: nosuch == 5
                  ^'
refused "$switch/trigger" 'traceoff if nosuch == 5' "$why"
{ cat script.sh; echo "put instances/$I/trace_clock nosuch"; } >refused.sh
refused "instances/$I/trace_clock" nosuch 'Invalid argument'

# What the log says of another write, however like this one.
! echo 'nosuch == 5' >"$D/events/sched/sched_switch/filter" 2>/dev/null || fail 'a filter is not refused'
{ cat script.sh; echo "put instances/$I/trace_clock 'nosuch == 5'"; } >refused.sh
refused "instances/$I/trace_clock" 'nosuch == 5' 'Invalid argument'

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
to_check

begin 'tasks by name'
fresh
name=tshn$$ made=$I-made numbers=''
mkfifo never
# named NAME: a task that is called so
named()
{
	# shellcheck disable=SC2016 # its own
	sh -c 'printf %s "$1" >/proc/$$/comm; : >named; read -r line <never; echo "$line"' sh "$1" &
	children="$children $!"
	numbers="$numbers $!"
	await [ -e named ]
	rm named
}
named "$name"
named "x:$name"
named "$name
m"
named "$name m"
# shellcheck disable=SC2086 # numbers
set -- $numbers
for one in "$name $1" "$name m $4" "x:$name $2" "$name?m $3 $4" "x* $2"; do
	task=${one%% [0-9]*} numbers=${one#"$task" }
	t -i "$I" pid --no-fork "$task"
	expect 0 "'$task'"
	same "$(grep -xE "$1|$2|$3|$4" "$D/set_event_pid" | tr '\n' ' ')" "$numbers " "'$task': whose name it is"
	run "$TRACESH" --tracefs "$SRC/examples/recorded" --dry-run -c "instance create $made" -c "pid --no-fork '$task'"
	cp out script.sh
	for shell in $shells; do
		with_shell "$shell" script.sh
		expect 0 "'$task', in $shell"
		same "$(grep -xE "$1|$2|$3|$4" "$TRACING/instances/$made/set_event_pid" | tr '\n' ' ')" "$numbers " "'$task', in $shell: the same"
		rmdir "$TRACING/instances/$made"
	done
done

# lists TASK OTHER: what a script for another machine has left of the two in the lists
lists()
{
	for list in set_event_pid set_event_notrace_pid; do
		grep -xE "$1|$2" "$TRACING/instances/$made/$list" | tr '\n' ' '
		echo /
	done | tr -d '\n'
	rmdir "$TRACING/instances/$made"
}
for shell in $shells; do
	for command in "pid --no-fork $1" "pid --no-fork add $1" "pid del $1" "pid del $1 $2"; do
		case $command in
		*"$1 $2") wanted=// ;;
		*del*) wanted="/$2 /" ;;
		*) wanted="$1 /$2 /" ;;
		esac
		run "$TRACESH" --tracefs "$SRC/examples/recorded" --dry-run -c "instance create $made" -c "append set_event_notrace_pid $1 $2" -c "$command"
		cp out script.sh
		with_shell "$shell" script.sh
		expect 0 "$command, in $shell"
		same "$(lists "$1" "$2")" "$wanted" "$command, in $shell: is no more where it stood"
	done
	run "$TRACESH" --tracefs "$SRC/examples/recorded" --dry-run -c "instance create $made" -c "pid --no-fork $1 $2" -c "pid del $1" -c undo
	cp out script.sh
	with_shell "$shell" script.sh
	same "$(lists "$1" "$2")" "$(printf '%s\n' "$1" "$2" | sort -n | tr '\n' ' ')//" "undo, in $shell"
done

begin 'a snapshot elsewhere'
cp -R "$SRC/examples/recorded" with-snapshot && chmod -R u+w with-snapshot && : >with-snapshot/snapshot
run "$TRACESH" --tracefs with-snapshot --dry-run -c 'snapshot show -n 3' -c 'snapshot alloc'
expect 0 'a snapshot'
same "$(grep -c '^tail -n 3 "$TRACEFS"/snapshot$' out)$(grep -c "^printf '%s.n' 1 > .*snapshot$" out)" 12 'is shown by sh, and takes its memory'
run "$TRACESH" --tracefs "$SRC/examples/recorded" --dry-run -c 'snapshot take'
says 'error: the recording does not tell whether that kernel has snapshots' 'of a recording nobody knows'

begin 'the way back'
# needs top
fresh
# not as mkdir makes it
echo 'prev_pid == 7 || next_comm == "x"' >"$D/events/sched/sched_switch/filter"
echo 1 >"$D/events/sched/sched_process_exit/enable"
echo 'traceon:4 if prev_pid == 100001' >"$D/events/sched/sched_switch/trigger"
echo stacktrace >>"$D/events/sched/sched_switch/trigger"
echo task:task_rename >"$D/set_event"
quiet_tasks
echo "$quiet_task" >"$D/set_event_pid"
echo mono >"$D/trace_clock"
echo 300 >"$D/buffer_size_kb"
echo 200 >"$D/per_cpu/cpu0/buffer_size_kb"
echo 0 >"$D/options/irq-info"
# older kernels take no more than there can be
last_pid=$(($(cat /proc/sys/kernel/pid_max) - 1))
sed "s/TASK/$other_quiet_task/; s/LAST/$last_pid/" >batch.tsh <<'BATCH'
off
clock boot
buffer 512K
write tracing_cpumask 1
option irq-info on
option sym-addr on
write trace_options nosym-addr
append trace_options sym-offset
pid --no-fork TASK
append set_event_pid LAST
enable sched:sched_switch if prev_comm ~ "a|b;c#$x" && next_comm != "it's"
disable task:task_rename
enable signal
append set_event sched:sched_process_fork
append events/sched/sched_switch/trigger !stacktrace
append events/sched/sched_switch/trigger !traceon
append events/sched/sched_switch/trigger traceoff:5 if prev_pid > 5
append events/sched/sched_switch/trigger stacktrace:7
append events/sched/sched_process_fork/trigger enable_event:sched:sched_process_exit:3
filter sched_process_exit pid == 7
instance create INSTANCE
clock boot
enable sched:sched_process_exec
instance use top
on
BATCH
if grep -qs 'hist trigger' "$TRACING/README"; then
	echo 'hist:keys=next_pid:pause if next_pid == 100001' >>"$D/events/sched/sched_switch/trigger"
	cat >>batch.tsh <<'BATCH'
append events/sched/sched_wakeup/trigger hist:keys=pid:ts0=common_timestamp.usecs if pid > 1
append events/sched/sched_switch/trigger '!hist:keys=next_pid if next_pid == 100001'
BATCH
fi
name=live-$$-8
sed -i "s/INSTANCE/$name/; s/^instance use top/instance use $I/" batch.tsh
settings "$D" >old
t -i "$I" --dry-run batch.tsh
expect 0 'the dry run'
cp out script.sh
same "$(settings "$D" | diff old -)" '' 'changes nothing'
for shell in $shells; do
	{ cat script.sh; echo 'put trace_clock no-such-clock'; } >failing.sh
	with_shell "$shell" failing.sh
	expect 1 "an error, in $shell"
	says 'failing.sh: trace_clock does not take: no-such-clock' 'says what was refused'
	says 'failing.sh: what was written is taken back' 'and that is said'
	same "$(settings "$D" | diff old -)" '' "takes all back, in $shell"
	for signal in TERM INT HUP; do
		{ cat script.sh; echo 'echo begun; sleep 600 & child=$!; wait'; } >waiting.sh
		case $shell in
		busybox) start begun busybox sh waiting.sh ;;
		*) start begun "$shell" waiting.sh ;;
		esac
		true_that "it has written, in $shell" await grep -q begun begun
		same "$(settings "$D" | cmp -s - old || echo differs)" differs "and that can be seen, in $shell"
		kill -"$signal" "$child"
		ended "$child"
		same "$status" "$((128 + $(number "$signal")))" "$signal ends it, in $shell"
		same "$(settings "$D" | diff old -)" '' "$signal takes all back, in $shell"
		false_that "the instance too, in $shell" test -d "$TRACING/instances/$name"
	done
	for half in 5 15; do
		sed "/^# ---- what it does/,\$ { s/^put .*/&\n[ \$calls -lt $half ] || exit 5/; }" script.sh >half.sh
		with_shell "$shell" half.sh
		expect 1 "an end in the middle, in $shell"
		same "$(settings "$D" | diff old -)" '' "after $half it takes back so much, in $shell"
	done
done
t -i "$I" --dry-run --restore batch.tsh
cp out script.sh
with_shell sh script.sh
expect 0 '--restore'
same "$(settings "$D" | diff old -)" '' 'is in the script'

# taken_back WHAT: the script of batch.tsh, with a line more that fails, leaves all as it is, in each shell
taken_back()
{
	settings "$D" >old
	t -i "$I" --dry-run batch.tsh
	expect 0 "$1: the dry run"
	cp out script.sh
	{ cat script.sh; echo 'exit 1'; } >failing.sh
	to_check
	for shell in $shells; do
		with_shell "$shell" failing.sh
		expect 1 "$1: an error, in $shell"
		same "$err" 'failing.sh: what was written is taken back' "$1: that is all, in $shell"
		same "$(settings "$D" | diff old -)" '' "$1: takes all back, in $shell"
	done
}

begin 'the way back of events that a trigger has armed'
for state in 0 1; do
	for line in sched:sched_process_fork 'sched:*' '!sched:sched_process_fork' '!sched:*'; do
		fresh
		fork=$D/events/sched/sched_process_fork
		echo stacktrace >"$fork/trigger"
		echo "$state" >"$fork/enable"
		echo 1 >"$D/events/sched/sched_process_exit/enable"
		echo "append set_event '$line'" >batch.tsh
		taken_back "$line, $state*"
		same "$(cat "$fork/enable")" "$state*" "$line: stays $state*"
		same "$(cat "$D/events/sched/sched_process_exit/enable")" 1 "$line: what is on stays so"
	done
done
# the list is empty behind it, and another one adds to it
fresh
echo 1 >"$D/events/sched/sched_process_exit/enable"
t -i "$I" --dry-run -c "append set_event '!sched:sched_process_exit'"
{ cat out; echo "echo 1 >$D/events/sched/sched_process_fork/enable; exit 1"; } >failing.sh
for shell in $shells; do
	with_shell "$shell" failing.sh
	expect 1 "another's event, in $shell"
	file_is set_event 'sched:sched_process_fork
sched:sched_process_exit' "stays, in $shell"
	echo 0 >"$D/events/sched/sched_process_fork/enable"
done

begin 'the way back of sizes and sub-buffers'
if [ -e "$TRACING/buffer_subbuf_size_kb" ]; then
	for sizes in '11 64' '203 8' '1502 64'; do
		fresh
		echo "${sizes% *}" >"$D/buffer_size_kb"
		subbuf=${sizes#* }
		# of the last one they differ
		[ "$subbuf" != 64 ] || [ "${sizes% *}" = 11 ] || echo 99 >"$D/per_cpu/cpu0/buffer_size_kb"
		printf '%s\n' "write buffer_subbuf_size_kb $subbuf" 'buffer 1000K' >batch.tsh
		taken_back "$sizes"
		printf '%s\n' 'buffer 400K' "write buffer_subbuf_size_kb $subbuf" 'buffer 1000K' undo >batch.tsh
		taken_back "$sizes, undo"
		printf '%s\n' "write buffer_subbuf_size_kb $subbuf" 'write per_cpu/cpu0/buffer_size_kb 1000' >batch.tsh
		taken_back "$sizes, of one CPU"
	done
	# not that of others
	fresh
	echo 203 >"$D/buffer_size_kb"
	t -i "$I" --dry-run -c 'write buffer_subbuf_size_kb 64'
	{ cat out; echo "echo 500 >$D/buffer_size_kb; exit 1"; } >failing.sh
	with_shell sh failing.sh
	expect 1 'a size of somebody else'
	true_that 'stays' test "$(cat "$D/buffer_size_kb")" -ge 500
else
	skip "$case_name" 'this kernel has sub-buffers of a page'
fi

begin 'the way back of options'
fresh
for option in nosym-addr sym-addr noirq-info irq-info notrace_printk trace_printk norecord-cmd; do
	grep -qxE "(no)?${option#no}" "$D/trace_options" || continue
	grep -vxE "(no)?${option#no}" "$D/trace_options" >others
	echo "write trace_options $option" >batch.tsh
	grep -xE "(no)?${option#no}" "$D/trace_options" >state
	taken_back "$option"
	same "$(grep -xE "(no)?${option#no}" "$D/trace_options" | diff state -)" '' "$option: the list too"
	with_shell sh script.sh
	expect 0 "$option: the script"
	true_that "$option: is so" grep -qxF "$option" "$D/trace_options"
	same "$(grep -vxE "(no)?${option#no}" "$D/trace_options" | diff others -)" '' "$option: and no other one"
done
t -i "$I" --dry-run -c 'write trace_options sym-addr'
sed '/^option /s/sym-addr/nosuch/' out >refused.sh
for shell in $shells; do
	with_shell "$shell" refused.sh
	expect 1 "an option that is not there, in $shell"
	says "trace_options does not take: nosuch\$" "is named, in $shell"
done

begin 'what is kept'
fresh
clock=$(cat "$D/trace_clock")
for keep in keep 'try keep' 'keep | cat'; do
	printf '%s\n' 'enable sched:sched_process_exec' "$keep" 'clock boot' 'option sym-addr on' undo >batch.tsh
	t -i "$I" --dry-run batch.tsh
	expect 0 "$keep: the dry run"
	{ cat out; echo 'exit 1'; } >failing.sh
	for shell in $shells; do
		with_shell "$shell" failing.sh
		expect 1 "$keep: an error, in $shell"
		file_is events/sched/sched_process_exec/enable 1 "$keep: it stays, in $shell"
		same "$(cat "$D/trace_clock")" "$clock" "$keep: and nothing else, in $shell"
		echo 0 >"$D/events/sched/sched_process_exec/enable"
	done
done

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
like "$out" '^undo_to 0$' "$case_name: is in the script too"
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
same "$(grep '^put ' "$TMP/out")" "put instances/$I/trace_clock mono
put instances/$I/current_tracer nop" 'what was written a line before is there, what was before is not'
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
	-c 'stream --for 1s' -c 'show | grep -c nothing'
expect 0 'the dry run'
cp out script.sh
false_that 'writes no file' test -e shown
with_shell "${shells##* }" script.sh
expect 0 'the script'
same "$(sed -n 1,2p "$TMP/out")" '1
1' 'prints the like'
true_that 'and the files' grep -q one shown
same "$(grep -c one "$D/trace")" 0 'drain takes out'

# The machine where the script runs has other settings than this one.
begin 'whatever is set here'
fresh
trigger=events/sched/sched_switch/trigger
# makes BATCH WHAT: the script is the same one, whether it is set here or not
makes()
{
	t -i "$I" --dry-run -f "$1"
	expect 0 "$2: the dry run"
	grep -v '^# made for' out >script.sh
}
cat >set.tsh <<'BATCH'
trigger sched_switch traceoff:5 if prev_pid == 100001
trigger sched_switch stacktrace:7 if prev_pid == 100001
cpus all
BATCH
cat >clear.tsh <<'BATCH'
trigger sched_switch clear
BATCH
makes set.tsh 'where nothing is set'
cp script.sh expected.sh
set_here()
{
	echo 'traceoff:5 if prev_pid == 100001' >>"$D/$trigger"
	echo 'stacktrace:7 if prev_pid == 100001' >>"$D/$trigger"
}
set_here
cp "$D/$trigger" set
makes set.tsh 'where all is set'
true_that 'the script is the same' cmp script.sh expected.sh
t -i "$I" save -f save.tsh
makes save.tsh 'a save'
cp script.sh saved.sh
makes clear.tsh 'clear'
cp script.sh clear.sh
for shell in $shells; do
	with_shell "$shell" clear.sh
	expect 0 "clear, in $shell"
	false_that 'no trigger is left' grep -v '^#' "$D/$trigger"
	echo 1 >"$D/tracing_cpumask"
	for one in saved expected; do
		with_shell "$shell" $one.sh
		expect 0 "$one, in $shell"
		true_that 'they are there again' cmp "$D/$trigger" set
		[ $one = saved ] || same "$(tr -d ,0 <"$D/tracing_cpumask")" \
			"$(cd "$D/per_cpu" && set -- cpu*; printf %x $(((1 << $#) - 1)) | tr -d 0)" 'every CPU'
		with_shell "$shell" $one.sh
		expect 0 "$one, where all is there, in $shell"
		true_that 'nothing changes' cmp "$D/$trigger" set
		with_shell "$shell" clear.sh
	done
	set_here
	{ cat clear.sh; echo 'exit 1'; } >failing.sh
	with_shell "$shell" failing.sh
	true_that "what clear has removed comes back, in $shell" cmp "$D/$trigger" set
	t -i "$I" --dry-run -c 'trigger sched_switch "!traceoff" if prev_pid == 100001'
	cp out script.sh
	with_shell "$shell" script.sh
	expect 0 "one of them, in $shell"
	same "$(sed 's/:.*//' "$D/$trigger")" stacktrace 'goes'
	with_shell "$shell" script.sh
	expect 1 "one that is not there, in $shell"
	says "sched_switch/trigger has no 'traceoff if prev_pid == 100001' to remove\$" 'is an error'
	echo '!stacktrace' >"$D/$trigger"
	set_here
done
t -i "$I" --dry-run -c 'reset all' -c on
expect 1 'what depends on that machine'
says "warning: 'reset' is not in the script" 'is said'

begin 'what is left out'
fresh
t -i "$I" --dry-run -c 'hist --for 1s sched_switch by next_pid' -c 'stream -n 1 sched_switch where next_pid > 0' \
	-c status -c 'marker here' -c 'option sym-offset on'
expect 1 'the rest is a script'
prints "^#   \\(not in this script: sh cannot do 'where'\\)\$" 'what sh cannot do is a comment'
says "^<-c 1>:1:1: warning: 'hist' is not in the script: sh cannot do it" 'who makes it hears of the command'
says "^<-c 3>:1:1: warning: 'status' is not in the script" 'and of what only prints'
cp out script.sh
with_shell "${shells##* }" script.sh
expect 1 'the script'
says ': left out, as sh cannot do it: hist$' 'and so does who runs it'
file_is options/sym-offset 1 'what it can do is done'
true_that 'all of it' grep -q here "$D/trace"
t -i "$I" --dry-run -c 'stream sched_process_exec &'
expect 2 'a job'
says 'error: a script has no jobs' 'is none of a script'
t --keep-going -i "$I" --dry-run -c 'marker here'
says '^--keep-going does not apply to the script' '--keep-going'
if [ -e /dev/full ]; then
	t -i "$I" --dry-run -c 'stream -n 1 sched_switch' -c 'stream --for 1s sched_switch'
	cp out script.sh
	run sh -c 'sh ./script.sh >/dev/full'
	expect 1 'a reader that takes nothing is an error'
fi
t -f - </dev/zero
expect 2 'bytes that are no commands'
says "^<stdin>: error: '<stdin>' is not a batch file: it has a zero byte" 'are refused'

begin 'events'
# needs top
# of a top-level buffer it takes them out
erases
t --dry-run -c 'stream -n 3 sched:sched_switch if prev_pid != 0' -c 'stream --for 1s sched:sched_switch | grep -c sched_switch'
expect 0 'the dry run'
cp out script.sh
t --dry-run -c 'run sched:sched_process_exec -- sh -c "ls /; exit 7"'
cp out program.sh
t --dry-run -c 'clock mono' -c 'stream sched:sched_switch' -c 'marker behind'
cp out stream.sh
# as a kernel without instances has it
mkdir top-only && ln -s "$TRACING"/* top-only/ && rm top-only/instances
if command -v shellcheck >/dev/null; then
	true_that 'shellcheck has nothing to say' shellcheck -s sh script.sh program.sh stream.sh
fi
# global where a guest's counter is not stable
clock=$(sed 's/.*\[\(.*\)\].*/\1/' "$TRACING/trace_clock")
for shell in $shells; do
	for TRACEFS in "$TRACING" "$TMP/top-only"; do
		export TRACEFS
		with_shell "$shell" script.sh
		expect 0 "stream, in $shell"
		same "$(sed 3q "$TMP/out" | grep -c ' sched_switch: ')" 3 "prints the events, in $shell"
		true_that "and those of a time into a pipe, in $shell" test "$(sed -n 4p "$TMP/out")" -gt 0
		with_shell "$shell" program.sh
		expect 7 "run has the program's status, in $shell"
		prints ' sched_process_exec: ' "run prints its events, in $shell"
		same "$(grep -c -v sched_process_exec "$TMP/out")" 0 "and no others, in $shell"
	done
	unset TRACEFS
	for signal in INT TERM HUP; do
		case $shell in
		busybox) start events busybox sh stream.sh ;;
		*) start events "$shell" stream.sh ;;
		esac
		true_that "stream prints until a signal, in $shell" await grep -q ' sched_switch: ' events
		kill -"$signal" "$child"
		ended "$child"
		case $signal in
		INT)
			same "$status" 0 "Ctrl-C ends the stream, and not the script, in $shell"
			true_that "which goes on, in $shell" grep -q behind "$TRACING/trace"
			echo "$clock" >"$TRACING/trace_clock"
			;;
		*) same "$status" "$((128 + $(number "$signal")))" "$signal ends the script, in $shell" ;;
		esac
		true_that "nothing is left of it, in $shell" no_own_instance
	done
done

begin 'probes'
# needs kprobes top
if [ -e "$TRACING/kprobe_events" ] && grep -qw kprobe_events "$TRACING/README"; then
	erases
	cat >batch.tsh <<BATCH
append kprobe_events p:live_$$/probe vfs_read count=$(register)
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
		settings "$TRACING" >old
		{ cat script.sh; echo 'put trace_clock no-such-clock'; } >failing.sh
		with_shell "$shell" failing.sh
		expect 1 "an error, in $shell"
		same "$(settings "$TRACING" | diff old -)" '' "takes all back, in $shell"
		false_that "the probes too, in $shell" grep -q live_$$ "$TRACING/dynamic_events"
	done
else
	skip "$case_name" 'this kernel has no kprobes'
fi

begin 'a pause is for a write'
fresh
t -i "$I" --dry-run pid 1
expect 0 'pid'
same "$(awk '/> .*tracing_on$/ { if (last == NR - 1) print; last = NR }' "$TMP/out")" '' 'no two lines that only switch tracing off and on'

begin 'the scripts'
if command -v shellcheck >/dev/null; then
	true_that 'shellcheck has nothing to say' shellcheck -e SC2016,SC2129 -s sh checked-*.sh
fi

finish
