#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The documents name tests that are there.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

# missing_tests FILE: a line for each `SUITE/FILE: words` in it of which there is no such file, or which lacks the words
missing_tests()
{
	grep -oE '`(unit|cli|live|build|fuzz|vm|prove)/[a-z0-9-]+: [^`]+`' "$1" | tr -d '`' | sort -u | while IFS= read -r line; do
		file=${line%%: *}
		grep -qsF -e "${line#*: }" "$SRC/tests/$file.t" || echo "$line"
	done
}

for page in "$SRC"/*.md "$SRC"/docs/*.md; do
	is "$(missing_tests "$page")" '' "${page##*/}: each test that it names is there, with these words"
	# links to files of this tree, from where the page is
	is "$(cd "${page%/*}" && grep -oE '\]\([^):#]+' "$page" | cut -c 3- | while read -r file; do [ -e "$file" ] || echo "$file"; done)" '' \
		"${page##*/}: each file that it links to is there"
done
ok 'security.md: each part names some' test "$(grep -cE '`(cli|live|build|fuzz)/' "$SRC/docs/security.md")" -gt 20
printf '%s\n' '| a promise | `cli/docs: words of n''o test` |' '| another | `cli/nowhere: x` |' >"$TMP/wrong.md"
is "$(missing_tests "$TMP/wrong.md" | wc -l)" 2 'a name of no test is caught'

ok 'README.md is short: 900 words at most' test "$(wc -w <"$SRC/README.md")" -le 900
is "$(cd "$SRC" && printf '%s\n' docs/*.md | while read -r page; do grep -qF "($page)" README.md || echo "$page"; done)" '' \
	'README.md leads to each page'

# recording.md: each file of a recording stands there, by its path or as one of a folder
unnamed=
for tree in "$SRC/tests/unit/trees/function-7.2" "$SRC/tests/unit/trees/s390x-6.1"; do
	for file in "$tree"/* "$tree"/tracesh/*; do
		name=${file#"$tree/"}
		[ "$name" = trace ] || [ "$name" = tracesh ] || grep -qE "\`$name(\`|/)" "$SRC/docs/recording.md" ||
			unnamed="$unnamed $name"
	done
done
is "$unnamed" '' 'recording.md: each file that record makes is there'
done_testing
