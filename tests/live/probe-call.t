#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Probes that a command brings and takes away: --probe, and the functions that latency names.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-probe.sh"

target=$TMP/target
cat >"$target.c" <<'C'
#include <unistd.h>
int greet(int n);
__attribute__((noinline)) int greet(int n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1000;
}
int nest(int n);
__attribute__((noinline)) int nest(int n)
{
	int below = n > 0 ? nest(n - 1) : 0;

	__asm__ volatile("" ::: "memory");
	return below + 1;
}
int main(int argc, char **argv)
{
	int i;

	(void)argv;
	for (i = 0; argc > 1 || i < 3; i++) {
		greet(i % 8);
		if (argc > 1) {
			nest(3);
			usleep(1000);
		}
	}
	return 0;
}
C
"${CC:-cc}" -O1 -o "$target" "$target.c" || skip_all 'the target cannot be built'

begin 'run'
fresh
t -i "$I" -c "run --probe '$target:greet n=\$arg1:s32' -- $target" -c 'probe list' -c undo
expect 0 'runs with a probe'
prints ' greet: \(0x[0-9a-f]+\) n=2$' 'prints its events'
same "$(grep -c ' greet: ' "$TMP/out")" 3 'each of them'
says '^there is no probe' 'which is gone behind it'
says '^there is nothing to take back; ' 'and nothing that undo would take back'
t -i "$I" run --probe "it=$target:greet n=\$arg1:s32" --probe "$target:greet%return \$retval" sched_process_exec -- "$target"
expect 0 'two, and an event'
same "$(grep -c ' it: ' "$TMP/out"),$(grep -c ' greet_return: ' "$TMP/out"),$(grep -c ' sched_process_exec: ' "$TMP/out")" 3,3,1 'all three'
t -i "$I" run --probe "$target:greet n=\$arg1:s32" if 'n > 0' where 'n != 2' fields n -- "$target"
expect 0 'if, where and fields know it'
same "$(grep -c '^ *1$' "$TMP/out"),$(grep -c '^ *[02]$' "$TMP/out")" 1,0 'and choose'
true_that 'nothing is left' none_left

begin 'what runs already'
fresh
start "$TMP/load" "$target" on
t -i "$I" stream -n 4 --probe "$target:greet n=\$arg1:s32"
expect 0 'stream'
same "$(grep -c ' greet: ' "$TMP/out")" 4 'prints so many'
t -i "$I" -c "stream -n 1 --here --probe '$target:greet'"
expect 0 'in the current instance'
prints ' greet: ' 'too'
t -i "$I" hist --for 1s --probe "$target:greet%return \$retval" by ret.log2
expect 0 'hist'
prints '512 -> 1023 +: [1-9]' 'counts what it returns'
t -i "$I" count --for 1s --probe "$target:greet"
prints '^tracesh_[0-9]+:greet +[1-9]' 'count'
t -i "$I" latency --stop-at 1ns "$target:greet" "$target:greet%return"
prints 'greet_return:|: [0-9.]+[mun]?s since ' 'latency of a function: from its call to its return'
t -i "$I" --json latency --for 500ms "$target:nest" "$target:nest%return"
prints '"type":"pairs","pairs":[1-9][0-9]+,"ends_alone":[0-4],"starts_open":[0-4],"started_again":0,' 'a function that calls itself'
t -i "$I" latency --stop-at 1ns "$target:greet" "$target:nest%return"
expect 0 'from one function to the return of another'
t -i "$I" latency --stop-at 1ns --probe "in=$target:greet" --probe "out=$target:greet%return" in out on common_pid
expect 0 'and of probes by their names'
true_that 'nothing is left' none_left
t -i "$I" stacks --for 1s --user --probe "$target:greet"
says '[1-9][0-9]* stacks of [1-9]' 'who calls it'
kill -TERM "$child"
ended "$child"
true_that 'nothing is left' none_left

