#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 1500
# Each option and clause of each command that analyses events: it does what it says, of a load that is known, or it is
# refused with a hint. An option that the table below does not have makes this fail.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

commands='stream run drain show record hist count latency stacks sql synth profile graph'
# +: tried below; -: refused; else the test of live/ that tries it. A column for each of $commands.
cat >"$TMP/table" <<'END'
--after       where      -        - - -      -           -          -              -          -        -     -       -
--all         -          faults   - - +      -           -          -              -          -        -     -       -
--as          -          -        - - -      -           -          -              -          sql-here -     -       -
--before      where      -        - - -      -           -          -              -          -        -     -       -
--buffer      +          +        - - -      +           +          +              +          -        -     +       +
--cpu         +          -        + - -      +           +          traced         +          -        -     -       -
--depth       -          -        - - -      -           -          -              -          -        -     -       calls
--detach      -          -        - - record -           -          -              -          -        -     -       -
--drain       -          -        - - -      +           +          +              -          -        -     -       -
--every       -          -        - - -      +           +          +              -          +        -     +       -
--expect      stream     -        - - -      -           -          -              -          -        -     -       -
--folded      -          -        - - -      -           -          -              stacks     -        -     -       -
--for         +          -        - - +      +           +          +              +          +        -     profile calls
--format      -          -        - - -      -           -          -              stacks     -        -     -       -
--from-entry  -          -        - - -      -           -          -              stacks     -        -     -       -
--heat        -          -        - - -      hist        -          +              -          -        -     -       -
--here        +          +        - - -      +           +          +              -          -        -     -       -
--in-kernel   -          -        - - -      hist-kernel probe-many latency-kernel -          sql-here -     -       -
--lag         lag        -        - - -      -           -          -              -          -        -     -       -
--limit-rate  +          +        + - -      -           -          -              -          -        -     -       -
--max         -          -        - - record -           -          -              -          -        -     -       -
--no-kernel   -          -        - - -      -           -          -              -          sql-here -     -       -
--no-pushdown +          +        - - -      +           +          -              +          -        -     -       -
--pid         +          -        - - -      +           +          +              +          -        -     calls   calls
--probe       probe-call kill     - - -      probe-call  probe-call probe-call     probe-call -        -     -       -
--raw         where      +        + - -      -           -          -              -          -        -     -       -
--since       +          -        + + -      -           -          -              -          -        -     -       -
--size        -          -        - - -      +           +          +              -          -        -     +       -
--slower      -          -        - - -      -           -          latency-kernel -          -        -     -       calls
--sqlhist     -          -        - - -      -           -          -              -          sqlhist  -     -       -
--stop-at     -          -        - - -      -           -          latency-kernel -          -        -     -       -
--stop-when   stream     -        - - -      -           -          -              -          -        -     -       -
--top         -          -        - - -      +           +          +              +          -        -     profile -
--until       -          -        + + -      -           -          -              -          -        -     -       -
--user        -          run-user - - +      -           -          -              stacks     -        -     -       -
--worst       -          -        - - -      -           -          latency        -          -        -     -       -
-n            +          -        + + -      -           -          -              -          +        -     -       calls
avg           -          -        - - -      +           -          -              -          -        -     -       -
by            -          -        - - -      +           +          +              -          -        -     -       -
fields        +          +        + - -      -           -          -              -          -        -     -       -
if            +          +        - - +      +           +          +              +          -        synth -       -
max           -          -        - - -      +           -          -              -          -        -     -       -
min           -          -        - - -      +           -          -              -          -        -     -       -
on            -          -        - - -      -           -          latency-kernel -          -        synth -       -
sum           -          -        - - -      +           -          -              -          -        -     -       -
where         +          +        + - -      +           +          -              +          -        -     +       -
with          -          -        - - -      -           -          -              -          -        synth -       -
END

# cells MARK: "COMMAND OPTION" of each cell with that mark
cells()
{
	awk -v commands="$commands" -v mark="$1" '{ n = split(commands, of, " ")
		for (i = 1; i <= n; i++) if ($(i + 1) == mark) print of[i], $1 }' "$TMP/table"
}

