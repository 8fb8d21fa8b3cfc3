#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1800
# Rows of sql, which the kernel's events have and which are paired here, beside those of the event that libtracefs makes of the
# same statement, on the same load in a 6.1 guest.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

library=$BUILD/tests/helpers/library-sql
if [ ! -e /run/vm/main ]; then
	flags=$(pkg-config --cflags --libs libtracefs libtraceevent 2>"$TMP/why") || skip_all "$(cat "$TMP/why")"
	# shellcheck disable=SC2086 # words
	"${CC:-gcc}" -o "$library" "$SRC/tests/helpers/library-sql.c" $flags
	status=0
	"$SRC/tests/vm/boot" -k 6.1 "$SRC/tests/prove/sql-library.t" || status=$?
	[ $status -ne 77 ] || skip_all 'the guest cannot be had'
	exit $status
fi
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sql.sh"

# rows FILE: what was selected but for the time, a row a line: a=1 b=two
rows() { sed -n 's/.*"fields":{"time":"[0-9]*",\(.*\)}}$/\1/p' "$1" | tr -d '"' | tr ':,' '= ' | sed 's/ *ns=[0-9]*//'; }
# library_rows FILE: the same of the kernel's text
library_rows() { sed -n 's/.* library_made: //p' "$1" | sed 's/ *ns=[0-9]*//'; }
cp /bin/true "$TMP/of-three"
# not of this shell: what is above tracesh is not traced in its own instance
load() { sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do "$0"; :; done' "$TMP/of-three"; }

# three NAME STATEMENT: its rows, three times
three()
{
	begin "$1"
	fresh
	"$library" library_made "$2" >"$TMP/commands" 2>"$TMP/why" || { fail "$1: the library: $(cat "$TMP/why")"; return; }
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
	same "$(rows "$TMP/kernel" | grep "${3-.}")" "$(library_rows "$TMP/library" | grep "${3-.}")" "the kernel's are those"
	same "$(rows "$TMP/here" | grep "${3-.}")" "$(library_rows "$TMP/library" | grep "${3-.}")" 'those paired here, too'
}

three 'strings and numbers' 'SELECT s.filename AS program, s.pid AS pid, s.old_pid AS old, e.prio AS prio, (e.TIMESTAMP - s.TIMESTAMP) AS ns FROM sched_process_exec AS s JOIN sched_process_exit AS e ON s.pid = e.pid WHERE s.filename ~ "*/of-three"'
three 'a filter of each' 'SELECT s.pid AS pid, e.comm AS task, (e.TIMESTAMP - s.TIMESTAMP) AS ns FROM sched_process_exec AS s JOIN sched_process_exit AS e ON s.pid = e.pid WHERE s.filename ~ "*/of-three" && e.prio > 3'
three 'differences' 'SELECT s.child_pid AS pid, (e.pid - s.parent_pid) AS above, (e.TIMESTAMP - s.TIMESTAMP) AS ns, e.comm AS task FROM sched_process_fork AS s JOIN sched_process_exit AS e ON s.child_pid = e.pid' of-three
finish
