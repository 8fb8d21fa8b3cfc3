#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# Every live test on this machine's own kernel.
exec "${SRC:-$(dirname "$0")/../..}/tests/vm/run" host
