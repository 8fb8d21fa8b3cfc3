# SPDX-License-Identifier: GPL-2.0-or-later
# For sql.t and sql-join.t.

LC_ALL=C
export LC_ALL

# refused STATUS PATTERN N STATEMENT: it is refused so, with N bytes of it marked
refused()
{
	want=$1 pattern=$2 at=$3
	t -c "sql \"$4\""
	expect "$want" "$4"
	says "$pattern" "$4: is said"
	same "$(printf '%s\n' "$err" | sed -n 's/^ *\(\^~*\)$/\1/p' | tr -d '\n' | wc -c | tr -d ' ')" "$at" "$4: so many are marked"
}
