#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# long in a guest
# in a guest of its own
# time limit: 900
# What floods a machine, erases events or does not fit is asked about, refused, or at least said.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

made=live-$$-made

begin 'systems that flood'
fresh
t -i "$I" -c 'option record-tgid on' -c 'enable kmem'
expect 1 'are refused in a batch'
says 'this enables events that can flood the machine, without a filter: [0-9]+ of kmem: this needs --yes$' 'with the reason'
file_is set_event '' 'nothing is enabled'
file_is options/record-tgid 0 'and the batch is taken back'
t -i "$I" enable kmem if common_pid == 1
expect 0 'not with a filter'
t -i "$I" -c 'disable kmem' -c 'enable kmem'
expect 0 'nor when the events have their filters already'
t -i "$I" filter kmem clear
expect 1 'nor can the filters be cleared while they are enabled'
says 'this leaves events that can flood the machine without a filter: [0-9]+ of kmem: this needs --yes$' 'with the reason'
file_is events/kmem/kfree/filter 'common_pid == 1' 'they are there'
t -i "$I" enable kmem if clear
expect 1 'nor by enable'
file_is events/kmem/kfree/filter 'common_pid == 1' 'they are there still'
t -i "$I" -c 'disable kmem' -c 'filter kmem clear' -c 'enable kmem:kfree' -c 'disable kmem'
expect 0 'nor one that is spelled out'
t -i "$I" --yes -c 'enable kmem' -c 'disable kmem'
expect 0 'nor with --yes'
t -i "$I" enable "'*:*'"
expect 1 'everything is refused'
says "this enables all [0-9,]+ events that there are" 'with their number'
file_is set_event '' 'nothing is enabled'
t -i "$I" -c 'enable syscalls' -c 'disable syscalls'
expect 0 'hundreds of harmless ones are not'

begin 'the files behind it'
fresh
t -i "$I" -c 'option record-tgid on' -c "append set_event '*:*'"
expect 1 'append set_event: everything is refused'
says 'this enables all [0-9,]+ events that there are, without a filter: this needs --yes$' 'with their number'
file_is set_event '' 'nothing is enabled'
file_is options/record-tgid 0 'and the batch is taken back'
t -i "$I" append set_event kmem
expect 1 'a system that floods'
says 'can flood the machine, without a filter: [0-9]+ of kmem: this needs --yes$' 'with the reason'
t -i "$I" append set_event 'kmem:*'
expect 1 'and all its events'
file_is set_event '' 'nothing is enabled'
t -i "$I" -c 'append set_event kmem:kfree' -c 'append set_event !kmem' -c 'append set_event signal:'
expect 0 'one that is spelled out, taking away, and a harmless system are not'
file_is events/kmem/kfree/enable 0 'it is off'
t -i "$I" disable signal
t -i "$I" --yes -c 'append set_event kmem' -c 'disable kmem'
expect 0 'nor anything with --yes'
for alone in "$D"/events/preemptirq/irq_disable "$D"/events/lock/lock_acquire; do
	[ -d "$alone" ] || continue
	t -i "$I" write "${alone#"$D"/}/enable" 1
	expect 1 "${alone##*/}: its file"
	says 'can flood the machine, without a filter: 1 of' 'with the reason'
	t -i "$I" -c "filter ${alone##*/} common_pid == 1" -c "write ${alone#"$D"/}/enable 1" -c "disable ${alone##*/}"
	expect 0 'not with a filter'
done
for file in events/enable events/kmem/enable; do
	t -i "$I" --yes write "$file" 1
	expect 1 "$file is not written at all"
	t -i "$I" --yes append "$file" 1
	expect 1 'nor with append'
done
file_is set_event '' 'nothing is enabled'
t -i "$I" -c 'enable --yes kmem' -c 'disable kmem'
expect 0 'enable --yes asks nothing'

