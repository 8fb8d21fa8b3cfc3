#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every header compiles alone, and twice; but for lists of words, which stand inside of an array.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all 'no C compiler'
[ -f "$BUILD/config.h" ] || skip_all "no config.h in the build tree"

flags="-std=gnu11 -Wall -Wextra -Wstrict-prototypes -Werror"

# compiles HEADER
compiles()
{
	# shellcheck disable=SC2086 # a list of words
	printf '#include <%s>\n#include <%s>\n' "$1" "$1" |
		"$cc" $flags -include "$BUILD/config.h" -I "$SRC/src" -fsyntax-only -x c -
}

for header in $(cd "$SRC/src" && find . -name '*.h' ! -name 'syscalls-*.h' | sort); do
	name=${header#./}
	ok "$name" compiles "$name"
done

done_testing
