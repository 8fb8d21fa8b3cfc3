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
names that only BTF has are numbers|block:block_rq_* block:block_io_* btrfs:* writeback:* tcp:tcp_retransmit_skb tcp:tcp_send_reset timer:hrtimer_start timer:hrtimer_setup timer:hrtimer_init power:pm_qos_update_target power:pm_qos_update_flags power:dev_pm_qos_* f2fs:f2fs_sync_file_exit f2fs:f2fs_vm_page_mkwrite f2fs:f2fs_filemap_fault rxrpc:rxrpc_call_complete fscache:*
a page's address is its number|kmem:mm_page_*
it names data, which the kernel of kallsyms without data does not|xfs:xfs_buf_* iomap:iomap_iter
a string by its address is the bytes of the address|wbt:wbt_step rcu:rcu_utilization dev:devres_log
it does not parse statements, and functions that it does not know|maple_tree:* jbd2:* f2fs:f2fs_submit_* f2fs:f2fs_prepare_write_bio scsi:* vmscan:mm_vmscan_memcg_reclaim_* vmscan:mm_shrink_slab_*
%pSR is %pS and an R|rxrpc:rxrpc_call rxrpc:rxrpc_conn rxrpc:rxrpc_local rxrpc:rxrpc_peer afs:afs_call
the number behind two conditions is another|gadget:usb_ep_*
what a module ran once is gone: kallsyms has another name, or none|initcall:initcall_start initcall:initcall_finish kmem:kmalloc kmem:kfree kmem:kmem_cache_alloc kmem:kmem_cache_free
brackets in a condition are lost: flags that are not set, a mode of other bits|timer:timer_start f2fs:f2fs_new_inode f2fs:f2fs_drop_inode f2fs:f2fs_unlink_exit f2fs:f2fs_truncate_*
a negative number in a condition is a large one|sock:sock_recv_length
small numbers have no sign, and addresses no 0x or name|uprobes:workload_* kprobes:parity_* eprobes:parity_* fprobes:parity_* tprobes:parity_*
it does not name an address beyond the kernel's code|exceptions:page_fault_user
ROWS

# events_of: of a text, by CPU
events_of() { LC_ALL=C awk -f "$SRC/tests/helpers/lines-by-cpu.awk" | LC_ALL=C sort -T "$TMP/texts" -s -n -t "$(printf '\001')" -k1,1; }

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
		said) diag "$event: $number times name=value, as info says" ;;
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
# A guest's folders are half of its memory, which the texts of all do not fit in.
rm -f "$TMP"/*.image
mkdir "$TMP/texts"
[ -z "$in_guest" ] || mount -t tmpfs -o size=75% none "$TMP/texts"
events_of <"$D/trace" >"$TMP/texts/kernel"
cat /proc/kallsyms >"$TMP/kallsyms"
t -q -i "$I" record "$TMP/texts/tree"
expect 0 'they are recorded'
echo 4 >"$D/buffer_size_kb"
"$TRACESH" -q --tracefs "$TMP/texts/tree" --format kernel drain | events_of >"$TMP/texts/ours"
page=$(awk -F '[:;]' '/offset/ { end = $4 + $6 } END { print end }' "$TMP/texts/tree/events/header_page")
"$helpers/library-texts" "$TMP/texts/tree/events" "$TMP/texts/tree/printk_formats" "$TMP/kallsyms" "$page" "$TMP"/texts/tree/per_cpu/cpu*/trace_pipe_raw >"$TMP/texts/theirs"
"$TRACESH" -q --json --tracefs "$TMP/texts/tree" info '*:*' | sed -n '/"printed_by"/d; s/.*"event":"\([^"]*\)".*"unprintable":.*/\1/p' >"$TMP/said"
rm -r "$TMP/texts/tree"
# What a plugin prints in place of us is of its own kernel: that of 1.7.1 does not know all that MAINTENANCE_IN is asked for.
cat >"$TMP/parts" <<PARTS
$parts
scsi_dispatch_cmd_start cmnd=[(]MAINTENANCE_IN [^)]*[)]
scsi_dispatch_cmd_done cmnd=[(]MAINTENANCE_IN [^)]*[)]
PARTS
paste -d "$(printf '\001')" "$TMP/texts/kernel" "$TMP/texts/ours" "$TMP/texts/theirs" |
	LC_ALL=C awk -v rows="$TMP/rows" -v said="$TMP/said" -v parts="$TMP/parts" -f "$SRC/tests/helpers/three-texts.awk" >"$TMP/judgement"
judge_texts <"$TMP/judgement"
[ -z "$in_guest" ] || umount "$TMP/texts"
rm -r "$TMP/texts"
remove_instance
remove_probes

finish
