#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# A build that cannot run what it builds leaves the commands out of the man page.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

ok 'a cross build makes the program and the man page' as_cross built cross
page=$BUILD/other/cross/src/tracesh.1
ok 'the page is there' test -s "$page"
unlike "$(cat "$page")" '@[A-Z]+@' 'the page is filled in'
done_testing
