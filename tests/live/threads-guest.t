#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 600
# in a guest of its own
# A busy stream by several threads while a CPU goes offline and comes back, and while the wall clock is set.
# needs guest
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
[ -e /run/vm/main ] || skip_all 'switches CPUs off, and sets the wall clock: only in a guest of tests/vm'
need_tracefs
. "$SRC/tests/live/lib-live.sh"

cpu=/sys/devices/system/cpu/cpu1/online

# busy CPU: a task that makes system calls there as fast as it can
busy()
{
	taskset -c "$1" dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	children="$children $!"
}

# more_bytes BYTES: the stream has written so many since the last call that was true
more_bytes()
{
	[ "$(stat -c %s "$TMP/events")" -ge $((had_bytes + $1)) ] || return 1
	had_bytes=$(stat -c %s "$TMP/events")
}

# comes_from CPU: an event of that one is among the last that were printed
comes_from()
{
	tail -n 2000 "$TMP/events" | grep -q "\"cpu\":$1,"
}

# stream ARG..: by two threads, until it has printed something
stream()
{
	start "$TMP/events" "$TRACESH" --json --threads 2 "$@"
	had_bytes=0
	true_that 'it prints' await more_bytes 100000
	same "$(find "/proc/$child/task" -mindepth 1 -maxdepth 1 | wc -l | sed 's/^[2-9]$/several/')" several 'by several threads'
}

# is_whole: every line of the events is, and their number is that of the sum. In an emulated guest awk is fast enough.
is_whole()
{
	awk '!/^{.*}$/ { print "cut: " $0; bad = 1 }
		/^{"type":"event",/ { n++ }
		{ last = $0 }
		END { sub(/,"lost":.*/, "", last); exit bad || last != "{\"type\":\"end\",\"events\":" n }' "$TMP/events"
}

# is_in_order: the stamps of all that is not marked as late
is_in_order()
{
	awk -F '"ts":"' '/^{"type":"event",/ && !/"late":true/ {
			if ($2 + 0 < before) bad++
			before = $2 + 0
		}
		END { exit bad > 0 }' "$TMP/events"
}

# end_stream: by Ctrl-C
end_stream()
{
	kill -INT "$child"
	true_that 'it ends' ended "$child"
	expect 0 'successfully'
	true_that 'every line is whole, and counted' is_whole
}

begin 'a CPU goes offline and comes back'
if [ ! -e "$cpu" ]; then
	skip "$case_name" 'this guest cannot switch its CPU off'
else
	at_exit "echo 1 >$cpu"
	busy 0
	busy 1
	stream -c 'stream syscalls'
	true_that 'of both CPUs' await comes_from 1
	for round in 1 2 3; do
		echo 0 >"$cpu"
		true_that "$round: offline: it goes on" await more_bytes 100000
		await_not() { ! comes_from 1; }
		true_that "$round: with the events of the other" await await_not
		echo 1 >"$cpu"
		busy 1
		true_that "$round: online: events of both come again" await comes_from 1
	done
	end_stream
	true_that 'in order' is_in_order
fi

begin 'the wall clock is set'
if [ ! -x "$BUILD/tests/helpers/set-clock" ]; then
	skip "$case_name" 'no tests/helpers/set-clock (make check-programs)'
else
	cp "$BUILD/tests/helpers/set-clock" "$TMP/set-clock"
	"$TMP/set-clock" normal
	for clock in boot tai; do
		tr -d '[]' <"$TRACING/trace_clock" | grep -qw "$clock" || continue
		fresh
		echo "$clock" >"$D/trace_clock"
		echo 1 >"$D/events/raw_syscalls/enable"
		busy 0
		busy 1
		stream -i "$I" -c stream
		for seconds in 3600 -3600; do
			"$TMP/set-clock" step $seconds
			true_that "$clock: set by $seconds s: it goes on" await more_bytes 100000
		done
		end_stream
		# the stamps of tai go back with the wall clock
		[ "$clock" = tai ] || true_that "$clock: in order" is_in_order
		same "$(grep -c '"type":"note".*the clock was set' "$TMP/events")" 2 "$clock: it says so, both times"
		reap
		remove_instance
	done
	"$TMP/set-clock" normal
fi

finish
