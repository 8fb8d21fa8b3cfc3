# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of several sessions on one file; after lib-live.sh.

# sessions [VARIABLE=VALUE..]: two in the case's instance, $one, which has these, and $two; tell_one and tell_two give them a line
sessions()
{
	# with what those before have said, which must not be taken for an answer
	rm -f "$TMP/in1" "$TMP/in2" "$TMP/1" "$TMP/2" "$TMP/1.err" "$TMP/2.err"
	mkfifo "$TMP/in1" "$TMP/in2"
	env "$@" "$TRACESH" -i "$I" --restore --keep-going -f - <"$TMP/in1" >"$TMP/1" 2>"$TMP/1.err" &
	one=$!
	exec 8>"$TMP/in1"
	"$TRACESH" -i "$I" --restore --keep-going -f - <"$TMP/in2" >"$TMP/2" 2>"$TMP/2.err" 8>&- &
	two=$!
	exec 9>"$TMP/in2"
	children="$children $one $two"
	lines1=0 lines2=0
}

# An answer to a question says that the line before it is carried out.
tell_one()
{
	printf '%s\ncat tracing_cpumask\n' "$1" >&8
	lines1=$((lines1 + 1))
	await has_lines "$TMP/1" $lines1 || fail "$case_name: $1"
}

tell_two()
{
	printf '%s\ncat tracing_cpumask\n' "$1" >&9
	lines2=$((lines2 + 1))
	await has_lines "$TMP/2" $lines2 || fail "$case_name: $1"
}

has_lines()
{
	[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

end_one()
{
	exec 8>&-
	ended "$one"
	err=$(cat "$TMP/1.err")
}

end_two()
{
	exec 9>&-
	ended "$two"
	err=$(cat "$TMP/2.err")
}

# small FOLDER: the size of its buffer in KB, without what the kernel rounds up to
small()
{
	awk '{ print int($1 / 64) * 64 }' "$D/$1/buffer_size_kb"
}

# sizes: those of the first two CPUs
sizes()
{
	echo "$(small per_cpu/cpu0) $(small per_cpu/cpu1)"
}

nothing_left()
{
	same "$(ls /run/tracesh)" '' 'and no journal is left'
}