begin 'streams, programs and recordings of such'
t stream -n 1 kmem
expect 1 'stream is refused'
t stream --here -n 1 kmem
expect 1 'with --here too'
t run kmem -- touch "$TMP/ran"
expect 1 'run too'
false_that 'the program has not run' test -e "$TMP/ran"
t record --for 10ms "$TMP/recorded" kmem
expect 1 'record too'
false_that 'nothing is recorded' test -e "$TMP/recorded"
t --yes stream -n 1 kmem
expect 0 '--yes'
t stream --for 10ms kmem if common_pid == 1
expect 0 'a filter'
true_that 'no instance is left' no_own_instance

begin 'every function'
# needs functions
fresh
functions=$(grep -c '' "$TRACING/available_filter_functions" 2>/dev/null) || functions=0
if grep -qw function "$D/available_tracers" && [ "$functions" -gt 0 ]; then
	t -i "$I" tracer function
	expect 1 'a function tracer without a filter is refused'
	same "$(printf '%s\n' "$err" | sed -n 's/.*traces all \([0-9,]*\) functions: this needs --yes$/\1/p' | tr -d ,)" "$functions" \
		'and says how many functions'
	says '^hint: functions filter GLOB' 'and what to do instead'
	file_is current_tracer nop 'it is not set'
	t -i "$I" write current_tracer function
	expect 1 'nor through its file'
	file_is current_tracer nop 'it is not set'
	t -i "$I" -c 'functions filter vfs_read' -c 'tracer function' -c 'functions clear'
	expect 1 'nor can the filter be cleared while it traces'
	like "$err" 'tracer nop first' "$case_name: and what to do is said"
	# None of them is traced then: this machine is slow enough.
	t -i "$I" -c "functions notrace '*'" -c 'tracer --yes function'
	expect 0 'with --yes it is'
	t -i "$I" -c 'tracer function' -c 'tracer nop' -c 'functions clear'
	expect 0 'the present one asks nothing'
else
	skip "$case_name" 'no function tracing here'
fi

# with_memory KB COMMAND..: in a machine that has only so much left
with_memory()
{
	printf 'MemTotal: 4000000 kB\nMemAvailable: %s kB\n' "$1" >"$TMP/meminfo"
	mount --bind "$TMP/meminfo" /proc/meminfo
	shift
	"$@"
	umount /proc/meminfo
}

begin 'buffers that do not fit'
# needs snapshot
fresh
before=$(cat "$D"/per_cpu/cpu*/buffer_size_kb)
with_memory 1000 t instance create "$made"
expect 1 'an instance'
says 'an instance would take [0-9.]+[MG] \([0-9.]+[MK] for each of [0-9]+ CPUs?\), but only 1000K of memory are available' \
	'with the sum, for each CPU and in all'
false_that 'it is not made' test -d "$TRACING/instances/$made"
with_memory 1000 t -I "$made" status
expect 1 '-I'
false_that 'nor by that' test -d "$TRACING/instances/$made"
with_memory 1000 t stream -n 1 sched:sched_switch
expect 3 'a stream with an instance of its own'
says '^hint: --here' 'and what works'
for command in 'buffer 8M' 'write buffer_size_kb 8192' 'write per_cpu/cpu0/buffer_size_kb 8192'; do
	with_memory 1000 t -i "$I" -c "$command"
	expect 1 "$command"
	says 'the buffer would take' 'with the sum'
done
t -i "$I" -c 'write buffer_size_kb 99999999999999999999'
false_that 'more than the kernel can count' test "$status" -eq 0
same "$(cat "$D"/per_cpu/cpu*/buffer_size_kb)" "$before" 'the buffer is as it was'
with_memory 1000 t -i "$I" buffer 64K
expect 0 'a smaller one always fits'
if [ -e "$D/snapshot" ]; then
	t -i "$I" buffer 1408K
	with_memory 1000 t -i "$I" write snapshot 1
	expect 1 'a snapshot'
	says 'the snapshot would take' 'with the sum'
	true_that 'it is not taken' grep -q 'Snapshot is freed' "$D/snapshot"
	t -i "$I" -c 'write snapshot 1'
	expect 0 'where it fits it is taken'
	cpus=$(find "$D/per_cpu" -maxdepth 1 -name 'cpu*' | wc -l)
	with_memory $((cpus * 1500)) t -i "$I" buffer 2816K
	expect 1 'a buffer counts twice then'
	says 'the buffer with its snapshot would take' 'and says so'
	t -i "$I" -c 'write snapshot 0'
