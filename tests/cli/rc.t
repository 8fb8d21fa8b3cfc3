#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The rc files: a session at the prompt begins with them, if nobody else can have written them.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/helpers/prompt.sh"

# begins NAME ARG..: the screen of a session that is left at once
begins()
{
	name=$1
	shift
	at_prompt "$@" <<'S'
expect > $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$name: there is a prompt"
}

# refused NAME [WHY]
refused()
{
	begins "$1"
	is "$(printf '%s\n' "$out" | grep '^.*tracesh/rc. is not read: ' | sed 's/.*: //')" \
		"${2-somebody else owns it or a folder above it, or may write there}" "$1: it is said"
	unlike "$out" 'mine>' "$1: and not read"
}

cd "$TMP" || exit 1
folder=$XDG_CONFIG_HOME/tracesh
rc=$folder/rc
begins 'no rc file'
unlike "$out" 'rc' 'nothing is said about it'

mkdir -m 755 "$folder"
echo "set prompt 'mine> '" >"$rc"
chmod 644 "$rc"
begins 'an rc file'
like "$out" '^mine> quit 0$' 'it is read'
begins 'with --no-rc' --no-rc
unlike "$out" 'mine>' 'it is not'
# Nor in a batch
run "$TRACESH" --tracefs "$tree" -c 'set prompt'
unlike "$out" mine 'a batch does not read it'
run "$TRACESH" --tracefs "$tree" <<'S'
set prompt
S
unlike "$out" mine 'nor does a batch on stdin'

cat >"$rc" <<'S'
let a = 1
enabel sched_switch
set prompt 'mine> '
set nosuch 5
let b = '${a}2'
source missing.tsh
cat 'not ended
set time short
S
begins 'with errors'
like "$out" '^mine> quit 0$' 'the rest is read'
is "$(printf '%s\n' "$out" | sed -n 's,^.*/tracesh/rc:\([0-9:]*\): error: .*,\1,p' | tr '\n' ' ')" '2:1 4:5 6:8 7:5 ' \
	'each error has its file, line and column'
at_prompt <<'S'
expect mine> $
send set time\r
expect time: +short
expect mine> $
send quit\r
S
like "$out" '^\[exit 0\]$' 'nor is their status that of the session'
run "$TRACESH" --tracefs "$tree" -n "$rc"
is "$status" 2 'and -n checks it'

echo 'quit 7' >"$rc"
run "$python" -I "$SRC/tests/helpers/pty.py" "$TRACESH" --tracefs "$tree" -q </dev/null
like "$out" '^\[exit 7\]$' 'quit leaves'
printf 'set time\nwait 60\nset prompt "mine> "\n' >"$rc"
at_prompt <<'S'
expect time: +wall
send \x03
expect > $
send quit 0\r
S
like "$out" '^\[exit 0\]$' 'Ctrl-C ends a command of it'

echo "set prompt 'mine> '" >"$rc"
chmod 664 "$rc"
refused 'one that a group may write'
chmod 644 "$rc"
chmod 777 "$folder"
refused 'in a folder that all may write'
chmod 755 "$folder"
chmod 770 "$XDG_CONFIG_HOME"
refused 'below such a folder'
chmod 700 "$XDG_CONFIG_HOME"
if can_chown; then
	chown 1 "$rc"
	refused 'of another owner'
	chown 0 "$rc"
	chown 1 "$folder"
	refused 'in a folder of another owner'
	chown 0 "$folder"
	# He can rename what lies in a folder of his, and put another tree of ours there.
	mkdir -m 755 "$TMP/theirs"
	cp -pR "$XDG_CONFIG_HOME" "$TMP/theirs/config"
	chown 1 "$TMP/theirs"
	ours=$XDG_CONFIG_HOME
	XDG_CONFIG_HOME=$TMP/theirs/config
	refused 'below a folder of another owner'
	rm "$XDG_CONFIG_HOME/tracesh/rc"
	begins 'below such a folder, where none is'
	unlike "$out" 'rc' 'nothing is said about it'
	XDG_CONFIG_HOME=$ours
	mv "$rc" "$TMP/theirs/dotfile"
	ln -s "$TMP/theirs/dotfile" "$rc"
	refused 'a link of our own to below such a folder'
	mv "$TMP/theirs/dotfile" "$rc"
else
	skip 'of another owner' 'files cannot be given away'
fi
mv "$rc" "$TMP/dotfile"
ln -s "$TMP/dotfile" "$rc"
begins 'a link of our own'
like "$out" '^mine> ' 'is followed'
rm "$rc"
mkfifo "$rc"
refused 'a fifo' 'it is no regular file'
rm "$rc"
printf 'let a = 1\0\n' >"$rc"
begins 'no text'
like "$out" "^tracesh: error: .*/rc' is not a batch file: it has a zero byte$" 'it is said'
rm "$rc"

# Never from the folder one is in
mkdir -p tracesh .config/tracesh && chmod 755 tracesh .config .config/tracesh
echo "set prompt 'mine> '" >tracesh/rc
cp tracesh/rc .config/tracesh/rc
cp tracesh/rc tracesh.rc
XDG_CONFIG_HOME=. begins 'a relative XDG_CONFIG_HOME'
unlike "$out" 'mine>' 'is not believed'
mkdir -p "$HOME/.config/tracesh" && chmod 755 "$HOME/.config" "$HOME/.config/tracesh"
echo "set prompt 'home> '" >"$HOME/.config/tracesh/rc"
chmod 600 "$HOME/.config/tracesh/rc"
unset XDG_CONFIG_HOME
begins 'without XDG_CONFIG_HOME'
like "$out" '^home> ' 'it is the one in ~/.config'
HOME=. begins 'a relative HOME'
unlike "$out" 'mine>|home>' 'is not believed'
done_testing
