#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One language at all its entrances: -c, -f, a file, source, stdin, a program file with #!, operands.
# shellcheck disable=SC2016,SC1003 # tracesh has variables of its own
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

# A file with #! takes one option, and not a long one.
ln -s "$TRACESH" "$TMP/tracesh"
ln -s "$SRC/examples/recorded" "$TMP/tree"
cd "$TMP" || exit 1
t()
{
	run timeout -k 5 60 "$TMP/tracesh" --tracefs "$TMP/tree" "$@"
	hear
}

newline='
'

# hear: `try source WORD` is the echo of this language: a note names the word exactly. They go behind $out.
hear()
{
	heard=$(sed -n "s/^.*: note: cannot open '\(.*\)': No such file or directory\$/said \1/p" "$TMP/err")
	out=$out${out:+${heard:+$newline}}$heard
}

# by_stdin FILE OPTION..
by_stdin()
{
	stdin_file=$1
	shift
	status=0
	timeout -k 5 60 "$TMP/tracesh" --tracefs "$TMP/tree" "$@" <"$stdin_file" >"$TMP/out" 2>"$TMP/err" || status=$?
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
	hear
}

# The kernel ends the name of an interpreter at a blank.
interprets=yes
case $TMP in *[[:blank:]]*) interprets= ; skip '#!' "a blank in $TMP" ;; esac

# everywhere NAME TEXT WANT [STATUS]: what TEXT prints, and its status, by each entrance
everywhere()
{
	want="status ${4:-0}, $3"
	printf '%s' "$2" >case.tsh
	{ printf '#!%s --tracefs=%s\n' "$TMP/tracesh" "$TMP/tree" && printf '%s' "$2"; } >program.tsh
	chmod +x program.tsh

	t -c "$2"
	is "status $status, $out" "$want" "$1: -c"
	t -f case.tsh
	is "status $status, $out" "$want" "$1: -f"
	t case.tsh
	is "status $status, $out" "$want" "$1: a file"
	t -c 'source case.tsh'
	is "status $status, $out" "$want" "$1: source"
	by_stdin case.tsh
	is "status $status, $out" "$want" "$1: stdin"
	by_stdin case.tsh -f -
	is "status $status, $out" "$want" "$1: -f -"
	[ "$interprets" ] || return 0
	run timeout -k 5 60 ./program.tsh
	hear
	is "status $status, $out" "$want" "$1: #!"
}

# said WORD..: what is heard of `try source WORD`
said()
{
	for line; do
		printf 'said %s\n' "$line"
	done
}

# Words

everywhere 'comments' "# no 'command
try source a#b # it's a \"comment\" ; not | a command
try source c;# the end
" "$(said 'a#b' c)"

everywhere 'separators' ';; try source one;try source two ;
;try source three ; ' "$(said one two three)"

everywhere 'single quotes' "let x = 5
try source 'a # b ; c | d \${x} \$1 \"e\" \\ f'" "$(said 'a # b ; c | d ${x} $1 "e" \ f')"

everywhere 'double quotes' 'let x = 5
try source "a # b ; c | d ${x} $retval '"'e'"' \ f" # and no more
' "$(said "a # b ; c | d 5 \$retval 'e' \\ f")"

everywhere 'pieces of a word' "try source a\"b c\"'d e'f" "$(said 'ab cd ef')"
everywhere 'an empty word' "try source ''; try source x''y\"\"" "$(said '' xy)"
everywhere 'a newline in quotes' "try source 'a
b'" "$(said 'a\nb')"
everywhere 'continuation' 'set \
  tz \
     EST5 \
# a comment ends it
set tz' 'tz:  EST5'
everywhere 'a backslash elsewhere is itself' 'try source \a\\b' "$(said '\a\\b')"
everywhere 'a word too many' "let a = b${newline}let a = b c
" '' 2
printf 'try source a\r\ntry source "b"\r\nsystems | head -n 1 | cut -c1-3\r\n' >dos.tsh
t dos.tsh
is "$out" "net${newline}$(said a b)" 'carriage returns at the ends of lines do not matter'

# Variables

everywhere 'let' 'let a=1; let b="two  words"; let _c1 = ${a}${b}; let a = 3
try source ${_c1}-${a}
' "$(said '1two  words-3')"

