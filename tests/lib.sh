# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions for the tests in sh: they print TAP. $TMP is a folder of the test, which is removed at the end. A test starts with
#
#	. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
#
# and ends with done_testing. It may use $TRACESH, the program; $SRC, the source tree; $BUILD, the build tree.

SRC=$(CDPATH='' cd -- "${SRC:-$(dirname "$0")/../..}" && pwd)
BUILD=${BUILD:-$SRC/build}
TRACESH=${TRACESH:-$BUILD/src/tracesh}
TMP=$(mktemp -d "${TMPDIR:-/tmp}/tracesh-test.XXXXXX") || exit 1

# Makes the results the same on every machine, and ignores the user's settings.
export LC_ALL=C.UTF-8 TZ=UTC0 TERM=dumb PAGER=cat
# Caches the guests' kernels outside of the test's home, so that they are downloaded once.
export TRACESH_VM_CACHE="${TRACESH_VM_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/tracesh/vm}"
export HOME="$TMP/home"
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR CDPATH ENV NO_COLOR TRACESH_PAGER
unset FORCE_COLOR CLICOLOR_FORCE INPUTRC LESS TZDIR
umask 022
export XDG_STATE_HOME="$HOME/state"
export TRACESH_RECIPES="$SRC/examples"
mkdir -m 700 "$HOME" "$XDG_STATE_HOME"
# Uses 99, not 1 or 2, so that no test takes a sanitizer's report for an expected failure.
export ASAN_OPTIONS="${ASAN_OPTIONS:-exitcode=99}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-exitcode=99:print_stacktrace=1}"

tests=0 failures=0 planned=
exit_commands=

# at_exit COMMAND: runs it at the end, however the test ends; the last one given runs first
at_exit()
{
	exit_commands="$1
$exit_commands"
}

clean_up()
{
	eval "$exit_commands"
	cd / && chmod -R u+w "$TMP" && rm -rf "$TMP"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# diag [TEXT]: prints a TAP comment; without TEXT it reads stdin
diag()
{
	if [ $# -gt 0 ]; then printf '%s\n' "$*"; else cat; fi | sed 's/^/# /'
}

pass()
{
	tests=$((tests + 1))
	echo "ok $tests - $*"
}

fail()
{
	tests=$((tests + 1))
	failures=$((failures + 1))
	echo "not ok $tests - $*"
}

# skip NAME REASON: counts a test that is not run
skip()
{
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# skip_all REASON: ends a file that this machine cannot run
skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

# plan COUNT: prints the number of tests when it is known beforehand; otherwise done_testing prints it
plan()
{
	planned=$1
	echo "1..$1"
}

done_testing()
{
	[ -n "$planned" ] || echo "1..$tests"
	[ "$failures" -eq 0 ]
	exit
}

# run COMMAND..: sets $status; writes stdout and stderr to $TMP/out and $TMP/err, and (without the last newline) to $out and $err
# shellcheck disable=SC2034 # the tests read them
run()
{
	status=0
	"$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	out='' err=''
	[ ! -s "$TMP/out" ] || out=$(cat "$TMP/out")
	[ ! -s "$TMP/err" ] || err=$(cat "$TMP/err")
}

# limited KB COMMAND..: runs it with so much memory at most; a program with sanitizers needs more and gets no limit
limited()
(
	grep -qs __asan_init "$TRACESH" || ulimit -v "$1"
	shift
	exec "$@"
)

# ok NAME COMMAND..: passes when the command succeeds
ok()
{
	ok_name=$1
	shift
	ok_status=0
	"$@" >"$TMP/ok" 2>&1 || ok_status=$?
	if [ "$ok_status" -eq 0 ]; then
		pass "$ok_name"
	else
		fail "$ok_name"
		diag "status $ok_status: $*"
		# prints the end, which has the reason even of a failed build
		tail -n 100 "$TMP/ok" | diag
	fi
}

# is GOT WANT NAME: passes when both texts are equal
is()
{
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3"
		printf '%s\n' "$2" >"$TMP/want"
		printf '%s\n' "$1" >"$TMP/got"
		diff -u --label want --label got "$TMP/want" "$TMP/got" | cat -v | diag
	fi
}

# matches TEXT REGEX: succeeds when some line matches; $matches is grep's status: 0, 1 for no line, others when grep has failed
matches()
{
	matches=0
	grep -Eq -e "$2" <<TEXT || matches=$?
$1
TEXT
	return "$matches"
}

# like GOT REGEX NAME: passes when some line of GOT matches the extended regular expression
like()
{
	if matches "$1" "$2"; then
		pass "$3"
	else
		fail "$3"
		diag "no line matches: $2"
		[ "$matches" -eq 1 ] || diag "grep ends with status $matches"
		printf '%s\n' "$1" | cat -v | head -n 40 | diag
	fi
}

# proves_nothing TEXT: succeeds when TEXT, the output of the last `run`, cannot prove that a line is missing: the command was ended by
# a sanitizer (99) or a crash, or TEXT is empty after a time limit (124). SIGKILL does not count, because many tests send it.
proves_nothing()
{
	case ${status-} in
	99 | 132 | 134 | 135 | 136 | 139) ;;
	124) [ -z "$1" ] ;;
	*) return 1 ;;
	esac
}

