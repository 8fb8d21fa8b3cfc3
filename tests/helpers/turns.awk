# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel's text of all tasks says of some: PIDS, with blanks between, and their children. From the events
# sched_switch, sched_waking and task_newtask: how many pairs there are, and the longest in us.
#	off-cpu N MAX	from a switch away from one of them until one to it
#	wakeup N MAX	from its sched_waking until it runs, if it was not preempted in between
#	away N		switches away from them
#	slept N MAX	the same of those that went to sleep (S)
#	wakeup-0 N MAX	the wakeups to CPU 0
#	wakeup-120 N MAX the wakeups in place of one whose prio is 120
#	wakes N		sched_waking by them, of the task WOKEN
#	deltas N MAX	between two switches away from the same of them
BEGIN { n = split(PIDS, pids, " "); for (i = 1; i <= n; i++) is[pids[i]] = 1 }
/^#/ { next }
{
	# a name may have blanks: the pid is before the CPU
	match($0, /-[0-9]+ +(\([ 0-9-]+\) +)?\[[0-9]+\]/)
	pid = substr($0, RSTART + 1) + 0
	match($0, / [0-9]+\.[0-9]+: /)
	ts = substr($0, RSTART + 1, RLENGTH - 3)
	sub(/\./, "", ts)
	rest = substr($0, RSTART + RLENGTH)
}
function number(name) { match(rest, " " name "=[0-9]+"); return substr(rest, RSTART + length(name) + 2) + 0 }
function longest(what, us) { count[what]++; if (us > most[what]) most[what] = us }
rest ~ /^task_newtask:/ && (pid in is) { is[number("pid")] = 1 }
rest ~ /^sched_waking:/ {
	woken = number("pid")
	if (woken in is) { waking[woken] = ts; target[woken] = number("target_cpu") }
	if ((pid in is) && woken == WOKEN) count["wakes"]++
}
rest ~ /^sched_switch:/ {
	prev = number("prev_pid"); next_ = number("next_pid")
	if (rest ~ / prev_state=R\+? /) delete waking[prev]
	if (next_ in waking) {
		longest("wakeup", ts - waking[next_])
		if (!target[next_]) longest("wakeup-0", ts - waking[next_])
		if (number("prev_prio") == 120) longest("wakeup-120", ts - waking[next_])
		delete waking[next_]
	}
	if (next_ in left) {
		longest("off-cpu", ts - left[next_])
		if (slept[next_]) longest("slept", ts - left[next_])
		delete left[next_]
	}
	if (prev in is) {
		left[prev] = ts
		slept[prev] = rest ~ / prev_state=S /
		count["away"]++
		if (prev in before) longest("deltas", ts - before[prev])
		before[prev] = ts
	}
}
END {
	for (what in count) print what, count[what], most[what] + 0
}
