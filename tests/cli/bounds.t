#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a recording with more text than any kernel has decides: neither memory nor time. No root, nothing is traced.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

# The program as it is used, where there is one beside the sanitized: of that no memory is limited, and it takes three times as long.
TRACESH=${TRACESH_VM_PROGRAM:-$TRACESH}

cd "$TMP" || exit 1

# t ARGUMENT..: on the tree at hand, in little memory and a moment
t()
{
	run limited 400000 timeout -k 5 100 "$TRACESH" --tracefs tree "$@"
}

# plant NAME COUNT: the file `text` as that file of so many events, under as many names of one file
plant()
{
	seq -f 'tree/events/many/e%03.0f' 1 "$2" | xargs mkdir -p
	for event in tree/events/many/*/; do
		ln -f text "$event/$1"
	done
	seq -f 'many:e%03.0f' 1 "$2" >tree/set_event
	cp tree/set_event tree/available_events
}

# fresh: a tree without more than a recording has
fresh()
{
	rm -rf tree
	cp -R "$SRC/examples/recorded" tree
	chmod -R u+w tree
}

# unread COUNT COMMAND: that it has not read so many files is its error
unread()
{
	like "$err" "error: $1 files of the recording \\([0-9.]+[KMG]\\) were not read: a command reads 128 MB of text" "$2: says so"
	like "$err" '^hint: name fewer events, or read one file: cat events/many/e[0-9]*/' "$2: and what to type"
}

# 150 files of 8 MB are 1.2 GB.
fresh
yes traceon | head -n 1000000 >text
plant trigger 150
set -- trigger status '--json status' '--json trigger' 'trigger many:'
[ -z "${TRACESH_SAMPLE-}" ] || set -- status 'trigger many:'
for command; do
	# shellcheck disable=SC2086 # words
	t $command
	is "$status" "$(case $command in status) echo 0 ;; *) echo 1 ;; esac)" "1.2 GB of triggers: $command: in little memory"
	[ "$command" = status ] || unread 14[0-9] "1.2 GB of triggers: $command"
done
is "$(wc -l <out | tr -d ' ')" 65536 '1.2 GB of triggers: as many as a save has are listed'
t save saved
is "$status" 1 '1.2 GB of triggers: save: fails'
unread 1[0-9]* '1.2 GB of triggers: save'
ok '1.2 GB of triggers: save: leaves no file that lacks some' test ! -e saved
t diff
is "$status" 2 '1.2 GB of triggers: diff: is in trouble'
# Each command has what it may read for itself.
t -c 'trigger many:e001' -c 'trigger many:e002'
like "$err" 'error: 934464 more triggers are not listed' 'one event: what is left out is counted'
like "$err" '^hint: cat events/many/e001/trigger$' 'one event: the whole file'
t cat events/many/e001/trigger
is "$status, $(wc -l <out | tr -d ' ')" '0, 1000000' 'the hint can be typed'
seq -f 'cat events/many/e%03.0f/trigger | tail -n 1' 1 8 >each.tsh
t ./each.tsh
is "$status, $(grep -c traceon out)" '0, 8' 'eight commands of 8 MB and a million lines: each is read'

# What a signal ends does not read on.
status=0
{ "$TRACESH" --tracefs tree -c 'wait 0ms | kill -TERM $PPID; sleep 0.2' -c 'trigger' >out 2>err; } || status=$?
is "$status, $(wc -l <out | tr -d ' ')" '143, 0' 'SIGTERM ends a list of triggers'

# JSON says of itself what is missing.
fresh
yes traceon | head -n 100000 >text
plant trigger 3
printf '%s\n' 1 2 3 >tree/set_event_pid
t --json status
is "$status" 0 '300,000 triggers: JSON: succeeds'
is "$(tail -c 36 out)" '"left_out":168928,"unread_files":0}' '300,000 triggers: JSON: what is left out is counted'
is "$(grep -o '"trigger":"traceon"' out | wc -l | tr -d ' ')" 131072 '300,000 triggers: JSON: the others are there'
is "$(grep -o '"set_event_pid":[^a-z]*' out)" '"set_event_pid":[1,2,3],"' '300,000 triggers: JSON: so are other lists'
fresh
t --json status
like "$out" '"left_out":0,"unread_files":0\}$' 'an ordinary recording: nothing is left out'

# Filters, formats.
fresh
yes 'pid == 1 ||' | head -n 1000000 | tr '\n' ' ' >text
plant filter 60
set -- filter enable 'filter many:'
[ -z "${TRACESH_SAMPLE-}" ] || set -- enable
for command; do
	# shellcheck disable=SC2086 # words
	t $command
	is "$status" 1 "720 MB of filters: $command: in little memory"
	unread [45][0-9] "720 MB of filters: $command"
done
plant format 60
t events --field '*addr*'
is "$status" 1 '720 MB of formats: events --field: in little memory'
unread [45][0-9] '720 MB of formats: events --field'

# One wide cell does not make all rows so wide.
fresh
printf 'traceon\n' >text
plant trigger 200
rm tree/events/many/e001/trigger
{ printf 'hist:keys='; head -c 4000000 /dev/zero | tr '\0' x; echo; } >tree/events/many/e001/trigger
t trigger
is "$status" 0 'one long trigger: succeeds'
ok 'one long trigger: the others are short' test "$(wc -c <out)" -lt 4500000

