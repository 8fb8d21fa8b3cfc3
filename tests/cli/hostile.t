#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# A recorded tree whose every name and text is hostile: nothing of it reaches the terminal, JSON stays JSON and CSV CSV.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3) || skip_all 'no python3'
cd "$TMP" || exit 1
cp -R "$SRC/examples/recorded" tree
chmod -R u+w tree
"$python" -I "$SRC/tests/helpers/hostile-tree.py" tree || skip_all 'this file system cannot hold such names'

mkfifo asked answered
"$python" -I "$SRC/tests/helpers/safe-output.py" --serve <asked >answered &
exec 5>asked 6<answered

# is_safe KIND FILE WHAT
is_safe()
{
	echo "$1 $2" >&5
	answer=
	read -r answer <&6
	is "$answer" safe "$3"
}

# safe KIND WHAT: of the last run
safe()
{
	is_safe "$1" "$TMP/out" "$2"
	is_safe text "$TMP/err" "$2: stderr"
}

# The file stays small, and every way of printing is in it. Those of which something must come are marked.
cat >commands <<'COMMANDS'
!events
events --on
!systems
!info evil:plain
!info *:*
!info sched:sched_switch
functions
functions a*
struct node
struct --lang c node
!struct outer.e en node
ps
!enable
!filter
filter evil:plain
filter *:*
pid
tracer
tracer nosuch
clock
clock nosuch
buffer
option
option ev
cpus
!cat error_log
!cat events/evil/plain/trigger
!cat trace
cat events
cat instances
cat options
!show
show -n 3
show --since 1.0
!drain
drain -n 5
drain --since 0.1
!status
status -a
stats
time 3.170348
instance
instance nosuch
filter evil:plain nosuch == 1
enable sched:* if nosuch == 1
events nosuch
info nosuch
caps
doctor
journal
trigger
trigger evil:plain
snapshot
COMMANDS

