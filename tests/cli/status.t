#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Exit statuses, options, and outputs that cannot be written.
# shellcheck disable=SC2016 # sh behind a pipe has variables of its own
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

tree=$SRC/examples/recorded
cd "$TMP" || exit 1
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs "$tree" "$@"
}

# ends STATUS NAME ARGUMENT..: without a tree of ours
ends()
{
	want=$1
	name=$2
	shift 2
	run timeout -k 5 60 "$TRACESH" "$@"
	is "$status" "$want" "status $want: $name"
}

# A recording of more triggers than anybody has.
cp -R "$tree" many
chmod -R u+w many
awk 'BEGIN { for (i = 0; i < 6000; i++) print "traceon" }' >list
for event in many/events/*/*/; do
	ln -f list "$event/trigger"
done
run timeout 60 "$TRACESH" --tracefs many status
is "$(grep -c ' traceon$' "$TMP/out")" 10000 'of triggers 10,000 are told'
like "$out" 'and more, which are not looked at' 'and that there are more'

# 0, 1, 2, 3

t systems
is "$status" 0 'status 0: done'
t info nosuch
is "$status" 1 'status 1: a command failed'
t info
is "$status" 2 'status 2: an argument is missing'
t bogus
is "$status" 2 'status 2: an unknown command'
t enable sched_switch
is "$status" 3 'status 3: a recorded tree cannot be changed'
t -c 'info nosuch' -c 'enable sched_switch'
is "$status" 1 'the first failure counts'
t --keep-going -c 'info nosuch' -c 'enable sched_switch' -c 'systems -o kept'
is "$status" 1 'with --keep-going too'
ok 'and that goes on' test -s kept

t -c 'quit 7' -c 'systems'
is "status $status, $out" 'status 7, ' 'quit 7'
t quit 7
is "$status" 7 'quit 7 as operands'
t -c 'exit 3; systems'
is "status $status, $out" 'status 3, ' 'exit is quit'
printf 'source inner.tsh\nsystems\n' >outer.tsh
printf 'quit 9\nsystems\n' >inner.tsh
t outer.tsh
is "status $status, $out" 'status 9, ' 'quit in a sourced file'
t -c quit
is "$status" 0 'quit'
t -c 'systems | exit 5'
is "$status" 0 "a pipe's status is not ours"
t -c 'set pipefail on' -c 'systems | exit 5'
is "$status" 1 'but a failure under pipefail'

if [ "$(id -u)" -eq 0 ] && [ -e /sys/kernel/tracing/instances ]; then
	ends 7 "a program's own" --restore run sched:sched_process_exec -- sh -c 'exit 7'
	ends 143 "a program's signal" --restore run sched:sched_process_exec -- sh -c 'kill -TERM $$'
else
	skip "run: a program's own status" 'needs root and tracefs; tests/live has it'
fi

# Options

