#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Trees that kernels of other machines recorded, with the kernel's own text of the same buffer: 32-bit words, the other
# byte order. tests/vm/board made them. No root, nothing is traced.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1

# t ARGUMENT..: on the tree at hand
t()
{
	run "$TRACESH" --tracefs tree "$@"
}

# text [FILE]: what is no comment
text()
{
	grep -v '^#' "${1-out}"
}

for name in armhf-6.1 s390x-6.1; do
	rm -rf tree
	cp -R "$SRC/tests/unit/trees/$name" tree
	chmod -R u+w tree
	text tree/trace >want
	count=$(wc -l <want | tr -d ' ')
	[ "$count" -ge 100 ] || fail "$name: only $count lines of the kernel"

	t -q --format kernel drain
	is "$status" 0 "$name: drain: succeeds"
	is "$err" '' "$name: without complaint"
	text >got
	ok "$name: all $count lines are the kernel's" cmp got want
	cmp -s got want || diff want got | head -n 20 | cat -v | diag
	for type in sched_switch sched_process_exec irq_handler_entry softirq_exit timer_start signal_generate sys_enter; do
		like "$(cat want)" " $type: " "$name: $type is among them"
	done

	# The kernel's own text is not looked at.
	rm tree/trace
	t -q --format kernel show -n 5
	is "$out" "$(tail -n 5 want)" "$name: show: the last five"
	t --json drain
	is "$(grep -c '"type":"event"' out)" "$count" "$name: JSON: as many events"
	# Their times stand beside the buffer's own.
	t drain
	is "$(text | grep -Ec '\[00[01]\] [^ ]{5} 20[0-9-]{8} [0-9:]{8}\.[0-9]{6}: ')" "$count" "$name: wall-clock times"
	t info sched_switch
	is "$status" 0 "$name: info: succeeds"
	like "$out" 'prev_comm' "$name: info: the fields"
done

# Functions with their arguments: what these need of the kernel's types is in the tree.
for name in function-7.2 graph-7.2; do
	rm -rf tree
	cp -R "$SRC/tests/unit/trees/$name" tree
	chmod -R u+w tree
	text tree/trace >want
	like "$(cat want)" 'mode=[0-9]+ \[HRTIMER_MODE_[A-Z_]+\]' "$name: an enumerator is among them"
	like "$(cat want)" 'kuid=\(STRUCT\)\[0x0\]' "$name: a structure is among them"
	t -q --format kernel drain
	text >got
	ok "$name: all $(wc -l <want | tr -d ' ') lines are the kernel's" cmp got want
	cmp -s got want || diff want got | head -n 20 | cat -v | diag
	t --json drain
	like "$(cat out)" '"args":[[]"[0-9]+",' "$name: JSON: the arguments are numbers"

	# An older recording has none, a damaged one may have anything: the text is poorer, and the events are there.
	sed 's/([^()]*\(([^()]*)[^()]*\)*)/()/' want >poorer
	rm tree/btf
	t -q --format kernel drain
	text >got
	ok "$name: without types: no arguments" cmp got poorer
	size=$(wc -c <"$SRC/tests/unit/trees/$name/btf")
	for at in 1 23 24 30 200 400 800 1000 $((size - 1)); do
		head -c "$at" "$SRC/tests/unit/trees/$name/btf" >tree/btf
		t -q --format kernel drain
		is "$status: $err" '0: ' "$name: types cut at $at bytes"
		text | sed 's/([^()]*\(([^()]*)[^()]*\)*)/()/' >got
		ok "$name: types cut at $at bytes: all lines are there" cmp got poorer
	done
done

# What is missing is lost, and said.
rm -rf tree
cp -R "$SRC/tests/unit/trees/s390x-6.1" tree
chmod -R u+w tree
for file in tree/per_cpu/cpu*/trace_pipe_raw; do
	[ ! -s "$file" ] || : >"$file"
done
t drain
is "$status" 0 'pages that are gone: the others are read'
like "$(cat out)" '^# cpu [01]: [0-9]+ of the [0-9]+ events that were recorded are missing' 'pages that are gone: are said'
like "$err" '^0 events, [1-9][0-9]* lost' 'pages that are gone: are lost'

