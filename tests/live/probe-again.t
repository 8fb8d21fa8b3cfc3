#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# long in a guest
# A probe or synthetic event of somebody else that a session removes comes back whole: also where the session has made one of
# its name since, and with the filters that its event had.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"
. "$SRC/tests/live/lib-probe.sh"

build_target

# a program of our own: whoever runs it meets the probe's instruction
cp /bin/true "$TMP/probed"
at_exit 'remove_theirs 2>/dev/null'

# list FILE: what somebody else makes there, ours of the same event, and the removal
list()
{
	file=$1 event=live_again/e remove=-:live_again/e
	case $file in
	uprobe_events) theirs="p:live_again/e $TMP/probed:0x1000" other="r:live_again/e $TMP/probed:0x1010" ;;
	kprobe_events) theirs='p:live_again/e vfs_symlink' other='r:live_again/e vfs_link' ;;
	dynamic_events) theirs="p:live_again/e $TMP/probed:0x1000 a=%ip" other="p:live_again/e $TMP/probed:0x1010" ;;
	synthetic_events)
		event=synthetic/live_again remove='!live_again'
		theirs='live_again u64 lat' other='live_again u64 other'
		;;
	esac
}

# remove_theirs: whatever is left
remove_theirs()
{
	echo "$remove" >>"$TRACING/$file"
}

# has_file FILE: with what the case needs
has_list()
{
	list "$1"
	[ -e "$TRACING/$1" ] && (echo "$theirs" >>"$TRACING/$1") 2>/dev/null
}

# it_is WHAT: the list is as somebody else has left it
it_is()
{
	same "$(cat "$TRACING/$file")" "$listed" "$file: $1"
}

lists='uprobe_events dynamic_events kprobe_events synthetic_events'

begin 'ours has its name by then'
# needs kprobes synthetic top
for list in $lists; do
	has_list "$list" || continue
	fresh
	listed=$(cat "$TRACING/$file")
	for ours in "$theirs" "$other"; do
		t -c "append $file '$remove'" -c "append $file '$ours'" -c 'undo 2'
		expect 0 "$file: undo"
		says '2 settings taken back' "$file: says so"
		it_is 'undo'
		t --restore -c "append $file '$remove'" -c "append $file '$ours'" -c "append $file '$remove'" \
			-c "append $file '$other'"
		expect 0 "$file: made twice"
		it_is 'made twice'
		start "$TMP/killed" "$TRACESH" -c "append $file '$remove'" -c "append $file '$ours'" -c 'cat tracing_cpumask' -c 'wait 1h'
		await test -s "$TMP/killed"
		guard=$(pgrep -x -P "$child" trsh-guard)
		kill -KILL "$child"
		ended "$child"
		await gone "$guard" || fail "$case_name: the guard ends"
		it_is 'killed'
	done
	remove_theirs
done

begin 'ours has its name by then, in another session'
# needs kprobes synthetic top
for list in $lists; do
	has_list "$list" || continue
	listed=$(cat "$TRACING/$file")
	for ours in "$theirs" "$other"; do
		for way in end TERM KILL; do
			fresh
			sessions
			tell_one 'instance use top'
			tell_two 'instance use top'
			tell_one "append $file '$remove'"
			tell_two "append $file '$ours'"
			end_one
			# where the other one has made it as it was, nothing is left to say
			[ "$ours" = "$theirs" ] || says '1 setting stays: process [0-9]+ has set it, too' "$file: the first one ends"
			guard=$(pgrep -x -P "$two" trsh-guard)
			[ $way = end ] || kill -$way "$two"
			end_two
			await gone "$guard" || fail "$case_name: the guard ends"
			it_is "the other one ends ($way)"
			nothing_left
		done
	done
	remove_theirs
done

# filters_are TOP INSTANCE WHAT
filters_are()
{
	same "$(cat "$TRACING/events/$event/filter" "$D/events/$event/filter" 2>&1)" "$1
$2" "$file: $3"
}

begin 'filters of its event'
# needs kprobes synthetic top
for list in $lists; do
	has_list "$list" || continue
	fresh
	listed=$(cat "$TRACING/$file")
	echo 'common_pid == 7' >"$TRACING/events/$event/filter"
	echo 'common_pid == 8' >"$D/events/$event/filter"
	t -c "append $file '$remove'" -c undo
	expect 0 "$file: undo"
	says "filter .*common_pid == 8" "$file: says so"
	it_is 'undo'
	filters_are 'common_pid == 7' 'common_pid == 8' 'undo'
	t --restore -c "append $file '$remove'" -c "append $file '$other'" -c 'instance use top' \
		-c "filter $(echo $event | tr / :) common_pid == 9" -c "append $file '$remove'" -c undo -c redo
	expect 0 "$file: with another one in between"
	it_is 'with another one in between'
	filters_are 'common_pid == 7' 'common_pid == 8' 'with another one in between'
	start "$TMP/killed" "$TRACESH" -c "append $file '$remove'" -c 'cat tracing_cpumask' -c 'wait 1h'
	await test -s "$TMP/killed"
	guard=$(pgrep -x -P "$child" trsh-guard)
	kill -KILL "$child" "$guard"
	ended "$child"
	await gone "$guard" || fail "$case_name: the guard ends"
	t recover
	expect 0 "$file: recover"
	it_is 'recover'
	filters_are 'common_pid == 7' 'common_pid == 8' 'recover'
	t -c "append $file '-:live_again/nothing'"
	expect 1 "$file: none is removed"
	filters_are 'common_pid == 7' 'common_pid == 8' 'none is removed'
	nothing_left
	remove_theirs
