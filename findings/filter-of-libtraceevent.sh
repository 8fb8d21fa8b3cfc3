#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libtraceevent: its filters look like C's and the kernel's conditions, but "a || b && c" and "a == -1" mean something else.
#
# Versions: libtraceevent 1.7.1 (Debian 12's libtraceevent1 and libtraceevent-dev 1:1.7.1-1), amd64.
#
# The same text can be given to the kernel (events/SYSTEM/EVENT/filter), and, for what has been recorded, to the library
# (tep_filter_add_filter_str()). trace-cmd has both: record -f, and report -F.
#
# Expected: both choose the same records, as C would: && binds more tightly than ||, and -1 is a number.
# Seen: && and || bind alike, from the left. "== -1" is taken, too, and becomes "minus 1": the filter then chooses what is
# not 1, so nearly all, also 0, which is not -1. No error is given.
#
# Output seen, with what was made of each filter, and what it says of four records a,b,c:
#   demo:a == 1 || b == 2 && c == 3: ((a == 1) || (b == 2)) && (c == 3)
#     1,0,0 no  1,0,3 yes  -1,0,0 no  0,0,0 no
#   demo:a == -1: a - 1
#     1,0,0 no  1,0,3 no  -1,0,0 yes  0,0,0 yes
# C says yes to the first and the second record of the first filter, and only to the third of the second.
#
# Needs apt-get, dpkg, cc. Runs without root, and without tracefs.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download libtraceevent1=1:1.7.1-1 libtraceevent-dev=1:1.7.1-1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done
libs=$(echo "$tmp"/usr/lib/*-linux-gnu)

cat >filter.c <<'C'
#include <stdio.h>
#include <string.h>
#include <event-parse.h>

static const char format[] = "name: demo\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int b;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:int c;\toffset:16;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->a\n";

struct record { unsigned short type; int pid, a, b, c; };
static void show(struct tep_event_filter *filter, const char *text)
{
	struct record records[] = { { 7, 1, 1, 0, 0 }, { 7, 1, 1, 0, 3 }, { 7, 1, -1, 0, 0 }, { 7, 1, 0, 0, 0 } };

	if (tep_filter_add_filter_str(filter, text))
		return;
	printf("%s: %s\n", text, tep_filter_make_string(filter, 7));
	for (int i = 0; i < 4; i++) {
		struct tep_record rec = { .data = &records[i], .size = sizeof(*records) };

		printf("  %d,%d,%d %s", records[i].a, records[i].b, records[i].c,
		       tep_filter_match(filter, &rec) == TEP_ERRNO__FILTER_MATCH ? "yes" : "no");
	}
	puts("");
	tep_filter_reset(filter);
}

int main(void)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event_filter *filter = tep_filter_alloc(tep);

	if (tep_parse_event(tep, format, strlen(format), "demo"))
		return 1;
	show(filter, "demo:a == 1 || b == 2 && c == 3");
	show(filter, "demo:a == -1");
	return 0;
}
C
cc -w -I usr/include/traceevent filter.c -o filter -L "$libs" -ltraceevent || exit 2
LD_LIBRARY_PATH=$libs ./filter | tee now

sed -n 's/^#   //p' "$self" >seen
diff seen now