# usage COMMAND: the options and clauses that it has, one a line
usage()
{
	"$TRACESH" --json -c "help $1" | sed 's/.*"usage":"\([^"]*\)".*/\1/' | tr '[' '\n' |
		sed -n 's/^\(-[-a-z]*[a-z]\|if\|where\|fields\|by\|on\|with\|sum\|avg\|min\|max\)\([] ].*\)\{0,1\}$/\1/p'
}

begin 'the table has each option, and no other'
for command in $commands; do
	usage "$command" | sed "s/^/$command /"
done | sort -u >"$TMP/taken"
awk -v commands="$commands" '{ n = split(commands, of, " ")
	if (NF != n + 1) print "columns:", $0
	for (i = 1; i <= n; i++) if ($(i + 1) != "-") print of[i], $1 }' "$TMP/table" | sort -u >"$TMP/known"
same "$(diff "$TMP/known" "$TMP/taken")" '' 'as help has them'

begin 'what is tried elsewhere'
awk -v commands="$commands" '{ n = split(commands, of, " ")
	for (i = 1; i <= n; i++) if ($(i + 1) !~ /^[-+]$/) print of[i], $1, $(i + 1) }' "$TMP/table" >"$TMP/elsewhere"
while read -r command option file; do
	grep -qE -- "(^|[^a-z-])$command .*$option([^a-z-]|\$)" "$SRC/tests/live/$file.t" || echo "$command $option: $file.t"
done <"$TMP/elsewhere" >"$TMP/missing"
same "$(cat "$TMP/missing")" '' 'the test names it'

# value OPTION: with a value, as it is typed
value()
{
	case $1 in
	--for | --every | --before | --after | --lag | --slower | --stop-at) echo "$1 1s" ;;
	--since | --until) echo "$1 -1s" ;;
	--cpu) echo '--cpu 0' ;;
	--pid) echo "--pid $$" ;;
	--buffer | --max) echo "$1 1M" ;;
	--probe) echo '--probe vfs_open' ;;
	--stop-when) echo "--stop-when 'cpu == 0'" ;;
	--user) echo '--user nobody' ;;
	--format) echo '--format folded' ;;
	--as) echo '--as name' ;;
	--depth | --limit-rate | --size | --top | --worst | -n) echo "$1 5" ;;
	if | where) echo "$1 cpu == 0" ;;
	fields) echo 'fields cpu' ;;
	by | sum | avg | min | max | on | with) echo "$1 cpu" ;;
	*) echo "$1" ;;
	esac
}

# line COMMAND OPTIONS CLAUSES
line()
{
	case $1 in
	run) echo "run $2 sched:sched_switch $3 -- true" ;;
	drain | show) echo "$1 $2 $3" ;;
	record) echo "record $2 $TMP/nowhere sched:sched_switch $3" ;;
	latency) echo "latency $2 wakeup $3" ;;
	sql) echo "sql $2 'SELECT next_pid, COUNT(*) FROM sched_switch' $3" ;;
	synth) echo "synth $2 name wakeup $3" ;;
	profile | graph) echo "$1 $2 vfs_read $3" ;;
	*) echo "$1 $2 sched:sched_switch $3" ;;
	esac
}

begin 'what is refused'
cells - >"$TMP/refused"
while read -r command option; do
	case $option in
	-*) run_line=$(line "$command" "$(value "$option")" '') ;;
	*) run_line=$(line "$command" '' "$(value "$option")") ;;
	esac
	# to profile and graph, which take functions, these are some
	case "$command $option" in 'profile '[a-z]* | 'graph '[a-z]*) continue ;; esac
	t -n -c "$run_line"
	if [ "$status" != 2 ] && [ "$status" != 1 ] || ! printf '%s\n' "$err" | grep -q '^hint: '; then
		echo "$status: $run_line: $err"
	fi
