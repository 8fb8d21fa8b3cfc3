#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Random questions of a recorded tree: tracesh and an evaluator of its own in Python keep the same events. 60 by default;
# TRACESH_WHERE=N asks more, TRACESH_SEED=N the same ones again.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

command -v python3 >/dev/null || skip_all 'no python3'
seed=${TRACESH_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
questions=${TRACESH_WHERE:-60}
run python3 -I "$SRC/tests/helpers/where-random.py" "$TRACESH" "$SRC/examples/recorded" "$questions" "$seed" "$TMP"
is "$status" 0 'they agree'
diag "TRACESH_WHERE=$questions TRACESH_SEED=$seed"
printf '%s\n' "$out" | tail -n 12 | diag

done_testing
