#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# Tasks that somebody else has listed, while a session follows children: they stay when it ends.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

# aged PID: it began a while ago. /proc tells when in ticks of 10 ms, and a fork takes its time.
aged()
{
	awk -v start="$(sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f20)" '{ exit $1 < start / 100 + 0.5 }' /proc/uptime
}

# daemon: a task whose parent is gone, as that of a service is, in $daemon
daemon()
{
	sh -c 'setsid sleep 3000 >/dev/null & echo $!' >"$TMP/daemon"
	read -r daemon <"$TMP/daemon"
	children="$children $daemon"
	await aged "$daemon" || fail "$case_name: a daemon"
}

# parent [setsid]: a shell that forks a child for each line it reads, which descriptor 7 writes; in its own session
parent()
{
	[ "${1-sh}" = setsid ] || set -- ''

	rm -f "$TMP/orders"
	mkfifo "$TMP/orders"
	# shellcheck disable=SC2016 # its own
	sh -c 'while read -r file; do $1 sleep 3000 & echo $! >"$file"; done' sh "$1" <"$TMP/orders" 8>&- 9>&- &
	parent=$!
	exec 7>"$TMP/orders"
	children="$children $parent"
}

# child: another one of it, in $child
child()
{
	rm -f "$TMP/child"
	echo "$TMP/child" >&7
	await test -s "$TMP/child" || fail "$case_name: a child"
	read -r child <"$TMP/child"
	children="$children $child"
}

# no_journal_of PID: what it has set was taken back, and that is done
no_journal_of()
{
	! ls /run/tracesh/"$1"-*.journal >/dev/null 2>&1
}

list()
{
	sort -n "$D/set_event_pid" | tr '\n' ' '
}

begin 'a daemon that a third party has listed'
fresh
daemon
sleeper
sessions
tell_one "pid $sleeper"
file_is options/event-fork 1 'children are followed'
echo "$daemon" >>"$D/set_event_pid"
tell_one undo
file_is set_event_pid "$daemon" 'stays when undo takes back'
tell_one redo
tell_one 'pid add 1'
tell_one undo
end_one
file_is set_event_pid "$daemon" 'and when the session ends'
says "^1 task stays in 'set_event_pid': others may have listed it" 'which is said'
exec 9>&-
ended "$two"
echo >"$D/set_event_pid"

# subreaper: it gets the orphans below it, as the init of a container does; its child $parent makes one, $child,
# when descriptor 7 has a line for it
subreaper()
{
	rm -f "$TMP/orders" "$TMP/parent" "$TMP/child"
	mkfifo "$TMP/orders"
	python3 -c '
import ctypes, os, signal, sys, time
assert not ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)    # PR_SET_CHILD_SUBREAPER
if not os.fork():
    os.execvp("sh", ["sh", "-c", sys.argv[1], "sh"] + sys.argv[2:])
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
time.sleep(3000)' "$1" "$TMP/parent" "$TMP/child" <"$TMP/orders" 8>&- 9>&- &
	subreaper=$!
	exec 7>"$TMP/orders"
	children="$children $subreaper"
	await test -s "$TMP/parent" || fail "$case_name: a task below it"
	read -r parent <"$TMP/parent"
	children="$children $parent"
}

orphan()
{
	echo >&7
	await test -s "$TMP/child" || fail "$case_name: an orphan"
	read -r child <"$TMP/child"
	children="$children $child"
	await grep -q "^PPid:[^0-9]*$subreaper\$" "/proc/$child/status" || fail "$case_name: whose it is"
	true_that 'the kernel lists the orphan' await grep -qx "$child" "$D/set_event_pid"
}

# only_child PID: in $only
only_child()
{
	only='' more=''
	# no newline is at its end, which read minds
	read -r only more <"/proc/$1/task/$1/children" || :
	[ -n "$only" ] && [ -z "$more" ]
}

# lists_child_of PID: one that the kernel lists is its child
lists_child_of()
{
	while read -r listed; do
		! grep -qs "^PPid:[^0-9]*$1\$" "/proc/$listed/status" || return 0
	done <"$D/set_event_pid"
	return 1
}

# shellcheck disable=SC2016 # its own
daemonizes='echo $$ >"$1"; read -r go; sh -c '\''setsid sleep 3000 >/dev/null & echo $! >"$1"'\'' sh "$2"'

