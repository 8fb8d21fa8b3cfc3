#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# stacks: from where events come, with the kernel's own names, and each event once.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

exec=events/sched/sched_process_exec
[ -e "$TRACING/options/stacktrace" ] || skip_all 'this kernel has no option stacktrace'
cp /bin/true "$TMP/counted"

is_enabled() { grep -qs 1 "$TRACING/instances/tracesh-$1-"*/$exec/enable; }
# seven processes that start a program of this test's own: other tests start programs, too
executed() { for _ in 1 2 3 4 5 6 7; do /usr/bin/env "$TMP/counted"; done; }

# counts FILE OPTION..: into FILE what stacks says of seven programs
counts()
{
	counted=$1
	shift
	start "$counted" "$TRACESH" "$@" sched_process_exec if 'filename == "'"$TMP/counted"'"'
	stacks=$child
	await is_enabled "$stacks"
	await grep -qs 1 "$TRACING/instances/tracesh-$stacks-"*/tracing_on
	executed
	kill -INT "$stacks"
	true_that "$*: Ctrl-C ends it" ended "$stacks"
}

begin 'each event once'
counts "$TMP/json" --json stacks
same "$(sed -n 's/.*"count":\([0-9]*\),.*/\1/p' "$TMP/json" | awk '{ n += $1 } END { print n }')" 7 'as many as there were'
true_that 'the summary says so' grep -q '^7 stacks of 7 events, 0 lost' "$TMP/json.err"
true_that 'no instance of its own is left' no_own_instance
head -n 1 "$TMP/json" | sed 's/.*"frames":\[//; s/\].*//; s/"//g' | tr , '\n' >"$TMP/frames"

begin "as the kernel's own text has them"
fresh
echo 1 >"$D/options/stacktrace"
echo "filename == \"$TMP/counted\"" >"$D/$exec/filter"
echo 1 >"$D/$exec/enable"
/usr/bin/env "$TMP/counted"
echo 0 >"$D/$exec/enable"
# but for what the event itself calls to be recorded
sed -n '/^ => \(trace_event_raw_event_\|__traceiter_\)/d; s/^ => //p' "$D/trace" >"$TMP/kernel"
true_that 'there are some' test -s "$TMP/kernel"
same "$(cat "$TMP/frames")" "$(cat "$TMP/kernel")" 'name by name'

begin 'folded, from the entry on'
counts "$TMP/folded" stacks --format folded
same "$(head -n 1 "$TMP/folded" | sed 's/ [0-9]*$//' | tr ';' '\n')" "$(sed '1!G;h;$!d' "$TMP/frames")" 'the other way round'
same "$(awk '{ n += $NF } END { print n }' "$TMP/folded")" 7 'with how many'

begin 'as a tree'
counts "$TMP/tree" stacks --from-entry
same "$(awk '{ print $1, $2, $3; exit }' "$TMP/tree")" "100.0% 7 $(tail -n 1 "$TMP/frames")" 'all have the same entry'
same "$(awk '{ print $NF }' "$TMP/tree" | head -n "$(wc -l <"$TMP/frames")" | tail -n 1)" "$(head -n 1 "$TMP/frames")" 'and the same end'

begin 'where'
counts_where()
{
	start "$TMP/where" "$TRACESH" --json stacks sched_process_exec if 'filename == "'"$TMP/counted"'"' where "$1"
	stacks=$child
	await is_enabled "$stacks"
	await grep -qs 1 "$TRACING/instances/tracesh-$stacks-"*/tracing_on
	executed
	kill -INT "$stacks"
	true_that "$1: Ctrl-C ends it" ended "$stacks"
	sed -n 's/.*"count":\([0-9]*\),.*/\1/p' "$TMP/where" | awk '{ n += $1 } END { print n + 0 }' >"$TMP/n"
}
counts_where 'pid == common_pid'
same "$(cat "$TMP/n")" 7 'what matches'
true_that 'the summary says so' grep -q '^7 stacks of 7 events, 0 lost' "$TMP/where.err"
counts_where 'pid != common_pid'
same "$(cat "$TMP/n")" 0 'what does not'
true_that 'is said' grep -q '^0 stacks of 0 events, 7 not matching, 0 lost' "$TMP/where.err"

