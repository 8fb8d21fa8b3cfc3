#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# Paths that others can change: what somebody has put in a shared folder is not written to, not run and not read.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/helpers/prompt.sh"

shared=$TMP/shared
mkdir "$shared" && chmod 1777 "$shared"
cd "$shared" || exit 1
root=
! can_chown || root=yes

# theirs FILE: is somebody else's
theirs()
{
	chown -h 65534:65534 "$1"
}

# The lists of who opens, makes, renames and removes by the C library's own functions: all others go through
# base/safe-file.h. Next to each file stands why.

raw='open|openat|creat|fopen|freopen|mkdir|mkdirat|mkdtemp|mkstemp|mkostemp|mkfifo|mknod|rename|renameat|renameat2|unlink|unlinkat|rmdir|opendir|scandir|chmod|chown|lchown|link|linkat|symlink|symlinkat|truncate|utimes|tmpfile'
cat >"$TMP/allowed" <<'LIST'
src/base/account.c: /etc/passwd and /etc/group
src/base/file-owner.c: /etc/passwd, for the name of an owner
src/base/machine.c: /proc and /sys, O_NONBLOCK
src/base/new-file.c: in the descriptor of a folder, looks and renames
src/base/open-beneath.c: the module itself
src/base/open-regular.c: the module itself
src/base/process.c: /proc and /dev/null
src/base/pty.c: a terminal of its own
src/base/safe-file.c: the module itself
src/cmd/find/ps.c: /proc
src/complete/values-files.c: lists folders for TAB, opens nothing in them but /etc/passwd
src/engine/diagnose/doctor-functions.c: /proc/sys
src/engine/probe/symbols.c: /proc/kallsyms
src/engine/stacks/file.c: O_PATH, and /proc
src/engine/stacks/processes.c: /proc
src/events/recording/tree.c: in the descriptor of the folder's parent
src/events/source/provider-kcore.c: /proc/kcore
src/events/source/provider-kernel.c: /proc and /sys
src/events/source/provider-tasks.c: /proc
src/events/source/provider-variables.c: /proc
src/events/source/sampler.c: /proc and /sys
src/help/recipe-files.c: lists the folder of the recipes
src/kernel/journal/file.c: /run/tracesh, which is root's alone
src/kernel/journal/orphans.c: /run/tracesh, which is root's alone
src/kernel/journal/other-namespaces.c: /proc/PID/root of other mount namespaces
src/kernel/journal/place.c: /run/tracesh, which is root's alone
src/kernel/tracefs/boot-clock.c: /proc/cmdline
src/kernel/tracefs/dir.c: tracefs and /dev/null
src/kernel/tracefs/holders.c: /proc
src/kernel/tracefs/instance.c: tracefs
src/main.c: /dev/null
src/output/file.c: in the descriptor of the folder, looks at who owns what it finds
src/output/write.c: the terminal behind a descriptor
src/session/detach.c: /dev/null
src/session/function-names.c: /proc/modules
src/session/pid-namespace.c: /proc
src/session/program.c: /dev/null
src/session/rescue.c: in the state folder's descriptor, O_NOFOLLOW
src/session/tasks.c: /proc
src/shell/dry-run.c: /dev/null
src/shell/guard.c: /proc and /dev/null
src/shell/jobs.c: /dev/null
src/shell/rc.c: in the descriptor of a folder that is safe; /etc
src/ui/tty.c: /proc/self/fd/0
LIST

# raw_calls FILE..: those that call one of them; open(2) in a comment is no call
raw_calls()
{
	grep -lE "(^|[^A-Za-z0-9_.>\"])($raw)\(([^0-9]|\$)" "$@" | sort
}
(
	cd "$SRC" || exit 1
	# shellcheck disable=SC2046 # the tree's names have no blanks
	raw_calls $(find src -name '*.[ch]')
) >"$TMP/raw"
is "$(sed 's/: .*//' "$TMP/allowed" | diff - "$TMP/raw")" '' 'who opens files by themselves is listed, with the reason'
echo 'int fd = open(path, 0);' >"$TMP/made-up.c"
is "$(raw_calls "$TMP/made-up.c")" "$TMP/made-up.c" 'caught: another one'

