#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Inside a pid namespace.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

unshare -pf --mount-proc true 2>/dev/null || { skip 'a pid namespace' 'cannot be had'; finish; }

# What inside.sh does is done inside; outside of it are the kernel's numbers.
begin 'pid'
fresh
cat >"$TMP/inside.sh" <<'END'
i=0
sh -c 'while [ ! -e "$1" ]; do sleep 0.05; done' sh "$2/stop" &
echo $! >"$2/inner"
"$1" -i "$3" pid --no-fork $! >"$2/out" 2>"$2/err"
echo $? >"$2/status"
"$1" run sched:sched_process_exec -- /bin/true >"$2/run" 2>"$2/run.err"
echo $? >"$2/run.status"
"$1" --json stream -n 3 sched:sched_switch >"$2/stream" 2>&1
echo $? >"$2/stream.status"
"$1" -i "$3" pid 4000 >"$2/none" 2>&1
echo $? >"$2/none.status"
touch "$2/done"
wait
END
unshare -pf --mount-proc sh "$TMP/inside.sh" "$TRACESH" "$TMP" "$I" </dev/null &
children="$children $!"
true_that 'it is done' await test -e "$TMP/done"
inner=$(cat "$TMP/inner")
outer=$(grep -l "^NSpid:.*[[:space:]]$inner\$" /proc/[0-9]*/status 2>/dev/null | tr -dc '0-9\n' | while read -r one; do
	grep -aqs "$TMP/stop" "/proc/$one/cmdline" && echo "$one"
done | head -n 1)
cp "$TMP/status" "$TMP/s"
status=$(cat "$TMP/s")
expect 0 'is set'
false_that "the kernel's number is another one" test "$inner" = "$outer"
file_is set_event_pid "$outer" "the kernel's number is listed"
status=$(cat "$TMP/none.status")
same "$status" 1 'a pid that is not there is refused'
echo 1 >"$D/events/sched/sched_switch/enable"
true_that 'and its events come' await grep -q -- "-$outer  *\[" "$D/trace"

same "$(cat "$TMP/run.status")" 0 'run succeeds'
true_that 'and shows the program' grep -q 'sched_process_exec: filename=/bin/true' "$TMP/run"
same "$(grep -vc '^#' "$TMP/run")" 1 'and only it'
same "$(cat "$TMP/stream.status")" 0 'stream succeeds'
true_that 'instances of its own are gone' no_own_instance
touch "$TMP/stop"

# Any task may write its own score, and whose record comes first is not asked. What somebody has set just before us stays.
begin 'while others write an oom_score_adj'
cat >"$TMP/inside.sh" <<'END'
sleep 3000 &
echo 300 >/proc/$!/oom_score_adj
env LD_PRELOAD="$4" WRITE_SCORE=400 $5 "$1" -i "$3" pid --no-fork $! >"$2/out" 2>"$2/err"
echo $? >"$2/status"
touch "$2/done"
until [ ! -e "$2/done" ]; do sleep 0.05; done
cat /proc/$!/oom_score_adj >"$2/score"
kill $!
END
# others_write SCORE VAR=VALUE: what the task has at the end
others_write()
{
	fresh
	rm -f "$TMP/done"
	unshare -pf --mount-proc sh "$TMP/inside.sh" "$TRACESH" "$TMP" "$I" "$PRELOAD" "$2" </dev/null &
	inside=$!
	children="$children $inside"
	true_that 'it is done' await test -e "$TMP/done"
	same "$(cat "$TMP/status")" 0 'the task is set'
	same "$(while read -r one; do cat "/proc/$one/comm"; done <"$D/set_event_pid")" sleep 'it alone is listed'
	rm "$TMP/done"
	ended "$inside"
	same "$(cat "$TMP/score")" "$1" 'what another task has set in between stays'
	echo >"$D/set_event_pid"
}
if preload write-score; then
	others_write 400 WRITE_LATER=
	begin 'while others write an oom_score_adj that is put right'
	others_write 600 WRITE_LATER=600
fi

