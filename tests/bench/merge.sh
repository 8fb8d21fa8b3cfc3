# What a line costs that is merged: four hosts' streams of 250,000 events each, on one CPU; and the memory.

for host in 1 2 3 4; do
	awk -v host="$host" 'BEGIN {
		printf "{\"type\":\"start\",\"format\":1,\"host\":\"board%d\",\"boot_id\":\"%d\",\"kernel\":\"6.1\",\"instance\":\"own\",\"clock\":\"boot\",\"error_ns\":180}\n", host, host
		for (i = 0; i < 250000; i++) {
			ns = i * 8000 + host * 2003
			printf "{\"type\":\"event\",\"time\":\"2026-11-24T20:00:%02d.%09d+00:00\",\"ts\":\"%d\",\"error_ns\":180,\"cpu\":%d,\"pid\":%d,\"tgid\":null,\"comm\":\"task-%d\",\"flags\":\"d..2.\",\"event\":\"sched:sched_switch\",\"fields\":{\"prev_comm\":\"cc1\",\"prev_pid\":19079,\"prev_prio\":123,\"prev_state\":0,\"next_comm\":\"tracesh\",\"next_pid\":%d,\"next_prio\":120}}\n", \
				ns / 1e9, ns % 1e9, 1361352729636 + ns, i % 4, i % 977, i % 977, i % 1001
		}
		printf "{\"type\":\"end\",\"events\":250000,\"lost\":0,\"seconds\":2.000000}\n"
	}' >"$work/board$host.json"
done
before=$(stolen)
for format in text json csv; do
	merged=$(taskset -c 0 "$measure" 3 "$TRACESH" -q --format $format merge "$work"/board?.json)
	figure "a line of 4 x 250,000 merged, as $format" 3333 "$(per_event "$(median "$merged")" 1000000)" ns
done
figure 'memory of that' 10 "$(rss_mb "$merged")" MB
tell_stolen "$before"
rm -f "$work"/board?.json
