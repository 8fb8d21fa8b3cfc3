#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# save, diff and --dry-run on a recorded tree. No root, nothing is traced.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
cp -r "$SRC/examples/recorded" tree && chmod -R u+w tree
mkdir tree/options tree/instances
echo 1 >tree/tracing_on
echo 'function nop' >tree/available_tracers
: >tree/set_event
echo '[local] global mono boot' >tree/trace_clock
for option in overwrite hash-ptr record-cmd copy_trace_marker; do
	echo 1 >"tree/options/$option"
done
for option in sym-addr sym-offset; do
	echo 0 >"tree/options/$option"
done
for event in sched/sched_switch sched/sched_process_fork sched/sched_wakeup; do
	echo 0 >"tree/events/$event/enable"
	echo none >"tree/events/$event/filter"
	: >"tree/events/$event/hist"
	printf '# Available triggers:\n# traceon traceoff\n' >"tree/events/$event/trigger"
done
echo 1408 >tree/buffer_size_kb
cp -r tree pristine

t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs tree "$@"
}

# commands [FILE]: those of a save
commands()
{
	grep -v '^#' "${1-out}"
}

# What is not as the kernel starts

t save
is "$status, $(commands)" '0, ' 'nothing is set'
ok 'and that is said' grep -q '^# nothing is set$' out
t diff
is "$status, $out" '0, ' 'diff: nothing either'

# a filter with what a lexer takes for its own, and what a terminal does
# shellcheck disable=SC2016
printf 'prev_comm ~ "a|b;c#$x ${y}" && next_comm != "it'\''s \033[31m"\n' >tree/events/sched/sched_switch/filter
cp tree/events/sched/sched_switch/filter wanted-filter
printf 'stacktrace:unlimited\ntraceoff:count=5 if child_pid > 5\n' >tree/events/sched/sched_process_fork/trigger
printf 'hist:keys=pid:vals=hitcount:w=common_timestamp:sort=hitcount:size=2048:clock=global [active]\n' \
	>tree/events/sched/sched_wakeup/trigger
# shellcheck disable=SC2016
printf '%s\n' 'enable_event:sched:sched_wakeup:unlimited' \
	'hist:x:keys=next_pid:l=common_timestamp-$w:sort=next_pid:size=256 if prev_pid > 1 [paused]' \
	>tree/events/sched/sched_switch/trigger
echo '1*' >tree/events/sched/sched_switch/enable
echo '0*' >tree/events/sched/sched_wakeup/enable
printf 'sched:sched_switch\nsched:sched_wakeup\n' >tree/set_event
echo 'local global [mono] boot' >tree/trace_clock
echo 4096 >tree/buffer_size_kb
echo 0 >tree/options/overwrite
echo 1 >tree/options/sym-addr
echo 2 >tree/tracing_cpumask
printf '10\n20\n' >tree/set_event_pid
printf '#### all functions enabled ####\n' >tree/set_ftrace_notrace
printf 'vfs_read [mod]\nvfs_write\nvfs_open:traceoff:count=2\nvfs_read:stacktrace:unlimited\n' >tree/set_ftrace_filter
printf 'p:kprobes/one vfs_read a=%%di\ns:synthetic/two\tu64 x\nu:program three\n' >tree/dynamic_events
echo function >tree/current_tracer
t save
esc=$(printf '\033')
cat >wish <<END
off
buffer 4M
clock mono
option overwrite off
option sym-addr on
cpus 1
write set_event_pid 10 20
functions filter vfs_write
append set_ftrace_filter vfs_read:mod:mod
append set_ftrace_filter vfs_open:traceoff:2
append set_ftrace_filter vfs_read:stacktrace
append dynamic_events 'p:kprobes/one vfs_read a=%di'
append dynamic_events 's:synthetic/two u64 x'
filter sched:sched_switch 'prev_comm ~ "a|b;c#\$x \${y}" && next_comm != "it'"'"'s ${esc}[31m"'
trigger sched:sched_process_fork traceoff:5 if 'child_pid > 5'
trigger sched:sched_process_fork stacktrace
trigger sched:sched_switch enable_event:sched:sched_wakeup
trigger sched:sched_wakeup hist:keys=pid:vals=hitcount:w=common_timestamp:sort=hitcount:size=2048:clock=global
trigger sched:sched_switch hist:name=x:keys=next_pid:l=common_timestamp-\$w:sort=next_pid:size=256:pause if 'prev_pid > 1'
clock mono
tracer function
enable sched:sched_switch
on
END
sed -i 's/^buffer 4M$/buffer 4096K/' wish
commands >got-commands
is "$(diff wish got-commands)" '' 'all of it, in the order in which it is made'
ok 'what a program keeps is a remark' grep -q '^# the event program three belongs to the program that made it$' out

# To a file, and back

t save one.tsh
is "$status" 0 'save FILE'
is "$(commands one.tsh | diff wish -)" '' 'has the same commands, byte for byte'
is "$(stat -c %a one.tsh)" 600 'is for its owner only'
t save one.tsh
is "$status" 1 'a file that is there stays'
for kind in 'symbolic link' FIFO folder; do
	case $kind in
	FIFO) mkfifo there ;;
	folder) mkdir there ;;
	*) ln -s one.tsh there ;;
	esac
	for flag in '' -f; do
		# shellcheck disable=SC2086 # nothing or a word
		t save $flag there
		is "$status, $(printf '%s\n' "$err" | sed -n 's/.*error: //p; $p')" "1, 'there' is a $kind
