#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1800
# beside others
# Every example of every command, and every file of examples/, works and leaves nothing behind; those that make events are in
# examples-events.t.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

chosen() { ! makes_events "$1"; }
. "$SRC/tests/live/lib-examples.sh"

for file in examples/*.tsh; do
	begin "$file"
	fresh
	true_that 'is a program' test -x "$file"
	true_that 'says what it needs and leaves' grep -q '^# Needs: .* Leaves: ' "$file"
	# recipes.t runs them
	t -i "$I" -n "$file" $$
	expect 0 'has nothing that -n finds'
	true_that 'no instance of its own is left' no_own_instance
done

finish
