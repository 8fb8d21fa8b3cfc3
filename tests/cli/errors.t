#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is wrong, where exactly, and what to type instead: in files, in long lines, of what is not in messages.t.
# shellcheck disable=SC2016 # tracesh has variables of its own
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
# The recorded tree, with the lists that it does not have
cp -r "$SRC/examples/recorded" tree && chmod -R u+w tree
mkdir -p tree/options tree/instances/latency
echo 'function_graph function wakeup_rt nop' >tree/available_tracers
for option in record-tgid record-cmd hash-ptr; do
	echo 0 >"tree/options/$option"
done
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs tree "$@"
}

# wrong COMMAND STATUS TEXT: all that it says, as -c
wrong()
{
	t -c "$1"
	is "status $status
$out$err" "status $2
$3" "$1"
}

# wrong_file STATUS TEXT NAME LINE..: the same for a file of these lines
wrong_file()
{
	want="status $1
$2"
	name=$3
	shift 3
	printf '%s\n' "$@" >wrong.tsh
	t wrong.tsh
	is "status $status
$out$err" "$want" "$name"
}

# A long word is no reason for a long message, nor for minutes or all memory.
head -c 1000000 /dev/zero | tr '\0' y >word
for line in 'WORD' 'enable WORD' 'help WORD' 'hist by WORD' 'set WORD 1' 'stream sched_switch where WORD' 'show --format WORD' \
	'stream sched_switch if WORD == 1' 'count "WORD' '${WORD}' 'pid WORD' 'instance use WORD' 'sql SELECT WORD FROM sched_switch'; do
	echo "$line" | awk 'NR == FNR { word = $0; next } { sub(/WORD/, word); print }' word - >long.tsh
	t long.tsh
	is "$(wc -c <err | awk '{ print $1 < 4000 }')" 1 "$line: a short message"
done
{ echo 'let a = xxxxxxxxxxxxxxxxxxxx'; for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do echo 'let a = "${a}${a}"'; done; } >double.tsh
# The program as it is used, where there is one beside the sanitized: of that no memory is limited, and it takes five times as long.
plain=${TRACESH_VM_PROGRAM:-$TRACESH}
run limited 400000 "$plain" --tracefs tree double.tsh
is "$status" 2 'a variable that is doubled: an error'
like "$err" "^double.tsh:17:14: error: with the value of 'a' the command's variables are longer than 1 MB" 'where, and why'
# in the pass before the text, and where there is none that ends it
{ echo 'let a = xxxxxxxxxxxxxxxxxxxx'; yes 'let a = "${a}${a}"' | head -n 15; seq -f 'let v%.0f = "${a}"' 1 600; } >many.tsh
for before in '' '--keep-going'; do
	# shellcheck disable=SC2086 # a word or none
	run limited 400000 "$plain" $before --tracefs tree many.tsh
	is "$status" 2 "many long variables: an error ($before)"
	like "$err" "^many.tsh:41:5: error: with 'v25' all variables together are longer than 16 MB$" 'where, and why'
	like "$err" '^hint: empty one that is not needed any more: let NAME = ""$' 'and what to type'
done
{ head -n 16 many.tsh; yes 'let b = "${a}"' | head -n 100; echo 'let b = ""'; seq -f 'let v%.0f = "${a}"' 1 24; } >again.tsh
run "$plain" --tracefs tree again.tsh
is "$status" 0 'one that is set again counts once, and an empty one not'

{ printf 'drain fields a0=pid'; awk 'BEGIN { for (i = 1; i <= 300; i++) printf ",a%d=pid+%d", i, i }'; echo; } >fields.tsh
t fields.tsh
like "$err" 'error: more than 256 fields$' 'fields have a limit'

# What a command refuses without a kernel, -n refuses, too, with the caret.
while IFS='|' read -r line mark; do
	t -n -c "$line"
	is "status $status, $(printf '%s\n' "$err" | sed -n 's/^ *\(\^.*\)/\1/p')" "$mark" "-n: $line"
