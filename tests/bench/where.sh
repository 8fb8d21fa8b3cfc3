# What a question costs: events of a recording of which none matches, with two comparisons and with none, asked 20 ns.
# Of one dd on one CPU, whose records repeat.

reset_instance
echo 1 >"$dir/events/raw_syscalls/enable"
echo boot >"$dir/trace_clock"
echo 120000 >"$dir/buffer_size_kb"
echo 1 >"$dir/tracing_on"
taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=600000 2>/dev/null
echo 0 >"$dir/tracing_on"
events=$(sum_stats entries)
"$TRACESH" -q -i "$instance" record "$work/asked" 2>/dev/null

# asked EXPRESSION..: ns an event, the best of five: what else the machine does only adds to it
asked()
{
	for round in 1 2 3 4 5; do
		ms=$(median "$("$measure" 1 "$TRACESH" -q --tracefs "$work/asked" drain "$@")")
		echo "$(per_event "$ms" "$events")"
	done | sort -n | head -n 1
}

before=$(stolen)
none=$(asked where '1 == 2')
two=$(asked where 'id >= 0 && id > 100000')
all=$(asked)
figure 'two comparisons, an event of one dd' 20 "$(awk -v a="$none" -v b="$two" 'BEGIN { printf "%.1f", b - a }')" ns
echo "	$two ns an event where two are asked, $none where nothing is, $all where all are printed ($events events)"
tell_stolen "$before"
reset_instance
