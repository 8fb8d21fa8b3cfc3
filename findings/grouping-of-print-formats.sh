#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libtraceevent: a print format that calculates is grouped otherwise than C does it: 20 - 4 + 3 is 13, brackets are lost.
#
# Versions: libtraceevent 1.7.1 (Debian 12's libtraceevent1 and libtraceevent-dev 1:1.7.1-1), amd64.
#
# An event's print format is C: the kernel compiles it, the library interprets it, for trace-cmd and KernelShark.
#
# Expected: the library's text of a record is what C makes of the same expression and values.
# Seen: operators of one rank are taken from the right, not from the left. Brackets behind an operator are lost where it binds
# more tightly than what is in them. Of nested ?: the inner one is a part of the wrong side. No error is given. An event with
# REC->flags & (A | B | C), as timer:timer_start has it, so shows B and C in each record, set or not. What an event's author
# can do: brackets on the left side, and around an inner ?:, are kept.
#
# Output seen, of a record with a = 8, b = 4:
#   REC->a & (1 | 2 | 4): C 0, library 6
#   REC->b * (REC->a + 1): C 36, library 33
#   20 - REC->b + 3: C 19, library 13
#   20 - REC->b - 3: C 13, library 19
#   24 / REC->a * 2: C 6, library 1
#   REC->a >> 1 << 1: C 8, library 2
#   REC->a > 5 ? 1 : REC->a > 1 ? 2 : 3: C 1, library 3
#   (20 - REC->b) + 3: C 19, library 19
#   REC->a > 5 ? 1 : (REC->a > 1 ? 2 : 3): C 1, library 1
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

cat >group.c <<'C'
#include <stdio.h>
#include <string.h>
#include <event-parse.h>
#include <trace-seq.h>

static struct record { unsigned short type; int pid, a, b; } record = { .pid = 1, .a = 8, .b = 4 }, *REC = &record;
static struct tep_handle *tep;

static void show(const char *expression, int value)
{
	struct tep_record rec = { .data = &record, .size = sizeof(record) };
	char text[600];
	struct trace_seq s;

	record.type++;
	snprintf(text, sizeof(text), "name: demo%d\nID: %d\nformat:\n"
		 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		 "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\tfield:int b;\toffset:12;\tsize:4;\tsigned:1;\n\n"
		 "print fmt: \"%%d\", %s\n", record.type, record.type, expression);
	if (tep_parse_event(tep, text, strlen(text), "demo"))
		return;
	trace_seq_init(&s);
	tep_print_event(tep, &s, &rec, "%s", TEP_PRINT_INFO);
	printf("%s: C %d, library %.*s\n", expression, value, (int)s.len, s.buffer);
	trace_seq_destroy(&s);
}
#define SHOW(expression) show(#expression, expression)

int main(void)
{
	tep = tep_alloc();
	if (!tep)
		return 1;
	SHOW(REC->a & (1 | 2 | 4));
	SHOW(REC->b * (REC->a + 1));
	SHOW(20 - REC->b + 3);
	SHOW(20 - REC->b - 3);
	SHOW(24 / REC->a * 2);
	SHOW(REC->a >> 1 << 1);
	SHOW(REC->a > 5 ? 1 : REC->a > 1 ? 2 : 3);
	SHOW((20 - REC->b) + 3);
	SHOW(REC->a > 5 ? 1 : (REC->a > 1 ? 2 : 3));
	tep_free(tep);
	return 0;
}
C
cc -w -I usr/include/traceevent group.c -o group -L "$libs" -ltraceevent || exit 2
LD_LIBRARY_PATH=$libs ./group | tee now

sed -n '/^# Output seen/,/^#$/s/^#   //p' "$self" >seen
diff seen now
