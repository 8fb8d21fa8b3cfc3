#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# The wall clock of events, proven: more than a thousand marks on every CPU, each written between two looks at the wall clock.
# The time that is printed of one, with its error, reaches this bracket; and the error is small.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-clock.sh"

for clock in $(clocks); do
	case $clock in
	counter | uptime) continue ;;
	esac
	begin "clock $clock"
	with_clock "$clock"
	start_stream "$TMP/json"
	true_that 'marks are written' sh -c "'$marker' '$D' 1500 2500 >'$TMP/marks'"
	stop_stream "$child" "$TMP/marks" "$TMP/json"
	check_marks stream "$TMP/marks" "$TMP/json" "$(limit "$clock")"

	# What drain reads is older than all that it knows of the clock: how large the error is, is up to the clock.
	true_that 'more marks are written' sh -c "'$marker' '$D' 500 600 >'$TMP/marks'"
	sleep 1
	t -q -i "$I" --format json --precision ns -o "$TMP/json" drain
	expect 0 'drain succeeds'
	case $clock in
	boot | mono | tai) check_marks drain "$TMP/marks" "$TMP/json" "$(limit "$clock")" ;;
	*) check_marks drain "$TMP/marks" "$TMP/json" 0 ;;
	esac
done

begin 'somebody changes the clock'
with_clock boot
start_stream "$TMP/json"
echo mono >"$D/trace_clock"
await grep -q '"type":"note".*the trace clock was changed to mono' "$TMP/json" || fail "$case_name: the stream says so"
"$marker" "$D" 300 300 >"$TMP/marks"
stop_stream "$child" "$TMP/marks" "$TMP/json"
check_marks 'what comes then' "$TMP/marks" "$TMP/json" "$(limit mono)"

# What clock_gettime says in there is not what the kernel stamps events with.
begin 'in a time namespace'
if unshare -T --monotonic 1000 --boottime 5000 true 2>/dev/null; then
	# Without a fork older kernels leave the program where it was, and only its children would be in there.
	for clock in 'boot --fork' 'mono --fork' 'mono_raw --fork' boot mono; do
		fork=${clock#"${clock%% *}"} clock=${clock%% *}
		with_clock "$clock"
		"$marker" "$D" 100 100 >"$TMP/marks"
		# shellcheck disable=SC2086 # a word or none
		run unshare -T $fork --monotonic 1000 --boottime 5000 \
			"$TRACESH" -q -i "$I" --format json --precision ns -o "$TMP/json" drain
		expect 0 "$clock: drain succeeds"
		check_marks "$clock" "$TMP/marks" "$TMP/json" 0
	done
else
	skip "$case_name" 'this kernel has none, or unshare knows none'
fi

begin 'clock uptime'
if has_clock uptime; then
	with_clock uptime
	start_stream "$TMP/json"
	"$marker" "$D" 500 1000 >"$TMP/marks"
	stop_stream "$child" "$TMP/marks" "$TMP/json"
	check_marks 'a stream in ticks' "$TMP/marks" "$TMP/json" 0
	"$marker" "$D" 200 500 >"$TMP/marks"
	t -q -i "$I" --format json --precision ns -o "$TMP/json" drain
	check_marks 'drain in ticks' "$TMP/marks" "$TMP/json" 0
else
	skip "$case_name" 'this kernel has none'
fi

begin 'clock counter'
if has_clock counter; then
	with_clock counter
	for n in 1 2 3; do
		echo "mark $n" >"$D/trace_marker"
	done
	t -q -i "$I" --format json drain
	expect 0 'drain succeeds'
	same "$(grep -c '"type":"event","time":null,.*"error_ns":null,.*"mark [123]' "$TMP/out")" 3 'its events have no time'
	echo 'mark 4' >"$D/trace_marker"
	t -i "$I" drain
	prints '^# tracesh: .*clock counter, which has no wall-clock time' 'a line says so'
else
	skip "$case_name" 'this kernel has none'
fi

finish