done <<'LINES'
buffer 0|status 2, ^
stream --buffer 0 sched_switch|status 2, ^
hist --buffer 0K sched_switch by comm|status 2, ^~
show -n 0|status 2, ^
trigger sched_switch nosuch|status 1, ^~~~~~
trigger sched_switch ''|status 1, ^~
trigger sched_switch traceoff:0|status 2, ^
trigger sched_switch clear if prev_pid == 1|status 2, ^~~~~~~~~~~~~
stream sched_switch if prev_pid > 0 &&|status 1, ^~
LINES
t -n -c 'trigger sched_switch traceoff:3 if prev_pid == 1' -c 'trigger sched_switch !snapshot' -c 'buffer 1' -c 'show -n 1'
is "$status, $err" '0, ' 'and takes what is right'

t -i latncy -c systems
is "status $status, $err" "status 1, tracesh: error: unknown instance 'latncy'
hint: did you mean 'latency'?" 'an unknown instance'
t -i ../tree -c systems
is "status $status, $(printf '%s\n' "$err" | head -n 1)" \
	"status 2, tracesh: error: '../tree' cannot be the name of an instance" "an instance's name is no path"
t -i latency -c systems
is "$status" 0 'and one that is there'

# An event and a system of one name
mkdir -p tree/events/task/sched
cp tree/events/task/task_rename/format tree/events/task/sched/
cp tree/available_events available_events
echo 'task:sched' >>tree/available_events
wrong 'info sched' 1 "<-c 1>:1:6: error: 'sched' is both a system and an event
  info sched
       ^~~~~
hint: 'sched:' for the system, 'task:sched' for the event"
echo 'net:task_rename' >>tree/available_events
wrong 'info task_rename' 1 "<-c 1>:1:6: error: several events are called 'task_rename'
  info task_rename
       ^~~~~~~~~~~
hint: say which: net:task_rename, task:task_rename"
cp available_events tree/available_events

# Values and arguments

t -I new -c status
is "status $status, $err" "status 3, tracesh: error: 'tree' is a recorded tree: nothing in it can be changed
hint: instance lists those that there are, instance use NAME, or -i NAME, goes to one" 'an instance is not made in a recorded tree'

# Quotes, variables, pipes

# The place, wherever it is

wrong_file 2 "wrong.tsh:3:19: error: unknown option '-x'
   systems ; events -x # there
                    ^~
hint: usage: events [--on] [--field GLOB] [EVENT..]" 'behind a tab, which is shown as a blank' \
	'# a comment' '' '	systems ; events -x # there' 'systems'

t -c 'systems
info 日本 sched_swich'
is "$(printf '%s\n' "$err" | head -n 3)" "<-c 1>:2:6: error: unknown event '日本'
  info 日本 sched_swich
       ^~~~" 'a caret below wide characters'

t -c 'events 日本語* | cat' -c systems
is "$(printf '%s\n' "$err" | sed -n 1,3p)" "<-c 1>:1:8: error: no event matches '日本語*'
  events 日本語* | cat
         ^~~~~~~" 'and as wide as they are'

t -c systems -c 'info x'
is "$(printf '%s\n' "$err" | head -n 1)" "<-c 2>:1:6: error: unknown event 'x'" 'the second -c'
t info x
is "$(printf '%s\n' "$err" | head -n 1)" "<arguments>:1:6: error: unknown event 'x'" 'operands'
printf '\ninfo x' >wrong.tsh
status=0
timeout -k 5 60 "$TRACESH" --tracefs tree <wrong.tsh >out 2>err || status=$?
is "status $status, $(head -n 1 err)" "status 1, <stdin>:2:6: error: unknown event 'x'" 'stdin'

printf 'systems | \\\n head -n 1 >&2\ninfo \\\n  x y\n' >wrong.tsh
t wrong.tsh
is "$(printf '%s\n' "$err" | sed 1d)" "wrong.tsh:4:3: error: unknown event 'x'
    x y
    ^
hint: events lists them, events '*WORD*' searches" 'in a continued line'

