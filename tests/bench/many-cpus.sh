# What a line costs when its events come from many CPUs: one recording, dealt out to 2, 8 and 64. It is
# of one dd, whose records repeat, and neighbours in time stay neighbours on a CPU, as on no real machine: see server.sh.

"${CC:-cc}" -O2 -o "$work/deal" "$SRC/tests/bench/deal.c"
reset_instance
# A clock that needs no calibration of each CPU: those that the events are dealt to have none.
echo boot >"$dir/trace_clock"
echo 40000 >"$dir/buffer_size_kb"
echo 1 >"$dir/events/raw_syscalls/enable"
echo 1 >"$dir/events/sched/enable"
echo 1 >"$dir/tracing_on"
taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count=150000 2>/dev/null
echo 0 >"$dir/tracing_on"
"$TRACESH" -q -i "$instance" record "$work/tree" 2>/dev/null
for cpus in 2 8 64; do
	cp -r "$work/tree" "$work/tree$cpus"
	rm -rf "$work/tree$cpus/per_cpu"
	n=$("$work/deal" "$cpus" "$work/tree/per_cpu/cpu1/trace_pipe_raw" "$work/tree$cpus/per_cpu")
	ms=$(median "$("$measure" 5 "$TRACESH" -q --tracefs "$work/tree$cpus" drain)")
	eval "cost$cpus=$(per_event "$ms" "$n")"
	eval "echo \"$cpus CPUs: \$cost$cpus ns an event ($n events of one dd, dealt out)\""
done
# shellcheck disable=SC2154 # by eval
figure '64 CPUs against 2, one dd dealt out' 1.5 "$(awk -v a="$cost2" -v b="$cost64" 'BEGIN { printf "%.2f", b / a }')" x
reset_instance
