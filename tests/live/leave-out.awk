# SPDX-License-Identifier: GPL-2.0-or-later
# A live test without the cases that say "# needs top": they are skipped for the reason $TOP_USER, which the library tells.
# Of such a case its functions stay, for the others; a file that says so before its first case is not printed at all.

/^begin / || /^finish$/ {
	out()
	n++
	left_out = 0
}

{ text = text $0 "\n" }

/^# needs / {
	for (i = 3; i <= NF; i++)
		if ($i == "top")
			left_out = 1
}

# A function of the top level goes from its name to the brace, or the parenthesis, in the first column.
/^[a-z_]+\(\)$/ { in_function = 1 }
in_function { functions = functions $0 "\n" }
/^[})]/ { in_function = 0 }

# out: prints what was collected, or what is left of it
function out()
{
	if (n == 0 && left_out) {
		text = ""
		exit
	}
	if (left_out) {
		sub(/\n.*/, "", text)
		sub(/^begin /, "leave_out ", text)
		printf "%s\n%s", text, functions
	} else {
		printf "%s", text
	}
	text = functions = ""
}

END { printf "%s", text }
