# What a command costs that does little.

r=$("$measure" 21 "$TRACESH" status)
figure "status, time" 10 "$(median "$r")" ms
# 3.9 MB without libtraceevent and libtracefs; the pages of both that the loader touches are 0.2 MB more
case $("$TRACESH" --version) in
*'no libtraceevent, no libtracefs'*) memory=4 ;;
*) memory=4.2 ;;
esac
figure "status, memory" $memory "$(rss_mb "$r")" MB
r=$("$measure" 21 "$TRACESH" events)
figure "events, time" 25 "$(median "$r")" ms

# The same writes plain and through tracesh: 20 times on and off, the start of the
# process taken off by a run that does nothing.
cycles=20
i=0
while [ $i -lt $cycles ]; do
	echo "enable 'sched:*'"
	echo "disable 'sched:*'"
	i=$((i + 1))
done >"$work/cycles.tsh"
echo "instance" >"$work/nothing.tsh"
plain=$(median "$("$measure" 9 "$measure" writes "$dir/events/sched" $cycles)")
nothing=$(median "$("$measure" 9 "$TRACESH" -q -i "$instance" "$work/nothing.tsh")")
ours=$(median "$("$measure" 9 "$TRACESH" -q -i "$instance" "$work/cycles.tsh")")
ratio=$(awk -v p="$plain" -v o="$ours" -v n="$nothing" 'BEGIN { printf "%.2f", (o - n) / p }')
echo "plain writes $plain ms, tracesh $ours ms, its start $nothing ms"
figure "enable/disable 'sched:*' against plain writes" 1.3 "$ratio" x

# A stream under load: its memory after one second and after five.
rss_of() { awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$1/status"; }
"$TRACESH" -q stream --for 6s raw_syscalls sched >"$work/stream.out" 2>&1 &
stream=$!
timeout 7 dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
load=$!
sleep 1
first=$(rss_of $stream)
sleep 4
last=$(rss_of $stream)
kill $load 2>/dev/null || :
wait $stream || :
wait $load 2>/dev/null || :
echo "stream under dd bs=1: RSS $first MB after 1 s, $last MB after 5 s, $(wc -l <"$work/stream.out") lines"
figure "stream, memory growth" 1.2 "$(awk -v a="$first" -v b="$last" 'BEGIN { printf "%.2f", b / a }')" x
