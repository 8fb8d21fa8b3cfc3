#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 600
# The completions of bash, zsh and fish: each in its shell, on a terminal where it wants one.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3)
cd "$TMP" || exit 1
# Lines are made of them, and they may have blanks.
ln -s "$SRC/examples/recorded" recorded
ln -s "$SRC/completions" completions
tree=recorded
mkdir bin
ln -s "$TRACESH" bin/tracesh
PATH=$TMP/bin:$PATH
# The shells ask the program without --tracefs of ours where the line has none.
asked="--tracefs $tree"

# What they ask

complete()
{
	run "$TRACESH" --complete -- "$@"
	out=$(cut -f 1 "$TMP/out" | tr '\n' ' ')
}
"$TRACESH" --help | grep -oE '(^|[ ,])--?[a-zA-Z-]+( |$)' | tr -d ' ,' | grep -v '^-*$' | grep -v '^--$' | sort -u >usage
run "$TRACESH" --complete -- -
for option in $(cat usage); do
	ok "$option is offered" grep -q "^$option	." out
done
complete --fo
is "$out" '--format ' 'an option of the program'
complete --format c
is "$out" 'csv ' 'its value'
complete --tracefs "$tree" info sched_s
is "$out" 'sched_switch ' 'behind --tracefs its events'
complete -q --tracefs "$tree" -c 'info sched_s'
is "$out" 'info sched_switch ' 'in the text of -c'
complete -i nosuchinstance info sched
is "$out$err" '' 'an instance that is not there: nothing, and nothing said'
complete --tracefs "$tree" -I nosuchinstance info sched_s
is "$out" 'sched_switch ' 'one that -I will make'
complete "$SRC/examples/packets.tsh" "$SRC/examples/fir"
is "$out" "$SRC/examples/first-look.tsh " 'arguments of a file are files'
printf '#!/bin/sh\n' >bin/zz-program
chmod +x bin/zz-program
: >bin/zz-text
complete run -- zz
is "$out" 'zz-program ' 'what is executed is looked for in PATH'
complete run -- bin/zz
is "$out" 'bin/zz-program ' 'or has a path'
complete run -- env bin/zz
is "$out" 'bin/zz-program bin/zz-text ' 'its arguments are any files'

# bash

if command -v bash >/dev/null; then
	ok 'bash: the file can be read' bash -n "completions/bash/tracesh"
	# in_bash LINE: the replies
	in_bash()
	{
		run bash --norc --noprofile -c '
			. "$1"
			COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9
			# as readline cuts it: the breaks are words of their own
			read -r -a COMP_WORDS <<<"$(printf %s "$2" | sed "s/[:=]\\+/ & /g")"
			case $2 in *" ") COMP_WORDS+=("") ;; esac
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_tracesh tracesh
			printf "%s\n" "${COMPREPLY[@]}"' bash "completions/bash/tracesh" "$1"
	}
	in_bash "tracesh $asked inf"
	is "$err$out" info 'bash: a command'
	in_bash "tracesh $asked info sched_sw"
	is "$err$out" sched_switch 'bash: an event'
	in_bash "tracesh $asked info sched:sched_sw"
	is "$err$out" sched_switch 'bash: behind the colon only what stands behind it'
	in_bash "tracesh $asked enable sched_switch if prev_pid "
	is "$err$(printf '%s\n' "$out" | grep -c .)" 7 'bash: operators'
	in_bash "tracesh $asked nosuch x"
	is "$err$out" '' 'bash: nothing'
	if [ -n "$python" ]; then
		run env PS1='$ ' "$python" -I "$SRC/tests/helpers/pty.py" bash --norc --noprofile -i <<S
expect [\$#] 
send . completions/bash/tracesh\\r
expect [\$#] 
send tracesh $asked info sched:sched_sw\\t
expect sched:sched_switch 
send \\x15tracesh $asked -n enable sched_switch if 'prev_pid > 0 && next_pi\\t
expect next_pid
send \\x15exit\\r
S
		is "$status" 0 'bash: TAB on a terminal'
		[ "$status" -eq 0 ] || diag "$out$err"
	fi
else
	skip 'bash' 'no bash'
fi

# zsh

if command -v zsh >/dev/null && [ -n "$python" ]; then
	ok 'zsh: the file can be read' zsh -n "completions/zsh/_tracesh"
	run env PS1='$ ' ZDOTDIR="$TMP" "$python" -I "$SRC/tests/helpers/pty.py" zsh -f -i <<S
expect [\$%#] 
send PS1='> '; fpath=(completions/zsh \$fpath); autoload -U compinit; compinit -u -D\\r
expect > 
send tracesh $asked info sched:sched_sw\\t
expect sched:sched_switch
send \\r
expect prev_comm
send tracesh $asked sta\\t\\t
expect status +-- 
send \\x15
expect >
send exit\\r
S
	is "$status" 0 'zsh: TAB on a terminal'
	[ "$status" -eq 0 ] || diag "$out$err"
else
	skip 'zsh' 'no zsh, or no python3'
fi

# fish

if command -v fish >/dev/null; then
	ok 'fish: the file can be read' fish --no-config -n "completions/fish/tracesh.fish"
	in_fish()
	{
		run fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "completions/fish/tracesh.fish" "$1"
	}
	in_fish "tracesh $asked inf"
	like "$out" '^info	show the fields' 'fish: a command, with its description'
	in_fish "tracesh $asked info sched:sched_sw"
	like "$out" '^sched:sched_switch	prev_comm' 'fish: an event, with its fields'
	in_fish "tracesh $asked enable sched_switch if prev_state == "
	like "$out" '^1	S$' 'fish: a value, with its name'
else
	skip 'fish' 'no fish'
fi

# Where they go

run make -C "$BUILD" -n install-dist_bashcompletionDATA install-dist_zshcompletionDATA install-dist_fishcompletionDATA
if [ "$status" -eq 0 ]; then
	like "$out" 'bash-completion/completions' 'bash finds it'
	like "$out" 'zsh/site-functions' 'zsh finds it'
	like "$out" 'fish/vendor_completions.d' 'fish finds it'
else
	skip 'where they are installed' 'no build tree'
fi
done_testing
