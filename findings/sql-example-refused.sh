#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libtracefs: an example of its own manual page, tracefs_sql(3), is refused by tracefs_sql(), and without a reason.
#
# Versions: libtracefs 1.6.4 (Debian 12's libtracefs1, libtracefs-dev and libtracefs-doc 1.6.4-1), libtraceevent 1.7.1. 1.8.3
# (Debian sid) does the same.
#
# Expected: "(start.truesize - end.len) as diff" is taken, as the page says what it shows; what is refused has a reason in the
# last argument, which the page promises.
# Seen: NULL, and no reason. Of two events only the end's field less the start's is taken; turned round, the statement passes.
#
# Output seen:
#   the manual's example: refused, reason: none
#   without the difference: taken
#   end less start: taken
#
# Needs apt-get, dpkg, cc, gzip. Runs without root, and without tracefs.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download libtraceevent1=1:1.7.1-1 libtraceevent-dev=1:1.7.1-1 libtracefs1=1.6.4-1 \
	libtracefs-dev=1.6.4-1 libtracefs-doc=1.6.4-1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done
libs=$(echo "$tmp"/usr/lib/*-linux-gnu)

cat >sql.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <event-parse.h>
#include <tracefs.h>

/* Makes the event known: it has skbaddr and one more field. */
static void add(struct tep_handle *tep, int id, const char *name, const char *field)
{
	char text[1024];

	snprintf(text, sizeof(text), "name: %s\nID: %d\nformat:\n"
		 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		 "\tfield:const void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
		 "\tfield:unsigned int %s;\toffset:16;\tsize:4;\tsigned:0;\n\n"
		 "print fmt: \"%%u\", REC->%s\n", name, id, field, field);
	if (tep_parse_event(tep, text, strlen(text), "net"))
		exit(2);
}

int main(int argc, char **argv)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep || tracefs_set_tracing_dir("."))
		return 2;
	tep_set_loglevel(TEP_LOG_NONE);
	add(tep, 1, "napi_gro_receive_entry", "truesize");
	add(tep, 2, "netif_receive_skb", "len");
	for (int i = 1; i + 1 < argc; i += 2) {
		char *why = NULL;
		struct tracefs_synth *made = tracefs_sql(tep, "made", argv[i + 1], &why);

		if (made)
			printf("%s: taken\n", argv[i]);
		else
			printf("%s: refused, reason: %s\n", argv[i], why ? why : "none");
	}
	return 0;
}
C
cc -w -o sql sql.c -Iusr/include/traceevent -Iusr/include/tracefs -L"$libs" -ltracefs -ltraceevent -Wl,-rpath,"$libs" || exit 2
from='from napi_gro_receive_entry as start JOIN netif_receive_skb as end ON start.skbaddr = end.skbaddr'
example='(start.truesize - end.len) as diff from napi_gro_receive_entry as start'
gzip -dc usr/share/man/man3/tracefs_sql.3.gz | tr -d '\\&' | grep -qF "$example" || { echo 'the page has the example no more' >&2; exit 1; }
./sql "the manual's example" "select start.truesize, end.len, (start.truesize - end.len) as diff $from" \
	'without the difference' "select start.truesize, end.len $from" \
	'end less start' "select start.truesize, end.len, (end.len - start.truesize) as diff $from" >seen
cat seen
sed -n '/^# Output seen/,/^#$/s/^#   //p' "$self" | cmp -s - seen || { echo 'it is no longer so' >&2; exit 1; }
