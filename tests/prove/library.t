#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# A second opinion on what is read: fields and texts of events by libtraceevent beside ours, here and in guests
# (TRACESH_LIBRARY_KERNELS) with all modules that have events. The kernel's text is the judge. Where the library differs a
# table says so and why; what is in no table fails.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/prove/lib-library.sh"
with_modules=yes
here_and_in_guests host 6.1
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-load.sh"
ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"

if [ -n "$in_guest" ]; then
	while read -r module; do
		timeout 60 modprobe -q "$module" || :
	done <"$modules" 2>/dev/null
	diag "$(find "$TRACING/events" -name format | wc -l) formats"
fi

begin 'fields'
TSH_LIVE_ALONE=yes TSH_TEST_MOUNTED=yes sh "$SRC/tests/live/library.t" >"$TMP/fields" 2>&1
expect_status=$?
grep '^#' "$TMP/fields"
same "$(grep '^not ok' "$TMP/fields")" '' 'are the same, as tests/live/library.t has it'
[ "$expect_status" -eq 0 ] || fail "$case_name: status $expect_status"

# What the library's text is not the kernel's in, as "REASON|EVENT..". Ours is, or the test fails.
cat >"$TMP/rows" <<'ROWS'
a system call's fields, which the kernel prints as a call|syscalls:*
names that only BTF has are numbers|block:block_rq_* block:block_io_* btrfs:* writeback:* tcp:tcp_retransmit_skb tcp:tcp_send_reset timer:hrtimer_start timer:hrtimer_setup timer:hrtimer_init power:pm_qos_update_target fscache:*
a page's address is its number|kmem:mm_page_*
it names data, which the kernel of kallsyms without data does not|xfs:xfs_buf_* iomap:iomap_iter
a string by its address is the bytes of the address|wbt:wbt_step rcu:rcu_utilization
it does not parse statements, and functions that it does not know|maple_tree:* jbd2:*
brackets in a condition are lost: flags that are not set|timer:timer_start
a negative number in a condition is a large one|sock:sock_recv_length
small numbers have no sign, and addresses no 0x or name|uprobes:workload_* kprobes:parity_* eprobes:parity_* fprobes:parity_* tprobes:parity_*
it does not name an address beyond the kernel's code|exceptions:page_fault_user
ROWS

# events_of FILE: by CPU
events_of() { LC_ALL=C awk -f "$SRC/tests/helpers/lines-by-cpu.awk" "$1" | LC_ALL=C sort -s -n -t "$(printf '\001')" -k1,1; }

# judge_texts: what three-texts.awk says, as tests
judge_texts()
{
	judged=0
	while read -r word event number; do
		case $word in
		ours | new)
			judged=$((judged + 1))
			fail "$case_name: $event, $number times: $([ "$word" = ours ] && echo 'ours is not' || echo "libtraceevent's is not, unlike ours,") the kernel's"
			for _ in 1 2; do
				IFS= read -r line
				printf '%s\n' "$line" | cat -v | cut -c 1-600 | diag
			done
			;;
		gone) diag "$event: in a row, but $number texts are the kernel's" ;;
		partly) diag "$event: $number times equal but for a part: $(why_part "${event#*:}")" ;;
		known) diag "$event: $number texts of libtraceevent's are not the kernel's" ;;
		lines) diag "$word $event $number" ;;
		esac
	done
	[ "$judged" -ne 0 ] || pass "$case_name: ours are the kernel's; libtraceevent's are those that are known"
}

begin 'texts'
make_file_system ext4 '-b 4096 -O fast_commit' lazytime
make_file_system xfs '' uquota,gquota,pquota
make_file_system btrfs
make_file_system f2fs
make_cgroup
prepare
# The newest are enough, where others work.
[ -n "$in_guest" ] || echo 100000 >"$D/buffer_size_kb"
make_probes
excluded="$excluded
lock is most of the events"
modules_stay=yes
enable_all
with_bpf_trace trace everything
diag "$(cat "$D/buffer_size_kb") KB for each CPU, $(lost) events lost"
cat "$D/trace" >"$TMP/trace"
cat /proc/kallsyms >"$TMP/kallsyms"
t -q -i "$I" record "$TMP/tree"
expect 0 'they are recorded'
"$TRACESH" -q --tracefs "$TMP/tree" --format kernel drain >"$TMP/drained"
events_of "$TMP/trace" >"$TMP/kernel"
events_of "$TMP/drained" >"$TMP/ours"
rm "$TMP/trace" "$TMP/drained"
page=$(awk -F '[:;]' '/offset/ { end = $4 + $6 } END { print end }' "$TMP/tree/events/header_page")
"$helpers/library-texts" "$TMP/tree/events" "$TMP/tree/printk_formats" "$TMP/kallsyms" "$page" "$TMP"/tree/per_cpu/cpu*/trace_pipe_raw >"$TMP/theirs"
rm -r "$TMP/tree"
echo "$parts" >"$TMP/parts"
paste -d "$(printf '\001')" "$TMP/kernel" "$TMP/ours" "$TMP/theirs" |
	LC_ALL=C awk -v rows="$TMP/rows" -v parts="$TMP/parts" -f "$SRC/tests/helpers/three-texts.awk" >"$TMP/judgement"
judge_texts <"$TMP/judgement"
rm "$TMP/kernel" "$TMP/ours" "$TMP/theirs"
remove_instance
remove_probes

finish