# A FIFO that is no program is not opened to see that: who waits for a reader waits on.
rm -f waited opened && mkfifo waited
sh -c 'exec 3>waited; : >opened' &
writer=$!
waits()
{
	[ "$(sed 's/.*) \(.\).*/\1/' "/proc/$writer/stat" 2>/dev/null)" = S ] &&
		grep -qE '^(pipe|wait_for_partner|fifo)' "/proc/$writer/wchan" 2>/dev/null
}
tries=0
until waits || [ $tries -eq 500 ]; do
	tries=$((tries + 1))
	sleep 0.01
done
if waits; then
	run "$TRACESH" --tracefs "$SRC/examples/recorded" --complete -- probe "$shared/waited:"
	ok 'TAB behind a FIFO: it is not opened' waits
	[ "$root" ] || skip 'probe of a FIFO: it is not opened' 'needs root'
	run "$TRACESH" --tracefs "$SRC/examples/recorded" -c "probe $shared/waited:main"
	[ ! "$root" ] || ok 'probe of a FIFO: it is not opened' waits
	cp -r "$SRC/examples/recorded" tree && chmod -R u+w tree && ln -f waited tree/trace_clock && ln -f waited tree/saved_cmdlines
	run "$TRACESH" --tracefs tree --keep-going -c status -c 'drain -n 1' -c 'cat trace_clock'
	ok 'a FIFO in a recording: it is not opened' waits
	rm -rf tree
else
	skip 'TAB behind a FIFO' 'nothing says what a process waits for'
fi
kill "$writer" 2>/dev/null
wait "$writer" 2>/dev/null
rm -f waited opened

# -o FILE

out_is()
{
	run timeout -k 5 20 "$TRACESH" -q -o "$1" help quit
	is "$status" "$2" "-o: $3"
	cp "$TMP/err" "$TMP/err-before"
	run timeout -k 5 20 "$TRACESH" -q -c "help quit -o '$1'"
	is "$status" "$2" "-o of a command: $3"
}
for umask in 022 077; do
	rm -f new
	(umask $umask && "$TRACESH" -o new help quit)
	# a root of a namespace of its own is one, too
	case $(id -u):$umask in
	0:* | *:077) want=600 ;;
	*) want=644 ;;
	esac
	is "$(stat -c %a new)" "$want" "-o: the mode of a new file, umask $umask"
	rm -f new
	(umask $umask && "$TRACESH" -c 'help quit -o new')
	is "$(stat -c %a new)" "$want" "-o of a command: the same"
done
chmod 640 new
out_is new 0 'one that is there is written again'
is "$(stat -c %a new)" 640 'its mode stays'
rm -f new
mkdir folder && ln -s folder own-link
out_is own-link/new 0 'a link of our own on the way is followed'
ok 'and leads there' test -s folder/new
echo kept >"$TMP/kept"
if ln "$TMP/kept" second 2>/dev/null; then
	out_is second 1 'one that has a second name, in a shared folder'
	is "$(cat "$TMP/kept")" kept 'is not written'
	rm second
fi
# It was a second name of one of ours, say, when it was opened, and is none any more when it is looked at.
if "$TRACESH" --version | grep -q ', static)$'; then
	skip '-o: a second name that goes meanwhile' 'a static program takes no library before'
elif ! "${CC:-cc}" -shared -fPIC -o "$TMP/unlink-opened.so" "$SRC/tests/helpers/unlink-opened.c" -ldl 2>/dev/null; then
	skip '-o: a second name that goes meanwhile' 'no compiler'
else
	echo kept >second
	run env LD_PRELOAD="$(ldd "$TRACESH" | sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p') $TMP/unlink-opened.so" UNLINK_OPENED=second \
		timeout -k 5 20 "$TRACESH" -q -o second help quit
	is "$status" 1 '-o: one whose name is gone when it is open, in a shared folder'
fi
# Where nobody else can make a second name it is as good as another
echo old >"$TMP/home/one" && ln "$TMP/home/one" "$TMP/home/two"
chmod 700 "$TMP/home"
out_is "$TMP/home/two" 0 'one that has a second name, in a folder of our own'
if [ "$root" ]; then
	echo theirs >theirs && chmod 666 theirs && theirs theirs
	out_is theirs 1 "somebody else's file in a sticky folder"
	whose=$(id -un 65534 2>/dev/null) && whose="$whose (user 65534)" || whose='user 65534'
	is "$(cat "$TMP/err-before")" "tracesh: error: 'theirs' belongs to $whose, and others may write to its folder
