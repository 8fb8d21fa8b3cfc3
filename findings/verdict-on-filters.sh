#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libtracefs: tracefs_filter_string_verify() refuses filters that the kernel takes, and takes some that it refuses.
#
# Versions: libtracefs 1.6.4 (Debian 12's libtracefs1 and libtracefs-dev 1.6.4-1), libtraceevent 1.7.1, amd64.
#
# The function says whether a text is a filter of an event, and where it is wrong, without the kernel.
#
# Expected: the verdict of the kernel, whose file events/SYSTEM/EVENT/filter the text is for.
# Seen: no negative number is a value to it, so "ret == -2", which is how one asks for ENOENT, is an "Invalid value"; CPU,
# the field that every event has, is none. A number against a string field passes, as does a string against a number, and a
# number of 67 bits. Of these twelve the two agree on four.
#
# Output seen (the second word is what Linux 6.18 says of fields of the same types in sched_switch, by hand):
#   taken   taken   ret == 2
#   refused taken   ret == -2
#   refused taken   ret < -1
#   refused taken   ret & -2
#   refused taken   CPU == 1
#   refused taken   common_cpu == 1
#   taken   taken   COMM == "cat"
#   taken   refused comm == 5
#   taken   refused prio == "5"
#   taken   refused prio == 99999999999999999999
#   refused refused prio == ret
#   refused refused comm == cat
#
# Needs apt-get, dpkg, cc. Runs without root, and without tracefs.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download libtraceevent1=1:1.7.1-1 libtraceevent-dev=1:1.7.1-1 \
	libtracefs1=1.6.4-1 libtracefs-dev=1.6.4-1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done
libs=$(echo "$tmp"/usr/lib/*-linux-gnu)

cat >verify.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

static const char format[] = "name: demo\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:long ret;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:16;\tsize:16;\tsigned:0;\n"
	"\tfield:int prio;\toffset:32;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%ld\", REC->ret\n";

int main(void)
{
	struct tep_handle *tep = tep_alloc();
	char line[200], *error;
	int r;

	if (!tep || tep_parse_event(tep, format, strlen(format), "demo"))
		return 1;
	/* what the kernel says, a blank, the filter */
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		error = NULL;
		r = tracefs_filter_string_verify(tep_find_event(tep, 7), line + 8, &error);
		printf("%-8s%s\n", r ? "refused" : "taken", line);
		free(error);
	}
	tep_free(tep);
	return 0;
}
C
cc -w -I usr/include/traceevent -I usr/include/tracefs verify.c -o verify -L "$libs" -ltracefs -ltraceevent || exit 2
sed -n 's/^#   //p' "$self" >seen
cut -c 9- seen | LD_LIBRARY_PATH=$libs ./verify | tee now
diff seen now