ends 2 'an unknown option' --bogus
is "$(sed 1q err)" "tracesh: error: unknown option '--bogus'" 'it is named'
like "$err" "^Try 'tracesh --help'\\.\$" 'with the way to the others'
is "$out" '' 'and nothing on stdout'
ends 2 'an unknown letter' --yes -Zq
is "$(sed 1q err)" "tracesh: error: unknown option '-Z'" 'it is named'
ends 2 'an option without its value' -c
is "$(sed 1q err)" "tracesh: error: option '-c' needs a value" 'it is named'
ends 2 'a long option without its value' --yes --format
is "$(sed 1q err)" "tracesh: error: option '--format' needs a value" 'it is named'
ends 2 'a command in place of the file' -o status </dev/null
is "$err" "tracesh: error: 'status' is the file of -o, and no command follows
hint: tracesh -o FILE status; a file of that name is ./status" 'it is named'
ok 'and no file of that name is made' test ! -e status
ends 0 'a file of that name' --tracefs "$tree" -o ./status </dev/null
ends 0 'or before a command' --tracefs "$tree" -o status status
ok 'which it takes' test -s status
rm status
ends 2 'a value for an option that has none' --check=yes
is "$(sed 1q err)" "tracesh: error: option '--check' takes no value" 'it is named'
ends 2 'the beginning of several options' --help-
is "$err" "tracesh: error: unknown option '--help-'
hint: which of these: '--help-man', '--help-examples'
Try 'tracesh --help'." 'they are named'
ends 2 'an option that is nearly one' --formt=json
like "$err" "^hint: did you mean '--format'\?$" 'that one is named'
ends 2 'an option with a control sequence' "$(printf -- '--x\033]0;title\007')"
is "$(sed 1q err)" "tracesh: error: unknown option '--x\x1b]0;title\x07'" 'nothing of it reaches the terminal'
ends 2 'a letter that is one' "$(printf -- '-\033[2J')"
is "$(sed 1q err)" "tracesh: error: unknown option '-\x1b'" 'nothing of it reaches the terminal'
ends 2 'a format that is none' --format xml
like "$err" '^hint: one of: text, json, csv, kernel$' 'with those that are'
ends 2 'a time style that is none' --time soon
ends 2 'a precision that is none' --precision ms
ends 2 'a colour that is none' --color maybe
ends 2 'a file that is missing' ./gone.tsh
is "$err" "tracesh: error: cannot open './gone.tsh': No such file or directory
hint: to see what is there: ls ." 'it is named'
ends 2 'a file of -f that is missing' -f gone
ends 2 'a directory for a file' "$TMP/"
printf 'systems\n\0' >binary.tsh
ends 2 'a file with zero bytes' ./binary.tsh
like "$err" 'is not a batch file: it has a zero byte' 'it is no batch file'
: >secret.tsh && chmod 0 secret.tsh
if [ -r secret.tsh ]; then
	skip 'status 2: a file that may not be read' 'root may'
else
	ends 2 'a file that may not be read' ./secret.tsh
fi

ends 0 '--version' --version
like "$out" '^tracesh [0-9]+\.[0-9.]+ \(.*\)$' 'it says which'
is "$(printf '%s\n' "$out" | wc -l)" 1 'in one line'
version=$out
ends 0 '-V' -V
is "$out" "$version" 'the same'
ends 0 '--help' --help
ok 'in at most 30 lines' test "$(printf '%s\n' "$out" | wc -l)" -le 30
is "$(printf '%s\n' "$out" | awk 'length($0) > 80')" '' 'none of them over 80 columns'
is "$err" '' 'and nothing on stderr'
help=$out
ends 0 '-h' -h
is "$out" "$help" 'the same'
# Each option that it names is one.
for option in $(printf '%s\n' "$help" | grep -o -e '--[a-z-]*' | sort -u); do
	run timeout -k 5 10 "$TRACESH" "$option=x" --version
	unlike "$err" 'unrecognized|ambiguous' "--help names $option"
done
for option in check keep-going restore read-only yes tracefs format json time precision columns show-error tz color; do
	like "$help" "(-n|--)[, a-z-]*$option" "$option stands in --help"
done

t --no-such 2>/dev/null
is "$status" 2 'status 2: an unknown option behind a good one'
t -q -c 'try info nosuch'
is "status $status, $err" 'status 0, ' '-q: no notes'
t -q -c 'info nosuch'
like "$err" 'unknown event' '-q: errors all the same'

# Where tracefs is, and is not

ends 3 'a directory that does not exist' --tracefs /nonexistent systems
is "$err" "<arguments>:1:1: error: cannot open '/nonexistent': No such file or directory
  systems
  ^~~~~~~
