# Reading and drawing a histogram of the kernel's with 2,048 rows, at most 20 ms on a real machine; beside cat, which draws
# nothing. The kernel of most machines that build this has none: a guest of tests/vm has, where all is some twelve times slower.

entries=2048
# cpu_ms FILE: user and system time of the children, of what times(1) prints
cpu_ms() { tail -n 1 "$1" | tr 'ms' '  ' | awk '{ printf "%d", ($1 * 60 + $2 + $3 * 60 + $4) * 1000 }'; }

# drawn EVERY FILE: while a shell sends no signal to 2,048 processes; how long that took into FILE.times
drawn()
{
	# shellcheck disable=SC2016 # of that shell
	sh -c '"$0" -q hist --in-kernel --for 12s --every "$1" syscalls:sys_enter_kill by pid if "sig == 0" >"$2"; times >"$2.times"' \
		"$TRACESH" "$1" "$2" 2>"$2.err" &
	child=$!
	tries=0
	until grep -qs '^hist' /sys/kernel/tracing/instances/tracesh-*/events/syscalls/sys_enter_kill/trigger; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || { echo '	failed: no histogram of tracesh is there'; return 1; }
		sleep 0.1
	done
	# not this shell, which stands above tracesh and is left out
	# shellcheck disable=SC2016 # of that shell
	sh -c 'i=0; while [ $i -lt "$0" ]; do i=$((i + 1)); kill -0 $((1000000 + i)) 2>/dev/null; done; :' $entries
	cat /sys/kernel/tracing/instances/tracesh-*/events/syscalls/sys_enter_kill/hist >"$work/hist"
	[ -z "${3-}" ] || cat_ms=$(median "$("$measure" 5 cat /sys/kernel/tracing/instances/tracesh-*/events/syscalls/sys_enter_kill/hist)")
	wait $child
}

if [ -e /sys/kernel/tracing/events/syscalls/sys_enter_kill/hist ]; then
	drawn 11s "$work/once"
	drawn 250ms "$work/often" cat
	once=$(grep -c '^ *PID ' "$work/once") often=$(grep -c '^ *PID ' "$work/often")
	echo "	$(grep -c '^{' "$work/hist") rows; $often tables in $(cpu_ms "$work/often.times") ms of CPU, $once in $(cpu_ms "$work/once.times")"
	ms=$(awk -v a="$(cpu_ms "$work/often.times")" -v b="$(cpu_ms "$work/once.times")" -v n=$((often - once)) 'BEGIN { printf "%.1f", (a - b) / n }')
	loop=$(median "$("$measure" 5 awk 'BEGIN { for (i = 0; i < 3000000; i++) s += i % 7 }')")
	# an emulated machine is slower by that loop's time here and there: 1,630 ms beside 123 ms
	echo "	reading and drawing: $ms ms; cat of the same file, nothing drawn: $cat_ms ms; a loop of awk: $loop ms"
	figure 'reading and drawing 2,048 rows, to cat' 2 "$(awk -v a="$ms" -v b="$cat_ms" 'BEGIN { printf "%.2f", a / b }')" x
else
	echo '	skipped: this kernel has no histograms'
fi
