#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# recover leaves the instances of sessions that live, wherever they live.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'an instance that somebody holds'
free_number
mkdir "$TRACING/instances/tracesh-$free-1"
flock -s "$TRACING/instances/tracesh-$free-1/per_cpu" sleep 3000 &
holder=$!
children="$children $holder"
await grep -q "FLOCK.* READ .*:$(stat -c %i "$TRACING/instances/tracesh-$free-1/per_cpu") " /proc/locks
t recover --all
expect 0 'recover'
true_that 'leaves it' test -d "$TRACING/instances/tracesh-$free-1"
pkill -P "$holder" || :
kill "$holder" 2>/dev/null
wait "$holder" 2>/dev/null
t recover --all
expect 0 'when nobody holds it any more'
says "^instance 'tracesh-$free-1' of a process that is gone is removed\$" 'it is removed'
false_that 'and gone' test -d "$TRACING/instances/tracesh-$free-1"

# Not a stream: the kernel would not remove what is being read.
own="--private -c 'enable sched:sched_process_exit' -c 'wait 300s'"
is_on() { grep -qx sched:sched_process_exit "$TRACING/instances/tracesh-$1-1/set_event"; }

begin 'one that another session has made anew'
eval "start '$TMP/own' '$TRACESH' $own"
mine=$TRACING/instances/tracesh-$child-1
true_that 'a session has it' await is_on "$child"
kill -KILL $(pgrep -P "$child") "$child"
ended "$child"
await rmdir "$mine" 2>/dev/null
mkdir "$mine"
flock -s "$mine/per_cpu" sleep 3000 &
holder=$!
children="$children $holder"
await grep -q "FLOCK.* READ .*:$(stat -c %i "$mine/per_cpu") " /proc/locks
t recover --all
expect 0 'recover'
true_that 'leaves it' test -d "$mine"
pkill -P "$holder" || :
kill "$holder" 2>/dev/null
wait "$holder" 2>/dev/null
await rmdir "$mine"

begin 'one that is removed before its session holds it'
# made_anew WHO COMMAND: that one removes it, in sh
made_anew()
{
	eval "BEFORE_HOLD=\$2 LD_PRELOAD=\$PRELOAD start '$TMP/own' '$TRACESH' $own"
	true_that "$1: is made anew, with another number" await grep -qx sched:sched_process_exit "$TRACING/instances/tracesh-$child-2/set_event"
	false_that "$1: the first is gone" test -d "$TRACING/instances/tracesh-$child-1"
	kill -INT "$child"
	ended "$child"
	false_that "$1: the other goes with its session" test -d "$TRACING/instances/tracesh-$child-2"
}
if preload before-hold; then
	export TRACING TRACESH
	# shellcheck disable=SC2016 # for the inner shell
	made_anew rmdir 'rmdir "$TRACING/instances/tracesh-$PPID-1"'
	# where nothing tells of the session's journal
	# shellcheck disable=SC2016
	made_anew recover 'exec unshare -m sh -c "mount -t tmpfs tmpfs /run; exec \"\$TRACESH\" recover --all"'
fi

begin 'a session in a container'
free_number
# Its own numbers of processes, and a /run of its own: nothing here knows its journal.
# shellcheck disable=SC2016 # for the inner shell
start "$TMP/inner" unshare -m -p -f --mount-proc sh -c '
	mount -t tmpfs tmpfs /run
	echo '"$((free - 1))"' >/proc/sys/kernel/ns_last_pid || exit 75
	"$1" '"$own"' &
	wait' inner "$TRACESH"
inner=$child
if ! await test -d "$TRACING/instances/tracesh-$free-1"; then
	skip "$case_name" 'no process there gets the number'
else
	true_that 'has enabled an event in an instance of its own' await is_on "$free"
	t recover --all
	expect 0 'recover outside'
	true_that 'leaves it' is_on "$free"
fi
# All of a namespace ends with its first process.
pkill -KILL -P "$inner" || :
wait "$inner" 2>/dev/null
"$TRACESH" recover --all -q 2>/dev/null
true_that 'it is removed when that is gone' await sh -c "'$TRACESH' recover --all -q; ! test -d '$TRACING/instances/tracesh-$free-1'"

begin 'recover in a container'
eval "start '$TMP/outer' '$TRACESH' $own"
outer=$child
true_that 'a session outside' await is_on "$outer"
# shellcheck disable=SC2016 # for the inner shell
run unshare -m -p -f --mount-proc sh -c 'mount -t tmpfs tmpfs /run; "$1" recover --all; :' inner "$TRACESH"
expect 0 'recover inside'
true_that 'leaves its instance' is_on "$outer"
kill -INT "$outer"
ended "$outer"
false_that 'which goes with it' test -d "$TRACING/instances/tracesh-$outer-1"

begin 'a name of tracesh'"'"'s own'
t instance create tracesh-99999-1
expect 2 'is refused'
says "'tracesh-99999-1' is the name of an instance of tracesh's own, which recover removes" 'with the reason'
t -I tracesh-99999-1 status
expect 2 'by -I, too'
false_that 'and not made' test -d "$TRACING/instances/tracesh-99999-1"
t -c 'instance create tracesh-x-1' -c 'instance delete tracesh-x-1'
expect 0 'another name is not'

finish
