#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 30000
# The check on machines as others have them: mounts, other people's tracing, no root, a container, few tools, odd settings.
#
# A part is the runner in one such setup; what has passed is kept in TRACESH_VM_KEEP, so that the next run goes on after it.
# Where somebody else is at work a guest's kernel is theirs. TRACESH_ORDINARY="NAME.." runs only these parts.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

kept=${TRACESH_VM_KEEP:-$TMP/kept}
mkdir -p "$kept"
runner="$SRC/tests/run"
# another user must reach all of it
chmod 755 "$TMP"

# chosen NAME: whether the part is to be run, and has not passed yet
chosen()
{
	case " ${TRACESH_ORDINARY-$1} " in *" $1 "*) ;; *) return 1 ;; esac
	[ ! -e "$kept/$1" ] || { pass "$1: $(cat "$kept/$1"), kept"; return 1; }
}

# part NAME COMMAND..: the runner, somehow
part()
{
	chosen "$1" || return 0
	part_name=$1
	shift
	run "$@"
	totals=$(tail -n 1 "$TMP/out")
	case $status:$totals in
	0:0\ passed*) fail "$part_name: $totals" ;;
	0:*' failed'*)
		pass "$part_name: $totals"
		echo "$totals" >"$kept/$part_name"
		;;
	*)
		fail "$part_name: status $status, $totals"
		{ sed -n '/^failed:/,$p' "$TMP/out"; tail -n 20 "$TMP/err"; } | diag
		;;
	esac
}

# privately SCRIPT [ARG]..: with mounts of its own, as root
# shellcheck disable=SC2317 # called by part
privately()
{
	unshare -m --propagation private sh -c "$@"
}

nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'

# few_tools: a PATH of links to what there is, without what tests can do without
few_tools()
{
	mkdir -p "$TMP/tools"
	for folder in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do
		for file in "$folder"/*; do
			[ -e "$TMP/tools/${file##*/}" ] || ln -s "$file" "$TMP/tools/${file##*/}"
		done
	done
	(cd "$TMP/tools" && rm -f python* jq tmux qemu* clang* cc c89* c99* gcc* ./*-gcc* ./*-linux-gnu* zsh fish socat less nc ncat \
		bash groff nroff troff man valgrind busybox dash perl git gdb strace script xz zstd ssh sshd ip ss shellcheck nm objdump \
		readelf file sqlite3 column iconv locale infocmp tput)
}

# in_guest NAME: every live test on 6.1 beside what tests/vm/setup-NAME does; tests/vm/run numbers its tests itself
in_guest()
{
	chosen "$1" || return 0
	part_name=$1
	mkdir -p "$kept/.$1"
	run env TRACESH_VM_SETUP="$SRC/tests/vm/setup-$1" TRACESH_VM_KEEP="$kept/.$1" TRACESH_VM_MATRIX= "$SRC/tests/vm/run" 6.1
	totals="$(grep -c '^ok' "$TMP/out") passed or skipped, $(grep -c '^not ok' "$TMP/out") failed"
	if [ "$status" -eq 0 ] && grep -q "^ok .*: setup-$1: " "$TMP/out"; then
		pass "$1: $totals"
		echo "$totals" >"$kept/$1"
	else
		fail "$1: status $status, $totals"
		grep -A 12 -e '^not ok' -e '^# flaky' "$TMP/out" | head -n 200 | diag
	fi
}

set -- --build "$BUILD" cli unit
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'

if grep -q '[[:space:]]tracefs$' /proc/filesystems; then
	# shellcheck disable=SC2016 # for the inner shell
	part tracefs privately 'mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing && exec "$@"' sh \
		"$runner" --build "$BUILD" live cli/runner
	# shellcheck disable=SC2016
	part debugfs privately '! mountpoint -q /sys/kernel/tracing || umount /sys/kernel/tracing
		mountpoint -q /sys/kernel/debug || mount -t debugfs nodev /sys/kernel/debug
		ls /sys/kernel/debug/tracing >/dev/null; exec "$@"' sh "$runner" --build "$BUILD" live cli/runner
else
	skip 'tracefs, debugfs' 'this kernel has no tracefs'
fi

# shellcheck disable=SC2086 # words
part user $nobody env -i PATH="$PATH" "$runner" "$@"
part namespace unshare -Urmpf --mount-proc "$runner" "$@"
# shellcheck disable=SC2016
part container unshare -m --pid --fork --uts --ipc --net --mount-proc sh -c '
	mount -t sysfs -o ro sysfs /sys && mount -t tmpfs none /run &&
	exec setpriv --inh-caps -all --bounding-set "$0" "$@"' \
	-sys_admin,-sys_ptrace,-sys_module,-perfmon,-bpf,-syslog,-net_admin,-sys_resource,-sys_nice,-sys_time,-mknod "$runner" "$@"
# shellcheck disable=SC2016
part read-only privately 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && shift && cd / && exec env -u HOME "$@"' \
	"$SRC" - "$runner" "$@"
few_tools
part few-tools env PATH="$TMP/tools" "$runner" "$@"
part umask-077 sh -c 'umask 077; exec "$@"' sh "$runner" "$@"
part umask-002 sh -c 'umask 002; exec nice "$@"' sh "$runner" "$@"
part locale env LANG=C LC_ALL=C "$runner" "$@"
part cron sh -c 'exec env -i PATH=/usr/bin:/bin "$@" <&-' sh "$runner" "$@"
mkdir -m 1777 "$TMP/a b"
part blanks env TMPDIR="$TMP/a b" LC_ALL=C.UTF-8 "$runner" "$@"

in_guest somebody
in_guest stopped

done_testing
