#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The examples that make events: probes, synthetic ones.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

chosen() { makes_events "$1"; }
. "$SRC/tests/live/lib-examples.sh"

finish
