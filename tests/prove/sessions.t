#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 10800
# Ten thousand random schedules of two or three sessions on the files of one instance.
TRACESH_SESSIONS=${TRACESH_SESSIONS:-10000} exec "${SRC:-$(dirname "$0")/../..}/tests/live/sessions.t"
