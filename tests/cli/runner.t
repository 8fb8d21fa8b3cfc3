#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The runner itself: what it counts, and that nothing that went wrong passes.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

# made_up BODY [SUITE]: a tree of its own with a suite of one script
made_up()
{
	rm -rf "$TMP/tree"
	suite=${2-cli}
	mkdir -p "$TMP/tree/tests/$suite" "$TMP/tree/build"
	cp "$SRC/tests/run" "$SRC/tests/judge.awk" "$TMP/tree/tests/"
	printf '#!/bin/sh\n%s\n' "$1" >"$TMP/tree/tests/$suite/made-up.t"
	chmod +x "$TMP/tree/tests/$suite/made-up.t"
}

# verdict BODY: the runner's last line, and its status, for such a suite
verdict()
{
	made_up "$1"
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
judged '# time limit: 5
echo 1..1; echo ok 1; sleep 60' '1 passed, 1 failed, 0 skipped, status 1' 'a test that hangs'
judged 'kill -INT $$; echo 1..1; echo ok 1' '0 passed, 2 failed, 0 skipped, status 1' 'SIGINT is not ignored in a test'

verdict 'echo 1..1; echo "ok 1 - b # SKIP no root"' >/dev/null
like "$out" '^  cli/made-up.t: b: no root$' 'the reason of a skip is shown'
verdict 'echo 1..1; echo not ok 1 - a; echo "# why"' >/dev/null
like "$out" '^     cli/made-up.t: a$' 'what failed is shown'
like "$out" '^         why$' 'with what it said'
like "$(printf '%s\n' "$out" | tail -n 4)" '^  cli/made-up.t: a$' 'and once more at the end'
like "$(printf '%s\n' "$out" | tail -n 4)" '^      why$' 'with what it said'
is "$(cat "$TMP/tree/build/tests-failed/cli-made-up.t")" "1..1
not ok 1 - a
# why" 'its whole output is left'
verdict 'echo 1..1; echo not ok 1 - a; for i in $(seq 100); do echo "# line $i"; done' >/dev/null
like "$out" '^      line 20$' 'of a long text the first lines'
unlike "$out" 'line 21$' 'and no more'
verdict 'echo ok 1; echo Segmentation fault; exit 139' >/dev/null
like "$out" '^      | Segmentation fault$' 'of a crash the last lines'
like "$out" '^time: cli [0-9]* s$' 'how long each suite took'

# In $TMP, since the runner's own folder is made anew.
once='echo 1..2; echo ok 1 - b
test -e "'"$TMP"'/there" || { touch "'"$TMP"'/there"; echo not ok 2 - b; echo "# why"; exit 1; }
echo ok 2 - b'
is "$(verdict "$once")" '2 passed, 0 failed, 0 skipped, status 0' 'a test that fails once passes'
rm "$TMP/there"
verdict "$once" >/dev/null
like "$out" '^FAIL cli/made-up.t  *1 passed, 1 failed' 'its failure is told'
like "$out" '^flaky: ' 'and listed'
like "$out" '^  cli/made-up.t: b$' 'with its name'
like "$out" '^      why$' 'and what it said'
is "$(verdict 'echo 1..1; echo not ok 1 - a; exit 1')" '0 passed, 1 failed, 0 skipped, status 1' 'one that fails twice has failed'
is "$(verdict 'test -e "'"$TMP"'/gone" || { touch "'"$TMP"'/gone"; echo 1..1; echo not ok 1 - a; exit 1; }
echo "1..0 # SKIP no"')" '0 passed, 1 failed, 1 skipped, status 1' 'nor has one passed that is skipped then'
is "$(verdict 'test -e "'"$TMP"'/was" || { touch "'"$TMP"'/was"; echo "==1==ERROR: AddressSanitizer: x"; echo 1..1; echo ok 1; exit 99; }
echo 1..1; echo ok 1')" '1 passed, 1 failed, 0 skipped, status 1' "a sanitizer's report is no chance"

# several N: the runner's last line, and its status, for N files of which each fails once
several()
{
	rm -f "$TMP/tree/tests/cli/"*.t "$TMP"/there-*
	for i in $(seq "$1"); do
		printf '#!/bin/sh\n%s\n' "$(printf '%s\n' "$once" | sed "s|/there|/there-$i|g")" >"$TMP/tree/tests/cli/made-up-$i.t"
	done
	chmod +x "$TMP/tree/tests/cli/"*.t
	run "$TMP/tree/tests/run" cli
	printf '%s, status %s\n' "$(printf '%s\n' "$out" | tail -n 1)" "$status"
}

is "$(several 2)" '4 passed, 0 failed, 0 skipped, status 0' 'two may be flaky'
is "$(several 3)" '6 passed, 1 failed, 0 skipped, status 1' 'three are too many'
is "$(several 6)" '6 passed, 6 failed, 0 skipped, status 1' 'of six that failed none is run again'
rm -f "$TMP"/there-*
run "$TMP/tree/tests/run" --repeat 3 --load 1 cli/made-up-1.t made-up/cli/made-up-2
is "$(printf '%s\n' "$out" | tail -n 1)" '10 passed, 2 failed, 0 skipped' '--repeat runs files again, whatever comes'
run "$TMP/tree/tests/run" cli/nosuch
is "$status: $err" '2: run: no test cli/nosuch' 'a file that is not there'

# Of the machine's folders the runner locks one, and none that tracesh locks: with tracefs mounted beforehand a lock of its
# root is the one that the readers of the top-level instance take. A filesystem of the test's own lies over them.
made_up 'echo 1..3
for folder in /sys/kernel/tracing /sys/kernel/debug/tracing; do
	flock -n "$folder" true && echo "ok - $folder" || echo "not ok - $folder"
done
flock -n /sys/kernel true && echo "not ok - no turn" || echo "ok - turn"' live
# shellcheck disable=SC2016 # for the inner shell
over='mount -t tmpfs none /sys/kernel && mkdir -p /sys/kernel/tracing /sys/kernel/debug/tracing && exec "$@"'
if ! unshare -Urm true 2>/dev/null; then
	skip 'a live test holds no lock that tracesh takes' 'no user namespaces'
else
	run unshare -Urm sh -c "$over" sh "$TMP/tree/tests/run" live
	is "$(printf '%s\n' "$out" | tail -n 1)" '3 passed, 0 failed, 0 skipped' 'a live test holds no lock that tracesh takes'
	# Two that each wait for the other one, and two that let none begin.
	made_up 'echo 1..1; flock -s -n /sys/kernel true && echo not ok || echo ok' live
	cp "$TMP/tree/tests/live/made-up.t" "$TMP/tree/tests/live/alone.t"
	for each in one two; do
		cat >"$TMP/tree/tests/live/$each.t" <<TEST
#!/bin/sh
# beside others
touch "$TMP/$each"
tries=0
until [ -e "$TMP/one" ] && [ -e "$TMP/two" ] || [ \$tries -ge 200 ]; do tries=\$((tries + 1)); sleep 0.05; done
echo 1..1
[ \$tries -lt 200 ] && echo ok || echo not ok
TEST
	done
	chmod +x "$TMP/tree/tests/live/"*.t
	run unshare -Urm sh -c "$over" sh "$TMP/tree/tests/run" live
	is "$(printf '%s\n' "$out" | tail -n 1)" '4 passed, 0 failed, 0 skipped' 'two that may be beside others run at once, no other'
	unlike "$out" '^flaky: ' 'at once'
fi

# Whose an instance is its name says first; of those who run they are no others' concern. No process has the number 99999999.
TRACING=$TMP/tracing
for each in live-1-made live-1-99999999-made live-99999999-1-made "live-$$-1-made" tracesh-1-99999999 tracesh-99999999-1 \
	tracesh-bench-1; do
	mkdir -p "$TRACING/instances/$each"
done
eval "$(sed -n '/^find_owner()$/,/^}$/p; /^list_instances()$/,/^)$/p; /^top_is_as_it_was()$/,/^}$/p
	/^without_others_probes()$/,/^}$/p' "$SRC/tests/live/lib-live.sh")"