long=$(awk 'BEGIN { for (i = 0; i < 100; i++) printf "sched " }')
t -c "events ${long}nosuch $long"
is "$(printf '%s\n' "$err" | awk 'NR == 2 { line = $0 }
	NR == 3 { print substr(line, index($0, "^"), length($0) - index($0, "^") + 1), length(line) < 200 }')" \
	'nosuch 1' 'a long line is cut, and the caret stands below the word'

# Escapes in a source text do not reach the terminal
t -c "$(printf 'info x\033[31m\tb')"
is "$(printf '%s' "$err" | tr -d '\n' | tr -d ' -~')" '' 'what is typed is shown without control bytes'
like "$err" '^  info x.*\[31m b$' 'and shown'

# Errors in sourced files

mkdir d
printf '# one\nsystems -o d/ran\n\tinfo sched_swich\n' >d/inner.tsh
printf '\nsource d/inner.tsh a b\n' >d/middle.tsh
printf '# outer\n\n on; source d/middle.tsh\n' >outer.tsh
sed -i 's/ on; / /' outer.tsh
stack="d/inner.tsh:3:7: error: unknown event 'sched_swich'
   info sched_swich
        ^~~~~~~~~~~
hint: did you mean 'sched:sched_switch'?
  included from d/middle.tsh:2
  included from outer.tsh:3"
t outer.tsh
is "status $status, $err" "status 1, $stack" 'an error in a sourced file names those that include it'
ok 'what stood before it ran' test -e d/ran
t -n outer.tsh
is "status $status, $err" "status 1, $stack" 'under -n too'
t -c 'source d/middle.tsh'
is "$(printf '%s\n' "$err" | tail -n 1)" '  included from <-c 1>:1' 'and -c'
rm -f d/ran
printf '# one\nsystems -o d/ran\n\tinfo "\n' >d/inner.tsh
t outer.tsh
is "status $status, $(printf '%s\n' "$err" | sed -n '1p;5,$p')" "status 2, d/inner.tsh:3:7: error: unterminated quote
  included from d/middle.tsh:2
  included from outer.tsh:3" 'a syntax error in a sourced file'
ok 'nothing ran before it' test ! -e d/ran

wrong 'source d/gone.tsh' 2 "<-c 1>:1:8: error: cannot open 'd/gone.tsh': No such file or directory
  source d/gone.tsh
         ^~~~~~~~~~
hint: to see what is there: ls d"
wrong 'source d' 2 "<-c 1>:1:8: error: cannot read 'd': Is a directory
  source d
         ^
hint: to see what is there: ls d"
wrong 'source d/inner.tsh/x' 2 "<-c 1>:1:8: error: cannot open 'd/inner.tsh/x': Not a directory
  source d/inner.tsh/x
         ^~~~~~~~~~~~~
hint: to see its kind, owner and rights: ls -ld d/inner.tsh"
wrong 'source /gone/x' 2 "<-c 1>:1:8: error: cannot open '/gone/x': No such file or directory
  source /gone/x
         ^~~~~~~
hint: to see what is there: ls /"
echo 'source loop.tsh' >loop.tsh
t loop.tsh
is "status $status, $(printf '%s\n' "$err" | head -n 1)" \
	'status 1, loop.tsh:1:8: error: more than 16 files deep' 'a file that sources itself'

# -n: every error at once, and nothing done

printf '%s\n' 'systems -o ran' 'info sched_swich' 'let a=3; clock bott' 'tracer funcion' 'try info nosuch' \
	'option hash-prt' 'set tiem' 'enable sched_switch' >names.tsh
t -n names.tsh
is "status $status
$(printf '%s\n' "$err" | grep -E 'error|note')" "status 2
names.tsh:2:6: error: unknown event 'sched_swich'
names.tsh:3:16: error: unknown clock 'bott'
names.tsh:4:8: error: unknown tracer 'funcion'
names.tsh:5:10: note: unknown event 'nosuch'
names.tsh:6:8: error: unknown option 'hash-prt'
names.tsh:7:5: error: unknown setting 'tiem'" '-n reports every unknown name'
is "$out" '' '-n prints nothing else'
ok '-n has written nothing' test ! -e ran

