#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# trace-cmd: the size that a compressed trace.dat names for the pages of a CPU is 4 bytes less than they take.
#
# Versions: trace-cmd 3.1.6 with libtracecmd 1.3.1, libtracefs 1.6.4, libtraceevent 1.7.1 (Debian 12: trace-cmd and
# libtracecmd1 3.1.6-1, libtracefs1 1.6.4-1, libtraceevent1 1:1.7.1-1), amd64.
#
# In version 7 of trace.dat the option of a buffer has an offset and a size for each CPU. At the offset of compressed pages there
# are the number of chunks (4 bytes), and for each chunk its two sizes (8 bytes) and its bytes.
#
# Expected: the size is that of all of it, as it is of pages that are not compressed, so that a reader may take exactly that
# many bytes from the offset.
# Seen: the number of chunks is not counted. Whoever takes the size for the end of the pages finds the last chunk cut, and
# with one chunk finds nothing.
#
# Output seen, of a file with 1 page of CPU 0 and 1 of CPU 1, and one with 25 and 1:
#   1: CPU 0: 1 chunk, 4 bytes more than the size
#   1: CPU 1: 1 chunk, 4 bytes more than the size
#   25: CPU 0: 3 chunks, 4 bytes more than the size
#   25: CPU 1: 1 chunk, 4 bytes more than the size
#
# Needs apt-get, dpkg, perl, libzstd1. Runs without root, and without tracefs.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download trace-cmd=3.1.6-1 libtracecmd1=3.1.6-1 libtracefs1=1.6.4-1 \
	libtraceevent1=1:1.7.1-1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done

# Writes a trace.dat of version 6 with so many pages of CPU 0, and one of CPU 1, each with one event.
cat >write.pl <<'P'
sub counted { pack('Q<', length $_[0]) . $_[0] }
sub field { "\tfield:$_[0];\toffset:$_[1];\tsize:$_[2];\tsigned:$_[3];\n" }
my $page = field('u64 timestamp', 0, 8, 0) . field('local_t commit', 8, 8, 1) . field('int overwrite', 8, 1, 1)
	. field('char data', 16, 4080, 1);
my $entry = "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
	. "\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
	. "\tdata max type_len  == 28\n";
my $format = "name: demo\nID: 7\nformat:\n" . field('unsigned short common_type', 0, 2, 0)
	. field('unsigned char common_flags', 2, 1, 0) . field('unsigned char common_preempt_count', 3, 1, 0)
	. field('int common_pid', 4, 4, 1) . "\n" . field('u64 n', 8, 8, 0) . "\nprint fmt: \"n=%llu\", REC->n\n";
my $event = pack('VvCCVQ<', 4, 7, 0, 0, 42, 1);
print my $head = "\x17\x08\x44tracing6\0\0\x08" . pack('V', 4096)
	. "header_page\0" . counted($page) . "header_event\0" . counted($entry)
	. pack('VV', 0, 1) . "demo\0" . pack('V', 1) . counted($format) . pack('VV', 0, 0)
	. counted("42 worker\n") . pack('V', 2) . "options  \0" . pack('v', 0)
	. "flyrecord\0" . pack('Q<Q<', 4096, 4096 * $ARGV[0]) . pack('Q<Q<', 4096 + 4096 * $ARGV[0], 4096);
print "\0" x (4096 - length $head);
print pack('Q<Q<', 1000 + $_, length $event), $event, "\0" x (4080 - length $event) for 1 .. $ARGV[0] + 1;
P
# Reads the option of the buffer (3) of a version 7, and the chunks of each CPU.
cat >measure.pl <<'P'
local $/;
open my $file, '<:raw', $ARGV[0] or die;
my $all = <$file>;
my $version = 5 + index $all, "zstd\0";
my $at = unpack 'Q<', substr $all, $version + 1 + length(unpack 'Z*', substr $all, $version), 8;
while ($at) {
	my ($end, $next) = ($at + 16 + unpack('Q<', substr $all, $at + 8, 8), 0);
	for ($at += 16; $at < $end;) {
		my ($id, $size) = unpack 'vV', substr $all, $at, 6;
		my $data = substr $all, $at + 6, $size;
		$next = unpack 'Q<', $data if $id == 0;
		if ($id == 3) {
			my (undef, $name, $clock) = unpack 'Q<Z*Z*', $data;
			my @cpus = unpack '(VQ<Q<)*', substr $data, 8 + length($name) + 1 + length($clock) + 1 + 8;
			while (my ($cpu, $where, $bytes) = splice @cpus, 0, 3) {
				my ($chunks, $end) = (unpack('V', substr $all, $where, 4), $where + 4);
				$end += 8 + unpack 'V', substr $all, $end, 4 for 1 .. $chunks;
				printf "%s: CPU %d: %d chunk%s, %d bytes more than the size\n", $ARGV[1], $cpu, $chunks,
					$chunks == 1 ? '' : 's', $end - $where - $bytes;
			}
		}
		$at += 6 + $size;
	}
	$at = $next;
}
P
for pages in 1 25; do
	perl write.pl $pages >plain.dat
	LD_LIBRARY_PATH=$(echo "$tmp"/usr/lib/*-linux-gnu) usr/bin/trace-cmd convert --file-version 7 --compression zstd \
		-i plain.dat -o packed.dat >log 2>&1 || { cat log; exit 2; }
	perl measure.pl packed.dat $pages
done | tee now

sed -n 's/^#   //p' "$self" >seen
diff seen now
