#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 5400
# A second opinion on what is written: filters that libtracefs judges, and its histograms, synthetic events and probes beside ours.
# The kernel is the judge: it takes or refuses the filters, and what it reads back of both texts must mean the same.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
. "$SRC/tests/prove/lib-library.sh"
here_and_in_guests host 6.1 sid
need_tracefs
. "$SRC/tests/live/lib-live.sh"
ask="$helpers/library-ask"

# ---- filters ----

# EVENT;FILTER;why the library differs from the kernel, where it does
cat >"$TMP/filters" <<'FILTERS'
sched/sched_switch;prev_pid == 1;
sched/sched_switch;prev_pid != 0x1f;
sched/sched_switch;prev_pid == 017;
sched/sched_switch;prev_pid > 5 && next_pid < 100;
sched/sched_switch;prev_pid >= 1 || next_pid <= 2;
sched/sched_switch;!(prev_pid == 1);
sched/sched_switch;!prev_pid == 1;
sched/sched_switch;!!prev_pid == 1;
sched/sched_switch;(prev_pid == 1 || prev_pid == 2) && next_prio < 100;
sched/sched_switch;((prev_pid == 1));
sched/sched_switch;prev_pid & 4;
sched/sched_switch;prev_pid & 0;
sched/sched_switch;prev_pid == -1;it knows no sign
sched/sched_switch;prev_pid==1;
sched/sched_switch;prev_pid  ==  1;
sched/sched_switch;prev_pid == 1 && !(next_pid == 2 || next_pid == 3);
sched/sched_switch;prev_comm == "bash";
sched/sched_switch;prev_comm == 'bash';
sched/sched_switch;prev_comm != "a b";
sched/sched_switch;prev_comm ~ "b*";
sched/sched_switch;prev_comm ~ "*a?[b-c]";
sched/sched_switch;prev_comm == "";
sched/sched_switch;prev_comm == 5;it takes a number for a string
sched/sched_switch;prev_comm == bash;
sched/sched_switch;prev_comm > "a";
sched/sched_switch;prev_comm & "a";
sched/sched_switch;prev_comm =~ "a";
sched/sched_switch;prev_comm.ustring == "x";it knows no .ustring
sched/sched_switch;prev_pid == "5";it takes a string for a number
sched/sched_switch;prev_pid ~ "5";
sched/sched_switch;prev_pid == next_pid;
sched/sched_switch;prev_pid = 1;
sched/sched_switch;prev_pid === 1;
sched/sched_switch;prev_pid == 12x;
sched/sched_switch;prev_pid == 1.5;
sched/sched_switch;prev_pid == 99999999999999999999;it reads no number
sched/sched_switch;prev_pid ==;
sched/sched_switch;prev_pid;
sched/sched_switch;== 1;
sched/sched_switch;nosuch == 1;
sched/sched_switch;(prev_pid == 1;
sched/sched_switch;prev_pid == 1);
sched/sched_switch;prev_pid == 1 &&;the kernel looks no further
sched/sched_switch;&& prev_pid == 1;
sched/sched_switch;prev_pid == 1 next_pid == 2;
sched/sched_switch;prev_pid == 1 & next_pid == 2;
sched/sched_switch;prev_pid == 1 and next_pid == 2;
sched/sched_switch;not prev_pid == 1;
sched/sched_switch;common_pid == 1;
sched/sched_switch;common_type == 1 || common_flags & 1;
sched/sched_switch;CPU == 1;it does not know what all events have
sched/sched_switch;cpu == 1;it does not know what all events have
sched/sched_switch;comm == "bash";
sched/sched_switch;COMM ~ "b*";it does not know what all events have
sched/sched_switch;cpu & CPUS{0-1};it knows no lists of CPUs
sched/sched_switch;CPU & CPUS{0-1};it knows no lists of CPUs
sched/sched_switch;stacktrace == 1;it does not know what all events have
sched/sched_switch;prev_state == S;
sched/sched_process_exec;filename ~ "*/sh";
sched/sched_process_exec;filename == "/bin/sh" && pid > 1;
sched/sched_process_exec;filename == 1;it takes a number for a string
raw_syscalls/sys_exit;ret == -2;it knows no sign
raw_syscalls/sys_exit;ret < 0 && id == 0;
raw_syscalls/sys_enter;args == 1;the kernel compares an array with a number
syscalls/sys_enter_openat;filename.ustring ~ "/etc/*";it knows no .ustring
syscalls/sys_enter_openat;filename == 0x10;the kernel calls a char * a string
kmem/kmalloc;call_site.function == schedule;it knows no .function
kmem/kmalloc;bytes_req > 4096 && ptr != 0;
FILTERS

