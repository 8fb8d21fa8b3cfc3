#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The runner itself: what it counts, and that nothing that went wrong passes.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

# verdict BODY: the runner's last line, and its status, for a suite of one script
verdict()
{
	rm -rf "$TMP/tree"
	mkdir -p "$TMP/tree/tests/cli" "$TMP/tree/build"
	cp "$SRC/tests/run" "$TMP/tree/tests/"
	printf '#!/bin/sh\n%s\n' "$1" >"$TMP/tree/tests/cli/made-up.t"
	chmod +x "$TMP/tree/tests/cli/made-up.t"
	run "$TMP/tree/tests/run" cli
	printf '%s, status %s\n' "$(printf '%s\n' "$out" | tail -n 1)" "$status"
}

# judged BODY WANT NAME
judged()
{
	is "$(verdict "$1")" "$2" "$3"
}

judged 'echo 1..2; echo ok 1 - a; echo ok 2 - b' '2 passed, 0 failed, 0 skipped, status 0' 'passing tests'
judged 'echo ok; echo 1..1' '1 passed, 0 failed, 0 skipped, status 0' 'a plan at the end, no number'
judged 'echo 1..1; echo not ok 1 - a; exit 1' '0 passed, 1 failed, 0 skipped, status 1' 'a failing test'
judged 'echo 1..1; echo not ok 1 - a' '0 passed, 1 failed, 0 skipped, status 1' 'a failing test, status 0'
judged 'echo 1..2; echo ok 1 - a; echo "ok 2 - b # SKIP no root"' '1 passed, 0 failed, 1 skipped, status 0' 'a skip'
judged 'echo "1..0 # SKIP no root"' '0 passed, 0 failed, 1 skipped, status 0' 'a file that is skipped'
judged 'echo 1..3; echo ok 1; echo ok 2' '2 passed, 1 failed, 0 skipped, status 1' 'a test too few'
judged 'echo 1..1; echo ok 1; echo ok 2' '2 passed, 1 failed, 0 skipped, status 1' 'a test too many'
judged 'echo ok 1' '1 passed, 1 failed, 0 skipped, status 1' 'no plan'
judged ':' '0 passed, 1 failed, 0 skipped, status 1' 'no output at all'
judged 'echo 1..1; echo ok 1; exit 3' '1 passed, 1 failed, 0 skipped, status 1' 'a status that is not 0'
judged 'echo 1..1; echo ok 1; kill -SEGV $$' '1 passed, 1 failed, 0 skipped, status 1' 'a crash'
judged 'echo 1..1; echo "Bail out! broken"' '0 passed, 2 failed, 0 skipped, status 1' 'a bail-out'
judged '# time limit: 1
echo 1..1; echo ok 1; sleep 60' '1 passed, 1 failed, 0 skipped, status 1' 'a test that hangs'
judged 'kill -INT $$; echo 1..1; echo ok 1' '0 passed, 2 failed, 0 skipped, status 1' 'SIGINT is not ignored in a test'

verdict 'echo 1..1; echo "ok 1 - b # SKIP no root"' >/dev/null
like "$out" '^  cli/made-up.t: b: no root$' 'the reason of a skip is shown'
verdict 'echo 1..1; echo not ok 1 - a; echo "# why"' >/dev/null
like "$out" '# why$' "a failed file's output is shown"
rm "$TMP/tree/tests/cli/made-up.t"
run "$TMP/tree/tests/run" cli
is "$(printf '%s\n' "$out" | tail -n 1)" '0 passed, 1 failed, 0 skipped' 'a suite without tests has failed'

done_testing
