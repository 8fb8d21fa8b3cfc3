#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# Two sessions side by side, 1,000 random commands each.
TRACESH_TOGETHER=${TRACESH_TOGETHER:-1000} exec "${SRC:-$(dirname "$0")/../..}/tests/live/together.t"
