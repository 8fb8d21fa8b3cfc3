#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# watch: a command again and again, on a terminal in its place.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/helpers/prompt.sh"

cd "$TMP" || exit 1
cp -r "$tree" long && chmod -R u+w long
awk 'BEGIN { for (i = 1; i <= 200; i++) print "line " i }' >long/lines
echo first >long/value
t() { run "$TRACESH" --tracefs "$TMP/long" "$@"; }

t -c 'watch --count 3 100ms cat value'
is "$status:$out" '0:first
first
first' 'elsewhere than on a terminal each round is printed'
is "$err" '' 'and nothing else'
t -c 'watch --count 2 100ms cat value | sed s/first/second/'
is "$out" 'second
second' 'a program takes what the command prints'
t -c 'watch --count 2 100ms cat -o copy value' -c 'let n = 1'
is "$status:$out:$(cat copy)" '0::first' 'or a file'
t --json -c 'watch --count 2 100ms cat value'
is "$out" '{"type":"text","text":"first"}
{"type":"text","text":"first"}' 'JSON is nothing but the command'\''s'
run "$TRACESH" --json --tracefs "$TMP/long" -c 'watch --count 1 100ms drain -n 2'
is "$(printf '%s\n' "$out" | grep -vc '^{.*}$')" 0 'notes are not among it'
t -c 'alias v = cat value' -c 'watch --count 1 100ms v'
is "$status:$out" '0:first' 'an alias is a command too'
t -c 'watch --count 5 100ms try cat no/such else quit 3'
is "$status" 3 'quit ends it'
t -c 'watch --count 5 100ms cat no/such'
is "$status" 1 'a command that fails ends it'
like "$err" "watch --count 5 100ms cat no/such
 *\^" 'and is marked where it stands'

refuses()
{
	t -c "watch $1"
	is "$status" 2 "watch $1: status"
	like "$err" "$2" "watch $1: why"
}
refuses '' 'missing TIME'
refuses '1s' 'missing COMMAND'
refuses '0 stats' "'0' is not between 100ms and 24 days"
refuses '99ms stats' "'99ms' is not between"
refuses '30d stats' "'30d' is not"
refuses '1s nonsense' "unknown command 'nonsense'"
refuses '--count 0 1s stats' "--count"
t -c 'watch 100ms watch 1s status'
is "$status" 2 'no watch in a watch'
like "$err" "'watch' goes on by itself: watch is for what ends" 'and why'
t -n -c 'watch 1s status'
is "$status:$out" 0: '-n runs nothing and comes back'
t -n -c 'watch 1s statuss'
is "$status" 2 'and finds what cannot run'
t -n -c 'watch 1s stream sched_switch'
is "$status" 2 'and what goes on by itself'
like "$err" "'stream' goes on by itself" 'with the reason'
t -n -c 'watch --count 0 1s status'
is "$status" 2 'and a limit of 0'
t -n -c 'watch 1s stream -n 1 sched_switch; watch 1s drain; watch 1s explain stream sched_switch where prev_pid == 1'
is "$status:$out" 0: 'not what ends'
t --dry-run -c 'watch 1s status'
like "$out" '^#   .not in this script' '--dry-run leaves it out'

all_builds()
{
	tree=$TMP/long
	echo first >long/value
	export TERM=xterm
	at_prompt <<'S'
expect > 
send watch 200ms cat value\r
expect first
expect every 200ms, 2 so far, q ends
send q
expect > 
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: q ends it"
	# the cursor goes up a line, and each line is written over the old one
	like "$out" "$(printf '\033')\\[1A.*first$(printf '\033')\\[K" "$1: it is redrawn in its place"
	at_prompt <<'S'
expect > 
size 10 40
send watch 100ms cat lines\r
expect and 193 more lines
expect \x1b\[8A
send \x03
expect > 
send set time\r
expect wall
expect > 
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: what does not fit the window is counted; Ctrl-C ends it"
	at_prompt <<'S'
expect > 
size 10 40
send watch 100ms cat value\r
expect 2 so far
size 10 20
expect \x1b\[H\x1b\[J\r?(?s:.*)first\x1b\[K\r*\n\x1b\[J(\x1b\[2m)?q ends
send q
expect > 
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: in another window it begins anew, with as much as fits"
	at_prompt <<'S'
expect > 
send watch --count 2 100ms drain -n 1\r
expect sched_process_fork
expect > 
send !stty -a | grep -o ' [-]*echo ' | tr -d ' '\r
expect (2004l\r*|\n)echo
expect > 
send watch 100ms try no-such-command else cat value\r
expect first
expect 3 so far
send \x03
expect > 
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: a command with keys of its own, one that fails and has another"
	export TERM=dumb
	at_prompt <<'S'
expect > 
send watch --count 2 100ms cat value\r
expect first
expect first
expect > 
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: a terminal that cannot move its cursor gets each round"
	is "$(printf '%s\n' "$out" | grep -c "$(printf '\033')\\[1A")" 0 "$1: and no sequences"
}
each_build all_builds

done_testing