is "$(list_instances | sort)" "$(printf 'instances/%s\n' "live-$$-1-made" live-99999999-1-made tracesh-99999999-1 | sort)" \
	'a live test looks at no instance of those who run'

# Nor at a probe of a group that it does not name, or of a program that runs.
echo any >"$TRACING/dynamic_events"
probes="uprobe_events:p:mine/e /bin/sh:0x1000
dynamic_events:r8:tracesh_99999999/e vfs_read"
is "$(printf '%s\n' "$probes" "dynamic_events:p:other$$/e vfs_read" "kprobe_events:r2:other$$/e vfs_read" "synthetic_events:other$$	u64 lat" \
	kprobe_events:p:tracesh_1/e dynamic_events:p:tracesh_1/e |
	without_others_probes)" "$probes" 'nor at a probe of somebody else'

# What it sets at the top another one would see.
# shellcheck disable=SC2317 # called by it
events_come() { echo 'enabled'; }
is "$(case_erases=yes beside=yes; top_is_as_it_was)$(case_erases=yes beside=''; top_is_as_it_was)" enabled \
	'beside others a live test enables no event at the top'

# What is left of a live test without the cases that it cannot have; a function may end with a parenthesis.
cases="first()
(
	cd /
)
begin 'one'
one
begin 'two'
# needs top kprobes
two
second()
(
	cd /
)
begin 'three'
three
finish"
is "$(printf '%s\n' "$cases" | awk -f "$SRC/tests/live/leave-out.awk")" "first()
(
	cd /
)
begin 'one'
one
leave_out 'two'
second()
(
	cd /
)
begin 'three'
three
finish" 'without the top-level instance'
is "$(printf '%s\n' "$cases" | awk -v lacking=kprobes -f "$SRC/tests/vm/cases.awk")" "first()
(
	cd /
)
begin 'two'
# needs top kprobes
two
second()
(
	cd /
)
finish" 'in a guest, what the machine lacks'
is "$(printf '%s\n' "begin 'one'" '# needs top' '# long in a guest' one "begin 'two'" '# needs top' two finish |
	awk -v lacking=top -v left="$TMP/left" -f "$SRC/tests/vm/cases.awk") $(cat "$TMP/left")" "begin 'two'
