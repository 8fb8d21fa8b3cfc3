#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# Without readline, libtraceevent and libtracefs, as an ordinary program. tests/build/static.t builds the static one so.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

# needed LIBRARY: the program is linked with it
needed()
{
	readelf -d "$BUILD/other/no-readline/src/tracesh" | grep -q "NEEDED.*$1"
}

ok '--without- each of the three builds without a warning' built_fast no-readline --without-readline --without-libtraceevent \
	--without-libtracefs --enable-werror
ok 'the program can be looked into' needed libc
unlike "$(needed libreadline && echo readline)" readline 'the program is not linked with readline'
unlike "$(needed libtrace && echo library)" library 'nor with libtraceevent and libtracefs'
# What events are then, and what is said
TRACESH=$BUILD/other/no-readline/src/tracesh sh "$SRC/tests/cli/decoders.t" >"$TMP/decoders" 2>&1 || diag "$(cat "$TMP/decoders")"
like "$(cat "$TMP/decoders")" 'ok .* all cannot be set then$' 'it says that it is without'
unlike "$(cat "$TMP/decoders")" '^not ok' 'and prints name=value'
done_testing
