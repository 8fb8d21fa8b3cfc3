# Streams while events come: nothing lost, little memory, and soon.

million_reads() { timeout 60 taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 count="$1" 2>/dev/null; }

# The peer: cat trace_pipe, with buffers of the same size.
reset_instance
echo 1408 >"$dir/buffer_size_kb"
echo 1 >"$dir/events/raw_syscalls/enable"
cat "$dir/trace_pipe" >/dev/null &
peer=$!
echo 1 >"$dir/tracing_on"
million_reads 1000000
echo 0 >"$dir/tracing_on"
lost=$(sum_stats overrun)
sleep 1
kill $peer 2>/dev/null || :
wait $peer 2>/dev/null || :
peer_percent=$(awk -v l="$lost" 'BEGIN { printf "%.2f", l / 4e4 }')
reset_instance

# stream_loss NAME LIMIT_PERCENT OUTPUT
stream_loss()
{
	before=$(stolen)
	"$TRACESH" stream --for 8s raw_syscalls >"$3" 2>"$work/note" &
	stream=$!
	sleep 0.5
	million_reads 1000000
	wait $stream || :
	summary=$(grep -o '[0-9][0-9,]* events\{0,1\}, .* lost' "$work/note" | tail -n 1)
	figure "$1" "$2" "$(echo "$summary" | tr -d , |
		awk '{ printf "%.3f", $1 ? 100 * $(NF - 1) / ($1 + $(NF - 1)) : 100 }')" '%'
	echo "	$summary (cat trace_pipe lost $peer_percent % of the same)"
	tell_stolen "$before"
}
stream_loss 'lost by stream to /dev/null, 4 M events' 0 /dev/null
mkfifo "$work/fifo"
wc -l <"$work/fifo" >"$work/lines" &
stream_loss 'lost by stream through a pipe to wc -l' 1 "$work/fifo"
wait

minute=${TRACESH_BENCH_MINUTE:-60}
# What a minute of load does to the memory.
rss_of() { awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$1/status"; }
"$TRACESH" -q stream --for "${minute}s" raw_syscalls sched >/dev/null 2>&1 &
stream=$!
timeout $((minute + 2)) taskset -c 1 dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
load=$!
sleep 5
first=$(rss_of $stream)
sleep $((minute - 8))
last=$(rss_of $stream)
kill $load 2>/dev/null || :
wait $stream $load 2>/dev/null || :
figure 'stream, memory after a minute' 16 "$last" MB
figure 'its growth since the fifth second' 1.05 "$(awk -v a="$first" -v b="$last" 'BEGIN { printf "%.2f", b / a }')" x

# From the command line to the first event, 300 of them enabled: those that fire soonest are among them.
some=$(awk -F: '$1 != "ftrace" && $1 != "syscalls"' /sys/kernel/tracing/available_events | head -n 297)
for round in 1 2 3 4 5; do
	# shellcheck disable=SC2086 # words
	"$measure" first "$TRACESH" -q stream --for 5s $some sched_switch sched_wakeup sys_enter 2>/dev/null
done >"$work/first"
figure 'first line, and 300 events to enable' 100 "$(middle <"$work/first")" ms
# The same in an instance where they are enabled.
reset_instance
for event in $some sched:sched_switch sched:sched_wakeup raw_syscalls:sys_enter; do
	echo "$event" >>"$dir/set_event"
done
for round in 1 2 3 4 5; do
	echo >"$dir/trace"
	echo 1 >"$dir/tracing_on"
	"$measure" first "$TRACESH" -q -i "${dir##*/}" stream --for 5s 2>/dev/null
	echo 0 >"$dir/tracing_on"
done >"$work/first"
figure 'first line, and 300 events are enabled' 100 "$(middle <"$work/first")" ms
reset_instance
