#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 5400
# The static files as they are released, for each board's architecture: their sizes, and what they take of a board's memory.
# The one without readline, which is musl's where there is a compiler for that, passes the tests of the program, and says
# what the ordinary one says.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

native=$("${CC:-cc}" -dumpmachine)
plain=$BUILD/static/$native/tracesh-plain

# check_file TRIPLET NAME BYTES
check_file()
{
	program=$BUILD/static/$1/tracesh-$2
	bytes=$(wc -c <"$program")
	ok "$1 $2: $bytes bytes, at most $3" test "$bytes" -le "$3"
	unlike "$(readelf -d "$program" 2>&1)" NEEDED "$1 $2 needs no shared library"
	[ "$1" != "$native" ] || like "$("$program" --version)" ', static\)$' "$1 $2 runs"
}

# check_triplet TRIPLET MUSL GLIBC READLINE: the most bytes that each may have
check_triplet()
{
	if [ "$1" != "$native" ] && ! command -v "$1-gcc" >/dev/null; then
		skip "the files for $1" "no $1-gcc"
		return
	fi
	ok "the files for $1 are built" "$SRC/packaging/static" "$1" "$BUILD/static"
	# Musl alone names its objects so.
	if grep -q 'libc\.a(vfprintf\.lo)' "$BUILD/static/$1/plain/map"; then
		check_file "$1" plain "$2"
	else
		check_file "$1" plain "$3"
	fi
	check_file "$1" readline "$4"
}

case $(getconf GNU_LIBC_VERSION 2>/dev/null) in
glibc*) ;;
*) skip_all 'the sizes are those of glibc' ;;
esac
check_triplet x86_64-linux-gnu 1260000 2300000 2600000
check_triplet aarch64-linux-gnu 1260000 2100000 2600000
check_triplet arm-linux-gnueabihf 1260000 1500000 1800000
[ -x "$plain" ] || done_testing
if command -v musl-gcc >/dev/null; then
	ok "the one for $native is musl's" grep -q 'libc\.a(vfprintf\.lo)' "$BUILD/static/$native/plain/map"
fi

# says PROGRAM ARGUMENT..: on the recorded tree, without how long it took
says()
{
	says_program=$1
	shift
	"$says_program" --tracefs "$SRC/examples/recorded" "$@" 2>&1 |
		sed -E 's/, [0-9.]+ (ns|us|ms|s)$//; s/"seconds":[0-9.e-]+/"seconds":/'
}
# same ARGUMENT..: what both programs say
same()
{
	says "$TRACESH" "$@" >"$TMP/want.says"
	says "$plain" "$@" >"$TMP/got.says"
	is "$(cat "$TMP/got.says")" "$(cat "$TMP/want.says")" "as with the machine's C library: $*"
}
same drain -n 20
like "$(cat "$TMP/got.says")" '^20 events' 'there was something to compare'
same --format json drain
same --format csv drain
same status
for zone in EST5EDT,M3.2.0/2:30:15,M11.1.0 CET-1CEST,M3.5.0,M10.5.0/3 '<+0530>-5:30:20' Nowhere \
	Europe/Berlin; do
	export TZ="$zone"
	same --time iso drain -n 3
	export TZ=UTC0
	same --tz "$zone" drain -n 3
done
for test in "$SRC"/tests/cli/*.t; do
	grep -q TRACESH "$test" || continue
	passes "cli/$(basename "$test" .t)" env TRACESH="$plain" sh "$test"
done

# takes KB COMMAND: the most memory that the program ever had in RAM, to the end of a command
takes()
{
	rm -f "$TMP/commands"
	mkfifo "$TMP/commands"
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'if ! mountpoint -q /sys/kernel/tracing; then mount -t tracefs nodev /sys/kernel/tracing; fi && exec "$@"' \
		sh "$program" -q -f - <"$TMP/commands" >"$TMP/taken" 2>"$TMP/err" &
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

if [ "$(id -u)" -ne 0 ] ||
   ! { mountpoint -q /sys/kernel/tracing || unshare -m mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null; }; then
	skip 'memory' 'tracefs cannot be had'
else
	for program in "$plain" "$BUILD/static/$native/tracesh-readline"; do
		[ -x "$program" ] || continue
		takes 2500 status
		takes 8000 caps # the kernel's BTF with it
		for event in sched:sched_switch timer:hrtimer_start timer:timer_start irq:softirq_entry raw_syscalls:sys_enter; do
			takes 4000 "stream -n 200 $event"
		done
	done
fi
done_testing
