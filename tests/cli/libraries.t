#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of docs/libraries.md beside src/library: what is said to be the library's is called, and what is called stands there.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

# called FILE..: the functions of the libraries that are called, or loaded
called()
{
	cat "$@" | grep -v '^#' | grep -oE '\<(tep|tracefs)_[a-z0-9_]+\(|\<f\((dwfl|dwarf|elf|gelf)_[a-z0-9_]+' | sed 's/^f(//; s/($//' | sort -u
}

# listed FILE: the functions of the second column of the first table
listed()
{
	sed -n '/^## Jobs of the libraries/,/^## Jobs of our own/p' "$1" | awk -F'|' '{ print $3 }' |
		grep -oE '\<(tep|tracefs|dwfl|dwarf|elf|gelf)_[a-z0-9_]+' | sort -u
}

# differences TABLE FILE..
differences()
{
	listed "$1" >"$TMP/listed"
	shift
	called "$@" >"$TMP/called"
	comm -23 "$TMP/listed" "$TMP/called" | sed 's/$/ is not called/'
	comm -13 "$TMP/listed" "$TMP/called" | sed 's/$/ is not in the table/'
}

LC_ALL=C
export LC_ALL
table=$SRC/docs/libraries.md
is "$(differences "$table" "$SRC"/src/library/*.c)" '' 'the table has what is called, and nothing else'
ok 'there are such functions' test "$(listed "$table" | wc -l)" -gt 9

# On a table and a source with a fault: this test can fail

sed 's/`tep_alloc`, //' "$table" >"$TMP/table.md"
is "$(differences "$TMP/table.md" "$SRC"/src/library/*.c)" 'tep_alloc is not in the table' 'caught: a row too few'
sed 's/`tep_alloc`/`tep_made_up`, &/' "$table" >"$TMP/table.md"
is "$(differences "$TMP/table.md" "$SRC"/src/library/*.c)" 'tep_made_up is not called' 'caught: a row too many'

done_testing