printf '%s\n' 'systems -o ran' "info 'a; b" 'wait soon; on please' 'enalbe x' 'info ${none}' '| wc' \
	'systems |' 'info' >syntax.tsh
t -n syntax.tsh
is "status $status
$(printf '%s\n' "$err" | grep error)" "status 2
syntax.tsh:2:6: error: unterminated quote
syntax.tsh:3:6: error: 'soon' is not a time
syntax.tsh:3:15: error: unexpected 'please'
syntax.tsh:4:1: error: unknown command 'enalbe'
syntax.tsh:5:6: error: unknown variable 'none'
syntax.tsh:6:1: error: missing command before '|'
syntax.tsh:7:9: error: missing program after '|'
syntax.tsh:8:1: error: missing EVENT" '-n reports every syntax error, status 2'
t --check names.tsh
is "status $status, $(printf '%s\n' "$err" | grep -c error)" 'status 2, 5' '--check is -n'
printf 'let e = sched_switch\nenable ${e}\nfilter ${e} prev_pid == 1\nstream ${e}\non\n' >good.tsh
t -n good.tsh
is "status $status, $out$err" 'status 0, ' '-n and a file without errors'

# What needs --yes, and sizes

cp -r tree flood
printf 'kmem:kmalloc\nkmem:kfree\nlock:lock_acquire\n' >>flood/available_events
i=0
while [ $i -lt 80 ]; do
	echo "many:event_$i"
	i=$((i + 1))
done >>flood/available_events
# floods COMMAND [SENTENCE]: whether it is refused without --yes, and not with it or with a filter
floods()
{
	run timeout -k 5 60 "$TRACESH" --tracefs flood -c "$1"
	if [ -n "${2-}" ]; then
		is "$status $(printf '%s\n' "$err" | sed '2,3d')" "1 <-c 1>:1:8: error: $2, without a filter$3: this needs --yes
hint: add a filter: .. if FILTER; or tracesh --yes" "$1"
		run timeout -k 5 60 "$TRACESH" --tracefs flood --yes -c "$1"
	fi
	is "$status $(printf '%s\n' "$err" | grep -c 'recorded tree')" '3 1' "${2:+--yes -c }$1"
}
all="this enables all $(grep -c . flood/available_events) events that there are"
some='this enables events that can flood the machine'
floods "enable '*:*'" "$all" ''
floods "enable '*'" "$all" ''
floods "enable '[a-z]*:*'" "$all" ''
floods 'enable many'
floods 'enable kmem' "$some" ': 2 of kmem'
floods "enable 'kmem:*' lock sched" "$some" ': 2 of kmem and 1 of lock'
floods 'enable kmem:kfree'
floods 'enable kfree kmem/kmalloc'
floods 'enable lock:lock_acquire' "$some" ': 1 of lock'
floods "enable kmem if ptr != 0"
run timeout -k 5 60 "$TRACESH" --tracefs flood -c 'set confirm off' -c "enable '*:*'"
like "$err" 'recorded tree' 'set confirm off is as --yes'
run timeout -k 5 60 "$TRACESH" --tracefs flood --yes -c 'set confirm on' -c "enable '*:*'"
like "$err" 'this needs --yes' 'and set confirm on takes that back'

# Filters that are none

