#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# merge: streams of several hosts as one; files, pipes that are silent, signals, names before lines, what is no JSON.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
tab=$(printf '\t')

m()
{
	run timeout -k 5 60 "$TRACESH" "$@"
}

# start HOST BOOT; event SECOND COMM [ERROR [MORE]]; lost SECOND; end EVENTS
start()
{
	printf '{"type":"start","format":1,"host":"%s","boot_id":"%s","kernel":"6.1.0","instance":"own","clock":"boot","error_ns":18}\n' "$1" "$2"
}

event()
{
	printf '{"type":"event","time":"2024-01-02T22:47:%s+00:00","ts":"9007199254740993","error_ns":%s,"cpu":1,"pid":7,"tgid":6,"comm":"%s","flags":"d..2.","event":"sched:sched_waking"%s,"fields":{"comm":"x y","pid":5,"args":[1,2]}}\n' \
		"$1" "${3:-18}" "$2" "${4-}"
}

lost()
{
	printf '{"type":"lost","time":"2024-01-02T22:47:%s+00:00","cpu":1,"count":21}\n' "$1"
}

end()
{
	printf '{"type":"end","events":%s,"lost":0,"seconds":2.000123}\n' "$1"
}

# order: the tasks of the events that were printed, in their order, with their marks
order()
{
	sed -n 's/^[^#].* \([^ ]*\)-7 .*d\.\.2\. \([!~?]*\)2024.*/\2\1/p' out | tr '\n' ' '
}

{ start red 1; event 01.5 r1; lost 03.1; event 03.1 r2; echo '{"type":"note","text":"a note"}'; event 05.5 r3; end 3; } >red.json
{ start blue 2; event 01.7 b1; event 03.1 b2; event 04 b3; end 3; } >blue.json

# Text

m merge red.json blue.json
is "$status: $(order)" '0: r1 b1 r2 ~b2 b3 r3 ' 'by the wall clock; equal times in the order of the files'
is "$(sed -n '/^# red: cpu/{n;p;}' out | cut -c 1-9)" 'red      ' 'lost events stand where they are missing'
like "$out" '^# red: cpu 1: 21 events lost$' 'and are said'
like "$out" '^# red: a note$' 'a note'
is "$(grep r1- out)" \
	'red                r1-7       [001] d..2. 2024-01-02 22:47:01.500000: sched_waking: comm=x y pid=5 args={1,2}' \
	'a line: the host, then what stream prints, with the fields'
is "$(head -n 3 out)" '# tracesh: times local (+0000), the hosts'\'' clocks taken as in step
# red: instance own, clock boot, error +-518 ns, kernel 6.1.0, of red.json
# blue: instance own, clock boot, error +-518 ns, kernel 6.1.0, of blue.json' 'the header: each host'
is "$err" 'red: 3 events, 21 lost, 2 s
blue: 3 events, 0 lost, 2 s
6 events of 2 hosts, 21 lost, 1 not ordered for sure' 'the summary'
m merge blue.json red.json
is "$(order)" 'r1 b1 b2 ~r2 b3 r3 ' 'the files the other way round'

{ start red 1; event 06.5 r4; end 1; } >red-2.json
m merge red.json red-2.json
is "$(sed -n 's/^# red: instance.*, of //p' out)" 'red.json
red-2.json' 'two streams of a host: of which file each is'
rm red-2.json

