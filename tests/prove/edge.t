#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 3600
# Journals that end at every sixth byte of the last hundred of a page.
TRACESH_FULL=all exec "${SRC:-$(dirname "$0")/../..}/tests/live/edge.t"