hint: $(case $kind in
		FIFO) echo 'save replaces only regular files; for a program: save | PROGRAM' ;;
		folder) echo 'save writes a file: give a name in it' ;;
		*) echo 'name the file that it leads to' ;;
		esac)" "save $flag: a $kind is not replaced"
	done
	rm -r there
done
t save -f one.tsh
is "$status" 0 'but with -f'
t diff one.tsh
is "$status, $out$err" '0, ' 'diff: the same'
grep -v ^functions one.tsh >there.tsh
t -n there.tsh
is "$status, $out$err" '0, ' '-n accepts what needs no running kernel'
t --json save
is "$(grep -c '^{"type":"setting","instance":"top","file":"[^"]*","value":".*"}$' out)" "$(wc -l <out)" 'JSON: a row a setting'
t --format csv save
is "$(sed -n 1,2p out)" 'instance,file,value
top,buffer_size_kb,4096' 'CSV'
run sh -c "exec 3>&1; timeout -k 5 20 '$TRACESH' --tracefs tree save | od -c | grep -c 033"
is "$out" 1 'a pipe has the bytes as they are'

# A terminal does not.
if command -v python3 >/dev/null; then
	run timeout -k 5 20 python3 -c "
import os, pty, sys
out = []
def read(fd):
    data = os.read(fd, 1024)
    out.append(data)
    return data
pty.spawn(['$TRACESH', '--tracefs', 'tree', 'save'], read)
sys.exit(b'\x1b[31m' in b''.join(out))"
	is "$status" 0 'a terminal gets no escape sequence of the kernel'
else
	skip 'a terminal gets no escape sequence of the kernel' 'no python3'
fi

echo 'global local [boot] mono' >tree/trace_clock
echo 0 >tree/options/sym-addr
printf '20\n30\n' >tree/set_event_pid
t diff one.tsh
is "$status" 1 'diff: status 1'
is "$out" '--- one.tsh
+++ now
-option sym-addr on
-write set_event_pid 10
+write set_event_pid 30
-clock mono
+clock boot' 'each setting that differs'
t save two.tsh
cp out saved
t diff two.tsh one.tsh
is "$(sed 1,2d out | sort)" '+clock mono
+option sym-addr on
+write set_event_pid 10
-clock boot
-write set_event_pid 30' 'and the other way round'
t --json diff one.tsh two.tsh
is "$(sed -n 4p out)" '{"type":"difference","instance":null,"file":"trace_clock","before":"mono","after":"boot"}' 'JSON'
run "$TRACESH" --tracefs /nonexistent diff one.tsh two.tsh
is "$status" 1 'two files need no tracefs'
run "$TRACESH" --tracefs /nonexistent diff one.tsh
is "$status" 2 'one does: trouble'
t diff - <one.tsh
is "$status" 1 'stdin'

# What is no save

