#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# run: a program, traced from its first instruction to its end.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'the events of the program'
t run sched:sched_process_exec -- /bin/sh -c '/bin/true; /bin/echo said; exit 3'
expect 3 "the exit status is the program's"
prints 'sched_process_exec: filename=/bin/sh ' 'the program itself'
prints 'sched_process_exec: filename=/bin/true ' 'a child of it'
same "$(grep -vc '^#' "$TMP/out")" 3 'and nothing else'
says '^said$' 'its stdout is stderr here, as ours is for the events'
unlike "$out" '^said$' "$case_name: and not stdout"
true_that 'its instance is gone' no_own_instance

begin '-o FILE'
t run -o "$TMP/events" sched:sched_process_exec -- /bin/echo said
expect 0 'succeeds'
same "$out" said "the program's stdout is its own"
true_that 'the events are in the file' grep -q 'filename=/bin/echo' "$TMP/events"

begin 'threads and children to come, and nobody else'
sh -c 'i=0; while [ $i -lt 500 ]; do i=$((i+1)); /bin/true; sleep 0.01; done' &
stranger=$!
children="$children $stranger"
t --json run sched:sched_process_fork sched:sched_process_exec sched:sched_process_exit -- \
	sh -c '(/bin/true & wait) & wait; /bin/true'
kill "$stranger"
expect 0 'succeeds'
if [ -n "$PYTHON" ]; then
	true_that 'all are of one family' "$PYTHON" -c "
import json, sys
events = [row for row in map(json.loads, open('$TMP/out')) if row['type'] == 'event']
family = {events[0]['pid']}
for row in events:
    assert row['pid'] in family, (row, family)
    if row['event'] == 'sched:sched_process_fork':
        family.add(row['fields']['child_pid'])
assert len(family) >= 4, family"
else
	skip "$case_name: all are of one family" 'no python3'
fi

begin 'stdin, environment, folder'
echo typed >"$TMP/in"
status=0
(cd "$TMP" && VALUE=inherited "$TRACESH" run -o events sched:sched_process_exit -- \
	/bin/sh -c 'cat; echo $VALUE; pwd' <in >out 2>err) || status=$?
out=$(cat "$TMP/out")
expect 0 'succeeds'
same "$out" "typed
inherited
$(cd "$TMP" && pwd)" 'are its own'

begin 'arguments reach it untouched'
t run -o "$TMP/events" sched:sched_process_exec -- printf '<%s>\n' 'two words' '$x ;|#' '' -n
same "$out" '<two words>
<$x ;|#>
<>
<-n>' 'byte for byte'

begin '--buffer'
# shellcheck disable=SC2016
t -o /dev/null run --buffer 3M sched_process_exec -- sh -c 'cat "$1"/instances/tracesh-$PPID-*/buffer_size_kb' sh "$TRACING"
expect 0 'succeeds'
true_that 'its instance has it' test "$out" -ge 3072
t run --here --buffer 3M sched_process_exec -- true
expect 2 'not for the present one'