# The same, but it is in the session of its first parent.
# shellcheck disable=SC2016 # its own
daemonizes_twice='echo $$ >"$1"; read -r go; setsid sh -c '\''sleep 3000 >/dev/null & echo $! >"$1"'\'' sh "$2"'

for end in undo end kill; do
	begin "an orphan that a subreaper has got, and $end"
	fresh
	subreaper "$daemonizes; read -r end"
	sessions
	tell_one "pid $parent"
	orphan
	case $end in
	undo)	tell_one undo
		file_is set_event_pid '' 'goes with its parent'
		end_one ;;
	end)	end_one ;;
	kill)	kill -9 "$one"
		exec 8>&-
		ended "$one"
		true_that 'the guard takes it back' await no_journal_of "$one" ;;
	esac
	file_is set_event_pid '' 'goes'
	end_two
	[ -d "/proc/$child" ] || fail 'it has ended'
	nothing_left
	exec 7>&-
done

begin 'an orphan whose parent has ended'
fresh
subreaper "$daemonizes_twice"
sessions
tell_one "pid $parent"
orphan
await test ! -d "/proc/$parent" || fail 'it is there'
end_one
file_is set_event_pid '' 'goes'
end_two
nothing_left
exec 7>&-

# Somebody else's child looks the same.
begin 'one that leads a session, as the parent of a task has ended'
fresh
subreaper "$daemonizes"
sessions
tell_one "pid $parent"
orphan
await test ! -d "/proc/$parent" || fail 'it is there'
end_one
file_is set_event_pid "$child" 'stays'
says "^1 task stays in 'set_event_pid': others may have listed it" 'which is said'
exec 9>&-
ended "$two"
echo >"$D/set_event_pid"
exec 7>&-

# As whoever is started in a container from outside: the init there is not above it, and gets its orphans. Its groups
# fill more than a page of its status, and stand before its number.
begin 'an orphan of one that has entered a pid namespace'
fresh
rm -f "$TMP/orders"
mkfifo "$TMP/orders"
unshare -pf --kill-child "$PYTHON" -I -c 'import os
os.setgroups(range(1000000000, 1000000600))
os.execvp("sleep", ["sleep", "3000"])' &
outer=$!
children="$children $outer"
if await only_child "$outer"; then
	subreaper=$only
	await grep -q '^Groups:.* 1000000599' "/proc/$subreaper/status" || fail "$case_name: its groups"
	# shellcheck disable=SC2016 # its own
	nsenter -t "$subreaper" -p sh -c 'read -r go; sh -c "setsid sleep 3000 >/dev/null &"; read -r end' <"$TMP/orders" &
	children="$children $!"
	exec 7>"$TMP/orders"
	await only_child $! || fail "$case_name: a task in it"
	parent=$only
	sessions
	tell_one "pid $parent"
	echo >&7
	true_that 'the kernel lists the orphan' await lists_child_of "$subreaper"
	tell_one undo
	file_is set_event_pid '' 'goes with its parent'
	end_one
	end_two
	nothing_left
	exec 7>&-
else
	skip "$case_name" 'no pid namespace can be made'
fi

begin 'a task of others that began since'
fresh
subreaper "$daemonizes; read -r end"
sleeper
sessions
tell_one "pid $sleeper"
echo "$parent" >>"$D/set_event_pid"
orphan
end_one
same "$(list)" "$(printf '%s\n' "$parent" "$child" | sort -n | tr '\n' ' ')" 'stays, and its orphan'
says "^2 tasks stay in 'set_event_pid': others may have listed them" 'which is said'
exec 9>&-
ended "$two"
echo >"$D/set_event_pid"
exec 7>&-

begin 'a daemon that another session has listed'
fresh
daemon
sleeper
sessions
tell_one "pid $sleeper"
tell_two "pid add $daemon"
end_one
file_is set_event_pid "$daemon" 'stays while that session lives'
sessions_daemon=$daemon
end_two
file_is set_event_pid '' 'and goes with it'
[ -d "/proc/$sessions_daemon" ] || fail 'it has ended'
nothing_left

begin 'a child that another session has listed, too'
fresh
parent
sessions
tell_one "pid $parent"
child
true_that 'the kernel lists it' await grep -qx "$child" "$D/set_event_pid"
tell_two "pid add $child"
end_one
file_is set_event_pid "$child" 'stays while that session lives'
end_two
file_is set_event_pid '' 'and goes with it'
nothing_left
exec 7>&-

# lists: the child is listed
lists()
{
	true_that "$1" await grep -qx "$child" "$D/set_event_pid"
}

