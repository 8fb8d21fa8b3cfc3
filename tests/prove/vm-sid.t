#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# Every live test on the newest kernel that the distribution has, under QEMU.
exec "${SRC:-$(dirname "$0")/../..}/tests/vm/run" sid
