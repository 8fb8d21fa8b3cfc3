#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Two sessions that share a probe, a trigger, or the function filter: whoever ends first, however, what the other one has asked for stays
# until it ends. And whoever holds an instance is seen on every kernel.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

# Who ends first, and how; a sample where each start takes long.
ways='end:one end:two TERM:one TERM:two KILL:one KILL:two'
[ -z "${TRACESH_VM_SAMPLE-}" ] || ways='end:one KILL:two'

# end_by HOW one|two: end (of its input), TERM, or KILL, where the guard takes back
end_by()
{
	eval "ending=\$$2"
	guard=$(pgrep -x -P "$ending" trsh-guard)
	case $1 in
	TERM | KILL) kill -"$1" "$ending" ;;
	esac
	"end_$2"
	await gone "$guard" || fail "$case_name: the guard ends"
}

# has_probe: of one of the two
has_probe()
{
	cat "$TRACING/dynamic_events" "$TRACING/uprobe_events" 2>/dev/null | grep -q ":$group/shared "
}

# shared_probe PROBE: made by the first session; the second one uses its event
shared_probe()
{
	for way in $ways; do
		how=${way%:*} first=${way#*:}
		fresh
		sessions
		group=tracesh_$one
		tell_one "probe shared=$1"
		tell_two "enable $group:shared"
		file_is "events/$group/shared/enable" 1 "the second one uses it ($how, $first)"
		end_by $how $first
		if [ $first = one ]; then
			# any other tracesh sweeps the probes of processes that are gone
			t recover --all
			says 'nothing was left behind' "it is not left behind ($how)"
			true_that "the first one ends: the probe stays ($how)" has_probe
			file_is "events/$group/shared/enable" 1 "the first one ends: its event stays on ($how)"
			end_two
		else
			true_that "the second one ends: the probe stays ($how)" has_probe
			file_is "events/$group/shared/enable" 0 "the second one ends: its event is off ($how)"
			end_one
		fi
		false_that "in the end it is gone ($how, $first)" has_probe
		nothing_left
	done
}

begin 'two sessions with one probe of a program'
if [ -e "$TRACING/uprobe_events" ] && [ -x /bin/bash ]; then
	shared_probe /bin/bash:readline
else
	skip "$case_name" 'no uprobes, or no bash'
fi

begin 'two sessions with one probe of the kernel'
# needs kprobes
if [ -e "$TRACING/kprobe_events" ]; then
	shared_probe vfs_fsync_range
else
	skip "$case_name" 'this kernel has no kprobes'
fi

begin 'two sessions with one line of a list of probes'
# needs kprobes top
if [ -e "$TRACING/kprobe_events" ]; then
	group=live_$$
	line="p:$group/shared vfs_fsync_range"
	for first in one two; do
		fresh
		sessions
		tell_one 'instance use top'
		tell_two 'instance use top'
		tell_one "append kprobe_events $line"
		tell_two "append kprobe_events $line"
		true_that "the second one is refused ($first)" grep -q 'already the exact same probe' "$TMP/2.err"
		end_by end $first
		case $first in
		one)
			false_that 'with the one whose it is it goes' has_probe
			end_two
			;;
		two)
			true_that 'with the other one it does not' has_probe
			end_one
			;;
		esac
		false_that "in the end it is gone ($first)" has_probe
		nothing_left
	done
else
	skip "$case_name" 'this kernel has no kprobes'
fi

# functions: the filter of the instance, a line each
functions()
{
	grep -v '^#' "$D/set_ftrace_filter" | sort | tr '\n' ' '
}

begin 'two sessions with one function filter'
# needs functions
if cat "$TRACING/set_ftrace_filter" >/dev/null 2>&1; then
	for way in $ways; do
		how=${way%:*} first=${way#*:}
		fresh
		sessions
		tell_one 'append set_ftrace_filter vfs_read'
		tell_two 'append set_ftrace_filter vfs_read'
		tell_one 'append set_ftrace_filter vfs_open'
		tell_two 'append set_ftrace_filter vfs_write'
		end_by $how $first
		case $first in
		one)
			# The list is one value.
			same "$(functions)" 'vfs_open vfs_read vfs_write ' "what was there when the second one has set it stays ($how)"
			end_two
			;;
		two)
			same "$(functions)" 'vfs_open vfs_read ' "what the second one has brought goes ($how)"
			end_one
			;;
		esac
		same "$(functions)" '' "in the end there is no filter ($how, $first)"
		nothing_left
	done
else
	skip "$case_name" 'this kernel has no function filter, or refuses it'
