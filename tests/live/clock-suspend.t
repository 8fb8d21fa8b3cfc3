#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 600
# in a guest of its own, in memory
# The wall clock of events when the machine sleeps in the middle of streams. As in clock-proof.t each mark has to be
# within its error, and the error small. A guest with devices of the host's does not wake up.
# needs guest-in-memory
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
[ -e /run/vm/in-memory ] || skip_all 'suspends the machine: only in a guest of tests/vm/boot -m'
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-clock.sh"
alarm=/sys/class/rtc/rtc0/wakealarm
grep -qsw mem /sys/power/state || skip_all 'this kernel cannot suspend'
[ -e $alarm ] || skip_all 'there is nothing that could wake this machine up'

# sleep_well SECONDS: as if the lid was shut
sleep_well()
{
	echo 0 >$alarm
	echo "+$1" >$alarm
	true_that 'the machine sleeps' sh -c 'echo mem >/sys/power/state'
}

# Of those that go on meanwhile, and of those that stop.
set -- 'boot mono local' 'tai mono_raw perf'
seconds=10 drained='boot tai'
[ -z "${TRACESH_VM_SAMPLE-}" ] || { set -- 'tai mono_raw'; seconds=4 drained=boot; }
for clocks_here; do
	begin "suspend: $clocks_here"
	# shellcheck disable=SC2046,SC2086 # words
	set -- $(known $clocks_here)
	streams "$@"
	mark 2000 12000 "$@"
	sleep 2.3
	before=$(cut -d ' ' -f 1 /proc/uptime)
	sleep_well $seconds
	diag "uptime $before before, $(cut -d ' ' -f 1 /proc/uptime) after"
	marked "$@"
	end_streams "$@"
done

for clock in $(known $drained); do
	begin "suspend before drain: $clock"
	with_clock "$clock"
	"$marker" "$D" 1000 1000 >"$TMP/marks"
	sleep_well $seconds
	t -q -i "$I" --format json --precision ns -o "$TMP/json" drain
	expect 0 'drain succeeds'
	check_marks drain "$TMP/marks" "$TMP/json" "$(limit "$clock")"
done

# What was written before a sleep has no true time on a clock that stopped: that is said, and for others it is not.
for clock in $(known mono boot); do
	begin "what is said after a sleep: $clock"
	with_clock "$clock"
	echo here >"$D/trace_marker"
	for command in show drain 'time -1s'; do
		# shellcheck disable=SC2086 # words
		t -i "$I" $command
		case $clock in
		mono) prints ', if the clock was not set, and the machine did not sleep, since' "$command" ;;
		*) prints ', if the clock was not set since' "$command" ;;
		esac
	done
done

finish
