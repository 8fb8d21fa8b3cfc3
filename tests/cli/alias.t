#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Aliases: a word for the start of a command; errors point into what was typed.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
tree=$SRC/examples/recorded
tab=$(printf '\t')

# batch <FILE: runs it as the file b.tsh
batch()
{
	cat >b.tsh
	run timeout -k 5 60 "$TRACESH" --tracefs "$tree" "$@" b.tsh
}

# says NAME STATUS WANT: what came out, errors first
says()
{
	is "$status
$err$out" "$2
$3" "$1"
}

batch <<'S'
alias ll = events --field
ll prev_pid sched_switch; ll next_pid sched_switch | tr a-z A-Z
  ll 'next_prio' \
  sched_switch
S
says 'an alias takes what is typed behind it' 0 'sched:sched_switch  prev_pid  pid_t
SCHED:SCHED_SWITCH  NEXT_PID  PID_T
sched:sched_switch  next_prio  int'

batch <<'S'
alias ll = events --field
ll prev_pid sched_swich
S
says 'a word behind it is blamed where it stands' 1 "b.tsh:2:13: error: unknown event 'sched_swich'
  ll prev_pid sched_swich
              ^~~~~~~~~~~
hint: did you mean 'sched:sched_switch'?"

batch <<'S'
alias field = events nosuchevent --field
systems; field x
S
is "$(sed -n '3p' err)" '           ^~~~~' 'a word of its meaning is blamed on the alias'

batch <<'S'
alias e = cat nosuchfile
e
S
is "$status $(sed -n '1s/:.error.*//p; 3p' err | tr '\n' '|')" "1 b.tsh:2:1|  ^|" 'so is a failure'
batch <<'S'
alias e = cat events/../../secret
e
S
like "$err" "^hint: 'e' is an alias of: cat events/../../secret$" 'with what it means'

batch <<'S'
alias two = 'systems -o two; events sched_switch |'
two cat -A
cat two
S
like "$out" '^sched:sched_switch\$$' 'quotes for more than one command; the last takes the rest'
ok 'the first was run' test -s two

batch <<'S'
alias systems = systems -o made
systems
unalias systems
systems | head -n 1
S
is "$status $(wc -l <made)" "0 $(grep -c . "$tree/events/nosuch" 2>/dev/null || "$TRACESH" --tracefs "$tree" systems | wc -l)" 'it may have the name of its command'
is "$out" 'net       1  1' 'and unalias gives that back'

batch <<'S'
alias one = systems
alias two = one
S
says 'no alias of an alias' 2 "b.tsh:2:13: error: 'one' is not a command
  alias two = one
              ^~~"
batch <<'S'
alias t = 'try t'
t
S
like "$err" "^b.tsh:2:1: (error|note): unknown command 't'$" 'no recursion'

batch <<'S'
alias t = try
alias e = info
t e foo else e bar
S
says 'behind try' 1 "b.tsh:3:5: note: unknown event 'foo'
  t e foo else e bar
      ^~~
hint: events lists them, events '*WORD*' searches
b.tsh:3:16: error: unknown event 'bar'
  t e foo else e bar
                 ^~~
hint: events lists them, events '*WORD*' searches"

echo enabel >inner.tsh
batch <<'S'
alias s = source
s inner.tsh
S
says 'a file that an alias reads' 2 "inner.tsh:1:1: error: unknown command 'enabel'
  enabel
  ^~~~~~
hint: did you mean 'enable'?
  included from b.tsh:2"

batch <<'S'
ll
alias ll = events
S
says 'not before it is named' 2 "b.tsh:1:1: error: unknown command 'll'
  ll
  ^~
hint: tracesh help lists the commands"
batch <<'S'
alias ll = events
ll sched_switch
unalias ll
alias ll = systems
ll | head -n 1
S
says 'the second meaning behind the first' 0 'sched:sched_switch
net       1  1'
batch <<'S'
alias ll = events
unalias ll
ll
S
is "$status $(sed -n 1p err)" "2 b.tsh:3:1: error: unknown command 'll'" 'not behind unalias'
batch <<'S'
alias ll = events
'll' sched_switch
S
is "$status $(sed -n 1p err)" "2 b.tsh:2:1: error: unknown command 'll'" 'not in quotes'
batch -n <<'S'
alias ll = events
ll nosuch
S
is "$status $(sed -n 1p err)" "1 b.tsh:2:4: error: unknown event 'nosuch'" 'under -n, too'
batch <<'S'
let x = sched_switch
alias ll = events ${x}
let x = task_rename
ll
S
says 'a variable has the value of the moment' 0 'task:task_rename'

batch <<'S'
alias b = systems
alias a = 'events "sched_switch"'
alias
alias b
S
says 'they are listed' 0 'a  events "sched_switch"
b  systems
b  systems'
batch --json <<'S'
alias b = systems
alias
S
says 'as JSON' 0 '{"type":"alias","alias":"b","command":"systems"}'

# refused LINE ERROR: the error of a line behind `alias one = systems`
refused()
{
	batch <<S
alias one = systems
$1
S
	is "$status $(sed -n '1s/^b.tsh:2:[0-9]*: error: //p' err)" "2 $2" "refused: $1"
}
refused 'alias ll=events' "'ll=events' cannot be the name of an alias"
refused "alias '-x' = events" "'-x' cannot be the name of an alias"
refused 'alias = events' "missing name before '='"
refused "alias 'a b' = events" "'a b' cannot be the name of an alias"
refused 'alias x = evnts' "'evnts' is not a command"
refused "alias x = ''" 'missing command'
refused 'unalias nosuch' "there is no alias 'nosuch'"
batch <<'S'
alias nosuch
S
is "$status $(sed -n 1p err)" "2 b.tsh:1:7: error: there is no alias 'nosuch'" 'refused: alias nosuch'

# Each byte of a long line is still its own.
awk 'BEGIN { printf "alias e = events\ne"; for (i = 0; i < 2000; i++) printf " sched_switch"; print " nosuch" }' >b.tsh
run timeout -k 5 60 "$TRACESH" --tracefs "$tree" b.tsh
like "$err" '^b.tsh:2:26003: error: ' 'in a long line'
awk 'BEGIN { print "alias l = let"; for (i = 0; i < 20000; i++) print "l x = 1" }' >b.tsh
run timeout -k 5 60 "$TRACESH" --tracefs "$tree" b.tsh
is "$status" 0 'twenty thousand of them'
printf 'alias e = info\ne %s\n' "sched_switch${tab}nosuch" >b.tsh
run timeout -k 5 60 "$TRACESH" --tracefs "$tree" b.tsh
is "$(sed -n 3p err)" '                 ^~~~~~' 'behind a tab'
run "$TRACESH" --tracefs "$SRC/examples/recorded" -c 'alias en = events --on' -c 'help en'
is "$status $(printf '%s\n' "$out" | sed -n '1p;3p')" '0 en is an alias of: events --on
events [--on] [--field GLOB] [EVENT..]' 'help tells what an alias is, and of its command'
run "$TRACESH" --tracefs "$SRC/examples/recorded" -c 'alias status = events'
like "$err" "the command 'status' is hidden by it" 'one that hides a command is noted'

done_testing