hint: use a file that does not exist yet, or a folder that only you can write to" 'it says why, and what to type'
	is "$(cat theirs)" theirs 'is not written'
	mkfifo fifo && chmod 666 fifo && theirs fifo
	out_is fifo 1 "somebody else's FIFO"
	cat fifo >"$TMP/heard" &
	out_is fifo 1 "somebody else's FIFO that is read"
	timeout -k 5 20 sh -c ": >fifo"
	wait
	is "$(cat "$TMP/heard")" '' 'gets nothing'
	mkdir "$TMP/secret" && ln -s "$TMP/secret" link && theirs link
	out_is link/new 1 'a link of somebody else on the way'
	like "$(cat "$TMP/err-before")" "error: 'link/new' leads through a symbolic link of another user" 'it says so'
	is "$(ls "$TMP/secret")" '' 'is not followed'
	SUDO_UID=65534 out_is theirs 0 "the file of the user who called sudo"
	SUDO_UID=65534 out_is link/new 0 "and that user's link"
	rm -rf "$TMP/secret"
	mkdir "$TMP/theirs" && cp theirs "$TMP/theirs/file" && theirs "$TMP/theirs" && theirs "$TMP/theirs/file"
	out_is "$TMP/theirs/file" 0 "somebody else's file in that user's own folder"
	chmod 777 "$TMP/theirs"
	out_is "$TMP/theirs/file" 1 'unless others may write to that'
	ln -s /dev/null "$TMP/theirs/null" && theirs "$TMP/theirs/null"
	for command in "diff '$TMP/theirs/null'" "merge '$TMP/theirs/null'"; do
		run "$TRACESH" --tracefs "$tree" -c "$command"
		like "$status $err" "^[12] .*theirs/null': (Too many levels|Symbolic link loop)" "$command: a link of somebody else is not followed"
	done
	for command in 'save theirs' 'save -f link/new' 'save link/new'; do
		run "$TRACESH" --tracefs "$tree" -c "$command"
		ok "$command: is refused" test "$status" -ne 0
	done
	mkdir "$TMP/secret"
	run "$TRACESH" --tracefs "$tree" save -f link/new
	like "$err" "error: 'link/new' leads through a symbolic link of another user" 'save: it says why'
	is "$(ls -A "$TMP/secret")" '' 'save: nothing is written there'
	rm -rf link fifo theirs "$TMP/theirs" "$TMP/secret"
else
	skip 'files of somebody else' 'not root'
fi
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
	run "$TRACESH" -q -o "$name" help quit
	like "$status $out" '^0 quit \[' "-o $name: is a descriptor of our own"
done
if [ "$root" ] && shm=$(mktemp -d /dev/shm/tracesh-test.XXXXXX 2>/dev/null); then
	chmod 755 "$shm"
	echo kept >"$TMP/secret"
	ln -s "$TMP/secret" "$shm/out" && theirs "$shm/out"
	out_is "$shm/out" 1 'a link of somebody else below /dev, in a folder of root'
	theirs "$shm"
	out_is "$shm/out" 1 "a link of somebody else below /dev, in that user's own folder"
	is "$(cat "$TMP/secret")" kept 'is not followed'
	rm -r "$shm" "$TMP/secret"
else
	skip 'links below /dev' 'not root, or no /dev/shm'
fi
mkfifo ours && cat ours >"$TMP/heard" &
await_fifo=$!
until [ -p ours ]; do sleep 0.05; done
run "$TRACESH" -o ours help quit
wait "$await_fifo"
like "$(cat "$TMP/heard")" quit '-o: a FIFO of our own gets it'
rm ours

# save, and what is put in the place of something