m --time utc --columns host merge red.json
is "$status" 2 'a column that there is not'
m --columns time,comm,text --show-error merge red.json
like "$out" '^red 2024-01-02 22:47:01\.500000 \+-518ns r1 +sched_waking: comm=x y' 'columns that were chosen, with the error'
m --time delta merge red.json blue.json
like "$out" 'b1-7 .* 0\.200000: ' 'the time since the line before, of any host'
m --tz UTC-8 --time iso --precision ns merge red.json
like "$out" '2024-01-03T06:47:01\.500000000\+08:00' 'times in the zone that is asked for'
m --format kernel merge red.json
is "$status" 2 'JSON has not the text of the kernel'
m merge -n 2 red.json blue.json
is "$status: $(order)" '0: r1 b1 ' '-n'
like "$err" '^2 events of 2 hosts, 0 lost$' '-n: the sum is of what is printed'
# The day of a time is that of the last event, as in a recording; an age counts from it.
m merge --since 22:47:03.2 red.json blue.json
is "$status: $(order)" '0: b3 r3 ' '--since TIME: on the day of the events'
m merge --since -2s - <blue.json
is "$status: $(order)" '0: b2 b3 ' '--since -2s: before the last event, of stdin too'
: >empty.json
m merge --since -2s blue.json empty.json
is "$status: $(order)" '0: b2 b3 ' '--since -2s: a file without a time does not count'
m merge --until 22:49 red.json blue.json
like "$err" "'22:49' is 115 s after the end of the recording: it excludes no event" 'a time behind it is said to be'
cat red.json | m merge --since -2s -
like "$(cat err)" '3 outside of the range not printed, from 2024-01-02' 'of a pipe it is today, and an age is that of now'
m merge --since 2024-01-02T22:47:03Z --until 2024-01-02T22:47:04Z red.json blue.json
is "$(order)" 'r2 ~b2 b3 ' '--since and --until'
is "$err" 'red: 1 event, 21 lost, 2 s
blue: 2 events, 0 lost, 2 s
3 events of 2 hosts, 3 outside of the range not printed, 21 lost, 1 not ordered for sure' 'the sums are of what is printed; what is outside is counted'
m merge --skew 1s red.json blue.json
is "$(order)" 'r1 ~b1 r2 ~b2 ~b3 r3 ' '--skew: the clocks may differ by so much'

# JSON and CSV

m --json merge red.json blue.json
cp out all.json
is "$(grep -c . out)" 13 'JSON: every line, and the summary'
like "$out" '^\{"host":"blue","type":"event",.*"comm":"b2".*,"unordered":true\}$' 'with its host and its marks'
is "$(tail -n 1 out)" '{"type":"merged","events":6,"lost":21,"unordered":1,"late":0,"cut":0,"bad_lines":0,"hosts":[{"host":"red","events":3,"lost":21,"unordered":0,"late":0,"cut":0,"seconds":2.000123},{"host":"blue","events":3,"lost":0,"unordered":1,"late":0,"cut":0,"seconds":2.000123}]}' \
	'the summary'
if command -v jq >/dev/null; then
	is "$(jq -r 'select(.type=="event") | .host + .comm' out | tr '\n' ' ')" \
		'redr1 blueb1 redr2 blueb2 blueb3 redr3 ' 'jq reads it'
else
	skip 'jq reads it' 'no jq'
fi
m --json merge all.json
is "$(grep -v '"type":"merged"' out)" "$(grep -v '"type":"merged"' all.json)" 'what was merged is merged again'
m --format csv merge red.json blue.json
is "$(sed -n '1p;5,6p' out)" 'host,time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text
red,2024-01-02 22:47:03.100000,9007199254740993,518,1,7,6,r2,d..2.,sched:sched_waking,"comm=x y pid=5 args={1,2}"
blue,2024-01-02 22:47:03.100000,9007199254740993,518,1,7,6,b2,d..2.,sched:sched_waking,"comm=x y pid=5 args={1,2}"' \
	'CSV: the host first'
like "$out" '^red,2024-01-02 22:47:03.100000,,,1,,,,,lost,21$' 'CSV: lost events'

# Names before the lines

{ sed "s/^/r1$tab/" red.json; sed "s/^/b1$tab/" blue.json; } >tagged
m merge - <tagged
is "$status: $(order)" '0: r1 b1 r2 ~b2 b3 r3 ' 'parallel --tag: grouped, and put in order'
like "$out" '^# red@r1: .*, of stdin: r1$' 'a name before the lines that is not the host'"'"'s stands behind it'
{ sed 's/^/r1: /' red.json; sed 's,^,trace/b1 ,' blue.json; } | m merge -
is "$(order)" 'r1 b1 r2 ~b2 b3 r3 ' 'pdsh, and topics of mosquitto_sub -v'
sed 's/"host":"[a-z]*",//' red.json | sed 's/^/one: /' >unnamed
m merge unnamed
like "$out" '^one  *r1-7' 'without a host of its own a line has the name before it'
sed 's/"host":"[a-z]*",//' red.json >name.json
m merge name.json
like "$out" '^name  *r1-7' 'or its file'"'"'s'
{ start red 1; start blue 2; event 01 x; } >doubtful
m merge doubtful
like "$err" "'doubtful' has lines of several hosts, and nothing says whose: .*--tag" 'a mix without names is told so'
{ start pi 1; event 01 p1; end 1; } >pi1.json
{ start pi 2; event 02 p2; end 1; } >pi2.json
m merge pi1.json pi2.json
like "$out" '^pi#2 .*p2-7' 'two machines of one name'

