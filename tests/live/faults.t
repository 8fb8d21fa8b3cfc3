#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in a guest of its own
# time limit: 2000
# A session of 40 commands, in which one call that reaches tracefs fails: the first one, the second, and so on. Whatever
# fails, and how: what is left in tracefs is what was there before, or the report names the file, and recover mends it.
# Here a sample of the calls; TRACESH_FAULTS=all takes each one with each error, TRACESH_FAULTS=N every N-th.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# The shim comes before the sanitizers' own; a program without them is what it is for, but theirs finds more.
CC=${CC:-gcc}
if ! preload fail-nth; then
	finish
	exit
fi

# prepare: the case's instance, with settings that are not the default ones, so that going back to those is not enough
prepare()
{
	fresh
	sleeper
	listed=$sleeper
	sleeper
	other=live-$$-other
	last=live-$$-last
	(
		cd "$D" || exit 1
		echo $$ >set_event_pid
		echo 'common_pid == 7' >events/sched/sched_process_exit/filter
		echo 'common_pid == 8' >events/sched/sched_process_fork/filter
		echo 1 >events/sched/sched_process_fork/enable
		echo 'traceoff:5 if common_pid == 9' >events/sched/sched_process_exit/trigger
		echo 'stacktrace if common_pid == 9' >events/task/task_newtask/trigger
		echo 1 >options/sym-addr
		echo 700 >buffer_size_kb
		echo global >trace_clock
	)
}

# session: its 40 commands
session()
{
	tracer=nop
	! cat "$D/set_ftrace_filter" >/dev/null 2>&1 || tracer=function
	# who uses the top-level instance is left alone
	[ -n "$TOP_USER" ] && top=$last || top=top
	cat <<COMMANDS
enable sched:sched_switch if prev_pid == -1
enable task:task_rename if pid == -1
enable signal if common_pid == -1
filter sched:sched_process_exit common_pid == -2
filter sched:sched_switch next_pid == -1
filter sched:sched_process_fork clear
disable sched:sched_process_fork
disable signal
pid add $listed
pid del $listed
pid --no-fork $sleeper
option record-tgid on
option sym-offset on
option sym-addr off
option overwrite off
write trace_options nosym-offset
buffer 300K
clock mono
tracer $tracer
tracer nop
marker hello
cpus 0
off
on
append events/sched/sched_switch/trigger stacktrace if prev_pid == -1
append events/sched/sched_process_exit/trigger !traceoff:5 if common_pid == 9
append events/task/task_newtask/trigger enable_event:sched:sched_wakeup:3 if common_pid == -1
append set_event signal:signal_generate
write per_cpu/cpu0/buffer_size_kb 500
instance create $other; enable sched:sched_process_exec
instance use $I
instance delete $other
undo 3
redo 2
instance create $last
instance use $top; option sym-offset on
enable task:task_rename if pid == -1
append events/task/task_newtask/trigger stacktrace if common_pid == -1
filter oom:oom_score_adj_update common_pid == -1
buffer 2M
COMMANDS
}

# twice: one setting through two files
twice()
{
	cat <<COMMANDS
option sym-offset on
write trace_options nosym-offset
write per_cpu/cpu0/buffer_size_kb 500
buffer 300K
COMMANDS
}

# lists: what one write to set_event sets, of which the report names the events
lists()
{
	cat <<COMMANDS
append set_event signal:signal_generate
append set_event task:*
enable signal:signal_deliver
COMMANDS
}

# state: all that the session changes, a line each; that an event is armed by a trigger is the trigger's
state()
(
	cd "$TRACING" || exit 1
	ls instances | grep "^live-$$-"
	in=instances/$I
	grep -Hs '' options/sym-offset events/task/task_rename/enable events/task/task_rename/filter \
		events/task/task_newtask/trigger events/oom/oom_score_adj_update/filter per_cpu/cpu?/buffer_size_kb \
		"$in"/set_event_*pid "$in"/tracing_on "$in"/current_tracer "$in"/trace_clock "$in"/tracing_cpumask \
		"$in"/set_ftrace_*pid "$in"/options/* "$in"/per_cpu/cpu?/buffer_size_kb "$in"/events/signal/*/enable \
		"$in"/events/signal/*/filter "$in"/events/task/*/enable "$in"/events/task/*/filter \
		"$in"/events/task/*/trigger "$in"/events/sched/sched_[ps]*/enable "$in"/events/sched/sched_[ps]*/filter \
		"$in"/events/sched/sched_[ps]*/trigger | grep -v '/trigger:#' | sed 's,/enable:\([01]\)\*$,/enable:\1,'
)

