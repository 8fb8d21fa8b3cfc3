#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 3600
# A release is complete: it builds, checks, installs and uninstalls by itself, and holds what the repository holds.
. "$(dirname "$0")/lib.sh"

ok 'configure' configured dist
ok 'make distcheck' env -u SRC -u BUILD -u TRACESH make -j"$jobs" distcheck

tarball=$(ls "$BUILD"/other/dist/tracesh-*.tar.gz 2>/dev/null)
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
	cd "$1" && ./configure --prefix=/usr && make -j"$2" && make DESTDIR="$3" install' \
	sh "$TMP/tree" "$jobs" "$TMP/root"
ok 'the program is installed and runs' "$TMP/root/usr/bin/tracesh" --version
is "$(find "$TMP/root" -name tracesh.1 | sed 's,.*/root/,,')" usr/share/man/man1/tracesh.1 'the man page is installed'
unlike "$(cat "$TMP/root/usr/share/man/man1/tracesh.1")" '@[A-Z]+@' 'the man page is filled in'

# cross_install: a release has its man page already, for those who cannot run the program
cross_install()
{
	mkdir "$TMP/cross" && cd "$TMP/cross" && as_cross "$TMP/release/configure" --prefix=/usr &&
		make -j"$jobs" && make DESTDIR="$TMP/cross-root" install
}
mkdir "$TMP/release" && tar -xzf "$tarball" -C "$TMP/release" --strip-components=1
ok 'a cross build of a release' cross_install
ok 'installs the page of the release' cmp "$TMP/cross-root/usr/share/man/man1/tracesh.1" "$TMP/release/src/tracesh.1"
done_testing
