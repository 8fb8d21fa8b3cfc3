#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time, --since and --until: wall-clock moments in a trace.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# field NAME: of what time printed
field()
{
	sed -n "s/^$1: *//p" "$TMP/out"
}

# stamp_of TEXT: the kernel's time of the marker with that text
stamp_of()
{
	sed -n "s/.* \([0-9]*\(\.[0-9]*\)\{0,1\}\): tracing_mark_write: $1\$/\1/p" "$D/trace"
}

# near A B MS WHAT: two stamps are not further apart
near()
{
	true_that "$4 ($1, $2)" awk -v a="$1" -v b="$2" -v ms="$3" '
		BEGIN { d = (a - b) * 1000; exit !(d <= ms && d >= -ms) }'
}

# seconds "DATE HH:MM:SS.NS ..": a wall-clock time as seconds of this hour; epoch and ns are too long for awk
seconds()
{
	echo "$1" | awk '{ split($2, part, ":"); printf "%.6f", part[2] * 60 + part[3] }'
}

for clock in boot mono local; do
	begin "round trip, $clock"
	fresh
	t -i "$I" -q clock "$clock"
	# The first look at the clock of a cold machine is not the quickest.
	t -i "$I" time
	expect 0 'now'
	prints "^clock: *$clock, error \+-" 'the clock and its error are said'
	before=$(date -u '+%Y-%m-%d %H:%M:%S.%N')
	echo here >"$D/trace_marker"
	after=$(date -u '+%Y-%m-%d %H:%M:%S.%N')
	stamp=$(stamp_of here)
	t -i "$I" time "$stamp"
	expect 0 'a stamp'
	same "$(field trace)" "$stamp" 'the stamp is as it was given'
	wall=$(field time)
	# how long the shell took between its two looks does not matter
	true_that "its wall time is between those of date, or 1 ms from them ($before, $wall, $after)" \
		awk -v a="$(seconds "$before")" -v b="$(seconds "$wall")" -v c="$(seconds "$after")" \
		'BEGIN { exit !(b >= a - 0.001 && b <= c + 0.001 || c < a) }'
	# and back, as it was printed
	t -i "$I" time "$wall"
	expect 0 'a wall time'
	near "$(field trace)" "$stamp" 1 'the stamp comes back'
	prints '^error: *\+-[0-9.]+ [num]*s$' 'the error is said'
	prints '^age: .* ago$' 'how long ago it was is said'
	t -i "$I" time -1s500ms
	expect 0 'a moment before now'
	prints '^clock: .*, if the clock was not set(, and the machine did not sleep,)? since$' 'what it rests on is said'
	t -i "$I" time +1h30m
	expect 0 'a moment ahead'
	prints '^clock: .*, if the clock is not set(, and the machine does not sleep,)? until then$' 'what it rests on is said'
	prints '^age: *in (90 min 0|89 min 5[0-9]) s$' 'when it will be is said'
	# shellcheck disable=SC2046 # as it is typed
	t -i "$I" time $(date -u '+%Y-%m-%d %H:%M:%S')
	expect 0 'in two words, as date prints it'
	t -i "$I" --json time "$(date -u '+%Y-%m-%dT%H:%M:%S.%NZ')"
	json 'JSON has both, and the error' "$TMP/out" '
row = rows[0]
assert row["type"] == "time" and row["clock"] == "'$clock'", row
assert row["time"].endswith("+00:00") and int(row["ts"]) > 0 and row["error_ns"] > 0, row'
done

begin 'ranges'
fresh
# whose error does not grow while a slow machine runs the case
echo boot >"$D/trace_clock"
echo 'marker A' >"$D/trace_marker"
sleep 0.05
from=$(date -u '+%Y-%m-%dT%H:%M:%S.%NZ')
sleep 0.05
echo 'marker B' >"$D/trace_marker"
echo 'marker C' >"$D/trace_marker"
sleep 0.05
to=$(date -u '+%Y-%m-%dT%H:%M:%S.%NZ')
sleep 0.05
echo 'marker D' >"$D/trace_marker"

# markers: those that were printed
markers()
{
	sed -n 's/.*tracing_mark_write: marker //p' "$TMP/out" | tr -d '\n'
}

# shows WANT ARGUMENT..
shows()
{
	want=$1
	shift
	t -i "$I" "$@"
	same "$status $(markers)" "0 $want" "$*"
}

