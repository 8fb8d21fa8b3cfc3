#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each option and clause of each command that reads a recording: it holds there, or it is refused with what to type. One that
# the table does not have makes this fail; live/options.t has the same of what happens now.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

tree=$SRC/examples/recorded
[ -d "$tree" ] || skip_all 'no recorded tree'
command -v jq >/dev/null || skip_all 'no jq'
cd "$TMP" || exit 1
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs "$tree" "$@"
}

commands='stream drain show hist count latency'
# OPTION AS TYPED: for each of $commands how many events (of latency pairs, of hist and count those in rows) it leaves, which
# the kernel's text of the recording has; no: refused; -: the command has no such option
cat >table <<'END'
--after 1s --stop-when 'prev_state == D'|798 - - - - -
--before 1us --stop-when 'prev_state == D'|1 - - - - -
--buffer 1M|no - - no no no
--cpu 0|542 542 - 542 542 no
--drain|- - - 798 798 241
--every 1s|- - - no no no
--expect|798 - - - - -
--for 5s|no - - no no no
--heat|- - - no - no
--here|no - - no no no
--in-kernel|- - - no no no
--lag 1s|no - - - - -
--limit-rate 5|5 5 - - - -
--no-pushdown|798 - - 798 798 -
--pid 1|no - - no no no
--probe vfs_open|no - - no no no
--raw|798 798 - - - -
--since '2026-11-21T08:56:58Z'|147 147 147 - - -
--size 1|- - - 798 798 239
--slower 1ns|- - - - - 241
--stop-at 1ns|- - - - - 1
--stop-when 'prev_state == D'|6 - - - - -
--top 1|- - - 489 489 241
--until '2026-11-21T08:56:57Z'|- 651 651 - - -
--worst 1|- - - - - 241
-n 7|7 7 7 - - -
avg prev_prio|- - - 798 - -
by prev_prio|- - - 489 489 241
fields cpu|798 798 - - - -
if prev_prio == 5|no - - no no no
max prev_prio|- - - 798 - -
min prev_prio|- - - 798 - -
on pid=next_pid|- - - - - 241
sum prev_prio|- - - 798 - -
where prev_prio >= 0|489 489 - 489 489 -
END

# usage COMMAND: the options and clauses that it has, one a line
usage()
{
	"$TRACESH" --json -c "help $1" | sed 's/.*"usage":"\([^"]*\)".*/\1/' | tr '[' '\n' |
		sed -n 's/^\(-[-a-z]*[a-z]\|if\|where\|fields\|by\|on\|with\|sum\|avg\|min\|max\)\([] ].*\)\{0,1\}$/\1/p'
}

n=0
for command in $commands; do
	n=$((n + 1))
	awk -F '|' -v n=$n '{ split($2, cell, " "); split($1, word, " "); if (cell[n] != "-") print word[1] }' table |
		LC_ALL=C sort >known
	usage "$command" | grep -vx -e -o | LC_ALL=C sort >taken
	is "$(diff known taken)" '' "$command: the table has each option, and no other"
done

# left COMMAND: how many events are in what it has printed
left()
{
	case $1 in
	hist | count) jq -s 'map(.count // 0) | add' out ;;
	latency) jq -s 'map(select(.type == "pairs").pairs) | add' out ;;
	*) jq -s 'map(select(.type == "event" or .type == "fields")) | length' out ;;
	esac
}

while IFS='|' read -r typed cells; do
	# shellcheck disable=SC2086 # words
	set -- $cells
	for command in $commands; do
		wanted=$1
		shift
		[ "$wanted" != - ] || continue
		rest=
		case $command in latency) rest=' sched_wakeup sched_switch' ;; esac
		case $command/$typed in
		hist/--heat) rest=' by prev_prio.log2' ;;
		latency/if* | latency/by*) rest="$rest on pid=next_pid" ;;
		latency/on*) ;;
		latency/*) rest="$rest on pid=next_pid" ;;
		esac
		case $typed in -*) line="$command $typed$rest" ;; *) line="$command$rest $typed" ;; esac
		t --json -c "$line"
		case $wanted in
		no)
			is "$(case $status in [123]) echo refused ;; *) echo "$status" ;; esac)" refused "$line"
			case $typed in --probe*) ;; *) like "$err" '^hint: .' 'with what to type' ;; esac
			;;
		*) is "$status $(left "$command")" "0 $wanted" "$line" ;;
		esac
	done
done <table

# What to type does it.

t hist --for 5s by event
like "$err" 'error: --for is for new events; a recording has none' '--for of hist'
like "$err" '^hint: by time/1s has a row for each second' 'the way'
t --json hist by time/1s
is "$(jq -s -c 'map(.count // empty) | sort' out)" '[147,651]' 'has those of each second'
t stream --for 5s
like "$err" '^hint: drain --since WHEN --until WHEN prints a part of them' '--for of stream'
t latency --every 500ms sched_wakeup sched_switch on pid=next_pid
like "$err" '^hint: by time/1s has a row for each second' '--every of latency'
t --json latency sched_wakeup sched_switch on pid=next_pid by time/500ms
is "$(jq -s 'map(.key // empty) | length' out)" 2 'has them'
t hist --in-kernel sched_switch by prev_prio
like "$err" 'error: --in-kernel is for new events; a recording has none' 'no kernel is blamed for a recording'
t stream --pid 1
like "$err" '^hint: where pid == TASK chooses in a recording' 'tasks of a recording'

done_testing