# Looked at together, as each start of the one that looks takes longer than the command: a file for each, of its name.
for format in text json csv; do
	mkdir $format
	while IFS= read -r command; do
		must=${command%%[a-z]*}
		command=${command#!}
		run "$TRACESH" --tracefs tree --format $format -c "$command"
		case $err in *"unknown command"*) continue ;; esac
		[ "$status" -lt 4 ] || fail "$format: $command: ends with $status"
		[ -z "$must" ] || [ -s "$TMP/out" ] || fail "$format: $command: prints something"
		name=$(printf '%s' "$command" | tr / _)
		cp "$TMP/out" "$format/$name.out"
		cp "$TMP/err" "$format/$name.err"
	done <commands
	ok "$format: all that the commands print" "$python" -I "$SRC/tests/helpers/safe-output.py" $format $format/*.out
	ok "$format: and say" "$python" -I "$SRC/tests/helpers/safe-output.py" text $format/*.err
	is "$(find $format -name '*.out' | wc -l)" "$(wc -l <commands)" "$format: of each"
done
run "$TRACESH" --tracefs tree --format text --color always -c 'status -a'
ok 'the poison is in the tree' grep -q 'x1b' "$TMP/out"
run "$TRACESH" --tracefs tree drain
like "$out" 'x1b|u\{202e\}' 'and in its events'

for words in "enable ''" "enable sy" "enable evil:" "instance ''" "option ''" "clock ''" "tracer ''" "pid ''" "cat ''" \
	"cat options/" "filter evil:plain ''" "info =" "functions filter a" "trigger ''" "struct ''" "struct node."; do
	eval "run \"\$TRACESH\" --tracefs tree --complete $words"
	safe text "--complete $words"
done

# The same at the prompt: what TAB offers, and the prompt itself. What the shell itself sends is left out.
run "$python" -I "$SRC/tests/helpers/pty.py" "$TRACESH" --color never --tracefs tree -q <<'S'
expect > $
send enable s\t\t
expect sched:
send \x15instance \t\t
expect top
send \x15cat options/\t\t
send \x15quit\r
S
sed 's/\x1b\[?2004[hl]//g; s/\x1b\[K//g; s/\x1b\[[0-9]*[CD]//g; s/\x1b\[[0-9]*[PG@]//g; s/[\x07\x08]//g' "$TMP/out" >screen
cp screen "$TMP/out"
: >"$TMP/err"
safe text 'TAB and the prompt'
case $("$TRACESH" --version) in
*'no readline'*) ;;
*) like "$(cat screen)" '^=in +an instance' 'TAB shows what can be shown' ;;
esac

# No plugin is ever loaded, wherever the libraries would look for one: its constructor would leave a file.
if command -v "${CC:-cc}" >/dev/null; then
	mkdir -p plugins "$HOME/.local/lib/traceevent/plugins" "$HOME/.traceevent/plugins"
	cat >plugin.c <<'C'
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void)
{
	close(open("loaded", O_WRONLY | O_CREAT, 0600));
}
int TEP_PLUGIN_LOADER(void *tep) { (void)tep; loaded(); return 0; }
C
	ok 'the plugin builds' "${CC:-cc}" -shared -fPIC -o plugins/plugin_evil.so plugin.c
	cp plugins/plugin_evil.so "$HOME/.local/lib/traceevent/plugins"
	cp plugins/plugin_evil.so "$HOME/.traceevent/plugins"
	env LD_PRELOAD=./plugins/plugin_evil.so /bin/true
	ok 'its constructor leaves a file' test -e loaded
	rm -f loaded
	for command in drain 'info *:*' 'events' 'show' 'status -a'; do
		run env TRACEEVENT_PLUGIN_DIR="$TMP/plugins" TRACE_CMD_PLUGIN_DIR="$TMP/plugins" "$TRACESH" --tracefs tree "$command"
		run env TRACEEVENT_PLUGIN_DIR="$TMP/plugins" "$TRACESH" --tracefs tree -c "$command"
		[ ! -e loaded ] || fail "$command loads a plugin"
	done
	ok 'no plugin was loaded' test ! -e loaded
else
	skip 'no plugin is loaded' 'no C compiler'
fi

# What a file of others could do.
echo 'help quit' >open.tsh
chmod 666 open.tsh
run "$TRACESH" open.tsh
is "$status $out" '1 ' 'a batch file that anybody can write does not run'
is "$err" "tracesh: error: 'open.tsh' is not read: others may write to it
hint: chmod go-w open.tsh" 'it says why, and what to type'
run "$TRACESH" -q -n -c 'source open.tsh'
is "$status" 1 'nor under source'
like "$err" "error: 'open.tsh' is not read: others may write to it" 'it says so there, too'
run "$TRACESH" <open.tsh
is "$status" 0 'on stdin it runs: the shell has opened it'
: >kept
ln -s kept link
run "$TRACESH" -o link help
is "$status, $err" "1, tracesh: error: 'link' is a symbolic link
hint: name the file that it leads to" '-o follows no link'
if [ -w /dev/shm ]; then
	shm=/dev/shm/tracesh-test-$$
	ln -s "$TMP/kept" "$shm"
	run "$TRACESH" -o "$shm" help
	is "$status" 1 'nor in /dev/shm'
	run "$TRACESH" -c "help -o $shm"
	is "$status" 1 'nor that of a command'
	rm -f "$shm"
else
	skip '-o in /dev/shm' 'there is none'
fi
ok 'nothing was written through it' test ! -s kept
run "$TRACESH" -o /dev/stdout help quit
like "$out" '^quit' '/dev/stdout is a link by nature'
for input in "-c '!touch shelled'" "<bang" "bang.tsh"; do
	echo '!touch shelled' >bang
	cp bang bang.tsh
	eval "run \"\$TRACESH\" $input"
	is "$status" 2 "'!' is for the prompt only: $input"
done
ok 'no shell was started' test ! -e shelled

done_testing
