#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libtraceevent: a negative field is a large positive number as soon as the print format calculates with it.
#
# Versions: libtraceevent 1.7.1 (Debian 12's libtraceevent1 and libtraceevent-dev 1:1.7.1-1), amd64.
#
# An event's print format is C: the kernel compiles it, the library interprets it. The format file says which fields are
# signed, and the library keeps that (TEP_FIELD_IS_SIGNED).
#
# Expected: the library's text of a record is what C makes of the same expressions and values.
# Seen: a field is read as an unsigned number of its own size and becomes an unsigned long long. "REC->ret < 0" never holds,
# a short of -3 is 65533 under %d, a division is that of 4294967294. An int under %d alone looks right, as only its lower
# 32 bits are printed; so the fault hides until an event asks "ret < 0 ? .. : ..". No error is given.
# tep_get_field_val() gives the same large number: who calls it has to widen the sign with the field's size.
#
# Output seen:
#   C:       ret=-2 failed short=-3 half=-1 long=-2
#   library: ret=-2 worked short=65533 half=2147483647 long=4294967294
#   tep_get_field_val: 4294967294
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

cat >text.c <<'C'
#include <stdio.h>
#include <string.h>
#include <event-parse.h>
#include <trace-seq.h>

#define PRINT "ret=%d %s short=%d half=%d long=%ld"
#define ARGS REC->ret, REC->ret < 0 ? "failed" : "worked", REC->s, REC->ret / 2, (long)REC->ret
#define TEXT_OF(args) #args
#define TEXT(args) TEXT_OF((args))

static const char format[] = "name: demo\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:short s;\toffset:12;\tsize:2;\tsigned:1;\n\n"
	"print fmt: \"" PRINT "\", ";

int main(void)
{
	struct { unsigned short type; int pid, ret; short s; } record = { 7, 1, -2, -3 }, *REC = &record;
	struct tep_record rec = { .data = &record, .size = sizeof(record) };
	struct tep_handle *tep = tep_alloc();
	char all[1000], args[] = TEXT(ARGS);
	struct trace_seq s;
	unsigned long long value;

	args[strlen(args) - 1] = '\0'; /* without the brackets around them */
	snprintf(all, sizeof(all), "%s%s\n", format, args + 1);
	if (!tep || tep_parse_event(tep, all, strlen(all), "demo"))
		return 1;
	printf("C:       " PRINT "\n", ARGS);
	trace_seq_init(&s);
	tep_print_event(tep, &s, &rec, "%s", TEP_PRINT_INFO);
	printf("library: %.*s\n", (int)s.len, s.buffer);
	trace_seq_destroy(&s);
	if (tep_get_field_val(NULL, tep_find_event(tep, 7), "ret", &rec, &value, 0))
		return 1;
	printf("tep_get_field_val: %llu\n", value);
	tep_free(tep);
	return 0;
}
C
cc -w -I usr/include/traceevent text.c -o text -L "$libs" -ltraceevent || exit 2
LD_LIBRARY_PATH=$libs ./text | tee now

sed -n 's/^#   //p' "$self" >seen
diff seen now