begin 'of a program'
if [ ! -e "$TRACING/options/userstacktrace" ]; then
	skip 'of a program' 'this kernel has no option userstacktrace'
elif [ ! -d "$TRACING/events/raw_syscalls" ]; then
	skip 'of a program' 'this kernel has no events of system calls'
else
	sh -c 'while :; do read -r line </proc/uptime; done' &
	busy=$!
	children="$children $busy"
	name=$(basename "$(readlink "/proc/$busy/exe")")
	t --json stacks --user --for 300ms --pid "$busy" raw_syscalls:sys_enter
	expect 0 'succeeds'
	if printf '%s\n' "$err" | grep -q 'the kernel has recorded no stack of a program: it needs CONFIG_USER_STACKTRACE_SUPPORT'; then
		skip 'stacks of a program' 'this kernel has none on this machine, and that is said'
	else
		prints "\"frames\":\\[\"([^\"]* )?\\[(lib[^\"]*|ld[^\"]*|$name)\\]" 'its functions, with the file that they are in'
		t --json stacks --user --for 300ms --pid "$busy" raw_syscalls:sys_enter where 'id + 0 == -7'
		says '^0 stacks of 0 events, [1-9][0-9,]* not matching' 'with a question'
	fi
fi

begin 'shares'
if [ ! -d "$TRACING/events/raw_syscalls" ]; then
	skip "$case_name" 'this kernel has no events of system calls'
else
	start "$TMP/shares" "$TRACESH" stacks --pid $$ raw_syscalls:sys_enter raw_syscalls:sys_exit if 'id == 95' \
		where 'event == sys_enter || ret == 2'
	stacks=$child
	await is_streaming "$stacks"
	# 9 and 2 of it in dash: 81.81.. and 18.18..
	(umask 3; umask 2; umask 2)
	kill -INT "$stacks"
	true_that 'Ctrl-C ends it' ended "$stacks"
	awk '/ stacks of [0-9]* events/ { all = $4 } $1 ~ /%$/ { n++; tenths = int(($2 * 1000 + all / 2) / all)
		bad += $1 != int(tenths / 10) "." tenths % 10 "%" } END { exit n < 2 || bad }' "$TMP/shares.err" "$TMP/shares" || bad=yes
	same "${bad-}" '' 'are rounded'
	[ -z "${bad-}" ] || diag "$(cat "$TMP/shares" "$TMP/shares.err")"
fi

begin 'a name with a semicolon'
libc=$(ldd /bin/sh 2>/dev/null | awk '/libc\.so/ { print $3; exit }')
if [ ! -e "$TRACING/options/userstacktrace" ] || [ ! -d "$TRACING/events/raw_syscalls" ] || [ -z "$libc" ]; then
	skip "$case_name" 'this kernel has no stacks of programs, or no libc is known'
else
	# Its system calls are in this one, as that of the same soname.
	cp "$libc" "$TMP/a;sshd;evil"
	LD_PRELOAD="$TMP/a;sshd;evil" sh -c 'while :; do read -r line </proc/uptime; done' &
	busy=$!
	children="$children $busy"
	await grep -qs 'a;sshd;evil' "/proc/$busy/maps"
	for format in folded csv; do
		if [ $format = csv ]; then
			t --format csv stacks --user --for 300ms --pid "$busy" raw_syscalls:sys_enter
		else
			t stacks --user --for 300ms --pid "$busy" --folded raw_syscalls:sys_enter
		fi
		expect 0 "$format: succeeds"
		if printf '%s\n' "$err" | grep -q 'the kernel has recorded no stack of a program'; then
			skip "$case_name: $format" 'no stack of a program has come'
		else
			prints '\[a\\x3bsshd\\x3bevil\]' "$format: is one frame"
			unlike "$out" ';sshd;evil' "$case_name: $format: and makes none of its own"
		fi
	done
fi