done <"$TMP/refused" >"$TMP/wrong"
same "$(cat "$TMP/wrong")" '' 'each with a hint'

# ---- a load that is known: 30 calls of kill(2) on CPU 0 by one task, 20 with another signal on CPU 1 by another one ----

event=syscalls:sys_enter_kill
[ -d "$TRACING/events/syscalls/sys_enter_kill" ] || {
	skip 'a load that is known' 'the kernel has no events of system calls'
	finish
	exit
}
cat >"$TMP/calls" <<'END'
calls() { i=0; while [ $i -lt "$1" ]; do kill -s "$2" $$; i=$((i + 1)); done; }
END
cat >"$TMP/task" <<'END'
. "$1/calls"
while read -r line; do
	calls "$2" "$3"
	echo "$line" >>"$1/done-$3"
done
END
cat >"$TMP/program" <<'END'
. "${0%/*}/calls"
calls 30 WINCH
calls 20 URG
END
last=$(($(getconf _NPROCESSORS_ONLN) - 1))
[ $last -lt 1 ] || last=1
mkfifo "$TMP/a" "$TMP/b"
taskset -c 0 sh "$TMP/task" "$TMP" 30 WINCH <"$TMP/a" &
task=$!
taskset -c $last sh "$TMP/task" "$TMP" 20 URG <"$TMP/b" &
at_exit "kill -KILL $task $!"
exec 7>"$TMP/a" 8>"$TMP/b"
loads=0

# load: once
load()
{
	loads=$((loads + 1))
	echo "load $loads" >&7
	echo "load $loads" >&8
	await grep -qsx "load $loads" "$TMP/done-WINCH"
	await grep -qsx "load $loads" "$TMP/done-URG"
}

# is_recording INSTANCE: the event is enabled in it, and it is on (again)
is_recording()
{
	cat "$TRACING/instances/$1"*/events/syscalls/sys_enter_kill/enable 2>/dev/null | grep -q 1 &&
		cat "$TRACING/instances/$1"*/tracing_on 2>/dev/null | grep -q 1
}

# rows: of what was printed, the numbers of both kinds of calls
rows()
{
	printf '%s\n' "$out" | awk '
		/"type":"event"/ && sub(/sig: (0x)?1c/, "\"sig\":28,") + sub(/sig: (0x)?17/, "\"sig\":23,") { }
		/"sig":(28|23)[,}]/ {
			n = match($0, /"count":[0-9]+/) ? substr($0, RSTART + 8, RLENGTH - 8) : 1
			if ($0 ~ /"sig":28[,}]/) a += n; else b += n
		}
		END { print a + 0, b + 0 }'
}

# words COMMAND OPTIONS CLAUSES: its line, in JSON
words()
{
	case $1 in
	run) echo "run $2 $event $3 -- sh $TMP/program" ;;
	drain | show) echo "$1 $2 $3" ;;
	record) echo "record $2 $TMP/tree $event $3" ;;
	latency) echo "latency $2 syscall kill by sig $3" ;;
	hist | count) case " $3" in *' by '*) echo "$1 $2 $event $3" ;; *) echo "$1 $2 $event by sig $3" ;; esac ;;
	sql) echo "sql $2 'SELECT sig, COUNT(*) FROM sys_enter_kill'" ;;
	*) echo "$1 $2 $event $3" ;;
	esac
}

