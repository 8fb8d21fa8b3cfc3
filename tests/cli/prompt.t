#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The prompt, on a terminal of its own and a recorded tree: no root, nothing is traced.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3) || skip_all 'no python3'
tree=$SRC/examples/recorded
[ -d "$tree" ] || skip_all 'no recorded tree'

# A tree with events that one is asked about
cd "$TMP" || exit 1
cp -r "$tree" flood && chmod -R u+w flood
echo kmem:kfree >>flood/available_events

# at_prompt ARG..: runs tracesh with the script on stdin, on $tree or its own --tracefs; leaves the screen in $out
at_prompt()
{
	case " $* " in *' --tracefs '*) ;; *) set -- --tracefs "$tree" "$@" ;; esac
	run "$python" -I "$SRC/tests/helpers/pty.py" "$program" "$@"
	[ "$status" -eq 0 ] || diag "$out
$err"
}

# What every build does, on any terminal.
plain_tests()
{
	at_prompt <<'S'
expect help, TAB, quit
expect tracesh:top [^>]*> $
send quit\r
S
	like "$out" '^tracesh [0-9.]+, [^,]*/recorded; help, TAB, quit$' "$1: banner"
	like "$out" '^.*tracesh:top .*9ev ro> quit$' "$1: the prompt shows the state"
	like "$out" '^\[exit 0\]$' "$1: quit leaves"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send \x04
S
	unlike "$out" 'help, TAB' "$1: no banner with -q"
	like "$out" '^\[exit 0\]$' "$1: Ctrl-D leaves"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send \r
expect tracesh:top [^>]*> $
send quit 7\r
S
	like "$out" '^\[exit 7\]$' "$1: quit has a status, an empty line does nothing"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send enabel x\r
expect unknown command 'enabel'
expect tracesh:top [^>]*> $
send quit 0\r
S
	# The caret stands below the word, whatever the prompt is.
	typed=$(printf '%s\n' "$out" | grep -n 'enabel x$' | sed 's/[^:]*://; s/enabel.*//; s/./ /g')
	like "$out" "^$typed\^~~~~~\$" "$1: the caret stands below the typed line"
	like "$out" "^hint: did you mean 'enable'\?" "$1: and a hint"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send systems
expect systems
send \x03
expect tracesh:top [^>]*> $
send clock\r
expect boot
expect tracesh:top [^>]*> $
send \x04
S
	unlike "$out" '^sched' "$1: Ctrl-C discards the line"
	like "$out" '^\[exit 0\]$' "$1: and goes on"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send \x03
expect quit or Ctrl-D leaves
expect tracesh:top [^>]*> $
send \x03
expect tracesh:top [^>]*> $
send \x04
S
	is "$(printf '%s\n' "$out" | grep -c 'Ctrl-D leaves')" 1 "$1: Ctrl-C on an empty line says once how to leave"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send info \\\r
expect \.\.\.> $
send sched_switch\r
expect prev_comm
expect tracesh:top [^>]*> $
send cat 'tracing_on\r
expect \.\.'> $
send \x04
expect tracesh:top [^>]*> $
send let x = "it's\r
expect \.\."> $
send \x03
expect tracesh:top [^>]*> $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: an unfinished command asks for more, Ctrl-D and Ctrl-C give it up"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send enable ?\r
expect enable .*\[if FILTER\]
expect > 
send \x15quit 0\r
S
	like "$out" '^  enable events$' "$1: ? as the last word explains"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send !echo from the $((40 + 2)) shell; exit 3\r
expect from the 42 shell
expect tracesh:top [^>]*> $
send \x04
S
	like "$out" '^\[exit 3\]$' "$1: !COMMAND runs in sh, its status is \$?"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send !echo ready; exec cat\r
expect ready\r
send one line\r
expect one line\r\none line\r
send \x03
expect tracesh:top [^>]*> $
send \x04
S
	like "$out" '^\[exit 130\]$' "$1: Ctrl-C is for the program behind !"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send systems; wait 60\r
expect task +1
send \x03
expect tracesh:top [^>]*> $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: Ctrl-C ends a command, not the shell"

	echo 'systems; wait 60; quit 8' >stopped.tsh
	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send systems; wait 60; quit 9\r
expect task +1
send \x03
expect not run: (wait 60; )?quit 9\r
expect tracesh:top [^>]*> $
send source stopped.tsh; quit 9\r
expect task +1
send \x03
expect not run: quit 9\r
expect tracesh:top [^>]*> $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: and what was typed behind it does not run"

	at_prompt -q --tracefs flood <<'S'
expect tracesh:top [^>]*> $
send enable kmem\r
expect this enables events that can flood the machine, without a filter: 1 of kmem; go on\? \[y/N\] $
send \r
expect not done
expect tracesh:top [^>]*> $
send enable kmem\r
expect \[y/N\] $
send \x03
expect not done
expect tracesh:top [^>]*> $
send enable kmem\r
expect \[y/N\] $
send \x04
expect not done
expect tracesh:top [^>]*> $
send enable kmem\r
expect \[y/N\] $
send perhaps\r
expect y goes ahead, Enter does not
expect \[y/N\] $
send NO\r
expect not done
expect tracesh:top [^>]*> $
send enable kmem\r
expect \[y/N\] $
send yes\r
expect recorded tree
expect tracesh:top [^>]*> $
send enable kmem\r
expect \[y/N\] $
send Y\r
expect recorded tree
expect tracesh:top [^>]*> $
send set confirm off\r
expect tracesh:top [^>]*> $
send enable kmem\r
expect recorded tree
expect tracesh:top [^>]*> $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: a question: Enter, Ctrl-C, Ctrl-D and NO are no, yes and Y are yes"
	is "$(printf '%s\n' "$out" | grep -c 'go on?')" 7 "$1: with set confirm off it is not asked"

	at_prompt -q --tracefs flood <<'S'
expect tracesh:top [^>]*> $
send enable kmem\r
expect \[y/N\] $
signal TERM
S
	like "$out" '^\[exit 143\]$' "$1: SIGTERM ends a question"

	# two lines at once: the second is there before the question
	at_prompt -q --tracefs flood <<'S'
expect tracesh:top [^>]*> $
send enable kmem\ry\r
expect \[y/N\] $
send \r
expect not done
expect tracesh:top [^>]*> $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: what was typed ahead is no answer"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send half a line
expect line
signal TERM
S
	like "$out" '^\[exit 143\]$' "$1: SIGTERM ends it"

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send !echo a line that nobody ended
expect ended
hangup
S
	like "$out" '^\[exit 129\]$' "$1: a hang-up ends it"
	is "$(printf '%s\n' "$out" | grep -c '^a line')" 0 "$1: and runs nothing"
}

