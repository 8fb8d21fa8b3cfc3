#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1800
# Five thousand random questions of a recorded tree, against an evaluator that shares nothing with tracesh's.
TRACESH_WHERE=${TRACESH_WHERE:-5000} exec "${SRC:-$(dirname "$0")/../..}/tests/cli/where-random.t"
