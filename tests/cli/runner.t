#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The runner itself: what it counts, and that nothing that went wrong passes.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

# verdict BODY [SUITE]: the runner's last line, and its status, for a suite of one script
verdict()
{
	rm -rf "$TMP/tree"
	suite=${2-cli}
	mkdir -p "$TMP/tree/tests/$suite" "$TMP/tree/build"
	cp "$SRC/tests/run" "$TMP/tree/tests/"
	printf '#!/bin/sh\n%s\n' "$1" >"$TMP/tree/tests/$suite/made-up.t"
	chmod +x "$TMP/tree/tests/$suite/made-up.t"
	run "$TMP/tree/tests/run" "$suite"
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
judged '# time limit: 5
echo 1..1; echo ok 1; sleep 60' '1 passed, 1 failed, 0 skipped, status 1' 'a test that hangs'
judged 'kill -INT $$; echo 1..1; echo ok 1' '0 passed, 2 failed, 0 skipped, status 1' 'SIGINT is not ignored in a test'

verdict 'echo 1..1; echo "ok 1 - b # SKIP no root"' >/dev/null
like "$out" '^  cli/made-up.t: b: no root$' 'the reason of a skip is shown'
verdict 'echo 1..1; echo not ok 1 - a; echo "# why"' >/dev/null
like "$out" '^     . # why$' "a failed file's output is shown"
like "$out" '^  cli/made-up.t: a$' 'and what failed once more at the end'
like "$out" '^    # why$' 'with what it said'
is "$(cat "$TMP/tree/build/tests-failed/cli-made-up.t")" "1..1
not ok 1 - a
# why" 'its whole output is left'

verdict 'echo 1..2; echo ok 1 - b
for i in $(seq 100); do echo "# line $i"; done
echo not ok 2 - a; echo "# why"' >/dev/null
like "$out" '^     . # line 90$' 'the lines before it are shown'
unlike "$out" '# line 20$' 'but not all'

# In $TMP, since the runner's own folder is made anew.
steady='echo 1..2; echo ok 1 - a
test -e '"$TMP"'/there || { touch '"$TMP"'/there; echo not ok 2 - b; echo "# why"; exit 1; }
echo ok 2 - b'
is "$(verdict "$steady" live)" '2 passed, 0 failed, 0 skipped, status 0' 'a live test that fails once passes'
rm "$TMP/there"
verdict "$steady" live >/dev/null
like "$out" '^FAIL live/made-up.t  *1 passed, 1 failed' 'its failure is told'
like "$out" '^unsteady .*:$' 'and listed'
like "$out" '^  live/made-up.t: b$' 'with its name'
like "$out" '^    # why$' 'and what it said'
rm "$TMP/there"
is "$(verdict "$steady" cli)" '1 passed, 1 failed, 0 skipped, status 1' 'one that is not live is run once'
judged_live='echo 1..1; echo not ok 1 - a; exit 1'
is "$(verdict "$judged_live" live)" '0 passed, 1 failed, 0 skipped, status 1' 'one that fails twice has failed'
is "$(verdict 'test -e '"$TMP"'/gone || { touch '"$TMP"'/gone; echo 1..1; echo not ok 1 - a; exit 1; }
echo "1..0 # SKIP no"' live)" '0 passed, 1 failed, 1 skipped, status 1' 'nor has one passed that is skipped then'
is "$(verdict 'test -e '"$TMP"'/was || { touch '"$TMP"'/was; echo "==1==ERROR: AddressSanitizer: x"; echo 1..1; echo ok 1; exit 99; }
echo 1..1; echo ok 1' live)" '1 passed, 1 failed, 0 skipped, status 1' "a sanitizer's report is no chance"
for i in 1 2 3 4 5 6; do
	printf '#!/bin/sh\n%s\n' "$(printf '%s\n' "$steady" | sed "s|/there|/there-$i|g")" \
		>"$TMP/tree/tests/live/made-up-$i.t"
done
rm "$TMP/tree/tests/live/made-up.t"
chmod +x "$TMP/tree/tests/live/"*.t
run "$TMP/tree/tests/run" live
is "$(printf '%s\n' "$out" | tail -n 1)" '10 passed, 2 failed, 0 skipped' 'after four nothing is run again'

verdict ': ' >/dev/null
rm "$TMP/tree/tests/cli/made-up.t"
run "$TMP/tree/tests/run" cli
is "$(printf '%s\n' "$out" | tail -n 1)" '0 passed, 1 failed, 0 skipped' 'a suite without tests has failed'

done_testing