run "$TRACESH" --tracefs "$tree" save saved
is "$status $(stat -c %a saved)" '0 600' 'save: makes a file for us alone'
echo old >saved && chmod 644 saved && ln saved first
run "$TRACESH" --tracefs "$tree" save -f saved
is "$status $(stat -c %a saved) $(cat first)" '0 600 old' 'save -f: puts another in its place'
like "$(cat saved)" '^clock ' 'save -f: a whole one'
ln -s first "$TMP/to-first" && cp -P "$TMP/to-first" to-first
run "$TRACESH" --tracefs "$tree" save -f to-first
is "$status" 1 'save -f: not a link'
is "$(find . -name 'saved?*' -o -name 'first?*')" '' 'save -f: nothing is left beside it'
rm -f saved first to-first

# Batch files and recipes

echo 'help quit' >drops.tsh
run "$TRACESH" drops.tsh
is "$status" 0 'a file with the name of a recipe is run'
is "$err" "'drops.tsh' is run from this folder; the recipe of that name is $TRACESH_RECIPES/drops.tsh" 'and it is said which'
run "$TRACESH" -n drops.tsh
run "$TRACESH" ./drops.tsh
is "$err" '' 'with its path it is no question'
# others_write WHAT FILE..: is refused, everywhere
others_write()
{
	what=$1
	for command in '' -n -f '-c' '-n -c'; do
		# shellcheck disable=SC2086
		case $command in
		*-c) run "$TRACESH" $command "source $2" ;;
		*) run "$TRACESH" $command "$2" ;;
		esac
		is "$status" 1 "$what: is not run (${command:-alone})"
		like "$err" "error: '$2' is not read: others may write to it" "$what: it says why"
	done
	is "$(grep -c '^hint: ' "$TMP/err")" 1 "$what: and what to type"
}
chmod 666 drops.tsh
others_write 'one that all may write to' drops.tsh
others_write 'with its path' ./drops.tsh
chmod 664 drops.tsh
if chgrp 12345 drops.tsh 2>/dev/null; then
	others_write 'one that a group may write to' drops.tsh
fi
if [ "$root" ]; then
	chgrp 0 drops.tsh && chmod 664 drops.tsh
	others_write "root's own that its group, or an ACL, lets others write to" drops.tsh
	chown 65534:65534 drops.tsh
	run env SUDO_UID=65534 "$TRACESH" ./drops.tsh
	is "$status" 0 'one that only the private group of the user who called sudo may write to is run'
	if command -v setfacl >/dev/null && setfacl -m u:65533:rw drops.tsh 2>/dev/null; then
		export SUDO_UID=65534
		others_write 'one of that user whose ACL lets somebody else write' drops.tsh
		setfacl -m u:65533:r drops.tsh
		chmod g-w drops.tsh
		run "$TRACESH" ./drops.tsh
		is "$status" 0 'one whose ACL lets him read is run'
		unset SUDO_UID
		setfacl -b drops.tsh
		chmod 664 drops.tsh
	else
		skip 'ACLs' 'no setfacl, or no ACLs here'
	fi
	chown 0:0 drops.tsh
elif [ "$(id -u)" -ne 0 ] && chgrp "$(id -u)" drops.tsh 2>/dev/null; then
	chmod 664 drops.tsh
	run "$TRACESH" ./drops.tsh
	is "$status" 0 'one that only its own group may write to is run'
