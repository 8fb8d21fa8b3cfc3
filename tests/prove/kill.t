#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# kill -9, 200 times at random moments and 200 times at calls.
TRACESH_KILLS=${TRACESH_KILLS:-200} exec "${SRC:-$(dirname "$0")/../..}/tests/live/kill.t"
