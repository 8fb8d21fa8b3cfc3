#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each parser of what comes from outside on the inputs of tests/fuzz/NAME, which hold what a fuzzer has found before.
# Looking for new ones takes hours: tests/prove/fuzz.t.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

for target in "$SRC"/tests/fuzz/*.c; do
	name=$(basename "$target" .c)
	[ "$name" != replay ] || continue
	program=$BUILD/tests/fuzz/replay-$name
	if [ ! -x "$program" ]; then
		fail "$name: is built: is it in tests/fuzz/Makemodule.am?"
		continue
	fi
	cp -R "$SRC/tests/fuzz/$name" "$TMP/$name"
	run sh -c 'cd "$1" && exec "$2" .' sh "$TMP/$name" "$program"
	is "$status: $out" "0: $(find "$TMP/$name" -type f | wc -l) inputs" "$name: every input"
	[ "$status" -eq 0 ] || tail -n 60 "$TMP/err" | diag
done
done_testing