# sorted PID..
sorted()
{
	printf '%s\n' "$@" | sort -n | tr '\n' ' '
}

for end in undo end kill; do
	begin "a child of a task that another session has listed, and $end"
	fresh
	sleeper
	sessions
	tell_one "pid $sleeper"
	parent
	tell_two "append set_event_pid $parent"
	child
	lists 'the kernel lists it'
	case $end in
	undo)	tell_one undo
		same "$(list)" "$(sorted "$parent" "$child")" 'stays with its parent when undo takes back'
		end_one ;;
	end)	end_one
		unlike "$err" 'others may have listed' 'and nobody else is suspected' ;;
	kill)	kill -9 "$one"
		exec 8>&-
		ended "$one"
		true_that 'the guard takes back' await no_journal_of "$one" ;;
	esac
	same "$(list)" "$(sorted "$parent" "$child")" 'stays with its parent'
	end_two
	file_is set_event_pid '' 'goes with it'
	nothing_left
	exec 7>&-
done

begin 'a child of a task that two sessions have listed'
fresh
parent
sessions
tell_one "pid $parent"
tell_two "append set_event_pid $parent"
child
lists 'the kernel lists it'
end_one
same "$(list)" "$(sorted "$parent" "$child")" 'stays with its parent'
end_two
file_is set_event_pid '' 'goes with it'
unlike "$err" 'others may have listed' 'and nobody else is suspected'
nothing_left
exec 7>&-

begin 'threads that came since, of a process that one of two sessions has listed'
fresh
sleeper
rm -f "$TMP/orders" "$TMP/child"
mkfifo "$TMP/orders"
"$PYTHON" -I -c 'import sys, threading, time
sys.stdin.readline()
threading.Thread(target=time.sleep, args=(3000,), daemon=True).start()
open(sys.argv[1], "w").write("%d\n" % threading.enumerate()[-1].native_id)
time.sleep(3000)' "$TMP/child" <"$TMP/orders" 8>&- 9>&- &
parent=$!
exec 7>"$TMP/orders"
children="$children $parent"
sessions
tell_one "pid $parent"
tell_two "append set_event_pid $sleeper"
echo >&7
await test -s "$TMP/child" || fail "$case_name: a thread"
read -r child <"$TMP/child"
lists 'the kernel lists it'
end_one
file_is set_event_pid "$sleeper" 'go with it'
end_two
unlike "$err" 'others may have listed' 'and nobody else is suspected'
nothing_left
exec 7>&-

begin 'a child of a child that another session has listed, too'
fresh
subreaper 'echo $$ >"$1"; read -r go; sh -c '\''echo $$ >"$1"; read -r more <"$3"; sleep 3000 & wait'\'' sh "$2" "" "$2.go"'
mkfifo "$TMP/child.go"
sessions
tell_one "pid $parent"
echo >&7
await test -s "$TMP/child" || fail "$case_name: a child"
read -r child <"$TMP/child"
children="$children $child"
lists 'the kernel lists it'
tell_two "append set_event_pid $child"
echo >"$TMP/child.go"
true_that 'and its child' await lists_child_of "$child"
end_one
same "$(wc -l <"$D/set_event_pid")" 2 'both stay'
true_that 'it and its child' lists_child_of "$child"
end_two
file_is set_event_pid '' 'and go with that session'
nothing_left
kill "$(cat "/proc/$child/task/$child/children")"
exec 7>&-

# daemonizer: a shell, $parent, that makes an orphan when daemonize is called, $child
daemonizer()
{
	rm -f "$TMP/orders" "$TMP/parent" "$TMP/child"
	mkfifo "$TMP/orders"
	sh -c "$daemonizes_twice; read -r end" sh "$TMP/parent" "$TMP/child" <"$TMP/orders" 8>&- 9>&- &
	parent=$!
	exec 7>"$TMP/orders"
	children="$children $parent"
}

daemonize()
{
	echo >&7
	await test -s "$TMP/child" || fail "$case_name: an orphan"
	read -r child <"$TMP/child"
	children="$children $child"
	lists 'the kernel lists it'
}

