#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# A task's name is the one that it had at the event.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

[ -d "$TRACING/events/syscalls/sys_enter_openat" ] || skip_all 'no events of system calls'
opens=syscalls:sys_enter_openat

# renamer: a task that is called alpha, $renamer. Told to go on it opens three files as alpha, the last of which makes it
# beta, then one, and more as sleep.
renamer()
{
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'printf alpha >/proc/$$/comm
		read -r line
		: </dev/null
		: </dev/null
		printf beta >/proc/$$/comm
		: </dev/null
		exec sleep 3000' <"$TMP/go" >/dev/null 2>&1 &
	renamer=$!
	children="$children $renamer"
	exec 8>"$TMP/go"
	await grep -qx alpha "/proc/$renamer/comm"
}
# beside COMMAND..: runs it while the task goes on; its output is in $TMP/seen
beside()
{
	start "$TMP/seen" "$TRACESH" "$@"
	await is_streaming "$child"
	echo go >&8
	exec 8>&-
	await grep -qx sleep "/proc/$renamer/comm"
	kill -INT "$child"
	ended "$child"
	kill "$renamer"
	wait "$renamer" 2>/dev/null
}
# lines NAME: of $TMP/seen, of that name of the task
lines() { grep -c "^ *$1-$renamer " "$TMP/seen" || :; }
# row NAME: the last number in its row of $TMP/seen
row() { awk -v name="$1" '$1 == name { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+$/) n = $i; print n }' "$TMP/seen"; }

begin 'a task that was there before, and changes its name'
renamer
beside stream --pid "$renamer" "$opens"
same "$(lines alpha) $(lines beta)" '3 1' 'stream: the names then'
true_that 'and behind the exec' test "$(lines sleep)" -gt 0
renamer
beside stream "$opens" where "comm == \"alpha\" && pid == $renamer"
same "$(lines alpha) $(lines beta)" '3 0' 'where, a part of which the kernel asks'
renamer
beside stream --no-pushdown "$opens" where "comm == \"beta\" && pid == $renamer"
same "$(lines alpha) $(lines beta)" '0 1' 'where, that tracesh asks'
renamer
beside --json stream --pid "$renamer" "$opens"
json 'JSON, too' "$TMP/seen" "
assert [row['comm'] for row in events][:5] == ['alpha'] * 3 + ['beta', 'sleep'], events[:5]"
renamer
beside --format csv stream --pid "$renamer" "$opens"
same "$(grep -c ',alpha,' "$TMP/seen") $(grep -c ',beta,' "$TMP/seen")" '3 1' 'and CSV'
for command in hist count; do
	renamer
	beside "$command" --pid "$renamer" "$opens" by comm
	same "$(row alpha) $(row beta)" '3 1' "$command by comm"
done
renamer
beside latency --pid "$renamer" syscall openat by comm
same "$(awk '$1 ~ /^(alpha|beta)$/ { print $1, $2 }' "$TMP/seen" | sort | tr '\n' ' ')" 'alpha 3 beta 1 ' 'latency by comm'
renamer
beside stacks --pid "$renamer" "$opens" where 'comm == "alpha"'
same "$(sed -n 's/ stacks.*//p' "$TMP/seen.err")" 3 'stacks where comm'

begin 'a task that was there before, recorded'
renamer
beside record "$TMP/rec" "$opens"
told=$(sed -n 's/,//g; s/ events.*//p' "$TMP/seen.err")
t --tracefs "$TMP/rec" drain
same "$(grep -cvE '^#' "$TMP/out")" "$told" 'the events that were asked for, and no others'
cp "$TMP/out" "$TMP/seen"
same "$(lines alpha) $(lines beta)" '3 1' 'drain: the names then'
t --tracefs "$TMP/rec" drain where "comm == \"alpha\" && pid == $renamer"
same "$(grep -c "alpha-$renamer " "$TMP/out")" 3 'where'
t --tracefs "$TMP/rec" count by comm where "pid == $renamer"
cp "$TMP/out" "$TMP/seen"
same "$(row alpha) $(row beta)" '3 1' 'count by comm'
t --tracefs "$TMP/rec" show -n "$told"
same "$(grep -cv '^#' "$TMP/out") $(grep -c "alpha-$renamer " "$TMP/out")" "$told 3" 'show -n counts those alone'
t --tracefs "$TMP/rec" events --on
same "$(cat "$TMP/out")" "$opens" 'events --on'
t --tracefs "$TMP/rec" stats
same "$(awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9,]+$/ { gsub(",", "", $2); n += $2 } END { print n }' "$TMP/out")" "$told" 'stats'