everywhere "a variable's value is no source text" "let x = '; | # \"'
try source \${x}" "$(said '; | # "')"

everywhere 'other $ are left alone' 'try source $retval,$arg1,$stack0,$,$$,$0,$_,$(x)' \
	"$(said '$retval,$arg1,$stack0,$,$$,$0,$_,$(x)')"

everywhere '$# and $? without arguments' 'try source $#,$?; systems | exit 3
try source "$?"' "$(said 0,0 3)"

everywhere 'an unknown variable runs nothing' "try source x; info \${none}" '' 2

printf 'try source "$1|$2|$#"\ntry source $1\n' >args.tsh
want=$(said 'a  b;#|c|2' 'a  b;#')
t ./args.tsh 'a  b;#' c
is "$out" "$want" '$1, $2 and $#: of a FILE operand'
t -c "source args.tsh 'a  b;#' c"
is "$out" "$want" '$1, $2 and $#: of source'
{ echo "#!$TMP/tracesh --tracefs=$TMP/tree" && cat args.tsh; } >program.tsh
chmod +x program.tsh
if [ "$interprets" ]; then
	run ./program.tsh 'a  b;#' c
	hear
	is "$out" "$want" '$1, $2 and $#: of a program'
	run env "PATH=$TMP:$PATH" program.tsh 'a  b;#' c
	hear
	is "$out" "$want" '$1, $2 and $#: of a program found by PATH'
fi
printf 'try source "$1"; systems\nlet two = "$2"\n' >args.tsh
t ./args.tsh one
is "status $status, $out" 'status 2, ' 'an argument that is missing is an error before anything runs'
like "$err" "^\./args\.tsh:2:12: error: no argument \\\$2\$" 'and named'

echo 'let from_file = "it is"' >names.tsh
printf 'source names.tsh\ntry source ${from_file}\n' >uses.tsh
t uses.tsh
is "status $status, $out" "status 0, $(said 'it is')" 'a sourced file can set variables'
t -n -c 'source names.tsh; let also = ${from_file}'
is "status $status, $err" 'status 0, ' 'and -n knows them'
t -c 'let x = 1' -c 'try source ${x}'
is "$out" "$(said 1)" 'a variable lives on in the next -c'
t -c 'set time short' names.tsh
is "status $status" 'status 0' '-c and then a FILE operand'

# try

everywhere 'try' 'try info nosuch else try source instead
try set tz EST5 else try source second
set tz
try info nosuch
try info no1 else try info no2 else try source last
try enalbe x else try source unknown
try info "else" else try source word' "tz:  EST5
$(said instead last unknown word)"
everywhere 'try: the second fails too' 'try info no1 else info no2
systems' '' 1
t -c 'try info nosuch else set time short'
like "$err" '^<-c 1>:1:10: note: unknown event' 'try: the first failure is a note'
t -q -c 'try info nosuch else set time short'
is "status $status, $err" 'status 0, ' 'try: and none with -q'
t -n -c 'try info nosuch else set time short'
like "status $status, $err" '^status 0, .*note: unknown event' 'try: under -n too'

i=0
while [ $i -lt 1100 ]; do
	echo 'source one.tsh'
	i=$((i + 1))
done >many
echo 'let x = 1' >one.tsh
timeout -k 5 60 "$TRACESH" --tracefs "$TMP/tree" -c 'let y = 1' -f - <many >out 2>err
is "$? $(cat err)" '0 ' 'as many files one after the other as one likes'
timeout -k 5 60 "$TRACESH" --tracefs "$TMP/tree" <many >out 2>err
is "$? $(cat err)" '0 ' 'and on stdin'

# | and -o

everywhere 'a pipe takes the rest of the line' "systems|wc -l; echo 'it # is' \"\$((1 + 2))\" # no comment${newline}try source next" \
	"4
it # is 3
$(said next)"
everywhere 'a pipe over two lines' 'events sched | grep sched_ | \
	grep -c switch; echo x' "1
