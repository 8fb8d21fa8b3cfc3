#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 3600
# A release is complete: it builds, checks, installs and uninstalls by itself, and builds elsewhere.
# What it holds is looked at by tests/build/release.t.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

ok 'configure' configured dist
ok 'make distcheck' env -u SRC -u BUILD -u TRACESH make -j"$jobs" distcheck

tarball=$(ls "$BUILD"/other/dist/tracesh-*.tar.gz 2>/dev/null)
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
