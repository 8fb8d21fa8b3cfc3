#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libtraceevent: kbuffer_missed_events() says 0 where the page says 77, if a time stamp comes before the first event.
#
# Versions: libtraceevent 1.7.1 (Debian 12's libtraceevent1 and libtraceevent-dev 1:1.7.1-1), amd64.
#
# The kernel marks a page of its ring buffer when events were lost before it, and stores their number behind the data. The
# function's manual page says: -1 for an unknown number, 0 for none, otherwise the number. Before the first event of a page
# an entry with the absolute time can stand (type 31). With absolute times, see timestamp_mode, each event has one.
#
# Expected: the number does not depend on how the time of the first event is written down: 77, and 77.
# Seen: 77 without the entry, 0 with it. The function takes an event for the first one if it is at offset 0 of the data, and
# the entry has already moved it. A reader that counts losses so counts none in a buffer with absolute times.
#
# Output seen:
#   event at offset 0, time 1001: 77 lost before it
#   event at offset 8, time 1001: 0 lost before it
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

cat >page.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <kbuffer.h>

/* Shows the first event of a page before which 77 were lost. */
static int show(int stamped)
{
	uint64_t begin = 1000, commit, lost = 77;
	unsigned char page[4096] = { 0 };
	unsigned long long time;
	uint32_t data[8];
	size_t n = 0;

	if (stamped) {
		data[n++] = 31 | 1000 << 5; /* the absolute time, its low 27 bits */
		data[n++] = 0;
	}
	data[n++] = 2 | 1 << 5; /* an event of 8 bytes, 1 ns later */
	data[n++] = 7;
	data[n++] = 42;
	commit = n * 4 | 1ull << 31 | 1ull << 30; /* lost, and their number is behind the data */
	memcpy(page, &begin, 8);
	memcpy(page + 8, &commit, 8);
	memcpy(page + 16, data, n * 4);
	memcpy(page + 16 + n * 4, &lost, 8);

	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);

	if (!kbuf || kbuffer_load_subbuffer(kbuf, page) || !kbuffer_read_event(kbuf, &time))
		return 1;
	printf("event at offset %d, time %llu: %d lost before it\n", kbuffer_curr_index(kbuf), time,
	       kbuffer_missed_events(kbuf));
	kbuffer_free(kbuf);
	return 0;
}

int main(void)
{
	return show(0) || show(1);
}
C
cc -w -I usr/include/traceevent page.c -o page -L "$libs" -ltraceevent || exit 2
LD_LIBRARY_PATH=$libs ./page | tee now

sed -n 's/^#   //p' "$self" >seen
diff seen now
