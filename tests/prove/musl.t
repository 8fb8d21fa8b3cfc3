#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1800
# The program with musl, the boards' C library: it builds, static, without a warning, and runs.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

command -v musl-gcc >/dev/null || skip_all 'no musl-gcc'
# The kernel's headers are where the machine's own C library has its: looked at last.
arch=$("${CC:-cc}" -print-multiarch 2>/dev/null)
after="-idirafter /usr/include -idirafter /usr/include/$arch"

# built_musl: the program alone
built_musl()
{
	configured musl --enable-static-binary --enable-werror --without-readline CC=musl-gcc CFLAGS="-O0 $after" &&
		make -j"$jobs" src/tracesh
}

ok 'it builds with musl without a warning' built_musl
program=$BUILD/other/musl/src/tracesh
unlike "$(readelf -d "$program" 2>&1)" NEEDED 'it needs no shared library'
like "$(readelf -sW "$program")" ' __init_libc$| __libc$' "it has musl's start"
# says PROGRAM ARGUMENT..: on the recorded tree, without how long it took
says()
{
	says_program=$1
	shift
	"$says_program" --tracefs "$SRC/examples/recorded" "$@" 2>&1 |
		sed -E 's/, [0-9.]+ (ns|us|ms|s)$//; s/"seconds":[0-9.e-]+/"seconds":/'
}
# same ARGUMENT..: what both programs say
same()
{
	says "$TRACESH" "$@" >"$TMP/want.says"
	says "$program" "$@" >"$TMP/got.says"
	is "$(cat "$TMP/got.says")" "$(cat "$TMP/want.says")" "as with the machine's C library: $*"
}
same drain -n 20
like "$(cat "$TMP/got.says")" '^20 events' 'there was something to compare'
same events '*wakeup*'
same info sched_switch
same drain where 'prev_comm =~ "^rec.*[0-9a-z]+$"'
same --format json drain -n 5
same --format csv drain -n 5
same status
same recipes
# Its own time zones and strftime
for zone in CET-1CEST,M3.5.0,M10.5.0/3 UTC0; do
	export TZ="$zone"
	same --time iso drain -n 3
done
done_testing
