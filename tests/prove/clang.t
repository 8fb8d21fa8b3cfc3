#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# clang builds everything without a warning.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

command -v clang >/dev/null || skip_all 'no clang'
ok 'clang builds everything without a warning' built clang CC=clang --enable-werror
done_testing
