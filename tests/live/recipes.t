#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1200
# Each recipe, with something going on that it is about: it shows that, and leaves nothing behind.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# each try takes as long as a recipe does
await_most=40

# recipe PID..: the case's one prints what is looked for; it is given another chance, since it runs for a moment only
recipe()
{
	timeout -k 5 60 "$TRACESH" -i "$I" "$TMP/$name.tsh" "$@" >"$TMP/shown" 2>"$TMP/said" </dev/null &&
		grep -Eq -- "$wanted" "$TMP/shown"
}

# shows NAME WORK PATTERN [RIVAL]: while this is done again and again (and that beside it), the recipe (of $argument, of
# who does it by default) prints such a line
shows()
{
	name=$1 wanted=$3
	seen=" $seen$name "
	begin "$1"
	fresh
	sed 's/--for [0-9]*s/--for 200ms/; s/wait 2s/wait 200ms/' "$SRC/examples/$1.tsh" >"$TMP/$1.tsh"
	sh -c "while :; do { $2; } >/dev/null 2>&1; sleep 0.02; done" &
	worker=$!
	children="$children $worker"
	[ -z "${4-}" ] || {
		sh -c "exec $4" &
		children="$children $!"
	}
	# a kernel that cannot do it says so in a line
	if recipe ${argument:-$worker}; then
		pass "$case_name: shows it"
	elif why=$(grep -Em 1 'note: (unknown|this kernel|the kernel refuses|cannot)' "$TMP/said"); then
		skip "$1" "$why"
	else
		true_that 'shows it' await recipe ${argument:-$worker}
		grep -Eq -- "$wanted" "$TMP/shown" || head -c 1000 "$TMP/shown" "$TMP/said" | diag
	fi
	kill "$worker"
	wait "$worker" 2>/dev/null
	true_that 'no probe is left' sh -c "! grep -q tracesh_ '$TRACING/dynamic_events' '$TRACING/kprobe_events' 2>/dev/null"
	true_that 'no instance of its own is left' no_own_instance
	same "$(cat "$D/set_event" "$D/set_event_pid")" '' 'no event and no pid is left'
	[ ! -d "$TRACING/instances/$1" ] && [ ! -d "$TRACING/instances/$1-$worker" ] || fail "$1: nor its instance"
}

seen= argument=
shows exec '/usr/bin/env true' 'sched_process_exec: filename=.*true'
shows first-look : 'sched_switch: prev_comm='
shows forks '/usr/bin/env true' 'sched_process_fork: comm=.* child_comm='
shows opens 'cat /etc/hostname' 'openat'
shows opens-failed 'cat /nonexistent' 'cat +[0-9]+ +-ENOENT'
shows syscalls-failed 'cat /nonexistent' 'cat +[0-9]+ +[0-9]+ +-ENOENT'
shows syscalls-slow 'sleep 0.01' 'sys_exit: NR '
# the cat of busybox reads nothing, by sendfile(2)
shows reads 'read -r line </proc/uptime' ' sh +[0-9]+ +[0-9]+$'
shows run-queue : 'sched_switch: .* next_pid='
shows blocked : '=> '
shows timers : ' -?[0-9.]+ (ms|s)$'
shows sleepers 'sleep 0.01' ' sleep +[0-9]+ +[0-9]+ +REL'
shows softirqs : ' [0-9]+ +[A-Z_]+ +[^ ]+'
shows works sync ' kworker'
shows disk sync '.'
shows interrupts sync '.'
shows signals 'sh -c "kill -URG \$\$"' 'signal_generate: sig=23 '
shows page-faults true ' 0x[0-9a-f]+ +0x'
shows oom 'echo 7 >/proc/self/oom_score_adj' 'oom_score_adj_update: .*oom_score_adj=7'
shows allocations 'cat /proc/self/maps' ' [a-z_]+\+0x[0-9a-f/x]+ +[0-9]+ +[0-9]+$'
shows modules : '.'
shows flight-recorder : '.'
shows call-graph 'cat /etc/hostname' '\(\)|\(.*\) \{'
shows functions-called 'cat /etc/hostname' 'vfs_(read|write)'
shows slow-functions 'sleep 0.01' '.'
shows run-queue-times 'sleep 0.01' '^sleep +[0-9]+ '
shows off-cpu 'sleep 0.01' '^sleep +[0-9]+ '
argument=vfs_read shows function-times 'read -r line </proc/uptime' ' since .*, common_pid='
shows reads-slow 'sleep 0.03 | (read -r line; exit 0)' ' since .*, comm=sh, fd=0, count='
# so often that it is among the first
shows syscalls-by-process 'h=/etc/hostname; cat $h $h $h $h $h $h $h $h $h $h' '^cat +openat +[0-9]+'
shows read-sizes 'read -r line </proc/uptime' '^comm = sh$'
shows enomem '(ulimit -v 100000; dd if=/dev/zero of=/dev/null bs=2000M count=1)' '^dd +([?][0-9]+ [(])?(mmap2?|brk)( or [a-z]+[)])? +[0-9]+'
shows files-opened 'cat /proc/uptime' ' cat +[0-9]+ +"?uptime'
shows interrupt-times 'sleep 0.01' '^ *(TIMER|RCU|SCHED|NET_RX) +[0-9]+ '
shows work-delays sync '^[a-z_]+( \[[a-z]*\])? +[0-9]+ '
shows timers-armed 'sleep 0.01' '^hrtimer_wakeup +[0-9]+ '
shows page-faults-by-file 'cat /etc/hostname' '^(cat|sh) +[^ ]+ +[0-9]+ '