# refused NAME TEXT MESSAGE
refused()
{
	printf '%s\n' "$2" >odd.tsh
	t diff odd.tsh
	is "$status" 2 "$1: status 2"
	like "$err" "$3" "$1: is said"
	is "$out" '' "$1: nothing is printed"
}
refused 'another command' 'off
stream' "odd.tsh:2: 'stream' is no command of a save"
refused 'too many words' 'clock mono boot' 'odd.tsh:1: too many words'
refused 'too few words' 'option x' 'odd.tsh:1: a word is missing'
refused 'an event without its system' 'enable  sched_switch' "odd.tsh:1: 'sched_switch' is no event"
like "$err" '^hint: write sched:sched_switch$' 'and what it is called'
refused 'no event at all' 'enable nosuch' "odd.tsh:1: 'nosuch' is no event"
unlike "$err" '^hint: write' 'of that nothing is said'
refused 'an open quote' "filter a:b 'x" 'odd.tsh:1: unterminated quote'
refused 'a variable' 'write x "${y}"' 'odd.tsh:1: '
printf 'off\0on\n' >odd.tsh
t diff odd.tsh
is "$status" 2 'a file with a NUL: status 2'

# As parameters of the kernel

t save --boot
is "$status" 0 'save --boot'
is "$(commands)" 'trace_buf_size=4096K
trace_clock=boot
trace_options=nooverwrite
ftrace_filter=vfs_write
kprobe_event=p:kprobes/one,vfs_read,a=%di
trace_trigger="sched_process_fork.traceoff:5 if child_pid > 5,sched_process_fork.stacktrace,sched_switch.enable_event:sched:sched_wakeup,sched_wakeup.hist:keys=pid:vals=hitcount:w=common_timestamp:sort=hitcount:size=2048:clock=global,sched_switch.hist:name=x:keys=next_pid:l=common_timestamp-$w:sort=next_pid:size=256:pause if prev_pid > 1"
ftrace=function
trace_event=sched:sched_switch' 'what has a parameter'
for comment in 'cpus 1' 'write set_event_pid 20' 'append set_ftrace_filter vfs_open:traceoff:2' \
	"append dynamic_events 's:synthetic/two u64 x'" 'filter sched:sched_switch '; do
	ok "what has none is a comment: $comment" grep -qF "# no parameter: $comment" out
done
t save --boot boot
# a list of tasks is one setting
has_none=$(grep '^# no parameter: ' boot | sed 's,\(write set_event_pid\) .*,\1,' | uniq | wc -l)
ok 'some have none' test "$has_none" -gt 4
t save all.tsh
total=$(sed 's/ .*//' err)
is "$(sed -n 1p err)" "$total settings saved in all.tsh" 'save FILE counts all'
t save --boot -f boot
is "$(cat err)" "$((total - has_none)) saved, $has_none have no parameter: see boot" 'save --boot FILE those that have one'
t save -a --boot
is "$status" 2 'not of all instances'

# A file that cannot be read
rm -rf many && cp -r pristine many && mkdir many/set_ftrace_filter
for command in save 'save unread.tsh' diff; do
	# shellcheck disable=SC2086
	run "$TRACESH" --tracefs many $command
	is "$status" 0 "a file that cannot be read: $command goes on"
	like "$err" '^not looked at: set_ftrace_filter \([A-Z][a-z ]+\)$' "and says so: $command"
done
ok 'it stands in the file, too' grep -q '^# set_ftrace_filter cannot be read: ' unread.tsh
rm -rf many unread.tsh && cp -r pristine many && rm -rf many/per_cpu && echo X >many/buffer_size_kb
for command in 'save unread.tsh' diff; do
	# shellcheck disable=SC2086
	run "$TRACESH" --tracefs many $command
	like "$err" '^not looked at: buffer_size_kb \(the CPUs cannot be listed\)$' "nor are sizes of CPUs that are not known: $command"
done
ok 'which stands in the file' grep -q '^# the sizes of the buffers are left out: the CPUs cannot be listed$' unread.tsh

# A trigger's filter stands in quotes, which a file that a shell reads has around all; the kernel takes 32 triggers.
rm -rf many && cp -r pristine many
seq 33 | sed 's/.*/stacktrace:& if prev_pid > 1 \&\& prev_prio < & | 3/' >many/events/sched/sched_switch/trigger
run "$TRACESH" --tracefs many save --boot
is "$(commands | tr , '\n' | grep -c '\.stacktrace:')" 32 '32 triggers are in the parameter'
like "$(commands)" '[".]stacktrace:32 if prev_pid > 1 && prev_prio < 32 \| 3[,"]|sched_switch.stacktrace:32' 'with their filters'
like "$out" '^# the kernel takes 32 triggers there, not these:$' 'why one is not'
like "$out" '^# no parameter: trigger sched:sched_switch stacktrace:' 'which is a comment'
like "$out" '^# in /etc/default/grub its quotes are \\"' 'and what its quotes are elsewhere'