# A board that calls itself another, with that one's boot; and one that does so alone.
{ start good 1; event 01 g1; end 1; } >good.json
{ start good 1; event 02 e1; end 1; } >evil.json
for labels in 'good evil good@evil' 'trace/good trace/evil good@trace/evil' 'root@good.example.org good.example.com good#2' \
	'trace/good/sched trace/evil/good good#2' 'good goodly good@goodly' 'good ungood good@ungood'; do
	# shellcheck disable=SC2086 # three words
	set -- $labels
	{ sed "s,^,$1$tab," good.json; sed "s,^,$2$tab," evil.json; } >mix
	m merge mix
	like "$out" "^$3 .* e1-7" "$2: is not taken for $1"
	like "$out" '^good .* g1-7' "$2: which keeps its name"
	like "$err" "^'good' and '$3' both call themselves 'good', and say that they are one machine" "$2: and that is said"
	m --json merge mix
	like "$out" "^\{\"host\":\"$3\",.*\"comm\":\"e1\"" "$2: JSON: the same"
done
sed "s,^,evil$tab," evil.json >mix
m merge mix
like "$out" '^good@evil .* e1-7' 'alone it is not taken for it either'
{ sed "s,^,good$tab," good.json; sed "s,^,good$tab," evil.json; } >mix
m merge mix
like "$err" '^2 events of 1 host, ' 'of one name before the lines it is one host'

# What is wrong with them

{ start red 1; event 01 r1; event 03 r3; event 02 r2; } >cut.json
m merge cut.json
is "$status: $(order)" '0: r1 r3 !r2 ' 'a step back within a stream'
like "$err" '^red: 3 events, 0 lost, 1 late, 2 s; its stream has no end line: it was cut off$' 'a stream without an end'
{ cat red.json; echo 'a message of ssh'; printf '{"type":"event","ti'; } >bad.json
m merge bad.json
is "$status" 0 'a line that is no JSON is no end'
like "$err" "^2 lines of 'bad.json' are none of tracesh's JSON: the first is line 8; the last one is cut off\$" 'but is said'
{ cat red.json; printf '{"type":"event","ti'; } >bad.json
m merge bad.json
like "$err" "^the last line of 'bad.json' \(8\) is cut off\$" 'a last line without an end'
: >empty.json
m merge empty.json red.json
like "$err" "^'empty.json' is empty\$" 'an empty file'
m merge "$SRC/README.md"
is "$status" 1 'no JSON at all'
like "$err" 'no line is one of tracesh.s JSON' 'is said'
like "$err" '^hint: .*--json' 'with what would be'
m merge red.json nosuch.json
is "$status: $out" '1: ' 'a file that is not there: nothing is printed'
like "$err" "cannot open 'nosuch.json'" 'it is named'
m merge "$TMP"
is "$status" 1 'a folder'
m merge - - <red.json
is "$status" 2 'stdin once only'
cp red.json same.json
m -o same.json merge same.json blue.json
is "$status $(cmp same.json red.json && echo kept)" '1 kept' 'what is written to is not read'
{ start red 1 | sed 's/"boot","error_ns":18/"counter","error_ns":null/'; event 01 x | sed 's/"2024[^"]*"/null/'; } >counter.json
m merge counter.json
is "$status" 1 'no event with a wall-clock time'
like "$err" "error: no event has a wall-clock time, by which they are merged: the first is line 2 of 'counter.json'" 'the first is named'
like "$err" '^hint: .*clock boot' 'with what to type'
m merge counter.json blue.json
is "$status: $(order)" '0: b1 b2 b3 ' 'beside others they are left out'
like "$err" "^1 event of 'counter.json' has no wall-clock time and is left out: line 2 \(before recording there: clock boot\)" 'with file and line'
like "$err" '^3 events of 2 hosts, 1 left out without a wall-clock time, 0 lost' 'and counted'
m --json merge counter.json blue.json
like "$out" '^\{"type":"merged","events":3,.*"late":0,"untimed":1,"cut":1,' 'JSON: counted'
printf '{"type":"start","host":"a\\u001b[2Jb\\u202e","boot_id":"1"}\n{"type":"event","time":"2024-01-02T22:47:01Z","comm":"\\n# x\\u009b\302\233\377","pid":1,"fields":{"\\u0007":"\177"}}\n' >hostile.json
for format in text json csv; do
	m --format $format merge hostile.json
	is "$status $(LC_ALL=C tr -d '\n -~' <out | wc -c) $(LC_ALL=C tr -d '\n -~' <err | wc -c)" '0 0 0' "$format: nothing hostile comes out"
