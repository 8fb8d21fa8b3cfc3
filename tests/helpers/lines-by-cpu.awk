# SPDX-License-Identifier: GPL-2.0-or-later
# awk -f lines-by-cpu.awk FILE: the events of a text as the file "trace" has it, a line each: CPU, \001, and what stands behind
# the time. An event of several lines has \n, as two characters, between them; a byte 1 of its text is the four of \001.
function flush()
{
	gsub(/\001/, "\\001", text)
	if (has)
		print cpu "\001" text
	has = 0
}

# A comment of the file; an event's own line may begin with one, too, behind its columns.
/^#/ { next }

match($0, /\[[0-9][0-9][0-9]\] [^ ]+ +[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]: /) {
	flush()
	has = 1
	cpu = substr($0, RSTART + 1, 3) + 0
	text = substr($0, RSTART + RLENGTH)
	next
}

# The first part of a name with a newline, which the workload gives a task: the columns are on the next line.
/^ +line$/ { next }

{ text = text "\\n" $0 }

END { flush() }
