#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# One file for a board. tests/prove/static.t builds it as it is released, both ways, and says how large it is.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

# has LIBRARY: the compiler finds the static one, whose path it then prints
has()
{
	case $("${CC:-cc}" -print-file-name="$1") in
	*/*) true ;;
	*) false ;;
	esac
}

has libc.a || skip_all 'no libc.a'
readline=
has libreadline.a || readline=--without-readline
# shellcheck disable=SC2086 # a word, or none
ok "--enable-static-binary $readline builds without a warning" \
	built_fast static --enable-static-binary --enable-werror $readline
program=$BUILD/other/static/src/tracesh
unlike "$(readelf -d "$program" 2>&1)" NEEDED 'the program needs no shared library'
ok 'the program runs' "$program" --version
done_testing