# Whose it was nobody knows: it goes with the last of them.
for last in one two; do
	begin "an orphan that may be another session's: $last ends last"
	fresh
	sleeper
	daemonizer
	sessions
	if [ $last = one ]; then
		tell_one "pid $parent"
		tell_two "append set_event_pid $sleeper"
	else
		tell_one "pid $sleeper"
		tell_two "append set_event_pid $parent"
	fi
	daemonize
	[ $last = one ] && end_two || end_one
	same "$(list)" "$(sorted "$parent" "$child")" 'stays with who has listed its first ancestor'
	[ $last = one ] && end_one || end_two
	file_is set_event_pid '' 'goes with it'
	nothing_left
	exec 7>&-
done

# end_as WAY: the first session takes all back
end_as()
{
	case $1 in
	undo)	tell_one undo
		file_is set_event_pid "$2" 'when undo takes back'
		end_one ;;
	end)	end_one ;;
	kill)	kill -9 "$one"
		exec 8>&-
		ended "$one"
		true_that 'the guard takes back' await no_journal_of "$one" ;;
	esac
}

for end in undo end kill; do
	begin "an orphan, as another session has taken its task out, and $end"
	fresh
	echo 1 >"$D/options/event-fork"
	sleeper
	daemonizer
	sessions
	tell_two "append set_event_pid $sleeper"
	tell_one "append set_event_pid $parent"
	end_two
	daemonize
	end_as $end ''
	file_is set_event_pid '' 'goes with its parent'
	nothing_left
	echo 0 >"$D/options/event-fork"
	exec 7>&-
done

begin 'an orphan, as another session has taken its task out and put it back'
fresh
echo 1 >"$D/options/event-fork"
sleeper
other=$sleeper
sleeper
daemonizer
sessions
tell_two "append set_event_pid $other"
tell_one "pid add $parent"
tell_two undo
daemonize
tell_two "append set_event_pid $other"
tell_one "write set_event_pid $sleeper"
end_one
file_is set_event_pid "$other" 'goes with its parent'
end_two
file_is set_event_pid '' 'and the other task with its session'
nothing_left
echo 0 >"$D/options/event-fork"
exec 7>&-

begin 'an orphan of ours, or of a task that was listed before'
fresh
echo 1 >"$D/options/event-fork"
sleeper
before=$sleeper
echo "$before" >"$D/set_event_pid"
sleeper
daemonizer
sessions
tell_two "append set_event_pid $sleeper"
tell_one "append set_event_pid $parent"
daemonize
end_one
same "$(list)" "$(sorted "$before" "$sleeper" "$child")" 'stays'
unlike "$err" 'task.* stay' 'it may be of the other session'
end_two
same "$(list)" "$(sorted "$before" "$child")" 'stays at the end'
says "^1 task stays in 'set_event_pid': others may have listed it" 'which is said'
echo >"$D/set_event_pid"
echo 0 >"$D/options/event-fork"
exec 7>&-

# Whose parent is that of a task of ours, too: each is how that starts its children.
for way in sh setsid; do
	for end in undo end kill gone; do
		begin "a sibling that a third party has listed: $way, and $end"
		fresh
		parent $way
		[ $end = gone ] && sleeper || child
		[ $end = gone ] && ours=$sleeper || ours=$child
		sessions
		tell_one "pid $ours"
		child
		echo "$child" >>"$D/set_event_pid"
		if [ $end = gone ]; then
			kill "$ours"
			ended "$ours"
			end_one
		else
			end_as $end "$child"
		fi
		file_is set_event_pid "$child" 'stays'
		[ $end = kill ] || like "$(cat "$TMP/1.err")" "^1 task stays in 'set_event_pid': others may have listed it" 'which is said'
		exec 9>&-
		ended "$two"
		echo >"$D/set_event_pid"
		exec 7>&-
	done
done

# It began right before, and what is handed over does not tell that it was there.
begin 'an orphan that a third party has listed before all'
fresh
sleeper
ours=$sleeper
sleeper
sessions
sh -c 'setsid sleep 3000 >/dev/null & echo $!' >"$TMP/daemon" 8>&- 9>&-
read -r daemon <"$TMP/daemon"
children="$children $daemon"
echo "$daemon" >"$D/set_event_pid"
printf 'append set_event_pid %s\n' "$ours" >&8
await grep -qx "$ours" "$D/set_event_pid"
tell_two "pid add $sleeper"
tell_one "write set_event_pid $sleeper"
end_two
end_one
file_is set_event_pid "$daemon" 'stays'
echo >"$D/set_event_pid"