# verdicts EVENT FILTER: "KERNEL LIBRARY", each yes or no
verdicts()
{
	its=yes theirs=yes
	printf '%s\n' "$2" 2>/dev/null >"$D/events/$1/filter" || its=no
	"$ask" "$TRACING" verify "${1%/*}" "${1#*/}" "$2" >/dev/null || theirs=no
	echo "$its $theirs"
}

begin 'filters'
fresh
known=0 differing=''
while IFS=';' read -r event filter why; do
	echo "filter $(echo "$event" | tr / :) $filter" >>"$TMP/filters.tsh"
	verdict=$(verdicts "$event" "$filter" 2>/dev/null)
	echo "${verdict% *}" >>"$TMP/its"
	case $verdict in
	'yes yes' | 'no no') [ -z "$why" ] || diag "libtracefs judges as the kernel does: $filter" ;;
	*)
		[ -n "$why" ] || differing="$differing$filter: the kernel and the library: $verdict
"
		known=$((known + 1))
		diag "$filter: the kernel and the library: $verdict: $why"
		;;
	esac
done <"$TMP/filters"
same "$differing" '' "libtracefs' verdict is the kernel's, but for those that are known"
diag "libtracefs judges $known of $(wc -l <"$TMP/filters") filters unlike the kernel"
t -i "$I" -n --keep-going "$TMP/filters.tsh"
seq "$(wc -l <"$TMP/filters")" | while read -r number; do
	if grep -q "filters.tsh:$number:[0-9]*: error: the kernel refuses the filter" "$TMP/err"; then echo no; else echo yes; fi
done >"$TMP/ours"
same "$(diff "$TMP/its" "$TMP/ours")" '' "tracesh's is, of all"
remove_instance

# ---- histograms ----

# 7.2 reads common_cpu back with the name that was written behind it.
meaning() { sed -n 's/common_cpu\(common_\)\{0,1\}cpu/common_cpu/g; /^hist:/p' | awk -f "$SRC/tests/helpers/hist-meaning.awk"; }
# without_us: not tracesh itself, and those above it, which its filter leaves out
without_us()
{
	sed 's/filter ((prev_pid != 0 .* next_pid != [0-9]*));/filter ;/; s/ *&& common_pid != [0-9]*//g
		s/filter common_pid != [0-9]*;/filter ;/; s/filter (\(.*\));/filter \1;/'
}

# one_hist OURS LIBRARY [SUFFIX]: the arguments of hist --in-kernel, and of library-ask hist, separated by ;. SUFFIX is what our
# keys do not have: the kernel counts each number, and classes and names are made of the rows.
one_hist()
{
	event=$(echo "$2" | cut -d ';' -f 1,2 | tr ';' /)
	# shellcheck disable=SC2086 # words
	start "$TMP/hist" "$TRACESH" hist --in-kernel $1
	hist=$child
	await has_trigger "$hist" "$event"
	meaning <"$TMP/trigger" | without_us >"$TMP/ours"
	kill -INT "$hist"
	ended "$hist"
	(
		IFS=';'
		# shellcheck disable=SC2086 # words
		"$ask" "$TRACING" hist $2
	) >"$TMP/commands" || { fail "$1: the library: $(cat "$TMP/commands")"; return; }
	sed "s|$TRACING/events|$D/events|" "$TMP/commands" >"$TMP/in-instance"
	sh "$TMP/in-instance" || { fail "$1: the kernel refuses the library's text: $(cat "$TMP/commands")"; return; }
	meaning <"$D/events/$event/trigger" >"$TMP/theirs"
	sed "s/'hist:/'!hist:/" "$TMP/in-instance" >"$TMP/away"
	sh "$TMP/away"
	if [ -n "${3-}" ]; then
		same "$(cat "$TMP/ours")" "$(sed "s/$3;/;/" "$TMP/theirs")" "$1: but for $3"
	else
		same "$(cat "$TMP/ours")" "$(cat "$TMP/theirs")" "$1"
	fi
}
# has_trigger PID EVENT
has_trigger() { grep -hs '^hist' "$TRACING/instances/tracesh-$1-"*/events/"$2"/trigger >"$TMP/trigger"; }

