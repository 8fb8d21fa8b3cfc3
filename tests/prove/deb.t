#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 3600
# The Debian package: it builds with its tests, lintian has nothing against it, and what it installs works and goes again.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

for name in dpkg-buildpackage dh lintian; do
	command -v "$name" >/dev/null || skip_all "no $name"
done

deb=$BUILD/other/deb-packages
ok 'configure' configured deb CFLAGS=-O0
run "$SRC/packaging/deb" "$BUILD/other/deb" "$deb"
is "$status" 0 'the package is built'
[ "$status" -eq 0 ] || { tail -n 100 "$TMP/err" | diag; done_testing; }
like "$out" '^tests: [1-9][0-9]* passed, 0 failed, ' 'and tested on the way'
package=$(ls "$deb"/tracesh_*.deb)
name=$(basename "$package" .deb)
like "$(ls "$deb")" '^tracesh-dbgsym_' 'its symbols are in a package of their own'

is "$(lintian --tag-display-limit 0 --fail-on error,warning "$deb"/tracesh_*.changes 2>&1 | grep -v 'running with root')" '' \
	'lintian has no error and no warning'

# What is where

mkdir "$TMP/root"
dpkg-deb -x "$package" "$TMP/root"
(cd "$TMP/root" && find . ! -type d | cut -c 2- | sort) >"$TMP/files"
# Where units are depends on the release of debhelper.
is "$(grep -v -e '/usr/share/tracesh/recipes/' -e '/usr/share/doc/tracesh/docs/' "$TMP/files" | sed 's,^/lib/,/usr/lib/,' | sort)" '/usr/bin/tracesh
/usr/lib/systemd/system/tracesh-recover.service
/usr/share/bash-completion/completions/tracesh
/usr/share/doc/tracesh/README.md.gz
/usr/share/doc/tracesh/changelog.Debian.gz
/usr/share/doc/tracesh/changelog.gz
/usr/share/doc/tracesh/copyright
/usr/share/fish/vendor_completions.d/tracesh.fish
/usr/share/man/man1/tracesh.1.gz
/usr/share/zsh/vendor-completions/_tracesh' 'the files are where Debian has them'
is "$(sed -n 's,^/usr/share/tracesh/recipes/,,p' "$TMP/files")" "$(cd "$SRC/examples" && printf '%s\n' ./*.tsh | cut -c 3- | sort)" \
	'and all of the recipes'
is "$(sed -n 's,^/usr/share/doc/tracesh/docs/,,p' "$TMP/files" | sed 's/\.gz$//' | sort)" "$(cd "$SRC/docs" && printf '%s\n' ./*.md | cut -c 3- | sort)" \
	'and all of the pages'
like "$(dpkg-deb -f "$package" Depends)" 'libc6.*libreadline' 'what it depends on'
program=$TMP/root/usr/bin/tracesh
like "$(readelf -d "$program")" 'BIND_NOW' 'hardened: bound at the start'
like "$(readelf -lW "$program")" 'GNU_RELRO' 'hardened: relocations read-only'
like "$(readelf -hW "$program")" 'DYN' 'hardened: position independent'
like "$(readelf --dyn-syms -W "$program")" '__stack_chk_fail' 'hardened: stack protector'
like "$(readelf --dyn-syms -W "$program")" '_chk@' 'hardened: fortified'

# Installed, over a copy of the machine that is gone afterwards

cat >"$TMP/install" <<'SH'
set -eu
package=$1 tmp=$2 src=$3
mkdir "$tmp/layers"
mount -t tmpfs tmpfs "$tmp/layers"
for dir in usr var etc; do
	mkdir -p "$tmp/layers/$dir/upper" "$tmp/layers/$dir/work"
	mount -t overlay -o "lowerdir=/$dir,upperdir=$tmp/layers/$dir/upper,workdir=$tmp/layers/$dir/work" overlay "/$dir"
done
[ "${4-}" != probe ] || exit 0
unset TRACESH_RECIPES
PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd "$src"
# The machine's own settings may leave documentation out.
dpkg --force-depends --path-include='/usr/share/*' -i "$package" >"$tmp/dpkg" 2>&1
dpkg -V tracesh >"$tmp/verify"
tracesh --version >"$tmp/version"
tracesh recipes >"$tmp/recipes"
man --warnings -E UTF-8 -l /usr/share/man/man1/tracesh.1.gz >"$tmp/page" 2>"$tmp/page.warnings" || echo "man: $?" >>"$tmp/page.warnings"
sh packaging/debian/tests/smoke >"$tmp/smoke" 2>&1 || echo "smoke: $?" >>"$tmp/smoke"
bash --norc -c '. /usr/share/bash-completion/completions/tracesh && complete -p tracesh' >"$tmp/bash" 2>&1 || true
zsh -fc 'autoload -Uz compinit && compinit -u -D && print $_comps[tracesh]' >"$tmp/zsh" 2>&1 || true
fish -c 'complete -C "tracesh --vers"' >"$tmp/fish" 2>&1 || true
dpkg -P tracesh >>"$tmp/dpkg" 2>&1
find /usr /lib /etc /var -path '*tracesh*' -newer "$tmp/install" ! -path "$tmp/*" ! -path "$src/*" -xdev >"$tmp/left" 2>/dev/null || true
SH
if ! unshare -m sh "$TMP/install" "$package" "$TMP" "$SRC" probe >/dev/null 2>&1; then
	skip 'installed' 'a copy of the machine takes root and overlayfs'
	done_testing
fi
rmdir "$TMP/layers"
ok 'it is installed and purged' unshare -m sh -x "$TMP/install" "$package" "$TMP" "$SRC"
is "$(cat "$TMP/verify")" '' 'dpkg finds its files as they were'
version=$(dpkg-deb -f "$package" Version)
is "$(cat "$TMP/version")" "tracesh ${version%-*} (readline, libtraceevent $(pkg-config --modversion libtraceevent), libtracefs $(pkg-config --modversion libtracefs), libdw $(pkg-config --modversion libdw), libzstd $(pkg-config --modversion libzstd), zlib $(pkg-config --modversion zlib))" "--version agrees with the package's, $name"
is "$(grep -c '\.tsh' "$TMP/recipes")" "$(find "$SRC/examples" -maxdepth 1 -name '*.tsh' | grep -c .)" 'tracesh recipes finds them'
is "$(cat "$TMP/page.warnings")" '' 'the man page has no warning'
like "$(cat "$TMP/page")" 'interactive shell for the Linux kernel' 'and is read'
is "$(tail -n 1 "$TMP/smoke" | cut -d , -f 1)" '3 events' "the package's own smoke test"
is "$(cat "$TMP/bash")" 'complete -F _tracesh tracesh' 'bash has its completion'
if command -v zsh >/dev/null; then
	is "$(cat "$TMP/zsh")" _tracesh 'zsh finds its completion'
else
	skip 'zsh finds its completion' 'no zsh'
fi
if command -v fish >/dev/null; then
	like "$(cat "$TMP/fish")" '^--version' 'fish finds its completion'
else
	skip 'fish finds its completion' 'no fish'
fi
is "$(grep -v '^/var/lib/dpkg/' "$TMP/left")" '' 'nothing is left of it'
done_testing
