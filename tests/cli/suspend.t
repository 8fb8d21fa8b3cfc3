#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 600
# Ctrl-Z in each state, and fg: the shell has its terminal as it was, and the prompt its line.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/helpers/prompt.sh"

# in_shell: a shell with job control on the terminal, with the script of pty.py on stdin
in_shell()
{
	run env TRACESH="$program" TREE="$tree" "$python" -I "$SRC/tests/helpers/pty.py" sh -i
	[ "$status" -eq 0 ] || diag "$out
$err"
}

all_builds()
{
	for TERM in xterm dumb; do
		export TERM
		[ "$1" = readline ] || plain=yes
		[ -n "${plain-}" ] || in_shell <<'S'
expect [#$] $
send "$TRACESH" -q --tracefs "$TREE"\r
expect > $
send info sched_s
expect sched_s
send \x1a
expect topped
expect [#$] $
send stty -a | grep -o ' icanon' && echo cooked\r
expect cooked
expect [#$] $
send bg\r
expect [#$] $
send fg\r
expect > 
send \x15info sched_switch\r
expect prev_state
expect > $
send \x1a
expect topped
expect [#$] $
send fg\r
expect > 
send \x15wait 4s; set time\r
expect time
send \x1a
expect topped
expect [#$] $
send stty -echo; bg\r
expect wall
send stty echo; fg\r
expect > $
send quit 5\r
expect quit 5
expect [#$] $
send echo left with $?\r
expect left with 5
expect [#$] $
send exit\r
S
		if [ -z "${plain-}" ]; then
			is "$status" 0 "$1, $TERM: at the prompt"
		else
			skip "$1, $TERM: at the prompt" 'without readline nobody draws the prompt again'
		fi
		in_shell <<'S'
expect [#$] $
send "$TRACESH" -q --tracefs "$TREE"\r
expect > $
send set tz; wait 4s; set time\r
expect local
send \x1a
expect topped
expect [#$] $
send fg\r
expect wall
expect > $
send !expr 40 + 1; sleep 4; expr 40 + 2\r
expect 41
send \x1a
expect topped
expect [#$] $
send fg\r
expect 42
expect > $
send quit 6\r
expect [#$] $
send echo left with $?\r
expect left with 6
expect [#$] $
send exit\r
S
		is "$status" 0 "$1, $TERM: in a command, and in a program of '!'"
	done
}
each_build all_builds

done_testing
