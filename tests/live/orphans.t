#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers
# time limit: 900
# How recover looks for what killed sessions have left: what it opens, which boot and which time it is of, how long it takes.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

first=/run/tracesh second=/var/lib/tracesh
second_is rw
guard_of() { pgrep -x -P "$1" trsh-guard; }
settings() { (cd "$D" && grep -H '' options/* set_event_pid tracing_cpumask events/sched/*/enable); }
as_before() { settings >"$TMP/now" && cmp -s "$TMP/was" "$TMP/now"; }
differs() { ! as_before; }

# killed_session [COMMAND..]: by that command one sets something in a new instance, and is killed with its guard; its journal
# is $journal
killed_session()
{
	fresh
	settings >"$TMP/was"
	start "$TMP/session" "$@" "$TRACESH" -i "$I" -c 'enable sched_switch; option record-tgid on' -c 'option markers off' \
		-c 'wait 60s'
	await grep -qx 0 "$D/options/markers" || fail "$case_name: the session has begun"
	session=$(pgrep -x tracesh -P "$child" || echo "$child")
	await guard_of "$session"
	kill -KILL "$(guard_of "$session")" "$session"
	ended "$child"
	await let_go
	journal=$(ls $first/*.journal $second/*.journal 2>/dev/null)
}

# waits PID: it waits for the other end of a FIFO
waits()
{
	[ "$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null)" = S ] &&
		grep -qE '^(pipe|wait_for_partner|fifo)' "/proc/$1/wchan" 2>/dev/null
}

begin 'a FIFO among the journals'
fresh
mkdir -p -m 700 $first
mkfifo -m 600 $first/1-1.journal
# shellcheck disable=SC2016 # for the inner shell
start "$TMP/writer" sh -c 'exec 3>"$1"' sh $first/1-1.journal
writer=$child
if await waits "$writer"; then
	for command in 'recover --list' recover status "-i $I --restore option markers off"; do
		# shellcheck disable=SC2086 # words
		t $command
		true_that "$command: it is not opened" waits "$writer"
	done
	t recover
	expect 1 'recover'
	says '/run/tracesh/1-1.journal cannot be read as a journal \(it is no file\)' 'says so'
else
	skip "$case_name" 'nothing says what a process waits for'
fi
kill -KILL "$writer" 2>/dev/null
rm $first/1-1.journal

begin 'a FIFO in another mount namespace'
# shellcheck disable=SC2016 # for the inner shell
start "$TMP/container" unshare -m sh -c 'mount -t tmpfs -o mode=755 tmpfs /run && mkdir -m 700 /run/tracesh &&
	mkfifo -m 600 /run/tracesh/1-1.journal && exec 3>/run/tracesh/1-1.journal'
if await waits "$child"; then
	t recover --list
	expect 0 'recover'
	true_that 'does not open it' waits "$child"
else
	skip "$case_name" 'nothing says what a process waits for'
fi
kill -KILL "$child" 2>/dev/null

begin 'other mount namespaces, where all answer late'
if [ -z "$PYTHON" ] || [ ! -c /dev/fuse ] || ! unshare -U -r -m true 2>/dev/null; then
	skip "$case_name" 'no python3, /dev/fuse or user namespaces'
else
	# In a user namespace of theirs: no recover of this machine but this one looks at it.
	# shellcheck disable=SC2016 # for the inner shell
	run timeout -k 1 80 unshare -U -r -m sh -c 'mount -t tmpfs -o mode=755 tmpfs /run && mkfifo "$1/slow" || exit 77
		unshare -m sh -c "\"\$@\" slow >\"\$0/slow.out\" & fuse=\$! late=
			until [ -s \"\$0/slow.out\" ]; do kill -0 \$fuse || exit; sleep 0.1; done
			for n in 1 2 3 4 5 6 7 8 9 10 11 12; do unshare -m sleep 60 & late=\"\$late \$!\"; done
			cat \"\$0/slow.out\" >\"\$0/slow\"; wait \$fuse; kill \$late" "$1" "$2" -I "$3" /run /bin/sh 60 &
		read -r fuse <"$1/slow" || exit 77
		status=0
		timeout 60 "$TRACESH" recover --list || status=$?
		kill -KILL "$fuse"
		exit "$status"' sh "$TMP" "$PYTHON" "$SRC/tests/helpers/silent-fuse.py"
	if [ "$status" -eq 77 ]; then
		skip "$case_name" 'no such file system can be mounted here'
	else
		expect 0 'recover comes to its end'
		says 'not all other mount namespaces were looked at' 'and says that it has not seen all'
	fi
fi

# left_row NAME WHAT-RECOVER-DOES WORDS: recover --list has such a row, in each format
left_row()
{
	t recover --list
	expect 0 "$3: the list"
	prints " $1  +$2\$" "$3: names it"
	t --format csv recover --list
	prints "^[0-9]+,,0,[01],[01],0,$1,$2\$" "$3: in CSV"
	t --json recover --list
	prints "\"name\":\"$1\",\"recover\":\"$2\"" "$3: in JSON"
}
begin 'a synthetic event that no journal knows of'
free_number
if ! echo "tracesh_lat_$free u64 lat" 2>/dev/null >>"$TRACING/synthetic_events"; then
	skip "$case_name" 'this kernel makes none'
else
	t recover
	expect 0 'recover'
	says "synthetic event 'tracesh_lat_$free' of a process that is gone is left: tracesh synth delete tracesh_lat_$free" 'names it'
	left_row "synthetic event 'tracesh_lat_$free'" "leaves it: tracesh synth delete tracesh_lat_$free" 'the list'
	unlike "$err" 'nothing was left' "$case_name: and does not deny it"
	t synth delete "tracesh_lat_$free"
	t recover
	says 'nothing was left behind' 'then there is none'
fi

lacks() { ! grep -q "$1" "$TRACING/uprobe_events"; }

begin 'what no journal knows of'
# needs top
erases
free_number
sleeper
left=$free lives=$sleeper
# its journal has an instance, too
start "$TMP/session" "$TRACESH" --private -c 'enable sched_process_exec' -c 'wait 600s'
session=$child
await is_streaming "$session" || fail "$case_name: a session has an instance"
for number in $left $lives; do mkdir "$TRACING/instances/tracesh-$number-1"; done
left_row "instance 'tracesh-$left-1'" 'removes it' 'an instance of a process that is gone'
left_row "instance 'tracesh-$lives-1'" 'removes it with --all' 'one that no tracesh holds, though a process has its number'
unlike "$out" "tracesh-$session-1" "$case_name: one of a session that lives is not in the list"
t recover
expect 0 'recover'
says "^instance 'tracesh-$left-1' of a process that is gone is removed\$" 'removes the one'
says "^instance 'tracesh-$lives-1' seems to be left: no tracesh uses it, but there is a process $lives; tracesh recover --all removes it\$" \
	'names the other'
true_that 'and leaves it' test -d "$TRACING/instances/tracesh-$lives-1"
t recover "$session"
expect 1 'recover of the session that lives'
says "process $session has left nothing behind" 'finds nothing'
t recover --all "$lives"
expect 0 'recover --all of the process'
says "^instance 'tracesh-$lives-1' that no tracesh holds is removed\$" 'removes the other'
mkdir "$TRACING/instances/tracesh-$lives-1"
sleeper "$TRACING/instances/tracesh-$lives-1/trace_pipe"
t recover --all
says "^instance 'tracesh-$lives-1' is left: .*: sleep \($sleeper\) has a file of it open\$" 'one that cannot be removed is named'
unlike "$err" 'nothing was left' "$case_name: and not denied"
kill "$sleeper"
wait "$sleeper" 2>/dev/null
t recover --all
says "^instance 'tracesh-$lives-1' that no tracesh holds is removed\$" 'until it can'
if echo "p:tracesh_$left/x /bin/sh:0x1000" 2>/dev/null >>"$TRACING/uprobe_events"; then
	echo "p:tracesh_$lives/x /bin/sh:0x1000" >>"$TRACING/uprobe_events"
	left_row "probe 'tracesh_$left:x'" 'removes it' 'a probe of a process that is gone'
	left_row "probe 'tracesh_$lives:x'" 'removes it with --all' 'one that no tracesh holds'
	t recover "$left"
	expect 0 'recover of its process'
	says "^probe 'tracesh_$left:x' of a process that is gone is removed\$" 'removes the first'
	false_that 'and not the other' lacks "tracesh_$lives"
	t recover --all
	says "^probe 'tracesh_$lives:x' that no tracesh holds is removed\$" '--all does'
	true_that 'all are gone' lacks tracesh_
else
	skip "$case_name: probes" 'none can be made of a program here'
fi
true_that 'the session still has its instance' is_streaming "$session"
kill -INT "$session"
ended "$session"
t recover --list
same "$out" '' 'then nothing is listed'

begin 'what a journal knows of'
killed_session
t -c 'recover --list' -c 'recover --all'
same "$(printf '%s\n' "$out" | grep -c 'takes it back$')" 1 'is listed once'
unlike "$out" 'removes it' "$case_name: and no part of it apart"

# ---- the time ----

# parent: a shell that forks a child for each line it reads, which descriptor 7 writes
parent()
{
	rm -f "$TMP/orders"
	mkfifo "$TMP/orders"
	# shellcheck disable=SC2016 # its own
	sh -c 'while read -r file; do sleep 3000 & echo $! >"$file"; done' <"$TMP/orders" &
	parent=$!
	exec 7>"$TMP/orders"
	children="$children $parent"
}
has_child()
{
	[ -s "$TMP/child" ] && grep -qx "$(cat "$TMP/child")" "$D/set_event_pid"
}

if ! unshare -T -f --boottime 86400 true 2>/dev/null; then
	skip 'time namespaces' 'there are none'
else
	# as if it had been just now
	young=-$(($(cut -d . -f 1 /proc/uptime) - 1))
	for who in 'the session' recover; do
		begin "$who in another time namespace"
		fresh
		settings >"$TMP/was"
		parent
		rm -f "$TMP/child"
		there='' here=''
		if [ "$who" = recover ]; then here="unshare -T -f --boottime $young"; else there='unshare -T -f --boottime 86400'; fi
		# shellcheck disable=SC2086 # words
		start "$TMP/session" $there "$TRACESH" -i "$I" -c "pid $parent" -c 'option markers off' -c 'wait 600s'
		await grep -qx 0 "$D/options/markers" || fail "$case_name: the session has begun"
		session=$(pgrep -x tracesh -P "$child" || echo "$child")
		# shellcheck disable=SC2086 # words
		run $here "$TRACESH" recover
		expect 0 'while it lives'
		says 'nothing was left behind' 'nothing is left behind'
		unlike "$err" 'waiting for it' "$case_name: nor is anybody taken for one who takes back"
		echo "$TMP/child" >&7
		await has_child || fail "$case_name: a child is listed"
		children="$children $(cat "$TMP/child")"
		await guard_of "$session"
		kill -KILL "$(guard_of "$session")" "$session"
		ended "$child"
		await let_go
		# shellcheck disable=SC2086 # words
		run $here "$TRACESH" recover
		expect 0 'when it is gone'
		true_that 'the child goes, too' as_before
		same "$(cat "$D/set_event_pid")" '' 'nobody stays listed'
		exec 7>&-
	done
fi

finish
