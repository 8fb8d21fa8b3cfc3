#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# readline: with the callback interface "Display all 200 possibilities? (y or n)" is asked, and not waited for.
#
# Versions: readline 8.2 (Debian 12's libreadline8 and libreadline-dev 8.2-1.3), amd64.
#
# A program that has other things to wait for calls rl_callback_read_char() when there is input, instead of readline(). The
# manual describes it as another way to get the same line. TAB with more than 100 matches asks before it lists them.
#
# Expected: both ask, and take the next key for the answer; after "n" no list is shown, and "n" is not part of the line.
# Seen: readline() does so. With the callback interface the question is printed, all 200 names follow at once, as if the
# answer were "y", and the "n" that was typed as an answer is in the line.
# A program is safe only with an rl_completion_display_matches_hook of its own: that is called before the question.
#
# Output seen, of the keys n TAB TAB TAB n x RETURN:
#   readline(): 1 question, 0 names, line "namex"
#   callbacks: 1 question, 200 names, line "namenx"
#
# Needs apt-get, dpkg, cc, libtinfo6. Runs without root and without a terminal.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download libreadline8=8.2-1.3 libreadline-dev=8.2-1.3 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done
libs=$(echo "$tmp"/lib/*-linux-gnu)

cat >ask.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <readline/readline.h>

static char *last;

static char *name(const char *text, int again)
{
	static int n;
	char made[32];
	n = again ? n + 1 : 100;
	snprintf(made, sizeof(made), "name%d", n);
	return n < 300 ? strdup(made) : NULL;
}

static char **complete(const char *text, int start, int end)
{
	rl_attempted_completion_over = 1;
	return rl_completion_matches(text, name);
}

static void take(char *line)
{
	last = line;
	rl_callback_handler_remove();
}

int main(int argc, char **argv)
{
	rl_attempted_completion_function = complete;
	if (!strcmp(argv[1], "readline()"))
		last = readline("> ");
	else
		rl_callback_handler_install("> ", take);
	while (!last)
		rl_callback_read_char();
	printf("\nline \"%s\"\n", last);
	return 0;
}
C
cc -w -I usr/include ask.c -o ask "$libs/libreadline.so.8" -Wl,--allow-shlib-undefined || exit 2
for way in 'readline()' callbacks; do
	printf 'n\t\t\tnx\n' | TERM=dumb INPUTRC=/dev/null LD_LIBRARY_PATH=$libs timeout 20 ./ask "$way" >screen || exit 1
	echo "$way: $(grep -c '(y or n)' screen) question, $(grep -o 'name[0-9]' screen | wc -l) names, $(grep '^line' screen)"
done | tee now

sed -n 's/^#   //p' "$self" >seen
diff seen now
