#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What there is to trace, and enabling it.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'events, away from a terminal'
t events
expect 0 'succeeds'
sort "$TMP/out" >"$TMP/got"
sort "$TRACING/available_events" >"$TMP/want"
true_that 'is exactly the set of available_events' diff "$TMP/want" "$TMP/got"
true_that 'is sorted and has each event once' test "$(sort -u "$TMP/out" | wc -l)" -eq "$(wc -l <"$TMP/out")"

begin 'events in other formats'
fresh
t -i "$I" --json events sched
expect 0 'JSON succeeds'
if [ -n "$PYTHON" ]; then
	"$PYTHON" -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    assert row["type"] == "event" and row["enabled"] is False, row
    print(row["event"])' <"$TMP/out" | sort >"$TMP/got"
	grep '^sched:' "$TRACING/available_events" | sort >"$TMP/want"
	true_that 'JSON has the same events' diff "$TMP/want" "$TMP/got"
else
	skip "$case_name: JSON has the same events" 'no python3'
fi
t -i "$I" --format csv events sched
same "$(head -n 1 "$TMP/out")" 'event,enabled' 'CSV has a header'
same "$(($(wc -l <"$TMP/out") - 1))" "$(grep -c '^sched:' "$TRACING/available_events")" 'CSV has a row for each'

begin 'events --on'
fresh
echo 1 >"$D/events/sched/sched_process_exit/enable"
t -i "$I" events --on
same "$out" 'sched:sched_process_exit' 'lists the enabled one'
t -i "$I" events --on signal
same "$out" '' 'lists nothing of another system'

