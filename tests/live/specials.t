#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Events whose text the kernel makes in code of its own, byte for byte: system calls, functions, stacks, markers,
# probes, synthetic events, and what the latency and block tracers record.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

group=live$$

# texts FILE: times and texts, without comments and what else stands before the text of a line
texts()
{
	sed -E -e '/^#/d' \
		-e 's/^ *[^ ].*-[0-9]+ +(\([ 0-9-]+\) )?\[[0-9]{3}\] [^ ]{4,6} +([0-9]+\.[0-9]{6}: )/\2/' "$1"
}

# prepare: an instance of the case's own, off
prepare()
{
	fresh
	echo 0 >"$D/tracing_on"
	echo 8192 >"$D/buffer_size_kb"
	set_option hash-ptr 0
}

# set_option NAME VALUE: false when the instance has none such
set_option()
{
	[ -e "$D/options/$1" ] && echo "$2" >"$D/options/$1"
}

# events_on EVENT..: those that are there
events_on()
{
	for event; do
		[ ! -e "$D/events/$event/enable" ] || echo 1 >"$D/events/$event/enable"
	done
}

# trace COMMAND..: with tracing on, of what the command does
trace()
{
	echo 1 >"$D/tracing_on"
	"$@" >/dev/null 2>&1
	echo 0 >"$D/tracing_on"
}

# compare NAME PATTERN: the kernel's text and ours, in which there are lines of that form
compare()
{
	names_are_noted
	cat "$D/trace" >"$TMP/kernel"
	status=0
	"$TRACESH" -q ${I:+-i "$I"} --format kernel drain >"$TMP/ours" 2>"$TMP/err" || status=$?
	err=$(head -c 2000 "$TMP/err")
	if [ "$status" -ne 0 ]; then
		fail "$case_name: $1: drain"
		printf '%s\n' "$err" | diag
		return
	fi
	texts "$TMP/kernel" >"$TMP/want"
	texts "$TMP/ours" >"$TMP/got"
	if ! sed -E 's/^[0-9]+\.[0-9]{6}: //' "$TMP/want" | grep -qaE -- "$2"; then
		skip "$case_name: $1" "the kernel printed nothing like $2"
	elif cmp -s "$TMP/want" "$TMP/got"; then
		pass "$case_name: $1: $(grep -c '' "$TMP/want") lines"
	else
		fail "$case_name: $1"
		diff "$TMP/want" "$TMP/got" | head -n 20 | cat -v | cut -c 1-500 | diag
	fi
}

# ---- what happens ----

# shellcheck disable=SC2317 # called by trace
programs()
{
	ls /
	hostname
	cat /proc/self/maps
	printf 'a\001b\n' >/dev/null
	dd if=/dev/zero of=/dev/null bs=300 count=2
	mkdir "$TMP/dir" && rmdir "$TMP/dir"
	: >"$TMP/file"
	sh -c 'exit 3'
}

# ---- the cases ----

begin 'system calls'
for verbose in 0 1; do
	prepare
	set_option verbose $verbose
	events_on syscalls
	echo $$ >"$D/set_event_pid"
	set_option event-fork 1
	trace programs
	compare "verbose is $verbose" '^sys_write\('
	remove_instance
done

begin 'markers'
# shellcheck disable=SC2317 # called by trace
marks()
{
	echo 'a mark' >"$D/trace_marker"
	printf 'no newline' >"$D/trace_marker"
	printf 'two\nlines\n' >"$D/trace_marker"
	[ ! -e "$D/trace_marker_raw" ] || printf 'ABCDdata\000more' >"$D/trace_marker_raw"
}
for option in none sym-offset sym-addr; do
	prepare
	set_option $option 1
	trace marks
	compare "$option" 'a mark$'
	remove_instance
done

begin 'stacks'
for option in none sym-offset sym-addr; do
	prepare
	set_option $option 1
	set_option stacktrace 1
	set_option userstacktrace 1
	# Not one with a string: with both options on and hash-ptr off 6.1 prints its first string as none.
	events_on syscalls/sys_enter_execve syscalls/sys_enter_mkdir syscalls/sys_enter_write
	echo $$ >"$D/set_event_pid"
	set_option event-fork 1
	trace programs
	compare "$option" '^ => '
	remove_instance
