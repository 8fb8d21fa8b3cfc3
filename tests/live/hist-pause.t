#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Histograms that are paused, and go on: by a session, by triggers, and by others.
# needs hist
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

begin 'a kernel without them'
fresh
event=events/oom/mark_victim
if [ ! -e "$D/$event/hist" ]; then
	end_case
	skip 'all of it' 'this kernel has no histograms'
	finish
fi

forks=events/sched/sched_process_fork
# hist FILE: the line of the one histogram there
hist()
{
	grep '^hist' "$D/$1/trigger"
}
# hits: what that of forks has counted
hits()
{
	awk '/Hits:/ { print $2 }' "$D/$forks/hist"
}
no_hist()
{
	! grep -q "^hist" "$D/$event/trigger"
}
# fork: one that it counts
fork()
{
	(/bin/true)
}

set -- '' ' if parent_pid > 0'
[ -z "${TRACESH_VM_SAMPLE-}" ] || set -- "$2"
for filter; do
	spec="hist:keys=parent_pid$filter"
	pause="hist:keys=parent_pid:pause$filter"

	begin "one that somebody else has made$filter"
	fresh
	echo "$spec" >>"$D/$forks/trigger"
	active=$(hist "$forks")
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		fork
	done
	counted=$(hits)
	t -i "$I" --restore -c "append $forks/trigger '$pause'" -c "cat $forks/trigger"
	expect 0 'is paused'
	prints 'paused\]$' 'and so listed'
	same "$(hist "$forks")" "$active" 'and goes on'
	true_that 'with what it has counted' test "$(hits)" -ge "$counted"
	t -i "$I" -c "append $forks/trigger '$pause'" -c undo -c redo -c "cat $forks/trigger" -c undo
	expect 0 'undo and redo'
	prints 'paused\]$' 'redo pauses it again'
	same "$(hist "$forks")" "$active" 'and undo lets it go on'
	true_that 'with what it has counted' test "$(hits)" -ge "$counted"
	t -i "$I" --dry-run --restore append "$forks/trigger" "$pause"
	true_that 'a script works' sh "$TMP/out"
	same "$(hist "$forks")" "$active" 'and lets it go on'
	true_that 'with what it has counted' test "$(hits)" -ge "$counted"
	echo "$pause" >>"$D/$forks/trigger"
	paused=$(hist "$forks")
	t -i "$I" --restore append "$forks/trigger" "hist:keys=parent_pid:cont$filter"
	same "$(hist "$forks")" "$paused" 'one that was paused is paused in the end'
	true_that 'with what it has counted' test "$(hits)" -ge "$counted"

	begin "by a trigger that fires$filter"
	fresh
	echo "$pause" >>"$D/$forks/trigger"
	paused=$(hist "$forks")
	enable='trigger task:task_rename enable_hist:sched:sched_process_fork'
	t -i "$I" --restore -c "$enable" -c 'run -o /dev/null -- sh -c :' -c "cat $forks/trigger"
	expect 0 'enable_hist'
	prints 'active\]$' 'has let it go on'
	same "$(hist "$forks")" "$paused" 'it is paused in the end'
	t -i "$I" --restore -c "$enable" -c "append $forks/trigger 'hist:keys=child_pid:pause'" -c 'run -o /dev/null -- sh -c :' \
		-c "cat $forks/trigger"
	expect 0 'one of its own'
	prints 'keys=child_pid.*active\]$' 'goes on'
	same "$(hist "$forks")" "$paused" 'and is removed in the end'
	t -i "$I" --dry-run --restore -c "$enable" -c "append $forks/trigger 'hist:keys=child_pid:pause'"
	sed 's/^add .*child_pid.*/&; sh -c :/' "$TMP/out" >"$TMP/script"
	true_that 'a script works' sh "$TMP/script"
	same "$(hist "$forks")" "$paused" 'and leaves what there was'
done

begin 'one that somebody else has removed since'
fresh
echo hist:keys=pid >>"$D/$event/trigger"
sessions
tell_one "append $event/trigger hist:keys=pid:pause"
echo '!hist:keys=pid' >>"$D/$event/trigger"
end_one
end_two
same "$(hist "$event")" '' 'is not made again'
nothing_left

begin 'one of its own that somebody else has paused'
fresh
for end in KILL TERM; do
	sessions
	tell_one "append $event/trigger hist:keys=pid"
	echo hist:keys=pid:pause >>"$D/$event/trigger"
	kill -$end "$one"
	ended "$one"
	exec 8>&-
	true_that "SIG$end: it goes" await no_hist
	end_two
done
nothing_left

finish