# Formats that are too large are read once, not for each record: the limit of CPU time would end that.
rm -rf tree
cp -R "$SRC/tests/unit/trees/armhf-6.1" tree
chmod -R u+w tree
for file in tree/events/*/*/format; do
	: >"$file"
	truncate -s 300M "$file"
done
(ulimit -t 10; exec "$TRACESH" --tracefs tree drain) >out 2>err
is "$?" 1 'formats that are too large: a moment'
like "$(cat err)" 'files of the recording \([0-9.]+G\) were not read' 'formats that are too large: are said'
like "$(cat err)" '^hint: no kernel has a file as large as events/.*: do not trust the recording' 'formats that are too large: and what that means'
like "$(cat err)" '^[1-9][0-9]* events, 0 lost' 'formats that are too large: the events are there'
unlike "$(cat out)" 'sched_switch' 'formats that are too large: what they are is not known'

# What a tree says of its CPUs is read once, not for each CPU, and as far as 8192 CPUs need.
rm -rf tree
cp -R "$SRC/tests/unit/trees/armhf-6.1" tree
chmod -R u+w tree
cp tree/tracesh/info info
seq 2 1999 | sed 's|.*|tree/per_cpu/cpu&|' | xargs mkdir -p
seq 2 1999 | sed 's|.*|tree/per_cpu/cpu&/trace_pipe_raw|' | xargs touch
{ sed 's/overwritten 0/overwritten 7/' info; seq -f 'cpu%.0f events 1' 60000 90000; seq -f 'x %.0f' 60000; } >tree/tracesh/info
(ulimit -n "$(ulimit -H -n)"; ulimit -t 10; exec "$TRACESH" --tracefs tree drain) >out 2>err
is "$?" 0 'info of 1 MB with 2,000 CPUs: a moment'
is "$(grep -c 'cpu [01]: 7 older events were overwritten' out)" 2 'info of 1 MB with 2,000 CPUs: what it says is there'
{ sed 's/overwritten 0/overwritten 7/' info; seq -f 'x %.0f' 200000; } >tree/tracesh/info
run "$TRACESH" --tracefs tree drain
is "$status" 0 'info of 2 MB: the events are read'
unlike "$(cat out)" 'were overwritten' 'info of 2 MB: is not read'

# Histograms that use each other's variables are put in order in one go.
rm -rf tree
cp -R "$SRC/tests/unit/trees/armhf-6.1" tree
chmod -R u+w tree
seq -f 'tree/events/many/e%04.0f' 0 2999 | xargs mkdir -p
(
	cd tree/events/many || exit 1
	for number in $(seq 0 2999); do
		echo "hist:keys=pid:a$number=pid,b=\$a$((2999 - number)):vals=hitcount" >"e$(printf %04d "$number")/trigger"
	done
)
seq -f 'many:e%04.0f' 0 2999 >tree/available_events
(ulimit -t 10; exec "$TRACESH" --tracefs tree save) >out 2>err
is "$?" 0 '3,000 triggers that use each other: a moment'
is "$(grep -c 'many.*hist:keys' out)" 3000 '3,000 triggers that use each other: all are there'
# the three of a chain that stands the wrong way round
echo 'hist:keys=pid:x=$a' >tree/events/many/e0000/trigger
echo 'hist:keys=pid:a=$c' >tree/events/many/e0001/trigger
echo 'hist:keys=pid:c=pid' >tree/events/many/e0002/trigger
seq -f 'many:e%04.0f' 0 2 >tree/available_events
t save
is "$(grep -o 'e000[0-2]' out | uniq | tr '\n' ' ')" 'e0002 e0001 e0000 ' 'triggers that use each other: those that are used stand first'

