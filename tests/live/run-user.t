#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run --user: the program of another user gets no way to our terminal and our files, and a terminal of its own.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
[ -n "$PYTHON" ] || skip_all 'no python3'
grep -q '^nobody:' /etc/passwd || skip_all 'no such account: nobody'
chmod 755 "$TMP"
mkdir "$TMP/nobody"
chown nobody "$TMP/nobody"
# nobody may read it there
cp "$SRC/tests/helpers/keep-end.py" "$TMP/keep-end.py"
chmod 644 "$TMP/keep-end.py"

# in_shell: root's shell on a terminal, with the script of pty.py on stdin; $RUN is the command before its program
in_shell()
{
	run env TRACESH="$TRACESH" RUN="run -o /dev/null --user nobody sched:sched_process_exec --" OTHER="$TMP/other" \
		ENV= "$PYTHON" -I "$SRC/tests/helpers/pty.py" sh -i
	[ "$status" -eq 0 ] || diag "$out
$err"
}

# what keep-end.py has started goes
end_keeper()
{
	read -r keeper number <"$TMP/nobody/keeper"
	kill -KILL "$keeper"
	rm "$TMP/nobody/keeper"
}

cat >"$TMP/types" <<'S'
import fcntl, os, termios
for fd in 0, 1, 2, os.open("/dev/tty", os.O_RDWR):
    try:
        for c in "echo typed-$((40+2))\n":
            fcntl.ioctl(fd, termios.TIOCSTI, c)
        print("has typed on", fd)
    except OSError as e:
        print("may not type on", fd, e)
S

