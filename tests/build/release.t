#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# A release holds what the repository holds, builds by itself and installs. tests/prove/dist.t is the whole of it.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

ok 'configure' configured release CFLAGS=-O0
ok 'make dist' sh -c 'rm -f tracesh-*.tar.gz && make -j"$1" && make dist-gzip' sh "$jobs"

tarball=$(ls "$BUILD"/other/release/tracesh-*.tar.gz 2>/dev/null)
if git -C "$SRC" rev-parse --show-toplevel 2>/dev/null | grep -qx "$SRC"; then
	# In git and meant for a release: everything but what only the repository itself uses.
	git -C "$SRC" -c core.quotepath=off ls-files --cached --others --exclude-standard | while read -r file; do
		[ -e "$SRC/$file" ] || [ -L "$SRC/$file" ] && echo "$file"
	done | grep -v '^\.git\(ignore\|attributes\)$' | sort >"$TMP/git"
	tar -tzf "$tarball" | sed -n 's,^[^/]*/\(.*[^/]\)$,\1,p' | sort >"$TMP/dist"
	is "$(comm -23 "$TMP/git" "$TMP/dist")" '' 'every file of the repository is in the release'
	# what autotools and the build add
	is "$(comm -13 "$TMP/git" "$TMP/dist" |
		grep -Ev '^(build-aux/.*|Makefile\.in|aclocal\.m4|config\.h\.in|configure|src/tracesh\.1)$')" '' \
		'nothing else is in it'
else
	skip 'every file of the repository is in the release' 'not in a git repository'
fi

mkdir "$TMP/tree" && tar -xzf "$tarball" -C "$TMP/tree" --strip-components=1
ok 'a release builds in its own folder, and installs elsewhere' sh -c '
	cd "$1" && ./configure --prefix=/usr CFLAGS=-O0 && make -j"$2" && make DESTDIR="$3" install' \
	sh "$TMP/tree" "$jobs" "$TMP/root"
ok 'the program is installed and runs' "$TMP/root/usr/bin/tracesh" --version
is "$(find "$TMP/root" -name tracesh.1 | sed 's,.*/root/,,')" usr/share/man/man1/tracesh.1 'the man page is installed'
unlike "$(cat "$TMP/root/usr/share/man/man1/tracesh.1")" '@[A-Z]+@' 'the man page is filled in'
done_testing