begin 'a program that is made to be too large'
elf="$SRC/tests/helpers/large-elf.py"
can_stack=$([ ! -e "$TRACING/options/userstacktrace" ] || [ ! -d "$TRACING/events/raw_syscalls" ] || [ -z "$PYTHON" ] || echo yes)
if [ -z "$can_stack" ]; then
	skip "$case_name" 'this kernel has no stacks of programs, or there is no python3'
else
	"$PYTHON" "$elf" make "$TMP/large" 20000 900000
	start "$TMP/mapped" "$PYTHON" "$elf" map "$TMP/large"
	mapper=$child
	await grep -qs mapped "$TMP/mapped"
	run limited 400000 "$TRACESH" --json stacks --user --for 100ms --pid "$mapper" raw_syscalls:sys_enter
	expect 0 'names that overlap: succeeds, in little memory'
	run limited 400000 "$TRACESH" --complete -- probe "$TMP/large:A"
	expect 0 'nor does completion take more'
	"$PYTHON" "$elf" make "$TMP/many" 4194400 4
	kill -9 "$mapper"
	start "$TMP/mapped" "$PYTHON" "$elf" map "$TMP/many"
	mapper=$child
	await grep -qs mapped "$TMP/mapped"
	t --json stacks --user --for 100ms --pid "$mapper" raw_syscalls:sys_enter
	expect 0 'more symbols than are read: succeeds'
	says '^functions may be missing because of limits: ([0-9]+ symbols \(4 M|[0-9]+ mapped files \(time was up)' 'and says what is left out'
	kill -9 "$mapper"
	rm "$TMP/large" "$TMP/many"
fi

begin 'processes with as many mappings as there can be'
if [ -z "$can_stack" ]; then
	skip "$case_name" 'this kernel has no stacks of programs, or there is no python3'
else
	cat >"$TMP/many.py" <<'PROGRAM'
import mmap, os, sys, time
kept = []
try:
    for i in range(30000):
        for protection in mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE:
            kept.append(mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=protection))
except OSError:
    pass
parent = os.getpid()
for i in range(8):
    if not os.fork():
        while os.getppid() == parent:
            time.sleep(0.001)
        os._exit(0)
print("mapped", flush=True)
time.sleep(3000)
PROGRAM
	rm -f "$TMP/mapped"
	start "$TMP/mapped" "$PYTHON" "$TMP/many.py"
	mapper=$child
	await grep -qs mapped "$TMP/mapped"
	run timeout -s KILL 15 "$TRACESH" stacks --user --for 1s --pid "$mapper" raw_syscalls:sys_enter
	expect 0 'the end of --for is heard'
	kill -9 "$mapper"
fi

begin 'a file system that does not answer'
if [ -z "$can_stack" ] || [ ! -c /dev/fuse ]; then
	skip "$case_name" 'no stacks of programs, no python3 or no /dev/fuse'
else
	mkdir "$TMP/silent"
	rm -f "$TMP/mapped"
	start "$TMP/mapped" unshare -m "$PYTHON" "$SRC/tests/helpers/silent-fuse.py" "$TMP/silent" "$libc" 60
	fuse=$child
	await grep -qs '^[1-9]' "$TMP/mapped"
	mapper=$(cat "$TMP/mapped")
	run timeout -s KILL 30 "$TRACESH" --json stacks --user --for 4s --pid "$mapper" raw_syscalls:sys_enter
	expect 0 'ends'
	says '1 mapped files \(their file systems do not answer\)' 'and says what it did not read'
	prints '"frames":\["[a-z_0-9]+ \[libc' 'other files have their names'
	kill -9 "$fuse"
	await gone "$mapper"
fi

begin 'mappings that are locked'
if [ -z "$can_stack" ] || [ ! -c /dev/fuse ]; then
	skip "$case_name" 'no stacks of programs, no python3 or no /dev/fuse'
else
	mkdir -p "$TMP/silent"
	rm -f "$TMP/mapped"
	start "$TMP/mapped" unshare -m "$PYTHON" "$SRC/tests/helpers/silent-fuse.py" "$TMP/silent" "$libc" 60 locked
	fuse=$child
	await grep -qs '^[1-9]' "$TMP/mapped"
	mapper=$(cat "$TMP/mapped")
	run timeout -s KILL 30 "$TRACESH" --json stacks --user --for 4s --pid "$mapper" raw_syscalls:sys_enter
	expect 0 'while a file system does not answer: ends'
	says '1 processes \(their mappings did not come in 2 s\)' 'and says what it did not read'
	kill -9 "$fuse"
	await gone "$mapper"
