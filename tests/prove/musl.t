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
for command in 'drain -n 20' 'events *wakeup*' 'info sched_switch' 'drain where prev_prio < next_prio' \
	'--format json drain -n 5' '--format csv drain -n 5' 'status' 'recipes'; do
	for each in "$program" "$TRACESH"; do
		# shellcheck disable=SC2086 # words
		(set -f; "$each" --tracefs "$SRC/examples/recorded" $command) >"$TMP/$(basename "$(dirname "$(dirname "$each")")")" 2>&1
	done
	is "$(cat "$TMP/musl")" "$(cat "$TMP/$(basename "$BUILD")")" "as with the machine's C library: $command"
done
# Its own strftime, time zones and regular expressions
for zone in CET-1CEST,M3.5.0,M10.5.0/3 UTC0; do
	is "$(TZ=$zone "$program" --tracefs "$SRC/examples/recorded" --time iso drain -n 3 2>&1)" \
		"$(TZ=$zone "$TRACESH" --tracefs "$SRC/examples/recorded" --time iso drain -n 3 2>&1)" "times in TZ=$zone"
done
done_testing