begin 'histograms'
if [ -e "$TRACING/events/sched/sched_switch/hist" ]; then
	fresh
	one_hist 'sched_switch by next_comm' 'sched;sched_switch;next_comm'
	one_hist 'sched_switch by prev_pid,next_pid' 'sched;sched_switch;prev_pid,next_pid'
	one_hist 'sched_switch by cpu' 'sched;sched_switch;cpu'
	one_hist 'raw_syscalls:sys_exit by id sum ret' 'raw_syscalls;sys_exit;id;ret'
	one_hist 'raw_syscalls:sys_exit by comm' 'raw_syscalls;sys_exit;common_pid.execname'
	one_hist 'raw_syscalls:sys_exit by id if ret == 3' 'raw_syscalls;sys_exit;id;;ret;3'
	one_hist 'kmem:kmalloc by call_site sum bytes_req' 'kmem;kmalloc;call_site;bytes_req'
	one_hist 'kmem:kmalloc by stack' 'kmem;kmalloc;stacktrace'
	one_hist 'raw_syscalls:sys_exit by ret.log2' 'raw_syscalls;sys_exit;ret.log2' .log2
	one_hist 'raw_syscalls:sys_exit by ret.linear(1024)' 'raw_syscalls;sys_exit;ret.buckets=1024' .buckets=1024
	one_hist 'kmem:kmalloc by call_site.sym' 'kmem;kmalloc;call_site.sym' .sym
	one_hist 'raw_syscalls:sys_enter by id.syscall' 'raw_syscalls;sys_enter;id.syscall' .syscall
	remove_instance
else
	skip "$case_name" 'this kernel has no histograms'
fi

# ---- synthetic events ----

# made NAME INSTANCE EVENT EVENT: the definition, and what both triggers mean, without the name
made()
{
	{
		grep "^$1[[:space:]]" "$TRACING/synthetic_events"
		cat "$2/events/$3/trigger" "$2/events/$4/trigger" | meaning
	} | sed "s/$1/NAME/g; s/[[:space:]][[:space:]]*/ /g; s/ s32 / int /g"
}

# one_synth OURS LIBRARY [TYPE OURS]: the same of synth; both without the name. TYPE of the library is another of ours.
one_synth()
{
	both=$(echo "$2" | awk -F ';' '{ print $1 "/" $2, $3 "/" $4 }')
	# shellcheck disable=SC2086 # words
	t synth live_ours $1
	expect 0 "$1: ours is made"
	# shellcheck disable=SC2086 # words
	made live_ours "$TRACING/instances/synth-live_ours" $both >"$TMP/ours"
	t synth delete live_ours
	(
		IFS=';'
		# shellcheck disable=SC2086 # words
		"$ask" "$TRACING" synth live_theirs $2
	) >"$TMP/commands" || { fail "$1: the library: $(cat "$TMP/commands")"; return; }
	sed "s|$TRACING/events|$D/events|" "$TMP/commands" >"$TMP/in-instance"
	sh "$TMP/in-instance" || fail "$1: the kernel refuses the library's text: $(cat "$TMP/commands")"
	# shellcheck disable=SC2086 # words
	made live_theirs "$D" $both | sed "s/${3-$}/${4-}/" >"$TMP/theirs"
	# the last one first: it refers to the other
	{ sed -n "3s/'hist:/'!hist:/p" "$TMP/in-instance" && sed -n "2s/'hist:/'!hist:/p" "$TMP/in-instance"; } >"$TMP/away"
	sh "$TMP/away"
	echo '!live_theirs' >>"$TRACING/synthetic_events"
	same "$(cat "$TMP/ours")" "$(cat "$TMP/theirs")" "$1"
}

