#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in a guest of its own
# Events whose text a function of the kernel makes: libtraceevent's plugins print them as the kernel does.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
case $("$TRACESH" --version) in
*'no libtraceevent'*) skip_all 'a build without libtraceevent' ;;
esac
[ -n "$(find /usr/lib*/traceevent /usr/lib/*/traceevent -name plugin_scsi.so 2>/dev/null)" ] || skip_all 'no plugin_scsi.so'

# printed DECODERS EVENT..: what a stream prints while "load" runs
printed()
{
	start "$TMP/printed" "$TRACESH" -q -c "set decoders $1" -c "stream ${2-}"
	streaming=$child
	await is_streaming "$streaming"
	load
	kill -INT "$streaming"
	ended "$streaming"
}
load() { for _ in 1 2 3 4 5 6 7 8 9 10; do cat /dev/null; done; }

begin 'the process that prints is not traced'
printed all 'syscalls:sys_enter_read syscalls:sys_enter_write'
true_that 'all: cat is' grep -q ' cat-.* sys_enter_read' "$TMP/printed"
same "$(grep -c 'trsh-decoders-.* sys_enter_' "$TMP/printed")" 0 'all: it is not'
if [ -d "$TRACING/events/rcu/rcu_utilization" ]; then
	printed all rcu:rcu_utilization
	true_that 'all: a string by its address is the string' grep -q ' rcu_utilization: [SE][a-z]* ' "$TMP/printed"
	same "$(grep -cE ' rcu_utilization: [0-9a-f]+$' "$TMP/printed")" 0 'all: none is an address'
else
	skip 'all: a string by its address is the string' 'no rcu_utilization'
fi
printed all 'sched:sched_switch sched:sched_waking'
true_that 'of a switch cat is' grep -q 'sched_switch: .*cat' "$TMP/printed"
same "$(grep -cE 'idle>.*trsh-decoders|trsh-decoders.*(==>.*swapper|sched_waking: comm=tracesh)' "$TMP/printed")" 0 'nor idle beside it'

if ! modprobe -q scsi_debug dev_size_mb=8 2>/dev/null || ! modprobe -q sd_mod 2>/dev/null; then
	skip 'the text of scsi' 'no scsi_debug to be had here'
	finish
	exit
fi
# disk: the one that it has made, when it is there
disk()
{
	set -- /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/*
	disk=/dev/${1##*/}
	[ -b "$disk" ]
}
await disk

# read_disk: its commands are traced in the case's instance
read_disk()
{
	echo 1 >"$D/events/scsi/enable"
	dd if="$disk" of=/dev/null bs=4k count=8 iflag=direct 2>/dev/null
	echo 0 >"$D/events/scsi/enable"
}

begin 'on: nor is it then'
load() { dd if="$disk" of=/dev/null bs=4k count=8 iflag=direct 2>/dev/null; }
printed on 'syscalls:sys_enter_read syscalls:sys_enter_write scsi'
true_that 'a plugin prints' grep -q 'scsi_dispatch_cmd_start: .*cmnd=(READ_10' "$TMP/printed"
true_that 'dd is traced' grep -q ' dd-.* sys_read(' "$TMP/printed"
same "$(grep -cE 'trsh-decoders-.* sys_(read|write)\(' "$TMP/printed")" 0 'it is not'

begin 'the text'
fresh
t -i "$I" info scsi:scsi_dispatch_cmd_start
expect 0 'an event is described'
prints "^  text: +by libtraceevent's plugin scsi, for 'scsi_trace_parse_cdb' is not known$" 'info says who prints it'
read_disk
grep -v '^#' "$D/trace" >"$TMP/kernel"
true_that 'commands came' grep -q 'scsi_dispatch_cmd_done: .*cmnd=(READ_10 lba=' "$TMP/kernel"
t -q -i "$I" --format kernel drain
expect 0 'they are printed'
printf '%s\n' "$out" >"$TMP/ours"
true_that "in the kernel's own text" cmp "$TMP/kernel" "$TMP/ours"
read_disk
t -q -i "$I" -c 'set decoders off' -c drain
prints 'scsi_dispatch_cmd_start: host_no=.* cmnd=\{' 'off: name=value'
read_disk
t -q -i "$I" -c 'set decoders all' -c drain
prints 'scsi_dispatch_cmd_start: host_no=.* prot_op=0x0 .*cmnd=\(READ_10' 'all: as the library does alone'

begin 'a recording'
fresh
read_disk
grep -v '^#' "$D/trace" | sed 's/.*: scsi_/scsi_/' >"$TMP/kernel"
echo 0 >"$D/tracing_on"
t -i "$I" record "$TMP/tree"
expect 0 'the buffer is taken'
t -q --tracefs "$TMP/tree" --format kernel drain
printf '%s\n' "$out" | sed 's/.*: scsi_/scsi_/' >"$TMP/ours"
true_that "its text is the kernel's" cmp "$TMP/kernel" "$TMP/ours"
t --tracefs "$TMP/tree" --json info scsi:scsi_dispatch_cmd_done
prints "\"printed_by\":\"libtraceevent's plugin scsi\"" 'info says who prints it'
finish
