#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# A release holds what the repository holds. tests/prove/dist.t shows that it builds by itself and installs.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

rm -f "$BUILD"/tracesh-*.tar.gz
ok 'make dist' make -C "$BUILD" dist-gzip
tarball=$(ls "$BUILD"/tracesh-*.tar.gz 2>/dev/null)
if git -C "$SRC" rev-parse --show-toplevel 2>/dev/null | grep -qx "$SRC"; then
	# In git and meant for a release: everything but what only the repository itself uses.
	git -C "$SRC" -c core.quotepath=off ls-files --cached --others --exclude-standard | while read -r file; do
		[ -e "$SRC/$file" ] || [ -L "$SRC/$file" ] && echo "$file"
	done | grep -Ev '^(\.git(ignore|attributes)$|findings/)' | sort >"$TMP/git"
	tar -tzf "$tarball" | sed -n 's,^[^/]*/\(.*[^/]\)$,\1,p' | sort >"$TMP/dist"
	is "$(comm -23 "$TMP/git" "$TMP/dist")" '' 'every file of the repository is in the release'
	# what autotools and the build add
	is "$(comm -13 "$TMP/git" "$TMP/dist" |
		grep -Ev '^(build-aux/.*|Makefile\.in|aclocal\.m4|config\.h\.in|configure|src/tracesh\.1)$')" '' \
		'nothing else is in it'
else
	skip 'every file of the repository is in the release' 'not in a git repository'
fi

rm -f "$tarball"
done_testing