fi

fork=events/sched/sched_process_fork/trigger exec=events/sched/sched_process_exec/enable
switches='enable_event:sched:sched_process_exec' never='if common_pid == 99999'

# triggers: those of the event that is forked
triggers()
{
	grep -v '^#' "$D/$fork" | sed 's/:unlimited//'
}

# enabled: whether the event that triggers switch is
enabled()
{
	tr -d '*' <"$D/$exec"
}

is_enabled()
{
	[ "$(enabled)" = 1 ]
}

begin 'two sessions with one trigger'
for trigger in "traceoff $never" "stacktrace:3 $never" "$switches $never"; do
	listed=$(echo "$trigger" | sed 's/:3/:count=3/')
	for first in one two; do
		fresh
		sessions
		tell_one "trigger sched:sched_process_fork $trigger"
		tell_two "trigger sched:sched_process_fork $trigger"
		true_that "the second one asks for what is there ($trigger)" grep -q '(as before)' "$TMP/2.err"
		end_$first
		same "$(triggers)" "$listed" "what both have asked for stays ($first)"
		case $first in
		one) end_two ;;
		two) end_one ;;
		esac
		same "$(triggers)" '' "in the end it is gone ($first)"
		nothing_left
	done
done
fresh
sessions
tell_one "trigger sched:sched_process_fork stacktrace:3 $never"
t -i "$I" -c "trigger sched:sched_process_fork stacktrace:3 $never"
expect 0 'a command that keeps'
says '(as before)' 'asks for what is there'
end_one
same "$(triggers)" "stacktrace:count=3 $never" 'and it stays'
end_two
echo '!stacktrace' >"$D/$fork"
nothing_left

begin 'two sessions with one trigger that has switched an event off'
fresh
echo 1 >"$D/$exec"
sessions
tell_one "trigger sched:sched_process_fork dis${switches#en}"
(true)
same "$(enabled)" 0 'it has fired'
tell_two "trigger sched:sched_process_fork dis${switches#en}"
end_one
(true)
end_two
same "$(enabled)" 1 'in the end it is on, as before'
echo 0 >"$D/$exec"
nothing_left

begin 'a trigger that another session removes'
# It fires all the time: also when it is there for a moment only.
often=syscalls:sys_enter_openat
[ -d "$TRACING/events/syscalls" ] || often=sched:sched_switch
for way in clear "!$switches" reset; do
	fresh
	sessions
	tell_one "trigger $often $switches"
	true_that "it fires ($way)" await is_enabled
	case $way in
	reset) tell_two 'reset triggers' ;;
	*) tell_two "trigger $often $way" ;;
	esac
	end_one
	same "$(enabled)" 0 "its event is off ($way)"
	end_two
	same "$(enabled)" 0 "and stays so when that session ends, too ($way)"
	same "$(grep -v '^#' "$D/events/$(echo $often | tr : /)/trigger")" '' "without the trigger ($way)"
	nothing_left
done
fresh
echo "$switches $never" >"$D/$fork"
sessions
tell_one 'trigger sched:sched_process_fork clear'
tell_two "trigger sched:sched_process_fork $switches $never"
end_one
same "$(triggers)" "$switches $never" 'one that was there before, and was set again'
end_two
same "$(triggers)" "$switches $never" 'stays'
echo "!$switches" >"$D/$fork"
nothing_left

# fire: the triggers of task_rename that say $ours
fire()
{
	echo sh >/proc/$$/comm
}

begin 'an event that a trigger switches again'
fresh
ours="if common_pid == $$"
off="trigger task:task_rename dis${switches#en} $ours" on="trigger task:task_rename $switches $ours"
off_now='disable sched:sched_process_exec' on_now='enable sched:sched_process_exec'
for again in no yes; do
	sessions
	tell_one "$on"
	fire
	tell_one "$off_now"
	fire
	same "$(enabled)" 1 'the trigger has fired once more'
	tell_two "$off_now"
	[ $again = no ] || fire
	end_one
	same "$(enabled)" 0 'it stays off for the session that has asked for that'
	end_two
	same "$(enabled)" 0 "and is off in the end (fired later: $again)"
	nothing_left
done
t -i "$I" --restore -c "$on_now" -c "$off"
same "$(enabled)" 0 'one session: a trigger that never switches it off'
t -i "$I" --restore -c "$on_now" -c "$off" -c "$off_now"
same "$(enabled)" 0 'and the session does'
sessions
tell_one "$on"
for n in 1 2 3; do
	fire
	tell_one "$off_now"
