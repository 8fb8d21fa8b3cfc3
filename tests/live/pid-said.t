#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# Lists of tasks that two sessions have written to: what is said to have gone back is what the kernel lists.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

# listed FILE NONE: the tasks of a list, as what is said of it names them
listed() { list=$(tr "\n" " " <"$D/$1"); echo "${list:-$2}" | sed "s/ \$//"; }
lists() { echo "tasks traced: $(listed set_event_pid all)"; echo "tasks not traced: $(listed set_event_notrace_pid none)"; }

# said FILE: the changes that it says from $said on, from the first to the last one of each list
said()
{
	tail -n "+$said" "$1" | sed -n "s/ in '$I'\$//; s/^  \(tasks .*traced: .* -> .*\)/\1/p"
}

# follow FILE WHAT: what is said there leads from $TMP/was to what is there now, step by step
follow()
{
	lists >"$TMP/is"
	said "$1" >"$TMP/said"
	awk -v FS=': | -> ' 'FILENAME == ARGV[1] { was[$1] = $2; next }
		FILENAME == ARGV[2] { if ($2 != was[$1]) print "it was " was[$1] ": " $0; was[$1] = $3; next }
		was[$1] != $2 { print "said: " was[$1] ", there: " $0 }' "$TMP/was" "$TMP/said" "$TMP/is" >"$TMP/wrong"
	same "$(cat "$TMP/wrong")" '' "$2"
	tail -n "+$said" "$1" >"$TMP/report"
}

# take_back ONE-OR-TWO COMMAND: which says what it does to the lists
take_back()
{
	[ "$1" = one ] && err_of=$TMP/1.err || err_of=$TMP/2.err
	said=$(($(wc -l <"$err_of") + 1))
	lists >"$TMP/was"
	"tell_$1" "$2"
	follow "$err_of" "$about: $2 of $1"
}

# three: tasks $a, $b and $c
three()
{
	sleeper
	a=$sleeper
	sleeper
	b=$sleeper
	sleeper
	c=$sleeper
}

for first in one two; do
	[ $first = one ] && second=two || second=one
	for about in A/A A/B 'A/add B' 'A B/add B C' 'A/del A' A/clear 'not A/not A' 'not A/not B' 'A/not A' 'not A B/not C'; do
		begin "lists that both write to: $about, $first ends first"
		fresh
		three
		commands=$(echo "$about" | sed "s/A/tid:$a/g; s/B/tid:$b/g; s/C/tid:$c/g")
		sessions
		tell_one "pid --no-fork ${commands%/*}"
		tell_two "pid --no-fork ${commands#*/}"
		take_back $first restore
		take_back $second restore
		end_one
		end_two
		nothing_left
	done
done

begin 'lists that are written to by turns'
fresh
three
about='by turns'
sessions
tell_one "pid --no-fork tid:$a tid:$b"
tell_two "pid --no-fork add tid:$b tid:$c"
tell_one "pid --no-fork add tid:$c"
tell_two "pid --no-fork not tid:$a"
tell_one "pid --no-fork not tid:$a tid:$b"
take_back two undo
take_back one undo
take_back one undo
take_back two restore
take_back one restore
end_one
end_two
nothing_left

begin 'a part that stays'
fresh
three
about='in part'
sessions
tell_one "pid --no-fork tid:$a tid:$b"
tell_two "pid --no-fork add tid:$b tid:$c"
take_back one restore
like "$(cat "$TMP/report")" "^1 setting stays: process $two has set it, too, .* old value: tasks traced in '$I' \(in part\)\$" "$case_name: is named"
like "$(cat "$TMP/report")" '^1 setting taken back$' "$case_name: as is what has gone back"
tell_two "pid tid:$c"
tell_one "pid add tid:$a"
take_back one restore
unlike "$(cat "$TMP/report")" 'others may have listed' "$case_name: nobody else is suspected"
end_one
end_two
nothing_left

finish