done

# No stream says what merge says: the host and the marks. What reads the JSON takes the last of two keys of a name.
# speaks KEY:VALUE: an event with that in front of the others and behind them
speaks()
{
	printf '{"type":"event","time":"2024-01-02T22:47:01Z",%s,"pid":1,"comm":"x","event":"a:b"}\n' "$1"
	printf '{%s,"type":"event","time":"2024-01-02T22:47:02Z","pid":1,"comm":"x","event":"a:b"}\n' "$1"
}
for key in '"\u0068ost":"good"' '"hos\u0074":"good"' '"host\u0000":"good"' '"host":null' '"host":{"host":"good"}' '"host":["good"]' \
	'"host":true' '"host":7' '"host" : ""' '"late":false' '"l\u0061te":true' '"late":"good"' '"unordered":{"a":[1]}' \
	'"\u0075nordered":1' '"\u0074ype":"lost"' '"\u0074ime":"2020-01-02T22:47:02Z"' '"ti\u006de\u0000":1'; do
	{ start evil 1; speaks "$key"; end 2; } >evil.json
	m --json merge evil.json
	is "$(sed -n 's/^{"host":"\([^"]*\)","type":"event","time":"2024-01-02T22:47:0[12]Z".*/\1/p' out | tr '\n' ' ')" 'evil evil ' \
		"JSON: $key: the event is of its host"
	unlike "$(grep -v 'merged\|"end"' out)" '(good|late|unordered|lost|2020|"host.*"host":|"type.*"type":|"time.*"time":)' "JSON: $key: nothing else says so"
	m merge evil.json
	is "$(grep -c '^evil  *x-1 .* 2024-01-02 22:47:0' out)" 2 "text: $key: the same"
done
for twice in '"type":"event"' '"type":"lost"' '"time":"2024-01-02T22:47:01Z"' '"comm":null' '"pid":{}' '"event":"a:c"' '"host":"a","host":"b"' \
	'"late":true,"late":false' '"fields":{},"fields":1'; do
	{ start evil 1; event 01.5 r1; speaks "$twice"; } >evil.json
	for format in text json csv; do
		m --format $format merge evil.json
		is "$status $(grep -c 22:47 out)" '0 1' "$format: a line that says a thing twice is none of tracesh's: $twice"
		like "$err" "^2 lines of 'evil.json' are none of tracesh's JSON" "$format: and is counted: $twice"
	done
done
{ start evil 1; speaks '"\u00e9":{"a\u0000\u001b":"\u0000","a":1}'; } >evil.json
m --json merge evil.json
like "$out" '"\xc3\xa9":\{"a\\u0000\\u001b":"\\u0000","a":1\}|"é":\{"a\\u0000\\u001b":"\\u0000","a":1\}' 'keys of others stay whole'

# Pipes

# until_out REGEX: until a line of it has come
until_out()
{
	tries=0
	until grep -Eq -e "$1" out 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.1
	done
}

# follow ARGUMENT..: merges the pipes a and b in the background; 8 and 9 write to them
follow()
{
	rm -f a b out err
	mkfifo a b
	# A shell's background processes ignore SIGINT.
	env --default-signal=INT,QUIT "$TRACESH" "$@" a b >out 2>err &
	merging=$!
	exec 8>a 9>b
}

# ended: waits for it, for its status
ended()
{
	status=0
	wait "$merging" || status=$?
	exec 8>&- 9>&-
}

# finished: the same after the end of the pipes
finished()
{
	exec 8>&- 9>&-
	ended
}

follow merge --delay 50ms
{ start red 1; event 05 r1; } >&8
ok 'what waits for a silent pipe goes out after the delay' until_out 'r1-7'
{ start blue 2; event 03 b1; event 06 b2; } >&9
ok 'what comes late of it goes out, too' until_out 'b2-7'
{ event 07 r2; end 2; } >&8
end 2 >&9
finished
is "$status: $(order)" '0: r1 !b1 b2 r2 ' 'with a mark'
like "$(cat err)" '^4 events of 2 hosts, 0 lost, 1 late' 'and is counted'

follow merge --delay 1h
{ start red 1; event 05 r1; } >&8
{ start blue 2; event 03 b1; event 06 b2; } >&9
ok 'nothing waits when every pipe has said something' until_out 'r1-7'
event 07 r2 >&8
ok 'nor for one that goes on' until_out 'b2-7'
finished
is "$status: $(order)" '0: b1 r1 b2 r2 ' 'the end of the pipes is the end'

follow merge --delay 1h
{ start red 1; event 05 r1; } >&8
ok 'the header does not wait' until_out '^# red: '
kill -INT "$merging"
ended
is "$status: $(order)" '0: r1 ' 'Ctrl-C: what was held is printed'

follow merge --delay 1h
{ start red 1; event 05 r1; } >&8
ok 'again' until_out '^# red: '
kill -TERM "$merging"
ended
is "$status" 143 'SIGTERM ends it'
like "$(cat err)" '0 events of 1 host, 0 lost; ended by a signal: the lines that were not printed by then are missing$' 'which is said'

# A signal is heard while a file without a line is read: without that the limit of CPU time ends it.
if truncate -s 4T sparse 2>/dev/null; then
	# in_sparse SIGNAL ARGUMENT..: a merge that gets it in the middle of the file
	in_sparse()
	{
		signal=$1
		shift
		(ulimit -t 20; exec env --default-signal=INT "$TRACESH" "$@" sparse >out 2>err) &
		merging=$!
		until ls -l "/proc/$merging/fd" 2>/dev/null | grep -q sparse; do sleep 0.05; done
		kill -"$signal" "$merging"
		status=0
		wait "$merging" || status=$?
	}
	in_sparse TERM merge
	is "$status" 143 'SIGTERM ends it in a file that has no line'
	like "$(cat err)" 'ended by a signal: the lines that were not printed by then are missing$' 'and what is missing is said'
	in_sparse TERM --json merge
	like "$(cat out)" '^\{"type":"merged",.*"unread":true' 'in JSON, too'
	in_sparse INT merge
	like "$status: $(cat err)" '^0: .*; some events that were in the buffer at Ctrl-C were not read$' 'and at Ctrl-C'
	in_sparse INT --json merge
	like "$status: $(cat out)" '^0: \{"type":"merged",.*"unread":true' 'in JSON, too'
	rm sparse
else
	skip 'SIGTERM in a file that has no line' 'no file can be so large here'
fi

# As many machines of one name as there can be, each with a boot of its own.
awk 'BEGIN { for (i = 1; i <= 4100; i++)
	printf "s%d/h\t{\"type\":\"start\",\"format\":1,\"host\":\"h\",\"boot_id\":\"b%d\",\"clock\":\"boot\"}\n", i, i }' >crowd.json
(ulimit -t 30; exec timeout -k 5 120 "$TRACESH" merge crowd.json) >out 2>err
is "$?" 0 'machines of one name take a moment, not minutes'
like "$(cat err)" "^4 lines of 'crowd.json' left out: of hosts, or of streams of theirs, beyond 4096$" 'what is beyond the limit is said'
is "$(grep -c '^h#[0-9]*: 0 events' err) $(grep -c '^h#4096: ' err)" '4095 1' 'each has a name of its own'

rm -f a
mkfifo a
"$TRACESH" merge --delay 1h a 2>err | { read -r line; echo "$line"; } >out &
merging=$!
exec 8>a
# it may have ended before all of that is written
(trap '' PIPE; start red 1 >&8) 2>/dev/null || true
wait "$merging" || true
pass 'it ends when nobody reads any more'
exec 8>&-

# The same file twice

{ start alpha b1; event 01.5 a; end 1; } >once
ln -s once twice
m merge once ./twice
is "$status" 1 'a file that is named twice is refused'
like "$err" "error: './twice' is there already, as 'once'$" 'by a link, too'
like "$err" '^hint: each file once' 'with what to type'
m merge once once
like "$err" "error: 'once' is there already$" 'by its name'
m merge once - <once
is "$status" 1 'and as the input'
cp once other
m merge once other
is "$status" 0 'another file of the same text is none of it'

done_testing