for format in text kernel; do
	shows BCD --format "$format" show --since "$from"
	shows ABC --format "$format" show --until "$to"
	shows BC --format "$format" show --since "$from" --until="$to"
done
shows C show -n 1 --since "$from" --until "$to"
shows ABCD show --since -1h
shows ABCD show --since -1h --until now
shows '' show --until -1h
says 'no event is in the range; 4 are outside of it, from .* to ' 'where the events are is said'
shows '' show --since +1h
says "'\+1h' is in (60 min 0|59 min 5[0-9]) s, if the clock is not set until then: no event before it is printed" 'what is ahead is said'
shows ABCD show --until +1d
says "'\+1d' is in (24 h 0|23 h 59) min, if the clock is not set until then: it excludes no event" 'what is ahead is said'
t -i "$I" --json show --since "$from" --until "$to"
json 'JSON: show' "$TMP/out" '
assert [e["text"][-1] for e in events] == ["B", "C"], events
assert rows[-1]["type"] == "end" and rows[-1]["events"] == 2 and rows[-1]["outside"] == 2, rows'
says '^2 outside of the range not printed$' 'how many were outside is said'
t -i "$I" --json show
json 'JSON: all of them' "$TMP/out" '
assert rows[0]["condition"].startswith("if the clock was not set"), rows[0]
assert rows[-1]["type"] == "end" and rows[-1]["events"] == 4 and "outside" not in rows[-1], rows'
t -i "$I" --format csv show --since "$from" --until "$to"
same "$(grep -c 'marker [BC]' "$TMP/out") $(grep -c 'marker [AD]' "$TMP/out")" '2 0' 'CSV: show'
t -i "$I" --json stream --for 1ms --since +1h
json 'JSON: stream' "$TMP/out" '
assert rows[0]["condition"].endswith("since the event"), rows[0]
assert rows[-1]["type"] == "end" and rows[-1]["events"] == 0 and rows[-1]["outside"] == 4, rows'
for n in A B C D; do
	echo "marker $n" >"$D/trace_marker"
	sleep 0.05
	case $n in
	A) from=$(date -u '+%Y-%m-%dT%H:%M:%S.%NZ') ;;
	C) to=$(date -u '+%Y-%m-%dT%H:%M:%S.%NZ') ;;
	esac
	sleep 0.05
done
# In one session: what a drain reads ahead is the next one's.
shows BC -c "drain -n 1 --since $from --until $to" -c "drain --until $to"
same "$(grep -c '^1 event, 1 outside of the range not printed, 0 lost' "$TMP/err")" 2 \
	'drain -n counts those that are printed; the others are counted and said'
same "$(grep -c marker "$D/trace")" 0 'they are taken out as well'

begin 'stream from a moment on'
fresh
# whose error does not grow while a slow machine runs the case
echo boot >"$D/trace_clock"
echo 'marker A' >"$D/trace_marker"
sleep 0.05
from=$(date -u '+%H:%M:%S.%N')
echo 'marker B' >"$D/trace_marker"
shows B stream --for 100ms --since "$from"
says '^1 event, 1 outside of the range' 'what was before is counted'
t -i "$I" stream --since -5s sched_switch
expect 2 'not with a buffer of its own'
says 'hint: --since goes with --here' 'what it goes with is said'

begin 'lost events'
fresh
echo 4 >"$D/buffer_size_kb"
n=0
while [ $n -lt 500 ]; do
	echo "marker $n with a text that fills the buffer, and another bit" >"$D/trace_marker"
	n=$((n + 1))
done
t -i "$I" drain --since -1h
like "$out" '^# cpu [0-9]*: [0-9]* events lost' "$case_name: in the range they are said"
n=0
while [ $n -lt 500 ]; do
	echo "marker $n with a text that fills the buffer, and another bit" >"$D/trace_marker"
	n=$((n + 1))
done
t -i "$I" drain --since +1h
unlike "$out" 'events lost' "$case_name: before it they are not"

