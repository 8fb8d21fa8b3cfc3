#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# A second opinion on formats: the fields of all events of this kernel, and of the recorded trees here, as libtraceevent
# reads them. TRACESH_FORMATS=DIR.. are further trees.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
helper=$BUILD/tests/helpers/library-formats
[ -x "$helper" ] || skip_all 'no tests/helpers/library-formats (make check-programs)'
status=0
"$helper" >/dev/null || status=$?
[ "$status" -ne 77 ] || skip_all 'a build without libtraceevent'
need_tracefs

# Where the two differ: what, ours, the library's, the types, and why ours is right: what the kernel prints, or writes.
cat >"$TMP/rows" <<'ROWS'
kind|array|string|^(__)?u8\[|bytes of an address, a UUID or a buffer, which the kernel prints with %pM, %pU and %*ph
kind|array|string|^unsigned char\[|the same
kind|dynamic array|dynamic string|^__[a-z]*_loc unsigned char\[\]$|the same
kind|array|number|^(const )?struct |a structure: bytes
kind|array|number|^[a-z_0-9]*_t$|the same
kind|dynamic array|dynamic string|^__[a-z]*_loc (__)?u8\[\]$|the same
kind|dynamic array|dynamic|^__[a-z]*_loc cpumask_t$|a mask of longs, which the kernel prints with __get_cpumask
kind|string|number|^char$|`char buf` of no size, as kernels before 5.9 write `char buf[]`: the rest of the record
ROWS

# differences TREE..: those that are in no row; the rows that were there are noted in $TMP/used
differences()
{
	ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" "$helper" "$@" >"$TMP/all" || echo 'the helper fails'
	awk -F '\t' -v rows="$TMP/rows" -v used="$TMP/used" '
		BEGIN {
			while ((getline line <rows) > 0) {
				split(line, part, "|")
				what[++count] = part[1] FS part[2] FS part[3]
				type[count] = substr(line, length(what[count]) + 2)
				sub(/[|][^|]*$/, "", type[count])
			}
		}
		NF == 6 {
			for (i = 1; i <= count; i++)
				if ($4 FS $5 FS $6 == what[i] && $3 ~ type[i]) {
					print i >>used
					next
				}
			print
		}' "$TMP/all"
}

: >"$TMP/used"
# shellcheck disable=SC2086 # words
is "$(differences "$TRACING" "$SRC/examples/recorded" "$SRC"/tests/unit/trees/* ${TRACESH_FORMATS-} | head -n 40)" '' \
	'the fields are those of libtraceevent, but for known differences'
diag "$(tail -n 1 "$TMP/all")"
ok 'all formats were read' test "$(sed -n 's/^formats \([0-9]*\) .*/\1/p' "$TMP/all")" -ge \
	"$(find "$TRACING/events" -name format | wc -l)"
number=0
while IFS='|' read -r what ours theirs type why; do
	number=$((number + 1))
	count=$(grep -cx $number "$TMP/used")
	[ "$count" -eq 0 ] && diag "differs no more: $what: $ours, $theirs: $type"
	diag "$count fields: $what $ours, not $theirs: $why"
done <"$TMP/rows"

# This test can fail.
mkdir -p "$TMP/made/events/a/b"
printf 'name: b\nID: 1\nformat:\n\tfield:u8 c[4];\toffset:0;\tsize:4;\tsigned:0;\n\nprint fmt: ""\n' >"$TMP/made/events/a/b/format"
: >"$TMP/rows"
is "$(differences "$TMP/made")" "$(printf 'a:b\tc\tu8[4]\tkind\tarray\tstring')" 'caught: a difference that is in no row'
done_testing
