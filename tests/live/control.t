#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# on, off, clear, tracer, clock, buffer, option, cpus, marker.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'on and off'
fresh
t -i "$I" off
expect 0 'off'
file_is tracing_on 0 'tracing is off'
t -i "$I" marker lost
expect 1 'a marker is refused'
says 'tracing is off' 'the reason is said'
says 'hint: on' 'and what helps'
t -i "$I" start
expect 0 'start is on'
file_is tracing_on 1 'tracing is on'
t -i "$I" stop
file_is tracing_on 0 'stop is off'

begin 'marker'
fresh
t -i "$I" -c 'marker a text, with "quotes"  and $x'
expect 0 'is written'
true_that 'as it was typed' grep -qF 'tracing_mark_write: a text, with "quotes"  and $x' "$D/trace"
t -i "$I" marker hello 'wor ld' "it's" '#5' 'a;b'
expect 0 'the words of the command line'
true_that 'as they are' grep -qF "tracing_mark_write: hello wor ld it's #5 a;b" "$D/trace"
echo 0 >"$D/options/markers"
t -i "$I" marker x
expect 1 'the option markers is off: refused'
says 'option markers on' 'and what helps'

begin 'a marker that is longer than the kernel takes at once'
fresh
long=$(printf '%06000d' 7 | tr 0 x)
t -i "$I" marker "begin ${long}end"
expect 0 'is written'
same "$(grep 'tracing_mark_write: ' "$D/trace" | sed 's/.*tracing_mark_write: //' | tr -d '\n')" "begin ${long}end" \
	'in several pieces, with nothing missing'

begin 'a marker where not every CPU is traced'
fresh
last=$(($(ls -d "$D"/per_cpu/cpu* | wc -l) - 1))
for cpu in 0 "$last"; do
	t -i "$I" -c "cpus $cpu" -c "marker on $cpu" -c 'cpus all'
	expect 0 'it is written'
	true_that 'and is there' grep -q "tracing_mark_write: on $cpu" "$D/trace"
done
if [ "$last" -gt 0 ] && taskset -c 0 true 2>/dev/null; then
	run taskset -c 0 "$TRACESH" -i "$I" --restore -c "cpus $last" -c 'marker nowhere'
	expect 1 'where tracesh may not run on it'
	says 'traced are none of those where tracesh may run' 'the reason is said'
	says 'hint: cpus all' 'and what helps'
fi

begin 'clear'
fresh
echo one >"$D/trace_marker"
t -i "$I" clear
expect 0 'succeeds'
same "$(count_events "$D")" 0 'the buffer is empty'
says '1 event erased' 'how many went is said'

begin 'tracer'
fresh
t -i "$I" tracer
expect 0 'lists'
for name in $(cat "$D/available_tracers"); do
	prints "(^|[ *])$name( |\$)" "has $name"
done
prints '^\*.*nop|nop.*\*' 'the present one is marked'
echo kept >"$D/trace_marker"
t -i "$I" tracer nopp
expect 1 'an unknown one is refused'
says "unknown tracer 'nopp'" 'it is named'
says "did you mean 'nop'" 'with the nearest'
t -i "$I" tracer nop
expect 0 'the present one again'
true_that 'the buffer is not erased' grep -q kept "$D/trace"

begin 'a tracer that the kernel refuses'
fresh
refused=
if [ "$(tr ' ' '\n' <"$TRACING/available_tracers" | grep -c '^function_graph$')" -eq 1 ] &&
	! grep -qw function_graph "$D/available_tracers"; then
	refused=function_graph
elif grep -qw function "$D/available_tracers" && ! cat "$D/set_ftrace_filter" >/dev/null 2>&1; then
	refused=function
fi
if [ -n "$refused" ]; then
	echo kept >"$D/trace_marker"
	t -i "$I" tracer "$refused"
	false_that 'fails' test "$status" -eq 0
	says "$refused" 'is named'
	file_is current_tracer nop 'the tracer is as before'
	true_that 'the buffer is not erased' grep -q kept "$D/trace"
else
	skip "$case_name" 'this kernel refuses none'
fi

begin 'clock'
fresh
t -i "$I" clock
for name in $(tr -d '[]' <"$D/trace_clock"); do
	prints "(^|[ *])$name( |\$)" "has $name"
