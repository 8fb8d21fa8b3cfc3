#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 1800
# Random questions of known loads: hist, count, latency, sql, stacks, stream and drain say what a program that logs its acts
# has done, live and of a recording. TRACESH_ANSWERS questions (60) from TRACESH_SEED.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

count=${TRACESH_ANSWERS:-60} seed=${TRACESH_SEED:-1}
begin 'questions whose answers are known'
if [ ! -e "$TRACING/uprobe_events" ]; then
	skip 'random questions' 'this kernel has no probes of programs'
elif [ "$(uname -m)" != x86_64 ]; then
	skip 'random questions' 'the probes name registers of x86_64'
elif [ -z "$PYTHON" ]; then
	skip 'random questions' 'no python3 is installed'
else
	"$PYTHON" -B "$SRC/tests/helpers/answers.py" "$TRACESH" "$BUILD/tests/helpers/answers-load" "$TMP" "$count" "$seed" \
		>"$TMP/answers" 2>&1
	same "$?" 0 'the questions are asked'
	sed '$d; s/^/# /' "$TMP/answers"
	same "$(tail -n 1 "$TMP/answers")" "$count of $count answers are right" "seed $seed"
fi
finish
