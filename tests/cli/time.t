#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time, --since and --until on recordings: moments in several spellings and zones, ranges, what is refused.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
cp -R "$SRC/tests/unit/trees/s390x-6.1" tree
chmod -R u+w tree
# Without the kernel's own text its pages are shown.
rm tree/trace
all=353
first='2026-11-21 21:13:24.329'

t()
{
	run "$TRACESH" --tracefs tree "$@"
}

# lines: how many events were printed
lines()
{
	grep -c '^ .*\[00[01]\]' out
}

# Its clock is local: the error is 1 ms more for each second.
for text in '2026-11-21 21:13:24.34' '2026-11-21T21:13:24.34Z' 21:13:24.34 '2026-11-21 22:13:24,34 +01:00' \
	@1795295604.34 'Nov 21 21:13:24.34'; do
	t --json time "$text"
	is "$status $(sed 's/.*"time":"\([^"]*\)","trace":"\([0-9.]*\)".*/\1 \2/' out)" \
		'0 2026-11-21T21:13:24.340000000+00:00 56.488341' "time $text"
done
t --tz Europe/Berlin --time iso time 22:13:24.34
[ ! -e /usr/share/zoneinfo/Europe/Berlin ] ||
	is "$(sed -n 's/^time: *//p' out)" '2026-11-21T22:13:24.340000000+01:00' 'time: in the zone in use'
t time 56.488341
like "$out" '^time: *2026-11-21 21:13:24\.3[34][0-9]* \+0000$' 'a stamp'
like "$out" '^trace: *56\.488341$' 'is printed as it was given'
like "$out" '^error: *\+-' 'with its error'
for text in 'Sat, 21 Nov 2026 22:13:24.34 +0100' 'Sat, 21 Nov 2026 21:13:24.34 GMT' '21/Nov/2026:21:13:24.34 +0000' \
	'[21/Nov/2026:21:13:24.34 +0000]' 'Sat Nov 21 21:13:24.34 2026' '2026/11/21 21:13:24.34' -1.66s; do
	t --json time "$text"
	like "$out" '"time":"2026-11-21T21:13:24.3[34][0-9]*\+00:00"' "time $text"
done
t time -0m30s500ms
like "$out" '^time: *2026-11-21 21:12:55\.499999999' 'half a minute and a bit before the end'
t time -1d
is "$status" 1 'a day before it'
like "$err" 'had not begun to count then' 'the clock had not begun'

t time now
like "$out" '^time: *2026-11-21 21:13:25\.999999999 \+0000$' 'now is the end of the recording'
t --format csv time now
is "$(head -n 1 out)" 'time,trace,ts,error_ns,age,clock' 'CSV'

t show
is "$status $(lines)" "0 $all" 'all events'
t show --since 21:13:24 --until 21:13:24
is "$(lines)" "$all" 'a second is all of it'
t drain --since -10s --until now
is "$(lines)" "$all" 'ten seconds before the end'
t drain --since 21:13:24.35
since=$(lines)
true=$(grep '^ ' out | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^21:13/) { print ($i >= "21:13:24.349"); next } }' | sort -u)
is "$true" 1 '--since: none is from before'
t drain --until 21:13:24.349999999
until=$(lines)
ok 'each event is on one side, but for those within the error' \
	test $((since + until)) -ge $all -a $((since + until)) -lt $((all + 20))
like "$err" "^$until events, $((all - until)) outside of the range not printed, 0 lost" 'the others are counted'
t show -n 5 --until 21:13:24.349999999
is "$(lines)" 5 'show -n: the last five of those'
t drain -n 5 --since 21:13:24.35
is "$(lines)" 5 'drain -n: five of those'
like "$err" '^5 events, [1-9][0-9]* outside of the range' 'and what came before them is counted'
t --json drain --since 21:13:24.35
is "$(grep -c '"type":"event"' out) $(sed -n 's/.*"type":"end","events":\([0-9]*\),.*/\1/p' out)" "$since $since" 'JSON'
is "$(sed -n 's/.*"type":"end",.*"outside":\([0-9]*\),.*/\1/p' out)" $((all - since)) 'and how many were outside'
t --format kernel drain --since 21:13:24.35
is "$(grep -c '^ ' out)" "$since" "the kernel's lines"
t drain --since 2026-11-22T00:00:00
is "$status $(lines)" '0 0' 'a range without events'
like "$err" "^0 events, $all outside of the range not printed, from $first[0-9]* to " 'when they were is said'

# refused WORDS COLUMN MESSAGE: also where nothing is run
refused()
{
	for check in '' -n; do
		# shellcheck disable=SC2086
		t $check -c "$1"
		is "$status" 2 "$1: is refused${check:+ under -n}"
		like "$err" "^<-c 1>:1:$2: error: .*$3" "$1: where and why"
	done
}
refused 'show --since yesterday' 14 'this is no moment'
refused 'show -n 3 --until=21:60:00' 22 'minutes are 00 to 59'
refused 'drain --since 2026-02-29T00:00:00' 15 'February 2026 has 28 days'
refused 'drain --since 1795295604' 15 'is no wall-clock time'
like "$err" '@1795295604' 'seconds since 1970 have an @'
refused 'drain --since now --until -1s' 27 "is before 'now'"
refused 'stream --since' 8 "needs a value"
refused 'time 21:13:24 CEST' 15 'another name at that time'
refused 'drain --since -1m30' 18 'not a time relative to now'
refused 'drain --since "Sun, 22 Nox 2026 02:41:41 +0100"' 24 'this is no month'
refused 'time Mon, 22 Nov 2026 02:41:41 +0100' 6 '22 November 2026 is a Sunday'
refused "show --since '22/Nov/26:02:41:41 +0000'" 22 'years have four digits'
t time 1999-12-31 23:59:59
is "$status" 1 'before the clock began'
like "$err" 'had not begun to count then' 'is said'

# Zones that count leap seconds: as date(1) has them, whatever it makes of the machine's clock.
# In this recording the trace clock is the wall's.
cp -R "$SRC/examples/recorded" early
chmod -R u+w early
printf 'boot\nwall 1000000000 1000000000 1000000000 0 0 0\n' >early/tracesh/clock
for zone in UTC Europe/Berlin America/New_York; do
	# Musl counts no leap seconds.
	if [ ! -e "/usr/share/zoneinfo/right/$zone" ] || ! TZ=right/$zone date -d @0 >/dev/null 2>&1 ||
	   "$TRACESH" --version | grep -q ', static)$'; then
		ok "right/$zone # SKIP there is no such zone here, date(1) knows no -d, or the program is static" true
		continue
	fi
	# date(1) is asked the moment that ours counts ns of: the end of 2016 had a leap second
	for second in 1795295604 1483228824 1483228825 1483228826 1483228827 1483228828 1467331225 1720000000; do
		run "$TRACESH" --tracefs early --tz "right/$zone" --format csv --time wall time @$second
		want=$(TZ=right/$zone date -d @$second '+%Y-%m-%dT%H:%M:%S.%N')
		like "$out" "^$want" "right/$zone: @$second is printed as date prints it"
	done
	for text in '2026-11-21 21:13:24' '2017-01-01 00:00:00' '2016-12-31 23:59:59' '2026-07-01 12:00:00' \
		'2026-11-21 21:13:24+01:00' '2026-11-21 21:13:24Z' '2016-12-30 00:00:00Z' '2017-01-02 00:00:00-05:00' \
		'Sat, 21 Nov 2026 21:13:24 +0100'; do
		run "$TRACESH" --tracefs early --tz "right/$zone" --json time "$text"
		is "$(sed -n 's/.*"ts":"\([0-9]*\).*/\1/p' out)" "$(TZ=right/$zone date -d "$text" +%s)000000000" \
			"right/$zone: '$text' is when date says it is"
	done
done

# The kernel's own text of function_graph, and events that are missing at the edges of a range.
cp -R "$SRC/examples/recorded" graph
chmod -R u+w graph
mkdir -p graph/options
echo function_graph >graph/current_tracer
cat >graph/trace <<'TRACE'
# tracer: function_graph
#
#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS
#      |          |     |    |           |   |                     |   |   |   |
    3.700000 |   0)    cat-100     |   1.000 us    |  one();
