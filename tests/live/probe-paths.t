#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers
# Paths of programs that others than root can change, and files that they hold.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-probe.sh"

build_target
at_exit "echo -:live_foreign/one >>'$TRACING/uprobe_events' 2>/dev/null"

begin 'a working folder whose name is that of a program'
fresh
mkdir "$TMP/a|touch planted|"
cd "$TMP/a|touch planted|" || exit 1
t -c 'probe b/c:f'
says "^hint: probe '$TMP/a\|touch planted\|/b/c:f'\$" 'is one word in the hint'
t -c "$(sed -n 's/^hint: //p' "$TMP/err")"
false_that 'which runs no program' test -e planted
cd "$TMP" || exit 1

begin 'a path that others can change'
fresh
theirs=$TMP/theirs
mkdir "$theirs" "$TMP/sticky"
chmod 1777 "$TMP/sticky"
cp "$target" "$theirs/prog"
ln -s theirs/prog "$TMP/link"
chown -R 65534:65534 "$theirs"
for way in theirs/prog link theirs/../target; do
	t -c "probe $TMP/$way:greet"
	expect 1 "$way"
	says "others than root can change where '$TMP/$way' leads" 'is refused'
	says "^hint: they can replace '$TMP/(theirs|link)[^']*': run and probe a copy" 'with what to do'
done
t --complete -- probe "$theirs/prog:gr"
unlike "$out" greet 'nor is it opened for its symbols'
SUDO_UID=65534
export SUDO_UID
t -c "probe $theirs/prog:greet" -c "run greet -- $theirs/prog"
expect 0 'that of the user who called sudo is taken'
prints ' greet: ' 'and traced'
unset SUDO_UID
cp "$target" "$TMP/sticky/ours"
cp "$target" "$TMP/sticky/theirs"
cp "$target" "$TMP/twice"
ln "$TMP/twice" "$TMP/sticky/twice"
chown 65534 "$TMP/sticky/theirs"
t -c "probe $TMP/sticky/ours:greet"
expect 0 "root's file stays where it is in a sticky folder"
for name in theirs twice; do
	t -c "probe $TMP/sticky/$name:greet"
	expect 1 "in a sticky folder: $name"
	says "others than root can change where '$TMP/sticky/$name' leads" 'is refused'
done
cp "$target" "$TMP/fixed"
chown 65534 "$TMP/fixed"
t -c "probe $TMP/fixed:greet" -c "probe /proc/self/root$target:greet"
expect 0 "another's file where he cannot move it, and links of the kernel's"
true_that 'nothing is left' none_left

begin 'a path that may lead elsewhere by then'
fresh
say='a probe is not made again: users other than root can change the path of its program'
echo "p:live_foreign/one $target:$offset" >>"$TRACING/uprobe_events"
t -c 'append uprobe_events -:live_foreign/one' -c undo
expect 0 'one that cannot be changed'
true_that 'comes again' grep -q "live_foreign/one $target" "$probes"
echo -:live_foreign/one >>"$TRACING/uprobe_events"
echo "p:live_foreign/one $theirs/prog:$offset" >>"$TRACING/uprobe_events"
t -c 'append uprobe_events -:live_foreign/one' -c undo
says "$say" 'undo says that it is left'
false_that 'and nothing is probed' grep -q live_foreign "$probes"
(cd "$TMP" && echo "p:live_foreign/one ./${target##*/}:$offset" >>"$TRACING/uprobe_events")
t -c 'append uprobe_events -:live_foreign/one' -c undo
says "$say" 'nor is one that depends on the folder'
false_that 'and nothing is probed' grep -q live_foreign "$probes"
echo "p:live_foreign/one $theirs/prog:$offset" >>"$TRACING/uprobe_events"
t --restore -c 'append uprobe_events -:live_foreign/one'
expect 1 '--restore'
says "$say" 'says so, too'
false_that 'and nothing is probed' grep -q live_foreign "$probes"
t -c "append uprobe_events 'p:live_foreign/one $theirs/prog:$offset'" -c undo -c redo
expect 1 'redo'
says "the probe is not made again" 'makes none'
false_that 'and nothing is probed' grep -q live_foreign "$probes"
none_foreign() { ! grep -q live_foreign "$probes"; }
for guard in with without; do
	echo "p:live_foreign/one $theirs/prog:$offset" >>"$TRACING/uprobe_events"
	start "$TMP/gone" "$TRACESH" -c 'append uprobe_events -:live_foreign/one' -c 'wait 1h'
	true_that "$guard its guard: it is removed" await none_foreign
	watch=
	[ $guard = with ] || watch=$(pgrep -P "$child")
	# shellcheck disable=SC2086 # a word or none
	kill -KILL $watch "$child"
	ended "$child"
	await let_go
	t recover --all
	expect 1 "$guard its guard: recover"
	says "$say" 'says that it is left'
	true_that 'and nothing is probed' none_foreign
	t recover --all --forget
	expect 0 'that can be given up'
