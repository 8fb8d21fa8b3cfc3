#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 10800
# Ten thousand random schedules of two or three sessions on the files of one instance, and a thousand storms.
TRACESH_SESSIONS=${TRACESH_SESSIONS:-10000} TRACESH_STORMS=${TRACESH_STORMS:-1000} exec "${SRC:-$(dirname "$0")/../..}/tests/live/sessions.t"
