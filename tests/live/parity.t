#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1800
# in a guest of its own
# The kernel's own text, byte for byte: every event that the workload can make happen, as "trace" prints it and as
# `drain --format kernel` does. TRACESH_PARITY_KEEP=DIR leaves the texts of each case there.
# shellcheck disable=SC2317 # functions that are called by name
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
[ -x "$BUILD/tests/helpers/workload" ] || skip_all 'no tests/helpers/workload (make check-programs)'
need_tracefs
. "$SRC/tests/live/lib-live.sh"

. "$SRC/tests/live/lib-load.sh"
release=$(uname -r)

# ---- comparing ----

# compare: the buffer's text by the kernel and by us
compare()
{
	same "$(lost)" 0 'nothing was lost'
	cat "$TRACING/saved_cmdlines" >"$TMP/names"
	cat "$D/trace" >"$TMP/kernel"
	status=0
	"$TRACESH" -q -i "$I" --format kernel drain >"$TMP/ours" 2>"$TMP/err" || status=$?
	# It has room for some 128 tasks of all who trace on this machine.
	names_changed=
	cat "$TRACING/saved_cmdlines" | cmp -s - "$TMP/names" || names_changed=yes
	: >"$TMP/out"
	err=$(head -c 2000 "$TMP/err")
	expect 0 'drain succeeds'
	# Modules have BTF since 5.11.
	unnamed=
	echo "$parts" >"$TMP/parts"
	[ ! -d /sys/module/btrfs ] || [ -e /sys/kernel/btf/btrfs ] || unnamed=1
	LC_ALL=C awk -f "$SRC/tests/helpers/parity.awk" -v kernel="$TMP/kernel" -v ours="$TMP/ours" -v hashed=$hashed \
		-v unnamed=$unnamed -v parts="$TMP/parts" -v forgotten=$names_changed >"$TMP/parity" </dev/null
	judge <"$TMP/parity"
	if [ -n "${TRACESH_PARITY_KEEP-}" ]; then
		for text in kernel ours parity; do
			mv "$TMP/$text" "$TRACESH_PARITY_KEEP/$release-$case_number.$text"
		done
	fi
}

# judge: what parity.awk says, as tests
judge()
{
	differing=0
	while read -r word name count; do
		case $word in
		equal)
			types=$name lines=$count
			continue
			;;
		partly)
			diag "$case_name: $name, $count times equal but for a part: $(why_part "$name")"
			continue
			;;
		unnamed)
			diag "$case_name: $name, $count times: names of a module are numbers here, its enumerators are nowhere"
			continue
			;;
		differ) ;;
		*) continue ;;
		esac
		IFS= read -r its
		IFS= read -r mine
		if [ "$name" = '(columns)' ] && [ -n "$names_changed" ]; then
			diag "$case_name: the columns are not compared: somebody else traces, and saved_cmdlines changed"
			continue
		fi
		differing=$((differing + 1))
		fail "$case_name: $release: $name, $count times"
		printf '%s\n' "$its" "$mine" | cat -v | cut -c 1-1000 | diag
	done
	if [ "$lines" -gt 0 ]; then
		pass "$case_name: $release: $types types, $lines lines equal, $differing types differ"
	else
		fail "$case_name: $release: no line is equal"
	fi
}

# ---- the cases ----

begin 'all events'
make_file_system ext4 '-b 4096 -O fast_commit' lazytime
make_file_system ext3
make_file_system xfs '' uquota,gquota,pquota
make_file_system btrfs
make_file_system f2fs
make_cgroup
prepare
make_probes
enable_all
diag "$(cat "$D"/events/*/*/enable 2>/dev/null | grep -c '^1') events are enabled"
with_bpf_trace trace everything -m "$D/trace_marker" -r "$D/trace_marker_raw"
compare
remove_instance
remove_probes

# The lines of all CPUs are sorted by time; those of the same time as the kernel does it.
load()
{
	for cpu in $(seq 0 $(($(getconf _NPROCESSORS_ONLN) - 1))); do
		taskset -c "$cpu" dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null &
	done
	"$workload" futexes timers ipc sched
	wait
}

begin 'the order of lines under load'
prepare
for name in sched irq timer raw_syscalls; do
	echo 1 >"$D/events/$name/enable"
done
trace load
compare

begin 'stacks'
prepare
for name in sched/sched_process_fork sched/sched_switch sched/sched_wakeup signal task; do
	echo 1 >"$D/events/$name/enable"
done
echo 1 >"$D/options/stacktrace"
echo 1 >"$D/options/userstacktrace" 2>/dev/null
trace "$workload" tasks futexes signals
compare

begin 'functions'
# needs functions
prepare
if grep -qw function "$D/available_tracers" 2>/dev/null &&
	echo 'vfs_*' 2>/dev/null >"$D/set_ftrace_filter" && echo function >"$D/current_tracer"; then
	trace "$workload" ipc files
	compare
else
	skip "$case_name" 'not in an instance of this kernel, or not some only'
fi

finish