done

begin 'functions'
# needs functions
prepare
if grep -qw function "$D/available_tracers" && (echo 'vfs_*' >"$D/set_ftrace_filter") 2>/dev/null; then
	remove_instance
	set -- none sym-offset sym-addr noprint-parent func-args func_stack_trace func-no-repeats
	[ -z "${TRACESH_VM_SAMPLE-}" ] || set -- none sym-addr func-args func_stack_trace
	for option; do
		prepare
		echo 'vfs_*' >"$D/set_ftrace_filter"
		echo function >"$D/current_tracer"
		case $option in
		noprint-parent) set_option print-parent 0 ;;
		none) ;;
		*) set_option $option 1 ;;
		esac || {
			skip "$case_name: $option" 'this kernel has no such option'
			remove_instance
			continue
		}
		trace programs
		compare "$option" '^vfs_'
		# Options of a tracer are the same in all instances.
		case $option in
		func*) set_option $option 0 ;;
		esac
		echo nop >"$D/current_tracer"
		remove_instance
	done
else
	skip "$case_name" 'this kernel has no function tracer, or refuses its filter'
fi

# define FILE LINE..: dynamic events, those that this kernel can
define()
{
	define_file=$TRACING/$1
	shift
	for line; do
		echo "$line" >>"$define_file" 2>/dev/null || diag "not here: $line"
	done
}

# undefine: the events of our group
undefine()
{
	for file in dynamic_events kprobe_events uprobe_events; do
		[ -e "$TRACING/$file" ] || continue
		grep -oE ":$group/[^ ]+" "$TRACING/$file" | while read -r name; do
			echo "-$name" >>"$TRACING/$file"
		done
	done
}

begin 'kernel probes'
# needs kprobes
if [ -e "$TRACING/kprobe_events" ]; then
	define kprobe_events "p:$group/pa vfs_read" "p:$group/pb vfs_read %ax %bx:u8 %cx:s8 %dx:x16 %si:s32 %di:s64" \
		"p:$group/pc do_sys_openat2 dfd=%di:s32 name=+0(%si):ustring bad=+0(%di):string sym=\$stack0:symbol" \
		"p:$group/pd do_sys_openat2 arr=+0(%si):x8[4] sarr=+0(\$stack):x64[3] comm=\$comm" \
		"p:$group/pe do_sys_openat2 bf=%di:b4@2/32" "p:$group/pf do_sys_openat2 c=%si:char" \
		"p:$group/ph vfs_read two=+0(+0(%di)):string[2]" \
		"r:$group/ra vfs_read \$retval" "r:$group/rb do_sys_openat2 ret=\$retval:s32"
	[ ! -e "$TRACING/dynamic_events" ] || define dynamic_events "f:$group/fa vfs_read" \
		"f:$group/fb vfs_read%return ret=\$retval:s64" "f:$group/fc vfs_read file buf count" \
		"t:$group/ta sched_process_fork"
	for option in none sym-addr; do
		prepare
		set_option $option 1
		events_on $group
		trace programs
		compare "$option" '^pa: \(vfs_read'
		remove_instance
	done
	undefine
else
	skip "$case_name" 'this kernel has none'
fi

begin 'user probes'
elf=$(readlink -f /bin/true)
entry=$(readelf -h "$elf" 2>/dev/null | awk '/Entry point/ { print $NF }')
if [ -e "$TRACING/uprobe_events" ] && [ -n "$entry" ]; then
	define uprobe_events "p:$group/ua $elf:$entry" "p:$group/ub $elf:$entry %ip %sp:u64 s=+0(%sp):x8[4]"
	libc=$(ldd "$elf" | awk '/libc\./ { print $3 }')
	getenv=$(nm -D "$libc" 2>/dev/null | awk '$3 ~ /^getenv(@|$)/ { print $1 }')
	[ -z "$getenv" ] || define uprobe_events "p:$group/uc $libc:0x$getenv name=+0(%di):string" \
		"r:$group/ud $libc:0x$getenv ret=\$retval s=+0(\$retval):string"
	prepare
	events_on $group
	trace "$elf"
	compare 'entry and return' '^ua: \(0x'
	remove_instance
	undefine
