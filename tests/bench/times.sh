# What a wall-clock time costs: a calibration when a command starts, and each event's conversion and text.

for clock in boot local; do
	reset_instance
	echo "$clock" >"$dir/trace_clock"
	ms=$(median "$("$measure" 21 "$TRACESH" -q -i "$instance" show)")
	echo counter >"$dir/trace_clock"
	without=$(median "$("$measure" 21 "$TRACESH" -q -i "$instance" show)")
	figure "calibration at start, clock $clock" 15 \
		"$(awk -v a="$ms" -v b="$without" 'BEGIN { printf "%.1f", (a > b ? a - b : 0) }')" ms
done

# The same recording (of one dd, whose records repeat) with times and without them; the runs alternate, since the machine's speed does not stay the same.
for clock in boot mono_raw local; do
	reset_instance
	echo "$clock" >"$dir/trace_clock"
	echo 40000 >"$dir/buffer_size_kb"
	echo 1 >"$dir/events/raw_syscalls/enable"
	rm -rf "$work/times"
	echo 1 >"$dir/tracing_on"
	# While events come, so that there are many looks at the clock to search.
	"$TRACESH" -q -i "$instance" record "$work/times" --for 3s 2>/dev/null &
	timeout 3 taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null || :
	wait $! || :
	echo 0 >"$dir/tracing_on"
	n=$("$TRACESH" -q --tracefs "$work/times" --time none drain | grep -c '^[^#]')
	: >"$work/with"
	: >"$work/without"
	for round in 1 2 3 4 5 6 7; do
		per_event "$(median "$("$measure" 3 "$TRACESH" -q --tracefs "$work/times" drain)")" "$n" >>"$work/with"
		per_event "$(median "$("$measure" 3 "$TRACESH" -q --tracefs "$work/times" --time none drain)")" "$n" >>"$work/without"
		echo >>"$work/with"
		echo >>"$work/without"
	done
	figure "a time of clock $clock, $n events of one dd" 10 \
		"$(awk -v a="$(middle <"$work/with")" -v b="$(middle <"$work/without")" 'BEGIN { printf "%.1f", a - b }')" ns
done
echo boot >"$dir/trace_clock"
reset_instance
