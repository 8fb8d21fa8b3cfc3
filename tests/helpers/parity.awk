# SPDX-License-Identifier: GPL-2.0-or-later
# awk -f parity.awk -v kernel=FILE -v ours=FILE [-v hashed=1] [-v unnamed=1] [-v parts=FILE] [-v forgotten=1]: compares two
# texts of one buffer, line by line, as the kernel's file "trace" prints it; lines that begin with # are left out. An event may have
# several lines: those without the columns belong to the event before. Prints
#
#	equal TYPES LINES
#	differ TYPE COUNT		for each type of event that differs anywhere, in the order of first appearance,
#	kernel: LINE			with both lines of its first difference
#	ours: LINE
#	unnamed TYPE COUNT
#	partly TYPE COUNT
#
# TYPE is the event's name; or (columns) where only what stands before the text differs, (order) where lines are missing,
# too many or in another order. hashed: numbers of 16 hexadecimal digits are taken as equal to one another: pointers of a
# kernel that cannot but hash them. unnamed: a number that we print as one whose name nobody tells, 0x2?, is taken as
# equal to any name, and the type is counted. parts: lines TYPE REGEX; what matches need not be equal in a line of that
# type, and the type is counted. forgotten: names of tasks may differ, and count as columns also where an event has no
# newline at its end, and the next one stands behind its text.
BEGIN {
	AHEAD = 300		# lines that are looked through for one that both have
	SEARCHES = 100		# and how often
	file["kernel"] = kernel
	file["ours"] = ours
	while (parts != "" && (getline text < parts) > 0)
		if (split(text, words, " ") > 1)
			part[words[1]] = substr(text, length(words[1]) + 2)
	type = "(before the first event)"
	take("kernel")
	take("ours")
	while (has["kernel"] || has["ours"]) {
		if (has["kernel"] && has["ours"] && line["kernel"] == line["ours"])
			equal()
		else if (has["kernel"] && has["ours"])
			unequal()
		else
			left_over(has["kernel"] ? "kernel" : "ours")
	}
	report()
}

# The next line of one of the two: what was looked at already first.
function take(side)
{
	if (at[side] < end[side]) {
		line[side] = queue[side, ++at[side]]
		return has[side] = 1
	}
	while ((getline text < file[side]) > 0)
		if (text !~ /^#/) {
			line[side] = text
			return has[side] = 1
		}
	line[side] = "(the end)"
	return has[side] = 0
}

# Whether a line begins an event; sets CPU, where the columns from [000] on start, and TEXT, where the text does.
function begins(text)
{
	if (!match(text, /\[[0-9][0-9][0-9]\] [^ ]+ +[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]: /))
		return 0
	CPU = RSTART
	TEXT = RSTART + RLENGTH
	return 1
}

