# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests in sh: TAP, and a folder of its own in $TMP that is gone at the end. A test starts with
#
#	. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
#
# and ends with done_testing. It may use $TRACESH, the program; $SRC, the source tree; $BUILD, the build tree.

SRC=$(CDPATH='' cd -- "${SRC:-$(dirname "$0")/../..}" && pwd)
BUILD=${BUILD:-$SRC/build}
TRACESH=${TRACESH:-$BUILD/src/tracesh}
TMP=$(mktemp -d "${TMPDIR:-/tmp}/tracesh-test.XXXXXX") || exit 1

# The same answers on every machine, and nothing of the user's own settings.
export LC_ALL=C.UTF-8 TZ=UTC0 TERM=dumb PAGER=cat
# The guests' kernels are no setting: a proof that boots one does not load it again.
export TRACESH_VM_CACHE="${TRACESH_VM_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/tracesh/vm}"
export HOME="$TMP/home"
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR CDPATH ENV NO_COLOR TRACESH_PAGER
unset FORCE_COLOR CLICOLOR_FORCE INPUTRC LESS TZDIR
umask 022
export XDG_STATE_HOME="$HOME/state"
export TRACESH_RECIPES="$SRC/examples"
mkdir -m 700 "$HOME" "$XDG_STATE_HOME"
# Not 1 or 2: a sanitizer's report must not pass for a command that failed as it should.
export ASAN_OPTIONS="${ASAN_OPTIONS:-exitcode=99}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-exitcode=99:print_stacktrace=1}"

tests=0 failures=0 planned=
exit_commands=

# at_exit COMMAND: run it at the end, however the test ends; the last one given runs first
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

# diag [TEXT]: a TAP comment; without TEXT from stdin
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

# skip NAME REASON
skip()
{
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# skip_all REASON: this machine cannot run this file
skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

# plan COUNT: when known beforehand; done_testing prints it otherwise
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

# run COMMAND..: leaves $status, and stdout and stderr in $TMP/out and $TMP/err, and (without the last newline) $out, $err
# shellcheck disable=SC2034 # for the tests to look at
run()
{
	status=0
	"$@" >"$TMP/out" 2>"$TMP/err" || status=$?
	out='' err=''
	[ ! -s "$TMP/out" ] || out=$(cat "$TMP/out")
	[ ! -s "$TMP/err" ] || err=$(cat "$TMP/err")
}

# limited KB COMMAND..: with so much memory at most; a sanitizer's program takes more by itself and has no limit
limited()
(
	grep -qs __asan_init "$TRACESH" || ulimit -v "$1"
	shift
	exec "$@"
)

# ok NAME COMMAND..: the command succeeds
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
		# of a whole build's output the end says why
		tail -n 100 "$TMP/ok" | diag
	fi
}

# is GOT WANT NAME
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

# matches TEXT REGEX: some line of it; grep's status is in $matches: 0, 1 for no line, anything else when it has failed
matches()
{
	matches=0
	grep -Eq -e "$2" <<TEXT || matches=$?
$1
TEXT
	return "$matches"
}

# like GOT REGEX NAME: some line of GOT matches the extended regular expression
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

# proves_nothing TEXT: a text of a program proves nothing where the last command of `run` was ended by a sanitizer (99) or a fault, nor
# an empty one after a time limit; SIGKILL is what many tests send
proves_nothing()
{
	case ${status-} in
	99 | 132 | 134 | 135 | 136 | 139) ;;
	124) [ -z "$1" ] ;;
	*) return 1 ;;
	esac
}

# unlike GOT REGEX NAME: no line of GOT matches
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

# can_chown: files can be given to another user: by root, where that one is known
can_chown()
{
	: >"$TMP/given"
	chown 1 "$TMP/given" 2>/dev/null
}

# tracefs_is_mounted: at $TRACING
tracefs_is_mounted()
{
	grep -q " $TRACING tracefs " /proc/self/mounts
}

# need_tracefs: the kernel's own tracefs at $TRACING, in a mount namespace of this test's own: mounted there unless it is
# already; and a /run of its own, since the journals in the machine's are other sessions', whose changes tracesh would
# speak of, as well as a /var/lib/tracesh, for what it rescues. Without tracefs the file is skipped. It starts the script once more, so it comes first, before any test.
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
	# /run/vm/main says that this is a guest of tests/vm, /run/vm/in-memory of which kind, also in the new /run.
	# shellcheck disable=SC2016 # for the inner shell
	TSH_TEST_MOUNTED=1 exec unshare -m sh -c '
		guest=; for mark in main in-memory; do [ ! -e /run/vm/$mark ] || guest="$guest $mark"; done
		mount -t tmpfs -o mode=755 tmpfs /run || { echo "1..0 # SKIP no /run of its own"; exit 0; }
		for mark in $guest; do mkdir -p /run/vm && : >/run/vm/$mark; done
		mkdir -p -m 700 /var/lib/tracesh && mount -t tmpfs -o mode=700 tmpfs /var/lib/tracesh
		exec sh "$0"' "$0"
}