fi
if [ "$root" ]; then
	chmod 644 drops.tsh && theirs drops.tsh
	others_write "somebody else's" drops.tsh
	like "$err" '^hint: run a copy of your own, and read it first: cp -i drops.tsh ~/$' "somebody else's: what to do"
	for options in '-n' '--dry-run -f' '-i nosuch'; do
		# shellcheck disable=SC2086
		run "$TRACESH" $options drops.tsh
		unlike "$err" 'tracesh <' "the hint leaves no option out ($options)"
	done
	run env HOME="$TMP" sh -c 'cp -i drops.tsh ~/own.tsh'
	run "$TRACESH" -n "$TMP/own.tsh"
	is "$status" 0 'the copy is read'
	run env SUDO_UID=65534 "$TRACESH" ./drops.tsh
	is "$status" 0 'that of the user who called sudo is run'
	run env SUDO_UID=65533 "$TRACESH" ./drops.tsh
	is "$status" 1 'not that of another'
	# A name of theirs is a word for sh
	cp drops.tsh 'a;b $(id).tsh' && theirs 'a;b $(id).tsh'
	run "$TRACESH" './a;b $(id).tsh'
	is "$status" 1 "a file of theirs with a name that sh would read otherwise"
	like "$err" "^hint: run a copy .*: cp -i './a;b \\$\\(id\\)\.tsh' ~/\$" 'is quoted in the hint'
	rm 'a;b $(id).tsh'
	# Links: those of others are not followed, and neither a file of procfs nor a device is believed
	echo 'help quit' >"$TMP/own.tsh"
	ln -s "$TMP/own.tsh" link.tsh
	for command in '' -n -f; do
		# shellcheck disable=SC2086 # no word or one
		run "$TRACESH" $command ./link.tsh
		is "$status" 0 "a link of our own is run (${command:-alone})"
	done
	ln -s link.tsh second.tsh
	run "$TRACESH" ./second.tsh
	is "$status" 0 'and a link to it'
	theirs link.tsh
	for name in link second; do
		run "$TRACESH" ./$name.tsh
		is "$status" 1 "a link of somebody else is not run ($name)"
		like "$err" "error: './$name.tsh' leads through a symbolic link of another user" 'it says why'
	done
	run "$TRACESH" -c 'source ./link.tsh'
	is "$status" 1 'nor by source'
	run "$TRACESH" -f link.tsh
	is "$status" 1 'nor by -f'
	mkdir "$TMP/linked" && cp -P link.tsh "$TMP/linked/planted.tsh"
	theirs "$TMP/linked/planted.tsh"
	run env "TRACESH_RECIPES=$TMP/linked" "$TRACESH" planted.tsh
	is "$status" 1 'nor as a recipe'
	run env SUDO_UID=65534 "$TRACESH" ./link.tsh
	is "$status" 0 'that of the user who called sudo is'
	rm link.tsh second.tsh
	ln -s "/proc/$$/comm" comm.tsh
	for name in ./comm.tsh /proc/$$/comm; do
		run "$TRACESH" "$name"
		is "$status" 1 "a file on procfs is not run: ${name%%[0-9]*}"
		like "$err" "is not read: others may write to it" 'it says why'
	done
	rm comm.tsh
	for device in /dev/zero /dev/ptmx; do
		[ -c "$device" ] || continue
		run timeout -k 5 20 "$TRACESH" "$device"
		ok "a device that is not ours: $device" test "$status" -ne 0 -a "$status" -lt 124
	done
	run timeout -k 5 20 "$TRACESH" /dev/zero
	like "$err" "error: '/dev/zero' is not read: others may write to it" 'it says why'
	mkfifo fifo.tsh && theirs fifo.tsh
	run timeout -k 5 20 "$TRACESH" ./fifo.tsh
	is "$status" 1 "nor somebody else's FIFO"
	mkdir "$TMP/recipes" && cp "$SRC/examples/drops.tsh" "$TMP/recipes/planted.tsh" && chmod 666 "$TMP/recipes/planted.tsh"
	run env "TRACESH_RECIPES=$TMP/recipes" "$TRACESH" -n planted.tsh
	is "$status" 1 'nor a recipe that others may write to'
	mkfifo "$TMP/recipes/fifo.tsh"
	run env "TRACESH_RECIPES=$TMP/recipes" timeout -k 5 20 "$TRACESH" recipes
	is "$status" 0 'recipes: does not wait for a FIFO'
else
	skip "somebody else's" 'not root'
fi
rm -f drops.tsh fifo.tsh
# What is ours comes by any of its names
for name in /dev/stdin /dev/fd/0 /proc/self/fd/0; do
	echo 'help quit' >"$TMP/from"
	run sh -c 'cat "$3" | "$1" "$2"' sh "$TRACESH" "$name" "$TMP/from"
	is "$status" 0 "a pipe: $name is run"
	like "$out" '^quit \[' "$name: is"
	run "$TRACESH" "$name" <"$TMP/from"
	is "$status" 0 "a file: $name is run"
done
run "$TRACESH" /dev/null
is "$status" 0 'no commands in /dev/null'
if command -v bash >/dev/null; then
	run bash -c '"$1" <(echo help quit)' bash "$TRACESH"
	like "$status $out" '^0 quit \[' 'what bash makes of <(..) is run'
fi

# What decides what a time zone is

