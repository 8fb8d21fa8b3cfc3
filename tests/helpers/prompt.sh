# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of the prompt, behind tests/lib.sh: a terminal of its own and a recorded tree, no root.

python=$(command -v python3) || skip_all 'no python3'
tree=$SRC/examples/recorded
[ -d "$tree" ] || skip_all 'no recorded tree'
program=$TRACESH
export XDG_CONFIG_HOME="$HOME/config"
mkdir -m 700 "$XDG_CONFIG_HOME"
unset TRACESH_PAGER LESS CLICOLOR_FORCE FORCE_COLOR

# at_prompt ARG..: runs $program with the script of pty.py on stdin, on $tree or its own --tracefs; leaves the screen in $out
at_prompt()
{
	case " $* " in *' --tracefs '*) ;; *) set -- --tracefs "$tree" "$@" ;; esac
	run "$python" -I "$SRC/tests/helpers/pty.py" "$program" -q "$@"
	# shellcheck disable=SC2154 # run sets them
	[ "$status" -ne 0 ] || return 0
	fail 'all that is expected at the prompt comes'
	diag "$out
$err"
}

# each_build FUNCTION: calls it for this build and, where there is one, for that without readline; its
# argument is how that is called in the tests' names
each_build()
{
	case $("$TRACESH" --version) in
	*'(readline'*) "$1" readline ;;
	*) "$1" 'no readline' ;;
	esac
	if [ -x "$BUILD/other/static/src/tracesh" ]; then
		program=$BUILD/other/static/src/tracesh
		"$1" 'no readline'
		program=$TRACESH
	fi
}