begin "run --all, and the program's own name before its exec"
renamer
# shellcheck disable=SC2016 # for the inner shell
t run --all "$opens" -- sh -c 'echo go >"$1"; until grep -qx sleep "/proc/$2/comm"; do :; done' sh "$TMP/go" "$renamer"
exec 8>&-
cp "$TMP/out" "$TMP/seen"
same "$(lines alpha) $(lines beta)" '3 1' 'run --all: the names then'
kill "$renamer"
wait "$renamer" 2>/dev/null
t run sched:sched_process_exec syscalls:sys_enter_execve -- true
first=$(grep -v '^#' "$TMP/out" | sed -n 's/^ *\([^ ]*\)-[0-9]* .*/\1/p' | head -n 2 | tr '\n' ' ')
same "$first" 'tracesh true ' 'run: tracesh calls execve, and true has been executed'

begin 'a buffer in which somebody has renames recorded'
renamer
fresh
echo 1 >"$D/events/task/task_rename/enable"
echo "common_pid == $renamer" >"$D/events/syscalls/sys_enter_openat/filter"
echo 1 >"$D/events/syscalls/sys_enter_openat/enable"
echo go >&8
exec 8>&-
await grep -qx sleep "/proc/$renamer/comm"
t -i "$I" drain where "pid == $renamer"
cp "$TMP/out" "$TMP/seen"
same "$(grep sys_openat "$TMP/seen" | grep -c "^ *alpha-") $(grep sys_openat "$TMP/seen" | grep -c '^ *beta-')" '3 1' 'drain: the names then'
kill "$renamer"
wait "$renamer" 2>/dev/null

begin 'a buffer without renames'
fresh
echo 1 >"$D/events/sched/sched_process_fork/enable"
for words in 'hist --drain by comm' 'drain where comm==sh' 'drain where comm==nosuch' 'drain fields comm' 'count --drain' 'drain' \
	'--json drain' '--format csv drain'; do
	(:)
	# shellcheck disable=SC2086 # words
	t -i "$I" $words
	case $words in
	*comm* | --*) says "^names are those of the time of reading: task:task_rename is not recorded in '$I'" "$words: says so" ;;
	drain)
		unlike "$err" "^names are" "$words: shows what the kernel would"
		like "$out" '^# tracesh: .*, names those of the time of reading$' "$words: and says of when"
		;;
	*) unlike "$err" "^names are" "$words: no name is shown" ;;
	esac
done
t -i "$I" stream --here --for 300ms --stop-when 'comm == nosuch' sched_switch
says "^names are those of the time of reading" '--stop-when, too'
echo 1 >"$D/events/task/task_rename/enable"
(:)
t -i "$I" hist --drain by comm
unlike "$err" "^names are" 'and not where they are recorded'
t -i "$I" drain
unlike "$out" '^# .*names' 'a text, neither'

begin 'a task that begins in a buffer that is recorded'
fresh
echo 1 >"$D/events/task/enable"
echo 1 >"$D/events/syscalls/sys_enter_openat/enable"
echo 1 >"$D/options/event-fork"
# shellcheck disable=SC2016 # for the inner shell
sh -c 'printf parent >/proc/$$/comm; echo $$ >"$1/set_event_pid"; (: >/dev/null) & wait' sh "$D"
echo 0 >"$D/tracing_on"
cat "$D/trace" >"$TMP/text"
t -i "$I" record "$TMP/begins"
expect 0 'it is recorded'
newborn=$(sed -n 's/.* task_newtask: pid=\([0-9]*\) comm=parent .*/\1/p' "$TMP/text")
t --tracefs "$TMP/begins" drain where "event == sys_enter_openat && pid == ${newborn:-0}"
true_that 'it has opened a file' grep -q sys_openat "$TMP/out"
same "$(grep sys_openat "$TMP/out" | grep -vc "^ *parent-$newborn ")" 0 'its birth tells its name'