# No kernel has more than 65,536 events; a signal is heard between them.
seq -f 'many:x%.0f' 900000 >tree/available_events
cp tree/available_events tree/set_event
(ulimit -t 20; exec "$TRACESH" --tracefs tree save) >out 2>err
is "$?" 1 '900,000 events: a moment'
is "$(cat out)" '' '900,000 events: none is saved without the others'
head -n 65536 tree/available_events >text
cp text tree/available_events
mv text tree/set_event
(ulimit -t 20; exec "$TRACESH" --tracefs tree save) >out 2>err
is "$?" 0 'as many events as a kernel can have: a moment'
is "$(grep -o 'many:x' out | wc -l | tr -d ' ')" 65536 'as many events as a kernel can have: all are saved'
(ulimit -t 20; exec "$TRACESH" --tracefs tree diff out) >got 2>err
is "$?" 0 'as many events as a kernel can have: diff: a moment'

# Files of names are as short as a kernel's.
for file in trace_clock available_tracers trace_options; do
	yes x | head -n 3000000 | tr '\n' ' ' >"tree/$file"
done
for command in clock tracer status '--json status'; do
	# shellcheck disable=SC2086 # words
	run limited 250000 "$TRACESH" --tracefs tree $command
	is "$status" 1 "3,000,000 names: $command: in little memory"
	like "$err" "error: [0-9]+ entries of '.*' are left out: no kernel has as many\$" \
		"3,000,000 names: $command: says how many are left out"
done

# A kernel parameter cannot hold every name that a tree has.
rm -rf tree
cp -R "$SRC/tests/unit/trees/armhf-6.1" tree
chmod -R u+w tree
mkdir -p tree/options
echo 1 >'tree/options/zz" init=x'
echo 'sched:zz" init=x' >tree/set_event
t save --boot
is "$(text | grep -c init=x)" 0 'save --boot: a name with a quote is no parameter'
is "$(grep -c '^# no parameter: .*init=x' out)" 2 'save --boot: a name with a quote is said'

# As many CPUs, with pages as large as a tree claims: they are read a few pages at a time, or not at all.
rm -rf tree
cp -R "$SRC/tests/unit/trees/armhf-6.1" tree
chmod -R u+w tree
sed 's/size:4084/size:2097140/' tree/events/header_page >page
cp page tree/events/header_page
raw=tree/per_cpu/cpu0/trace_pipe_raw
truncate -s 40M "$raw"
for cpu in $(seq 1 39); do
	mkdir -p "tree/per_cpu/cpu$cpu"
	cp --sparse=always "$raw" "tree/per_cpu/cpu$cpu/trace_pipe_raw" 2>/dev/null || ln -f "$raw" "tree/per_cpu/cpu$cpu/trace_pipe_raw"
done
run limited 350000 "$TRACESH" --tracefs tree drain
is "$status" 0 '40 CPUs with pages of 2 MB: in little memory'
for cpu in $(seq 40 299); do
	mkdir -p "tree/per_cpu/cpu$cpu"
	ln "$raw" "tree/per_cpu/cpu$cpu/trace_pipe_raw"
done
run limited 350000 "$TRACESH" --tracefs tree drain
is "$status" 1 '300 CPUs with pages of 2 MB: refused'
like "$err" 'error: pages of 2048 KB of 300 CPUs would take more than 1 GB of memory' '300 CPUs with pages of 2 MB: with the reason'
like "$err" '^hint: read some CPUs at a time: --cpu 0-63' '300 CPUs with pages of 2 MB: and what helps'
run limited 350000 "$TRACESH" --tracefs tree drain --cpu 0-39
is "$status" 0 '300 CPUs with pages of 2 MB: some at a time'