begin 'wrong'
fresh
t -i "$I" latency --for 1s "$target:greet"
expect 2 'a function alone'
says "^hint: latency $target:greet $target:greet%return: how long it takes\$" 'how it is meant'
if [ -e "$TRACING/kprobe_events" ]; then
	t -i "$I" latency --for 1s vfs_read
	expect 1 'a function of the kernel alone'
	says '^hint: it is a function of the kernel: latency vfs_read vfs_read%return$' 'is named as one'
fi
t -i "$I" latency --for 1s nosuch_fn "$target:nest%return"
expect 1 'what is no event'
says '^hint: .*probe NAME=nosuch_fn makes an event of it$' 'and may be a function'
t stream --probe "$target:gret"
expect 1 'a function that is not there'
says "has no function 'gret'" 'is said'
t -c "stream --probe '$target:greet %zz'"
expect 1 'what the kernel refuses'
says '^ +\^' 'has a caret'
t -c "stream --probe '$target:greet a=\$arg1 b'"
expect 1 'a parameter that is none'
like "$(printf '%s\n' "$err" | grep -n '\^' | head -n 1)" "^[0-9]+: +\\^\$" 'its caret is one wide, in the quoted text'
t -c "stream --probe ''"
expect 2 'an empty one'
t -c "stream --probe"
expect 2 'none'
t -c "stacks"
expect 2 'stacks of nothing'
says 'missing EVENT' 'misses an event'
says 'stacks --probe FUNCTION' 'or a probe'
t -c "stream --probe '$target:greet' &"
expect 2 'in the background'
says 'make the probe first: probe TARGET' 'says what to do'
t -c "explain stream --probe '$target:greet'"
expect 2 'explained'
t -c "stream --probe '$target:greet' no_event_of_this_name"
expect 1 'an event beside it that is not there'
true_that 'nothing is left of the probe' none_left
t -c "run --probe '$target:greet n=\$arg1' if 'm == 1' -- $target"
expect 1 'a filter that is wrong'
true_that 'nothing is left of it either' none_left
t -n -c "run --probe '$target:greet n=\$arg1:s32' where 'n == 1' -- $target"
expect 0 '-n imagines it'
t -n -c "run --probe '$target:greet' -- $target" -c 'stream greet'
expect 1 'for as long as the command'
t --dry-run -c "run --probe '$target:greet' -- $target"
prints "^add (dynamic|uprobe)_events 'p:tracesh_[0-9]+/greet " '--dry-run prints the write'
prints '^undo_to 0$' 'and that it goes back'

begin 'ended'
fresh
for signal in INT TERM HUP KILL; do
	start "$TMP/ended" "$TRACESH" -c "stream --probe '$target:greet' -o $TMP/nothing"
	true_that "SIG$signal: it is there" await grep -q "tracesh_$child/greet" "$probes"
	kill -"$signal" "$child"
	ended "$child"
	await none_left
	await let_go
	t recover
	true_that "SIG$signal: and gone" none_left
done

begin 'functions of the kernel'
# needs kprobes
fresh
if [ -e "$TRACING/kprobe_events" ]; then
	t -c "run --probe 'vfs_open path->dentry->d_name.name' where 'name == \"target.c\"' -- cat $target.c"
	expect 0 'a member by its C name'
	prints ' vfs_open: .* name="target.c"$' 'is recorded as text'
	t -c "stream --probe 'vfs_open path->dentry->d_nam.name'"
	expect 1 'a member that is not there'
	says "has no member 'd_nam'" 'is said'
	says '^ {41}\^~{4}$' 'with the caret below it'
	start "$TMP/load" sh -c 'while :; do read -r _ <"$0"; done' "$target.c"
	t latency --stop-at 1ns vfs_read vfs_read%return
	expect 0 'how long a function takes'
	kill -TERM "$child"
	ended "$child"
	t latency --for 1s vfs_read vfs_raed%return
	expect 1 'a function that is not there'
	says "did you mean 'vfs_read'" 'a near one'
	true_that 'nothing is left' none_left
else
	skip "$case_name" 'this kernel has no kprobes'
fi
finish