# An instance may have the name that stands for the top-level one.
rm -rf many && cp -r pristine many && mkdir many/instances/top
cp -r pristine/events pristine/trac* pristine/current_tracer pristine/options pristine/set_event many/instances/top
echo 0 >many/instances/top/options/copy_trace_marker
echo 'local global [mono] boot' >many/instances/top/trace_clock
run "$TRACESH" --tracefs many save -a
is "$(commands)" 'try instance create instances/top else instance use instances/top

instance use top

instance use instances/top
off
clock mono
on' 'an instance called top is not the top-level one'
cp out saved-top
run "$TRACESH" --tracefs many diff saved-top
is "$status $out" '0 ' 'and is found again'
run "$TRACESH" --tracefs many -i instances/top clock
like "$out" 'mono' 'by -i'
run "$TRACESH" --tracefs many -i top clock
like "$out" 'local' 'which has the top-level one by its name'

# Of a tree that somebody has made an event may have any name: none is another parameter.
rm -rf evil && mkdir evil
cp -r pristine/. evil && mkdir -p evil/instances/hall && cp -r pristine/events pristine/trace* pristine/current_tracer pristine/options \
	evil/instances/hall
: >evil/instances/hall/set_event
for where in evil evil/instances/hall; do
	for event in 'x init=' 'x,y' 'x;y'; do
		cp -r evil/events/sched/sched_switch "$where/events/sched/$event"
		printf 'sched:%s\n' "$event" >>"$where/set_event"
		echo 1 >"$where/events/sched/$event/enable"
	done
	echo sched:sched_switch >>"$where/set_event"
	echo 1 >"$where/events/sched/sched_switch/enable"
done
run "$TRACESH" --tracefs evil -i hall save --boot
is "$(commands)" trace_instance=hall,sched:sched_switch 'events with odd names are no part of an instance'
like "$out" '^# no parameter: .*x init=' 'but comments'
run "$TRACESH" --tracefs evil save --boot
is "$(commands | grep event)" trace_event=sched:sched_switch 'nor of the top-level one'

# Nor has it a byte that the kernel takes for a blank, or a shell, which reads /etc/default/grub, for a command.
rm -rf evil && cp -r pristine evil
nbsp=$(printf '\240') vt=$(printf '\vinit=b')
# shellcheck disable=SC2016 # names that look like commands
for word in "x$vt" "x$nbsp" 'x init=b' '$(pwn)' '${pwn}' '`pwn`' 'x;pwn' 'x&pwn' "x'pwn" 'x\pwn' 'x<pwn' 'x=pwn'; do
	echo 1 >"evil/options/$word"
	for list in set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace; do
		echo "$word" >>evil/$list
	done
	case $word in
	'x init=b' | 'x&pwn' | 'x<pwn' | 'x=pwn') ;; # in the quotes of the parameter
	*)
		echo "p:a/$word vfs_read" >>evil/dynamic_events
		echo "traceoff if $word == 1" >>evil/events/sched/sched_switch/trigger
		;;
	esac
done
for word in "x$vt" "x$nbsp" "$(printf 'nop\tinit=b')" "$(printf 'nop\rinit=b')" '$(pwn)' 'x;pwn'; do
	echo "[$word]" >evil/trace_clock
	for file in current_tracer tracing_thresh max_graph_depth; do
		echo "$word" >evil/$file
	done
	run "$TRACESH" --tracefs evil save --boot
	is "$(grep -av '^#' out)" '' "no parameter: $(echo "$word" | LC_ALL=C tr -c ' -~\n' '?')"
done
ok 'but comments' grep -aq '^# no parameter: option .*pwn' out

# --dry-run, for another machine: the script writes to a folder of files here

# body FILE: of a script, without its functions
body()
{
	sed '1,/^# ---- what it does/d; /^$/d' "$1"
}

rm -rf tree tree2 && cp -r pristine tree2 && cp -r pristine tree
run "$TRACESH" --tracefs tree2 --dry-run -f one.tsh
is "$status, $(echo "$err" | sed 's/[0-9][0-9]* events/N events/' | uniq)" "0, " '--dry-run of a save'
cp out script.sh
is "$(diff -r tree tree2)" '' 'writes nothing'
ok 'it is sh' sh -n script.sh
for command in 'clock mono' 'cpus 1' 'tracer function'; do
	ok "it names the command: $command" grep -qxF "# $command" script.sh