x"
everywhere 'a pipe of pipes, and ||' 'systems | false || echo no
systems | sort -r | head -n 1
try source a||b' "no
task      1  1
$(said 'a||b')"
everywhere '|| alone is no pipe' 'set time || touch piped' '' 2
ok '|| has not run anything' test ! -e piped
everywhere 'variables of ours in a pipe' 'let x = "1 $ 2"
systems | head -n 1 >/dev/null; echo "<${x}>" "$1"' '<1 $ 2> '
printf '%s\n' 'systems | head -n 1 >/dev/null; echo "$#,$1,$2,$0"' >piped.tsh
t ./piped.tsh 'a b' '$(echo no)'
is "$status $out" '0 2,a b,$(echo no),tracesh' 'arguments of ours in a pipe, as they are'
t -n -c 'stream sched_switch where prev_pid == 1 | cat > piped.txt'
is "$status$err" 0 'nor is a program that writes to a file a comparison'
t -c 'systems | cat > piped.txt'
is "$status$err, $(grep -c . piped.txt) lines" "0, $("$TRACESH" --tracefs "$TMP/tree" systems | grep -c .) lines" \
	'a program behind a pipe may write to a file'
t -n -c 'enable sched_switch if prev_pid == 1 | next_pid == 2'
like "$err" "error: '.' hands this to sh as a program" 'a filter that was meant to go on is not one'

everywhere 'set pipefail on' 'set pipefail on; systems | cat >/dev/null; exit 4
systems' '' 1

everywhere '-o FILE' 'events sched_switch -o o1.txt
systems -o "o 2.txt" | cat
events -o o3.txt sched:sched_switch' ''
is "$(cat o1.txt o3.txt)" "sched:sched_switch${newline}sched:sched_switch" '-o FILE: the file has it'
rm -f 'o 2.txt'
t -c 'systems | tr a-z A-Z' -o pipe-and-o.txt
is "status $status, $out" 'status 0, ' '-o for the invocation takes what a pipe prints'
is "$(head -n 1 pipe-and-o.txt)" 'NET       1  1' 'and the file has it'
t -o whole.txt -c 'systems' -c 'events task'
is "$(wc -l <whole.txt), $(tail -n 1 whole.txt)" '5, task:task_rename' '-o takes all of an invocation'

# Filters: the kernel's text, whole

filters='filter sched_switch prev_comm == "a # b ; c | d $x '"'e'"'" && next_pid == 1
filter sched_switch prev_comm == '"'a # b ; c | d \$x \"e\"'"' || prev_pid > 5
filter sched_switch prev_comm == "# x" && next_comm == "; y" || prev_comm ~ "*|*"
filter sched_switch (prev_pid & (1 | 2)) && prev_comm != ")"
filter sched_switch '"'prev_comm == \"a;b|c#d\"'"' # a comment | wc ; and no more
enable sched_switch if prev_comm == "where" && \
	next_comm == "fields -- else"
'
printf '%s' "$filters" >filters.tsh
t -n filters.tsh
is "status $status, $out$err" 'status 0, ' 'filters with # ; | $ and both quotes: a file'
t -n -c "$filters"
is "status $status, $out$err" 'status 0, ' 'filters: -c'
by_stdin filters.tsh -n
is "status $status, $out$err" 'status 0, ' 'filters: stdin'
t -n -c 'filter sched_switch prev_comm == "a # b ; c | d'
is "$status" 2 'filters: and with a quote less it is an error'

# extent NAME COMMAND CARETS: a recorded tree refuses the filter, and the carets show what was taken for it
extent()
{
	t -c "$2"
	is "$(printf '%s\n' "$err" | sed -n 2,3p)" "  $2
  $3" "$1"
}
extent 'an expression ends before a pipe' 'filter sched_switch prev_pid == 1 || next_pid == 2 | touch ran' \
	'                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~'
extent 'but not at one in parentheses' 'filter sched_switch (prev_prio & (1 | 2)) == 3 | touch ran' \
	'                    ^~~~~~~~~~~~~~~~~~~~~~~~~~'
extent 'nor in quotes' "filter sched_switch prev_comm == \"a | touch ran ; b # c\" # d" \
	'                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~'
rm -f ran
t -c 'filter sched_switch prev_comm == "a | touch ran ; b" && prev_pid == 1'
ok 'what stands in a string does not run' test ! -e ran

# Operands: each is one word to tracesh, whatever the shell left in it

