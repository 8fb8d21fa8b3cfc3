#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 10800
# Random questions whose answers are known, 2,000 of them here, and some on each kernel that a guest can have.
# TRACESH_ANSWERS says how many here, TRACESH_ANSWERS_GUEST how many in each guest, TRACESH_SEED from which seed.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

seed=${TRACESH_SEED:-$(date +%s)}
few=${TRACESH_ANSWERS_GUEST:-200}
export TRACESH_ANSWERS="${TRACESH_ANSWERS:-2000}" TRACESH_SEED="$seed"
echo "# seed $seed"
status=0
"$SRC/tests/live/answers.t" >"$TMP/out" 2>&1 || status=$?
sed 's/^\(not \)\?ok/# \1ok/; /^1\.\./d' "$TMP/out"
is "$status" 0 "this kernel: $TRACESH_ANSWERS questions"
for kernel in 6.1 6.1-rt 6.12 6.12-rt sid; do
	status=0
	TRACESH_VM_LIMIT=3000 "$SRC/tests/vm/boot" -k "$kernel" env TRACESH_ANSWERS="$few" TRACESH_SEED="$seed" \
		tests/live/answers.t >"$TMP/out" 2>&1 || status=$?
	sed 's/^\(not \)\?ok/# \1ok/; /^1\.\./d' "$TMP/out"
	if [ "$status" -eq 77 ]; then
		skip "$kernel: $few questions" "$(tail -n 1 "$TMP/out")"
	else
		is "$status" 0 "$kernel: $few questions"
	fi
done
done_testing
