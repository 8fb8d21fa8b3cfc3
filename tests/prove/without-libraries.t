#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 5400
# All tests of the check with a program that has none of libtraceevent, libtracefs and libdw: what needs one is skipped and
# says so, the rest passes.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

ok 'it builds without a warning' built without-libraries --enable-werror CFLAGS=-O2 --without-libtraceevent \
	--without-libtracefs --without-libdw --without-libzstd --without-zlib
program=$BUILD/other/without-libraries/src/tracesh
like "$("$program" --version)" ', no libtraceevent, no libtracefs, no libdw, no libzstd, no zlib\)$' 'and has none of the five'
unlike "$(readelf -d "$program")" 'NEEDED.*(libtrace|libdw|libz)' 'nor is it linked with one'

# A suite after the other, so that each has a verdict of its own.
for suite in unit cli fuzz build live; do
	run "$SRC/tests/run" --build "$BUILD/other/without-libraries" --plain "$program" "$suite"
	is "$status" 0 "$suite: $(tail -n 1 "$TMP/out")"
	sed -n '/^skipped:/,$p' "$TMP/out" | diag
	cat "$TMP/out" >>"$TMP/all"
done
for file in decoders library; do
	like "$(cat "$TMP/all")" "^  live/$file\\.t: .*without libtraceevent" "live/$file says what it needs"
done
like "$(cat "$TMP/all")" '^  live/stacks-debug\.t: .*without libdw' 'live/stacks-debug says what it needs'
done_testing