fi

begin 'who reads the files is not traced'
if [ -z "$can_stack" ] || [ ! -e "$TRACING/set_event_notrace_pid" ]; then
	skip "$case_name" 'no stacks of programs, no python3 or no set_event_notrace_pid'
else
	cp "$TRACESH" "$TMP/trsh-reader"
	"$PYTHON" "$elf" make "$TMP/small" 1000 2000
	rm -f "$TMP/mapped"
	start "$TMP/mapped" "$PYTHON" "$elf" map "$TMP/small"
	mapper=$child
	await grep -qs mapped "$TMP/mapped"
	run "$TMP/trsh-reader" --json stacks --user --for 300ms raw_syscalls:sys_enter if "common_pid == $mapper || comm == \"trsh-reader\""
	prints '"frames":\["[a-z_0-9]+ \[libc' 'the program is'
	unlike "$out" unknown "$case_name: and nobody else"
	kill -9 "$mapper"
fi

# A task chooses what its maps are called: the path leads elsewhere, and tracesh may not ask for map_files.
begin 'a path that leads elsewhere'
few='setpriv --bounding-set -sys_admin,-checkpoint_restore'
if [ -z "$can_stack" ] || [ ! -r "$libc" ] || ! $few true 2>/dev/null; then
	skip "$case_name" 'no stacks of programs, no python3, no shared libc, or setpriv cannot'
else
	mkdir "$TMP/lib"
	cp "$libc" "$TMP/lib/"
	mine=$TMP/lib/${libc##*/}
	"$PYTHON" "$elf" make "$TMP/other" 1 10 4000000
	LD_LIBRARY_PATH="$TMP/lib" sh -c 'while :; do read -r line </proc/uptime; done' &
	busy=$!
	children="$children $busy"
	await grep -qs "$mine" "/proc/$busy/maps"
	# shellcheck disable=SC2086 # several words
	run $few "$TRACESH" --json stacks --user --for 200ms --pid "$busy" raw_syscalls:sys_enter
	expect 0 'without map_files: succeeds'
	prints '"frames":\["[a-z_0-9]+ \[libc' 'and has the names of the file that is mapped'
	rm "$mine"
	ln -s "$TMP/other" "$mine (deleted)"
	# shellcheck disable=SC2086
	run $few "$TRACESH" --json stacks --user --for 200ms --pid "$busy" raw_syscalls:sys_enter
	prints '"frames":\["\[libc[^"]* \(deleted\)\]' 'once it is gone the program has no names..'
	unlike "$out" AAAA "$case_name: ..least of all those of the file behind a link"
	t --json stacks --user --for 200ms --pid "$busy" raw_syscalls:sys_enter
	prints '"frames":\["[a-z_0-9]+ \[libc[^"]* \(deleted\)\]' 'with map_files it has its own'
	kill -9 "$busy"
fi

begin 'none'
t stacks --for 10ms sched_process_exec if 'pid == -7'
expect 0 'succeeds'
says '^0 stacks of 0 events, 0 lost' 'and says so'
same "$out" '' 'and prints nothing'
t stacks --for 10ms sched_process_exec if 'nosuch == 1'
expect 1 'a filter that the kernel refuses'
says "nosuch" 'is said'
t stacks sched_process_exec by comm
expect 2 'a clause that it has not'
says "error: 'stacks' takes no 'by'" 'is no event'
true_that 'no instance of its own is left' no_own_instance

begin 'the end of JSON'
t --json stacks --for 300ms sched_switch
same "$(printf '%s\n' "$out" | sed -n '$s/{"type":"end","events":[1-9][0-9]*,.*"seconds":[0-9][0-9.]*}$/an end/p')" 'an end' 'as of stream'
t --json stacks --for 300ms --folded sched_switch
unlike "$out" '"type":"end"' "$case_name: lines for a flame graph have none"

finish