hint: to see what is there: ls /" 'it is named, and what there is'
cp -R "$tree" wide
chmod -R u+w wide
for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do : >wide/number$number; done
run timeout -k 5 60 "$TRACESH" --tracefs wide cat zzz
like "$err" '^hint: to see what is there: ls .*wide/$' 'a file that is not there: and what there is'
t option nosuchoption
like "$err" '^hint: option lists them$' 'an option that is not there: what lists them'
t -i nosuch systems
like "$err" '^hint: instance lists them, instance create nosuch makes it, as tracesh -I nosuch does$' 'an instance: what makes it'
t alias nosuch
like "$err" '^hint: alias NAME = WORD\.\. makes one$' 'an alias: what makes one'
mkdir nothing
ends 3 'a directory that is no tracefs' --tracefs nothing systems
like "$err" "error: 'nothing' is neither tracefs nor a recorded tree$" 'it says so'
ends 3 'a file for a directory' --tracefs kept systems
ends 3 'also of --check' --tracefs nothing -n -c 'enable x'
ends 0 'help needs no tracefs' --tracefs nothing help
ends 0 'set and let neither' --tracefs nothing -c 'let x = 1; set time short; set'
ends 3 'an instance does' --tracefs nothing -i x -c systems

# A recorded tree is not written to, whatever is asked. (cp: so that a write would succeed.)
cp -r "$tree" writable && chmod -R u+w writable
find writable -type f -exec cksum {} + | sort >sums
for command in 'on' 'off' 'clear' 'enable sched_switch' 'disable sched' 'filter sched_switch prev_pid == 1' \
	'clock local' 'write trace_clock local' 'append set_event sched:sched_switch' 'pid 1' 'marker x' 'buffer 1M' \
	'cpus 0' 'instance create x' 'functions clear' 'stream sched_switch' 'run -- true' 'doctor'; do
	ends 3 "a recorded tree: $command" --tracefs writable -c "$command"
	like "$err" "recorded tree" "and why: $command"
done
ends 3 'a recorded tree: -I' --tracefs writable -I x -c systems
ends 0 'a recorded tree: undo has nothing to do' --tracefs writable -c 'undo; restore; keep'
ends 0 'a recorded tree: draining takes nothing out of it' --tracefs writable -c 'drain -n 5' -c 'drain'
find writable -type f -exec cksum {} + | sort >sums.now
is "$(cat sums.now)" "$(cat sums)" 'nothing in the tree has changed'

# Signals