# unlike GOT REGEX NAME: passes when no line of GOT matches
unlike()
{
	if proves_nothing "$1"; then
		fail "$3"
		diag "status $status: $1"
	elif ! matches "$1" "$2" && [ "$matches" -eq 1 ]; then
		pass "$3"
	else
		fail "$3"
		if [ "$matches" -eq 0 ]; then diag "a line matches: $2"; else diag "grep ends with status $matches"; fi
		printf '%s\n' "$1" | cat -v | head -n 40 | diag
	fi
}

# can_chown: succeeds when files can be given to another user: by root, if user 1 exists
can_chown()
{
	: >"$TMP/given"
	chown 1 "$TMP/given" 2>/dev/null
}

# tracefs_is_mounted: succeeds when tracefs is mounted at $TRACING
tracefs_is_mounted()
{
	grep -q " $TRACING tracefs " /proc/self/mounts
}

# need_tracefs: moves the test into a mount namespace of its own with the kernel's tracefs at $TRACING, which it mounts if
# necessary. Mounts an own /run, because tracesh would report on the journals of other sessions in the machine's, and an own
# /var/lib/tracesh for events that tracesh saves. Skips the file without tracefs. Call it before any test: it starts the script
# a second time.
need_tracefs()
{
	TRACING=/sys/kernel/tracing
	if [ -n "${TSH_TEST_MOUNTED-}" ]; then
		unset TSH_TEST_MOUNTED
		tracefs_is_mounted || mount -t tracefs nodev "$TRACING" || skip_all "tracefs cannot be mounted"
		return 0
	fi
	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
	grep -q '[[:space:]]tracefs$' /proc/filesystems || skip_all "this kernel has no tracefs"
	unshare -m true 2>/dev/null || skip_all "mount namespaces cannot be had"
	tracefs_is_mounted || unshare -m mount -t tracefs nodev "$TRACING" 2>/dev/null ||
		skip_all "tracefs cannot be mounted"
	rm -rf "$TMP"
	trap - EXIT
	# Copies to the new /run the files that mark a guest of tests/vm (main), and one that runs in memory (in-memory).
	# shellcheck disable=SC2016 # for the inner shell
	TSH_TEST_MOUNTED=1 exec unshare -m sh -c '
		guest=; for mark in main in-memory; do [ ! -e /run/vm/$mark ] || guest="$guest $mark"; done
		mount -t tmpfs -o mode=755 tmpfs /run || { echo "1..0 # SKIP no /run of its own"; exit 0; }
		for mark in $guest; do mkdir -p /run/vm && : >/run/vm/$mark; done
		mkdir -p -m 700 /var/lib/tracesh && mount -t tmpfs -o mode=700 tmpfs /var/lib/tracesh
		exec sh "$0"' "$0"
}
