#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# No tracefs, no permission, read-only: each its own sentence, its cure, and exit status 3.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

cp "$TRACESH" "$TMP/tracesh"
chmod 755 "$TMP" "$TMP/tracesh"

begin 'not root'
if setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/tracesh" -V >/dev/null 2>&1; then
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/tracesh" status
	expect 3 'status 3'
	says "cannot open '$TRACING': Permission denied" 'the sentence'
	says '^hint: .*root' 'the cure'
	for command in 'stream sched_switch' 'enable sched_switch' events 'run -- true' show off; do
		# shellcheck disable=SC2086 # words
		run setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/tracesh" $command
		expect 3 "$command: status 3"
	done
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/tracesh" -n -c 'enable sched_switch'
	false_that '--check says it too' test "$status" -eq 0
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/tracesh" help
	expect 0 'help needs nothing'
else
	skip "$case_name" 'setpriv cannot do it here'
fi

begin 'no tracefs'
cat >"$TMP/without.sh" <<'END'
while umount /sys/kernel/tracing 2>/dev/null; do :; done
umount /sys/kernel/debug/tracing 2>/dev/null
umount /sys/kernel/debug 2>/dev/null
exec "$@"
END
run unshare -m sh "$TMP/without.sh" "$TRACESH" status
expect 3 'status 3'
says 'tracefs is not mounted' 'the sentence'
says '^hint: mount -t tracefs nodev /sys/kernel/tracing' 'the cure'
for contained in 'setpriv --inh-caps -all --bounding-set -sys_admin' 'unshare -Ur'; do
	$contained true 2>/dev/null || { skip "$case_name: $contained" 'cannot be had here'; continue; }
	# shellcheck disable=SC2086 # words
	run unshare -m sh "$TMP/without.sh" $contained "$TRACESH" status
	expect 3 "root of a container ($contained)"
	case $contained in
	unshare*) says '^hint: root of a user namespace .* cannot mount it' 'is told why' ;;
	*) says '^hint: a container cannot mount it' 'has another cure' ;;
	esac
done
run unshare -m sh "$TMP/without.sh" "$TRACESH" -c 'set time short' -c 'let x = 1' -c help
expect 0 'what needs none works'
run unshare -m sh "$TMP/without.sh" "$TRACESH" -n -c 'enable sched_switch'
false_that '--check says it too' test "$status" -eq 0
mkdir "$TMP/elsewhere"
run unshare -m sh "$TMP/without.sh" sh -c "mount -t tracefs nodev '$TMP/elsewhere' && '$TRACESH' cat tracing_on"
expect 0 'a mount elsewhere is found'
same "$out" "$(cat "$TRACING/tracing_on")" 'and used'

begin 'another mount, with a blank in its name'
mkdir "$TMP/a b"
mount --bind "$TRACING" "$TMP/a b"
t --tracefs "$TMP/a b" cat tracing_on
same "$out" "$(cat "$TRACING/tracing_on")" '--tracefs DIR'
run unshare -m sh "$TMP/without.sh" "$TRACESH" cat tracing_on
expect 0 'it is found by itself'
umount "$TMP/a b"
t --tracefs "$TMP/a b" status
expect 3 'a folder that is no tracefs'
t --tracefs "$TMP/nosuch" status
expect 3 'nor there'

begin 'read-only'
top_state=$(cat "$TRACING/tracing_on")
mkdir "$TMP/ro"
mount --bind "$TRACING" "$TMP/ro" && mount -o remount,bind,ro "$TMP/ro"
if [ "$top_state" = 1 ]; then change=off; else change=on; fi
t --tracefs "$TMP/ro" "$change"
expect 3 'status 3'
says 'Read-only file system' 'the sentence'
says 'mount -o remount,rw' 'the cure'
t --tracefs "$TMP/ro" enable sched:sched_process_exit
expect 3 'enable'
t --tracefs "$TMP/ro" stream -n 1 sched_switch
expect 3 'stream'
t --tracefs "$TMP/ro" cat tracing_on
expect 0 'reading works'
t --tracefs "$TMP/ro" -n -c 'enable sched_switch if prev_pid == 1' -c off -c 'stream sched_switch'
expect 0 '--check works'
t --tracefs "$TMP/ro" --json status
expect 0 'status works'
umount "$TMP/ro"
same "$(cat "$TRACING/tracing_on")" "$top_state" 'nothing was changed'

finish
