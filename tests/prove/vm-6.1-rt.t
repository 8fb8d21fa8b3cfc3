#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# Every live test on a real-time kernel (PREEMPT_RT) of 6.1 under QEMU.
exec "${SRC:-$(dirname "$0")/../..}/tests/vm/run" 6.1-rt
