#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Collects what is in the trace buffer of a machine without tracesh, with busybox alone, as a tree that
# `tracesh --tracefs DIR drain` prints elsewhere. Tracing is off meanwhile, then as before.
usage='usage: collect.sh [-i INSTANCE] [-a] [-k] [DIR]   without DIR a tar comes out: ssh BOARD sh -s <collect.sh >tree.tar
It empties (consumes) the buffer: afterwards the events are in the tree alone.
-a: the formats of all events (slow); without it of those that are enabled, or whose names are in the text of the buffer
-k: kallsyms, too: names for addresses'
# If the board's clock is not set: at home, while the board is still up, for times by the clock at home,
#   (date +%s.%N; ssh BOARD cat /proc/timer_list; date +%s.%N) >DIR/tracesh/home
instance='' all='' symbols='' scratch='' was='' order=little tl=/proc/timer_list made='' k=0
say() { { printf 'collect.sh: %s' "$*" | tr -c ' -~' '?'; echo; } >&2; } # a name may have any byte
die() { say "$@"; exit 1; }
copy() { for f; do [ ! -r "$f" ] || cp "$f" "$to/$f"; done 2>/dev/null; } # no -R: their inodes have one number
ours() { case $(ls -ld "$1/.") in d????-??-*) [ -O "$1/." ] ;; *) false ;; esac; } # and nobody else writes to it
safe() { ls -ldn "$1/." | { read -r mode _ uid _; case $mode in d????-??-* | d????????[tT]*) [ "$uid" = 0 ] || [ -O "$1/." ] ;; *) false ;; esac; }; } # the owner of a sticky one renames what is in it
left() { case $scratch:$made in :empty) rm -rf "$to"/* ;; :part) say "$name is not whole" ;; :*) ;; *:part | *:whole) say "what was read is kept in $scratch" ;; *) rm -rf "$scratch" ;; esac; }
while getopts :i:akh o; do case $o in i) instance=$OPTARG ;; a) all=1 ;; k) symbols=1 ;; h) echo "$usage"; exit ;; *) echo "$usage" >&2; exit 2 ;; esac; done; shift $((OPTIND - 1))
while read -r _ top type _; do # tracefs, or a folder of debugfs on kernels before 4.1
	case $type in debugfs) top=$top/tracing ;; tracefs) ;; *) top='' ;; esac
	[ ! -r "$top/current_tracer" ] || break
done </proc/mounts
[ "$top" ] || die 'no tracefs to be read: as root, mount -t tracefs nodev /sys/kernel/tracing (before 4.1 debugfs)'
case ${1--} in -) to=${TMPDIR:-/tmp}/collect.$$ ;; /*) to=${1%/} ;; *) to=$PWD/${1%/} ;; esac
[ "${1--}" != - ] || [ ! -t 1 ] || die 'give a folder, or let stdout be a file'
in=$top${instance:+/instances/$instance}
why=$(cd "$in" 2>&1) || die "$why"
cd "$in" || exit
umask 077
p=$(cd -P "${to%/*}/" 2>&1 && pwd -P) || die "$p"; to=$p/${to##*/}
while safe "$p" || die "others may write to $p: give a folder elsewhere"; [ "$p" ]; do p=${p%/*}; done
if [ "${1--}" = - ] || { [ ! -d "$to" ] && [ ! -L "$to" ]; }; then why=$(mkdir "$to" 2>&1) || die "$why" # one that is there may be anybody's
else { [ ! -L "$to" ] && ours "$to"; } || die "$to is there already, and not yours alone"; fi
[ "${1--}" != - ] || scratch=$to
exec 9<"$to/." && name=$to to=/proc/self/fd/9 || exit # whatever has that name later
ours "$to" || die "$name is not yours alone"
[ -z "$(ls -A "$to/")" ] || die "$name is there already, and not empty"
trap 'r=$?; [ "$was" != 1 ] || echo 1 >"$in/tracing_on"; left; exit $r' EXIT; trap 'exit 1' HUP INT TERM
made=empty && mkdir "$to/tracesh" "$to/events" "$to/options" && was=$(cat tracing_on) && echo 0 >tracing_on || exit
looks() { # at the trace clock between looks at MONOTONIC, of which timer_list says how far it is from REALTIME
	for cpu in per_cpu/cpu*; do
		pin="taskset $(printf %x $((1 << ${cpu##*cpu})))"
		if $pin true; then echo "@${cpu##*cpu}"; else pin='' && echo @any; fi # their clocks may differ
		$pin cat $tl "$cpu/stats" $tl "$cpu/stats" $tl
	done
	echo @any && adjtimex
	s=$(date +%s.%N) t=$s && echo "$s" # where there is none of that: from one second to the next
	while [ "${s%.*}" = "${t%.*}" ]; do cat per_cpu/cpu0/stats && t=$(date +%s.%N) && echo "$t"; done
	cat per_cpu/cpu0/stats && date +%s.%N
}
samples() { looks 2>/dev/null | grep -E '^(@|now| clock [0-3]|[0-9]+\.)|\.offset|freq|status|time.tv_'; }
samples >"$to/tracesh/samples"
copy trace_clock current_tracer buffer_size_kb buffer_subbuf_size_kb set_event set_event_pid set_event_notrace_pid tracing_cpumask events/header_page options/*
there() { # those that are no longer enabled, each once
	sed -n 's/^.*\[[0-9]\{3,\}\] *[^ ]* *[0-9.]*: \([A-Za-z0-9_]\{1,\}\):.*/\1/p' trace | { seen=' '; while read -r e; do
		case $seen in *" $e "*) ;; *) seen="$seen$e "; grep ":$e\$" "$top/available_events" ;; esac
	done; } | while read -r e; do grep -qx "$e" set_event || echo "$e"; done
}
{ if [ "$all" ]; then cat "$top/available_events"; else cat set_event && there; fi; } >"$to/available_events"
{ cat "$to/available_events" && cd "$top/events/ftrace" && printf 'ftrace:%s\n' *; } | while IFS=: read -r s e; do
	[ ! -r "$top/events/$s/$e/format" ] || mkdir -p "$to/events/$s/$e"
	cp "$top/events/$s/$e/format" "$top/events/$s/$e/id" "events/$s/$e/filter" "$to/events/$s/$e" 2>/dev/null