done

begin 'a lease'
fresh
cat >"$TMP/lease.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;

	signal(SIGIO, SIG_IGN);
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK) < 0)
		return 1;
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}
C
"${CC:-cc}" -o "$TMP/lease" "$TMP/lease.c"
cp "$target" "$TMP/leased"
start "$TMP/holder" "$TMP/lease" "$TMP/leased"
if await grep -q held "$TMP/holder"; then
	t -c "probe $TMP/leased:greet"
	expect 1 'a program that somebody holds'
	says "another process has a lease on '$TMP/leased'" 'is not waited for'
	run timeout 20 "$TRACESH" -o "$TMP/leased" -c version
	says "another process has a lease on '$TMP/leased'" 'nor is one that -o names'
else
	skip "$case_name" 'this file system has no leases'
fi
kill "$child"
ended "$child"
true_that 'nothing is left' none_left

begin 'a file system that does not answer'
if [ -z "$PYTHON" ] || [ ! -c /dev/fuse ]; then
	skip "$case_name" 'no python3 or no /dev/fuse'
else
	mkdir "$TMP/silent"
	start "$TMP/mapped" "$PYTHON" "$SRC/tests/helpers/silent-fuse.py" "$TMP/silent" "$target" 100
	fuse=$child
	at_exit "umount -l '$TMP/silent' 2>/dev/null"
	await grep -qs '^[1-9]' "$TMP/mapped"
	run timeout -s KILL 30 "$TRACESH" -c "probe $TMP/silent/lib:greet"
	expect 1 'a program there'
	says "the file system of '$TMP/silent/lib' does not answer: waited for it 5 s" 'is not waited for'
	says '^hint: mount tells which it is' 'with what to do'
	start "$TMP/stopped" timeout -s KILL 30 "$TRACESH" -c "probe $TMP/silent/lib:greet"
	reads() { waiting=$(pgrep -P "$child") && pgrep -P "$waiting"; }
	await reads
	kill -INT "$waiting"
	await gone "$waiting"
	true_that 'Ctrl-C ends it' grep -q "error: stopped while '$TMP/silent/lib' was read" "$TMP/stopped.err"
	cd "$TMP" || exit
	run timeout -s KILL 30 "$TRACESH" -c "probe silent/other:greet"
	cd "$SRC" || exit
	says 'begins with a /' 'nor is one for a hint'
	for word in "probe $TMP/silent/lib:gr" "source $TMP/silent/l"; do
		# shellcheck disable=SC2086 # two words
		run timeout -s KILL 30 "$TRACESH" --complete -- $word
		expect 0 "completion: ${word%% *}"
		same "$out" '' 'offers nothing'
	done
	mkdir "$TMP/place"
	cp "$target" "$TMP/place/other"
	at_exit "umount -l '$TMP/place' 2>/dev/null"
	run timeout -s KILL 30 "$TRACESH" -c "append uprobe_events 'p:live_foreign/one $TMP/place/other:$offset'" -c undo \
		-c "ps | mount --bind $TMP/silent $TMP/place" -c redo
	expect 1 'redo'
	says "the probe is not made again: its program's file system does not answer" 'does not wait'
	umount -l "$TMP/place"
	echo "p:live_foreign/one $TMP/place/other:$offset" >>"$TRACING/uprobe_events"
	run timeout -s KILL 30 "$TRACESH" -c 'append uprobe_events -:live_foreign/one' \
		-c "ps | mount --bind $TMP/silent $TMP/place" -c undo
	says "its program's file system does not answer" 'nor do undo and the end'
	true_that 'and nothing is probed' none_foreign
	umount -l "$TMP/place"
	t recover --all
	true_that 'recover makes it later' grep -q "live_foreign/one $TMP/place/other" "$probes"
	echo -:live_foreign/one >>"$TRACING/uprobe_events"
	kill -9 "$fuse"
	umount -l "$TMP/silent"
	true_that 'nothing is left' none_left
fi

finish