# Nobody follows children any more when the last one ends.
for end in end kill; do
	begin "a child that was out of the list when who had listed its parent ended, and $end"
	fresh
	parent
	sleeper
	sessions
	tell_one "pid $parent"
	child
	lists 'the kernel lists it'
	tell_two "write set_event_pid $sleeper"
	case $end in
	end)	end_one
		file_is set_event_pid "$sleeper" 'what another session has written stays'
		end_two ;;
	kill)	kill -9 "$one" "$two"
		exec 8>&- 9>&-
		ended "$one"
		ended "$two"
		true_that 'the guards take back' await no_journal_of "$one"
		true_that 'both' await no_journal_of "$two" ;;
	esac
	[ -d "/proc/$child" ] || fail 'it has ended'
	file_is set_event_pid '' 'goes with its parent'
	nothing_left
	exec 7>&-
done

# Each is the way by which children are followed for a while: 1 is the first session, 2 the second, h a hand.
for way in '1 pid' '1 option' '1 option off' '1 option later' '1 option later off' '2 option off' '2 option undone' 'h before'; do
	begin "a child that came while children were followed: $way"
	fresh
	parent
	sleeper
	await aged "$parent" || fail "$case_name: a parent"
	sessions
	case $way in
	*later*)	;;
	'1 pid')	tell_one "pid $sleeper" ;;
	'1 option'*)	tell_one 'option event-fork on' ;;
	'2 option off')	tell_two 'option event-fork on' ;;
	h*)		echo 1 >"$D/options/event-fork" ;;
	esac
	tell_two "append set_event_pid $parent"
	case $way in
	*undone)	tell_two 'option event-fork on' ;;
	*later*)	tell_one 'option event-fork on' ;;
	esac
	child
	lists 'the kernel lists it'
	case $way in
	'1 option '*off)	tell_one 'option event-fork off' ;;
	'2 option off')	tell_two 'option event-fork off' ;;
	*undone)	tell_two undo ;;
	h*)		echo 0 >"$D/options/event-fork" ;;
	1*)		end_one ;;
	esac
	file_is options/event-fork 0 'they no longer are'
	same "$(list)" "$(sorted "$parent" "$child")" 'stays with its parent'
	end_two
	file_is set_event_pid '' 'and goes with it'
	end_one
	nothing_left
	exec 7>&-
done

begin 'a child that somebody has listed, as nobody follows children'
fresh
parent
sessions
tell_one "pid --no-fork $parent"
child
echo "$child" >>"$D/set_event_pid"
end_one
file_is set_event_pid "$child" 'stays'
says "^1 task stays in 'set_event_pid': others may have listed it" 'which is said'
end_two
echo >"$D/set_event_pid"
exec 7>&-

begin 'children of a task that was listed before'
fresh
parent
sleeper
echo 1 >"$D/options/event-fork"
echo "$parent" >"$D/set_event_pid"
sessions
tell_one "pid add $sleeper"
child
true_that 'the kernel lists them' await grep -qx "$child" "$D/set_event_pid"
end_one
same "$(list)" "$(printf '%s\n' "$parent" "$child" | sort -n | tr '\n' ' ')" 'stay when what was added goes'
exec 9>&-
ended "$two"
echo >"$D/set_event_pid"
echo 0 >"$D/options/event-fork"
exec 7>&-

begin 'children of one thread'
fresh
parent
sessions
tell_one "pid tid:$parent"
child
true_that 'the kernel lists them' await grep -qx "$child" "$D/set_event_pid"
end_one
file_is set_event_pid '' 'go with it'
end_two
nothing_left
exec 7>&-

# The kernel takes a task that ends out of a list that follows children; nobody else is to come for it.
begin 'a task that ends meanwhile'
fresh
sleeper
listed=$sleeper
sleeper
echo 1 >"$D/options/event-fork"
echo "$listed" >"$D/set_event_pid"
await aged "$listed"
sessions
tell_one "pid $sleeper"
kill "$listed"
ended "$listed"
python3 -I "$SRC/tests/helpers/with-number.py" "$listed" sleep 3000 8>&- 9>&- 2>"$TMP/number" &
children="$children $!"
await sh -c "test -s '$TMP/number' || grep -qx sleep /proc/$listed/comm"
end_one
if grep -qsx sleep "/proc/$listed/comm"; then
	file_is set_event_pid '' 'does not come back as whoever has its number'
else
	skip "$case_name" 'its number cannot be had'
fi
exec 9>&-
ended "$two"
echo >"$D/set_event_pid"
echo 0 >"$D/options/event-fork"

finish
