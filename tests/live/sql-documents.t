#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sql takes each statement of tracefs_sql(3), sqlhist(1) (libtracefs 1.6.4 to 1.8.3) and of libtracefs' own tests, and what
# those say is none it refuses, with words; and so does the kernel, of what it is told for them.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# has STATEMENT: this kernel has the events of it
has()
{
	for event in $(printf '%s\n' "$1" | sed 's/select .*from from/from/' | grep -io -e 'from  *[a-z_.]*' -e 'join  *[a-z_.]*' |
		awk '{ print $NF }' | sed 's/.*\.//'); do
		ls -d "$TRACING"/events/*/"$event" >/dev/null 2>&1 || return 1
	done
}

# in_kernel NAME STATEMENT: the kernel takes what it is told for it
in_kernel()
{
	case $(printf '%s\n' "$2" | tr a-z A-Z) in
	*JOIN*) [ -e "$TRACING/synthetic_events" ] || return 0 ;;
	*) [ -e "$TRACING/events/sched/sched_switch/hist" ] || return 0 ;;
	esac
	t sql --in-kernel --for 1ms "$2"
	if ! grep -q common_stacktrace "$TRACING/README" && printf '%s\n' "$2" | grep -qi stacktrace; then
		expect 3 "$1: the kernel cannot"
		says 'error: this kernel passes no stack from one event to another' "$1: and why"
		says 'hint: kernels do since 6.4' "$1: and since when one can"
	else
		expect 0 "$1: in the kernel"
	fi
}

wakeup='select start.pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) as lat from sched_waking as start JOIN sched_switch as end ON start.pid = end.next_pid'
prio='(start.prio >= 1 && start.prio < 100) || !(start.pid >= 0 && start.pid <= 1) && end.prev_pid != 0'
cat >"$TMP/statements" <<END
a system before each event
	SELECT syscalls.sys_enter_read.fd, syscalls.sys_exit_read.ret FROM syscalls.sys_enter_read JOIN syscalls.sys_exit_read ON syscalls.sys_enter_read.common_pid = syscalls.sys_exit_read.common_pid
no system
	SELECT sys_enter_read.fd, sys_exit_read.ret FROM sys_enter_read JOIN sys_exit_read ON sys_enter_read.common_pid = sys_exit_read.common_pid
the same with the wrong name that the page has	begins with neither 'syscalls:sys_enter_read' nor 'sys_exit_read'|begins with neither 'sys_enter_read' nor 'sys_exit_read'
	SELECT sys_enter_read.fd, sys_exit_read.ret FROM sys_enter_read JOIN sys_exit_read ON sys_enter_read.common_pid = sys_exit_write.common_pid
and with systems	begins with neither 'sys_enter_read' nor 'sys_exit_read'
	SELECT syscalls.sys_enter_read.fd, syscalls.sys_exit_read.ret FROM syscalls.sys_enter_read JOIN syscalls.sys_exit_read ON syscalls.sys_enter_read.common_pid = syscalls.sys_exit_write.common_pid
names of events
	SELECT start.fd, end.ret FROM sys_enter_read AS start JOIN sys_exit_read AS end ON start.common_pid = end.common_pid
names of fields
	SELECT start.fd AS filed, end.ret AS return FROM sys_enter_read AS start JOIN sys_exit_read AS end ON start.common_pid = end.common_pid
a difference
	select start.truesize, end.len, (start.truesize - end.len) as diff from napi_gro_receive_entry as start JOIN netif_receive_skb as end ON start.skbaddr = end.skbaddr
a time
	$wakeup
in ns
	select start.pid, (end.TIMESTAMP - start.TIMESTAMP) as lat from sched_waking as start JOIN sched_switch as end ON start.pid = end.next_pid
TIMESTAMP_DELTA_USECS
	select start.pid, TIMESTAMP_DELTA_USECS as lat from sched_waking as start JOIN sched_switch as end ON start.pid = end.next_pid
TIMESTAMP_DELTA
	select start.pid, TIMESTAMP_DELTA as lat from sched_waking as start JOIN sched_switch as end ON start.pid = end.next_pid
filters of both
	$wakeup WHERE start.prio < 100 && (!(end.prev_pid < 1 || end.prev_prio > 100) || end.prev_pid == 0)
two filters
	$wakeup WHERE start.prio < 100 && end.prev_prio < 100
filters of both in one	one condition about both events: only AND can stand between theirs
	$wakeup WHERE start.prio < 100 || end.prev_prio < 100
a stack
	select start.prev_pid as pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) as delta, start.STACKTRACE as stack FROM sched_switch as start JOIN sched_switch as end ON start.prev_pid = end.next_pid WHERE start.prev_state == 2
a keyword as a field	expected a field, not 'from'
	select from from regcache_drop_region
with a backslash
	select \\from from regcache_drop_region
comm and syscall
	select CAST(common_pid AS comm), CAST(id AS syscall) FROM sys_enter
a counter
	SELECT common_pid, CAST(bytes_req AS _COUNTER_) FROM kmalloc
its other spelling
	SELECT common_pid, CAST(bytes_req AS __COUNTER__) FROM kmalloc
HEX
	SELECT CAST(bytes_req AS HEX) FROM kmalloc
SYM
	SELECT CAST(call_site AS SYM) FROM kmalloc
SYM-OFFSET
	SELECT CAST(call_site AS SYM-OFFSET) FROM kmalloc
SYSCALL
	SELECT CAST(id AS SYSCALL) FROM sys_enter
EXECNAME
	SELECT CAST(common_pid AS EXECNAME) FROM kmalloc
COMM
	SELECT CAST(common_pid AS COMM) FROM kmalloc
LOG
	SELECT CAST(bytes_req AS LOG) FROM kmalloc
LOG2
	SELECT CAST(bytes_req AS LOG2) FROM kmalloc
three keys of sqlhist(1)
	SELECT CAST(call_site as SYM-OFFSET), bytes_req, CAST(bytes_alloc AS _COUNTER_) FROM kmalloc
the wakeups of sqlhist(1)
	SELECT end.next_comm AS comm, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid WHERE end.next_prio < 100 && end.next_comm == "cyclictest"
its test 1
	select sched_switch.next_pid as woke_pid, sched_waking.common_pid as waking_pid from sched_waking join sched_switch on sched_switch.next_pid = sched_waking.pid
its test 2
	select woke.next_pid as woke_pid, wake.common_pid as waking_pid from sched_waking as wake join sched_switch as woke on woke.next_pid = wake.pid
its test 3
	select sched_switch.next_prio as prio, end.prev_prio as pprio, (sched.sched_waking.common_timestamp.usecs - end.TIMESTAMP_USECS) as lat from sched_waking as start join sched_switch as end on start.pid = end.next_pid
its test 4, whose OR binds tighter than its AND	one condition about both events: only AND can stand between theirs
	select start.pid, end.next_prio as prio, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) as lat from sched_waking as start join sched_switch as end on start.pid = end.next_pid where $prio
with the brackets that the hint names
	select start.pid, end.next_prio as prio, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) as lat from sched_waking as start join sched_switch as end on start.pid = end.next_pid where ($(printf '%s' "$prio" | sed 's/ && end/) \&\& end/')
its test 5
	select end.common_pid as pid, (end.common_timestamp.usecs - start.common_timestamp.usecs) as irq_lat from irq_disable as start join irq_enable as end on start.common_pid = end.common_pid, start.parent_offs == end.parent_offs where start.common_pid != 0
the same of events that there are
	select end.common_pid as pid, (end.common_timestamp.usecs - start.common_timestamp.usecs) as lat from sys_enter_read as start join sys_exit_read as end on start.common_pid = end.common_pid, start.__syscall_nr == end.__syscall_nr where start.common_pid != 0
buckets, which its parser has
	SELECT CAST(bytes_req AS BUCKETS=64) FROM kmalloc
commas in WHERE, which its grammar has
	$wakeup WHERE start.prio < 100, end.prev_prio < 100
the kernel's own names
	select start.prev_pid as pid, (end.common_timestamp - start.common_timestamp) as delta, start.common_stacktrace FROM sched_switch as start JOIN sched_switch as end ON start.prev_pid = end.next_pid
END

begin 'statements'
in_manual=yes n=0 taken=0
while IFS='	' read -r name refusal && IFS='	' read -r statement; do
	[ "$name" != 'its test 1' ] || in_manual=
	if ! has "$statement"; then
		skip "$name" 'the kernel has no such event'
		continue
	fi
	t explain sql "$statement"
	if [ -n "$refusal" ]; then
		expect 2 "$name"
		says "error: .*($refusal)" "$name: is said"
	else
		expect 0 "$name"
		in_kernel "$name" "$statement"
		if [ -n "$in_manual" ]; then
			n=$((n + 1))
			"$TRACESH" sql --sqlhist "$statement" >"$TMP/out" 2>&1 && taken=$((taken + 1))
		fi
	fi
done <"$TMP/statements"
# the figure of docs/libraries.md
echo "# libtracefs takes $taken of the $n statements of its manual"
finish