# Nothing fails here, and then nothing is printed.
begin allocations-failed
seen="$seen allocations-failed "
run timeout -k 5 60 "$TRACESH" "$SRC/examples/allocations-failed.tsh"
expect 0 'succeeds'
says ' events?, .* lost' 'and says how many there were'

# A disk that somebody writes to.
case $(df -P "$TMP" | awk 'END { print $1 }') in
/dev/*) shows disk-times "echo >$TMP/written; sync $TMP/written" '^ +[0-9]+ -> ' ;;
*)
	skip disk-times 'no disk to write to'
	seen="$seen disk-times "
	;;
esac

# A line that somebody types.
if [ -n "$PYTHON" ] && command -v bash >/dev/null; then
	printf '%s\n' 'send echo 2741\r' 'send exit\r' >"$TMP/typed"
	shows bash-lines "$PYTHON -I $SRC/tests/helpers/pty.py bash --norc --noprofile -i <$TMP/typed" ' "?echo 2741"?$'
else
	skip bash-lines 'no python3, or no bash'
	seen="$seen bash-lines "
fi

# A CPU that two want.
if command -v taskset >/dev/null; then
	shows preempted 'taskset -pc 0 $$; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' ' [0-9]+ +sh +[0-9]+ +[0-9]+$' \
		'taskset -c 0 sh -c "while :; do :; done"'
else
	skip preempted 'no taskset'
	seen="$seen preempted "
fi

network="$PYTHON -c \"import socket
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.sendto(b'x', ('127.0.0.1', 9))
s = socket.socket(); s.connect_ex(('127.0.0.1', 9))\""
if [ -n "$PYTHON" ] && grep -qx 'net:netif_receive_skb' "$TRACING/available_events" && sh -c "$network" 2>/dev/null; then
	shows network-devices "$network" ' lo +[0-9]+$'
	shows drops "$network" ' [a-z_0-9]+\+0x'
	shows drops-by-place "$network" '[a-z_0-9]+ +[0-9]+ '
	shows tcp-states "$network" 'newstate=TCP_'
	shows tcp-trouble "$network" 'tcp_(send|receive)_reset'
	shows packets : '.'
else
	skip 'recipes of packets' 'no python3, no such events, or lo is down'
	seen="$seen network-devices  drops  drops-by-place  tcp-states  tcp-trouble  packets "
fi

begin 'all of them'
for file in "$SRC"/examples/*.tsh; do
	name=$(basename "$file" .tsh)
	case $seen in
	*" $name "*) ;;
	*) fail "$name has no case here" ;;
	esac
done
pass 'each recipe has a case'

finish