begin 'a program that types'
in_shell <<S
expect [\$#] $
send "\$TRACESH" \$RUN $PYTHON -I $TMP/types\r
expect type.* on
expect [\$#] $
send echo and the shell\r
expect the shell
expect [\$#] $
send exit\r
S
is "$status" 0 "$case_name: ends, and the shell goes on"
unlike "$out" 'typed-42' "$case_name: types nothing into the shell that we were started from"
in_shell <<S
expect [\$#] $
send echo input | "\$TRACESH" \$RUN $PYTHON -I $TMP/types\r
expect type.* on
expect [\$#] $
send exit\r
S
unlike "$out" 'typed-42' "$case_name: with stdin from a pipe: neither"

begin 'another terminal has the name of its own'
mkdir "$TMP/pts" "$TMP/dev"
if mount -t tmpfs tmpfs "$TMP/dev" && mount -t devpts -o newinstance,ptmxmode=0666 devpts "$TMP/pts" 2>/dev/null; then
	# a /dev whose terminals come from another devpts than the one that it shows
	cp -a /dev/null /dev/zero /dev/tty /dev/urandom "$TMP/dev"
	ln -s "$TMP/pts/ptmx" "$TMP/dev/ptmx"
	mkdir "$TMP/dev/pts"
	# shellcheck disable=SC2016 # for the inner shell
	in_shell <<S
expect [\$#] $
send mount --bind $TMP/dev /dev && "\$TRACESH" \$RUN sh -c 'test -t 0 && echo it-has-\$((40+2))'\r
expect it-has-42|rror
expect [\$#] $
send umount /dev; exit\r
S
	like "$out" 'it-has-42' "$case_name: it gets its own, whatever stands in /dev/pts"
	umount "$TMP/pts" "$TMP/dev"
else
	skip "$case_name" 'no devpts of its own can be mounted'
fi

begin 'what it has'
echo secret >"$TMP/secret"
chmod 600 "$TMP/secret"
exec 8<"$TMP/secret"
t run -o "$TMP/events" --user nobody sched:sched_process_exec -- ls -l /proc/self/fd
expect 0 'succeeds'
unlike "$out" ' ([4-9]|[1-9][0-9]+) -> | 3 -> [^/]*/[^p]' "$case_name: no descriptor of ours but the first three"
t run -o "$TMP/events" sched:sched_process_exec -- cat /proc/self/fd/8
prints '^secret$' 'a program of our own user has them'
exec 8<&-
# shellcheck disable=SC2016 # for the inner shell
t run -o "$TMP/events" --user nobody sched:sched_process_exec -- sh -c 'cut -d" " -f1,6,7 /proc/self/stat; id -G; grep -h ^Cap /proc/self/status'
prints ' 0$' 'no terminal'
unlike "$out" "^[0-9]+ $(cut -d' ' -f6 /proc/self/stat) " "$case_name: a session of its own"
unlike "$out" '^0( |$)| 0 ' "$case_name: no group of ours"
unlike "$out" 'Cap(Inh|Prm|Eff|Amb):.*[1-9a-f]' "$case_name: no capability"
run setpriv --inh-caps=+dac_read_search "$TRACESH" run -o "$TMP/events" --user nobody sched:sched_process_exec -- \
	grep ^Cap /proc/self/status
prints '^CapInh:.*0$' 'of a caller who hands some down'
unlike "$out" 'CapInh:.*[1-9a-f]' "$case_name: none for the capabilities of a file"
[ -e /proc/keys ] && ! t run -o "$TMP/events" --user nobody sched:sched_process_exec -- cat /proc/keys && unlike "$out" ' 0 +-?[0-9]+ keyring +_ses' "$case_name: no keys of ours"

command="run -o $TMP/events --user nobody sched:sched_process_exec -- readlink /proc/self/fd/0"
printf '%s\nhelp quit\n' "$command" >"$TMP/script"
for option in '' '-f -'; do
	# shellcheck disable=SC2086 # two words or none
	run "$TRACESH" $option <"$TMP/script"
	expect 0 'of a batch on stdin'
	prints '^/dev/null$' 'has not the place in it'
	prints '^quit \[' 'which goes on'
done
run "$TRACESH" -c "$command" -f - <"$TMP/script"
prints '^/dev/null$' 'nor has one that runs before it'
unlike "$out" '/script' "$case_name: in neither"
echo input >"$TMP/input"
t run -o "$TMP/events" --user nobody sched:sched_process_exec -- cat <"$TMP/input"
prints '^input$' 'a stdin that no commands come from is its own'

begin 'a terminal of its own'
in_shell <<'S'
expect [$#] $
size 30 90
send "$TRACESH" $RUN sh -c 'stty size; trap "stty size; exit 4" WINCH; read -r line; echo "line: $line" | tr a-z A-Z; while sleep 0.1; do :; done'\r
expect \n30 90
send abc\r
expect LINE: ABC
size 20 70
expect \n20 70
expect [$#] $
send echo status $?\r
expect status 4
send stty -a | grep -o ' icanon' && echo cooked\r
expect \ncooked
expect [$#] $
send "$TRACESH" $RUN sh -c 'trap "exit 5" INT; echo begun; while sleep 0.1; do :; done'\r
expect \nbegun
send \x03
expect [$#] $
send echo status $?\r
expect status 5
send "$TRACESH" $RUN sh -c 'trap "" INT; echo begun; while sleep 0.1; do :; done'\r
expect \nbegun
send \x03\x03\x03
expect [$#] $
send echo status $?\r
expect status 130
send exit\r
S
is "$status" 0 "$case_name: has the size, the keys, and Ctrl-C"

begin 'a terminal with other modes'
in_shell <<'S'
expect [$#] $
send tty >"$OTHER"\r
expect [$#] $
send "$TRACESH" $RUN sh -c 'trap "echo int" INT; stty intr x olcuc; echo begun; while :; do sleep 0.1; done'\r
expect \nBEGUN
shell stty -a -F "$(cat "$OTHER")" | grep -q ' -olcuc'
send x
expect INT
shell sleep 0.2
send x
expect INT
shell sleep 0.2
send x
expect INT
send \x03\x03\x03
expect [$#] $
send echo status $?\r
expect status 130
send exit\r
S
is "$status" 0 "$case_name: ours has none but its line ends, and our key for Ctrl-C"

begin 'a program that takes Ctrl-C for a key'
in_shell <<'S'
expect [$#] $
send "$TRACESH" $RUN sh -c 'stty -isig -icanon -echo; echo begun; od -An -v -tx1 -w1 -N1; echo "has it"; sleep 600'\r
expect \nbegun
send \x03
expect \n 03
expect has it
send \x03\x03\x03
expect [$#] $
send echo status $?\r
expect status 130
send stty -a | grep -o ' icanon' && echo cooked\r
expect \ncooked
send exit\r
S
is "$status" 0 "$case_name: has one, and the third within a second ends it"

begin 'a program that takes no keys'
# more than its terminal keeps, and the relay
keys=$(head -c 80000 /dev/zero | tr '\0' k)
in_shell <<S
expect [\$#] \$
send "\$TRACESH" \$RUN sh -c 'stty -icanon -echo; trap "" INT; echo begun; sleep 600'\r
expect \nbegun
send $keys
send \x03\x03\x03
expect [\$#] \$
send echo status \$?\r
expect status 130
send exit\r
S
is "$status" 0 "$case_name: Ctrl-C is heard behind those that wait"

begin 'a pipe on stdin'
in_shell <<'S'
expect [$#] $
send sleep 5 | "$TRACESH" $RUN sh -c 'trap "exit 5" INT; echo begun; while sleep 0.1; do :; done'\r
expect \nbegun
send \x03
expect [$#] $
send echo status $?\r
expect status 5
send exit\r
S
is "$status" 0 "$case_name: Ctrl-C is the program's too"

begin 'a program for the whole screen'
if command -v top >/dev/null; then
	in_shell <<'S'
expect [$#] $
send TERM=xterm "$TRACESH" $RUN top\r
expect load average
expect PID
send q
expect [$#] $
send stty -a | grep -o ' icanon' && echo cooked\r
expect \ncooked
send exit\r
S
	is "$status" 0 "$case_name: top shows its screen, and ends with its key"
else
	skip "$case_name" 'no top'
fi

begin 'killed'
in_shell <<'S'
expect [$#] $
send "$TRACESH" $RUN sh -c 'echo begun; sleep 60'\r
expect \nbegun
shell pkill -KILL -x -f "$TRACESH run -o /dev/null --user nobody.*"
shell while pgrep -x trsh-terminal; do sleep 0.05; done
expect [$#] $
send stty -a | grep -o ' icanon' && echo cooked\r
expect \ncooked
send exit\r
S
is "$status" 0 "$case_name: the terminal is as it was"

begin 'a debugger of its own user keeps its end'
# keeps WHAT: runs the program in every way; each comes to its end though its debugger lives
keeps()
{
	run timeout 30 "$TRACESH" run -o "$TMP/events" --user nobody sched:sched_process_exec -- \
		"$PYTHON" -I "$TMP/keep-end.py" "$1" "$TMP/nobody/keeper"
	skip_unheld "$1: run ends" || return 0
	expect 1 "$1: run ends"
	like "$err" 'process [0-9]+ has ended, but its status is not known: a debugger holds it back' "$case_name: $1: and says so"
	end_keeper
	run timeout 30 "$TRACESH" -c "help quit | exec setpriv --reuid nobody --clear-groups $PYTHON -I $TMP/keep-end.py $1 $TMP/nobody/keeper"
	expect 0 "$1: behind |: ends"
	like "$err" "the status of process [0-9]+ behind '\|' is not known: a debugger holds it back" "$case_name: $1: behind |: and says so"
	end_keeper
	in_shell <<S
expect [\$#] $
send "\$TRACESH"\r
expect top> $
send !exec setpriv --reuid nobody --clear-groups $PYTHON -I $TMP/keep-end.py $1 $TMP/nobody/keeper\r
expect held
expect top> $
send quit\r
expect [\$#] $
send exit\r
S
	is "$status" 0 "$case_name: $1: behind !: the prompt comes back"
	end_keeper
}
# false: it is skipped, as a debugger is not to be had here
skip_unheld()
{
	case $out in
	*'not held'*) skip "$case_name: $1" 'no process can be traced here' && return 1 ;;
	esac
}
keeps process
keeps thread

begin 'a debugger holds it so that SIGKILL does not end it'
start "$TMP/out" "$TRACESH" run -o "$TMP/events" --user nobody sched:sched_process_exec -- \
	"$PYTHON" -I "$TMP/keep-end.py" exit "$TMP/nobody/keeper"
await grep -q held "$TMP/out"
if grep -q 'not held' "$TMP/out"; then
	skip "$case_name" 'no process can be traced here'
else
	read -r keeper number <"$TMP/nobody/keeper"
	await grep -q '^State:.t' "/proc/$number/status"
	kill -TERM "$child"
	ended "$child"
	is "$status" 143 "$case_name: SIGTERM ends run"
	like "$(cat "$TMP/out.err")" "process $number does not end, not even by SIGKILL: it is left alone" "$case_name: which says so"
fi
end_keeper
reap

finish