begin 'events --field'
t events --field '*addr*'
expect 0 'succeeds'
cut -f 1 "$TMP/out" | sed 's/ .*//' | sort -u >"$TMP/got"
(
	cd "$TRACING/events" &&
		grep -lE '^[[:space:]]field:[^;]*addr' */*/format | sed 's|/format$||; s|/|:|' | sort >"$TMP/all"
)
# events/ftrace is not in available_events
sort "$TRACING/available_events" | comm -12 - "$TMP/all" >"$TMP/want"
true_that 'finds the events whose fields have it in their declaration' diff "$TMP/want" "$TMP/got"

begin 'systems'
t --format csv systems
expect 0 'succeeds'
sed 1d "$TMP/out" | cut -d, -f 1,2 >"$TMP/got"
sed 's/:.*//' "$TRACING/available_events" | sort | uniq -c | awk '{ print $2 "," $1 }' >"$TMP/want"
true_that 'counts the events of each' diff "$TMP/want" "$TMP/got"

begin 'info'
fresh
echo 'prev_pid == 7' >"$D/events/sched/sched_switch/filter"
echo 1 >"$D/events/sched/sched_switch/enable"
t -i "$I" info sched:sched_switch
expect 0 'succeeds'
while read -r word type name offset size sign; do
	[ "$word" = field ] || continue
	prints "^ *$(printf %s "$type" | sed 's/[][]/\\&/g; s/_BLANK_/ /g') +$name +$offset +$size +$sign\$" \
		"has the field $name"
done <<LIST
$(sed -n 's/^\tfield:\(.*\) \([a-z_0-9]*\)\(\[[0-9]*\]\)*;\toffset:\([0-9]*\);\tsize:\([0-9]*\);\tsigned:\([01]\);/\1\3 \2 \4 \5 \6/p' \
	"$TRACING/events/sched/sched_switch/format" | sed 's/0$/no/; s/1$/yes/' |
	awk '{ type = $1; for (i = 2; i <= NF - 4; i++) type = type "_BLANK_" $i
		print "field", type, $(NF - 3), $(NF - 2), $(NF - 1), $NF }')
LIST
prints "id: +$(cat "$TRACING/events/sched/sched_switch/id")\$" 'has the id'
prints 'enabled: +yes' 'has the state'
prints 'filter: +prev_pid == 7$' 'has the filter'
like "$out" '"prev_comm=%s prev_pid=%d' "$case_name: has the print format"

begin 'info --plain'
t info --plain sched:sched_switch
{
	echo sched:sched_switch
	sed -n 's/^\tfield:\([^;]*\);.*/    \1;/p' "$TRACING/events/sched/sched_switch/format" | grep -v ' common_'
} >"$TMP/want"
true_that 'is the list of tplist -v' diff "$TMP/want" "$TMP/out"

begin 'names that match nothing'
t events 'nosuch*thing'
expect 1 'a glob fails'
says "no event matches 'nosuch\\*thing'" 'a glob that matches nothing is said'
t -I "live-$$-$case_number-never" enable sched:sched_swich
expect 1 'an unknown event fails'
says "unknown event 'sched:sched_swich'" 'the word is named'
says "did you mean 'sched:sched_switch'" 'the nearest event is named'
says '\^~~~' 'a caret stands under it'
false_that 'the instance that was made for it is gone' test -d "$TRACING/instances/live-$$-$case_number-never"

begin 'a word that is a system and an event'
both=$(sed 's/:.*//' "$TRACING/available_events" | sort -u >"$TMP/systems"
	sed 's/.*://' "$TRACING/available_events" | sort -u | comm -12 - "$TMP/systems" | head -n 1)
if [ -n "$both" ]; then
	fresh
	t -i "$I" enable "$both"
	expect 1 'is refused'
	says "'$both:'" 'the spelling of the system is shown'
	says ":$both'" 'the spelling of the event is shown'
	same "$(cat "$D/set_event")" '' 'nothing is enabled'
else
	skip "$case_name" 'no such name on this kernel'
fi

begin 'enable, disable'
top_events=$(cat "$TRACING/set_event")
fresh
t -i "$I" enable sched:sched_process_exit signal/signal_generate sched_process_fork
expect 0 'system:name, system/name and a unique name'
same "$(sort "$D/set_event" | tr '\n' ' ')" 'sched:sched_process_exit sched:sched_process_fork signal:signal_generate ' \
	'these are enabled'
t -i "$I" enable
prints 'sched:sched_process_fork' 'enable alone lists them'
t -i "$I" disable sched_process_fork
same "$(sort "$D/set_event" | tr '\n' ' ')" 'sched:sched_process_exit signal:signal_generate ' 'disable disables one'
t -i "$I" disable '*:*'
file_is set_event '' 'disable *:* disables all'
t -i "$I" -c 'enable sched_process_exec sched_process_fork' -c 'disable all'
file_is set_event '' 'and so does disable all'
same "$("$TRACESH" events all)" "$("$TRACESH" events '*:*')" 'all are all'
t -i "$I" enable all
expect 1 'enable all is asked about'
t -i "$I" enable 'sched:*fork*' signal
expect 0 'a glob and a system'
cat "$D/set_event" >"$TMP/got"
grep -E '^(signal:|sched:.*fork)' "$TRACING/available_events" | sort >"$TMP/want"
sort "$TMP/got" >"$TMP/sorted"
true_that 'these are enabled' diff "$TMP/want" "$TMP/sorted"
t -i "$I" enable 'sched:*fork*'
says 'as before' 'what is enabled already is said'
same "$(cat "$TRACING/set_event")" "$top_events" 'the top-level instance has none of them'

begin 'a whole system'
fresh
t -i "$I" enable sched:
expect 0 'sched: is enabled'
sort "$D/set_event" >"$TMP/got"
grep '^sched:' "$TRACING/available_events" | sort >"$TMP/want"
true_that 'every event of it' diff "$TMP/want" "$TMP/got"
t -i "$I" disable sched
file_is set_event '' 'and disabled'

begin 'enable .. if'
fresh
t -i "$I" enable sched:sched_switch 'if' 'prev_pid == 12345'
expect 0 'as arguments'
file_is events/sched/sched_switch/filter 'prev_pid == 12345' 'the filter is set'
file_is events/sched/sched_switch/enable 1 'the event is enabled'
t -i "$I" -c 'enable sched:sched_switch if prev_pid == 4 && next_comm ~ "a*"'
file_is events/sched/sched_switch/filter 'prev_pid == 4 && next_comm ~ "a*"' 'a second filter takes its place'
says '^the filter of sched:sched_switch was replaced: prev_pid == 12345$' 'which is said, with the old one'
t -i "$I" -c 'enable sched:sched_switch if prev_pid == 4 && next_comm ~ "a*"'
unlike "$err" replaced "$case_name: the same once more replaces nothing"
t -i "$I" --restore enable sched:sched_wakeup sched:sched_waking if 'pid == 1'
unlike "$err" replaced "$case_name: nor where none was"
t -i "$I" --restore -c 'enable sched:sched_wakeup sched:sched_waking if pid == 1' -c 'filter sched:sched_wak??[pg] pid == 2'
says '^the filters of 2 events were replaced$' 'of several their number is said'
t -i "$I" --restore filter sched_switch clear
says '^the filter of sched:sched_switch was cleared: prev_pid == 4' 'clear names it too'
t -i "$I" -c 'disable sched_switch' -c 'enable sched_switch'
says 'keeps its filter: prev_pid == 4' 'a filter that stays is said'

begin 'enable .. if, of events that lack the field'
fresh
cp "$TRACING/error_log" "$TMP/log" 2>/dev/null
t -i "$I" -c 'enable sched:sched_switch sched:sched_process_exit signal:signal_deliver if prev_pid > 0'
expect 1 'is refused'
says '2 of 3 events' 'how many lack it is said'
says 'sched:sched_process_exit.*signal:signal_deliver' 'they are named'
file_is set_event '' 'nothing is enabled'
file_is events/sched/sched_switch/filter none 'no filter is written'
[ ! -f "$TMP/log" ] || true_that "other people's error_log is as before" cmp "$TMP/log" "$TRACING/error_log"

begin 'ps'
t ps 'tracesh*'
expect 0 'succeeds'
prints 'tracesh$' 'lists tracesh itself'
sleeper
t ps sleep
prints "(^| )$sleeper .*sleep\$" 'finds a task by its name'
t ps 'no such task'
expect 1 'a name that no task has fails'

begin 'status'
fresh
t -i "$I" status
expect 0 'succeeds'
prints 'nothing is being traced' 'says that nothing happens'
echo 'prev_pid == 77' >"$D/events/sched/sched_switch/filter"
echo 1 >"$D/events/sched/sched_switch/enable"
echo 1 >"$D/options/record-tgid"
echo 0 >"$D/tracing_on"
echo $$ >"$D/set_event_pid"
t -i "$I" status
prints 'tracing is off' 'says that tracing is off'
prints 'sched:sched_switch' 'names the event'
prints 'prev_pid == 77' 'shows the filter'
prints 'record-tgid' 'names the option'
prints "(^|[^0-9])$$([^0-9]|\$)" 'shows the pid list'
t status -a
prints "$I" 'status -a shows other instances'
t -i "$I" --json status
json 'as JSON: no prose, empty lists, null for nothing' "$TMP/out" "
assert rows[0]['events'] == ['sched:sched_switch'], rows
assert rows[0]['filters'] == [{'event': 'sched:sched_switch', 'filter': 'prev_pid == 77'}], rows
assert rows[0]['triggers'] == [] and rows[0]['tracer'] is None and rows[0]['tracing'] is False, rows
assert rows[0]['set_event_pid'] == [$$] and rows[0]['options']['record-tgid'] is True, rows
assert rows[0]['buffer_size_kb'] > 0 and 0 in rows[0]['cpus'], rows"
sleepers=
while [ "$(echo "$sleepers" | wc -w)" -lt 12 ]; do
	sleeper
	sleepers="$sleepers $sleeper"
done
# shellcheck disable=SC2086
printf '%s\n' $sleepers >"$D/set_event_pid"
t -i "$I" --json -c status -c pid
# shellcheck disable=SC2086
json 'long lists are whole' "$TMP/out" "
want = sorted([$(printf '%s, ' $sleepers)])
assert rows[0]['set_event_pid'] == want and rows[1]['events'] == want, (rows, want)
assert rows[1]['events_not'] == [] and rows[1]['children_followed'] is False, rows"

# What the kernel's own files say, where nothing is enabled.
begin 'status: what is set while it is off'
fresh
echo 'prev_pid == 77' >"$D/events/sched/sched_switch/filter"
echo 'common_pid == 78' >"$D/events/signal/filter"
echo 'common_pid == 79' >"$D/events/task/filter"
echo traceon >"$D/events/sched/sched_waking/trigger"
printed=
[ ! -f "$D/events/ftrace/print/trigger" ] || printed=ftrace:print
[ -z "$printed" ] || echo traceon >"$D/events/ftrace/print/trigger"
# an option of a tracer that does not run: the kernel keeps it
quiet=
if grep -qw function "$D/available_tracers" && echo function >"$D/current_tracer" &&
	echo 1 >"$D/options/func_stack_trace" && echo nop >"$D/current_tracer"; then
	quiet=func_stack_trace
fi 2>/dev/null
t -i "$I" status
prints '^filter: +sched:sched_switch: prev_pid == 77$' 'the filter of an event that is off'
prints '^filter: +signal:signal_generate: common_pid == 78$' 'and of a system, an event a line'
prints '^trigger: +sched:sched_waking: traceon' 'the trigger of one that is off'
[ -z "$printed" ] || prints '^trigger: +ftrace:print: traceon' "the markers' trigger"
prints '^events: +none enabled$' 'nothing is enabled by it'
[ -z "$quiet" ] || prints "^options: .*$quiet on" 'an option of a tracer that does not run'
t -i "$I" --json status
json 'as JSON: as the files of all events say' "$TMP/out" "
import glob
def lines(kind):
	found = []
	for path in glob.glob('$D/events/*/*/' + kind):
		event = ':'.join(path.split('/')[-3:-1])
		with open(path, errors='replace') as file:
			found += [[event, line.rstrip()] for line in file if line.rstrip() != 'none' and line[0] not in '#\\n']
	return sorted(found)
for kind in ('filter', 'trigger'):
	ours = sorted([entry['event'], entry[kind]] for entry in rows[0][kind + 's'])
	assert ours == lines(kind) and ours, (kind, ours, lines(kind))
assert rows[0]['events'] == [], rows
assert not '$quiet' or rows[0]['options']['$quiet'] is True, rows[0]['options']
assert len(rows[0]['unread']) == len(set(rows[0]['unread'])), rows"
t -i "$I" reset
same "$(grep -c 'ftrace/print/trigger' "$TMP/out")" "$(echo "$printed" | grep -c .)" "reset lists the markers' trigger once"
t -i "$I" reset all
t -i "$I" status
[ -z "$quiet" ] || unlike "$out" "$quiet" 'reset takes the option back'
same "$(grep -cE '^(filter|trigger):' "$TMP/out")" 0 'and filters and triggers'

begin 'status: settings that have no line of their own'
# needs top
set -- hwlat_detector/window osnoise/period_us saved_cmdlines_size
for name; do
	[ ! -e "$TRACING/$name" ] || break
	shift
done
if [ $# -eq 0 ]; then
	skip "$case_name" 'this kernel has none'
else
	was=$(cat "$TRACING/$1")
	echo $((was + 1000)) >"$TRACING/$1"
	t status
	prints "^$1: +$(cat "$TRACING/$1")\$" 'stand by the names of their files'
	t --json status
	json 'as JSON too' "$TMP/out" "assert rows[0]['others'] == {'$1': '$(cat "$TRACING/$1")'}, rows"
	echo "$was" >"$TRACING/$1"
	t status
	unlike "$out" "$1:" 'and only while they are changed'
fi

begin 'stats'
fresh
for word in one two three; do printf %s "$word" >"$D/trace_marker"; done
t -i "$I" --format csv stats
expect 0 'succeeds'
same "$(awk -F, 'NR > 1 { n += $2 } END { print n }' "$TMP/out")" 3 'counts the entries'
same "$(awk -F, 'NR > 1 && $2 { print ($6 != "" && $7 >= $6) }' "$TMP/out" | sort -u)" 1 'oldest and newest are in order'
same "$(awk -F, 'NR > 1' "$TMP/out" | wc -l)" "$(ls -d "$D"/per_cpu/cpu* | wc -l)" 'has a row for each CPU'

finish
