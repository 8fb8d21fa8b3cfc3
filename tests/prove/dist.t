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

# A user without git, in a folder of his own beside the release: what make distcheck does not look at
version=$(basename "$tarball" .tar.gz)
mkdir "$TMP/bin" "$TMP/elsewhere"
for name in git autoreconf automake autoconf; do
	printf '#!/bin/sh\necho "%s was called" >>"%s/called"\nexit 127\n' "$name" "$TMP" >"$TMP/bin/$name"
done
chmod +x "$TMP"/bin/*
# without_git COMMAND..
without_git()
{
	env -u SRC -u BUILD -u TRACESH -u TRACESH_RECIPES PATH="$TMP/bin:$PATH" "$@"
}
# shellcheck disable=SC2016 # of the inner shell
ok 'it builds, checks and installs without git and autotools' without_git sh -c '
	cd "$1/elsewhere" && ../release/configure --prefix="$1/usr" && make -j"$2" && make -j"$2" check-programs &&
	make check CHECK_SUITES="unit cli/language cli/commands" && make install && make installcheck' sh "$TMP" "$jobs"
is "$(cat "$TMP/called" 2>/dev/null)" '' 'none of them was called'
is "$(without_git "$TMP/usr/bin/tracesh" --version | cut -d ' ' -f 1,2 | tr ' ' -)" "$version" \
	'the version is that of the tarball'
is "$(without_git "$TMP/usr/bin/tracesh" recipes | grep -c '\.tsh')" \
	"$(find "$SRC/examples" -maxdepth 1 -name '*.tsh' | grep -c .)" 'the installed program finds its recipes'
is "$(cd "$TMP/usr" && find . -type f ! -path './share/tracesh/recipes/*' ! -path './share/doc/tracesh/docs/*' | sort)" './bin/tracesh
./share/bash-completion/completions/tracesh
./share/doc/tracesh/CHANGELOG.md
./share/doc/tracesh/CONTRIBUTING.md
./share/doc/tracesh/COPYING
./share/doc/tracesh/HACKING.md
./share/doc/tracesh/README.md
./share/fish/vendor_completions.d/tracesh.fish
./share/man/man1/tracesh.1
./share/zsh/site-functions/_tracesh' 'all is where it belongs'
is "$(cd "$TMP/usr/share/doc/tracesh/docs" && printf '%s\n' ./*)" "$(cd "$SRC/docs" && printf '%s\n' ./*)" 'and so are the pages'
unlike "$(cat "$TMP/usr/share/man/man1/tracesh.1")" '@[A-Z]+@' 'the man page is filled in'
is "$(find "$TMP/usr/share/tracesh/recipes" -name '*.tsh' ! -perm 755)" '' 'the recipes can be run'
ok 'uninstall' make -C "$TMP/elsewhere" uninstall
is "$(find "$TMP/usr" -type f)" '' 'nothing is left'
done_testing
