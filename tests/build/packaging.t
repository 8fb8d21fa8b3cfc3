#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes of packaging/ as far as they can be looked at without the trees that they are for: stubs stand for what
# Buildroot and OpenWrt define. tests/prove/deb.t builds the Debian package.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
unset MAKEFLAGS MAKELEVEL

packaging=$SRC/packaging
cd "$TMP" || exit 1
version=$(sed -n 's/^AC_INIT(\[tracesh\], \[\(.*\)\])$/\1/p' "$SRC/configure.ac")

# One version

like "$version" '^[0-9]+\.[0-9]+\.[0-9]+$' 'configure.ac has a version'
like "$("$TRACESH" --version)" "^tracesh $version " 'tracesh --version says it'
like "$(head -n 1 "$packaging/debian/changelog")" "^tracesh \($version-[^-)]+\) " 'debian/changelog'
is "$(sed -n 's/^PKG_VERSION:=//p' "$packaging/openwrt/Makefile")" "$version" 'OpenWrt'
is "$(sed -n 's/^TRACESH_VERSION = //p' "$packaging/buildroot/tracesh.mk")" "$version" 'Buildroot'
is "$(grep -o 'tracesh-[0-9][0-9.]*\.tar' "$packaging/README.md" | sort -u)" "tracesh-$version.tar" 'packaging/README.md'

# What they tell configure

sh "$SRC/configure" --help 2>/dev/null >help || cp "$SRC/configure.ac" help
cat "$packaging/buildroot/tracesh.mk" "$packaging/openwrt/Makefile" | grep -oE -e '--(with|without|enable|disable)-[a-z-]+' |
	sort -u >options
for option in $(cat options); do
	like "$(cat help)" "$(echo "$option" | sed -E 's/^--(with|without|enable|disable)-//')" "configure knows $option"
done

# Buildroot

cat >buildroot.mk <<-'MK'
	TOPDIR = /buildroot
	KCONFIG_ENABLE_OPT = enable $(1);
	autotools-package = $$(info package $(TRACESH_VERSION))
	include $(RECIPE)
	$(info $(TRACESH_SITE) $(TRACESH_LICENSE))
	$(info $(TRACESH_CONF_OPTS))
	$(info $(TRACESH_DEPENDENCIES))
	$(info $(TRACESH_LINUX_CONFIG_FIXUPS))
	show: ;
MK
# buildroot SETTING..: what the recipe makes of it
buildroot()
{
	make -s --warn-undefined-variables -f buildroot.mk RECIPE="$packaging/buildroot/tracesh.mk" "$@" show 2>&1
}
is "$(buildroot BR2_PACKAGE_TRACESH_READLINE=y BR2_STATIC_LIBS= | head -n 4)" "package $version
file:///buildroot/package/tracesh GPL-2.0+
--without-libtraceevent --without-libtracefs --without-libdw --without-libzstd --without-zlib --with-readline
host-pkgconf readline" 'Buildroot: with readline'
is "$(buildroot BR2_PACKAGE_TRACESH_READLINE= BR2_STATIC_LIBS=y | sed -n 3,4p)" '--without-libtraceevent --without-libtracefs --without-libdw --without-libzstd --without-zlib --without-readline --enable-static-binary
host-pkgconf' 'Buildroot: without, static'
like "$(buildroot BR2_PACKAGE_TRACESH_READLINE= BR2_STATIC_LIBS=)" 'enable CONFIG_FTRACE;' "Buildroot: the kernel's options"
is "$(grep -oE 'BR2_PACKAGE_TRACESH[A-Z_]*' "$packaging/buildroot/tracesh.mk" | sort -u | while read -r symbol; do
	grep -qx "config $symbol" "$packaging/buildroot/Config.in" || echo "$symbol"
done)" '' 'Buildroot: Config.in defines what is asked'
is "$(grep -c '^if ' "$packaging/buildroot/Config.in")" "$(grep -c '^endif' "$packaging/buildroot/Config.in")" \
	'Buildroot: each if has its end'

# OpenWrt

mkdir -p openwrt/include installed/usr/bin installed/usr/share/tracesh/recipes
: >openwrt/rules.mk
cat >openwrt/include/package.mk <<-'MK'
	INSTALL_DIR = install -d -m 755
	INSTALL_BIN = install -m 755
	define BuildPackage
	  TITLE :=
	  DEPENDS :=
	  $(eval $(Package/$(1)))
	  $$(info $(1): $(TITLE), $(VARIANT), $(DEPENDS), $(words $(Package/$(1)/description)))
	  install-$(1):
		$(call Package/$(1)/install,$(DESTDIR))
	endef
MK
cp "$TRACESH" installed/usr/bin/tracesh
cp "$SRC"/examples/*.tsh installed/usr/share/tracesh/recipes
# openwrt SETTING..
openwrt()
{
	make -s -f "$packaging/openwrt/Makefile" TOPDIR="$TMP/openwrt" INCLUDE_DIR="$TMP/openwrt/include" \
		PKG_INSTALL_DIR="$TMP/installed" "$@" 2>&1
}
words=$(openwrt -n DESTDIR=x install-tracesh | sed -n 's/^tracesh: .*, \([0-9]*\)$/\1/p')
is "$(openwrt -n DESTDIR=x install-tracesh | sed -n 1,2p)" \
	"tracesh: Interactive shell for the kernel's tracer, plain, @KERNEL_FTRACE +libpthread, $words
tracesh-readline: Interactive shell for the kernel's tracer (with readline), readline, @KERNEL_FTRACE +libpthread +libreadline, $words" \
	'OpenWrt: two packages'
like "$words" '^[1-9][0-9]$' 'OpenWrt: with a description'
for name in tracesh tracesh-readline; do
	ok "OpenWrt: $name is installed" openwrt DESTDIR="$TMP/$name" "install-$name"
	is "$(cd "$name" && find . -type f -perm 755 | sort)" "$(cd installed && find . -type f | sort)" \
		"OpenWrt: $name has the program and the recipes"
done
# shellcheck disable=SC2016 # make's own
printf 'include %s\n$(info configure$(strip $(CONFIGURE_ARGS)))\nshow: ;\n' "$packaging/openwrt/Makefile" >variant.mk
for variant in plain readline; do
	make -s -f variant.mk TOPDIR="$TMP/openwrt" INCLUDE_DIR="$TMP/openwrt/include" BUILD_VARIANT=$variant show
done 2>&1 | grep -v '^tracesh' >variants
is "$(cat variants)" 'configure--without-libtraceevent --without-libtracefs --without-libdw --without-libzstd --without-zlib --without-readline
configure--without-libtraceevent --without-libtracefs --without-libdw --without-libzstd --without-zlib' 'OpenWrt: only one variant is without readline'

# Debian

ok 'debian/rules is a makefile' make -n -f "$packaging/debian/rules" clean
for file in "$packaging/deb" "$packaging/static" "$packaging/debian/rules" "$packaging/debian/tests/smoke"; do
	ok "$(basename "$file") can be run" test -x "$file"
done

# bootstrap, where packages are missing and none may be installed

mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/pkg-config
printf '#!/bin/sh\necho "$@" >>"%s/asked-apt"\n' "$TMP" >bin/apt-get
chmod +x bin/*
run env PATH="$TMP/bin:$PATH" "$SRC/bootstrap" --no-install deb
is "$status" 1 'bootstrap --no-install: what cannot be done without ends it'
like "$err" "apt-get install -y .*libtracefs-dev.*'\$" 'it prints what is missing'
like "$err" 'nothing was built' 'and that nothing was done'
ok 'and installs nothing' test ! -e asked-apt

done_testing
