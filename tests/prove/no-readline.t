#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# Without readline, as an ordinary program. tests/build/static.t builds the static one so.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

# needed LIBRARY: the program is linked with it
needed()
{
	readelf -d "$BUILD/other/no-readline/src/tracesh" | grep -q "NEEDED.*$1"
}

ok '--without-readline builds without a warning' built_fast no-readline --without-readline --enable-werror
ok 'the program can be looked into' needed libc
unlike "$(needed libreadline && echo readline)" readline 'the program is not linked with readline'
done_testing
