#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# A terminal that is not what one expects, and a person, or a paste, that types anything.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/helpers/prompt.sh"

esc=$(printf '\033')
file=$XDG_STATE_HOME/tracesh/history
mkdir "$TMP/no-terminfo"

# usable NAME [VARIABLE=VALUE]..: one can type a command there, and leave
usable()
{
	name=$1
	shift
	run "$python" -I "$SRC/tests/helpers/pty.py" env "$@" "$program" --tracefs "$tree" -q <<'S'
expect > 
send syste\x7f\x7ftems\r
expect sched +5 +5
expect > 
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$name"
	unlike "$err" . "$name: nothing else is said"
}

all_builds()
{
	usable "$1: a TERM that there is not" TERM=nosuchterm
	usable "$1: no TERM" TERM=
	usable "$1: no terminfo" TERM=xterm TERMINFO="$TMP/no-terminfo" TERMINFO_DIRS="$TMP/no-terminfo"
	usable "$1: a locale that there is not" TERM=xterm LC_ALL=xx_XX.UTF-8
	usable "$1: LC_ALL=C" TERM=xterm LC_ALL=C

	for term in dumb xterm nosuchterm; do
		TERM=$term at_prompt --color never <<'S'
expect > 
size 5 20
send info sched_switch nosuchevent\r
expect \^~+[^>]*hint
expect > 
send systems\r
expect SYSTEM
expect > 
send quit 0\r
S
		like "$out" '^\[exit 0\]$' "$1: a window of 20 columns, TERM=$term"
		TERM=$term at_prompt --color never <<'S'
expect > 
size 1 1
send info nosuchevent\r
expect unknown event
size 0 0
send systems\r
expect SYSTEM
send quit 0\r
S
		like "$out" '^\[exit 0\]$' "$1: a window of one column, and of none, TERM=$term"
	done

	# Bytes that nobody types
	rm -f "$file"
	at_prompt <<'S'
expect > $
send let x = \x80\xff\r
expect > $
send events \xe2\x82\r
expect > $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: bytes that are no text"

	# The input ends in the middle of a line
	rm -f "$file"
	at_prompt <<'S'
expect > $
send !echo half >half-run; echo
expect echo$
hangup
S
	like "$out" '^\[exit 129\]$' "$1: a line that nobody ended"
	ok "$1: is not run" test ! -e half-run
	ok "$1: nor kept" test ! -s "$file"
	run timeout 60 "$python" -I -c '
import os, pty, sys, time
master, slave = pty.openpty()
pid = os.fork()
if pid == 0:
    os.setsid()
    for fd in range(3):
        os.dup2(slave, fd)
    os.closerange(3, 20)
    os.execv(sys.argv[1], sys.argv[1:])
os.close(slave)
while b"> " not in os.read(master, 65536):
    pass
os.write(master, b"half a li")
time.sleep(0.3)
os.close(master)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
' "$program" --tracefs "$tree" -q
	like "$status $out" '^0 [0-9]+$' "$1: the terminal goes away in mid-line, and no signal says so"
	unlike "$(cat "$file")" half "$1: half a line is not kept"
}

pasted()
{
	rm -f "$file"
	TERM=xterm at_prompt --color never <<'S'
expect > 
send \x1b[200~systems \x1b[2J\x07\x01\x7f\n\x03\x1b[201~
expect > 
send \r
expect 
send \x03
expect > 
send quit 0\r
S
	like "$out" '^\[exit 0\]$' 'a paste with control bytes'
	unlike "$out" "${esc}\[2J" 'none of which reaches the terminal'
	TERM=xterm at_prompt --color never <<'S'
expect > 
send history\r
expect history
expect > 
send \x1b[A\x1b[A\x1b[A\x1b[A\x03
expect > 
send quit 0\r
S
	unlike "$out" "${esc}\[2J" 'nor in the next session'
}

cd "$TMP" || exit 1
each_build all_builds
case $("$TRACESH" --version) in
*'(readline'*) pasted ;;
esac
done_testing