# needs top
two
finish one" 'and not what is long in one, which is told'

# The program that is given for live files, but for those that are about hostile text.
plain=$(realpath "$(command -v env)")
for which in "$plain" "$TMP/tree/build/src/tracesh"; do
	set --
	made_up "$([ "$which" = "$plain" ] || echo '# sanitizers')
echo 1..1; [ \"\$TRACESH \$TRACESH_SAMPLE\" = '$which sample' ] && echo ok 1 || echo \"not ok 1 - \$TRACESH\"" live
	# not after the machine's live tests
	! unshare -Urm true 2>/dev/null || set -- unshare -Urm sh -c "$over" sh
	run "$@" "$TMP/tree/tests/run" --plain "$plain" live/made-up.t
	is "$(printf '%s\n' "$out" | tail -n 1)" '1 passed, 0 failed, 0 skipped' "${which##*/}, with --plain"
done

# All that it has started ends with it.
verdict : >/dev/null
# A child that is not sleep yet has the trap of its parent, and would forget the signal.
cat >"$TMP/tree/tests/cli/made-up.t" <<TEST
#!/bin/sh
trap "touch '$TMP/ended'; exit 143" TERM
sleep 1000 &
until grep -qs '^Name:[[:space:]]*sleep' "/proc/\$!/status"; do :; done
echo \$! >"$TMP/begun"
wait
TEST
"$TMP/tree/tests/run" cli >"$TMP/interrupted" 2>&1 &
runner=$!
tries=0
until [ -s "$TMP/begun" ] || [ $tries -ge 600 ]; do tries=$((tries + 1)); sleep 0.05; done
kill -TERM "$runner"
status=0
wait "$runner" || status=$?
is "$status" 143 'it can be interrupted'
is "$(tail -n 1 "$TMP/interrupted")" '0 passed, 1 failed, 0 skipped' 'and says so'
ok 'its test is told' test -e "$TMP/ended"
# Nobody may have asked yet for the status of what has lost its parent.
tries=0
while grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$(cat "$TMP/begun")/status" && [ $tries -lt 600 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
ok 'and what that has started has ended' test $tries -lt 600

verdict ': ' >/dev/null
rm "$TMP/tree/tests/cli/made-up.t"
run "$TMP/tree/tests/run" cli
is "$(printf '%s\n' "$out" | tail -n 1)" '0 passed, 1 failed, 0 skipped' 'a suite without tests has failed'

# --case: cases by their names; all of the file runs

three='echo 1..3; echo ok 1 - red; echo not ok 2 - green; echo "# why"; echo "ok 3 - blue # SKIP no"; exit 1'
made_up "$three"
run "$TMP/tree/tests/run" cli/made-up --case red
is "$(printf '%s\n' "$out" | tail -n 1), status $status" '1 passed, 0 failed, 0 skipped, status 0' '--case: a case that passes beside one that fails'
run "$TMP/tree/tests/run" --case re cli/made-up
is "$(printf '%s\n' "$out" | tail -n 1), status $status" '1 passed, 1 failed, 0 skipped, status 1' '--case: a part of two names'
run "$TMP/tree/tests/run" --case black cli/made-up
like "$out" "^  run: no case has 'black' in its name\$" '--case: a name of none'
is "$(printf '%s\n' "$out" | tail -n 1), status $status" '0 passed, 1 failed, 0 skipped, status 1' '--case: which is a failure'
made_up 'echo 1..1; echo ok 1 - red; exit 3'
run "$TMP/tree/tests/run" --case red cli/made-up
is "$status" 1 '--case: a status that is not 0'
run "$TMP/tree/tests/run" cli --case
is "$status" 2 '--case: without a text'
run "$TMP/tree/tests/run" --help
like "$out" 'A case is what a file reports' '--help says what a case is'

# A unit test that is not built

mkdir "$TMP/tree/tests/unit"
echo 'int main(void)' >"$TMP/tree/tests/unit/test-gone.c"
echo '#define HAVE_CMOCKA 1' >"$TMP/tree/build/config.h"
run "$TMP/tree/tests/run" unit
is "$status $(printf '%s\n' "$out" | sed -n 's/^FAIL //p' | tr -s ' ')" \
	'1 unit/test-gone not built: make check-programs (is it in tests/Makemodule.am?)' 'a unit test that is not built is a failure'

# lib.sh: what does not stand there proves nothing where the program has crashed

for case in 'true:1 passed, 0 failed' 'exit 1:1 passed, 0 failed' 'kill -SEGV $$:0 passed, 1 failed' 'exit 99:0 passed, 1 failed'; do
	made_up ". '$SRC/tests/lib.sh'
run sh -c '${case%%:*}'
unlike \"\$err\" error 'no error'
done_testing"
	run "$TMP/tree/tests/run" cli
	like "$out" "^${case#*:}, 0 skipped\$" "unlike after ${case%%:*}"
done

done_testing
