# What pairing costs: system calls of a recording, at most 120 ns each, which is two events.
# Of one dd on one CPU, whose records repeat.

reset_instance
echo 1 >"$dir/events/raw_syscalls/enable"
echo boot >"$dir/trace_clock"
echo 120000 >"$dir/buffer_size_kb"
echo 1 >"$dir/tracing_on"
taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=600000 2>/dev/null
echo 0 >"$dir/tracing_on"
"$TRACESH" -q -i "$instance" record "$work/paired" 2>/dev/null
pairs=$("$TRACESH" -q --tracefs "$work/paired" --json latency raw_syscalls:sys_enter raw_syscalls:sys_exit |
	sed -n 's/.*"pairs":\([0-9]*\).*/\1/p')

# best COMMAND..: ns a pair, the best of five: what else the machine does only adds to it
best()
{
	for round in 1 2 3 4 5; do
		ms=$(median "$("$measure" 1 "$@")")
		echo "$(per_event "$ms" "$pairs")"
	done | sort -n | head -n 1
}

before=$(stolen)
one=$(best "$TRACESH" -q --tracefs "$work/paired" latency raw_syscalls:sys_enter raw_syscalls:sys_exit)
by_id=$(best "$TRACESH" -q --tracefs "$work/paired" latency syscall)
by_comm=$(best "$TRACESH" -q --tracefs "$work/paired" latency syscall by comm --worst 10)
figure 'a pair of a system call of one dd, by its task' 120 "$one" ns
echo "	$by_id ns in rows by its number, $by_comm by comm with the ten longest ($pairs pairs)"
tell_stolen "$before"
reset_instance