begin 'synthetic events'
if [ -e "$TRACING/synthetic_events" ]; then
	fresh
	one_synth 'sched_waking sched_switch on pid=next_pid' \
		'sched;sched_waking;sched;sched_switch;pid;next_pid;delta=lat;end:next_pid=next_pid'
	one_synth 'sched_waking sched_switch on pid=next_pid with next_comm,prio' \
		'sched;sched_waking;sched;sched_switch;pid;next_pid;delta=lat;end:next_pid=next_pid;end:next_comm=next_comm;start:prio=prio'
	one_synth 'sched_process_exec sched_process_exit on pid with filename,prio' \
		'sched;sched_process_exec;sched;sched_process_exit;pid;pid;delta=lat;end:pid=pid;start:filename=filename;end:prio=prio'
	one_synth 'sched_waking sched_switch on pid=next_pid if target_cpu == 0' \
		'sched;sched_waking;sched;sched_switch;pid;next_pid;delta=lat;end:next_pid=next_pid;start-if:target_cpu=0'
	one_synth 'irq_handler_entry irq_handler_exit on irq' \
		'irq;irq_handler_entry;irq;irq_handler_exit;irq;irq;delta=lat;end:irq=irq'
	one_synth 'syscall read with fd,count' \
		'syscalls;sys_enter_read;syscalls;sys_exit_read;common_pid;common_pid;delta=lat;end:common_pid=common_pid;start:fd=fd;start:count=count' 'u64 fd' 'unsigned int fd'
	remove_instance
else
	skip "$case_name" 'this kernel has no synthetic events'
fi

# ---- probes ----

# one_probe KIND OURS LIBRARY [REASON]: the target and arguments of probe, and of library-ask KIND behind the name, separated
# by ;. The library may fail, for the reason.
one_probe()
{
	kind=$1
	shift
	# shellcheck disable=SC2086 # words
	t -c "probe live_probe=$1" -c 'cat dynamic_events'
	expect 0 "$1: ours is made"
	grep '/live_probe ' "$TMP/out" | sed 's|:tracesh_[0-9]*/|:GROUP/|' >"$TMP/ours"
	(
		IFS=';'
		# shellcheck disable=SC2086 # words
		"$ask" "$TRACING" "$kind" live_group live_probe $2
	) >"$TMP/why" || {
		if [ -n "${3-}" ]; then diag "$1: the library cannot: $3"; else fail "$1: the library: $(cat "$TMP/why")"; fi
		return
	}
	grep ':live_group/' "$TRACING/dynamic_events" | sed 's|:live_group/|:GROUP/|' >"$TMP/theirs"
	echo '-:live_group/live_probe' >>"$TRACING/dynamic_events"
	same "$(cat "$TMP/ours")" "$(cat "$TMP/theirs")" "$1"
}

# shellcheck disable=SC2016 # the kernel's
begin 'probes'
if [ -e "$TRACING/kprobe_events" ]; then
	one_probe kprobe 'vfs_open p=$arg1' 'vfs_open;p=$arg1'
	one_probe kprobe 'vfs_open+0 a=%di:x64 b=+8(%si):u32' 'vfs_open+0;a=%di:x64 b=+8(%si):u32'
	one_probe kprobe 'do_sys_openat2 name=+0($arg2):ustring c=$comm' 'do_sys_openat2;name=+0($arg2):ustring c=$comm'
	one_probe kretprobe 'vfs_read%return ret=$retval:s64' 'vfs_read;ret=$retval:s64;0'
	one_probe kretprobe 'vfs_read%return:16 ret=$retval' 'vfs_read;ret=$retval;16' '1.6 makes none with a number of calls at once'
	one_probe uprobe '/bin/sh:0x8000 a=%di:x64' '/bin/sh;0x8000;a=%di:x64'
	one_probe uretprobe '/bin/sh:0x8000%return a=$retval:x64' '/bin/sh;0x8000;a=$retval:x64'
	one_probe eprobe 'sched:sched_process_exec file=+0($filename):string p=$pid:s32' 'sched;sched_process_exec;file=+0($filename):string p=$pid:s32'
else
	skip "$case_name" 'this kernel has no probes'
fi

finish
