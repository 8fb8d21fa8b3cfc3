#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# trace-cmd split by time: a CPU that has no event in a piece loses its first event after it; no piece has that one.
#
# Versions: trace-cmd and libtracecmd 3.1.6 (Debian 12's 3.1.6-1), libtracefs 1.6.4 (1.6.4-1), libtraceevent 1.7.1 (1:1.7.1-1).
#
# "trace-cmd split -r -m 1" cuts a trace.dat into files of one millisecond each, so that somebody can look at a part of a long
# recording, or send it.
#
# Expected: each event of the input is in one of the pieces.
# Seen: all are, as long as each CPU has an event in each piece. Of a CPU that was idle meanwhile, which is usual, the next
# event is in none; nothing says so, and the status is 0. Of a recording of 1,239 events on two CPUs, cut into milliseconds,
# 41 were gone. A loss is not marked in the pieces either, as a buffer that was too small would be.
#
# Output seen:
#   input: 5.000100000 n=1, 5.000500000 n=2, 5.002500000 n=3, 5.002600000 n=4, 5.003700000 n=5, 5.003800000 n=6
#   1 ms, busy CPUs: 1 2 3 4 5 6 7 8 9 10 of 10
#   1 ms, each CPU idle in turn: 1 2 4 6 of 6
#   5 ms, the same: 1 2 3 4 5 6 of 6
#
# Needs apt-get, dpkg and perl.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download trace-cmd=3.1.6-1 libtracecmd1=3.1.6-1 libtracefs1=1.6.4-1 \
	libtraceevent1=1:1.7.1-1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done
LD_LIBRARY_PATH=$(echo "$tmp"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH

# Writes a trace.dat of version 6: a page for each CPU, these separated by "/"; each number is an event, so many microseconds
# after the one before on that CPU.
cat >write.pl <<'P'
my @cpus = map { [split ' '] } split m{/}, "@ARGV";
my ($n, @pages) = (0);
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
for my $deltas (@cpus) {
	my $data = join '', map { pack('VvCCVQ<', 4 | ($_ * 1000) << 5, 7, 0, 0, 42, ++$n) } @$deltas;
	push @pages, pack('Q<Q<', 5000000000, length $data) . $data . "\0" x (4080 - length $data);
}
my $head = "\x17\x08\x44tracing6\0\0\x08" . pack('V', 4096)
	. "header_page\0" . counted($page) . "header_event\0" . counted($entry)
	. pack('VV', 0, 1) . "demo\0" . pack('V', 1) . counted($format) . pack('VV', 0, 0)
	. counted("42 worker\n") . pack('V', scalar @cpus) . "options  \0" . pack('v', 0) . "flyrecord\0";
$head .= pack('Q<Q<', 4096 * ($_ + 1), 4096) for 0 .. $#cpus;
print $head, "\0" x (4096 - length $head), @pages;
P

# events FILE: its events, "5.000100000 n=1" each
events()
{
	usr/bin/trace-cmd report -N -t "$1" 2>/dev/null | sed -n 's/.*\] *\([0-9.]*\): demo: *\(n=[0-9]*\).*/\1 \2/p'
}

# split_it MS: the numbers of the events in all pieces
split_it()
{
	rm -f piece.*
	usr/bin/trace-cmd split -i trace.dat -r -o piece -m "$1" >/dev/null 2>&1 || echo "status $?"
	for piece in piece.*; do events "$piece"; done | sed 's/.*n=//' | sort -n | tr '\n' ' '
}

{
	perl write.pl 100 400 / 2500 100 / 3700 100 >trace.dat
	echo "input: $(events trace.dat | paste -sd, | sed 's/,/, /g')"
	perl write.pl 100 400 400 400 400 / 200 400 400 400 400 >trace.dat
	echo "1 ms, busy CPUs: $(split_it 1)of 10"
	perl write.pl 100 400 / 2500 100 / 3700 100 >trace.dat
	echo "1 ms, each CPU idle in turn: $(split_it 1)of 6"
	echo "5 ms, the same: $(split_it 5)of 6"
} >seen
cat seen
sed -n '/^# Output seen:$/,/^#$/s/^#   //p' "$self" | cmp - seen || { echo 'differs from what was seen'; exit 1; }
