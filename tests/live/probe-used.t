#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The probe, synthetic event or variable of a session that ends first, or is killed, while another one uses it, which keeps
# the kernel from removing it: it goes when that session ends, with all that makes it.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

probe="append dynamic_events p:live_used/e vfs_symlink"
forks='append events/sched/sched_process_fork/trigger'

# made: the probes, synthetic events and triggers that there are
made()
{
	cat "$TRACING/dynamic_events"
	(cd "$TRACING" && grep -rs --include=trigger -v '^#' events/sched instances/*/events/sched)
}

# How the first session ends; in a sample another way each time.
ways='TERM KILL RECOVER'
next_way=RECOVER

# turn: the next of these
turn()
{
	case $next_way in
	TERM) next_way=KILL ;;
	KILL) next_way=RECOVER ;;
	RECOVER) next_way=TERM ;;
	esac
	ways=$next_way
}

# used NAME MAKE USE..: with the first session ended by SIGTERM, killed, and recovered; or as $ends says
used()
{
	used_name=$1 maker=$2
	shift 2
	[ -z "${TRACESH_VM_SAMPLE-}" ] || turn
	for end in ${ends:-$ways}; do
		fresh
		sessions
		tell_one 'instance use top'
		tell_one "$maker"
		true_that "$used_name: it is made" test -n "$(made)"
		for line; do
			tell_two "$line"
			case $line in stream*) await is_streamed ;; esac
		done
		same "$(grep -c error "$TMP/2.err")" 0 "$used_name: and used"
		before=$(made) clock=$(cat "$TRACING/instances/synth-live_used/trace_clock" 2>/dev/null)
		guard=$(pgrep -x -P "$one" trsh-guard)
		[ "$end" != RECOVER ] || kill -KILL "$guard"
		kill -"$(echo "$end" | sed 's/RECOVER/KILL/')" "$one"
		ended "$one"
		exec 8>&-
		if [ "$end" = RECOVER ]; then
			t recover
		else
			true_that "$used_name, $end: its guard ends" await is_over "$guard"
		fi
		same "$(made)" "$before" "$used_name, $end: it stays for who uses it"
		case $maker in synth*) same "$(cat "$TRACING/instances/synth-live_used/trace_clock")" "$clock" 'with its clock' ;; esac
		end_two
		[ "$used_name" != keep ] || {
			same "$(made)" "$before" 'it stays for good'
			t -i "$I" -c 'disable live_used' -c 'synth delete live_used' -c keep
			expect 0 'and can be deleted'
		}
		same "$(made)" '' "$used_name, $end: and goes with that session"
		nothing_left
	done
}

# seldom COMMAND..: in no sample
seldom()
{
	[ -n "${TRACESH_VM_SAMPLE-}" ] || "$@"
}

is_streamed()
{
	grep -qs 1 "$TRACING"/instances/tracesh-*/events/synthetic/live_used/enable
}

is_over()
{
	[ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"
}

begin 'a probe'
# needs kprobes
if [ -e "$TRACING/kprobe_events" ]; then
	used 'set_event' "$probe" 'append set_event live_used:e'
	seldom used 'disable_event' "$probe" "$forks disable_event:live_used:e"
else
	skip "$case_name" 'this kernel has no kprobes'
fi

begin 'one with histograms'
# needs kprobes hist
if [ -e "$TRACING/kprobe_events" ] && [ -e "$TRACING/events/sched/sched_switch/hist" ]; then
	used 'enable_hist' "$probe" "$forks enable_hist:live_used:e"
else
	skip "$case_name" 'this kernel has no kprobes, or no histograms'
fi

begin 'a synthetic event'
# needs synthetic hist
if [ -e "$TRACING/synthetic_events" ] && [ -e "$TRACING/events/sched/sched_switch/hist" ]; then
	# shellcheck disable=SC2016 # the kernel's
	set -- 'trace(live_used,$p)' 'live_used($p)'
	[ -z "${TRACESH_VM_SAMPLE-}" ] || set -- "$2"
	for action; do
		used "$action" 'append synthetic_events live_used int pid' "$forks hist:keys=parent_pid:p=child_pid" \
			"append events/sched/sched_process_exec/trigger 'hist:keys=pid:onmatch(sched.sched_process_fork).$action'"
	done
	# what makes the event goes over with it
	used 'enable' 'synth live_used wakeup' 'append set_event synthetic:live_used'
	same "$(ls -d "$TRACING"/instances/synth-* 2>/dev/null)" '' 'its instance has gone, too'
	ends=TERM seldom used 'stream' 'synth live_used wakeup' "stream -o $TMP/stream live_used &"
	ends=TERM used 'keep' 'synth live_used wakeup' 'append set_event synthetic:live_used' keep
	erases
	if [ -n "$TOP_USER" ]; then
		skip 'an event probe' "top-level instance in use: $TOP_USER"
	else
		ends=TERM seldom used 'event probe' 'synth live_used wakeup' 'instance use top' \
			"append dynamic_events 'e:live_probe/e synthetic/live_used lat=\$lat:u64'" 'enable live_probe:e'
		# That event was on in the top instance, which the kernel erases, but only when the next one is removed: here, in no
		# other file.
		if [ -e "$TRACING/kprobe_events" ]; then
			echo 'p:live_used/e vfs_symlink' >>"$TRACING/dynamic_events"
			echo '-:live_used/e' >>"$TRACING/dynamic_events"
		fi
	fi
	# one that is made of another session's
	fresh
	sessions
	tell_one 'synth live_used wakeup'
	tell_two 'synth live_more live_used sched_switch on next_pid=prev_pid'
	t -i "$I" append set_event synthetic:live_more
	before=$(made)
	end_two
	end_one
	same "$(made)" "$before" 'a third one has kept the event: all stays that it is made of'
	nothing_left
	t -i "$I" -c 'disable live_more' -c 'synth delete live_more' -c 'synth delete live_used'
	expect 0 'and can be deleted'
else
	skip "$case_name" 'this kernel has no synthetic events'
fi

begin 'a variable'
# needs hist
if [ -e "$TRACING/events/sched/sched_switch/hist" ]; then
	# shellcheck disable=SC2016 # the kernel's
	used 'variable' "$forks hist:keys=parent_pid:p=child_pid,pp=parent_pid" 'instance use top' \
		"append events/sched/sched_process_exec/trigger 'hist:keys=pid:q=\$pp'"
else
	skip "$case_name" 'this kernel has no histograms'
fi

finish
