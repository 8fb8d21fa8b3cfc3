# SPDX-License-Identifier: GPL-2.0-or-later
# Of a live test, what is needed to run just those cases that say "# needs FEATURE..", with one of the features in
# `lacking` (separated by blanks): what stands before the first case, these cases, and the functions of the others. A file
# that says so before its first case is printed whole, one that has none is not printed at all. A case that says "# long in
# a guest" is left out; its name goes into the file `left`.

BEGIN {
	n = 0
	split(lacking, list, " ")
	for (i in list)
		lacks[list[i]] = 1
}

/^begin / || /^finish$/ {
	n++
	name[n] = $0
	sub(/^begin */, "", name[n])
	gsub(/^['"]|['"]$/, "", name[n])
}

{ text[n] = text[n] $0 "\n" }

/^# needs / {
	for (i = 3; i <= NF; i++)
		if ($i in lacks)
			wanted[n] = any = 1
}

/^# long in a guest/ { long[n] = 1 }

# A function of the top level goes from its name to the brace, or the parenthesis, in the first column.
/^[a-z_]+\(\)$/ { in_function = 1 }
in_function { functions[n] = functions[n] $0 "\n" }
/^[})]/ { in_function = 0 }

END {
	if (!any)
		exit
	printf "%s", text[0]
	for (i = 1; i < n; i++) {
		wanted[i] = wanted[0] || wanted[i]
		if (wanted[i] && long[i] && left != "")
			print name[i] >>left
		printf "%s", wanted[i] && !long[i] ? text[i] : functions[i]
	}
	printf "%s", text[n]
}