begin 'a program that cannot be run'
t run sched:sched_process_exec -- /nonexistent/program
expect 127 'is a failed command'
says "cannot run '/nonexistent/program': No such file" 'with the reason'
true_that 'its instance is gone' no_own_instance
for program in 'nosuchprog 127' '/etc/passwd 126'; do
	wanted=${program#* } program=${program% *}
	t run sched: raw_syscalls: -- "$program"
	expect "$wanted" "$program"
	same "$(printf '%s' "$out" | grep -vc '^#')" 0 'nothing of the start that failed is printed'
done
t run sched:sched_process_exec --
expect 2 'none at all is a usage error'
t run sched:nosuch -- true
expect 1 'an unknown event: the program is not started'

begin 'a program that dies of a signal'
t run sched:sched_process_exec -- sh -c 'kill -9 $$'
expect 137 'is 128+9'

begin '$? and what follows'
t -c 'run sched:sched_process_exec -- sh -c "exit 7" | cat >/dev/null' -c 'run -o /dev/null sched_process_exec -- echo ${?}'
expect 0 'a batch goes on'

begin '--user'
if grep -q '^nobody:' /etc/passwd; then
	t run -o "$TMP/events" --user nobody sched:sched_process_exec -- id -u
	expect 0 'succeeds'
	same "$out" "$(id -u nobody)" 'it is that user'
	# shellcheck disable=SC2016 # for the inner shell
	t run -o "$TMP/events" --user nobody sched:sched_process_exec -- sh -c 'echo $USER $LOGNAME $HOME'
	same "$out" "nobody nobody $(awk -F: '$1 == "nobody" { print $6 }' /etc/passwd)" 'its environment too'
	t run --user nosuchuser -- true
	expect 1 'an unknown one is refused'
else
	skip "$case_name" 'no such account'
fi

begin 'how it is found and started'
mkdir -p "$TMP/first/script" "$TMP/second"
echo 'echo "$1 $TZ"' >"$TMP/second/script"
chmod +x "$TMP/second/script"
t_path=$PATH t_zone=$TZ
PATH=$TMP/first:$TMP/second:$PATH TZ=CET-1
t --tz UTC run -o "$TMP/events" sched:sched_process_exec -- script word
PATH=$t_path TZ=$t_zone
expect 0 'a script without #!, behind a folder of its name'
same "$out" 'word CET-1' 'has its arguments, and the time zone that tracesh was given'

begin 'Ctrl-C is the program'"'s"
start "$TMP/live" "$TRACESH" run sched:sched_process_exec -- sh -c 'trap "kill \$!; exit 9" INT; /bin/sleep 60 & wait; exit 1'
true_that 'it runs' await grep -q 'filename=.*sleep' "$TMP/live"
program=$(sed -n 's/.*filename=[^ ]*sh pid=\([0-9]*\).*/\1/p' "$TMP/live" | head -n 1)
kill -INT "$child" "$program"
true_that 'it ends' ended "$child"
same "$status" 9 'with the status of the program'
true_that 'its instance is gone' no_own_instance

begin 'SIGTERM'
start "$TMP/live" "$TRACESH" run sched:sched_process_exec -- sh -c '/bin/sleep 60; true'
true_that 'it runs' await grep -q 'filename=.*sleep' "$TMP/live"
program=$(sed -n 's/.*filename=[^ ]*sh pid=\([0-9]*\).*/\1/p' "$TMP/live" | head -n 1)
kill -TERM "$child"
true_that 'ends tracesh' ended "$child"
same "$status" 143 'with 128+15'
true_that 'and the program' await gone "$program"
true_that 'its instance is gone' no_own_instance

begin 'SIGTERM: children end by themselves'
# The child takes a while to end; its parent does not.
echo 'trap "sleep 0.2; echo done >$1-done; exit" TERM; echo >$1-there; while :; do sleep 0.05; done' >"$TMP/slow"
echo 'sh "$1" "$2" & exec sleep 3000' >"$TMP/parent"
start "$TMP/live" "$TRACESH" -q run sched:sched_process_exec -- sh "$TMP/parent" "$TMP/slow" "$TMP/child"
true_that 'it runs' await test -e "$TMP/child-there"
kill -TERM "$child"
true_that 'run ends' ended "$child"
expect 143 'by the signal'
true_that 'its child had the time to end' test -e "$TMP/child-done"

begin 'what tracesh does before the program'
for try in 1 2 3 4 5 6 7 8 9 10; do
	# the end of the read that waited, the begin of the exec
	"$TRACESH" -q --json run -o "$TMP/early-$try" raw_syscalls where 'comm == "tracesh"' -- true
	sed -n 's/.*"event":"\([^"]*\)".*/\1/p' "$TMP/early-$try" | tr '\n' ' '
	echo
done | sort -u >"$TMP/early"
same "$(cat "$TMP/early")" 'raw_syscalls:sys_exit raw_syscalls:sys_enter ' 'is the same each time'

begin 'without events'
t run -o "$TMP/events" -- true
expect 0 'succeeds'
true_that 'processes' grep -q 'sched_process_exec:' "$TMP/events"
true_that 'and system calls' grep -q 'sys_enter:' "$TMP/events"

finish