# try COMMAND OPTIONS CLAUSES: with the load; what it prints into out and err. $during is run while it records.
try()
{
	cell="$1 $2$3"
	fresh
	rm -rf "$TMP/tree"
	case $1 in
	run)
		t -i "$I" --json -c "$(words "$@")"
		;;
	drain | show)
		# somebody else's kill(2) is none of these
		echo 'sig == 28 || sig == 23' >"$D/events/syscalls/sys_enter_kill/filter"
		echo 1 >"$D/events/syscalls/sys_enter_kill/enable"
		load
		${between:-:}
		load
		echo 0 >"$D/tracing_on"
		t -i "$I" --json -c "$(words "$@" | sed "s/BETWEEN/${moment-}/")"
		;;
	*)
		start "$TMP/measured" "$TRACESH" -i "$I" --json -c "$(words "$@")"
		measuring=$child
		case $2 in *--here*) instance=$I ;; *) instance=tracesh-$measuring- ;; esac
		await is_recording "$instance"
		${during:-:}
		load
		case "$1 $2" in *--for* | 'stream -n '*) ;; *) kill -INT "$measuring" ;; esac
		ended "$measuring"
		out=$(cat "$TMP/measured") err=$(cat "$TMP/measured.err")
		[ "$1" != record ] || out=$("$TRACESH" --tracefs "$TMP/tree" --json drain 2>/dev/null)
		;;
	esac
	[ "$status" = 0 ] || fail "$cell: status $status: $err"
}

# gives WANTED COMMAND OPTIONS CLAUSES: so many of the one and of the other
gives()
{
	wanted=$1
	shift
	try "$@"
	case $1 in
	stacks)
		same "$(printf '%s\n' "$err" | sed -n 's/^[0-9]* stacks* of \([0-9]*\) events*, .*/\1/p')" \
			"$((${wanted% *} + ${wanted#* }))" "$cell"
		;;
	*) same "$(rows)" "$wanted" "$cell" ;;
	esac
}

# tried OPTION COMMAND..: notes which cells were
tried()
{
	tried_option=$1
	shift
	for tried_command; do
		echo "$tried_command $tried_option" >>"$TMP/tried"
	done
}

wait_round() { await grep -q '"type":"round"' "$TMP/measured"; }
# last_table: each is of all until then
last_table()
{
	out=$(printf '%s\n' "$out" |
		awk '/"type":"round"/ { last = ""; next } { last = last $0 "\n" } END { printf "%s", last }')
}

only='if sig == 28 || sig == 23'

begin '--pid'
for command in stream hist count latency stacks; do
	gives '30 0' "$command" "--pid $task" ''
	tried --pid "$command"
done

begin '--cpu'
for command in stream drain hist count stacks; do
	case $command in drain) clause= n='60 0' ;; *) clause=$only n='30 0' ;; esac
	[ $last = 0 ] || gives "$n" "$command" '--cpu 0' "$clause"
	tried --cpu "$command"
done

begin 'if'
for command in stream run record hist count latency stacks; do
	gives '30 0' "$command" '' 'if sig == 28'
	tried if "$command"
done

begin 'where, --no-pushdown'
for command in stream run drain hist count stacks; do
	case $command in drain) n='60 0' ;; *) n='30 0' ;; esac
	gives "$n" "$command" '' 'where sig == 20+8'
	tried where "$command"
	[ "$command" != drain ] || continue
	gives '30 0' "$command" --no-pushdown 'where sig == 28'
	tried --no-pushdown "$command"
done

begin 'fields, --raw'
for command in stream run drain; do
	case $command in drain) n='60 0' ;; *) n='30 0' ;; esac
	gives "$n" "$command" '' 'where sig == 28 fields sig twice=sig*2'
	prints '"sig":28,"twice":56' 'the columns'
	tried fields "$command"
	[ "$command" != stream ] || continue
	gives "$n" "$command" --raw 'where sig == 28 fields sig'
	tried --raw "$command"
done

begin '--for'
for command in stream record hist count latency stacks sql; do
	# it ends by itself
	gives '30 20' "$command" '--for 2s' "$([ "$command" = sql ] || echo "$only")"
	tried --for "$command"
done

begin '-n'
for command in stream drain show; do
	try "$command" '-n 7' "$([ "$command" != stream ] || echo "$only")"
	same "$(rows | awk '{ print $1 + $2 }')" 7 "$cell"
	tried -n "$command"
done
try sql '-n 1' ''
same "$(printf '%s\n' "$out" | grep -c '"sig":')" 1 "$cell"
tried -n sql