# named FILE: by the report, as itself, or as the file that it is a part of with what it is there
named()
{
	grep -Fq -- "$1: " "$TMP/err" && return 0
	named_as=${1#*events/}
	named_as=${named_as%/enable}
	case $1 in
	*events/*/*/enable)
		grep -F -- "${1%events/*/enable}set_event: " "$TMP/err" | grep -Fqw -- "${named_as%/*}:${named_as#*/}"
		;;
	*options/*) grep -F -- "${1%options/*}trace_options: " "$TMP/err" | grep -Fq -- ": ${1##*/}: " ;;
	*per_cpu/*) grep -Fq -- "${1%per_cpu/*}buffer_size_kb: " "$TMP/err" ;;
	*) false ;;
	esac
}

# only_named: what differs from $TMP/want, its report names: "FILE: WHY", "instance 'NAME': WHY"
only_named()
{
	diff "$TMP/want" "$TMP/got" | sed -n 's/^[<>] //p' >"$TMP/differs"
	while read -r line; do
		case $line in
		*:*) named "${line%%:*}" || return 1 ;;
		*) grep -Fq -- "instance '$line': " "$TMP/err" || return 1 ;;
		esac
	done <"$TMP/differs"
}

# complain TEXT: about a run, with what it printed
complain()
{
	wrong=$((wrong + 1))
	[ $wrong -le 5 ] || return 0
	diag "call $n, FAIL_WITH=$with FAIL_TIMES=$times: $1"
	diff "$TMP/want" "$TMP/got" | sed -n 's/^</before:/p; s/^>/now:/p' | head -n 20 | cat -v | diag
	head -c 3000 "$TMP/err" | cat -v | sed 's/^/stderr: /' | diag
}

# fault N: the session with its N-th call failing $with, $times in a row, and what is there to see afterwards
fault()
{
	n=$1
	# shellcheck disable=SC2086 # a word, or none
	run env LD_PRELOAD="$PRELOAD" FAIL_NTH="$n" FAIL_WITH="$with" FAIL_TIMES="$times" FAIL_LOG="$TMP/injected" $only \
		timeout -k 5 60 "$TRACESH" --yes -i "$I" --restore -f "$TMP/session"
	runs=$((runs + 1))
	state >"$TMP/got"
	if [ "$status" -ge 99 ]; then
		complain "crash or hang, status $status"
	elif cmp -s "$TMP/want" "$TMP/got"; then
		whole=$((whole + 1))
	elif only_named; then
		named=$((named + 1))
	else
		complain 'left and not named'
	fi
	! grep -q 'changed by somebody else' "$TMP/err" || complain 'somebody else is said to have changed what nobody did'
	if [ -n "$(ls /run/tracesh 2>/dev/null)" ]; then
		"$TRACESH" recover --all -q >"$TMP/recovered" 2>&1 || { cat "$TMP/recovered" >>"$TMP/err"; complain 'recover fails'; }
		state >"$TMP/got"
	fi
	cmp -s "$TMP/want" "$TMP/got" || complain 'left after recover'
	[ -z "$(ls /run/tracesh 2>/dev/null)" ] || complain 'a journal is left after recover'
	[ -z "$TOP_USER" ] || return 0
	grep -q "live-$$-$case_number\$" "$TRACING/trace" || complain 'the marker in the top-level buffer is gone'
	events_come || complain 'sched_switch does not come in the top-level buffer'
}

# count_calls: those of the session, which nothing befalls, into $counted
count_calls()
{
	# shellcheck disable=SC2086 # a word, or none
	run env LD_PRELOAD="$PRELOAD" FAIL_NTH=0 FAIL_LOG="$counted" $only \
		"$TRACESH" --yes -i "$I" --restore -f "$TMP/session"
	expect 0 'nothing fails'
	state >"$TMP/got"
	true_that 'everything is as it was' cmp "$TMP/want" "$TMP/got"
}

# faults WITH TIMES EVERY [SESSION [ONLY]]: every EVERY-th call; with one that concerns writes only, of those; ONLY: of
# these, as the shim is told
faults()
{
	with=$1 times=$2 step=$3
	begin "$with, $times in a row${4:+, $4}${5:+, $5}"
	prepare
	"${4:-session}" >"$TMP/session"
	state >"$TMP/want"
	runs=0 whole=0 named=0 wrong=0
	: >"$TMP/injected"
	only=${5-}
	# There are few writes; the number of reads before one differs from run to run.
	case $with in
	short | late) only=FAIL_CALL=write step=$(((step + 7) / 8)) ;;
	esac
	counted="$TMP/calls-${4-session}$only"
	[ -e "$counted" ] || count_calls
	calls=$(wc -l <"$counted")
	# Each time other ones of the sample.
	for n in $(awk -v every="$step" -v from="$case_number" '(NR + from * 3) % every == 0 { print $1 }' "$counted"); do
		fault "$n"
		[ $wrong -lt 4 ] || break
	done
	is "$wrong" 0 "$case_name: nothing is left that is not named, and nothing after recover"
	diag "$calls calls, $(sort "$counted" | awk '{ n[$2]++ } END { for (c in n) printf "%s %s ", n[c], c }')"
	diag "$runs sessions, $(wc -l <"$TMP/injected") faults: $whole times all was as before, $named times the report named it"
	for left in "$TRACING"/instances/live-$$-*/; do
		[ "$left" = "$D/" ] || [ ! -d "$left" ] || fail "$case_name: no instance is left: $left"
	done
}

