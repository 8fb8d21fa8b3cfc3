# For the parts of the benchmark: $measure, $dir (an instance of ours), $work, $TRACESH.

# figure NAME LIMIT VALUE UNIT: at most LIMIT
figure() {
	verdict=$(awk -v v="$3" -v l="$2" 'BEGIN { print (v <= l) ? "ok" : "MISSED" }')
	printf '%-42s %10s %-4s (at most %s) %s\n' "$1" "$3" "$4" "$2" "$verdict"
}
median() { set -- $1; echo "$1"; }
rss_mb() { set -- $1; awk -v kb="$4" 'BEGIN { printf "%.1f", kb / 1024 }'; }

# ratio NAME LIMIT PEER OURS UNIT: ours is at least LIMIT times better
ratio()
{
	awk -v name="$1" -v l="$2" -v p="$3" -v o="$4" -v unit="$5" 'BEGIN {
		r = p / (o > 0 ? o : 0.001)
		printf "%-42s %10.1f x    (at least %s; %s against %s %s) %s\n", name, r, l, o, p, unit, (r >= l ? "ok" : "MISSED")
	}'
}

# middle: the median of the numbers on stdin, one a line
middle() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# stolen: ms that the host has taken from the CPUs of this virtual machine since boot; on others 0
stolen() { awk '/^cpu / { printf "%d", $9 * 10 }' /proc/stat; }
# tell_stolen BEFORE: a figure is of this machine where that is little
tell_stolen() { echo "	the host took $(($(stolen) - $1)) ms of the CPUs meanwhile"; }

# sum_stats NAME: of all CPUs of the instance
sum_stats() { cat "$dir"/per_cpu/cpu*/stats | awk -F': ' -v name="$1" '$1 == name { s += $2 } END { print s + 0 }'; }

# reset_instance: off, empty, nothing enabled
reset_instance()
{
	echo 0 >"$dir/tracing_on"
	echo 0 >"$dir/events/enable"
	echo >"$dir/trace"
}

# per_event MS EVENTS: in ns
per_event() { awk -v ms="$1" -v n="$2" 'BEGIN { printf "%.1f", n ? ms * 1e6 / n : 0 }'; }
