#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is wrong, where, and what to type instead: each wrong input of tests/expected/messages.txt is answered as it stands there.
# `tests/run --update` writes what the program says now into that file.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
expected=$SRC/tests/expected/messages.txt
# The recorded tree, with the lists that it does not have
cp -r "$SRC/examples/recorded" tree && chmod -R u+w tree
mkdir -p tree/options tree/instances/latency
echo 'function_graph function wakeup_rt nop' >tree/available_tracers
for option in record-tgid record-cmd hash-ptr; do
	echo 0 >"tree/options/$option"
done

# answer STATEMENT: the exit status, and all that the program prints
answer()
{
	run timeout -k 5 60 "$TRACESH" --tracefs tree -c "$1" </dev/null
	echo "status $status"
	cat out err
}

# Each statement is a line behind "$ "; what stands below it up to the next one, or a comment, "## ..", is the answer.
: >now
text=
while IFS= read -r line; do
	case $line in
	'$ '*)
		[ -z "$text" ] || echo >>now
		text=
		printf '%s\n' "$line" >>now
		answer "${line#??}" >>now
		;;
	'## '*)
		[ -z "$text" ] && [ -s now ] && echo >>now
		text=yes
		printf '%s\n' "$line" >>now
		;;
	esac
done <"$expected"

if [ -n "${TSH_TEST_UPDATE-}" ]; then
	diff -U0 "$expected" now | cat -v | diag
	cmp -s now "$expected" || cp now "$expected"
fi

# part FILE NUMBER: a statement of it, with its answer, into part.NUMBER of a folder
part()
{
	mkdir "$2" && awk -v folder="$2" '/^\$ / { n++ } /^## / || n == 0 || $0 == "" { next } n { print >(folder "/" n) }' "$1"
}
part "$expected" wanted
part now answered
is "$(ls answered | wc -l)" "$(grep -c '^\$ ' "$expected")" 'each has an answer'
ok 'and they are many' test "$(grep -c '^\$ ' "$expected")" -ge 200
number=0
while IFS= read -r line; do
	number=$((number + 1))
	is "$(cat "answered/$number")" "$(cat "wanted/$number")" "${line#??}"
done <<-LINES
	$(grep '^\$ ' "$expected")
LINES
unlike "$(cat now)" '^status (0|99|1[0-9][0-9])$' 'each is an error, and none a crash'

done_testing
