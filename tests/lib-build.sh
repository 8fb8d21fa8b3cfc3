# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the builds with other flags: sources tests/lib.sh; each build has its own folder in the build tree, kept for speed.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
unset MAKEFLAGS MAKELEVEL
jobs=$(nproc 2>/dev/null || echo 2)

# configured NAME [FLAG..]: goes to the folder of that build, and configures there
configured()
{
	dir=$BUILD/other/$1
	shift
	mkdir -p "$dir" && cd "$dir" || return
	if [ ! -f Makefile ] || [ "$(cat .flags 2>/dev/null)" != "$*" ]; then
		# configure refuses a source tree with a blank in its path, but not the way to it from here
		"$(realpath --relative-to=. "$SRC")/configure" "$@" && echo "$*" >.flags
	fi
}

# built NAME [FLAG..]: all of it, the tests' programs too
built()
{
	configured "$@" && make -j"$jobs" && make -j"$jobs" check-programs
}

# built_fast NAME [FLAG..]: the program alone, for a look at what the flags are about: a third of the time
built_fast()
{
	configured "$@" CFLAGS=-O0 && make -j"$jobs"
}

# as_cross COMMAND..: runs a configure, or what calls it, with the flags that make it a cross build: --host is not
# --build; the compiler may be the machine's own
as_cross()
{
	machine=$("${CC:-cc}" -dumpmachine)
	"$@" --build="$machine" --host="cross-${machine#*-}" CC="${CC:-cc}" AR=ar RANLIB=ranlib \
		PKG_CONFIG="$(command -v pkg-config)"
}

# passes WHAT COMMAND..: a test of ours passes
passes()
{
	passes_what=$1
	shift
	"$@" >"$TMP/passes" 2>&1 || diag "$(cat "$TMP/passes")"
	unlike "$(cat "$TMP/passes")" '^not ok' "$passes_what has no failure"
	like "$(cat "$TMP/passes")" '^1\.\.[0-9]' "$passes_what comes to its end"
}

# Another release's libraries, which packaging/fetch unpacks.
lib=usr/lib/$("${CC:-cc}" -print-multiarch 2>/dev/null)
library_packages='libtraceevent-dev libtraceevent1 libtraceevent1-plugin libtracefs-dev libtracefs1 libc6'

# can_overlay: another release's libraries can be put over the machine's
can_overlay()
{
	[ "$(id -u)" -eq 0 ] && unshare -m sh -c "mount -t overlay -o 'lowerdir=$SRC/src:/$lib' overlay '/$lib'" 2>/dev/null
}

# with_root ROOT COMMAND..: as if that release's libraries were installed, the C library and its linker with them;
# without ROOT the machine's own
with_root()
{
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'lib=$1 root=$2; shift 2
		[ -z "$root" ] || mount -t overlay -o "lowerdir=$root/$lib:/$lib" overlay "/$lib" || exit 9
		mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing
		exec "$@"' sh "$lib" "$@"
}
