#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# What was typed is there in the next session, and what must not be written is not.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/helpers/prompt.sh"

file=$XDG_STATE_HOME/tracesh/history
tab=$(printf '\t')

mode()
{
	stat -c %a "$1"
}

all_builds()
{
	rm -rf "$XDG_STATE_HOME/tracesh"
	at_prompt <<'S'
expect > $
send systems\r
expect > $
send let x = 'a\r
expect \.\.'> $
send b'\r
expect > $
send systems\r
expect > $
send systems\r
expect > $
send  let secret = 1\r
expect > $
send !true\r
expect > $
send \r
expect > $
send \x04
S
	is "$(cat "$file")" "systems
let x = 'a
${tab}b'
systems
!true" "$1: each command is in the file, not twice in a row, none that begins with a blank"
	is "$(mode "$file") $(mode "${file%/*}")" '600 700' "$1: nobody else can read it"

	# Another session, of which this one is told at its start
	echo 'clock' >>"$file"
	at_prompt <<'S'
expect > $
send history\r
expect clock
expect > $
send history 2\r
expect > $
send history /s*ms\r
expect > $
send history last\r
expect no number
expect > $
send quit 0\r
S
	like "$out" '^ +1  let x = .a\\nb.$' "$1: history lists them, one a line"
	like "$out" '^ +2  systems$' "$1: and none twice"
	is "$(printf '%s\n' "$out" | sed -n '/> history 2$/,/> history \//p' | grep -c '^ ')" 2 "$1: history N the last N"
	is "$(printf '%s\n' "$out" | sed -n '/> history \/s/,/> history last/p' | sed -n 's/^ *[0-9]*  //p' | tr '\n' ' ')" 'systems history /s*ms ' \
		"$1: history /PATTERN those that match"

	run "$TRACESH" --json history 1 </dev/null
	is "$status $out" '0 {"type":"history","number":9,"command":"quit 0"}' "$1: a batch can ask for it, too"

	# Two sessions at once: both lists are in the file.
	at_prompt <<S
expect > \$
send !echo 'from another' >>'$file'\r
expect > \$
send caps\r
expect > \$
send quit 0\r
S
	is "$(tail -n 3 "$file")" 'from another
caps
quit 0' "$1: what others append stays"

	# Half a line of a session that was killed
	printf 'half' >>"$file"
	at_prompt <<'S'
expect > $
send quit 0\r
S
	is "$(tail -n 2 "$file" | tr '\n' ' ')" 'half quit 0 ' "$1: half a line is ended before the next"

	chmod 644 "$file"
	awk 'BEGIN { for (i = 1; i <= 5000; i++) print "line " i }' >>"$file"
	at_prompt <<'S'
expect > $
send history 1\r
expect 2000  history 1
expect > $
send quit 0\r
S
	is "$(wc -l <"$file") $(mode "$file")" '2002 600' "$1: a long file is cut to what is kept"
	is "$(ls "${file%/*}")" history "$1: and nothing stays beside it"
	run timeout 60 sh -c "awk 'BEGIN { for (i = 0; i < 1000000; i++) print \"0123456789\" }' >>'$file'"
	at_prompt <<'S'
expect > $
send history 1\r
expect 2  history 1
expect > $
send quit 0\r
S
	is "$(wc -l <"$file")" 3 "$1: so is one that somebody has blown up"
}

# refused NAME REGEX: the session goes on without the file, and says why, once
refused()
{
	program=$TRACESH
	run "$python" -I "$SRC/tests/helpers/pty.py" "$program" --tracefs "$tree" <<'S'
expect > $
send clock\r
expect boot
expect > $
send history\r
expect clock
expect > $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: the session goes on"
	is "$(printf '%s\n' "$out" | grep -c '^the history is not saved: ')" 1 "$1: it is said once"
	like "$out" "^the history is not saved: $2" "$1: with the reason"
}

each_build all_builds

rm -rf "$XDG_STATE_HOME/tracesh"
mkdir -m 700 "$XDG_STATE_HOME/tracesh"
echo 'of another file' >"$TMP/target"
ln -s "$TMP/target" "$file"
refused 'a link' 'cannot open .*(Too many levels|Symbolic link loop)'
is "$(cat "$TMP/target")" 'of another file' 'nothing is written through a link'
rm "$file"
ln "$TMP/target" "$file"
refused 'a second name' '.* has a second hard link'
is "$(cat "$TMP/target")" 'of another file' 'nor into a file with another name'
rm "$file"
mkfifo "$file"
refused 'a fifo' '.* is not a regular file'
rm "$file"
mkdir "$file"
refused 'a folder' 'cannot open .*Is a directory'
rmdir "$file"
if can_chown; then
	echo 'typed by somebody else' >"$file"
	chown 1 "$file"
	refused 'of another owner' '.* belongs to somebody else'
	is "$(cat "$file")" 'typed by somebody else' 'it is left alone'
	rm "$file"
	chown 1 "$XDG_STATE_HOME/tracesh"
	refused 'a folder of another owner' "'.*tracesh' is not a folder that is yours alone"
	chown 0 "$XDG_STATE_HOME/tracesh"
else
	skip 'of another owner' 'files cannot be given away'
fi
if [ "$(id -u)" = 0 ] && can_chown; then
	# He can rename what lies in a folder of his, and put another tree of ours there.
	mkdir -m 755 "$TMP/theirs"
	mkdir -m 700 "$TMP/theirs/state" "$TMP/theirs/state/tracesh"
	echo 'of another tree' >"$TMP/theirs/state/tracesh/history"
	chmod 600 "$TMP/theirs/state/tracesh/history"
	run env XDG_STATE_HOME="$TMP/theirs/state" "$TRACESH" history </dev/null
	like "$out" 'of another tree' 'below a folder of our own: the history is read'
	chown 1 "$TMP/theirs"
	run env XDG_STATE_HOME="$TMP/theirs/state" "$TRACESH" history </dev/null
	is "$status" 0 'below a folder of another owner: it is no error'
	unlike "$out" 'of another tree' 'below a folder of another owner: the history is not believed'
else
	skip 'below a folder of another owner' 'files cannot be given away'
fi
chmod 777 "$XDG_STATE_HOME/tracesh"
refused 'a folder that all may write' "'.*tracesh' is not a folder that is yours alone"
rm -rf "$XDG_STATE_HOME/tracesh"
: >"$XDG_STATE_HOME/tracesh"
refused 'a home that cannot be written' "'.*tracesh' is not a folder that is yours alone"
rm "$XDG_STATE_HOME/tracesh"

# Another session adds a line while this one runs.
rm -rf "$XDG_STATE_HOME/tracesh"
at_prompt <<S
expect > \$
send systems\r
expect > \$
send !echo apropos elsewhere >>'$file'\r
expect > \$
send history /elsewhere\r
expect apropos elsewhere
expect > \$
send \x04
S
like "$out" '^ *3  apropos elsewhere$' "what another session adds is there at the next prompt"
is "$(tail -n 2 "$file")" 'apropos elsewhere
history /elsewhere' 'and stays'
rm -rf "$XDG_STATE_HOME/tracesh"

# makes FOLDER NAME: a XDG_STATE_HOME that is not there
makes()
{
	before=$XDG_STATE_HOME
	XDG_STATE_HOME=$1
	at_prompt <<'S'
expect > $
send systems\r
expect > $
send \x04
S
	is "$(cat "$1/tracesh/history")" systems "$2: is made"
	is "$(mode "$1")" 700 "$2: for us alone"
	XDG_STATE_HOME=$before
}
makes "$HOME/new" 'a folder that is not there'
makes "$HOME/a/b/c" 'with those above it'

at_prompt --read-only <<'S'
expect > $
send systems\r
expect > $
send history\r
expect systems
expect > $
send \x04
S
ok '--read-only: neither file nor folder is made' test ! -e "$XDG_STATE_HOME/tracesh"
mkdir -m 700 "$XDG_STATE_HOME/tracesh"
echo clock >"$XDG_STATE_HOME/tracesh/history"
chmod 600 "$XDG_STATE_HOME/tracesh/history"
at_prompt --read-only <<'S'
expect > $
send history\r
expect clock
expect > $
send \x04
S
is "$(cat "$XDG_STATE_HOME/tracesh/history")" clock '--read-only: what is there is read, and nothing added'
rm -r "$XDG_STATE_HOME/tracesh"

run "$TRACESH" history </dev/null
is "$status $out$err" '0 ' 'no file: an empty history'
ok 'and none is made by asking' test ! -e "$XDG_STATE_HOME/tracesh"
done_testing
