#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The prompt is what `set prompt` makes it, in the colours that are wanted.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/helpers/prompt.sh"

esc=$(printf '\033')

all_builds()
{
	at_prompt <<'S'
expect > $
send set prompt '%%%i%n%?|%b%d%p '\r
expect %top 9ev\| $
send try enabel x else quitt\r
expect %top 9ev 2\| $
send set prompt 'a %x b'\r
expect %top 9ev 2\| $
send set prompt\r
expect prompt: +%%%i%n%\?\|%b%d%p 
expect %top 9ev\| $
send set prompt 'never%'\r
expect %top 9ev 2\| $
send set prompt ''\r
expect tracesh:top \[off\] 9ev ro> $
send quit 0\r
S
	like "$out" '^\[exit 0\]$' "$1: set prompt"
	like "$out" "^error: '%x' stands for nothing in a prompt$" "$1: an unknown letter is refused"
	like "$out" "^error: '%' stands for nothing in a prompt$" "$1: so is a '%' at the end"
	like "$out" '^hint: %i the instance; ' "$1: and the letters are explained"
	typed=$(printf '%s\n' "$out" | sed -n "s/set prompt 'a %x b'\$//p" | sed 's/./ /g')
	like "$out" "^$typed           \^~~~" "$1: the caret stands below what was typed, whatever the prompt is"

	at_prompt --color always <<'S'
expect tracesh:top.*> 
send set prompt '%i%n|%dx%b'\r
expect \|.*x.*quit|\|
send quit 0\r
S
	like "$out" "${esc}\[1mtracesh:top${esc}\[0;2m \[off\] 9ev ro${esc}\[0m> " "$1: the default has its colours"
	like "$out" "top 9ev\|${esc}\[2mx${esc}\[0;1m${esc}\[0m" "$1: a template has its own, and ends plain"
	at_prompt --color never <<'S'
expect tracesh:top \[off\] 9ev ro> $
send quit 0\r
S
	unlike "$out" "${esc}\[[0-9;]*m" "$1: no colours with --color never"

	# Events are lost while a command runs
	rm -rf lossy && cp -r "$tree" lossy && chmod -R u+w lossy
	mkdir -p lossy/per_cpu/cpu0
	printf 'entries: 5\noverrun: 7\ndropped events: 0\n' >lossy/per_cpu/cpu0/stats
	at_prompt --tracefs lossy --color always <<'S'
expect tracesh:top[^>]*> 
send !echo 'overrun: 9' >lossy/per_cpu/cpu0/stats\r
expect lost[^>]*> 
send clock\r
expect boot
expect tracesh:top[^>]*> 
send quit 0\r
S
	like "$out" "9ev${esc}\[0;1;31m lost${esc}\[0;2m" "$1: events that were lost are said in red"
	is "$(printf '%s\n' "$out" | grep -c 'm lost')" 1 "$1: once"
}

# Colours by the environment. The last one that says something does not count, the first one does.
colour()
{
	name=$1
	want=$2
	shift 2
	run env "$@" "$python" -I "$SRC/tests/helpers/pty.py" "$TRACESH" --tracefs "$tree" -q ${option:+"$option"} <<'S'
expect tracesh:top[^>]*> 
send quit 0\r
S
	case $out in
	*"${esc}[1mtracesh"*) got=yes ;;
	*) got=no ;;
	esac
	is "$got" "$want" "colours: $name"
}

cd "$TMP" || exit 1
each_build all_builds
colour 'a terminal' yes TERM=xterm
colour 'a dumb one' no TERM=dumb
colour 'none' no TERM=
colour NO_COLOR no TERM=xterm NO_COLOR=1
colour 'an empty NO_COLOR' yes TERM=xterm NO_COLOR=
colour FORCE_COLOR yes TERM=dumb FORCE_COLOR=1
colour 'a FORCE_COLOR of 0' no TERM=dumb FORCE_COLOR=0
colour CLICOLOR_FORCE yes TERM=dumb CLICOLOR_FORCE=1
colour 'NO_COLOR before FORCE_COLOR' no TERM=xterm NO_COLOR=1 FORCE_COLOR=1
option=--color=always
colour 'the option before NO_COLOR' yes TERM=xterm NO_COLOR=1
done_testing
