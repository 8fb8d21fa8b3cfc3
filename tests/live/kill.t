#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in a guest of its own
# time limit: 1800
# kill -9 at random moments while a batch applies, and after calls that change something, half of the times with its
# guard: by the guard or by recover everything is as it was. TRACESH_KILLS: how often each, 5 by default;
# TRACESH_SEED=N: the same ones again.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

times=${TRACESH_KILLS:-5}
seed=${TRACESH_SEED:-$$}
systems='sched signal task'

journal_is_gone() { [ -z "$(ls /run/tracesh 2>/dev/null)" ]; }
no_guard_of() { [ -z "$(pgrep -P "$1" 2>/dev/null)" ]; }

# settings_of_all: and instances, but not those that other people on this machine make meanwhile
settings_of_all()
{
	# shellcheck disable=SC2086 # words
	dump $systems | grep -Ev '^instances/' >"$1"
	list_instances | grep -E '^instances/(tracesh-|killed-)' >>"$1"
	true
}

# as_it_was: settings, and that there is no instance more
as_it_was()
{
	settings_of_all "$TMP/now"
	settings_of_instance >"$TMP/now-inside"
	cmp -s "$TMP/was" "$TMP/now" && cmp -s "$TMP/inside" "$TMP/now-inside"
}

settings_of_instance()
{
	(cd "$D" && grep -H '' tracing_on trace_clock current_tracer buffer_size_kb tracing_cpumask options/* set_event \
		set_event_pid set_ftrace_filter events/sched/*/filter events/sched/*/enable events/sched/*/trigger 2>/dev/null)
}

cat >"$TMP/batch.in" <<'EOF'
option record-tgid on
enable sched if common_pid > 0
filter sched:sched_wakeup pid == 1
append events/sched/sched_switch/trigger stacktrace if prev_pid == 1
pid 1
buffer 300K
cpus 0
clock mono
try functions filter vfs_*
try tracer function
instance create killed-inner
enable signal
option sym-offset on
instance use top
enable task:task_rename if pid > 1
option sym-addr on
append events/signal/signal_generate/trigger traceoff:3 if pid == -7
append set_event oom:mark_victim
try probe vfs_read count
try probe line=/bin/bash:readline
try synth killed_lat sched_waking sched_switch on pid=next_pid with comm
try append events/sched/sched_wakeup/trigger hist:keys=pid
try hist --in-kernel --for 50ms sched_switch by next_pid
try run --probe vfs_open -- true
try synth delete killed_lat
pid 1
undo 2
redo
disable task:task_rename
restore
enable signal
EOF

# fresh_batch: an instance for the case, and the batch; who uses the top-level instance is left alone
fresh_batch()
{
	fresh
	[ -n "$TOP_USER" ] && top=$I || top=top
	sed "s/^instance use top\$/instance use $top/" "$TMP/batch.in" >"$TMP/batch.tsh"
}