readline_tests()
{
	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send inf\tsched:sched_sw\t\r
expect prev_comm
expect tracesh:top [^>]*> $
send \x04
S
	like "$out" 'info sched:sched_switch $' 'TAB completes a command and an event'

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send sta\t\t
expect stats +[a-z]
expect status +[a-z]
expect > sta$
send tus\r
expect instance:
expect tracesh:top [^>]*> $
send \x04
S
	like "$out" '^start +let the buffer' 'TAB TAB lists what there is, with descriptions'

	mkdir "$TMP/names"
: >"$TMP/names/a\`echo expanded\`b"
at_prompt <<S
expect > \$
send !printf '<%s>' names/a\\t\\r
expect expanded.b>
expect > \$
send quit\\r
S
like "$out" '<names/a`echo expanded`b>' 'a name is quoted for sh, which would run what is in it'

at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send enable sched_switch if prev_\t\t
expect prev_prio +int
send p\t\t
expect prev_prio +int
send \x03
expect tracesh:top [^>]*> $
send cat events/sch\tsched_sw\tfo\t\r
expect name: sched_switch
expect tracesh:top [^>]*> $
send !echo \x5b\t\x5d\r
expect \[\]
expect tracesh:top [^>]*> $
send \x04
S
	like "$out" 'cat events/sched/sched_switch/format $' 'TAB completes files of the instance'
	like "$out" '^prev_comm +char\[16\]' 'TAB lists the fields of the event in its filter'

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send events zzzz\t
expect usage: events 
expect > events zzzz$
send \t\t
send \x15enabel x\t
expect did you mean enable\?
send \x15enable sched_switch if zz\t
expect no field begins with 'zz'
send \x15enable sched_switch if prev_pid == \t
expect [0-9]
size 8 80
send \x15enable sched_switch if prev_state == \t\t
expect 0 R .*0x[0-9]+ [A-Z]
send \x15run -- nosuchprogram\t
expect here: a program and its arguments
send \x15enable sched_switch if ?
expect here: FIELD
expect prev_state
expect > enable sched_switch if $
send \x15events 'sched_?\x15events sched_switc?\r
expect sched:sched_switch
expect tracesh:top [^>]*> $
send marker a ?
expect marker a \?
send \x03
expect tracesh:top [^>]*> $
send \x04
S
	like "$out" '^usage: events ' 'TAB with nothing to offer shows the usage'
	unlike "$(printf '%s\n' "$out" | sed -n '/zzzz$/,/^usage/p' | cat -v)" '\^G' 'and no bell'
	is "$(printf '%s\n' "$out" | grep -c '^usage: events ')" 1 'once for a line'
	like "$out" '^  if FILTER  the kernel' '? at the end of the line explains the place'
	like "$out" 'marker a \?' 'and is a question mark elsewhere'

	at_prompt <<'S'
expect tracesh:top [^>]*> $
send \x1b[200~let a = 1\nbogus\nlet b = 2\n\nlet c = 3\x1b[201~\r
expect unknown command 'bogus'
expect 2 more pasted lines were not run; Up shows the whole text
expect tracesh:top [^>]*> $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' 'a paste ends at its first failure, which is said'

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send systems ?
expect list event systems
expect > systems $
send \rlet abc = sched:sched_switch\r
expect tracesh:top [^>]*> $
send alias look = info\r
expect tracesh:top [^>]*> $
send look sched:sched_sw\t\r
expect prev_comm
expect tracesh:top [^>]*> $
send look ${a\t\r
expect prev_comm
expect tracesh:top [^>]*> $
send set columns time,co\t\r
expect tracesh:top [^>]*> $
send \x1c!echo still  here\r
expect \nstill here\r
expect tracesh:top [^>]*> $
send !echo x\t
expect this is for sh
expect !echo x$
send \x15set prompt \t
expect set prompt '%b.*%p> $
send \x03
expect tracesh:top [^>]*> $
send \x04
S
	like "$out" '^\[exit 0\]$' 'Ctrl-\ at the prompt ends nothing'
	unlike "$out" '^sched ' 'Enter behind a ? does not run what was asked about'
	like "$out" '^this is for sh$' 'TAB in a command for sh says whose it is'
	like "$out" 'look sched:sched_switch' 'TAB knows what an alias means'
	like "$out" 'look \$\{abc\}' 'and variables'
	like "$out" 'set columns time,comm' 'and the rest of a list'

	# 3,000 functions, of which a screen is shown
	cp -r "$tree" functions && chmod -R u+w functions
	awk 'BEGIN { for (i = 0; i < 3000; i++) printf "vfs_%04d%s\n", i, i % 2 ? " [ext4]" : "" }' >functions/available_filter_functions
	at_prompt -q --tracefs functions <<'S'
expect tracesh:top [^>]*> $
send functions v\t\t\t
expect and [0-9,]* more, type more letters
expect > functions vfs_$
send 0001\t\x15functions s_29\t\t
expect vfs_2999
expect > functions s_29$
send \x03
expect tracesh:top [^>]*> $
send \x04
S
	like "$out" 'and 2,[0-9]* more, type more letters' 'thousands of functions: a screen of them'
	ok 'not more than that' test "$(printf '%s\n' "$out" | grep -c '^vfs_')" -le 50

	TERM=xterm at_prompt -q --color always <<'S'
expect > 
send enable
expect \[EVENT
send \x20sched_switch if prev_pid == 
expect VALUE
send \x15set hints off\r
expect > 
send enable 
send \x03
expect > 
send \x04
S
	like "$(printf '%s\n' "$out" | cat -v)" '\^\[\[2m \[EVENT\.\.\] \[--yes\] \[if FILTER\]\^\[\[0m' 'what comes next is shown dimly'
	unlike "$(printf '%s\n' "$out" | cat -v | sed -n '/hints off$/,$p' | sed 1d)" 'EVENT' 'not with set hints off'
	TERM=dumb at_prompt -q --color always <<'S'
expect > 
send enable 
send \x03
expect > 
send \x04
S
	unlike "$out" 'EVENT' 'nor on a dumb terminal'

	at_prompt -q <<'S'
expect tracesh:top [^>]*> $
send sys\t\t\x03
expect tracesh:top [^>]*> $
send systems\r
expect sched
expect tracesh:top [^>]*> $
send \x1b[A\r
expect sched
expect tracesh:top [^>]*> $
send \x04
S
	is "$(printf '%s\n' "$out" | grep -c 'ro> systems$')" 2 'the history has the last line'

	TERM=xterm at_prompt -q --color always <<'S'
expect tracesh:top
expect > 
send \x1b[200~systems\nclock\n\x1b[201~
expect clock
send \r
expect SYSTEM
expect boot
expect > 
send \x04
S
	like "$out" '^\[exit 0\]$' 'a pasted text of several lines is run'
	like "$(printf '%s\n' "$out" | cat -v)" '\^\[\[1mtracesh:top\^\[\[0;2m' 'colours when they are wanted'
	like "$(printf '%s\n' "$out" | cat -v | tail -n 3)" '\^\[\[\?2004l' 'bracketed paste is off at the end'

	TERM=xterm at_prompt -q <<'S'
expect > 
send info sched
size 10 40
send _switch\r
expect prev_comm
expect > 
signal TERM
S
	like "$out" '^\[exit 143\]$' 'the window may change its size'
}

program=$TRACESH
case $("$program" --version) in
*'(readline'*)
	plain_tests 'readline'
	readline_tests
	;;
*)
	plain_tests 'no readline'
	;;
esac
other=$BUILD/other/static/src/tracesh
if [ -x "$other" ]; then
	program=$other
	plain_tests 'no readline'
fi

run "$python" -I "$SRC/tests/helpers/pty.py" "$TRACESH" --tracefs "$TMP" <<'S'
expect no tracefs> 
send systems\r
expect error: 
expect no tracefs> 
send \x04
S
like "$out" '^\[exit 3\]$' 'without tracefs there is a prompt, and the reason'
done_testing