done
t -i "$I" clock boot
t -i "$I" clock
prints '^\* +boot +[0-9.]+ [num]?s +runs +same ' 'the table says what each is worth'
prints '^clock: +boot$' 'and then it is about the present one'
prints '^resolution: +[0-9.]+ [num]?s$' 'its resolution'
prints '^suspend: +runs$' 'whether it runs in suspend'
prints '^cpus: +the same on all$' 'whether CPUs agree'
prints '^wall_offset: +[0-9]+\.[0-9]{9} s, error \+-[0-9.]+ [num]?s$' 'its offset and the error'
prints '^ntp: +(not synchronised|synchronised, at most \+-.* off, estimated \+-.*)$' 'whether NTP keeps it right'
prints '^change: +erases the buffer: 0 events$' 'what changing it does'
unlike "$out" '^better:' "$case_name: no other is better"
# The wall clock less the clock: to 2 s, however long it takes from one look to the next.
up=$(cut -d ' ' -f 1 /proc/uptime)
wall=$(date +%s)
offset=$(sed -n 's/^wall_offset: *\([0-9]*\)\..*/\1/p' "$TMP/out")
true_that 'the offset is that of the time since boot' \
	awk -v offset="$offset" -v wall="$wall" -v up="$up" \
	'{ exit !(offset > wall - $1 - 2 && offset < wall - up + 2) }' /proc/uptime
for name in local counter mono tai; do
	case $name in
	local) why='same on all CPUs' ;;
	counter) why='no time' ;;
	mono) why='runs in suspend' ;;
	tai) why='steps' ;;
	esac
	grep -qw "$name" "$D/trace_clock" || continue
	echo "$name" >"$D/trace_clock"
	t -i "$I" clock
	expect 0 "shows $name"
	prints "^better: +boot: .*$why" "why boot is better than $name"
done
echo boot >"$D/trace_clock" # on 5.10, which has no tai, the last of them was mono
echo counted >"$D/trace_marker"
t -i "$I" clock
prints '^change: +erases the buffer: 1 event$' 'how many events a change would erase'
t -i "$I" --json clock
json 'as JSON' "$TMP/out" '
assert [row["type"] for row in rows[-2:]] == ["clock", "present_clock"], rows
assert sum(row["present"] for row in rows[:-1]) == 1, rows
assert rows[-1]["resolution"] and rows[-1]["wall_offset"], rows'
t -i "$I" --format csv clock
same "$(awk -F, 'NF < 6' "$TMP/out" | wc -l), $(head -n 1 "$TMP/out")" \
	'0, present,clock,resolution,suspend,cpus,summary' 'CSV is one table'
t -i "$I" clock mono
expect 0 'set'
like "$(cat "$D/trace_clock")" '\[mono\]' "$case_name: the kernel has it"
echo kept >"$D/trace_marker"
t -i "$I" clock mono
expect 0 'the present one again'
true_that 'the buffer is not erased' grep -q kept "$D/trace"
t -i "$I" clock global
says 'erased 1 event' 'how many events the change erased is said'
t -i "$I" clock monno
expect 1 'an unknown one is refused'
says "did you mean 'mono'" 'with the nearest'
t -i "$I" --restore clock perf
expect 0 'with --restore'
like "$(cat "$D/trace_clock")" '\[global\]' "$case_name: it is put back"

begin 'buffer'
fresh
size=$(cat "$D/buffer_size_kb")
t -i "$I" buffer 256K
expect 0 'set'
now=$(cat "$D/buffer_size_kb")
true_that "is about 256, not $now" test "$now" -ge 256 -a "$now" -le 272
says "^buffer of '$I': $now KB a CPU, " 'and said as the kernel has it'
t -i "$I" buffer
prints 'per_cpu: +(25[6-9]|26[0-9]|27[0-2])' 'is shown'
t -i "$I" buffer 900000G
expect 1 'one that does not fit is refused'
says 'memory' 'with the reason'
same "$(cat "$D/buffer_size_kb")" "$now" 'nothing was changed'
t -i "$I" buffer much
expect 2 'nonsense is a usage error'
t -i "$I" -c 'buffer 512K' -c undo
same "$(cat "$D/buffer_size_kb")" "$now" 'undo puts it back'
echo kept >"$D/trace_marker"
t -i "$I" buffer "${size}K"
true_that 'events are kept' grep -q kept "$D/trace"

begin 'status and what is set on events that are off'
fresh
echo 'prev_pid == 1' >"$D/events/sched/sched_switch/filter"
echo 'common_pid == 3' >"$D/events/irq/filter"
echo 'common_pid == 4' >"$D/events/timer/timer_init/filter"
echo 1 >"$D/events/timer/timer_init/enable"
# what the kernel refuses it keeps there, with the reason
{ echo 'nosuch == 1' >"$D/events/timer/timer_start/filter"; } 2>"$TMP/refused"
echo traceoff:7 >"$D/events/ftrace/print/trigger"
(cd "$D/events" && grep -v '^none$' -r --include=filter .) |
	sed -n '/timer_start/d; s|^\./\([^/]*\)/\([^/]*\)/filter:|\1:\2: |p' | sort >"$TMP/want"
