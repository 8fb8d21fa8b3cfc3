# What an event costs that is read, decoded and printed, against the kernel's own text. Records of one dd on one CPU
# repeat, and a repeated one is printed from memory: server.sh has the figures of records that do not.

# Fills two thirds of the larger buffer, or as much as can be had in 15 s.
find_often()
{
	begin=$(date +%s)
	while [ $(($(date +%s) - begin)) -lt 15 ] && [ "$(awk '/^bytes:/ { print $2 }' "$dir/per_cpu/cpu1/stats")" -lt $((kb * 680)) ]; do
		taskset -c 1 find /usr/include /usr/share/doc -xdev -type f -newer /etc/hostname
	done
}

# fill KIND: events of a kind into the instance's buffer, which they do not overrun; their number in $events
fill()
{
	reset_instance
	case $1 in
	syscalls)
		echo 1 >"$dir/events/raw_syscalls/enable"
		echo 1 >"$dir/events/sched/enable"
		load='taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=1000000'
		;;
	mixed)
		for system in "$dir"/events/*/; do
			case $system in
			*/ftrace/ | */initcall/ | */bpf_test_run/) ;;
			*) echo 1 >"$system/enable" 2>/dev/null || : ;;
			esac
		done
		load='find_often'
		;;
	esac
	echo 1 >"$dir/tracing_on"
	# shellcheck disable=SC2086 # words
	$load >/dev/null 2>&1 || :
	echo 0 >"$dir/tracing_on"
	echo 0 >"$dir/events/enable"
	events=$(sum_stats entries)
	[ "$(sum_stats overrun)" = 0 ] || echo "(the buffer overran: $(sum_stats overrun) events)"
}

# fresh_file FILE: nothing is there, and the memory that it will get has been touched: the first touch of a virtual
# machine's page is the host's work, many times that of either reader
fresh_file()
{
	[ "$1" != /dev/null ] || return 0
	head -c $((events * 120)) /dev/zero >"$1"
	rm -f "$1"
}

# against_pipe NAME LIMIT KIND OUTPUT
against_pipe()
{
	: >"$work/theirs"
	: >"$work/ours"
	before=$(stolen)
	for round in 1 2 3 4 5; do
		fill "$3"
		fresh_file "$4"
		per_event "$("$measure" empty "$dir/trace_pipe" "$4")" "$events" >>"$work/theirs"
		echo >>"$work/theirs"
		fill "$3"
		fresh_file "$4"
		ms=$("$measure" once "$4" "$TRACESH" -q -i "$instance" drain)
		per_event "${ms% *}" "$events" >>"$work/ours"
		echo >>"$work/ours"
	done
	ratio "$1" "$2" "$(middle <"$work/theirs")" "$(middle <"$work/ours")" 'ns an event'
	tell_stolen "$before"
	[ "$4" = /dev/null ] || rm -f "$4"
}

# Millions of events, where there is the memory, so that starting the program and reading the kernel's symbols is a
# small part of the figure.
kb=$(awk '/^MemAvailable/ { kb = int($2 / 20); print (kb > 400000 ? 400000 : kb) }' /proc/meminfo)
echo "$kb" >"$dir/buffer_size_kb"
echo 0 >"$dir/options/hash-ptr" 2>/dev/null || :
against_pipe 'drain against trace_pipe, one dd repeating' 15 syscalls /dev/null
against_pipe 'the same into a file in memory' 10 syscalls /dev/shm/tracesh-bench-$$
against_pipe 'every event enabled' 8 mixed /dev/null
reset_instance