CPU:1 [LOST 17 EVENTS]
    3.800000 |   1)    sh-101      |   2.000 us    |  two();
    3.900000 |   0)    sh-101      |   2.000 us    |  three();
CPU:1 [LOST 5 EVENTS]
    4.000000 |   1)    sh-101      |   2.000 us    |  four();
CPU:1 [LOST 6 EVENTS]
    4.100000 |   1)    sh-101      |   2.000 us    |  five();
TRACE
run "$TRACESH" --tracefs graph show
from=$(sed -n 's/ |.*two();$//p' out) to=$(sed -n 's/ |.*three();$//p' out)
# graph WANT ARGUMENT..: the functions that are printed, and how many are lost
graph()
{
	want=$1
	shift
	run "$TRACESH" --tracefs graph "$@"
	is "$(sed -n 's/^# cpu 1: \([0-9]*\) events lost/\1/p; s/.* \([a-z]*\)();$/\1/p' out | tr '\n' ' ')" "$want" "graph: $*"
}
graph 'one 17 two three 5 four 6 five ' show
graph '17 two three 5 ' show --since "$from" --until "$to"
graph '17 two three 5 four 6 five ' show --since "$from"
graph 'one 17 two 5 ' show --until "$from"
graph '5 four 6 five ' show -n 2 --since "$from"

printf 'counter\n' >tree/tracesh/clock
printf '[counter]\n' >tree/trace_clock
for command in 'time now' 'show --since -5s' 'show -n 1 --since -5s' 'drain --since -5s'; do
	# shellcheck disable=SC2086
	t $command
	is "$status" 1 "counter: $command"
	like "$err" "the clock 'counter' is no time" "counter: $command: is said"
done
rm tree/tracesh/clock
printf '[boot]\n' >tree/trace_clock
for command in 'time now' 'show --since -5s'; do
	# shellcheck disable=SC2086
	t $command
	is "$status" 1 "no calibration: $command"
	like "$err" 'wall-clock time' "no calibration: $command: is said"
done

done_testing