true_that 'there are some' test "$(wc -l <"$TMP/want")" -gt 5
t -i "$I" status
sed -n 's/^filter: *//p' "$TMP/out" | sort >"$TMP/got"
true_that 'filters as the kernel has them' diff "$TMP/want" "$TMP/got"
prints '^trigger: +ftrace:print: traceoff:count=7$' 'the trigger of a marker'
prints '^events: +timer:timer_init$' 'a marker is no event that is enabled'
if command -v jq >/dev/null; then
	t -i "$I" --json status
	jq -r '.filters[] | .event + ": " + .filter' "$TMP/out" | sort >"$TMP/got"
	true_that 'as JSON, too' diff "$TMP/want" "$TMP/got"
	same "$(jq -c '[.events, .triggers]' "$TMP/out")" \
		'[["timer:timer_init"],[{"event":"ftrace:print","trigger":"traceoff:count=7"}]]' 'and the trigger'
fi
echo 0 >"$D/events/timer/timer_init/enable"
echo '!traceoff' >"$D/events/ftrace/print/trigger"

begin 'buffers of CPUs that differ'
fresh
if [ -d "$D/per_cpu/cpu1" ]; then
	echo 64 >"$D/per_cpu/cpu1/buffer_size_kb"
	cat "$D"/per_cpu/cpu*/buffer_size_kb >"$TMP/want"
	t -i "$I" -c 'buffer 300K' -c undo
	expect 0 'set and taken back'
	cat "$D"/per_cpu/cpu*/buffer_size_kb >"$TMP/got"
	true_that 'each has its size again' diff "$TMP/want" "$TMP/got"
else
	skip "$case_name" 'one CPU'
fi

begin 'option'
fresh
t -i "$I" option record-tgid on
expect 0 'on'
file_is options/record-tgid 1 'is on'
t -i "$I" option record-tgid
prints 'record-tgid +on' 'is shown'
t -i "$I" option record-tgid off
file_is options/record-tgid 0 'is off'
t -i "$I" option record-tgi on
expect 1 'an unknown one is refused'
says "did you mean 'record-tgid'" 'with the nearest'
t -i "$I" option record-tgid maybe
expect 2 'neither on nor off is a usage error'
t -i "$I" option ../tracing_on off
false_that '../ in its name is refused' test "$status" -eq 0
file_is tracing_on 1 'and led nowhere'
t -i "$I" option
same "$(wc -l <"$TMP/out")" "$(ls "$D/options" | wc -l)" 'lists all'

begin 'cpus'
fresh
mask=$(cat "$D/tracing_cpumask")
t -i "$I" cpus 0
expect 0 'set'
same "$(cat "$D/tracing_cpumask" | tr -d '0,')" 1 'the kernel has the mask'
t -i "$I" cpus
prints 'traced: +0$' 'is shown'
t -i "$I" cpus 4000
expect 1 'a CPU that is not there is refused'
says 'no CPU 4000' 'and named'
says "^hint: the last CPU is $(($(ls -d "$D"/per_cpu/cpu* | wc -l) - 1)); cpus lists the traced ones" 'with those that are'
t -i "$I" cpus all
same "$(cat "$D/tracing_cpumask")" "$mask" 'all is as before'
t -i "$I" cpus 0-
expect 2 'a bad list is a usage error'

begin 'a mistyped command'
t enabel sched_switch
expect 2 'is a usage error'
says "unknown command 'enabel'" 'it is named'
says "did you mean 'enable'" 'with the nearest'

begin 'what is so already'
fresh
t -i "$I" -c 'buffer 300' -c 'cpus 0' -c 'filter sched_switch prev_pid > 1' -c 'buffer 300' -c 'cpus 0' -c 'filter sched_switch prev_pid > 1'
expect 0 'is no error'
is "$(printf '%s\n' "$err" | grep -c '(as before)$')" 3 "$case_name: and is said"

begin 'somebody has taken it back'
fresh
t -i "$I" -c 'option record-tgid on' -c "status | { cat >/dev/null; echo 0 >'$D/options/record-tgid'; }" -c 'option sym-addr on' -c 'undo 2'
says 'option sym-addr on -> off' 'undo says what it changed'
unlike "$err" 'record-tgid on -> off' "$case_name: and not what was so"
t -i "$I" -c 'trigger sched_wakeup traceoff if pid == -7' -c off -c 'reset all' -c undo
unlike "$err" 'stays so' "$case_name: nor that tracing is off, when it has brought that back"

begin 'a long marker'
fresh
t -i "$I" marker "$(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "long" }')"
expect 0 'is taken'
parts=$(grep -c long "$D/trace")
true_that 'in several pieces' test "$parts" -gt 1
says "^the marker is longer than this kernel takes at once: it is $parts events\$" 'which is said'
t -i "$I" marker short
unlike "$err" 'events' "$case_name: not of a short one"

finish