else
	skip "$case_name: a snapshot" 'this kernel has none'
fi

begin 'sizes without a unit'
fresh
echo 4096 >"$D/buffer_size_kb"
wanted=$(cat "$D/buffer_size_kb")
echo 64 >"$D/buffer_size_kb"
t -i "$I" buffer 4096
expect 0 'are KB'
file_is buffer_size_kb "$wanted" "as in the kernel's files"
t -i "$I" buffer 99999999999999999999
expect 2 'one that is no number of bytes is refused'

# Three events in the case's buffer
fill()
{
	for word in one two three; do
		echo "$word" >"$D/trace_marker"
	done
}

begin 'in a batch what erases says how much'
fresh
clock=$(sed 's/.*\[\(.*\)\].*/\1/' "$D/trace_clock")
other=mono
[ "$clock" != mono ] || other=global
for command in clear 'write trace 0' "clock $other" "write trace_clock $clock" 'write buffer_subbuf_size_kb 8'; do
	case $command in 'write '*) [ -e "$D/$(printf %s "$command" | cut -d ' ' -f 2)" ] || continue ;; esac
	t -i "$I" -c clear
	fill
	t -i "$I" -c "$command"
	expect 0 "$command"
	says '3 events' 'says how many went'
	true_that 'they are gone' sh -c "! grep -q three '$D/trace'"
done
# What the kernel has lost by a smaller buffer it counts itself.
overrun()
{
	awk '$1 == "overrun:" { n += $2 } END { print n }' "$D"/per_cpu/cpu*/stats
}
seq -f 'marker "number %.0f"' 2000 >"$TMP/many"
[ ! -e "$D/buffer_subbuf_size_kb" ] || echo 4 >"$D/buffer_subbuf_size_kb"
for command in 'buffer 8K' 'write buffer_size_kb 8'; do
	echo 1408 >"$D/buffer_size_kb"
	t -i "$I" -c clear
	t -i "$I" "$TMP/many"
	before=$(overrun)
	t -i "$I" -c "$command"
	expect 0 "$command"
	lost=$(($(overrun) - before))
	true_that 'the kernel drops events' test "$lost" -gt 0
	says "the change erased $lost events of '$I'" 'says how many went'
	same "$(grep -c 'number ' "$D/trace")" $((2000 - lost)) 'the others are there'
done
fill
t -i "$I" -c clear
t -i "$I" -c 'marker one' -c 'buffer 16K' -c 'buffer 8K'
unlike "$err" 'erased' "$case_name: what has room stays"
echo 1408 >"$D/buffer_size_kb"
fill
t -i "$I" -c "write trace_clock $clock"
unlike "$err" 'erased' "$case_name: the present clock erases nothing"
true_that 'they are there' grep -q three "$D/trace"

begin 'an instance that is deleted'
t instance delete top
expect 1 'not the top-level buffer'
says "'top' is the top-level buffer: it is no instance that can be deleted" 'and why'
says '^hint: clear' 'and what to do instead'
t -n -c 'instance delete top'
expect 1 'nor with -n'
t -I "$made" -c 'marker one' -c 'marker two' -c "instance delete $made"
expect 0 'another one is'
says "instance '$made' is deleted, with 2 events; in use: top" 'with its events, which are counted'
false_that 'it is gone' test -d "$TRACING/instances/$made"
t -I "$made" -c "instance delete $made"
says 'with no events' 'none of them'