begin '--here'
for command in stream run hist count latency; do
	case $command in hist | count | latency) during=wait_round every=' --every 100ms' ;; *) every= ;; esac
	try "$command" "--here$every" ''
	during=
	[ -z "$every" ] || last_table
	same "$(rows)" '30 20' "$cell"
	file_is events/syscalls/sys_enter_kill/enable 0 'off again'
	tried --here "$command"
done

begin '--drain'
for command in hist count latency; do
	fresh
	for each in enter exit; do
		echo 1 >"$D/events/syscalls/sys_${each}_kill/enable"
	done
	load
	echo 0 >"$D/tracing_on"
	case $command in latency) words='latency --drain syscall kill by sig' ;; *) words="$command --drain by sig" ;; esac
	t -i "$I" --json -c "$words"
	same "$(rows)" '30 20' "$words"
	tried --drain "$command"
done

begin '--since, --until'
now() { sleep 0.01; moment=$(date +%Y-%m-%dT%H:%M:%S.%N); sleep 0.01; }
for command in drain show; do
	for option in --since --until; do
		between=now
		gives '30 20' "$command" "$option BETWEEN" ''
		between=
		tried "$option" "$command"
	done
done
fresh
echo 1 >"$D/events/syscalls/sys_enter_kill/enable"
load
now
load
t -i "$I" --json -c "stream --for 10ms --since $moment"
same "$(rows)" '30 20' 'stream --since'
tried --since stream

begin '--buffer'
has_size() { await grep -qx "$1" "$TRACING/instances/$instance"*/buffer_size_kb || fail "$cell: it has another size"; }
# what the kernel rounds up, by its own
fresh
echo 512 >"$D/buffer_size_kb"
read -r size _ <"$D/buffer_size_kb"
for command in stream hist count latency stacks; do
	during="has_size $size"
	gives '30 20' "$command" '--buffer 512K' "$only"
	during=
	tried --buffer "$command"
done
gives '30 20' run '--buffer 512K' ''
tried --buffer run

begin '--top'
for command in hist count latency stacks; do
	try "$command" '--top 1' "$only"
	same "$(printf '%s\n' "$out" | grep -cE '"type":"(hist|count|latency|stack|stacks)"')" 1 "$cell"
	tried --top "$command"
done

begin '--every'
for command in hist count latency sql; do
	during=wait_round
	try "$command" '--every 100ms' "$([ "$command" = sql ] || echo "$only")"
	during=
	last_table
	same "$(rows)" '30 20' "$cell"
	tried --every "$command"
done

begin '--limit-rate'
for command in stream run drain; do
	try "$command" '--limit-rate 5' "$([ "$command" = drain ] || echo "$only")"
	over=$(printf '%s\n' "$out" | sed -n 's/.*"over_rate":\([0-9]*\).*/\1/p')
	shown=$(rows | awk '{ print $1 + $2 }')
	true_that "$cell: some are left out" [ "${over:-0}" -gt 0 ]
	case $command in drain) all=100 ;; *) all=50 ;; esac
	same "$((shown + ${over:-0}))" $all "$cell: those and what is printed are all"
	tried --limit-rate "$command"
done

begin '--size'
for command in hist count latency; do
	try "$command" '--size 1' "$only"
	prints '"key":(null|\{"sig":null\})' "$cell: what there is no room for is one row"
	tried --size "$command"
done

begin '--heat'
start "$TMP/measured" "$TRACESH" latency --heat --every 100ms syscall kill if sig == 28
measuring=$child
await is_recording "tracesh-$measuring-"
load
kill -INT "$measuring"
ended "$measuring"
true_that 'latency draws lines, and counts its pairs' grep -q '^30 pairs' "$TMP/measured" "$TMP/measured.err"
tried --heat latency