# settled: the journal is gone; or its session was killed between making it and the guard, before it changed anything
settled()
{
	journal_is_gone || { ! grep -qsE '	(write|mkdir)	' /run/tracesh/*.journal && "$TRACESH" recover --all -q; }
}

begin 'kill -9'
fresh_batch
settings_of_all "$TMP/was"
settings_of_instance >"$TMP/inside"
diag "seed $seed"
round=0 by_guard=0 by_recover=0 whole=0 bad=0
# how long a whole one takes, in ms, is what the moments are taken from
begun=$(date +%s%N)
"$TRACESH" -q --yes -i "$I" --restore "$TMP/batch.tsh" >"$TMP/out" 2>&1 || fail "$case_name: the batch works: $(cat "$TMP/out")"
took=$((($(date +%s%N) - begun) / 1000000 + 1))
true_that 'the batch takes everything back by itself' as_it_was
while [ $round -lt "$times" ]; do
	round=$((round + 1))
	moment=$(awk -v s="$seed" -v r=$round -v t=$took 'BEGIN { srand(s * 1000 + r); printf "%.4f", rand() * t / 1000 }')
	start "$TMP/batch" "$TRACESH" -q --yes -i "$I" --restore "$TMP/batch.tsh"
	sleep "$moment"
	guard=
	if [ $((round % 2)) -eq 0 ]; then
		guard=$(pgrep -P "$child") || :
	fi
	# shellcheck disable=SC2086 # a word or none
	kill -KILL $guard "$child" 2>/dev/null
	ended "$child"
	[ "$status" = 0 ] && whole=$((whole + 1))
	if [ -n "$guard" ]; then
		await let_go
		by_recover=$((by_recover + 1))
		"$TRACESH" recover --all -q >"$TMP/recover" 2>&1 || {
			bad=$((bad + 1))
			diag "round $round, after $moment s: recover: $(cat "$TMP/recover")"
		}
	else
		by_guard=$((by_guard + 1))
	fi
	if ! await settled; then
		bad=$((bad + 1))
		diag "round $round, after $moment s: the journal is left: $(ls /run/tracesh)"
		"$TRACESH" recover --all 2>&1 | diag
	fi
	if ! as_it_was; then
		bad=$((bad + 1))
		diag "round $round, after $moment s, $([ -n "$guard" ] && echo recover || echo guard):"
		diff "$TMP/was" "$TMP/now" | head -n 10 | diag
		diff "$TMP/inside" "$TMP/now-inside" | head -n 10 | diag
		break
	fi
done
diag "$round kills within $took ms: $by_guard by the guard, $by_recover by recover; $whole had ended before"
is "$bad" 0 "$case_name: everything is as it was after each"

# others_set, others_is_left: somebody else adds lines to files that the batch adds to as well, and they stay
others_set()
{
	echo 'traceoff if prev_pid == -7' >>"$D/events/sched/sched_switch/trigger"
	echo oom:oom_score_adj_update >>"$D/set_event"
}

others_is_left()
{
	others=0
	grep -qx 'traceoff:unlimited if prev_pid == -7' "$D/events/sched/sched_switch/trigger" || others=1
	grep -qx oom:oom_score_adj_update "$D/set_event" || others=1
	echo '!traceoff' >>"$D/events/sched/sched_switch/trigger"
	echo '!oom:oom_score_adj_update' >>"$D/set_event"
	return $others
}

# kill_at N: the batch, killed before its N-th call, unless it takes fewer this time; true when everything is as it was
# afterwards
kill_at()
{
	env LD_PRELOAD="$PRELOAD" FAIL_NTH="$1" FAIL_WITH="$with" "$TRACESH" -q --yes -i "$I" --restore "$TMP/batch.tsh" \
		>"$TMP/out" 2>&1 </dev/null
	status=$?
	echo "status $status" >"$TMP/why"
	case $status in
	137) killed=$((killed + 1)) ;;
	0) ;;
	*) return 1 ;;
	esac
	echo 'a journal is left' >"$TMP/why"
	if [ "$with$status" = killall137 ]; then
		others_set
		await let_go
		# recover is killed as well, and begun again
		[ $((round % 4)) -ne 0 ] || env LD_PRELOAD="$PRELOAD" FAIL_NTH=$((1 + $1 % 150)) FAIL_WITH=kill \
			"$TRACESH" recover --all -q >"$TMP/out" 2>&1
		"$TRACESH" recover --all -q >"$TMP/why" 2>&1 || return
		echo 'what others set' >"$TMP/why"
		others_is_left || return
	fi
	await journal_is_gone || return
	as_it_was && return
	diff "$TMP/was" "$TMP/now" >"$TMP/why"
	diff "$TMP/inside" "$TMP/now-inside" >>"$TMP/why"
	return 1
}

begin 'killed at a call'
if ! preload fail-nth; then
	finish
	exit
fi
fresh_batch
settings_of_instance >"$TMP/inside"
settings_of_all "$TMP/was"
run env LD_PRELOAD="$PRELOAD" FAIL_NTH=0 FAIL_LOG="$TMP/calls" "$TRACESH" -q --yes -i "$I" --restore "$TMP/batch.tsh"
expect 0 'the batch works'
# Before such a call, and after it.
awk '/ (write|close|mkdirat|unlinkat)$/ { if (last != $1) print $1; print last = $1 + 1 }' "$TMP/calls" >"$TMP/moments"
moments=$(wc -l <"$TMP/moments")
bad=0 round=0 killed=0 with=kill
for n in $(awk -v s="$seed" -v n="$moments" -v times="$times" \
	'BEGIN { srand(s) } rand() < (times - taken) / (n - NR + 1) { taken++; print }' "$TMP/moments"); do
	round=$((round + 1))
	kill_at "$n" && with=$([ $with = kill ] && echo killall || echo kill) && continue
	bad=$((bad + 1))
	diag "$with at call $n, $(sed -n "$((n - 1)),${n}p" "$TMP/calls" | tr '\n' ' '):"
	cat "$TMP/out" "$TMP/why" | head -n 40 | cat -v | diag
	break
done
is "$bad" 0 "$case_name: everything is as it was after each"
# A run makes fewer calls now and then, as it waits less often, and ends before the moment.
true_that 'and most were killed' test $((killed * 2)) -ge "$round"
diag "$killed kills, at $moments moments of $(wc -l <"$TMP/calls") calls"

# While a list that had been set goes back, recording pauses.
begin 'killed while a list of tasks goes back'
fresh
sleeper
echo "$sleeper" >"$D/set_event_pid"
echo 'pid 1' >"$TMP/batch.tsh"
settings_of_instance >"$TMP/inside"
settings_of_all "$TMP/was"
run env LD_PRELOAD="$PRELOAD" FAIL_NTH=0 FAIL_LOG="$TMP/calls-list" "$TRACESH" -q --yes -i "$I" --restore "$TMP/batch.tsh"
expect 0 'the batch works'
bad=0 round=0 killed=0 with=killall
for n in $(awk '/ write$/ { print $1; print $1 + 1 }' "$TMP/calls-list"); do
	env LD_PRELOAD="$PRELOAD" FAIL_NTH="$n" FAIL_WITH=killall "$TRACESH" -q --yes -i "$I" --restore "$TMP/batch.tsh" \
		>"$TMP/out" 2>&1 </dev/null
	await let_go
	"$TRACESH" recover --all -q >>"$TMP/out" 2>&1 && as_it_was && continue
	bad=$((bad + 1))
	diag "at call $n: $(diff "$TMP/inside" "$TMP/now-inside" | tr '\n' ' '; head -n 5 "$TMP/out")"
	echo 1 >"$D/tracing_on"
done
is "$bad" 0 "$case_name: everything is as it was after each"

begin 'an instance of somebody else'
fresh
echo "instance create $I" >"$TMP/batch.tsh"
settings_of_instance >"$TMP/inside"
settings_of_all "$TMP/was"
run env LD_PRELOAD="$PRELOAD" FAIL_NTH=0 FAIL_LOG="$TMP/calls-mkdir" "$TRACESH" "$TMP/batch.tsh"
expect 1 'is not created again'
bad=0
for n in $(seq 2 "$(wc -l <"$TMP/calls-mkdir")"); do
	run env LD_PRELOAD="$PRELOAD" FAIL_NTH="$n" FAIL_WITH=killall "$TRACESH" "$TMP/batch.tsh"
	[ "$status" -eq 137 ] || bad=$((bad + 1))
	await let_go
	"$TRACESH" recover --all -q || bad=$((bad + 1))
	[ -d "$D" ] || break
done
is "$bad" 0 "$case_name: each is a kill, and recover works"
true_that 'it stays' test -d "$D"

finish