else
	skip "$case_name" 'this kernel has none, or there is no readelf'
fi

begin 'event probes'
# needs eprobes
[ ! -e "$TRACING/dynamic_events" ] || define dynamic_events \
	"e:$group/ea sched.sched_switch prev=\$prev_pid:s32 next=\$next_comm:string" "e:$group/eb sched.sched_switch"
if [ -e "$TRACING/events/$group/ea" ]; then
	prepare
	events_on $group
	trace programs
	compare 'of sched_switch' '^ea: \(sched\.sched_switch\) prev='
	remove_instance
	undefine
else
	skip "$case_name" 'this kernel has none'
fi

begin 'synthetic events'
# needs synthetic
if [ -e "$TRACING/synthetic_events" ] && [ -e "$TRACING/events/sched/sched_switch/hist" ]; then
	echo "$group pid_t pid; u64 lat; char comm[16]; int prio" >>"$TRACING/synthetic_events"
	prepare
	echo 'hist:keys=pid:ts0=common_timestamp.usecs' >"$D/events/sched/sched_waking/trigger"
	echo "hist:keys=next_pid:lat=common_timestamp.usecs-\$ts0:onmatch(sched.sched_waking).$group(next_pid,\$lat,next_comm,next_prio)" \
		>"$D/events/sched/sched_switch/trigger"
	events_on synthetic/$group
	trace programs
	compare 'latencies' "^$group: pid="
	# The triggers know each other: the later goes first.
	for event in sched_switch sched_waking; do
		sed -n 's/ \[active\]$//; /^#/!s/^/!/p' "$D/events/sched/$event/trigger" >"$TMP/trigger"
		cat "$TMP/trigger" >"$D/events/sched/$event/trigger"
	done
	remove_instance
	echo "!$group" >>"$TRACING/synthetic_events"
else
	skip "$case_name" 'this kernel has none'
fi

begin 'latency tracers'
# needs osnoise
for tracer in osnoise timerlat; do
	prepare
	if grep -qw $tracer "$D/available_tracers" && (echo $tracer >"$D/current_tracer") 2>/dev/null; then
		trace sleep 3
		compare $tracer '[0-9]'
		echo nop >"$D/current_tracer"
	else
		skip "$case_name: $tracer" 'this kernel has it not in instances'
	fi
	remove_instance
done

# Top-level only: for kernels of tests, which have a RAM disk.
begin 'tracers of the top-level buffer'
# needs top
erases
if [ -b /dev/ram0 ] || modprobe brd rd_nr=1 rd_size=4096 2>/dev/null && [ -b /dev/ram0 ]; then
	I='' D=$TRACING
	# shellcheck disable=SC2317 # called by trace
	touch_disk()
	{
		dd if=/dev/zero of=/dev/ram0 bs=4k count=3 oflag=direct
		dd if=/dev/ram0 of=/dev/null bs=64k count=4
		sync
	}
	for tracer in blk hwlat; do
		grep -qw $tracer "$D/available_tracers" || {
			skip "$case_name: $tracer" 'this kernel has it not'
			continue
		}
		echo 0 >"$D/tracing_on"
		echo $tracer >"$D/current_tracer"
		if [ $tracer = blk ]; then
			echo 1 >/sys/block/ram0/trace/enable
			trace touch_disk
			compare $tracer '^  1,0 '
			echo 0 >/sys/block/ram0/trace/enable
		else
			trace sleep 3
			compare $tracer '^#[0-9]+ +inner/outer'
		fi
		echo nop >"$D/current_tracer"
		echo 1 >"$D/tracing_on"
	done
	D=''
else
	skip "$case_name" 'there is no RAM disk'
fi

finish
