#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls that the house bans, and files that have grown too long.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

banned='sscanf|perror|strcpy|strcat|strncpy|sprintf|strtok|atoi|system|popen|gets'
longest=600

# calls FILE..: the banned calls in them, as FILE:LINE:TEXT; comments and strings are no calls
calls()
{
	awk '
		FNR == 1 { comment = 0 }
		{
			line = $0
			code = ""
			while (line != "") {
				if (comment) {
					end = index(line, "*/")
					if (!end)
						break
					line = substr(line, end + 2)
					comment = 0
				} else if (match(line, /^"([^"\\]|\\.)*"/) ||
					   match(line, /^\047([^\047\\]|\\.)*\047/)) {
					code = code "\"\""
					line = substr(line, RLENGTH + 1)
				} else if (line ~ /^\/\//) {
					break
				} else if (line ~ /^\/\*/) {
					comment = 1
					line = substr(line, 3)
				} else {
					code = code substr(line, 1, 1)
					line = substr(line, 2)
				}
			}
			print FILENAME ":" FNR ":" code
		}' "$@" | grep -E "(^|[^A-Za-z0-9_])($banned)[[:space:]]*\("
}

# floats FILE..: formats of floating point numbers, which are not exact
floats()
{
	awk '
		{ line = $0; gsub(/%%/, "", line) }
		line ~ /"[^"]*%[-+ #0-9.*]*[aefgAEFG]([^A-Za-z0-9_]|$)/ { print FILENAME ":" FNR ":" $0 }' "$@"
}

# too_long FILE..
too_long()
{
	awk -v longest="$longest" '
		function tell() { if (n > longest) print file ": " n " lines" }
		FNR == 1 { tell(); file = FILENAME }
		{ n = FNR }
		END { tell() }' "$@"
}

cd "$SRC" || exit 1
# shellcheck disable=SC2046 # the tree's names have no blanks
set -- $(find src -name '*.[ch]' | sort)

is "$(calls "$@")" '' 'no banned call'
is "$(floats "$@")" '' 'no floating point number is printed'
is "$(too_long "$@")" '' "no file over $longest lines"

# This test can fail

cat >"$TMP/made-up.c" <<'C'
/* system() and
   gets() in a comment */
const char *s = "system(1) \" atoi(2)"; // strcpy(a, b)
char q = '"'; int strtok_like(int my_system);
int a = atoi("1");
char *b = strcat (c, d);
C
is "$(calls "$TMP/made-up.c" | cut -d : -f 2 | tr '\n' ' ')" '5 6 ' 'caught: calls, not comments, strings and longer names'
echo 'printf("%d is 100%% of %.2f\n", a, b);' >"$TMP/float.c"
is "$(floats "$TMP/float.c" | cut -d : -f 2)" 1 'caught: a floating point number'
awk 'BEGIN { for (i = 0; i <= 600; i++) print "" }' >"$TMP/long.c"
is "$(too_long "$TMP/long.c")" "$TMP/long.c: 601 lines" 'caught: 601 lines'

done_testing
