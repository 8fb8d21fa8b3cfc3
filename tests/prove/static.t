#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The static binary as it is released, with and without readline, and its size.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

# has LIBRARY: the compiler finds the static one, whose path it then prints
has()
{
	case $("${CC:-cc}" -print-file-name="$1") in
	*/*) true ;;
	*) false ;;
	esac
}

# check_static NAME CONFIGURE-FLAG..
check_static()
{
	name=$1
	shift
	ok "--enable-static-binary $* builds without a warning" \
		built "$name" --enable-static-binary --enable-werror "$@"
	program=$BUILD/other/$name/src/tracesh
	unlike "$(readelf -d "$program" 2>&1)" NEEDED 'the program needs no shared library'
	ok 'the program runs' "$program" --version
	strip -o "$TMP/stripped" "$program" && diag "$(wc -c <"$TMP/stripped") bytes, stripped"
}

has libc.a || skip_all 'no libc.a'
check_static static-plain --without-readline
if has libreadline.a; then
	check_static static
else
	skip '--enable-static-binary with readline' 'no libreadline.a'
fi
done_testing
