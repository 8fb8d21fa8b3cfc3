#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The sources ask no more of the C library than musl has, which is the boards' C library. tests/prove/static.t builds with it.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

command -v musl-gcc >/dev/null || skip_all 'no musl-gcc'
[ -f "$BUILD/config.h" ] || skip_all 'no config.h in the build tree'

# The kernel's headers are where the machine's own C library has its: looked at last.
arch=$("${CC:-cc}" -print-multiarch 2>/dev/null)
after="-idirafter /usr/include -idirafter /usr/include/$arch"

# complaints FILE..: what musl's headers lack for them
# shellcheck disable=SC2086 # a list of words
complaints()
{
	for file; do
		musl-gcc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -include "$TMP/config.h" -I "$BUILD" -I "$SRC/src" \
			-DSYSCONFDIR='""' -DRECIPESDIR='""' $after "$file" 2>&1
	done
}

# others' libraries are not built for musl here
grep -v LIBTRACE "$BUILD/config.h" >"$TMP/config.h"
# What is musl's own must come first, or this would be glibc's headers again.
printf '#include <stdio.h>\n#ifdef __GLIBC__\n#error this is glibc\n#endif\n' >"$TMP/own.c"
is "$(complaints "$TMP/own.c")" '' "the headers are musl's"
# This test can fail
printf '#include <execinfo.h>\nint main(void)\n{\n\treturn gnu_dev_major(1);\n}\n' >"$TMP/glibc.c"
like "$(complaints "$TMP/glibc.c")" 'error: ' 'what only glibc has is found'
for folder in $(cd "$SRC" && find src/*/ -name '*.c' | sed 's|/[^/]*$||' | sort -u); do
	name=$folder
	# readline is not built for musl here
	[ "$name" != src/ui ] || continue
	is "$(complaints "$SRC/$folder"/*.c)" '' "$name"
done
is "$(complaints "$SRC/src/main.c" "$SRC/src/program-options.c")" '' 'src/main.c'
done_testing
