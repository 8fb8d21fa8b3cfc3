#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# One file for a board, without readline. tests/prove/static.t builds it as it is released, with it and without, and says
# how large it is.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

case $("${CC:-cc}" -print-file-name=libc.a) in
*/*) ;;
*) skip_all 'no libc.a' ;;
esac
ok '--enable-static-binary --without-readline builds without a warning' \
	built_fast static --enable-static-binary --enable-werror --without-readline
program=$BUILD/other/static/src/tracesh
unlike "$(readelf -d "$program" 2>&1)" NEEDED 'the program needs no shared library'
ok 'the program runs' "$program" --version
like "$("$program" --version)" 'no readline' 'and says that it has no readline'
done_testing