begin 'bad moments'
fresh
# refuses WORDS COLUMN MESSAGE: with the caret there, under -n too
refuses()
{
	for check in '' -n; do
		# shellcheck disable=SC2086
		t -i "$I" $check -c "$1"
		expect 2 "$1: is refused${check:+ under -n}"
		says "$3" "$1: it says why"
		says "^<-c 1>:1:$2: error: " "$1: and where"
	done
}
refuses 'show --since yesterday' 14 "'yesterday': this is no moment"
refuses 'show --since 5m' 14 "this is no moment"
says "did you mean '-5m'" 'what was meant'
refuses 'drain --until 25:00:00' 15 'hours are 00 to 23'
refuses 'drain --until 2024-02-30T00:00:00' 15 'February 2024 has 29 days'
refuses 'show --since 2024-01-02' 14 'is a day without a time'
refuses 'show --since 2024-01-02 22:47:33' 25 "unexpected '22:47:33'"
says 'date and time are one word' 'what to do'
refuses 'show --since -5s --until -10s' 26 "'-10s' is before '-5s'"
refuses 'show --since 12345.678901' 14 "is no wall-clock time"
refuses 'time 22:47:33 CET' 15 'another name at that time'
t -i "$I" time 2001-02-03 04:05:06
expect 1 'before the clock began'
says 'had not begun to count' 'is said'
t -i "$I" time 12345
expect 2 'a whole number of a clock in ns'
says '12345.0 are seconds of that clock' 'is no stamp'

begin 'a clock that is no time'
fresh
echo counter >"$D/trace_clock"
echo here >"$D/trace_marker"
for command in time 'time 22:47:33' 'time 5' 'show --since -5s' 'drain --since -5s' \
	'--format kernel show --since -5s' '--format kernel drain --since -5s'; do
	# shellcheck disable=SC2086
	t -i "$I" $command
	expect 1 "$command"
	says "the clock 'counter' is no time" "$command: is said"
	says 'hint: .*clock boot' "$command: what helps too"
done
true_that 'nothing was taken out' grep -q here "$D/trace"

begin "a clock of each CPU, when only one CPU is ours"
fresh
if preload log-affinity; then
	echo local >"$D/trace_clock"
	ours=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
	run taskset -c "$ours" env LD_PRELOAD="$PRELOAD" AFFINITY_LOG="$TMP/affinity" "$TRACESH" -i "$I" time
	expect 0 'time'
	same "$(sort -u "$TMP/affinity")" "$ours" 'looks from no other'
fi

begin 'lines without a time'
fresh
echo here >"$D/trace_marker"
echo 0 >"$D/options/context-info"
t -i "$I" show --since -5s
expect 1 'show'
says 'context-info is off' 'why'
t -i "$I" drain --since -1h
prints 'here$' 'drain has times all the same'

begin 'a recording'
fresh
# whose error does not grow while a slow machine runs the case
echo boot >"$D/trace_clock"
echo 'marker A' >"$D/trace_marker"
sleep 0.05
from=$(date -u '+%H:%M:%S.%N')
echo 'marker B' >"$D/trace_marker"
echo 'marker C' >"$D/trace_marker"
t -i "$I" record "$TMP/recording" --for 10ms
expect 0 'is made'
sleep 1.2
# tree WANT ARGUMENT..
tree()
{
	want=$1
	shift
	run "$TRACESH" --tracefs "$TMP/recording" "$@"
	same "$status $(markers)" "0 $want" "of a recording: $*"
}
tree BC show --since "$from"
tree C show -n 1 --since "$from"
tree A show --until "$from"
tree BC drain --since "$from"
tree ABC drain --since -1m
tree '' drain --since now
run "$TRACESH" --tracefs "$TMP/recording" time "$from"
expect 0 'time'

begin 'a time as it is printed'
fresh
echo boot >"$D/trace_clock"
for i in 1 2 3 4 5 6 7 8; do echo "marker $i." >"$D/trace_marker"; done
t -i "$I" record "$TMP/printed" --for 10ms
expect 0 'is made'
run "$TRACESH" --tracefs "$TMP/printed" drain
sed -n 's/^.* \([0-9:.]*\): tracing_mark_write: marker \([1-8]\)\.$/\1 \2/p' "$TMP/out" \
	>"$TMP/printed-times"
same "$(grep -c . "$TMP/printed-times")" 8 'eight markers'
while read -r when number; do
	run "$TRACESH" --tracefs "$TMP/printed" drain --since "$when" --until "$when"
	prints "marker $number\.\$" "$when is the event that has it"
done <"$TMP/printed-times"

finish