mkdir "$TMP/zones" && mkfifo "$TMP/zones/zone.tab" "$TMP/zones/Zone"
run env "TZDIR=$TMP/zones" timeout -k 5 20 "$TRACESH" --tracefs "$tree" --tz Zone time now
is "$status" 2 'a FIFO is no time zone, and no table of them'
if [ -r /usr/share/zoneinfo/Europe/Berlin ]; then
	mkdir "$TMP/zones/Europe"
	ln -s /usr/share/zoneinfo/Europe/Berlin "$TMP/zones/Europe/Mine"
	run env "TZDIR=$TMP/zones" "$TRACESH" --tz Europe/Mine -c 'set tz'
	is "$status" 0 'a link of ours to one is'
	if [ "$root" ]; then
		chown -h 65534:65534 "$TMP/zones/Europe/Mine"
		run env "TZDIR=$TMP/zones" "$TRACESH" --tz Europe/Mine -c 'set tz'
		is "$status" 2 'a link of somebody else is not followed to one'
	fi
else
	skip 'links to time zones' 'no /usr/share/zoneinfo'
fi

# The keys of readline

inputrc_cases()
{
	# which key prints what: the macro types a command
	printf '"\\C-xq": "help quit\\r"\n' >"$HOME/.inputrc"
	chmod 644 "$HOME/.inputrc"
	with_macro "$1: ~/.inputrc" yes
	chmod 664 "$HOME/.inputrc"
	with_macro "$1: one that a group may write to" no "$HOME/.inputrc"
	chmod 644 "$HOME/.inputrc"
	chmod 770 "$HOME"
	with_macro "$1: in such a folder" no "$HOME/.inputrc"
	chmod 700 "$HOME"
	if [ "$root" ]; then
		theirs "$HOME/.inputrc"
		with_macro "$1: somebody else's" no "$HOME/.inputrc"
		chown 0:0 "$HOME/.inputrc" && theirs "$HOME"
		with_macro "$1: in the home of somebody else" no "$HOME/.inputrc"
		chown 0:0 "$HOME"
		mkdir -p "$TMP/theirs/home"
		theirs "$TMP/theirs"
		HOME=$TMP/theirs/home with_macro "$1: below a folder of somebody else, none" no
		cp -p "$HOME/.inputrc" "$TMP/theirs/home"
		HOME=$TMP/theirs/home with_macro "$1: below a folder of somebody else" no "$TMP/theirs/home/.inputrc"
		rm -r "$TMP/theirs"
	fi
	mv "$HOME/.inputrc" "$HOME/keys"
	ln -s keys "$HOME/.inputrc"
	with_macro "$1: a link of our own" yes
	rm "$HOME/.inputrc"
	with_macro "$1: none" no
	export INPUTRC="$HOME/keys"
	with_macro "$1: INPUTRC" yes
	cp "$HOME/keys" "$shared/keys"
	INPUTRC=$shared/keys
	with_macro "$1: INPUTRC in a folder like /tmp" yes
	if [ "$root" ]; then
		theirs "$shared"
		for mode in 1777 1755; do
			chmod "$mode" "$shared"
			with_macro "$1: INPUTRC in a sticky folder of somebody else, $mode" no "$INPUTRC"
		done
		chown 0:0 "$shared" && chmod 1777 "$shared"
	fi
	ln -s "$HOME/keys" "$shared/key-link"
	INPUTRC=$shared/key-link
	with_macro "$1: a link in a folder like /tmp" no "$INPUTRC"
	rm "$shared/key-link"
	INPUTRC=$shared/fifo && mkfifo "$INPUTRC"
	with_macro "$1: INPUTRC is a FIFO" no "$INPUTRC"
	INPUTRC=$HOME/including
	printf '$if nosuchprogram\n$include %s\n$endif\n  $include ~/keys\n' "$HOME/nowhere" >"$INPUTRC"
	with_macro "$1: an included file" yes
	chmod 666 "$HOME/keys"
	with_macro "$1: an included file that all may write to" no "$HOME/keys"
	chmod 644 "$HOME/keys"
	printf '$include %s\n' "$INPUTRC" >"$INPUTRC"
	with_macro "$1: one that includes itself" no
	printf '$if tracesh\n$include %s/keys\n$else\n$include /nowhere\n$endif\nset bell-style none\n' "$HOME" >"$INPUTRC"
	with_macro "$1: under an \$if" yes
	printf '$if other\n$include %s/keys\n$endif\n' "$HOME" >"$INPUTRC"
	with_macro "$1: under an \$if that is not ours" no
	unset INPUTRC
	rm -f "$HOME/keys" "$HOME/including" "$shared/keys" "$shared/fifo"
}

