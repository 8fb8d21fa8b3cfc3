#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A number is given to another process: run, aborted, ends the program's family, and nobody who has the number of one; a case of
# a test ends what it has started, and nobody who has the number of that.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
[ -w /proc/sys/kernel/ns_last_pid ] || skip_all 'this kernel does not let the next number be set'
unshare -fp --mount-proc true 2>/dev/null || skip_all 'pid namespaces cannot be had'

begin 'a child whose number is given to another process'
mkfifo "$TMP/fifo"
cat >"$TMP/namespace" <<'S'
"$TRACESH" run -o /dev/null sched:sched_process_exec -- sh -c 'trap "" TERM
	env --default-signal=TERM sleep 300 & echo $! >"$1/new"; mv "$1/new" "$1/kid"; wait
	exec 3<>"$1/fifo"; read -r line <&3' sh "$1" &
session=$!
until [ -e "$1/kid" ]; do sleep 0.05; done
read -r kid <"$1/kid"
until grep -qx sleep "/proc/$kid/comm"; do :; done
kill -TERM $session
while kill -0 "$kid" 2>/dev/null; do :; done
tries=0
until [ "${other-}" = "$kid" ] || [ $((tries += 1)) -gt 20 ]; do
	echo $((kid - 1)) >/proc/sys/kernel/ns_last_pid
	sleep 300 &
	other=$!
done
[ "$other" = "$kid" ] || exit 4
wait $session
kill -0 "$other" || exit 5
S
run timeout 60 env TRACESH="$TRACESH" unshare -fp --mount-proc --kill-child sh "$TMP/namespace" "$TMP"
case $status in
4) skip "$case_name" 'the number was not to be had' ;;
*) expect 0 'is left alone' ;;
esac

begin 'a child of a case'
true &
gone=$!
wait $gone
children="$children $gone"
env -i PATH="$PATH" python3 -I "$SRC/tests/helpers/with-number.py" "$gone" sleep 3000 2>"$TMP/number" &
stranger=$!
await sh -c "test -s '$TMP/number' || grep -qx sleep /proc/$gone/comm"
reap
if [ -s "$TMP/number" ]; then
	skip "$case_name" "$(cat "$TMP/number")"
else
	kill -TERM "$gone"
	status=0
	wait $stranger || status=$?
	same $status 15 'is left alone'
fi

finish