# operand WORD [SHOWN]: as the name of a file that does not exist
operand()
{
	t source "$1"
	is "status $status, $(printf '%s\n' "$err" | head -n 1 | sed 's/^.*error: //')" \
		"status 2, cannot open '${2-$1}': No such file or directory" "an operand: ${2-$1}"
}
for word in 'a b' 'a  b' 'a;b' 'a; touch ran' 'a|b' 'a | touch ran' '(a|touch ran)' '(a|(b|touch ran))' '#x' 'a #b' \
	"it's" 'say "x"' "it's \"x\"" '"q"' "'q'" '$1' '$#' '$?' '${x}' 'a=$1' 'a="$1"' 'a="${x}"' '$retval' 'a & b' \
	'x = y' 'a\' '\' "'" '"' '' '*' '-' 'else' 'a||b' '!x'; do
	operand "$word"
done
operand 'a
b' 'a\nb'
t events '(x|touch ran)'
is "$status" 1 'a pipe in parentheses is part of a word'
ok 'no operand has run anything' test ! -e ran

# operand_filter OPERAND..: is taken for one filter
operand_filter()
{
	t -n filter sched_switch "$@"
	is "status $status, $err" 'status 0, ' "filter as operands: $*"
	t filter sched_switch "$@"
	is "status $status, $(printf '%s\n' "$err" | grep -c 'is a recorded tree')" 'status 3, 1' \
		"and reaches the tree: $*"
}
operand_filter 'prev_pid == 1 && next_comm ~ "a*"'
operand_filter prev_pid '==' 1 '||' next_pid '==' 2
operand_filter "prev_comm == 'a # b ; c | d' || prev_comm == \"it's\""
operand_filter prev_comm '==' '"a b | c ; d # e"'
operand_filter '(prev_prio & (1|2)) == 3'
operand_filter '(prev_prio & (1 | 2))' '&&' 'prev_pid == 1'
operand_filter 'prev_comm == "$1 ${x}"'

t set time short -c systems
is "$status" 2 'options of tracesh stand before the command'
t systems
is "$(printf '%s\n' "$out" | head -n 1)" 'net       1  1' 'one command as operands'
t -- systems
is "$(printf '%s\n' "$out" | head -n 1)" 'net       1  1' 'and behind --'

# Nothing at all

: >empty.tsh
t empty.tsh
is "status $status, $out$err" 'status 0, ' 'an empty file'
t -c ' ;; # nothing'
is "status $status, $out$err" 'status 0, ' 'an empty command'
by_stdin /dev/null
is "status $status, $out$err" 'status 0, ' 'empty stdin'

# stdin is run as it comes

run sh -c "{ echo 'systems | head -n 1'; sleep 1; echo 'try source late'; } | '$TMP/tracesh' --tracefs '$TMP/tree'"
hear
is "$out" "net       1  1${newline}$(said late)" 'stdin in pieces'
printf 'try source whole' >no-newline.tsh
by_stdin no-newline.tsh
is "$out" "$(said whole)" 'stdin without a last newline'

# several -c are read to their end before the first one runs, as a file is

t -c 'let what = keep' -c 'help ${what}' -c nosuch -c 'help ${other}'
is "status $status, $out$err" "status 2, <-c 3>:1:1: error: unknown command 'nosuch'
  nosuch
  ^~~~~~
hint: tracesh help lists the commands
<-c 4>:1:6: error: unknown variable 'other'
  help \${other}
       ^~~~~~~~
hint: set it: let other = VALUE" 'nothing runs where a later -c cannot be read'
t -c 'let what = keep' -c 'help ${what}' -c 'alias other = help restore' -c other
is "status $status, $(printf %s "$out" | grep -c '^keep$\|^restore$'), $err" 'status 0, 2, ' 'a -c has what an earlier one has set'
echo 'let what = keep' >what.tsh
t -c 'help restore' -f what.tsh -c 'help ${what}'
is "status $status, $(printf %s "$out" | grep -c '^keep$\|^restore$'), $err" 'status 0, 2, ' 'and what a file between them has'
t --keep-going -c 'help keep' -c nosuch -c 'help restore'
is "status $status, $(printf %s "$out" | grep -c '^keep$\|^restore$')" 'status 2, 2' '--keep-going runs those that can be read'

done_testing