# with_macro NAME yes|no [REFUSED]: whether the key of that file types a command
with_macro()
{
	at_prompt <<'S'
expect > $
send \x18q\x15quit 0\r
S
	case $2 in
	yes) like "$out" '^quit \[' "$1: is read" ;;
	no) unlike "$out" '^quit \[' "$1: is not read" ;;
	esac
	if [ "${3-}" ]; then
		like "$out" "^'$3' is not read: somebody else owns it or a folder above it, or may write there" "$1: it is said"
	else
		unlike "$out" 'is not read' "$1: nothing is said"
	fi
}
# What the terminal is sent

# with_clear NAME yes|no [REFUSED]: whether Ctrl-L sends what that description says
with_clear()
{
	at_prompt <<'S'
expect > $
send \x0c
send quit 0\r
S
	case $2 in
	yes) like "$out" 'their-clear' "$1: is read" ;;
	no) unlike "$out" 'their-clear' "$1: is not read" ;;
	esac
	if [ "${3-}" ]; then
		like "$out" "^'$3' is not read: somebody else owns it or a folder above it, or may write there" "$1: it is said"
	else
		unlike "$out" 'is not read' "$1: nothing is said"
	fi
}

terminfo_cases()
{
	infocmp -1 xterm 2>/dev/null | sed 's/^\(.clear=\).*/\1their-clear,/' >"$TMP/description"
	if ! tic -x -o "$HOME/.terminfo" "$TMP/description" 2>/dev/null; then
		skip 'terminfo' 'no tic, or no terminal that it knows'
		return
	fi
	export TERM=xterm
	set -- "$HOME/.terminfo" "$(find "$HOME/.terminfo" -type f -name xterm)"
	with_clear '~/.terminfo' yes
	chmod 666 "$2"
	with_clear '~/.terminfo: a file that all may write to' no "$1"
	chmod 644 "$2"
	chmod 777 "${2%/*}"
	with_clear '~/.terminfo: a folder in it that others may write to' no "$1"
	chmod 755 "${2%/*}"
	if [ "$root" ]; then
		theirs "$HOME"
		with_clear '~/.terminfo: in the home of somebody else' no "$1"
		export SUDO_UID=65534
		with_clear '~/.terminfo: in that of the user who called sudo' yes "$HOME/.inputrc"
		unset SUDO_UID
		chown 0:0 "$HOME"
		mv "$1" "$shared/described" && theirs "$shared/described"
		ln -s "$shared/described" "$1"
		with_clear '~/.terminfo: a link to the folder of somebody else' no "$1"
		rm "$1"
		for variable in TERMINFO TERMINFO_DIRS; do
			export "$variable=$shared/described"
			with_clear "$variable: a folder of somebody else" no "$shared/described"
			unset "$variable"
		done
		chown 0:0 "$shared/described"
		export "TERMINFO_DIRS=$shared/nowhere:$shared/described:"
		with_clear 'TERMINFO_DIRS: a folder of our own' yes
		unset TERMINFO_DIRS
		mv "$shared/described" "$1"
	fi
	rm -r "$1"
}

case $("$TRACESH" --version) in
*'(readline'*)
	inputrc_cases readline
	terminfo_cases
	;;
*) skip 'inputrc, terminfo' 'no readline' ;;
esac

# Scripts of --dry-run: only what the kernel has mounted is tracefs

