#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1800
# The static binaries as they are released, with readline and without, for each board's architecture, their sizes, and
# what they take of a board's memory.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

native=$("${CC:-cc}" -dumpmachine)

# check_binary TRIPLET NAME BYTES
check_binary()
{
	program=$BUILD/static/$1/tracesh-$2
	bytes=$(wc -c <"$program")
	ok "$1 $2: $bytes bytes, at most $3" test "$bytes" -le "$3"
	unlike "$(readelf -d "$program" 2>&1)" NEEDED "$1 $2 needs no shared library"
	# An address in a table of the exceptions is one that src/static.ld has not left out.
	map=$BUILD/static/$1/$2/map
	unlike "$(cat "$map")" '^\.eh_frame +0x[0-9a-f]+ +0x[0-9a-f]{3,}$' "$1 $2 has no tables for exceptions"
	for name in getpwnam getpwuid getaddrinfo vfscanf-internal dcgettext dl-open dlopen strftime_l; do
		unlike "$(sed -n '/^Archive member included/,/^Discarded input/p' "$map")" "libc\.a\($name\.o\)" \
			"$1 $2 has no $name of the C library"
	done
	# the converters of character sets, which readline's setlocale(3) takes
	[ "$2" != plain ] || unlike "$(cat "$map")" 'libc\.a\(gconv_(db|simple)\.o\)' "$1 $2 has no converters of character sets"
	if [ "$1" = "$native" ]; then
		ok "$1 $2 runs" "$program" --version
	fi
}

# check_triplet TRIPLET PLAIN READLINE: the most bytes that each may have
check_triplet()
{
	if [ "$1" != "$native" ] && ! command -v "$1-gcc" >/dev/null; then
		skip "the binaries for $1" "no $1-gcc"
		return
	fi
	ok "the binaries for $1 are built" "$SRC/packaging/static" "$1" "$BUILD/static"
	check_binary "$1" plain "$2"
	check_binary "$1" readline "$3"
}

case $(getconf GNU_LIBC_VERSION 2>/dev/null) in
glibc*) ;;
*) skip_all 'the sizes are those of glibc' ;;
esac
check_triplet x86_64-linux-gnu 1400000 1900000
check_triplet aarch64-linux-gnu 1400000 1900000
check_triplet arm-linux-gnueabihf 1000000 1400000

# src/static-libc.c reads time zones in its own way: the same times as the C library's
program=$BUILD/static/$native/tracesh-plain
if [ -x "$program" ]; then
	for zone in EST5EDT,M3.2.0/2:30:15,M11.1.0 CET-1CEST,M3.5.0,M10.5.0/3 '<+0530>-5:30:20' Nowhere UTC:3 \
		A-1B,J60,300/3 Europe/Berlin; do
		for each in "$program" "$TRACESH"; do
			TZ=$zone "$each" --tracefs "$SRC/examples/recorded" drain -n 3 2>/dev/null
		done >"$TMP/$native.times"
		half=$(($(wc -l <"$TMP/$native.times") / 2))
		is "$(head -n "$half" "$TMP/$native.times")" "$(tail -n "$half" "$TMP/$native.times")" "times in TZ=$zone"
	done
fi
# takes KB COMMAND: the most memory that the program ever had in RAM, to the end of a command
takes()
{
	rm -f "$TMP/commands"
	mkfifo "$TMP/commands"
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount -t tracefs nodev /sys/kernel/tracing && exec "$@"' sh "$program" -q -f - \
		<"$TMP/commands" >"$TMP/taken" 2>"$TMP/err" &
	child=$!
	exec 3>"$TMP/commands"
	printf '%s\nset precision\n' "$2" >&3
	# The setting is printed when the command before it is done, and the program waits for more.
	while ! grep -qs '^precision:' "$TMP/taken" && kill -0 $child 2>/dev/null; do
		sleep 0.1
	done
	kb=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' /proc/$child/status)
	exec 3>&-
	wait $child || diag <"$TMP/err"
	ok "${program##*/}: ${kb:-?} KB for '$2', at most $1" test "${kb:-999999}" -le "$1"
}

if [ "$(id -u)" -ne 0 ] || ! unshare -m mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null; then
	skip 'memory' 'tracefs cannot be had'
else
	for program in "$BUILD/static/$native/tracesh-plain" "$BUILD/static/$native/tracesh-readline"; do
		[ -x "$program" ] || continue
		takes 2500 status
		takes 2500 caps
		for event in sched:sched_switch timer:hrtimer_start timer:timer_start irq:softirq_entry raw_syscalls:sys_enter; do
			takes 4000 "stream -n 200 $event"
		done
	done
fi
done_testing