begin '--all, --user'
fresh
rm -rf "$TMP/tree"
cat >"$TMP/waits" <<'END'
echo ready >"$1/ready"; while [ ! -e "$1/go" ]; do sleep 0.02; done
END
rm -f "$TMP/ready" "$TMP/go"
start "$TMP/measured" "$TRACESH" record --all "$TMP/tree" "$event" if sig == 28 -- sh "$TMP/waits" "$TMP"
await test -e "$TMP/ready"
load
: >"$TMP/go"
ended "$child"
out=$("$TRACESH" --tracefs "$TMP/tree" --json drain 2>/dev/null)
same "$(rows)" '30 0' 'record --all has those of others'
tried --all record
rm -rf "$TMP/tree"
run "$TRACESH" record --user nobody "$TMP/tree" sched:sched_process_exec -- id -un
like "$out" '^nobody$' "$case_name: record --user runs it as that user"
tried --user record

begin 'by, sum, avg, min, max'
for command in hist count latency; do
	gives '30 20' "$command" '' "$only"
	tried by "$command"
done
for name in sum avg min max; do
	case $name in sum) wanted='460 840' ;; *) wanted='28 23' ;; esac
	try hist '' "by comm,sig $name sig $only"
	same "$(printf '%s\n' "$out" | sed -n "s/.*\"sig\":[0-9]*}.*\"$name\":\([0-9]*\).*/\1/p" | tr '\n' ' ')" \
		"$(echo "$wanted" | tr ' ' '\n' | sort -rn | tr '\n' ' ')" "hist .. $name sig"
	tried "$name" hist
done

# is_measuring: its instance is there, and records
is_measuring()
{
	grep -q function_graph "$TRACING/instances/tracesh-$measuring-"*/current_tracer 2>/dev/null &&
		grep -q 1 "$TRACING/instances/tracesh-$measuring-"*/tracing_on
}

begin 'profile and graph'
# needs function_graph
fresh
# older kernels have it in the top instance alone, which has no buffer of the command's own
if ! grep -qsw function_graph "$D/available_tracers"; then
	skip "$case_name" 'no function_graph in an instance'
	profiles=
else
	profiles='--buffer --every --size where graph'
fi
for option in $profiles; do
	case $option in
	--buffer) command='profile --buffer 512K' ;;
	--every) command='profile --every 100ms' ;;
	--size) command='profile --size 1000' ;;
	graph) command='graph --buffer 512K' ;;
	*) command='profile where rettime-calltime > 0' ;;
	esac
	case $command in *where*) words="profile vfs_fsync_range ${command#profile }" ;; *) words="$command vfs_fsync_range" ;; esac
	# shellcheck disable=SC2086 # words
	start "$TMP/measured" "$TRACESH" --json $words
	measuring=$child
	await is_measuring
	[ "${command%--buffer*}" = "$command" ] ||
		true_that "$words: it has" grep -q '^5[12][0-9]$' "$TRACING/instances/tracesh-$measuring-"*/buffer_size_kb
	case $command in *--every*) await grep -q '"type":"round"' "$TMP/measured" ;; esac
	for _ in 1 2 3 4 5; do dd if=/dev/zero of="$TMP/synced" bs=1 count=1 conv=fsync 2>/dev/null; done
	kill -INT "$measuring"
	ended "$measuring"
	true_that "$words: has the calls" grep -q vfs_fsync_range "$TMP/measured"
done

begin 'all cells are tried'
{
	tried --buffer profile graph
	tried --every profile
	tried --size profile
	tried where profile
}
cells + | sort -u >"$TMP/wanted"
sort -u "$TMP/tried" >"$TMP/were"
same "$(diff "$TMP/wanted" "$TMP/were")" '' 'those that say so, and no others'

begin '--json, --format csv, -o'
for command in stream run drain show hist count latency stacks sql; do
	rm -f "$TMP/file"
	clause=$only
	case $command in drain | show | sql) clause= ;; esac
	try "$command" '' "$clause"
	printf '%s\n' "$out" >"$TMP/rows"
	json "$command" "$TMP/rows" 'assert rows and rows[-1]["type"] == "end" or sys.argv'
	try "$command" "-o $TMP/file" "$clause"
	same "$out" '' "$cell: nothing goes to stdout"
	true_that "$cell: the file has it" grep -q '"type":' "$TMP/file"
done

finish
