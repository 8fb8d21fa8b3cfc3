# SPDX-License-Identifier: GPL-2.0-or-later
# What the TAP of one test program says. With name, status (of the program) and limit (its seconds): prints
# "PASSED FAILED SKIPPED" (with `only`: of the cases whose name has that text), then lines "skip<tab>NAME: WHAT: REASON",
# "fault<tab>NAME: WHAT" for what is wrong outside of its tests, and "bad<tab>NAME: TEST" for a failed one, with its comments as
# "why<tab>TEXT".

function complain(text) { notes[++n] = "fault\t" name ": " text; faults++ }

# One program may print several plans, one a group of tests: they add up.
/^1\.\.[0-9]+/ {
	plans++
	planned += substr($1, 4)
	telling = 0
	if ($1 == "1..0") {
		reason = $0
		sub(/^1\.\.0[ \t]*(#[ \t]*([Ss][Kk][Ii][Pp][A-Za-z]*)?)?[ \t:]*/, "", reason)
		notes[++n] = "skip\t" name ": " (reason == "" ? "no reason given" : reason)
		skip++
	}
	next
}

/^Bail out!/ { complain($0); next }

/^(not )?ok([ \t]|$)/ {
	seen++
	telling = 0
	what = $0
	sub(/^(not )?ok[ \t]*[0-9]*[ \t]*(-[ \t]*)?/, "", what)
	if (only != "" && !index(what, only)) {
		others_failed += /^not/
		next
	}
	at = match(tolower(what), /#[ \t]*skip/)
	if (at) {
		reason = substr(what, at + RLENGTH)
		sub(/^[A-Za-z]*[ \t:]*/, "", reason)
		what = substr(what, 1, at - 1)
		sub(/[ \t]+$/, "", what)
		notes[++n] = "skip\t" name ": " what (what == "" || reason == "" ? "" : ": ") reason
		skip++
	} else if (/^not/) {
		bad++
		telling = 20
		notes[++n] = "bad\t" name ": " what
	} else {
		good++
	}
	next
}

# What it says of its last failure: the first lines are enough to begin with.
telling && /^#/ { sub(/^# ?/, ""); notes[++n] = "why\t" $0; telling-- }

END {
	if (status == 124 || status == 137)
		complain("killed, time limit " limit " s")
	else if (status != 0 && !bad && !others_failed)
		complain("exit status " status)
	if (!plans)
		complain("no plan")
	else if (planned != seen)
		complain("planned " planned " tests, saw " seen + 0)
	print good + 0, bad + faults, skip + 0
	for (i = 1; i <= n; i++)
		print notes[i]
}
