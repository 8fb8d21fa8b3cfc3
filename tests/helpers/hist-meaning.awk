# SPDX-License-Identifier: GPL-2.0-or-later
# awk -f hist-meaning.awk: reads triggers as the kernel reads them back, a line each, and prints what they mean, in which the names
# of variables have no part: the keys, the sums and the filter, and of an action what it is given, each variable with what it
# stands for; <..> is of an event before. Order and size of the table are left out.
/^hist:/ {
	line = $0
	sub(/ \[(active|paused)\]$/, "", line)
	filter = ""
	if ((at = index(line, " if "))) {
		filter = substr(line, at + 4)
		line = substr(line, 1, at - 1)
	}
	keys = sums = action = ""
	delete own
	n = split(substr(line, 6), parts, ":")
	for (i = 1; i <= n; i++)
		take(parts[i])
	print "keys " keys "; sums " sums "; filter " filter "; action " (action == "" ? "none" : meaning_of(action))
	for (name in own)
		before[name] = "<" own[name] ">"
}

function take(part,    words, count, i, at)
{
	if (part ~ /^keys=/)
		keys = substr(part, 6)
	else if (part ~ /^vals=/)
		sums = substr(part, 6)
	else if (part ~ /^on(match|max|change)\(/)
		action = part
	else if (part !~ /^(sort|size|clock|name)=/ && part != "no_hist") {
		count = split(part, words, ",")
		for (i = 1; i <= count; i++)
			if ((at = index(words[i], "=")))
				own[substr(words[i], 1, at - 1)] = inline(substr(words[i], at + 1))
	}
}

# Puts what they stand for in the place of variables.
function inline(text,    out, name)
{
	while (match(text, /\$[A-Za-z_0-9]+/)) {
		name = substr(text, RSTART + 1, RLENGTH - 1)
		out = out substr(text, 1, RSTART - 1) ((name in own) ? own[name] : (name in before) ? before[name] : "$" name)
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

# .trace(NAME,A,B) is .NAME(A,B)
function meaning_of(text)
{
	if (match(text, /\.trace\([^,)]*/))
		text = substr(text, 1, RSTART) substr(text, RSTART + 7, RLENGTH - 7) "(" substr(text, RSTART + RLENGTH + 1)
	return inline(text)
}