fakes()
{
	cat >"$TMP/fakes" <<'SH'
mount -t tmpfs none /sys/kernel || exit 77
mount -t tmpfs -o mode=1777 none "$1/mnt" || exit 77
: >"$1/mnt/current_tracer"
mkdir "$1/mnt/tracing" && : >"$1/mnt/tracing/current_tracer"
ln -s "$1/secret" "$1/mnt/tracing_on"
for folder in own wide group; do
	mkdir "$1/mnt/$folder" && : >"$1/mnt/$folder/current_tracer"
	ln -s "$1/secret" "$1/mnt/$folder/tracing_on"
done
chmod 755 "$1/mnt/own" && chmod 757 "$1/mnt/wide" && chmod 775 "$1/mnt/group"
chown -hR 65534 "$1/mnt/current_tracer" "$1/mnt/tracing_on" "$1/mnt/tracing"
shift
exec "$@"
SH
	unshare -m sh "$TMP/fakes" "$TMP" "$@"
}
if [ "$root" ] && unshare -m true 2>/dev/null; then
	mkdir "$TMP/mnt"
	echo 1 >"$TMP/secret"
	run "$TRACESH" --tracefs "$SRC/examples/recorded" --dry-run off
	cp "$TMP/out" "$TMP/off.sh"
	wrote='0 0'
	shells=sh
	for shell in dash bash busybox; do ! command -v $shell >/dev/null || shells="$shells $shell"; done
	for shell in $shells; do
		[ $shell != busybox ] || shell='busybox sh'
		# shellcheck disable=SC2086 # two words
		run fakes $shell "$TMP/off.sh"
		[ "$status" -ne 77 ] || break
		is "$status $(cat "$TMP/secret")" '3 1' "$shell: a file system with a current_tracer is not written to"
		like "$err" 'tracefs is not mounted' "$shell: it says that none is mounted"
		for folder in "$TMP/mnt" "$TMP/mnt/" "$TMP/mnt/tracing" "$TMP/mnt/wide" "$TMP/mnt/group" "$TMP/nowhere"; do
			# shellcheck disable=SC2086 # two words
			run fakes env "TRACEFS=$folder" $shell "$TMP/off.sh"
			is "$status $(cat "$TMP/secret")" '3 1' "$shell: nor one that TRACEFS names: ${folder#"$TMP"}"
			like "$err" "$folder is no tracefs that is mounted" "$shell: it says so"
		done
		# shellcheck disable=SC2086 # two words
		run fakes env "TRACEFS=$TMP/mnt/own" $shell "$TMP/off.sh"
		is "$status $(cat "$TMP/secret")" "$wrote" "$shell: but a folder of our own"
		echo 1 >"$TMP/secret"
	done
	[ "$status" -ne 77 ] || skip 'the scripts of --dry-run' 'nothing can be mounted here'
else
	skip 'the scripts of --dry-run' 'not root, or no mount namespaces'
fi

# A path in a command that is suggested is a word: typed as it stands there, it is that file.
if command -v bash >/dev/null; then
	mkdir "$TMP/words"
	cd "$TMP/words" || exit 1
	# typed REGEX PATH: what stands in the first group of the hint is that path, as bash reads it
	typed()
	{
		word=$(printf '%s\n' "$err" | sed -n "s,^hint: $1\$,\\1,p")
		is "$(bash -c "printf %s $word")" "$2" "the hint can be typed: $word"
	}
	escape=$(printf 'a\033[1mb')
	for name in plain 'a b' "it's" '"' "both ' and \"" '$HOME' 'a\b' '*' '#x' "$escape" 'a
b' "$(printf 'a\377b')" "$(printf '\342\200\256')"; do
		mkdir "./$name.d"
		run "$TRACESH" merge "./$name.d"
		typed 'its files: \(.*\)/\*\.json' "./$name.d"
		echo events >"./$name"
		# Who may write as the group may be the user alone.
		chmod go+w "./$name"
		run "$TRACESH" -f "./$name"
		typed 'chmod go-w \(.*\)' "./$name"
		chmod go-w "./$name"
		run "$TRACESH" --tracefs "$SRC/examples/recorded" save "./$name"
		word=$(printf '%s\n' "$err" | sed -n 's/^hint: \(save -f.*\) replaces it$/\1/p')
		case $word in
		'') fail "save names what replaces $name" ;;
		'save -f') pass 'what tracesh cannot read is not named' ;;
		*)
			run "$TRACESH" --tracefs "$SRC/examples/recorded" -c "$word"
			unlike "$(cat "./$name")" '^events$' "tracesh reads it, too: $word"
			;;
		esac
	done
	cd "$TMP" || exit 1
else
	skip 'paths in hints' 'no bash'
fi

done_testing