# Linux 3.10, debugfs only, 32 bits, as examples/board/collect.sh would take it: tests/unit/trees/debugfs-3.10/MADE says how
# that tree came about.
rm -rf tree
cp -R "$SRC/tests/unit/trees/debugfs-3.10" tree
chmod -R u+w tree
t -q --format kernel drain
is "$status: $err" '0: ' 'debugfs 3.10: drain succeeds, without complaint'
text | sed 's/^ *//' >got
cat >want <<'END'
sh-812     [000] ...1   100.000100: tracing_mark_write: begin
sh-812     [000] d.h1   100.000210: irq_handler_entry: irq=35 name=eth0
sh-812     [000] ..s1   100.000250: softirq_entry: vec=3 [action=NET_RX]
sh-812     [000] d.s3   100.000300: sched_wakeup: comm=sshd pid=455 prio=120 success=1 target_cpu=001
<idle>-0       [001] d..3   100.000320: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=sshd next_pid=455 next_prio=120
sh-812     [000] d..3   100.000420: sched_switch: prev_comm=sh prev_pid=812 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
sshd-455     [001] d..3   100.250500: sched_switch: prev_comm=sshd prev_pid=455 prev_prio=120 prev_state=D+ ==> next_comm=kworker/1:1 next_pid=33 next_prio=120
kworker/1:1-33      [001] ...1   100.250900: tracing_mark_write: end
END
ok 'debugfs 3.10: the events, with the formats of then' cmp got want
cmp -s got want || diff want got | diag
t --time utc drain
like "$out" '^# tracesh: instance top, clock local, times UTC, error \+-[0-9.]+ us now, ' 'debugfs 3.10: times, with an error'
like "$out" ' 2014-05-13T16:55:00\.3743[0-9]+Z: tracing_mark_write: end' 'debugfs 3.10: by the samples of the script'
unlike "$out" 'by a clock that was not set' 'debugfs 3.10: its clock is after its kernel'
t stats
is "$status" 0 'debugfs 3.10: stats'
like "$out" '^ *1 +3 +0 +0 .*2014-05-13' 'debugfs 3.10: stats: of CPU 1'
t events
is "$out" "$(cat tree/set_event)" 'debugfs 3.10: events'
t info sched_switch
is "$status" 0 'debugfs 3.10: info'
like "$out" 'long +prev_state +32 +4 ' 'debugfs 3.10: info: words of 32 bits'
t status
is "$status" 0 'debugfs 3.10: status'
like "$out" '^clock: +local' 'debugfs 3.10: status: its clock'
t --dry-run -c 'enable sched_switch if prev_pid == 1'
is "$status" 0 'debugfs 3.10: enable --dry-run'
like "$out" "sched_switch/filter 'prev_pid == 1'\$" 'debugfs 3.10: enable --dry-run: the filter'
t --dry-run clock boot
is "$status" 1 'debugfs 3.10: no clock boot'
like "$err" 'there is local, global, counter, uptime, perf' 'debugfs 3.10: and which there are'
for command in caps doctor; do
	t "$command"
	is "$status" 3 "debugfs 3.10: $command"
	like "$err" 'needs a running kernel' "debugfs 3.10: $command: says what it needs"
done
# of a board that thinks that the kernel is not made yet
sed -i 's/UTC 2013/UTC 2024/' tree/tracesh/info
t drain
like "$out" '^# .*, by a clock that was not set \(help boards\)' 'a clock before the kernel was made is not set'
printf '%s\n' 1704067200.5 'now at 200000000000 nsecs' 1704067200.7 >tree/tracesh/home
t --time utc drain
like "$out" ' 2023-12-31T23:58:20.9[0-9]+Z: tracing_mark_write: end' 'by the clock at home'
like "$out" '^# .*error \+-2[0-9][0-9] ms now, ' 'within the half of what it took, and what the clocks may part by'
unlike "$out" 'by a clock that was not set' 'which is set'

# One whose record was killed

rm -rf tree
cp -R "$SRC/tests/unit/trees/armhf-6.1" tree
chmod -R u+w tree
sed -i '/^ended/d' tree/tracesh/info
t status
like "$out" '^state: +a recorded tree without an end \(its record was killed, or goes on\): nothing happens here$' 'no end: status'
t --json status
like "$out" '"no_end":true' 'no end: its JSON'
t --json drain
like "$out" '"the recording has no end: record was killed' 'no end: drain'
like "$err" '^292 events, at least 0 lost' 'no end: there may have been more'
cp out cut.json
run "$TRACESH" merge cut.json
like "$err" ': 292 events, at least 0 lost' 'no end: merge'
for command in stats 'show -n 1'; do
	t -c "$command"
	like "$err" '^the recording has no end: record was killed' "no end: $command"
done
rm -f tree/per_cpu/cpu*/stats
t stats
unlike "$err" '^0 events' 'no end: what was not written is not none'
like "$err" '^how many events there are is not recorded' 'no end: and that is said'

done_testing