function type_of(text)
{
	if (text ~ /^sys_[a-z0-9_]+ -> /)
		return "sys_exit_" substr(text, 5, index(text, " ") - 5)
	if (text ~ /^sys_[a-z0-9_]+\(/)
		return "sys_enter_" substr(text, 5, index(text, "(") - 5)
	if (match(text, /^[A-Za-z0-9_]+:/))
		return substr(text, 1, RLENGTH - 1)
	if (text ~ /^# /)
		return "raw_data"
	if (text ~ /^[^ ]+ <-/)
		return "function"
	if (text ~ /^<stack trace>/)
		return "kernel_stack"
	if (text ~ /^<user stack trace>/)
		return "user_stack"
	return "(unknown)"
}

function equal()
{
	lines++
	if (begins(line["kernel"]))
		fired[type = type_of(substr(line["kernel"], TEXT))]
	take("kernel")
	take("ours")
}

function unequal(    its, mine, its_columns, mine_columns)
{
	if (!begins(line["kernel"])) {
		last_lines()
		return
	}
	its = substr(line["kernel"], TEXT)
	its_columns = substr(line["kernel"], CPU, TEXT - CPU)
	if (!begins(line["ours"])) {
		last_lines()
		return
	}
	mine = substr(line["ours"], TEXT)
	mine_columns = substr(line["ours"], CPU, TEXT - CPU)
	if (its != mine && its_columns != mine_columns) {
		search()
		return
	}
	fired[type = type_of(its)]
	if (its == mine || (forgotten && without_names(its) == without_names(mine)))
		note("(columns)")
	else if (hashed && unhashed(its) == unhashed(mine))
		lines++
	else if (unnamed && is_unnamed(its, mine)) {
		lines++
		nameless[type]++
	} else if ((type in part) && without_part(its) == without_part(mine)) {
		lines++
		partly[type]++
	} else
		note(type)
	take("kernel")
	take("ours")
}

# The name has 16 columns.
function without_names(text,    out)
{
	while (match(text, /................-[0-9]+ +\[[0-9][0-9][0-9]\] /)) {
		out = out substr(text, 1, RSTART - 1) "NAME" substr(text, RSTART + 16, RLENGTH - 16)
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

function without_part(text)
{
	gsub(part[type], "PART", text)
	return text
}

# The same but for names where we have 0x2?
function is_unnamed(its, mine,    at, found)
{
	if (mine !~ /0x[0-9a-f]+\?/)
		return 0
	while (match(mine, /0x[0-9a-f]+\?/)) {
		if (substr(its, 1, RSTART - 1) != substr(mine, 1, RSTART - 1))
			return 0
		its = substr(its, RSTART)
		at = RSTART + RLENGTH
		mine = substr(mine, at)
		# What follows the number, up to the next one, follows the name.
		found = match(mine, /0x[0-9a-f]+\?/) ? substr(mine, 1, RSTART - 1) : mine
		at = found == "" ? length(its) + 1 : index(its, found)
		if (!at)
			return 0
		its = substr(its, at)
	}
	return its == mine
}

# An event ends otherwise, or one of the two has more lines of it.
function last_lines()
{
	note(type)
	while (has["kernel"] && !begins(line["kernel"]))
		take("kernel")
	while (has["ours"] && !begins(line["ours"]))
		take("ours")
}

function left_over(side)
{
	note(begins(line[side]) ? "(order)" : type)
	take(side)
}

# Looks for the next line that both have, and goes on there.
function search(    i, place)
{
	note("(order)")
	if (++searches <= SEARCHES) {
		look_ahead("kernel")
		look_ahead("ours")
		for (i = end["ours"]; i > 0; i--)
			place[queue["ours", i]] = i
		for (i = 1; i <= end["kernel"]; i++)
			if ((queue["kernel", i] in place) && begins(queue["kernel", i])) {
				at["kernel"] = i - 1
				at["ours"] = place[queue["kernel", i]] - 1
				break
			}
	}
	take("kernel")
	take("ours")
}

# Afterwards the queue begins with the line at hand, which is to be skipped, and take() goes on after it.
function look_ahead(side,    i, n, ahead)
{
	do
		ahead[++n] = line[side]
	while (n < AHEAD && take(side))
	for (i = 1; i <= n; i++)
		queue[side, i] = ahead[i]
	at[side] = 1
	end[side] = n
}

# A hash of the address is printed as all bits of a pointer are, none as (null)
function unhashed(text)
{
	gsub(/0*[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+|\(null\)/, "POINTER", text)
	return text
}

function note(name)
{
	if (!(name in count)) {
		names[++differing] = name
		first[name] = "kernel: " line["kernel"] "\nours: " line["ours"]
	}
	count[name]++
}

function report(    i, name, types)
{
	for (name in fired)
		types++
	print "equal", types + 0, lines + 0
	for (i = 1; i <= differing; i++) {
		print "differ", names[i], count[names[i]]
		print first[names[i]]
	}
	for (name in partly)
		print "partly", name, partly[name]
	for (name in nameless)
		print "unnamed", name, nameless[name]
}
