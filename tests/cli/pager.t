#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# Lists that are longer than the screen go through a pager at the prompt, and nothing else does.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/helpers/prompt.sh"

cd "$TMP" || exit 1
cp -r "$tree" long && chmod -R u+w long
awk 'BEGIN { for (i = 1; i <= 200; i++) print "line " i }' >long/lines
awk 'BEGIN { for (i = 1; i <= 200000; i++) print "line " i }' >long/many
tree=$TMP/long

# A pager that marks what it gets, and waits for a key
cat >pager <<'S'
#!/bin/sh
env >pager-env
cat >pager-got
printf 'paged, press Enter: '
read -r answer </dev/tty
S
# One that has enough after a line
cat >enough <<'S'
#!/bin/sh
read -r line
echo "only $line"
S
chmod +x pager enough
export TERM=xterm PAGER="'$TMP/pager'"

all_builds()
{
	rm -f pager-got pager-env
	mkdir -p theirs ours && chmod 777 theirs
	SECRET=1 HOME=$TMP TERMINFO=$TMP/theirs TERMINFO_DIRS=$TMP/theirs:$TMP/ours at_prompt <<'S'
expect > 
send cat lines\r
expect press Enter: $
send \r
expect > 
send systems\r
expect SYSTEM
expect > 
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: a long list"
	is "$(cat pager-got)" "$(cat long/lines)" "$1: all of it goes through the pager"
	is "$(printf '%s\n' "$out" | grep -c 'press Enter')" 1 "$1: a short one does not"
	is "$(sed 's/=.*//' pager-env | grep -v -e '^LC_' -e '^LANG' -e '^TERM' -e '^LESS' -e '^COLORTERM$' | sort | tr '\n' ' ')" 'PATH PWD ' \
		"$1: its environment is clean"
	like "$(cat pager-env)" '^LESS=FRX$' "$1: but for what less needs"
	is "$(grep '^TERMINFO' pager-env)" "TERMINFO_DIRS=$TMP/ours" "$1: no folder of terminals that others can write to"

	rm pager-got
	at_prompt <<'S'
expect > 
send try cat lines\r
expect press Enter: $
send \x03
expect > 
send set time\r
expect wall
expect > 
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: Ctrl-C is for the pager"
	at_prompt <<'S'
expect > 
send cat lines\r
expect press Enter: $
signal TERM
S
	like "$out" '^\[exit 143\]$' "$1: SIGTERM ends it and us"

	rm -f pager-got
	echo 'cat lines' >lines.tsh
	at_prompt <<'S'
expect > 
send cat lines | tail -n 1\r
expect line 200
expect > 
send cat -o copy lines\r
expect > 
send source lines.tsh\r
expect line 200
expect > 
send set pager off\r
expect > 
send cat lines\r
expect line 200
expect > 
send quit 0\r
S
	ok "$1: no pager behind a pipe, a file, source and set pager off" test ! -e pager-got
	is "$(cat copy)" "$(cat long/lines)" "$1: a file has all"

	for none in '' cat; do
		TRACESH_PAGER=$none at_prompt <<'S'
expect > 
send cat lines\r
expect line 200
expect > 
send quit 0\r
S
		ok "$1: TRACESH_PAGER='$none' is none" test ! -e pager-got
	done
	TERM=dumb at_prompt <<'S'
expect > $
send cat lines\r
expect line 200
expect > $
send quit 0\r
S
	ok "$1: nor is there one on a dumb terminal" test ! -e pager-got

	PAGER="'$TMP/enough'" at_prompt <<'S'
expect > 
send cat many\r
expect only line 1
expect > 
send quit\r
S
	like "$out" '^\[exit 0\]$' "$1: to have enough is no error"
	unlike "$out" 'error|line 2$' "$1: and the rest is not shown"

	for bad in false 'exit 3' /nonexistent/pager 'read -r x; exit 1'; do
		PAGER=$bad at_prompt <<'S'
expect > 
send cat many\r
expect line 200000\r
expect ended with status
expect > 
send quit\r
S
		is "$(printf '%s\n' "$out" | grep -c 'line [0-9]*$')" 200000 "$1: a pager that fails, the list is printed: $bad"
		like "$out" '^\[exit 0\]$' "$1: and it is no error"
	done
}

each_build all_builds

# less itself, where there is one
unset PAGER
if command -v less >/dev/null; then
	at_prompt <<'S'
expect > 
send cat lines\r
expect line 20
send q
expect tracesh:top[^>]*> 
send quit\r
S
	like "$out" '^\[exit 0\]$' 'less'
	unlike "$out" '^line 200' 'shows a page'
else
	skip 'less' 'there is none'
fi
mkdir empty
run "$python" -I "$SRC/tests/helpers/pty.py" env PATH="$TMP/empty" "$TRACESH" --tracefs "$tree" -q <<'S'
expect > 
send cat lines\r
expect line 200
expect > 
send quit\r
S
like "$out" '^\[exit 0\]$' 'without less there is none'
unlike "$out" 'not found|pager' 'and nothing is said about it'
done_testing