done
page=$(($(sed -n 's/.* data;.*offset:\([0-9]*\);.*size:\([0-9]*\);.*/\1 + \2/p' events/header_page)))
[ "$(dd if=/proc/self/exe bs=1 skip=5 count=1 2>/dev/null)" != "$(printf '\2')" ] || order=big # of an ELF program
case $(head -n 12 trace) in *migrate-disable*) depth=yes ;; *preempt-depth*) depth=no ;; *) depth= ;; esac
printf '%s\n' 'format 1' "host $(uname -n)" "kernel $(uname -r)" "version $(uname -v)" "machine $(uname -m)" \
	"byte_order $order" "boot_id $(cat /proc/sys/kernel/random/boot_id)" "instance ${instance:-top}" \
	'pages in order' ${depth:+"migrate_depth $depth"} >"$to/tracesh/info" && echo "$was" >"$to/tracing_on"
(cd "$top" && copy saved_cmdlines saved_tgids printk_formats events/header_event available_tracers dynamic_events kprobe_events uprobe_events synthetic_events); [ -z "$symbols" ] || cp /proc/kallsyms "$to"
for n in $(sed -n 's/^bytes: //p' per_cpu/cpu*/stats); do k=$((k + n / 1000 + 64)); done # with the heads of pages
df -Pk "$to" 2>/dev/null | while read -r _ _ _ free _; do case $free in *[!0-9]* | '') ;; *) [ "$free" -gt "$k" ] || die "no room: $name has $free KB, $k are needed" ;; esac; done || exit
for cpu in per_cpu/cpu*; do # an event takes 12 bytes: so many pages are there for sure, and no read has to wait
	mkdir -p "$to/$cpu" && sed 's/^read events: .*/read events: 0/' "$cpu/stats" >"$to/$cpu/stats" && last='' made=part || exit
	while n=$(sed -n 's/^entries: //p' "$cpu/stats") && [ "${n:-0}" -gt 0 ] && [ "$n" != "$last" ]; do
		last=$n; dd if="$cpu/trace_pipe_raw" bs=$page count=$(((n * 12 - 1) / page + 1)) 2>/dev/null || break
	done >"$to/$cpu/trace_pipe_raw"
	[ "${n:-0}" = 0 ] || die "$cpu: not all of it could be read, or written"
done
samples >>"$to/tracesh/samples" && made=whole && { [ -z "$scratch" ] || { tar -C "$to" -cf - . && made=out; }; }
