#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1800
# Rows of sql, counted and made by the kernel and here, beside those that the kernel has when it is told what libtracefs makes of
# the same statement, on the same load, in guests: 6.1, and sid's, which passes stacks.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

case $("$TRACESH" --version) in
*'no libtracefs'*) skip_all 'this build is without libtracefs' ;;
esac
if [ ! -e /run/vm/main ]; then
	for kernel in 6.1 sid; do
		status=0
		"$SRC/tests/vm/boot" -k $kernel "$SRC/tests/prove/sql-library.t" >"$TMP/said" 2>&1 || status=$?
		[ $status -ne 77 ] || skip_all "the guest cannot be had: $(tail -n 1 "$TMP/said")"
		is "$status $(grep -c '^not ok' "$TMP/said")" '0 0' "$kernel: all rows are equal"
		grep -A 9 '^not ok' "$TMP/said" | diag
	done
	done_testing
fi
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sql.sh"

# rows FILE: what was selected but for the time, a row a line: a=1 b=two
rows() { sed -n 's/.*"fields":{"time":"[0-9]*",\(.*\)}}$/\1/p' "$1" | tr -d '"' | tr ':,' '= ' | sed 's/ *ns=[0-9]*//'; }
# library_rows FILE: the same of the kernel's text, in which a stack is lines
library_rows()
{
	awk '/ library_made: / { print row; row = $0; next } /^=> / { row = row "\\n" $0; next } END { print row }' "$1" |
		sed -n 's/.* library_made: //p' | sed 's/ *ns=[0-9]*//; s/STACK:/STACK=/'
}
# in_order: rows of two CPUs in one order, without the functions that only one of them may have above the first that all have
in_order() { sed 's/STACK=.*=> bprm_execve/STACK=\\n=> bprm_execve/; s/\\n$//' | sort; }
cp /bin/true "$TMP/of-three"
# not of this shell: what is above tracesh is not traced in its own instance
load() { sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do "$0"; :; done' "$TMP/of-three"; }

# three NAME STATEMENT: its rows, three times
three()
{
	begin "$1"
	fresh
	"$TRACESH" sql --sqlhist --as library_made "$2" >"$TMP/commands" 2>"$TMP/why" || { fail "$1: the library: $(cat "$TMP/why")"; return; }
	# 1.6 knows no instance for its triggers
	sed "s|tracing/events|tracing/instances/$I/events|" "$TMP/commands" >"$TMP/in-instance"
	sh "$TMP/in-instance" || { fail "$1: the library's commands"; return; }
	echo 1 >"$D/events/synthetic/library_made/enable"
	start "$TMP/kernel" "$TRACESH" --json sql --in-kernel "$2"
	kernel=$child
	start "$TMP/here" "$TRACESH" --json sql --no-kernel "$2"
	here=$child
	await is_streaming "$kernel"
	await is_streaming "$here"
	load
	kill -INT "$kernel" "$here"
	ended "$kernel"
	ended "$here"
	cat "$D/trace" >"$TMP/library"
	echo 0 >"$D/events/synthetic/library_made/enable"
	# the last one first: it refers to the other
	{ sed -n "3s/'hist/'!hist/p" "$TMP/in-instance" && sed -n "2s/'hist/'!hist/p" "$TMP/in-instance"; } >"$TMP/away"
	sh "$TMP/away"
	remove_instance
	echo '!library_made' >>"$TRACING/synthetic_events"
	same "$(library_rows "$TMP/library" | grep -c "${3-.}")" 12 'the library has twelve rows'
	library_rows "$TMP/library" | grep "${3-.}" | in_order >"$TMP/rows"
	same "$(rows "$TMP/kernel" | grep "${3-.}" | in_order)" "$(cat "$TMP/rows")" "the kernel's are those"
	same "$(rows "$TMP/here" | grep "${3-.}" | in_order)" "$(cat "$TMP/rows")" 'those paired here, too'
}

three 'strings and numbers' 'SELECT s.filename AS program, s.pid AS pid, s.old_pid AS old, e.prio AS prio, (e.TIMESTAMP - s.TIMESTAMP) AS ns FROM sched_process_exec AS s JOIN sched_process_exit AS e ON s.pid = e.pid WHERE s.filename ~ "*/of-three"'
three 'a filter of each' 'SELECT s.pid AS pid, e.comm AS task, (e.TIMESTAMP - s.TIMESTAMP) AS ns FROM sched_process_exec AS s JOIN sched_process_exit AS e ON s.pid = e.pid WHERE s.filename ~ "*/of-three" && e.prio > 3'
three 'differences' 'SELECT s.child_pid AS pid, (e.pid - s.parent_pid) AS above, (e.TIMESTAMP - s.TIMESTAMP) AS ns, e.comm AS task FROM sched_process_fork AS s JOIN sched_process_exit AS e ON s.child_pid = e.pid' of-three
case $("$TRACESH" --version) in
*'libtracefs 1.6'* | *'libtracefs 1.7'*) skip 'a stack' 'the library has none' ;;
*)
	if grep -q common_stacktrace "$TRACING/README"; then
		three 'a stack' 'SELECT s.pid AS pid, (e.TIMESTAMP - s.TIMESTAMP) AS ns, s.STACKTRACE AS how FROM sched_process_exec AS s JOIN sched_process_exit AS e ON s.pid = e.pid WHERE s.filename ~ "*/of-three"'
	fi
	;;
