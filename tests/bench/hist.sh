# What counting costs: events of a recording by an integer key, at most 60 ns each; and what a pipe through awk takes.
# Of one dd on one CPU, whose records repeat.

reset_instance
echo 1 >"$dir/events/raw_syscalls/enable"
echo boot >"$dir/trace_clock"
echo 120000 >"$dir/buffer_size_kb"
echo 1 >"$dir/tracing_on"
taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=600000 2>/dev/null
echo 0 >"$dir/tracing_on"
events=$(sum_stats entries)
"$TRACESH" -q -i "$instance" record "$work/counted" 2>/dev/null

# best COMMAND..: ns an event, the best of five: what else the machine does only adds to it
best()
{
	for round in 1 2 3 4 5; do
		ms=$(median "$("$measure" 1 "$@")")
		echo "$(per_event "$ms" "$events")"
	done | sort -n | head -n 1
}

before=$(stolen)
one=$(best "$TRACESH" -q --tracefs "$work/counted" hist by id)
two=$(best "$TRACESH" -q --tracefs "$work/counted" hist by id,common_pid)
text=$(best "$TRACESH" -q --tracefs "$work/counted" hist by comm)
# shellcheck disable=SC2016 # awk's
piped=$(best sh -c '"$1" -q --tracefs "$2" drain | awk "{ n[\$6]++ } END { for (i in n) print i, n[i] }"' sh "$TRACESH" "$work/counted")
figure 'a count by an integer key, an event of one dd' 60 "$one" ns
echo "	$two ns by two, $text by comm; $piped where drain is piped through awk ($events events)"
tell_stolen "$before"
reset_instance
