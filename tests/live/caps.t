#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel can do: by reading, and by attempt.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

# row NAME: what caps says of it: yes, no or ?
row()
{
	printf '%s\n' "$out" | sed -n "s/^[a-z]*,$1,\([a-z?]*\),.*/\1/p"
}

# as_read NAME COMMAND..: caps says yes where the command succeeds, and no where it does not
as_read()
{
	name=$1 want=no
	shift
	! "$@" || want=yes
	is "$(row "$name")" "$want" "$name"
}

# makes_eprobe: whether this kernel does; its README tells of them in any case
makes_eprobe()
{
	echo "e:live_$$/probe sched.sched_switch" >>"$TRACING/dynamic_events" || return
	echo "-:live_$$/probe" >>"$TRACING/dynamic_events"
} 2>/dev/null

# takes_module: the events of a module, which is not there; its README tells of functions of one, too
takes_module()
{
	echo ':mod:live_nosuchmodule' >>"$D/set_event"
} 2>/dev/null

begin 'by reading'
fresh
t --format csv caps
expect 0 'it is read'
for tracer in function function_graph; do
	as_read "$tracer" grep -qw "$tracer" "$TRACING/available_tracers"
done
as_read 'interrupts off' grep -qw irqsoff "$TRACING/available_tracers"
as_read 'the hardware.s' grep -qw hwlat "$TRACING/available_tracers"
as_read 'kernel functions' test -e "$TRACING/kprobe_events"
as_read 'programs' test -e "$TRACING/uprobe_events"
as_read 'synthetic events' test -e "$TRACING/synthetic_events"
as_read 'histograms' test -e "$TRACING/events/sched/sched_switch/hist"
as_read 'events of events' makes_eprobe
as_read 'of a module' takes_module
as_read 'snapshots' test -e "$TRACING/snapshot"
as_read 'without a task' test -e "$TRACING/set_event_notrace_pid"
as_read 'tai' grep -qw tai "$TRACING/trace_clock"
# policy may refuse them to root as well
can_read() { head -n 1 "$TRACING/$1" >/dev/null 2>&1; }
as_read 'chosen ones' can_read set_ftrace_filter
as_read 'all but a task' can_read set_ftrace_notrace_pid
as_read 'types' test -r /sys/kernel/btf/vmlinux
is "$(printf '%s\n' "$out" | grep -c ',no,[^,]*,$')" 0 'what is missing says what it needs'
is "$(printf '%s\n' "$out" | grep -c ',yes,.*,CONFIG_')" 0 'what is there needs nothing'
t --format json caps probes
expect 0 'as JSON'
like "$out" '"group":"probes","capability":"programs","have":"(yes|no)"' 'a row is an object'
unlike "$out" '"group":"clocks"' 'of one group'
# a list that is hidden
run unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$0" --format csv caps probes' "$TRACESH"
expect 0 'where the functions of the kernel are not listed'
same "$(row 'events of events')" '?' 'what only they tell is not known'
prints '^probes,events of events,.*,/proc/kallsyms cannot be read$' 'and why'
t --format csv caps libraries
expect 0 'of the libraries'
for library in libtraceevent libtracefs; do
	version=$("$TRACESH" --version | sed -n "s/.*[(,] *$library \([0-9][^,)]*\).*/\1/p")
	if [ -n "$version" ]; then
		prints "^libraries,$library,yes,\"?$version: .*,$" "$library has the version that --version names"
	else
		prints "^libraries,$library,no,.*,a build with $library-dev$" "$library is missing, and says what it needs"
	fi
done
like "$out" ',libtracefs,(no,|yes,.*, finds [1-9][0-9]* systems of events)' 'libtracefs finds events in the same folder'
t caps nosuchthing
expect 1 'about nothing'
says "no capability is about 'nosuchthing'" 'is an error'
t caps libraries probes
says "error: no capability is about 'libraries' and the other words, too" 'two words that no line has'
says 'hint: a line has to have all of the words' 'and what to type'

begin 'by attempt'
fresh
t --format csv caps --try
expect 0 'it is tried'
for name in boot mono; do
	is "$(row "$name")" yes "$name can be had" &&
		like "$out" "^clocks,$name,yes,.*,works$" "$name works"
done
like "$out" '^filters,"comm, cpu",yes,.*,works$' 'a filter works'
unlike "$out" '^filters,.*,no,.*,works$' 'what works is there, whatever the version'
like "$out" '^events,by task,yes,.*,works$' 'pids work'
true_that 'no instance of its own is left' no_own_instance
t --read-only caps --try
expect 1 'nothing is tried where nothing may be written'

finish