# Lists of as many lines as files may have.
fresh
yes 1 | head -n 8000000 >text
for file in set_ftrace_filter set_ftrace_notrace set_event_pid set_ftrace_pid set_graph_function; do
	ln -f text "tree/$file"
done
run limited 700000 timeout -k 5 100 "$TRACESH" --tracefs tree diff
is "$status" 2 'lists of 8,000,000 lines: diff: is in trouble'
like "$err" 'files of the recording|more than 1048576 settings' 'lists of 8,000,000 lines: diff: says why'

# A save of as many instances; and one that is too large.
awk 'BEGIN { for (i = 0; i < 100000; i++) print "instance use i" i "\nwrite f x" }' >many.tsh
run timeout -k 5 40 "$TRACESH" -c 'diff many.tsh many.tsh'
is "$status" 0 'a save of 100,000 instances: diff does not take minutes'
mkfifo fifo
timeout -k 5 100 "$TRACESH" -c 'diff - many.tsh' <fifo 2>err &
diff=$!
{ cat many.tsh && pkill -TERM -P $diff; } >fifo
status=0
wait $diff || status=$?
is "$status" 143 'a save of 100,000 instances: SIGTERM ends diff'
cat many.tsh many.tsh many.tsh many.tsh many.tsh many.tsh >more.tsh
run "$TRACESH" -c 'diff more.tsh'
is "$status" 2 'a save of 18 MB: is refused'
like "$err" "error: 'more.tsh' is larger than 16 MB" 'a save of 18 MB: diff says why'

# A list of more events than the 16 bits of their numbers tell apart. What is left out is the error of who reads it.
fresh
seq -f 'many:e%06.0f' 1 300000 >tree/set_event
for command in status 'save saved' trigger; do
	# shellcheck disable=SC2086 # words
	t $command
	is "$status" 1 "300,000 events are enabled: $command: fails"
	like "$err" "error: 234464 entries of 'set_event' are left out: no kernel has as many\$" "300,000 events are enabled: $command: says how many are left out"
done
ok '300,000 events are enabled: save: leaves no file that lacks some' test ! -e saved
t --json status
like "$out" '"unread_files":1\}$' '300,000 events are enabled: JSON: that some are left out is told'
mv tree/set_event tree/available_events
t events many
is "$status, $(wc -l <out | tr -d ' ')" '1, 65536' '300,000 events: the others are there'
like "$err" "error: 234464 entries of 'available_events' are left out" '300,000 events: how many are left out'
head -n 65536 tree/available_events >text
mv text tree/available_events
t events many
is "$status, $(wc -l <out | tr -d ' '), $err" '0, 65536, ' 'as many events as there can be: none is left out'

# All modules of a distribution together have some 5,000.
cp -R "$SRC/examples/recorded" modules
chmod -R u+w modules
seq -f 'many:e%05.0f' 1 65536 >modules/set_event
run "$TRACESH" --tracefs modules drain
is "$status, $err" "0, $(tail -n 1 err)" '65,536 events were enabled: the recording is read, and none is left out'

# A name that no folder can have is no event.
fresh
{ cat tree/available_events; head -c 300 /dev/zero | tr '\0' x; echo :e; echo many:fine; } >text
mv text tree/available_events
t events many
is "$out" many:fine 'a system with a name of 300 bytes: is none'

# Words of one command; and as many events as words.
awk 'BEGIN { printf "events"; for (i = 1; i <= 262144; i++) printf " x"; print "" }' >words.tsh
t -n words.tsh
unlike "$err" 'more than' '262,144 words with the file: are not refused for their number'
awk 'BEGIN { printf "events"; for (i = 1; i <= 4000000; i++) printf " x"; print "\nnosuch" }' >words.tsh
t -n words.tsh
is "$status" 2 '4,000,000 words: is refused'
like "$err" '^words.tsh:1:524296: error: more than 262144 words in a command$' '4,000,000 words: where, and why'
like "$err" '^hint: use two commands: events .. ; events ..$' '4,000,000 words: what to type'
like "$err" "^words.tsh:2:1: error: unknown command 'nosuch'" '4,000,000 words: the next command is read'
if [ -r /proc/self/io ]; then
	fresh
	seq -f 'many:e%05.0f' 1 65000 | tee tree/available_events | tr '\n' ' ' | sed 's/^/events /' >crowd.tsh
	bytes=$(cat crowd.tsh tree/available_events | wc -c)
	timeout -k 5 100 "$TRACESH" --tracefs tree -f crowd.tsh >/dev/null 2>err &
	crowd=$! child='' has=0
	# both are read, then it compares the words with the events
	while kill -0 $crowd 2>/dev/null && [ "${has:-0}" -lt "$bytes" ]; do
		child=$(pgrep -P $crowd)
		has=$(sed -n 's/^rchar: //p' "/proc/$child/io" 2>/dev/null)
		sleep 0.05
	done
	kill -TERM "$child"
	status=0
	wait $crowd || status=$?
	is "$status" 143 '65,000 words among 65,000 events: SIGTERM ends it'
else
	skip '65,000 words among 65,000 events' 'this kernel does not count what a process reads'
fi

done_testing