every=${TRACESH_FAULTS:-4001}
[ "$every" != all ] || every=1
session_of_40=$(I=x D=/nonexistent session | wc -l)
is "$session_of_40" 40 'the session has 40 commands'
for with in EBUSY EPERM EINTR ENODEV ENOSPC short late; do
	faults "$with" 1 "$every"
done
# What fails again when it is tried again.
for with in EBUSY ENOSPC short; do
	faults "$with" 5 "$every"
done
# All tries of a step of taking back fail, and recover comes to it later.
faults EBUSY 5 $(((every + 99) / 100)) twice
# All writes of taking a list back fail, and what tells which CPUs there are.
faults EBUSY 9 1 lists FAIL_CALL=write
faults short 5 1 lists
faults EBUSY 2 1 twice 'FAIL_CALL=openat2 FAIL_PATH=per_cpu'

begin 'no CPUs'
fresh
mask=$(cat "$D/tracing_cpumask")
run env LD_PRELOAD="$PRELOAD" FAIL_NTH=1 FAIL_TIMES=99 FAIL_WITH=EBUSY FAIL_CALL=openat2 FAIL_PATH=per_cpu \
	"$TRACESH" -i "$I" cpus all
expect 1 'cpus all is refused when they cannot be listed'
says "the CPUs of '$I' cannot be listed" 'and this is said'
file_is tracing_cpumask "$mask" 'the mask is not emptied'
run env LD_PRELOAD="$PRELOAD" FAIL_NTH=1 FAIL_TIMES=99 FAIL_WITH=EBUSY FAIL_CALL=openat2 FAIL_PATH=per_cpu \
	"$TRACESH" -i "$I" reset
says 'not looked at: .*per_cpu' 'reset says what it could not look at'

begin 'what somebody has set in an instance cannot be read'
fresh
last=live-$$-last
theirs=$TRACING/instances/$last/events/sched/sched_process_exit/enable
printf '%s\n' "instance create $last" "instance | cat >/dev/null; echo 1 >$theirs" >"$TMP/session"
run env LD_PRELOAD="$PRELOAD" FAIL_NTH=1 FAIL_TIMES=99 FAIL_WITH=EBUSY FAIL_CALL=openat2 FAIL_PATH=events/enable \
	"$TRACESH" --yes -i "$I" --restore -f "$TMP/session"
says "instance '$last': in use, not removed" 'the instance is left, and this is said'
same "$(cat "$theirs" 2>&1)" 1 'and what was set there'
echo 0 >"$theirs"
run "$TRACESH" recover --all
false_that 'recover removes it when nobody uses it' test -e "$TRACING/instances/$last"

finish
