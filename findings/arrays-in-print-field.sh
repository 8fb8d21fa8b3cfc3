#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libtraceevent: tep_print_field() prints an address of bytes as text, up to its first zero, and an array of u16 byte by byte.
#
# Versions: libtraceevent 1.7.1 (Debian 12's libtraceevent1 and libtraceevent-dev 1:1.7.1-1), amd64.
#
# trace-cmd report prints events by their fields with -R, and where their print format could not be parsed. The format file
# says of each array how large an element is, and whether it has a sign.
#
# Expected: three numbers for "s8 lux[3]", two for "u16 ports[2]", six for "u8 mac[6]".
# Seen: every array of u8, s8 or unsigned char has the flag of a string (TEP_FIELD_IS_STRING), so the text ends at a zero
# byte: of the address 52:54:00:12:34:56 there is left "RT", as of 52:54:00:99:99:99. Of numbers of two and more bytes
# each byte is an element of its own. A single u8 is a number.
#
# Output seen:
#   u8[6] mac: string: RT
#   s8[3] lux: string: Hi
#   u16[2] ports: array: ARRAY[50, 00, bb, 01]
#   u8 ttl: number: 64
#
# Needs apt-get, dpkg, cc; a machine whose numbers begin with their lowest byte. Runs without root, and without tracefs.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download libtraceevent1=1:1.7.1-1 libtraceevent-dev=1:1.7.1-1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done
libs=$(echo "$tmp"/usr/lib/*-linux-gnu)

cat >fields.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <event-parse.h>
#include <trace-seq.h>

static const char format[] = "name: demo\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u8 mac[6];\toffset:8;\tsize:6;\tsigned:0;\n"
	"\tfield:s8 lux[3];\toffset:14;\tsize:3;\tsigned:1;\n"
	"\tfield:u16 ports[2];\toffset:18;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 ttl;\toffset:22;\tsize:1;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->ttl\n";

int main(void)
{
	struct { uint16_t type; int pid; uint8_t mac[6]; int8_t lux[3]; uint16_t ports[2]; uint8_t ttl; } record = {
		7, 1, { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 }, { 72, 105, 0 }, { 80, 443 }, 64
	};
	struct tep_handle *tep = tep_alloc();
	struct tep_format_field *field;
	struct trace_seq s;

	if (!tep || tep_parse_event(tep, format, strlen(format), "demo"))
		return 1;
	for (field = tep_find_event(tep, 7)->format.fields; field; field = field->next) {
		trace_seq_init(&s);
		tep_print_field(&s, &record, field);
		printf("%s %s: %s: %.*s\n", field->type, field->name,
		       field->flags & TEP_FIELD_IS_STRING ? "string" : field->flags & TEP_FIELD_IS_ARRAY ? "array" : "number",
		       (int)s.len, s.buffer);
		trace_seq_destroy(&s);
	}
	tep_free(tep);
	return 0;
}
C
cc -w -I usr/include/traceevent fields.c -o fields -L "$libs" -ltraceevent || exit 2
LD_LIBRARY_PATH=$libs ./fields | tee now

sed -n 's/^#   //p' "$self" >seen
diff seen now