begin 'what is left in the task'
fresh
rm -f "$TMP/done"
cat >"$TMP/inside.sh" <<'END'
setpriv --reuid 65534 --clear-groups sh -c 'echo 500 >/proc/self/oom_score_adj; exec sleep 3000' &
task=$!
until [ "$(cat /proc/$task/comm)" = sleep ]; do sleep 0.05; done
lower() { setpriv --reuid 65534 --clear-groups sh -c "echo $1 >/proc/$task/oom_score_adj" 2>/dev/null; }
lower 499 && : >"$2/may"
"$1" -i "$3" pid --no-fork $task >"$2/out" 2>"$2/err"
echo $? >"$2/status"
cat /proc/$task/oom_score_adj >"$2/score"
lower 0 && cat /proc/$task/oom_score_adj >>"$2/score"
kill $task
touch "$2/done"
END
unshare -pf --mount-proc sh "$TMP/inside.sh" "$TRACESH" "$TMP" "$I" </dev/null &
children="$children $!"
true_that 'it is done' await test -e "$TMP/done"
same "$(cat "$TMP/status")" 0 'the task is set'
if [ -e "$TMP/may" ]; then
	same "$(tr '\n' ' ' <"$TMP/score")" '499 0 ' 'its oom_score_adj is as before, and its owner may lower it'
else
	skip "$case_name" 'there is no other user'
fi
echo >"$D/set_event_pid"

begin 'what others have listed'
fresh
rm -f "$TMP/done" "$TMP/stop"
sleeper
cat >"$TMP/inside.sh" <<'END'
sleep 3000 &
{ echo "pid $!"; until [ -e "$2/stop" ]; do sleep 0.05; done; } | "$1" -i "$3" --restore -f - >"$2/out" 2>"$2/err"
echo $? >"$2/status"
kill $!
touch "$2/done"
END
unshare -pf --mount-proc sh "$TMP/inside.sh" "$TRACESH" "$TMP" "$I" </dev/null &
children="$children $!"
true_that 'a session lists its task' await grep -q . "$D/set_event_pid"
true_that 'and has done so' await grep -q '^1 task traced in ' "$TMP/err"
echo "$sleeper" >>"$D/set_event_pid"
touch "$TMP/stop"
true_that 'it ends' await test -e "$TMP/done"
same "$(cat "$TMP/status")" 0 'well'
file_is set_event_pid "$sleeper" 'what was added by others stays'
true_that 'which is said' grep -q "^1 task stays in 'set_event_pid': .*their parents are unknown" "$TMP/err"
echo >"$D/set_event_pid"

begin "a number of the namespace's own"
cat >"$TMP/inside.sh" <<'END'
sleep 3000 &
"$1" stream --for 1ms sched:sched_switch if "next_pid == $!" >"$2/if" 2>&1
"$1" stream --for 1ms sched:sched_switch where "pid == $!" >"$2/where" 2>&1
"$1" stream --for 1ms --pid $! sched:sched_switch >"$2/option" 2>&1
"$1" --private -c "enable sched:sched_switch if next_pid == $!" -c doctor >"$2/doctor" 2>&1
echo $! >"$2/inner"
sed -n 's/^NSpid:[[:space:]]*//p' /proc/$!/status >"$2/nspid"
touch "$2/done"
until [ ! -e "$2/done" ]; do sleep 0.05; done
kill $!
END
rm -f "$TMP/done"
unshare -pf --mount-proc sh "$TMP/inside.sh" "$TRACESH" "$TMP" </dev/null &
inside=$!
children="$children $inside"
true_that 'it is done' await test -e "$TMP/done"
inner=$(cat "$TMP/inner")
outer=
for one in /proc/[0-9]*; do
	[ "$(sed -n 's/^NSpid:[[:space:]]*//p' "$one/status" 2>/dev/null | awk '{ print $2 }')" != "$inner" ] ||
		! grep -q sleep "$one/comm" || outer=${one#/proc/}
done
told="uses a task number of this pid namespace: the kernel's events have $outer for task $inner (--pid $inner translates)"
true_that 'if' grep -Fqx "the filter of sched:sched_switch $told" "$TMP/if"
true_that 'where' grep -Fqx "the where of sched:sched_switch $told" "$TMP/where"
true_that 'doctor' grep -Fq "the filter of sched:sched_switch $told" "$TMP/doctor"
false_that '--pid needs no word' grep -q translates "$TMP/option"
rm "$TMP/done"
ended "$inside"

begin 'without /proc'
# shellcheck disable=SC2016 # for the inner shell
run unshare -m -p -f sh -c 'umount -l /proc && exec "$1" run sched:sched_process_exec -- true' sh "$TRACESH"
# not 3 of a program that looks for leaks: that needs /proc, too
true_that 'run says that it can follow no program' [ "$status" -ne 0 ]
says '/proc is not mounted' 'and why'
says '^hint: mount -t proc proc /proc' 'with what to type'

finish
