#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 600
# The prompt over a serial line: socat holds a terminal of 115200 baud that has no size, as that of a board has none.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/helpers/prompt.sh"

command -v socat >/dev/null || skip_all 'no socat'
cd "$TMP" || exit 1
# socat takes its words at blanks: those of the command go by a file.
cat >line <<'S'
#!/bin/sh
for word; do printf "'%s' " "$word"; done >words
exec socat -t 5 STDIO,raw,echo=0 EXEC:./behind-line,pty,b115200,ctty,setsid,sane
S
cat >behind-line <<'S'
#!/bin/sh
eval "exec \"\$SERIAL_PROGRAM\" $(cat words)"
S
chmod +x line behind-line

all_builds()
{
	SERIAL_PROGRAM=$program
	export SERIAL_PROGRAM
	program=$TMP/line
	for TERM in vt100 dumb; do
		export TERM
		at_prompt <<'S'
expect > $
send !stty speed; stty size\r
expect 115200
expect > $
send info nosuch\r
expect unknown event
expect > $
send info sched:sched_switch\r
expect prev_comm
expect > $
send drain | tail -n 1\r
expect sys_
expect > $
send systems; wait 60\r
expect task +1
send \x03
expect tracesh:top[^>]*> $
send quit 3\r
S
		like "$out" '^0 0$' "$1, $TERM: the line has no size"
		like "$out" "unknown event 'nosuch'" "$1, $TERM: errors are printed"
		is "$(printf '%s\n' "$out" | grep -c 'prev_state')" 2 "$1, $TERM: lists are printed"
		like "$out" '^\[exit' "$1, $TERM: it ends"
	done
	if [ "$1" = readline ]; then
		TERM=vt100
		at_prompt <<'S'
expect > $
send info sched_sw\t\r
expect prev_comm
expect > $
send \x1b[A\x1b[A\x03
expect > $
send quit\r
S
		like "$out" "^.*info sched_sw.*itch .*\$" "$1: TAB completes"
	else
		skip "$1: TAB completes" 'without readline nothing completes'
	fi
	like "$out" '^\[exit' "$1: it ends"
	program=$SERIAL_PROGRAM
}
each_build all_builds

done_testing
