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

done_testing