# at_prompt: tracesh in the case's instance, with the script on stdin
at_prompt()
{
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q -i "$I" "$@"
	[ "$status" -eq 0 ] || diag "$out$err"
}

begin 'at the prompt one is asked'
# needs top
fresh
if [ -n "$PYTHON" ]; then
	fill
	at_prompt <<S
expect > \$
send clear\\r
expect this erases 3 unread events of '$I'; go on\\? \\[y/N\\] \$
send \\r
expect not done
expect > \$
send clock $other\\r
expect another clock erases 3 unread events
send n\\r
expect not done
expect > \$
send clock $clock\\r
expect > \$
send write trace 0\\r
expect this erases 3 unread events
send no\\r
expect not done
expect > \$
send write trace_clock $other\\r
expect another clock erases 3 unread events
send \\x03
expect not done
expect > \$
send instance delete $I\\r
expect this deletes the instance and erases 3 unread events of '$I'
send \\x04
expect not done
expect > \$
send enable kmem\\r
expect can flood the machine
send \\r
expect not done
expect > \$
send append set_event *:*\\r
expect this enables all [0-9,]+ events .* go on\\? \\[y/N\\] \$
send \\r
expect not done
expect > \$
send !grep -c three $D/trace\\r
expect \\r\\n1\\r\\n
expect > \$
send clear\\r
expect \\[y/N\\] \$
send y\\r
expect > \$
send clear\\r
expect > \$
send clock $other\\r
expect > \$
send undo\\r
expect > \$
send quit 0\\r
S
	prints '^\[exit 0\]$' 'no keeps the events, yes does not, an empty buffer is not asked about'
	same "$(cat "$D"/per_cpu/cpu*/stats | awk '/^entries:/ { n += $2 } END { print n }')" 0 'yes has erased them'
	unlike "$out" '\^~' "$case_name: an answer is blamed on no word"
	file_is set_event '' 'nothing was enabled'
	t -i "$I" "$TMP/many"
	at_prompt <<S
expect > \$
send buffer 8K\\r
expect a smaller buffer may erase some of 2,000 unread events of '$I'; go on
send \\r
expect not done
expect > \$
send write per_cpu/cpu0/buffer_size_kb 8000\\r
expect > \$
send undo\\r
expect > \$
send quit 0\\r
S
	prints '^\[exit 0\]$' 'a smaller buffer is asked about, a larger one not'
	same "$(grep -c 'number ' "$D/trace")" 2000 'no keeps them all'
	echo >"$D/trace"
	fill
	at_prompt <<'S'
expect > $
send set confirm off\r
expect > $
send clear\r
expect > $
send quit 0\r
S
	prints '^\[exit 0\]$' 'with set confirm off one is not'
	false_that 'they are gone' grep -q three "$D/trace"
	fill
	at_prompt --yes <<'S'
expect > $
send clear\r
expect > $
send quit 0\r
S
	prints '^\[exit 0\]$' 'nor with --yes'
	tracer=$(tr ' ' '\n' <"$TRACING/available_tracers" | grep -v '^func' | grep -vx -e nop -e mmiotrace -e '' | head -n 1)
	if [ -n "$tracer" ]; then
		run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q <<S
expect > \$
send tracer $tracer\\r
expect another tracer erases [0-9,]+ unread events? of 'top'; go on
send \\r
expect not done
expect > \$
send quit 0\\r
S
		prints '^\[exit 0\]$' 'another tracer is asked about'
		same "$(cat "$TRACING/current_tracer")" nop 'and not set'
	fi
	# Typed at the prompt, and read from a file
	echo clear >"$TMP/clear.tsh"
	fill
	at_prompt <<S
expect > \$
send source $TMP/clear.tsh\\r
expect \\[y/N\\] \$
send n\\r
expect not done
expect > \$
send quit 0\\r
S
	prints '^\[exit 0\]$' 'a file that is sourced there asks too'
	true_that 'they are there' grep -q three "$D/trace"
else
	skip "$case_name" 'no python3'
fi

finish
