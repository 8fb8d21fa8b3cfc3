#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# One file for a board, without readline, with the machine's C library; tests/build/musl.t looks at what musl has.
# tests/prove/static.t builds both as they are released, says how large they are, and runs the tests with musl's.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

case $("${CC:-cc}" -print-file-name=libc.a) in
*/*) ;;
*) skip_all 'no libc.a' ;;
esac

# The check builds the program a second time, as it is by default.
plain=$(dirname "$(dirname "${TRACESH_VM_PROGRAM:-$TRACESH}")")

# same_library: whether that build's library is what this one would compile: without sanitizers, configured alike but for
# readline and cmocka, which no file of the library asks for, and for what one folder asks for
same_library()
{
	[ -f "$plain/src/libtracesh.a" ] && ! grep -q 'SANITIZE_FLAGS = .' "$plain/Makefile" || return
	! find "$SRC/src" -newer "$plain/src/libtracesh.a" -name '*.[ch]' | grep -q . || return
	! find "$SRC"/src/*/ -name '*.[ch]' -exec grep -lE 'HAVE_(READLINE|CMOCKA)' {} + | grep . || return
	! find "$SRC"/src/*/ -name '*.[ch]' -exec grep -lE 'LIB(TRACEEVENT|TRACEFS|DW)_VERSION|STATIC_BINARY' {} + | grep -v '/src/library/' || return
	grep -vE 'HAVE_(READLINE|CMOCKA)|LIBTRACE|LIBDW|STATIC_BINARY' "$plain/config.h" >"$TMP/plain.h"
	grep -vE 'HAVE_(READLINE|CMOCKA)|LIBTRACE|LIBDW|STATIC_BINARY' config.h | cmp - "$TMP/plain.h"
}

# built_static: the program, with as little compiled as can be
built_static()
{
	configured static --enable-static-binary --enable-werror --without-readline CFLAGS=-O0 || return
	if same_library; then
		objects=$(cd "$SRC" && echo src/library/*.c | sed 's/\.c\>/.o/g')
		# shellcheck disable=SC2086 # a list of words
		cp "$plain/src/libtracesh.a" src/libtracesh.a && make -j"$jobs" $objects &&
			ar r src/libtracesh.a $objects && make -j"$jobs" -o src/libtracesh.a all-am
	else
		make -j"$jobs"
	fi
}

ok '--enable-static-binary --without-readline builds without a warning' built_static
program=$BUILD/other/static/src/tracesh
unlike "$(readelf -d "$program" 2>&1)" NEEDED 'the program needs no shared library'
ok 'the program runs' "$program" --version
like "$("$program" --version)" '\(no readline, no libtraceevent, no libtracefs, no libdw, no libzstd, no zlib, static\)' 'and says what it does without'
mkdir "$TMP/with" && cd "$TMP/with"
run "$SRC/configure" --enable-static-binary --with-libtraceevent
is "$status" 1 'it is not configured with libtraceevent'
like "$out$err" '--enable-static-binary and --with-libtraceevent exclude each other' 'which is said'
done_testing