begin 'what is lost'
# caller: 200,000 calls of getppid as burst, and 50 forks, when it is told to go on; $caller
caller()
{
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	"$PYTHON" -c '
import os, sys
sys.stdin.readline()
open("/proc/self/comm", "w").write("burst")
for part in range(50):
    for i in range(4000):
        os.getppid()
    if os.fork() == 0:
        os._exit(0)
    os.wait()' <"$TMP/go" &
	caller=$!
	children="$children $caller"
	exec 8>"$TMP/go"
}
# calling COMMAND..: runs it meanwhile, stopped, so that events are lost
calling()
{
	start "$TMP/seen" "$TRACESH" "$@" if "common_pid == $caller"
	await is_streaming "$child"
	kill -STOP "$child"
	echo go >&8
	exec 8>&-
	wait "$caller"
	kill -CONT "$child"
	kill -INT "$child"
	ended "$child"
}
if [ -n "${PYTHON-}" ] && [ -d "$TRACING/events/syscalls/sys_enter_getppid" ]; then
	caller
	calling --json count --buffer 16K syscalls:sys_enter_getppid
	json 'count without names: those that came and those that are lost are all calls' "$TMP/seen" "
end = rows[-1]
assert end['lost'] > 0 and 'lost_hidden' not in end, end
# of a full page the kernel may not say how many
assert 'lost_unknown' in end or end['events'] + end['lost'] == 200000, end"
	caller
	calling --json stream --buffer 16K -o /dev/null syscalls:sys_enter_getppid
	like "$(cat "$TMP/seen.err")" ' lost \(perhaps some of task_newtask and task_rename' \
		'stream: how many of them were not asked for is not known'
	caller
	calling --json count --buffer 16K syscalls:sys_enter_getppid by comm
	json 'count by comm says so, too' "$TMP/seen" "
end = rows[-1]
assert end['lost'] > 0 and end['lost_hidden'] is None, end
assert 200000 <= end['events'] + end['lost'] < 220000, end"
	caller
	start "$TMP/seen" "$TRACESH" record --max 64K "$TMP/kept" syscalls:sys_enter_getppid if "common_pid == $caller"
	await is_streaming "$child"
	echo go >&8
	exec 8>&-
	wait "$caller"
	kill -INT "$child"
	ended "$child"
	t --tracefs "$TMP/kept" hist by comm
	same "$(grep -c python "$TMP/out")" 0 'record --max: a name of before what was given up names nothing'
else
	skip 'what is lost' 'no python, or no such event'
fi

begin 'a task that changes its name on another CPU'
cpus=$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status)
case $cpus in
*[,-]*)
	first=${cpus%%[,-]*} last=${cpus##*[,-]}
	rm -f "$TMP/go"
	mkfifo "$TMP/go"
	# shellcheck disable=SC2016 # for the inner shell
	taskset -c "$first" sh -c 'read -r line
		printf alpha >/proc/$$/comm
		: </dev/null
		taskset -pc "$2" $$
		printf beta >/proc/$$/comm
		taskset -pc "$1" $$
		: </dev/null
		exec sleep 3000' sh "$first" "$last" <"$TMP/go" >/dev/null 2>&1 &
	renamer=$!
	children="$children $renamer"
	exec 8>"$TMP/go"
	beside --json stream --cpu "$first" --pid "$renamer" "$opens" where 'comm in {alpha, beta}'
	same "$(grep -o '"comm":"[a-z]*"' "$TMP/seen" | tr '\n' ' ')" '"comm":"alpha" "comm":"beta" ' 'stream --cpu: the names then'
	same "$(grep -c "\"cpu\":$last," "$TMP/seen")" 0 'and nothing of the other CPU'
	like "$(tail -n 1 "$TMP/seen")" '"events":2,' 'nor is that counted'
	;;
*) skip 'a name that changes on another CPU' 'one CPU' ;;
esac

finish
