#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# The disk full at every page of a journal, each of its records failing in four ways, then kill -9.
TRACESH_FULL=all exec "${SRC:-$(dirname "$0")/../..}/tests/live/journal.t"
