#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers
# beside others
# time limit: 600
# Text of others on a real tracefs: what is written down and read back, by us or by a shell. (What is printed: live/hostile.)
# shellcheck disable=SC2016 # names that look like commands are not to be executed
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-state.sh"

cd "$TMP" || exit 1

# task NAME COMMAND: a task of that name that does it each 10 ms; its pid is $task
task()
{
	sh -c 'printf %s "$1" >/proc/$$/comm; while :; do eval "$2"; sleep 0.01; done' sh "$1" "$2" &
	task=$!
	children="$children $task"
	printf '%s\n' "$1" >"$TMP/name"
	true_that 'the task has its name' await diff -a "$TMP/name" "/proc/$task/comm"
}

# ---- a name table ----

begin 'in a recording one task does not name another'
fresh
task spin "echo spins >$D/trace_marker"
spin=$task
task "a
$spin ssh" "echo evil >$D/trace_marker"
evil=$task
task 'c\n$x' "echo slashes >$D/trace_marker"
slashes=$task
# the kernel saves names at a switch; no event of this recording tells one
echo 1 >"$D/events/sched/sched_wakeup/enable"
t --private record --for 1s "$TMP/recorded" signal:signal_generate raw_syscalls:sys_enter \
	if "common_pid == $spin || common_pid == $evil || common_pid == $slashes"
expect 0 'record'
like "$(head -n 1 recorded/tracesh/comms)" '^# escaped$' 'the names are escaped'
same "$(LC_ALL=C tr -d '\n' <recorded/tracesh/comms | LC_ALL=C tr -cd '\000-\037\177' | wc -c)" 0 'without control bytes'
t --tracefs recorded drain
prints "^ *spin-$spin " 'the task has its own name'
unlike "$out" "ssh-$spin" "$case_name: and not that of a line of the other"
prints "^ *a.n$spin ssh-$evil " 'the other one, too'
t --tracefs recorded --json drain
prints "\"pid\":$slashes,.*\"comm\":\"c..n.x\""
# as it was written before names were escaped
printf '%s a\n%s ssh\n%s spin\n' "$evil" "$spin" "$spin" >recorded/tracesh/comms
printf '%s a\n%s ssh\n' "$evil" "$spin" >recorded/saved_cmdlines
t --tracefs recorded drain
unlike "$out" "ssh-$spin" "$case_name: nor in an old recording"
prints "<\.\.\.>-$spin " 'nobody knows it there'

# ---- a script of sh, a batch file ----

# shells: those that read the script
shells='sh'
! command -v dash >/dev/null || shells="$shells dash"
! command -v busybox >/dev/null || shells="$shells busybox"

with_shell()
{
	case $1 in
	busybox) run timeout 60 busybox sh "$2" ;;
	*) run timeout 60 "$1" "$2" ;;
	esac
}

# Texts that are more than text to a shell, to printf, to echo, to a here-document.
cat >batch.tsh <<'BATCH'
filter sched_switch prev_comm == 'a$(echo>pwn)'
filter sched_waking comm == "b`echo>pwn`"
filter sched_process_exec filename ~ "c';echo>pwn;'*"
filter sched_process_fork parent_comm == 'd";echo>pwn;"'
filter sched_process_exit comm == 'e$HOME ${HOME}'
filter signal_generate comm == 'f\033[2J%s%d\c'
filter signal_deliver sig == 1
filter sched_wakeup comm == "-n"
filter sched_wakeup_new comm == '*?[a]~#|&<>{}'
filter sched_process_wait comm == '!!\'
append events/sched/sched_process_free/trigger traceoff if comm == 'g$(echo>pwn)`'
append events/sched/sched_process_free/trigger stacktrace if comm == "h'\"
marker 'm$(echo>pwn)`echo>pwn`"\033[2J%s ${HOME-} \c'
BATCH
# longer than what printf writes at once
{
	printf "filter sched_migrate_task comm == 'END'"
	i=0
	while [ $i -lt 60 ]; do
		printf ' || comm == "x$(echo>pwn)`'"'"'"'
		i=$((i + 1))
	done
	echo
} >>batch.tsh

