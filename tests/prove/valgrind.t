#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# The tests of the command line under valgrind: no leak, nothing that is read before it is written.
# (The sanitizers do not see that.) TRACESH_VALGRIND="FILE.." chooses the tests.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

command -v valgrind >/dev/null || skip_all 'no valgrind'
# A plain build: the sanitizers and valgrind exclude each other.
if [ -n "${TRACESH_VM_PROGRAM-}" ]; then
	program=$TRACESH_VM_PROGRAM
else
	ok 'a build without sanitizers' built plain
	program=$BUILD/other/plain/src/tracesh
fi
# serial and suspend are about the terminal, the others do not run the program
files=${TRACESH_VALGRIND:-alias bad-terminal columns commands completions errors history hostile language output pager \
	prompt prompt-set rc save status time tree trees watch}

mkdir "$TMP/logs"
cat >"$TMP/tracesh" <<WRAPPER
#!/bin/sh
exec $(command -v valgrind) -q --leak-check=full --error-exitcode=98 --trace-children=no --child-silent-after-fork=yes \\
	--log-file='$TMP/logs/%p' '$program' "\$@"
WRAPPER
chmod +x "$TMP/tracesh"
ok 'valgrind runs the program' "$TMP/tracesh" --version
rm -f "$TMP/logs"/*

begun=$(date +%s)
for file in $files; do
	status=0
	env TRACESH="$TMP/tracesh" TRACESH_UNDER=valgrind "$SRC/tests/cli/$file.t" >"$TMP/tap" 2>&1 || status=$?
	runs=$(find "$TMP/logs" -type f | wc -l)
	# What valgrind has found; other lines are about system calls that it does not know.
	bad=$(grep -l '^==' "$TMP/logs"/* 2>/dev/null)
	if [ -z "$bad" ]; then
		pass "$file.t: $runs runs without a leak or an error, $(grep -c '^ok' "$TMP/tap") tests pass"
	else
		fail "$file.t: $runs runs without a leak or an error"
		# shellcheck disable=SC2086 # a list of files
		grep -h '^==' $bad | head -n 100 | diag
	fi
	[ "$runs" -gt 5 ] || grep -q '^1\.\.0' "$TMP/tap" || fail "$file.t runs the program"
	if [ "$status" -ne 0 ]; then
		fail "$file.t passes under valgrind"
		grep -A10 '^not ok' "$TMP/tap" | head -n 40 | diag
	fi
	rm -f "$TMP/logs"/*
	diag "$file.t: $(($(date +%s) - begun)) s"
done
done_testing
