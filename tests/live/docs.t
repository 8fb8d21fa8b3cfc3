#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1800
# Each command that README.md and the pages of docs show works, or says what they say that it says. Those that are also examples of
# the help are run by examples.t.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

tab=$(printf '\t')
limit=30
[ ! -e /run/vm/main ] || limit=120
cd "$TMP" || exit 1
awk -f "$SRC/tests/helpers/docs-examples.awk" "$SRC/README.md" "$SRC"/docs/*.md >shown
"$TRACESH" --help-examples | cut -f 2- | sort -u >helped

# What the pages name: a process, a recording, and what two boards have sent
sleep 1000 &
named=$!
at_exit "kill $named"
cp -r "$SRC/examples/recorded" DIR && chmod -R u+w DIR
cp "$SRC/examples/packets.tsh" FILE
for board in board1 board2; do
	"$TRACESH" --json --tracefs DIR drain 2>/dev/null | sed "s/\"host\":\"[^\"]*\"/\"host\":\"$board\"/" >"$board.json"
done
"$TRACESH" -i "$I" save settings.tsh >save.log 2>&1

# left_out COMMAND: prints why it is not run here; nothing when it is
left_out()
{
	case $1 in
	*' &' | jobs | 'kill 1' | '') echo 'for the prompt only: live/jobs' ;;
	undo | redo | restore | keep | journal | recover) echo 'there is nothing to take back: live/undo' ;;
	'reset all' | 'functions filter '* | 'tracer function' | 'append set_ftrace_filter '*) echo 'for the top-level instance: live/reset, live/functions' ;;
	'recipes '* | drops.tsh | 'source drops.tsh') echo 'live/recipes' ;;
	*wakeup_lat* | synth*) echo 'of two commands: live/synth' ;;
	pid\ *) echo 'live/pid' ;;
	record*) echo 'live/record' ;;
	--dry-run*) echo 'live/dry-run' ;;
	'time Nov '*) echo 'a time before this machine ran: live/time' ;;
	esac
}

# adapted COMMAND: with names of this test, and for a moment where it would go on until Ctrl-C
adapted()
{
	printf '%s\n' "$1" | sed -E "s/slowd/$named/g; s/--for [0-9]+(h|s|ms)/--for 200ms/
		s/^watch /watch --count 1 /
		/--for|-n [0-9]/!s/^(stream|hist|count|latency|stacks|profile|graph|sql)( |\$)/\1 --for 200ms /
		s/ -n [0-9]+ / --for 200ms /"
}

# run_shown KIND COMMAND: in an instance of this test
run_shown()
{
	if [ "$1" = program ]; then
		eval "set -- $2"
	else
		set -- -c "$2"
	fi
	case " $* " in
	*' --tracefs '* | *' merge '* | *' --private '*) run timeout -k 5 "$limit" "$TRACESH" "$@" </dev/null ;;
	*) run timeout -k 5 "$limit" "$TRACESH" -i "$I" --restore "$@" </dev/null ;;
	esac
}

begin 'the pages show commands'
true_that 'many' test "$(wc -l <shown)" -gt 100
for page in README.md tutorial.md events-and-filters.md analysis.md boards.md tasks.md time.md; do
	true_that "$page has some" grep -q "^$page:" shown
done

last=
: >ran
while IFS=$tab read -r place kind command hint <&3; do
	case $place in
	"$last":*) ;;
	*)
		last=${place%%:*}
		begin "$last"
		fresh
		;;
	esac
	! grep -qxF -e "$command" helped || continue
	# once for all pages
	! grep -qxF -e "$command" ran || continue
	printf '%s\n' "$command" >>ran
	[ -z "$(left_out "$command")" ] || continue
	run_shown "$kind" "$(adapted "$command")"
	# that of the program that it runs, and of a finding
	want=0
	case $command in *' cat /nowhere' | doctor) want=1 ;; esac
	if why=$(grep -Em 1 'error: (this kernel|the kernel refuses the (probe|write))|not permitted' "$TMP/err"); then
		skip "$place: $command" "$why"
	elif [ -z "$hint" ]; then
		expect $want "$place: $command"
	else
		like "$err" "^${hint%%\?*}\?" "$place: $command: the error that it shows"
	fi
done 3<shown

finish
