#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# stacks --user: names by what was mapped at the time of the event, before and behind an exec, an unmapping, an end.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

[ -e "$TRACING/options/userstacktrace" ] || skip_all 'this kernel has no option userstacktrace'
[ -d "$TRACING/events/raw_syscalls" ] || skip_all 'this kernel has no events of system calls'
[ "$(uname -m)" = x86_64 ] || skip_all 'its programs are for x86_64'

# Each has the function NAME, which calls umask(2) by itself. Linked to one address it is the same in all of them.
cat >"$TMP/called.c" <<'PROGRAM'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void NAME(int n)
{
	long r;

	while (n-- > 0)
		__asm__ volatile("syscall" : "=a"(r) : "a"(95), "D"(022) : "rcx", "r11", "memory");
}

#ifdef MAIN
#ifdef OPENS
/* Opens two libraries in turn. */
static void open_each(char **argv, int turns)
{
	while (turns--) {
		char **pair;

		for (pair = argv; pair[0] && pair[1]; pair += 2) {
			void *library = dlopen(pair[0], RTLD_NOW);
			void (*call)(int) = (void (*)(int))dlsym(library, pair[1]);

			call(1);
			dlclose(library);
		}
	}
}
#endif

/* Waits for a line first where it is told so. */
int main(int argc, char **argv)
{
	char c;

	if (!strcmp(argv[1], "wait")) {
		argv++;
		while (read(0, &c, 1) == 1 && c != '\n')
			;
	}
#ifdef OPENS
	if (!strcmp(argv[1], "open")) {
		open_each(argv + 2, 20);
		return 0;
	}
#endif
	if (!strcmp(argv[1], "fork") && !fork()) {
		NAME(atoi(argv[2]));
		_exit(0);
	}
	if (!strcmp(argv[1], "fork"))
		return wait(NULL) < 0;
	NAME(atoi(argv[1]));
	if (argv[2])
		execv(argv[2], argv + 2);
	return argc < 0;
}
#endif
PROGRAM

# made NAME OPTION..: a program, or library, with that function
made()
{
	made=$1
	shift
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -DNAME="$made" -o "$TMP/$made" "$TMP/called.c" "$@" 2>"$TMP/cc.err"
}
if ! made first_one -DMAIN -static -no-pie || ! made second_one -DMAIN -static -no-pie || ! made third_one -DMAIN -static -no-pie ||
	! made opener -DMAIN -DOPENS -ldl || ! made one_library -shared -fPIC || ! made other_library -shared -fPIC; then
	skip_all "no compiler, or no static libc: $(head -n 1 "$TMP/cc.err")"
fi

# look: begins to count calls of umask(2). A signal would end the reading of files, the end of --for leaves it a second
look()
{
	start "$TMP/json" "$TRACESH" --json stacks --user --for 4s raw_syscalls:sys_enter if 'id == 95'
	stacks=$child
	await is_streaming "$stacks"
}

# looked: waits for its end
looked()
{
	true_that 'it ends' ended "$stacks"
}

# count_of NAME: stacks whose innermost function it is
count_of()
{
	sed -n 's/.*"count":\([0-9]*\),"frames":\["'"$1"'[] "].*/\1/p' "$TMP/json" | awk '{ n += $1 } END { print n + 0 }'
}

begin 'programs that execute others'
look
"$TMP/first_one" 10 "$TMP/second_one" 20 "$TMP/third_one" 30
looked
if grep -q 'the kernel has recorded no stack of a program' "$TMP/json.err"; then
	skip_all 'no stack of a program has come'
fi
same "$(count_of first_one) $(count_of second_one) $(count_of third_one)" '10 20 30' 'each has its own names'
false_that 'and none is unknown' grep -q 'before its mappings were read' "$TMP/json.err"

begin 'one that was there before'
mkfifo "$TMP/go"
"$TMP/first_one" wait 7 "$TMP/second_one" 8 <"$TMP/go" &
waiter=$!
children="$children $waiter"
exec 7>"$TMP/go"
await grep -qs first_one "/proc/$waiter/maps"
look
echo >&7
exec 7>&-
wait "$waiter"
looked
same "$(count_of second_one)" 8 'the other one has its own names'
same "$(($(count_of first_one) + $(count_of '\[unknown\]')))" 7 'it has its own, or none'
[ "$(count_of '\[unknown\]')" -eq 0 ] || true_that 'which is said' grep -q 'before its mappings were read' "$TMP/json.err"

begin 'a child that has ended'
"$TMP/first_one" wait fork 9 <"$TMP/go" &
waiter=$!
children="$children $waiter"
exec 7>"$TMP/go"
await grep -qs first_one "/proc/$waiter/maps"
look
"$TMP/third_one" 1
echo >&7
exec 7>&-
wait "$waiter"
looked
same "$(($(count_of first_one) + $(count_of '\[unknown\]')))" 9 'has the names of its parent, or none'
same "$(count_of third_one)" 1 'and not those of others'

begin 'libraries that are opened in turn'
look
"$TMP/opener" open "$TMP/one_library" one_library "$TMP/other_library" other_library
looked
same "$(count_of one_library) $(count_of other_library)" '20 20' 'each has its own names'

begin 'the numbers of those that read'
look
"$TMP/first_one" 1
"$TMP/opener" open "$TMP/one_library" one_library
# Says whether one that is left out, and so listed, has ended, and its number may be another one's.
lacks_listed()
{
	for listed in $(cat "$TRACING/instances/tracesh-$stacks-"*/set_event_notrace_pid); do
		[ -d "/proc/$listed" ] || return 0
	done
	return 1
}
has_read() { pgrep -r Z -P "$stacks"; }
if [ ! -e "$TRACING/set_event_notrace_pid" ]; then
	skip "$case_name" 'this kernel has no set_event_notrace_pid'
else
	true_that 'some have' await has_read
	false_that 'stay theirs, as they are not traced' lacks_listed
fi
looked

finish