# signalled SIGNAL STATUS
signalled()
{
	env --default-signal=INT,QUIT,HUP,TERM "$TRACESH" --tracefs "$tree" -c 'systems; wait 60s' >signalled 2>&1 &
	child=$!
	tries=0
	# asleep behind its first output: it waits
	until { [ -s signalled ] && grep -q '^State:[[:space:]]*S' "/proc/$child/status"; } || [ $tries -gt 2000 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	kill -s "$1" $child
	status=0
	wait $child || status=$?
	is "$status" "$2" "SIG$1 during wait: status $2"
}
signalled TERM 143
signalled HUP 129
signalled INT 0

status=0
{ "$TRACESH" --tracefs "$tree" -c 'systems | kill -TERM $PPID; sleep 0.3' -c 'systems -o after' >/dev/null 2>&1; } || status=$?
is "$status" 143 'SIGTERM while a pipe runs: status 143'
ok 'and nothing after it' test ! -e after

# A reader that goes away is no error

run sh -c "'$TRACESH' --tracefs '$tree' drain 2>err; echo \$? >status"
is "$(cat status)" 0 'drain, all of it'
for command in 'show' 'drain' 'events' 'help' 'cat trace' '--json drain' '--format csv show'; do
	# shellcheck disable=SC2086 # an option and a command
	{ timeout -k 5 60 "$TRACESH" --tracefs "$tree" -q $command 2>err || echo "status $?" >>err; } | head -n 1 >first
	is "$(cat err), $(wc -l <first)" ', 1' "$command | head -n 1 is quiet"
	# Nobody at all, and nobody who ignores SIGPIPE.
	# shellcheck disable=SC2086
	{ sleep 0.2; timeout -k 5 60 "$TRACESH" --tracefs "$tree" -q $command 2>err || echo "status $?" >>err; } | :
	is "$(cat err)" '' "$command | : is quiet"
done
t -c 'show | head -n 1 >first'
is "status $status, $err" 'status 0, ' 'show | head -n 1 inside tracesh'
t -c 'show | exec <&-; exit 0' -c 'systems'
is "status $status, $err" 'status 0, ' 'a program that does not read'
for option in --help --help-man --help-examples; do
	{ sleep 0.1; timeout -k 5 60 "$TRACESH" $option 2>err; } | :
	is "$(cat err)" '' "$option | : is quiet"
done

# A full disk, and no stdout at all

if [ -c /dev/full ]; then
	full='No space left on device'
	t -c 'systems -o /dev/full' -c 'systems -o next'
	is "status $status, $err" "status 1, <-c 1>: error: cannot write '/dev/full': $full
hint: to see how full it is: df /dev/full" 'a full disk: -o of a command'
	ok 'ends the batch' test ! -e next
	for command in drain show 'events' '--json drain' '--format csv drain' '--format kernel show'; do
		# shellcheck disable=SC2086
		t -o /dev/full $command
		is "status $status, $(printf '%s\n' "$err" | grep -c "cannot write '/dev/full': $full")" 'status 1, 1' \
			"a full disk: -o /dev/full $command"
	done
	status=0
	timeout -k 5 60 "$TRACESH" --tracefs "$tree" drain >/dev/full 2>err || status=$?
	is "status $status, $(grep -c "cannot write to standard output: $full" err)" 'status 1, 1' 'a full disk: stdout'
	for option in --help --version --help-man; do
		status=0
		timeout -k 5 60 "$TRACESH" $option >/dev/full 2>err || status=$?
		is "$status" 1 "a full disk: $option"
	done
else
	skip 'a full disk' 'no /dev/full'
fi

t -o missing/out systems
is "status $status, $err" "status 1, tracesh: error: cannot open 'missing/out': No such file or directory
hint: to see what is there: ls ." \
	'-o in a directory that is not there'
t -c 'systems -o missing/out'
is "status $status, $(printf '%s\n' "$err" | head -n 1)" \
	"status 1, <-c 1>:1:12: error: cannot open 'missing/out': No such file or directory" 'and of a command'
ln -s kept link
t -c 'systems -o link'
is "status $status, $(printf '%s\n' "$err" | head -n 1)" \
	"status 1, <-c 1>:1:12: error: 'link' is a symbolic link" '-o does not follow a link'

if [ -n "${TRACESH_UNDER-}" ]; then
	skip 'stdout is closed' "$TRACESH_UNDER opens a file of its own there"
else
	status=0
	timeout -k 5 60 "$TRACESH" --tracefs "$tree" systems >&- 2>err || status=$?
	is "status $status, $(cat err)" \
		'status 1, <arguments>: error: cannot write to standard output: Bad file descriptor' 'stdout is closed'
fi
status=0
timeout -k 5 60 "$TRACESH" --tracefs "$tree" -c 'systems -o all.txt' <&- >&- 2>&- || status=$?
is "$status, $(wc -l <all.txt)" '0, 4' 'stdin, stdout and stderr are closed, and not needed'
status=0
timeout -k 5 60 "$TRACESH" --tracefs "$tree" -c 'systems | cat >piped.txt' <&- >&- 2>&- || status=$?
is "$status, $(wc -l <piped.txt)" '0, 4' 'nor by a pipe'
status=0
timeout -k 5 60 "$TRACESH" --tracefs "$tree" >out 2>err <&- || status=$?
is "status $status, $(cat out err)" 'status 0, ' 'a closed stdin is an empty one'

# A recording: sizes, the last event

recorded()
{
	run "$TRACESH" --tracefs "$SRC/tests/unit/trees/armhf-6.1" "$@"
}
recorded buffer
like "$out" '^instance: +board$' 'buffer of a recording: whose it was'
like "$out" '^per_cpu: +1M$' 'buffer of a recording: its size'
like "$out" '^total_bytes: +2097152$' 'buffer of a recording: of all CPUs'
recorded --json stats
like "$out" '"cpu":0,.*"newest":"2026-11-21T21:15:01.936896791' 'stats of a recording: the last event of a CPU'
recorded trigger
is "$err" "there is no trigger in 'board'" 'trigger: names what was recorded'
run "$TRACESH" --json --tracefs "$SRC/examples/recorded" buffer
like "$out" '"per_cpu":null' 'buffer of one that does not tell the size'

done_testing
