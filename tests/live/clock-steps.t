#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# in a guest of its own
# The wall clock of events while the wall clock is set, in the middle of streams: by an hour, by adjtime(), its rate, the
# offset of TAI, a leap second. As in clock-proof.t each mark has to be within its error, and the error small.
# needs guest
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
[ -e /run/vm/main ] || skip_all 'sets the wall clock: only in a guest of tests/vm'
[ -x "$BUILD/tests/helpers/set-clock" ] || skip_all 'no tests/helpers/set-clock (make check-programs)'
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-clock.sh"

setter=$TMP/set-clock
cp "$BUILD/tests/helpers/set-clock" "$setter"

# set_clock WORD..
set_clock()
{
	ok "$case_name: set-clock $*" "$setter" "$@"
}

ok 'the clock runs as after booting' "$setter" normal

# Of tai: the kernel's buffers keep no time that goes backwards. What follows on the same page has the time of the last
# event before, and of those after it the time since; which looks like times before the step.
# shellcheck disable=SC2046 # words
set -- $(known boot mono tai mono_raw local)
[ -z "${TRACESH_VM_SAMPLE-}" ] || set -- boot tai
for clock; do
	begin "$clock: the clock is set"
	streams "$clock"
	mark 1500 4000 "$clock"
	sleep 1.37
	set_clock step 3600
	sleep 1.23
	set_clock step -3600
	marked "$clock"
	[ "$clock" != tai ] || goes_back=yes
	end_streams "$clock"
	goes_back=
	same "$(grep -c '"type":"note".*the clock was set' "$TMP/json-$clock")" 2 'the stream says so, both times'
done

begin 'the rate changes at odd moments'
# shellcheck disable=SC2046 # words
set -- $(known mono_raw local)
streams "$@"
if [ -n "${TRACESH_VM_SAMPLE-}" ]; then
	lines='1,2p; 5,8p'
	mark 900 10000 "$@"
else
	lines='1,$p'
	mark 4000 60000 "$@"
fi
# SECONDS PPM: as far as NTP goes, longer and shorter than any interval between two looks
sed -n "$lines" <<'RATES' >"$TMP/rates"
0.35 500
5.13 -500
3.77 500
9.41 -250
0.57 500
0.11 -500
0.05 500
0.73 -500
12.3 500
1.51 0
0.91 -500
10.7 500
2.49 -500
RATES
while read -r seconds ppm; do
	sleep "$seconds"
	set_clock freq "$ppm"
done <"$TMP/rates"
marked "$@"
set_clock normal
# Between two looks that are 20 ms apart nobody knows when a rate changed.
loose=100000
end_streams "$@"

# Nothing bounds a rate that is set like this: between two looks that are 10 ms apart 1 % is 100 us, and a guest that
# waits for its CPU looks later.
begin 'the tick changes, by more than any rate'
streams "$@"
# seconds before each change
set_ticks='2.35 4.77 2.93 0.63'
if [ -n "${TRACESH_VM_SAMPLE-}" ]; then
	set_ticks='1.35 2.17 1.53 0.63'
	mark 1000 8000 "$@"
else
	mark 2000 15000 "$@"
fi
for tick in 10010 9985 10100 10000; do
	sleep "${set_ticks%% *}"
	set_ticks=${set_ticks#* }
	set_clock tick $tick
done
marked "$@"
set_clock normal
loose=100000
[ -z "$emulated" ] || loose=250000
end_streams "$@"
loose=

begin 'adjtime'
streams "$@"
# As long as it slews by 500 ppm, and longer.
if [ -n "${TRACESH_VM_SAMPLE-}" ]; then
	mark 1000 8000 "$@"
	sleep 1.13
	set_clock slew 1500
	sleep 3.31
	set_clock slew -900
else
	mark 2000 15000 "$@"
	sleep 2.13
	set_clock slew 2500
	sleep 7.31
	set_clock slew -1500
fi
marked "$@"
set_clock normal
loose=100000
end_streams "$@"
loose=

begin 'the offset of TAI changes'
if has_clock tai; then
	streams tai
	mark 1500 4000 tai
	sleep 1.31
	set_clock tai 37
	sleep 1.13
	set_clock tai 36
	marked tai
	goes_back=yes
	end_streams tai
	goes_back=
	set_clock normal
else
	skip "$case_name" 'this kernel has no clock tai'
fi

begin 'a leap second'
# shellcheck disable=SC2046
set -- $(known boot tai mono_raw)
streams "$@"
set_clock leap 5
mark 2000 8000 "$@"
marked "$@"
like "$("$setter" show)" ' tai 1$' "$case_name: one was inserted"
end_streams "$@"
set_clock normal

finish
