# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of the wall clock of events; after lib-live.sh.

[ -x "$BUILD/tests/helpers/clock-marks" ] || skip_all 'no tests/helpers/clock-marks (make check-programs)'
# In a guest the build is on a slow file system.
marker=$TMP/clock-marks
cp "$BUILD/tests/helpers/clock-marks" "$marker"

# What the kernel is emulated by, where it is: there a look at the clock takes longer.
emulated=
! grep -qs QEMU /sys/class/dmi/id/sys_vendor && [ ! -e /run/vm/main ] || emulated=yes

# clocks: those of the case's kernel
clocks()
{
	tr -d '[]' <"$TRACING/trace_clock"
}

# has_clock NAME
has_clock()
{
	clocks | grep -qw -e "$1"
}

# limit CLOCK: the largest error that an event of a stream may have, in ns; 0: any. Emulated, a look at the hardware takes
# some us and one at the tracer's clock 20 to 40, longer when others use the host: usual are 0.7 us, 1 us, 12 us; and a slow
# clocksource has perf and global held back by late ticks.
limit()
{
	case $1${emulated:+ emulated} in
	boot | mono | tai) echo 1000 ;;
	mono_raw) echo 3000 ;;
	'boot emulated' | 'mono emulated' | 'tai emulated') echo 6000 ;;
	'mono_raw emulated') echo 8000 ;;
	'perf emulated' | 'global emulated') echo 0 ;;
	*' emulated') echo 100000 ;;
	*) echo 4000 ;;
	esac
}

# with_clock CLOCK: an instance of the case's own that uses it, with room for all marks; $I, $D
with_clock()
{
	fresh
	echo 4096 >"$D/buffer_size_kb"
	echo "$1" >"$D/trace_clock"
}

# instance NAME: one of several that the case has; remove_instance removes the one that was named last
instance()
{
	I=live-$$-$1
	D=$TRACING/instances/$I
}

# start_stream FILE: of the case's instance, in the background; it is $child
start_stream()
{
	rm -f "$1"
	start "$1.out" "$TRACESH" -q -i "$I" --format json --precision ns -o "$1" stream
	await grep -q '"type":"start"' "$1" || fail "$case_name: the stream begins"
}

# stop_stream PID MARKS JSON: when all of these marks have come. Ctrl-C stops it at once.
stop_stream()
{
	await grep -qF "\"mark $(tail -n 1 "$2" | cut -d ' ' -f 1)\\n\"" "$3" || fail "$case_name: the last mark comes"
	kill -INT "$1"
	if ! ended "$1" || [ "$status" -ne 0 ]; then
		fail "$case_name: the stream ends"
		diag "status $status"
		diag <"$3.out.err"
	fi
}

# check_marks WHAT MARKS JSON LIMIT: every mark is there and true; with a LIMIT other than 0 the error of most is at most that
check_marks()
{
	marks=0 missing=0 outside=0 by=0 skipped=0 ambiguous=0 over=0 largest=0 usual=0 bracket=0
	run "$marker" --check "$2" "$3" "$4"
	[ "$status" -ne 0 ] || eval "$out"
	clock_text="$1: $marks marks, brackets of $bracket ns, error $usual ns, at most $largest"
	[ "$ambiguous" -eq 0 ] || clock_text="$clock_text; $ambiguous ambiguous"
	[ "$skipped" -eq 0 ] || clock_text="$clock_text; $skipped across a step"
	diag "$case_name: $clock_text"
	if [ "$status" -eq 0 ] && [ "$marks" -gt 0 ] && [ "$missing" -eq 0 ]; then
		pass "$case_name: $1: every mark has a time and its error"
	else
		fail "$case_name: $1: $missing of $marks marks have no time or no error"
	fi
	if [ "$outside" -eq 0 ]; then
		pass "$case_name: $1: every mark was written within its error of its time"
	else
		fail "$case_name: $1: $outside of $marks marks are wrong by more than their error, by up to $by ns"
		diag "$err"
	fi
	[ "$4" -ne 0 ] || return 0
	# An error is as large as the two looks are far apart: as when we got our CPU. On a busy machine that is often.
	if [ $((over * 2)) -le "$marks" ]; then
		pass "$case_name: $1: the error is at most $4 ns, of most marks"
	else
		fail "$case_name: $1: the error of $over of $marks marks is above $4 ns, up to $largest ns"
	fi
	[ -z "$goes_back" ] || return 0
	if [ $((ambiguous * 10)) -le "$marks" ]; then
		pass "$case_name: $1: next to none is ambiguous"
	else
		fail "$case_name: $1: $ambiguous of $marks marks are ambiguous"
	fi
}

# ---- several clocks at once ----

loose=
# Of a clock that is set back any number of marks may be ambiguous.
goes_back=

# streams CLOCK..: one of an instance with each of them; end_streams ends them
streams()
{
	for clock; do
		instance "$clock"
		mkdir "$D"
		echo 4096 >"$D/buffer_size_kb"
		echo "$clock" >"$D/trace_clock"
		start_stream "$TMP/json-$clock"
		eval "stream_$clock=$child"
	done
}

# mark COUNT MS CLOCK..: so many on each CPU in that time, in each instance at once, in the background
mark()
{
	live_count=$1 live_ms=$2
	shift 2
	for clock; do
		instance "$clock"
		start "$TMP/marks-$clock" "$marker" "$D" "$live_count" "$live_ms"
		eval "marker_$clock=$child"
	done
}

# marked CLOCK..: waits for the end of what mark has started
marked()
{
	for clock; do
		eval "child=\$marker_$clock"
		wait "$child" || fail "$case_name: clock-marks $clock"
	done
}

# end_streams CLOCK..: when all marks have come; and checks them, with $loose more for the limit if that is set
end_streams()
{
	for clock; do
		eval "child=\$stream_$clock"
		stop_stream "$child" "$TMP/marks-$clock" "$TMP/json-$clock"
	done
	for clock; do
		bound=$(limit "$clock")
		[ "$bound" -eq 0 ] || bound=$((bound + ${loose:-0}))
		check_marks "$clock" "$TMP/marks-$clock" "$TMP/json-$clock" "$bound"
		instance "$clock"
		remove_instance
	done
}

# known CLOCK..: those of them that this kernel has
known()
{
	for clock; do
		! has_clock "$clock" || echo "$clock"
	done
}
