#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 3600
# Threads under the thread sanitizer: what they share is used by one at a time.
# (A sanitizer of its own: it excludes the others.) TRACESH_THREAD_TESTS="NAME.." chooses the unit tests.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

printf 'int main(void) { return 0; }\n' >"$TMP/probe.c"
"${CC:-cc}" -fsanitize=thread -o "$TMP/probe" "$TMP/probe.c" 2>/dev/null && "$TMP/probe" ||
	skip_all 'the compiler has no thread sanitizer that runs here'
export TSAN_OPTIONS="exitcode=66:halt_on_error=0"

# built_for_threads: the program, and the unit tests of what has threads
built_for_threads()
{
	configured threads CFLAGS='-g -O1 -fsanitize=thread' LDFLAGS=-fsanitize=thread && make -j"$jobs" || return
	for name in $names; do
		make -j"$jobs" "tests/unit/$name" || return
	done
}

# clean COMMAND..: it succeeds ten times, and the sanitizer has nothing to say
clean()
{
	for round in 1 2 3 4 5 6 7 8 9 10; do
		"$@" >"$TMP/log" 2>&1 && ! grep -q 'WARNING: ThreadSanitizer' "$TMP/log" || { cat "$TMP/log"; return 1; }
	done
}

names=${TRACESH_THREAD_TESTS:-test-record-threads test-writer test-slices}
ok 'a build with the thread sanitizer' built_for_threads
for name in $names; do
	ok "$name: no data race in ten runs" clean "$BUILD/other/threads/tests/unit/$name"
done
threads=$BUILD/other/threads/src/tracesh
passes 'what several threads print' env SRC="$SRC" TRACESH="$threads" sh "$SRC/tests/cli/threads.t"
passes 'a busy stream' env SRC="$SRC" TRACESH="$threads" sh "$SRC/tests/live/threads.t"

# Proves that it would see one: a counter that two threads count.
cat >"$TMP/race.c" <<'END'
#include <pthread.h>
static int count;
static void *work(void *ctx) { for (int i = 0; i < 100000; i++) count++; return ctx; }
int main(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, work, 0);
	work(0);
	return pthread_join(thread, 0);
}
END
"${CC:-cc}" -g -fsanitize=thread -pthread -o "$TMP/race" "$TMP/race.c"
"$TMP/race" >"$TMP/log" 2>&1 || :
like "$(cat "$TMP/log")" 'ThreadSanitizer: data race' 'the sanitizer sees a race'
done_testing
