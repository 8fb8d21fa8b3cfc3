# SPDX-License-Identifier: GPL-2.0-or-later
# awk -v rows=FILE -v parts=FILE -v said=FILE -f three-texts.awk: reads lines of CPU, the kernel's text, CPU, ours, CPU, SYSTEM:EVENT, and
# libtraceevent's, separated by \001. rows: "REASON|EVENT EVENT ..", a * at the end stands for the rest of a name; parts: as
# parity.awk has them. Prints
#
#	ours EVENT COUNT	with the kernel's text and ours of the first: ours is not the kernel's
#	new EVENT COUNT		with the kernel's text and the library's: in no row, and ours is the kernel's
#	known EVENT COUNT
#	gone EVENT COUNT	in a row, but the library's text is the kernel's by now
#	said EVENT COUNT	ours is not the kernel's, and the event is one of those in the file "said": tracesh says so
#	partly EVENT COUNT	ours is the kernel's but for a part
#	lines N types N theirs N form N: of the types the library prints as many as the kernel does, and as many more but for form
BEGIN {
	FS = "\001"
	while ((getline line <rows) > 0) {
		n = split(substr(line, index(line, "|") + 1), words, " ")
		for (i = 1; i <= n; i++)
			if (words[i] ~ /[*]$/)
				begins[substr(words[i], 1, length(words[i]) - 1)]
			else
				known[words[i]]
	}
	while ((getline line <said) > 0)
		is_said[line]
	while ((getline line <parts) > 0)
		if (split(line, words, " ") > 1)
			part[words[1]] = substr(line, length(words[1]) + 2)
}

function is_known(event,    begin)
{
	if (event in known)
		return 1
	for (begin in begins)
		if (index(event, begin) == 1)
			return 1
	return 0
}

# Takes off what is but another form: %p without 0x and zeros, %pS without the size and the module, 0 of %#x, no pointer.
function plain(text)
{
	gsub(/[+]0x[0-9a-f]+\/0x[0-9a-f]+/, "&@", text)
	gsub(/\/0x[0-9a-f]+@/, "", text)
	gsub(/ \[[a-z0-9_]+\]/, "", text)
	gsub(/\(nil\)|\(null\)/, "0", text)
	gsub(/0x/, "", text)
	gsub(/0000000000000000/, "0", text)
	gsub(/=0+/, "=", text)
	return text
}

function first(event, kernel, other)
{
	kernels[event] = kernel
	others[event] = other
}

$1 != $3 || $1 != $5 {
	print "new order", NR
	print "\tthe events of the three are not the same: " $6
	print "\t" $2
	exit
}

{
	event = $6
	name = substr(event, index(event, ":") + 1)
	kernel = $2
	count[event]++
	if (kernel != $4) {
		its = kernel
		mine = $4
		if (name in part) {
			gsub(part[name], "", its)
			gsub(part[name], "", mine)
		}
		if (its == mine)
			partly[event]++
		else if (!ours[event]++)
			first(event, kernel, $4)
	}
	if (index(kernel, name ": ") == 1)
		kernel = substr(kernel, length(name) + 3)
	if (kernel == $7)
		next
	if (plain(kernel) == plain($7))
		form[event]++
	else if (!theirs[event]++ && !ours[event])
		first(event, kernel, $7)
}

function tell(word, event, number)
{
	print word, event, number
	if (word == "ours" || word == "new")
		printf "\t%s\n\t%s\n", kernels[event], others[event]
}

END {
	for (event in count) {
		types++
		equal += !theirs[event] && !form[event]
		formal += !theirs[event] && form[event] > 0
		if (ours[event])
			tell(event in is_said ? "said" : "ours", event, ours[event])
		else if (theirs[event])
			tell(is_known(event) ? "known" : "new", event, theirs[event])
		else if ((event in known) && !form[event])
			tell("gone", event, count[event])
		if (partly[event])
			tell("partly", event, partly[event])
	}
	print "lines", NR, "types", types + 0, "theirs", equal + 0, "form", formal + 0
}
