#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# No command writes to a file that it reads, and none that is refused empties the file of -o. No root, nothing is traced.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
cp -r "$SRC/examples/recorded" tree && chmod -R u+w tree
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs none "$@" </dev/null
}
printf '{"type":"event","time":"2024-01-02T22:47:01Z","comm":"x","pid":1,"event":"a:b"}\n' >merge.is
echo 'set_event sched:sched_switch' >diff.is
echo 'help help' >batch.is

# keeps WHAT FILE: refused, with a hint, and the file is as it was
keeps()
{
	is "$status" 1 "$1: is refused"
	like "$err" '^hint: write to a file of another name$' "$1: with a way out"
	ok "$1: the file is untouched" cmp "$2" "$2.is"
}

# same NAME WORD..: F stands for a file, G for its second name, L for a link to it
same()
{
	command=$1
	shift
	rm -f F G L
	cp "$command.is" F && cp "$command.is" F.is && ln F G && ln -s F L
	t "$@"
	keeps "$*" F
}

same merge merge F -o F
like "$err" '^ +\^$' 'merge F -o F: with a caret'
same merge merge F -o G
same merge merge L -o F
same merge merge merge.is F -o F
same merge -c 'merge -o F F'
like "$err" "<-c 1>:1:12: error: 'F' is also the output file" 'the input has the caret'
same merge -o F merge F
same merge -o G merge F
same merge --json merge F -o F
same merge -c 'merge F -o F | cat'
same merge -c 'try merge F -o F else merge F -o F'
run timeout -k 5 60 "$TRACESH" --tracefs none merge - -o F <F
keeps 'merge - -o F <F' F
run timeout -k 5 60 "$TRACESH" --tracefs none -o F <F
keeps '-o F <F' F

same diff diff F merge.is -o F
same diff diff merge.is F -o F
same diff -o F diff F merge.is
same diff diff F L -o G
run timeout -k 5 60 "$TRACESH" --tracefs tree diff F -o F
keeps 'diff F -o F on a recording' F

same batch -o F source F
same batch -o F -f F
same batch -f F -o G
same batch -o F ./F
echo 'help help -o F' >batch.is
same batch -f F
like "$err" "F:1:14: error: 'F' is the batch file that runs" 'the file of -o has the caret'
same batch source F
echo 'source F' >outer
same batch -f outer
echo "alias e = help help -o F; e" >batch.is
same batch -f F

# A recording.
for file in per_cpu/cpu0/trace_pipe_raw trace tracesh/clock events/sched/sched_switch/format; do
	cp "tree/$file" F.is
	rm -f F && ln "tree/$file" F
	for output in "tree/$file" F; do
		run timeout -k 5 60 "$TRACESH" --tracefs tree drain -o "$output"
		keeps "drain -o $output ($file)" F
		like "$err" "'$output' is a file of the recording that is read" "drain -o $output ($file): says so"
		run timeout -k 5 60 "$TRACESH" --tracefs tree -o "$output" drain
		keeps "-o $output drain ($file)" F
		run timeout -k 5 60 "$TRACESH" --tracefs tree -c "events -o $output | cat"
		keeps "events -o $output | cat ($file)" F
	done
done
for where in '-o out drain' 'drain -o out' 'drain -o tree/out' '-o tree/out2 drain'; do
	# shellcheck disable=SC2086 # words
	run timeout -k 5 60 "$TRACESH" --tracefs tree $where
	is "$status $(head -c 1 "$(echo "$where" | grep -o '[a-z/]*out2*')")" '0 #' "$where: another file is written"
done

# What is refused for another reason empties nothing; what prints nothing leaves an empty file.
for words in 'merge nosuch -o F' 'diff nosuch merge.is -o F' 'source nosuch -o F' 'merge F.is --skew 1 --nosuch -o F' \
	'help nosuch -o F'; do
	echo kept >F
	# shellcheck disable=SC2086 # words
	t $words
	is "$((status != 0)) $(cat F)" '1 kept' "$words: what was there stays"
done
echo old >F
t alias -o F
is "$status $(wc -c <F)" '0 0' 'a command that prints nothing leaves an empty file'
"$TRACESH" --tracefs none help help >help
for words in 'help help -o F' 'help help -o F | cat'; do
	cat "$SRC/COPYING" >F
	t -c "$words"
	is "$status" 0 "$words: succeeds"
	ok "$words: what was there is gone" cmp F help
done

# A check writes nothing, and starts no program.
for words in 'apropos clock -o F' 'alias -o F' 'set -o F' 'history -o F' 'apropos clock -o F | cat' 'apropos clock | tee F'; do
	echo kept >F
	t -n -c "$words"
	is "$status $out $(cat F)" '0  kept' "-n: $words"
done
t -n -c 'alias a = help help -o F; a; set format json -o F; set format json | tee F'
is "$status $(cat F)" '0 kept' '-n: what the commands name is known, and the file is untouched'

done_testing
