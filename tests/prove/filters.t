#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 3600
# Random filters, 20,000 of them: what the kernel lets pass, and what where does.
TRACESH_EXPRESSIONS=${TRACESH_EXPRESSIONS:-20000} exec "${SRC:-$(dirname "$0")/../..}/tests/live/where.t"