done

begin 'filters of its event, and other sessions'
# needs kprobes synthetic top
for list in $lists; do
	has_list "$list" || continue
	listed=$(cat "$TRACING/$file")
	fresh
	echo 'common_pid == 7' >"$D/events/$event/filter"
	sessions
	tell_one 'instance use top'
	tell_one "append $file '$remove'"
	tell_two 'instance use top'
	tell_two "append $file '$other'"
	end_one
	file_is "events/$event/filter" none "$file: the filter is not set on the event of another one"
	end_two
	it_is 'the other one has made the event anew'
	file_is "events/$event/filter" 'common_pid == 7' "$file: the other one has made the event anew"
	nothing_left
	for first in one two; do
		fresh
		echo 'common_pid == 7' >"$D/events/$event/filter"
		sessions
		tell_two "write events/$event/filter 'common_pid == 8'"
		tell_one 'instance use top'
		tell_one "append $file '$remove'"
		end_$first
		case $first in
		one)
			file_is "events/$event/filter" 'common_pid == 8' "$file: that of another one comes back"
			end_two
			;;
		two) end_one ;;
		esac
		it_is "another one has filtered it ($first)"
		file_is "events/$event/filter" 'common_pid == 7' "$file: another one has filtered it ($first)"
		nothing_left
	done
	fresh
	echo 'common_pid == 7' >"$D/events/$event/filter"
	start "$TMP/waits" "$TRACESH" -i "$I" --restore -c 'instance use top' -c "append $file '$remove'" -c 'cat tracing_cpumask' \
		-c 'wait 1h'
	await test -s "$TMP/waits"
	echo "$other" >>"$TRACING/$file"
	kill -TERM "$child"
	ended "$child"
	file_is "events/$event/filter" none "$file: nor on one that somebody else has made since"
	remove_theirs
	t recover
	it_is 'it comes back when that is gone'
	file_is "events/$event/filter" 'common_pid == 7' "$file: it comes back when that is gone"
	nothing_left
	remove_theirs
done

# shared MAKE..: two sessions, the first one makes probes in the top instance
shared()
{
	fresh
	sessions
	tell_one 'instance use top'
	for line; do
		tell_one "append uprobe_events '$line'"
	done
}

# no_probe_left WHAT: no probe is left, and no journal
no_probe_left()
{
	same "$(grep -c live_again "$TRACING/uprobe_events")" 0 "$1: nothing is left"
	nothing_left
}

file=uprobe_events remove=-:live_again/e
first_line="p:live_again/e $TMP/probed:0x1000" second_line="p:live_again/e $TMP/probed:0x1010"

begin 'two probes of one event that another session uses'
# needs top
if has_list uprobe_events; then
	remove_theirs
	shared "$first_line" "$second_line"
	tell_two 'enable live_again:e'
	end_one
	same "$(grep -c live_again "$TRACING/uprobe_events")" 2 'both stay for who uses them'
	end_two
	no_probe_left 'both go with that session'
else
	skip "$case_name" 'this kernel has no uprobes'
fi

begin 'one that a third session has made anew'
# needs top
if has_list uprobe_events; then
	remove_theirs
	shared "$first_line"
	start "$TMP/user" "$TRACESH" -i "$I" --restore -c 'filter live_again:e common_pid == 1' \
		-c 'cat tracing_cpumask' -c 'wait 1h' 8>&- 9>&-
	await test -s "$TMP/user"
	tell_two 'instance use top'
	tell_two "append uprobe_events -:live_again/e"
	tell_two "append uprobe_events '$second_line'"
	end_one
	kill -TERM "$child"
	ended "$child"
	end_two
	no_probe_left 'the first one does not come back'
else
	skip "$case_name" 'this kernel has no uprobes'
fi

begin 'one that another session has used, and no longer does'
# needs top
if has_list uprobe_events; then
	remove_theirs
	for when in before after; do
		shared "$first_line"
		tell_two 'enable live_again:e'
		[ $when = before ] || end_one
		tell_two 'disable live_again:e'
		tell_two 'option sym-offset on'
		tell_two 'keep'
		[ $when = after ] || end_one
		end_two
		file_is options/sym-offset 1 "$when: what is kept stays"
		no_probe_left "what is used no longer when it keeps, $when the first one ends"
		echo 0 >"$D/options/sym-offset"
	done
	shared "$first_line"
	tell_two 'enable live_again:e'
	tell_two 'keep'
	end_one
	end_two
	same "$(grep -c live_again "$TRACING/uprobe_events")" 1 'one whose event is kept stays'
	t -i "$I" disable live_again:e
	remove_theirs
else
	skip "$case_name" 'this kernel has no uprobes'
fi

begin 'a probe of ours'
# needs top
fresh
t -i "$I" -c "probe xx=$target:greet" -c 'filter xx common_pid == 3' -c 'probe delete xx' -c undo -c 'filter xx' \
	-c 'probe delete xx' -c undo -c redo -c 'undo 2'
expect 0 'is deleted'
prints 'common_pid == 3' 'undo brings its filter back'
nothing_left

finish