begin 'the script of --dry-run'
fresh
t -q -i "$I" -f batch.tsh
expect 0 'the batch'
settings "$D" >with-batch
same "$(grep -c 'pwn' with-batch)" 6 'its texts are set'
marker='m$(echo>pwn)`echo>pwn`"\033[2J%s ${HOME-} \c'
true_that 'and its marker' grep -qF ": $marker" "$D/trace"
rmdir "$D" && mkdir "$D"
run "$TRACESH" -i "$I" --dry-run -f batch.tsh
expect 0 'the dry run'
cp out script.sh
for shell in $shells; do
	rmdir "$D" && mkdir "$D"
	with_shell "$shell" script.sh
	expect 0 "the script, in $shell"
	same "$(settings "$D" | diff with-batch -)" '' "does the same, in $shell"
	true_that "the marker is the same, in $shell" grep -qF ": $marker" "$D/trace"
done
false_that 'nothing of it was executed' test -e pwn
if command -v shellcheck >/dev/null; then
	true_that 'shellcheck has nothing to say' shellcheck -e SC1003,SC2016,SC2129 -s sh script.sh
	# ls shows mode and owner where there is no stat; words of numbers; a folder that was made before; what a trap sets
	true_that 'nor of collect.sh' shellcheck -e SC2012,SC2013,SC2115,SC2154 -s sh "$SRC/examples/board/collect.sh"
else
	skip "$case_name: shellcheck" 'no shellcheck'
fi

begin 'what a script says'
fresh
# what the kernel refuses is said as it is, by a shell whose echo knows escapes, too
run "$TRACESH" -i "$I" --dry-run filter sched_switch prev_pid == 1
sed 's/prev_pid == 1/x\\033[31m$(echo>pwn) ==/' out >script.sh
for shell in $shells; do
	with_shell "$shell" script.sh
	expect 1 "in $shell"
	like "$err" 'does not take: x.033\[31m\$\(echo>pwn\) ==$' "$case_name: in $shell: the text as it is"
	same "$(LC_ALL=C tr -cd '\033' <"$TMP/err" | wc -c)" 0 "no escape goes out, in $shell"
done
false_that 'nothing of it was executed' test -e pwn

begin 'what others have set, saved and set again'
fresh
printf 'prev_comm == "a\nquit\n\033[31m$(echo>pwn)"' >"$D/events/sched/sched_switch/filter"
printf "comm == 'b\"; marker forged; \"'" >"$D/events/sched/sched_waking/filter"
printf 'comm == "c;quit #'\''${HOME}"' >"$D/events/sched/sched_wakeup/filter"
printf 'traceoff if comm == "d\n!touch pwn\n| sh -c \\"touch pwn"' >"$D/events/sched/sched_process_free/trigger" 2>/dev/null ||
	printf 'traceoff if comm == "d| touch pwn"' >"$D/events/sched/sched_process_free/trigger"
settings "$D" >with-batch
t -i "$I" save saved.tsh
expect 0 'save'
rmdir "$D" && mkdir "$D"
t -i "$I" -f saved.tsh
expect 0 'the file of save'
same "$(settings "$D" | diff with-batch -)" '' 'sets it again'
false_that 'nothing of it was executed' test -e pwn
same "$(grep -c forged "$D/trace")" 0 'and no marker was written'
rmdir "$D" && mkdir "$D"
t -i "$I" --dry-run -f saved.tsh
expect 0 'its script'
cp out script.sh
for shell in $shells; do
	rmdir "$D" && mkdir "$D"
	with_shell "$shell" script.sh
	expect 0 "the script, in $shell"
	same "$(settings "$D" | diff with-batch -)" '' "does the same, in $shell"
done
false_that 'nothing of it was executed' test -e pwn

begin 'names and values of a recording that look like options'
fresh
cp -R "$SRC/examples/recorded" opts
chmod -R u+w opts
mkdir opts/options
echo 1 >opts/options/-ovictim
printf '%s\n' vfs_read -o victim | tee opts/set_ftrace_filter >opts/set_event_pid
echo kept >victim
t --tracefs opts save opts.tsh
expect 0 'save'
t --keep-going -i "$I" -f opts.tsh
expect 1 'the kernel has none of them'
same "$(cat victim)" kept 'no file is written'

finish
