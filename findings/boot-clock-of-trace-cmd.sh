#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# trace-cmd: a recording with the clock "boot" is shown in bare nanoseconds, with the other clocks of nanoseconds in seconds.
#
# Versions: trace-cmd 3.1.6 with libtracecmd 1.3.1, libtracefs 1.6.4, libtraceevent 1.7.1 (Debian 12: trace-cmd and
# libtracecmd1 3.1.6-1, libtracefs1 1.6.4-1, libtraceevent1 1:1.7.1-1), amd64.
#
# The kernel's clocks local, global, perf, mono, mono_raw, boot and tai count nanoseconds, and its own text shows seconds of
# them all. "trace-cmd record -C boot" writes the name of the clock into trace.dat, as for any other.
#
# Expected: the same time in the same columns, whichever of these clocks was set.
# Seen: the reader does not know that "boot" counts nanoseconds. It shows the bare number, as for the cycles of x86-tsc, and
# with no blank before it: "[000]1707688726423:". What looks for "SECONDS.MICROSECONDS:" in the text finds no event.
# A file that names no clock is shown in seconds.
#
# Output seen, of one event in a file for each clock, with blanks squeezed:
#   -: worker-42 [000] 1707.688726: demo: n=1
#   local: worker-42 [000] 1707.688726: demo: n=1
#   mono: worker-42 [000] 1707.688726: demo: n=1
#   mono_raw: worker-42 [000] 1707.688726: demo: n=1
#   tai: worker-42 [000] 1707.688726: demo: n=1
#   boot: worker-42 [000]1707688726423: demo: n=1
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

# Writes a trace.dat of version 6 with one event on one CPU: pieces in their fixed order, then a page of the ring buffer.
cat >write.pl <<'P'
my $clock = "[$ARGV[0]]";
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
my $known = $clock ne '[-]';
print my $head = "\x17\x08\x44tracing6\0\0\x08" . pack('V', 4096)
	. "header_page\0" . counted($page) . "header_event\0" . counted($entry)
	. pack('VV', 0, 1) . "demo\0" . pack('V', 1) . counted($format) . pack('VV', 0, 0)
	. counted("42 worker\n") . pack('V', 1)
	. "options  \0" . ($known ? pack('vV/a*', 4, "local global $clock\0") : '') . pack('v', 0)
	. "flyrecord\0" . pack('Q<Q<', 4096, 4096) . ($known ? counted($clock) : '');
print "\0" x (4096 - length $head), pack('Q<Q<', 1707688726423, length $event), $event, "\0" x (4080 - length $event);
P
for clock in - local mono mono_raw tai boot; do
	perl write.pl "$clock" >trace.dat
	LD_LIBRARY_PATH=$(echo "$tmp"/usr/lib/*-linux-gnu) usr/bin/trace-cmd report -N trace.dat |
		sed -n "/demo/ { s/[ \t][ \t]*/ /g; s/^/$clock:/p; }"
done | tee now

sed -n 's/^#   //p' "$self" >seen
diff seen now