done
end_one
same "$(enabled)" 0 'one that switches it on again and again'
end_two
echo 1 >"$D/$exec"
sessions
tell_one "$off"
for n in 1 2 3; do
	fire
	tell_one "$on_now"
done
end_one
same "$(enabled)" 1 'or off'
end_two
echo 0 >"$D/$exec"
nothing_left

begin 'an event that a session which nobody has recovered has asked for, too'
fresh
sessions
tell_one "$on_now"
tell_two "$on_now"
pkill -KILL -x -P "$two" trsh-guard
kill -KILL "$two"
ended "$two"
exec 9>&-
tell_one "$off_now"
end_one
same "$(enabled)" 0 'the other one takes back both that it has set it, and that it has cleared it'
t recover
same "$(enabled)" 0 'and nothing is left for recover'
nothing_left

begin 'an event that somebody else has switched beside a trigger that has not fired'
fresh
sessions
tell_one "trigger task:task_rename $switches:2 $ours"
echo 1 >"$D/$exec"
end_one
same "$(enabled)" 1 'it stays on, as he wants it'
echo 0 >"$D/$exec"
end_two
sessions
tell_one "trigger task:task_rename $switches:2 $ours"
fire
same "$(enabled)" 1 'one that has fired'
end_one
same "$(enabled)" 0 'goes off'
echo 1 >"$D/$exec"
tell_two "trigger task:task_rename dis${switches#en}:2 $ours"
fire
end_two
same "$(enabled)" 1 'or on'
echo 1 >"$D/$exec"
sessions
tell_one "trigger task:task_rename dis${switches#en}:2 $ours"
echo 0 >"$D/$exec"
end_one
same "$(enabled)" 0 'which he has switched off, stays off'
end_two
nothing_left

begin 'who holds an instance, when the kernel has forgotten its folders'
# needs guest
start "$TMP/held" "$TRACESH" stream --for 300s sched:sched_process_exit if 'pid == 1'
held=$child
true_that 'a session' await is_streaming "$held"
[ ! -e /run/vm/main ] || echo 2 >/proc/sys/vm/drop_caches
for folder in "$TRACING/instances/tracesh-$held-1/per_cpu"; do
	false_that 'the lock on its folder is seen' flock -n "$folder" true
done
t recover --all
expect 0 'recover'
true_that 'leaves it' is_streaming "$held"
kill -INT "$held"
ended "$held"
same "$status" 0 'it ends well'

begin 'words and blanks, as the kernel takes them'
fresh
exec=events/sched/sched_process_exec exit=events/sched/sched_process_exit fork=events/sched/sched_process_fork
t --restore -i "$I" -c 'append set_event "sched:sched_process_exec  sched:sched_process_fork"' -c 'cat set_event'
expect 0 'two events in one text'
same "$(echo "$out" | sort | tr '\n' ' ')" 'sched:sched_process_exec sched:sched_process_fork ' 'are both on'
file_is set_event '' 'and go back'
echo 1 >"$D/$fork/enable"
echo 1 >"$D/$exec/enable"
t --restore -i "$I" -c 'append set_event "!sched:sched_process_fork !sched:sched_process_exec"' -c 'cat set_event'
same "$status $out" '0 ' 'two are off'
file_is $fork/enable 1 'and come back'
t --restore -i "$I" -c 'append set_event "!sched:sched_process_fork sched:sched_process_exit no:such"'
expect 1 'a word that the kernel refuses'
file_is $fork/enable 1 'what went before it comes back'
file_is $exit/enable 0 'and what came goes'
echo 0 >"$D/$fork/enable"
echo 0 >"$D/$exec/enable"
sessions
tell_one 'append set_event "sched:sched_process_exec sched:sched_process_fork"'
tell_two 'append set_event "sched:sched_process_exit sched:sched_process_fork"'
end_one
file_is $exec/enable 0 "the first one's event is off"
file_is $fork/enable 1 'that of both stays'
end_two
file_is set_event '' 'until the second one ends'
for text in 'enable_event sched:sched_process_exit' ' enable_event:sched:sched_process_exit' 'enable_event: sched:sched_process_exit'; do
	sessions
	tell_one "append $exec/trigger '$text'"
	/bin/true
	file_is $exit/enable '1*' "'$text' has fired"
	tell_one undo
	end_one
	end_two
	file_is $exit/enable 0 "and is taken back"
done
t --restore -i "$I" -c 'write set_event_pid "010 0x1"' -c 'cat set_event_pid'
same "$(echo "$out" | tr '\n' ' ')" '1 8 ' 'tasks of any base'

finish
