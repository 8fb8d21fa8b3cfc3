#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 5400
# Each release of libtraceevent and libtracefs that a Debian has, and builds without: all compile without a warning,
# name what is there, and print with it.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

for name in apt-get dpkg pkg-config readelf; do
	command -v "$name" >/dev/null || skip_all "no $name"
done
[ -d "/$lib" ] || skip_all 'no Debian'
arch=$(dpkg --print-architecture)
can_run=
! can_overlay || can_run=yes
can_boot=
[ -z "$can_run" ] || ! "$SRC/tests/vm/fetch-kernel" 6.1 >/dev/null 2>&1 || can_boot=yes

# built_program NAME FLAG..: the program alone, as released
built_program()
{
	built_name=$1
	shift
	# What the libraries ask of a newer C library is there when the program runs.
	configured "libraries-$built_name" --enable-werror CFLAGS=-O2 LDFLAGS=-Wl,--allow-shlib-undefined "$@" &&
		make -j"$jobs" src/tracesh
}

# check NAME ROOT HAS [FLAG..]: of such a build; HAS is as --version has it
check()
{
	check_name=$1 root=$2 has=$3
	shift 3
	ok "$check_name: it builds without a warning" built_program "$check_name" "$@"
	TRACESH=$BUILD/other/libraries-$check_name/src/tracesh
	if [ -z "$can_run" ]; then
		skip "$check_name runs" 'that takes root, tracefs and overlayfs'
		return
	fi
	like "$(with_root "$root" "$TRACESH" --version)" "readline, $has(, (no )?libdw.*)?\)" "$check_name: $has"
	with_root "$root" "$TRACESH" caps libraries |
		awk '$2 ~ /^libtrace/ { print $3 == "yes" ? $2 " " $4 : "no " $2 }' | tr -d : >"$TMP/caps"
	is "$(cat "$TMP/caps")" "$(echo "$has" | sed 's/, /\n/')" 'so does caps libraries'
	export TRACESH
	passes "$check_name: cli/libraries" with_root "$root" sh "$SRC/tests/cli/libraries.t"
	passes "$check_name: cli/decoders" with_root "$root" sh "$SRC/tests/cli/decoders.t"
	for live in decoders sqlhist; do
		if [ -z "$can_boot" ]; then
			skip "$check_name: live/$live" 'no kernel for a guest'
		else
			passes "$check_name: live/$live" with_root "$root" env TRACESH_VM_LIMIT=600 SRC="$SRC" BUILD="$BUILD" \
				"$SRC/tests/vm/boot" -k 6.1 sh "$SRC/tests/live/$live.t"
		fi
	done
}

event()
{
	echo "libtraceevent $(pkg-config --modversion libtraceevent)"
}
fs()
{
	echo "libtracefs $(pkg-config --modversion libtracefs)"
}

# check_suite SUITE
check_suite()
{
	suite_root=$BUILD/other/libraries/$1
	# shellcheck disable=SC2086 # a list of words
	if ! "$SRC/packaging/fetch" "$1" "$arch" "$suite_root" $library_packages 2>"$TMP/fetch"; then
		skip "$1" "$(cat "$TMP/fetch")"
		return
	fi
	PKG_CONFIG_LIBDIR=$suite_root/$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$suite_root PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
	export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_LIBS
	check "$1" "$suite_root" "$(event), $(fs)"
	unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_LIBS
}

check_suite trixie
check_suite sid
check here '' "$(event), $(fs)"
check without-libtracefs '' "$(event), no libtracefs" --without-libtracefs
check without-libtraceevent '' "no libtraceevent, $(fs)" --without-libtraceevent
check without-both '' 'no libtraceevent, no libtracefs' --without-libtraceevent --without-libtracefs
done_testing
