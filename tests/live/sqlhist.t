#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sql --sqlhist: what it prints is libtracefs' own, is not run, and makes with sh alone what sql --as makes.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
on='FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid'
statement="SELECT end.next_pid AS pid, start.prio AS before, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS us $on WHERE start.prio < 100"

case $("$TRACESH" --version) in
*'no libtracefs'*)
	begin 'a build without'
	t sql --sqlhist SELECT next_pid FROM sched_switch
	expect 3 'it cannot be asked'
	says 'error: this build is without libtracefs$' 'and says so'
	finish
	;;
esac

begin 'what is printed'
t sql --sqlhist SELECT next_pid FROM sched_switch
expect 0 'of one event'
same "$out" "echo 'hist:keys=next_pid' > $TRACING/events/sched/sched_switch/trigger" 'a histogram'
true_that 'which is not made' sh -c "! grep -q '^hist' '$TRACING/events/sched/sched_switch/trigger'"
if [ -e "$TRACING/events/sched/sched_switch/hist" ]; then
	same "$err" '' 'and nothing is said'
else
	says '^this kernel refuses these commands: it has no histograms \(CONFIG_HIST_TRIGGERS\)$' 'and what the kernel lacks'
fi
t --json sql --sqlhist SELECT next_pid FROM sched_switch
prints '^\{"type":"text","text":"echo ' 'as JSON'
t explain sql --sqlhist SELECT next_pid FROM sched_switch
says '^the commands of sqlhist are printed, and nothing is written$' 'explain'

begin 'what is refused'
t sql --sqlhist 'SELECT start.nosuch' "$on"
expect 2 'a field that there is not'
says "error: libtracefs refuses it: 'start.nosuch' Field 'nosuch' not part of event sched_waking$" 'in its own words, in one line'
t sql --sqlhist "SELECT next_pid FROM sched_switch WHERE next_comm = \"a'; touch $TMP/touched; echo 'b\""
expect 2 'what would end the quotes of sh'
says "error: a ' would end the quotes in what is printed for sh$" 'is refused'
t sql --sqlhist --as 'made;up' "$statement"
expect 2 'a name that would be a command of sh'
says "error: 'made;up' cannot be an event's name" 'is refused, too'
t sql --sqlhist SELECT pid FROM no_such_event
says "error: libtracefs refuses it: 'no_such_event' event not found$" 'an event that there is not'
t sql --sqlhist SELECT nosuch FROM sched_switch
says "^hint: tracesh finds here: 'nosuch' is no field$" 'what it does not say'
t sql --sqlhist -n 3 SELECT next_pid FROM sched_switch
expect 2 'an option of what runs'
says 'error: with --sqlhist nothing runs: --as NAME alone goes with it$' 'is refused'

begin 'where it is refused, and what to type'
# marks COLUMN N STATEMENT: N bytes of it are marked from there
marks()
{
	t sql --sqlhist "$3"
	says "^<arguments>:[0-9]+:$1: error: libtracefs refuses it: " "$3: where"
	same "$(printf '%s\n' "$err" | sed -n 's/^ *\(\^~*\)$/\1/p' | tr -d '\n' | wc -c | tr -d ' ')" "$2" "$3: so many are marked"
	says '^hint: ' "$3: and a hint"
}
marks 36 12 'select next_pid fro sched_switch'
says "^hint: tracesh finds here: expected ',' or FROM, not 'sched_switch'$" 'our own reading'
marks 100 10 'select start.pid from sched_waking as start join sched_switch as end on start.pid = end.nosuch'
marks 15 2 ''
t sql --sqlhist 'select next_pid from sched_switch where é = 3'
says 'error: libtracefs refuses it: syntax error$' 'a byte of a character is not printed'
t sql ''
says '^ +\^~$' 'no statement at all has a place'

begin 'a stack, which it has since 1.7'
t sql --sqlhist 'SELECT start.pid, start.STACKTRACE AS how' "$on"
case $status in
0) prints "^echo 's:Anonymous pid_t pid; unsigned long how\[\];' >> " 'is a field of the event' ;;
*) says "error: libtracefs refuses it: 'start.STACKTRACE' Field 'STACKTRACE' not part of event sched_waking$" 'is refused' ;;
esac

begin 'a statement that ends it'
# shellcheck disable=SC2016 # C
if echo '#include <stdlib.h>
	void *tracefs_sql(void) { abort(); }' | "${CC:-cc}" -x c -shared -fPIC -o "$TMP/dies.so" - 2>"$TMP/cc.log" &&
	ldd "$TRACESH" 2>/dev/null | grep -q libtracefs; then
	run env LD_PRELOAD="$TMP/dies.so" ASAN_OPTIONS=verify_asan_link_order=0:handle_abort=0 "$TRACESH" -c 'sql --sqlhist SELECT next_pid FROM sched_switch' -c instance
	says 'error: libtracefs crashed on this statement$' 'ends a process apart'
else
	skip "$case_name" 'no compiler, or one file without shared libraries'
fi

begin 'the event that it makes'
# fields EVENT: their names, sizes and signs
fields() { sed -n 's/^\tfield:.*[ \*]\([a-z_]*\)\(\[[0-9]*\]\)*;\toffset:[0-9]*;\tsize:\([0-9]*\);\tsigned:\([01]\);$/\1 \3 \4/p' "$TRACING/events/synthetic/$1/format"; }
if [ -e "$TRACING/synthetic_events" ]; then
	t sql --sqlhist --as live_theirs "$statement"
	expect 0 'of two events'
	fresh
	# it knows no instance for its triggers, and a time in one empties the buffer there
	printf '%s\n' "$out" | sed "s|tracing/events|tracing/instances/$I/events|" >"$TMP/commands"
	true_that 'is not made' sh -c "! grep -q live_theirs '$TRACING/synthetic_events'"
	true_that 'until sh runs it' sh -e "$TMP/commands"
	t sql --as live_ours "$statement"
	expect 0 "sql's own"
	same "$(fields live_theirs)" "$(fields live_ours)" 'has the same fields'
	like "$(fields live_theirs)" '^us 8 0$' 'and the time'
	t synth delete live_ours
	# the last one first: it refers to the other
	{ sed -n "3s/'hist/'!hist/p" "$TMP/commands" && sed -n "2s/'hist/'!hist/p" "$TMP/commands"; } >"$TMP/away"
	sh "$TMP/away"
	remove_instance
	echo '!live_theirs' >>"$TRACING/synthetic_events"
else
	skip "$case_name" 'this kernel has no synthetic events'
fi
finish