esac

# ---- one event ----

# is_counting PID EVENT: its histogram is there
is_counting() { grep -qs '^hist:' "$TRACING/instances/tracesh-$1-"*/events/"$2"/trigger; }
# by_key: rows "KEY.. HITS" with those of one key added up
by_key() { awk '{ n = $NF; $NF = ""; sum[$0] += n } END { for (key in sum) print key sum[key] }' | sort; }
# library_table: the kernel's histogram on stdin as "KEY.. [SUM] HITS"; of log2 and buckets where they begin
library_table()
{
	sed -n 's/^{ \(.*\) } hitcount: *\([0-9]*\) *\([a-z_]*: *\([0-9]*\)\)\{0,1\}$/, \1 \4 \2/p' |
		sed 's/, [a-z_]*: *\([a-z]*  *\)\{0,1\}\[ *\([0-9a-f]*\)\]/, x: \1/g; s/, [a-z_]*: */ /g; s/~ \([0-9]*\)-[0-9]*/\1/g; s/~ 2^11/1024/; s/  */ /g; s/^ //' | by_key
}
# our_table FILE: the same of sql
our_table()
{
	sed -n 's/^{"type":"hist","key":{\(.*\)},"count":\([0-9]*\)\(,"sum":\([0-9]*\)\)\{0,1\}}$/\1 \4 \2/p' "$1" |
		sed 's/"[^"]*"://g; s/\[\([0-9]*\),[0-9]*\]/\1/g; s/"0x/"/g; s/"//g; s/,/ /g; s/  */ /g' | by_key
}

# counted NAME EVENT LOAD ITEMS WHERE [KEYS]: its rows, three times; KEYS: of a statement that the library refuses, what the kernel is told
counted()
{
	begin "$1"
	fresh
	trigger=events/$2/trigger statement="SELECT $4 FROM ${2#*/} WHERE $5"
	if "$TRACESH" sql --sqlhist "$statement" >"$TMP/commands" 2>"$TMP/why"; then
		text=$(sed -n "s/^echo '\(.*\)' > .*/\1/p" "$TMP/commands")
	else
		text="hist:keys=${6-} if $(printf '%s' "$5" | sed 's/ = / == /g')"
		[ -n "${6-}" ] || { fail "$1: the library: $(cat "$TMP/why")"; return; }
	fi
	echo "$text" >"$D/$trigger"
	start "$TMP/kernel" "$TRACESH" --json sql --in-kernel "$statement"
	kernel=$child
	start "$TMP/here" "$TRACESH" --json sql "$statement"
	here=$child
	await is_counting "$kernel" "$2"
	await is_streaming "$here"
	$3
	kill -INT "$kernel" "$here"
	ended "$kernel"
	ended "$here"
	cp "$D/events/$2/hist" "$TMP/hist"
	library_table <"$TMP/hist" >"$TMP/library"
	echo "!$text" >"$D/$trigger"
	remove_instance
	like "$(cat "$TMP/library")" '^.* [1-9][0-9]*$' "the library has rows"
	same "$(our_table "$TMP/kernel")" "$(cat "$TMP/library")" "the kernel's are those"
	same "$(our_table "$TMP/here")" "$(cat "$TMP/library")" 'those counted here, too'
}

writes() { for size in 1417 1500 1599 1417; do dd if=/dev/zero of="$TMP/written" bs=$size count=5 2>/dev/null; done; }
of_sizes='count >= 1400 && count <= 1600'
if [ -d "$TRACING/events/syscalls/sys_enter_write" ]; then
	counted hex syscalls/sys_enter_write writes 'CAST(count AS HEX)' "$of_sizes"
	counted log2 syscalls/sys_enter_write writes 'CAST(count AS LOG), CAST(fd AS HEX)' "$of_sizes"
	counted buckets syscalls/sys_enter_write writes 'CAST(count AS BUCKETS=64)' "$of_sizes" count.buckets=64
	counted 'a counter' syscalls/sys_enter_write writes 'fd, CAST(count AS _COUNTER_)' "$of_sizes"
	counted tasks syscalls/sys_enter_write writes 'CAST(common_pid AS COMM), count' "$of_sizes"
else
	skip 'one event' 'the kernel has no events of system calls'
fi

# the task is there before it is counted, and gone before that ends
mkfifo "$TMP/go"
one_task() { echo go >"$TMP/go"; wait "$one"; }
for type in SYM SYM-OFFSET; do
	sh -c 'read -r _ <"$0/go"; exec "$0/of-three"' "$TMP" &
	one=$!
	counted "$type" kmem/kmalloc one_task "CAST(call_site AS $type)" "common_pid = $one"
done
finish