done
run env TRACEFS="$TMP/nowhere" sh script.sh
is "$status" 3 'where no tracefs is it stops'
# it looks at each file before it writes it
body script.sh | sed -nE 's/^(put|size|list|more|add|changes) ([^ ]*).*/\2/p' | while read -r file; do
	case $file in */*) mkdir -p "tree2/${file%/*}" ;; esac
	[ -e "tree2/$file" ] || : >"tree2/$file"
done
run env TRACEFS="$TMP/tree2" sh script.sh
is "$status, $err" '0, ' 'with TRACEFS it writes there'
is "$(cat tree2/trace_clock)" mono 'one value'
is "$(cat tree2/events/sched/sched_process_fork/trigger | tail -n 1)" stacktrace 'a line that is added'
is "$(cat tree2/events/sched/sched_switch/filter)" "$(cat wanted-filter)" 'a filter, byte for byte'
t --dry-run -c "marker \"it's\"" -c 'instance create x' -c 'clock mono' -c 'clock mono' -c 'wait 2s' -c 'wait 10ms' -c 'cat trace_clock' \
	-c 'show -n 2 | tail -n 1' -c 'stream -n 3 sched_switch' -c 'instance delete x'
is "$(body out)" '# marker "it'\''s"
printf %s '\''it'\''\'\'''\''s'\'' > "$TRACEFS"/trace_marker
# instance create x
make x
# clock mono
put instances/x/trace_clock mono
# clock mono
#   (nothing to write)
# wait 2s
pause 2
# wait 10ms
pause 0.010 1
# cat trace_clock
cat "$TRACEFS"/instances/x/trace_clock
# show -n 2
tail -n 2 "$TRACEFS"/instances/x/trace | sh -c '\''tail -n 1'\'' || :
# stream -n 3 sched_switch
own_begin
without_us
put "$own"events/sched/sched_switch/enable 1
follow "$own" 3 '\'''\'' "$own"tracing_on
own_end
# instance delete x
remove x' 'commands and what they write'
t --dry-run -c 'clock mono' -c 'clock nosuch'
is "$status, $out" '1, ' 'a batch that fails is no script'
t --dry-run --keep-going -c 'clock mono' -c 'clock nosuch' -c 'option sym-addr on'
is "$status, $(grep -c '^put ' out)" '1, 2' 'but with --keep-going'
t --dry-run --restore -c 'option sym-addr on'
is "$(body out)" '# option sym-addr on
put options/sym-addr 1
undo_to 0' '--restore is in the script'
t --dry-run -c 'append kprobe_events p:my/probe do_sys_open' -c 'enable my:probe' -c 'filter my:probe common_pid == 1' \
	-c 'append kprobe_events -:my/probe' -c 'try enable my:probe'
is "$status, $(grep -c -e '^put ' -e '^add ' out)" '0, 4' 'an event that the script makes is there, and goes'
t -n -c 'append kprobe_events p:my/probe do_sys_open' -c 'enable my:probe'
is "$status" 0 '-n knows it too'
t -n -c 'enable my:probe'
is "$status" 1 'and only then'
t --dry-run -c 'off' -c 'save x.tsh' -c 'off -o'
is "$status" 2 'errors of syntax are found first'

# --dry-run for the kernel of a recording; the script writes to a folder of files here

run "$TRACESH" --tracefs pristine --dry-run -c 'filter sched_switch prev_pid == 1' -c 'pid no-such-task' -c 'clock mono' -c undo
is "$status, $err" '0, ' 'the dry run for a recorded tree'
ok 'its head says so' grep -q '^# by tracesh --dry-run; made for: the recorded tree' out
ok 'a task is looked for where it runs' grep -qx 'these_tasks list set_event_pid no-such-task' out
ok 'it is sh' sh -n out
for how in '--tracefs nowhere' '--tracefs none'; do
	# shellcheck disable=SC2086 # two words
	run "$TRACESH" $how --dry-run -c 'help | touch touched' -c 'clock mono'
	is "$status, $out" '3, ' "$how: no script for a kernel that is not known"
	like "$err" "error: cannot open '${how#* }'" 'which says why'
	ok 'and nothing runs in its place' test ! -e touched
done
run "$TRACESH" --tracefs none status
is "$status" 3 'without a tracefs there is nothing else'

done_testing
