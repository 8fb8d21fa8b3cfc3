#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in a guest of its own
# Instances that the kernel removes only when something in them has gone: histograms with variables; and what it takes
# along: function commands, a tracer that runs, histograms without.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

made=live-$$-made
first='hist:keys=pid:ts0=common_timestamp.usecs'
# shellcheck disable=SC2016 # the kernel's
second='hist:keys=next_pid:lat=common_timestamp.usecs-$ts0'

has_hists() { grep -qs 'hist trigger' "$TRACING/README"; }
has_functions() { cat "$TRACING/set_ftrace_filter" >/dev/null 2>&1; }

# pin DIRECTORY: histograms, one with the other's variable, and commands of functions with a tracer, as far as there are
pin()
{
	if has_hists; then
		echo "$first" >>"$1/events/sched/sched_wakeup/trigger"
		echo "$second" >>"$1/events/sched/sched_wakeup/trigger"
		echo 'hist:name=live:keys=pid' >>"$1/events/sched/sched_waking/trigger"
	fi
	if has_functions && [ -e "$1/set_ftrace_filter" ]; then
		echo 'vfs_read:traceon:3' >>"$1/set_ftrace_filter"
		echo 'vfs_write:enable_event:sched:sched_switch' >>"$1/set_ftrace_filter"
		echo vfs_open >>"$1/set_ftrace_filter"
		echo function >"$1/current_tracer"
	fi
	echo 'enable_event:sched:sched_switch' >>"$1/events/sched/sched_process_exit/trigger"
	echo 1 >"$1/events/sched/enable"
}

# batch: the same by tracesh
batch()
{
	if has_hists; then
		echo "append events/sched/sched_wakeup/trigger $first"
		echo "append events/sched/sched_switch/trigger $second"
		echo 'append events/sched/sched_waking/trigger hist:name=live:keys=pid'
	fi
	if has_functions; then
		echo 'append set_ftrace_filter vfs_read:traceon:3'
		echo 'append set_ftrace_filter vfs_open'
		echo 'tracer function'
	fi
	echo 'enable sched'
}

settings_of()
{
	(cd "$1" && grep -aHs '' current_tracer trace_clock tracing_on set_ftrace_filter set_event events/sched/*/trigger |
		grep -v 'trigger:#')
}

has_hists || diag 'this kernel has no hist triggers: only the rest is tested'
has_functions || diag 'this kernel has no set_ftrace_filter: only the rest is tested'

begin 'instance delete'
mkdir "$TRACING/instances/$made"
pin "$TRACING/instances/$made"
t instance delete "$made"
expect 0 'works'
false_that 'it is gone' test -d "$TRACING/instances/$made"

begin 'an instance of the session'
{
	echo "instance create $made"
	batch
} >"$TMP/batch"
t --restore -f "$TMP/batch"
expect 0 'is taken back'
false_that 'it is gone' test -d "$TRACING/instances/$made"

begin 'settings in an instance that was there'
fresh
settings_of "$D" >"$TMP/was"
batch >"$TMP/batch"
t -i "$I" --restore -f "$TMP/batch"
expect 0 'are taken back'
settings_of "$D" >"$TMP/now"
true_that 'everything is as it was, the clock that a histogram sets, too' diff "$TMP/was" "$TMP/now"
start "$TMP/session" "$TRACESH" -i "$I" -f "$TMP/batch" -c 'wait 60s'
await grep -qx 1 "$D/events/sched/enable" || fail "$case_name: the session has begun"
kill -KILL "$(pgrep -x -P "$child" trsh-guard)" "$child"
ended "$child"
await let_go
t recover
expect 0 'by recover as well'
settings_of "$D" >"$TMP/now"
true_that 'everything is as it was' diff "$TMP/was" "$TMP/now"

begin 'one that was left over'
# of a process that is no more
sh -c 'exit' &
left=tracesh-$!-1
wait $!
mkdir "$TRACING/instances/$left"
pin "$TRACING/instances/$left"
t recover --all
expect 0 'recover'
says "instance '$left' of a process that is gone is removed" 'sweeps it'
false_that 'it is gone' test -d "$TRACING/instances/$left"

begin 'one that somebody holds'
mkdir "$TRACING/instances/$made"
pin "$TRACING/instances/$made"
settings_of "$TRACING/instances/$made" >"$TMP/was"
sleeper "$TRACING/instances/$made/trace"
t instance delete "$made"
expect 1 'is not deleted'
says "sleep \\($sleeper\\)" 'who holds it is told'
settings_of "$TRACING/instances/$made" >"$TMP/now"
true_that 'and its histograms stay' diff "$TMP/was" "$TMP/now"
reap
t instance delete "$made"
expect 0 'afterwards it is'

begin "somebody else's histogram in an instance of the session"
# needs hist
if has_hists; then
	start "$TMP/session" "$TRACESH" --restore -c "instance create $made" -c 'wait 60s'
	await test -e "$TRACING/instances/$made/events/sched/sched_switch/trigger"
	echo "$first" >>"$TRACING/instances/$made/events/sched/sched_wakeup/trigger"
	kill -INT "$child"
	ended "$child"
	true_that 'is told' grep -q "instance '$made': in use, not removed: events/sched/sched_wakeup/trigger has a histogram" \
		"$TMP/session.err"
	true_that 'and stays' grep -q '^hist:keys=pid' "$TRACING/instances/$made/events/sched/sched_wakeup/trigger"
	t -q recover
	expect 1 'recover leaves it, too'
	t -q instance delete "$made"
	expect 0 'delete does not'
	t -q recover
	expect 0 'and nothing is left'
else
	skip "$case_name" 'this kernel has no hist triggers'
fi

finish