for command in "enable sched_switch if ''" "filter sched_switch '  '" 'stream sched_switch if ""'; do
	t -c "$command"
	is "status $status, $(printf '%s\n' "$err" | sed '2,3d')" "status 2, <-c 1>:1:$((1 + $(printf %s "$command" | sed "s/['\"].*//" | wc -c))): error: the filter is empty
hint: filters look like: prev_pid == 5 && next_comm ~ \"a*\"; clear removes one" "$command"
done

# Without -n too all of a text is read before any of it runs

awk 'BEGIN { for (i = 1; i < 10; i++) print "systems -o ran" i; print "info \"x" }' >ten.tsh
t ten.tsh
is "status $status, $(printf '%s\n' "$err" | head -n 1)" 'status 2, ten.tsh:10:6: error: unterminated quote' \
	'a syntax error in line 10'
is "$(find . -name 'ran*')" '' 'nothing before it ran'
t -f ten.tsh
is "$(find . -name 'ran*')" '' 'nor by -f'
t -c "$(cat ten.tsh)"
is "$(find . -name 'ran*')" '' 'nor by -c'
t --keep-going ten.tsh
is "status $status, $(find . -name 'ran*')" 'status 2, ' 'nor with --keep-going'
# Of several texts the one that cannot be read is left out with --keep-going; without it nothing behind it runs.
t -c 'info "x' -c 'systems -o ran2'
is "status $status, $(find . -name 'ran*')" 'status 2, ' 'a -c that cannot be read ends it'
t --keep-going -c 'nosuch' -c 'systems -o ran2' -c 'info "x' -f ten.tsh systems -o ran5
is "status $status, $(find . -name 'ran*' | sort | tr '\n' ' ')" 'status 2, ./ran2 ./ran5 ' 'and with --keep-going the others run'
is "$(printf '%s\n' "$err" | grep error:)" "<-c 1>:1:1: error: unknown command 'nosuch'
<-c 3>:1:6: error: unterminated quote
ten.tsh:10:6: error: unterminated quote" 'each error is said once'
rm ran2 ran5
printf 'systems -o ran1\ninfo nosuch\nsystems -o ran3\n' >middle.tsh
t middle.tsh
is "status $status, $(find . -name 'ran*')" 'status 1, ./ran1' 'an error when it runs ends the text'
t --keep-going middle.tsh
is "status $status, $(find . -name 'ran*' | sort | tr '\n' ' ')" 'status 1, ./ran1 ./ran3 ' 'unless --keep-going'

# What people try first
t -c 'enable sched_switch prev_pid == 1'
like "$err" "hint: a filter begins with if: enable sched_switch if prev_pid == " 'a filter without if'
for command in stream hist 'count by comm' 'hist --drain'; do
	t -c "$command if nosuch == 1"
	is "$status" 2 "$command: a filter without an event"
	like "$err" "a filter is of events that are named before it" "$command: says so"
	like "$err" "^hint: ${command%% *} EVENT if FILTER; where EXPR" "$command: with what to type"
done
t -c "enable sched_switch 'x|cat' == 1"
like "$err" "hint: a filter begins with if: enable sched_switch if 'x\\|cat' == " 'with the word in quotes where it had them'
t -c 'events all'
is "$out" "$("$TRACESH" --tracefs "$TMP/tree" events '*:*')" 'all is every event'
t -c 'enable sched_switch,sched_wakeup'
like "$err" 'hint: events stand one after the other' 'events with commas between them'
t -c stat
like "$err" "hint: did you mean 'stat(s|us)'" 'stat is not start, which changes something'
t -c 'run ls'
like "$err" 'hint: put the program behind --, as in: run -- ls' 'run without --'

# The place of each error is found by going on from the last, in a file and in what it sources.
awk 'BEGIN { for (i = 0; i < 100; i++) x = x "# a comment of sixty bytes, none of which is a newline.......";
	for (i = 0; i < 2500; i++) print x "\nnosuch"; print "source short.tsh" }' </dev/null >long.tsh
awk 'BEGIN { for (i = 0; i < 2500; i++) print "nosuch" }' </dev/null >short.tsh
run sh -c 'ulimit -t 5 && exec "$@"' sh "$TRACESH" --tracefs none -n -f long.tsh
is "$status, $(grep -c 'error: unknown command' "$TMP/err")" '2, 5000' 'thousands of errors in a long file take no minutes'
like "$(tail -n 5 "$TMP/err")" 'included from long.tsh:5001' 'each with its place'

# A command before another one reads all that follows it.
for word in try explain; do
	awk -v word="$word" 'BEGIN { for (i = 0; i < 200000; i++) printf "%s ", word; print "status" }' </dev/null >deep.tsh
	t deep.tsh
	like "$status: $err" "^2: deep\.tsh:1:[0-9]*: error: more than 32 nested try" "200,000 $word: an error at once"
	is "$(awk 'length > 200' "$TMP/err")" '' 'which does not show the whole line'
done

done_testing
