# SPDX-License-Identifier: GPL-2.0-or-later
# The commands that README.md and the pages of docs show. Prints a line each: FILE:LINE, its kind, the command and, where the page
# shows an error below it, the hint there, separated by tabs. Kinds: "program" is a call of tracesh (after "# " or "$ " in a block, or
# in the second column of a table of what to type), "prompt" is what stands behind the prompt, or in such a table.

function show() { if (command != "") print place, kind, command, hint; command = hint = "" }
function take(of, text) { show(); place = file ":" FNR; kind = of; command = text }

BEGIN { OFS = "\t" }
FNR == 1 { show(); file = FILENAME; sub(/.*\//, "", file); block = table = 0 }
/^```/ { show(); block = !block; next }
block && /^[#$] tracesh( |$)/ { text = $0; sub(/^[#$] tracesh */, "", text); take("program", text); next }
block && /^[#$] / { show(); next }
block && /^tracesh:[a-z]*> / { text = $0; sub(/^[^>]*> /, "", text); take("prompt", text); next }
block && /^hint: / { hint = $0; next }
/^\| I want to \| type \|$/ { table = 1; next }
!/^\|/ { table = 0 }
table {
	n = split($0, cells, / \| /)
	for (i = 3; i <= n; i++)
		cells[2] = cells[2] " | " cells[i]
	n = split(cells[2], spans, "`")
	for (i = 2; i <= n; i += 2)
		if (spans[i] ~ /^tracesh /)
			take("program", substr(spans[i], 9))
		else if (spans[i] !~ /^(-|ssh |~|\/|\$|.$)/)
			take("prompt", spans[i])
}
END { show() }
