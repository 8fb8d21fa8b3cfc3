#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# Every seventh call that reaches tracefs fails, in ten ways.
TRACESH_FAULTS=${TRACESH_FAULTS:-7} exec "${SRC:-$(dirname "$0")/../..}/tests/live/faults.t"
