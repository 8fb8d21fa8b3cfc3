#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# babeltrace2: the number of events lost before the first packet of a CTF stream is not said; babeltrace 1 says it.
#
# Versions: babeltrace2 2.0.4 (Debian 12: babeltrace2 and libbabeltrace2-0 2.0.4-1+b6), and babeltrace 1.5.11 (babeltrace
# and libbabeltrace1 1.5.11-1+b2, with libpopt0 1.19+dfsg-1), amd64.
#
# In CTF 1.8 each packet can have events_discarded, a counter of the whole stream. Here two packets have 77 and 100.
#
# Expected: 77 events lost at the begin of the stream, and 23 between the packets, from both programs.
# Seen: both say 23. Of the first packet babeltrace 1 says 77; babeltrace2 says that events may have been lost, without a
# number: it does not take the counter to begin at 0, although 77 is there.
# A writer that puts an empty packet with the counter 0 before the others gets the number out of both.
#
# Output seen; "padded" has that empty packet:
#   babeltrace plain: Tracer discarded 77 events
#   babeltrace plain: Tracer discarded 23 events
#   babeltrace2 plain: Tracer may have discarded events
#   babeltrace2 plain: Tracer discarded 23 events
#   babeltrace padded: Tracer discarded 77 events
#   babeltrace padded: Tracer discarded 23 events
#   babeltrace2 padded: Tracer discarded 77 events
#   babeltrace2 padded: Tracer discarded 23 events
#
# Needs apt-get, dpkg, perl, libglib2.0-0, libdw1, libelf1, libuuid1. Runs without root.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download babeltrace2=2.0.4-1+b6 libbabeltrace2-0=2.0.4-1+b6 \
	babeltrace=1.5.11-1+b2 libbabeltrace1=1.5.11-1+b2 libpopt0=1.19+dfsg-1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done
libs=$(echo "$tmp"/usr/lib/*-linux-gnu)

mkdir plain padded
cat >plain/metadata <<'M'
/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
clock { name = ns; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.ns.value; } := stamp;
stream {
	id = 0;
	packet.context := struct {
		stamp timestamp_begin; stamp timestamp_end; uint64_t content_size; uint64_t packet_size;
		uint64_t events_discarded;
	};
	event.header := struct { uint32_t id; stamp timestamp; };
};
event { name = "demo"; id = 0; stream_id = 0; fields := struct { uint32_t n; }; };
M
cp plain/metadata padded
# packet BEGIN END DISCARDED EVENTS
packet()
{
	perl -e 'my ($begin, $end, $lost, $n) = @ARGV;
		my ($events, $bits) = (pack("VQ<V", 0, $begin, 5) x $n, 8 * (48 + 16 * $n));
		print pack("VVQ<5", 0xC1FC1FC1, 0, $begin, $end, $bits, $bits, $lost), $events' "$@"
}
{ packet 1000 2000 77 1; packet 3000 4000 100 1; } >plain/stream
{ packet 500 600 0 0; cat plain/stream; } >padded/stream

export LD_LIBRARY_PATH="$libs:$tmp/lib" BABELTRACE_PLUGIN_PATH="$libs/babeltrace2/plugins"
for trace in plain padded; do
	for program in babeltrace babeltrace2; do
		usr/bin/$program $trace 2>&1 | sed -n "s/.*\(Tracer .*discarded.* events\) between.*/$program $trace: \1/p"
	done
done | tee now

sed -n 's/^#   //p' "$self" >seen
diff seen now
