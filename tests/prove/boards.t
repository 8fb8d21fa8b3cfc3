#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 1800
# Many boards: a batch file fanned out by GNU parallel and by pdsh over ssh, and lines through a mosquitto broker, merged.
# A board is an sshd in a namespace with a host name of its own; all of them trace this kernel.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/lib-ssh.sh"
need_sshd
command -v jq >/dev/null || skip_all 'no jq'
. "$SRC/tests/live/lib-live.sh"

boards='board1 board2 board3'
programs=40
each=$((programs + 1))
all=$((each * 3))
cd "$TMP" || exit 1

for board in $boards; do
	# shellcheck disable=SC2016 # for the inner shell
	start_sshd "$board" unshare -u sh -c 'echo "$0" >/proc/sys/kernel/hostname && exec "$@"' "$board" ||
		skip_all "nobody can log in by ssh here: $(head -n 1 "$TMP/ssh.err")"
done

# The same work on each: so many programs, which are all of the events.
work="i=0; while [ \$i -lt $programs ]; do /bin/true; i=\$((i + 1)); done"
echo "run sched_process_exec -- sh -c '$work'" | sed 's/\\//g' >x.tsh

# counts FILE: how many events of each host, "board1 41, .."
counts()
{
	jq -r 'select(.type == "event") | .host' "$1" | sort | uniq -c | awk '{ printf "%s%s %s", sep, $2, $1; sep = ", " }'
}

three="board1 $each, board2 $each, board3 $each"

# in_order FILE: each event's time, in the order of the lines
in_order()
{
	jq -r 'select(.type == "event") | .time' "$1" >times
	[ -s times ] && LC_ALL=C sort -c times
}

# summary FILE EXPRESSION
summary()
{
	jq -r "select(.type == \"merged\") | $2" "$1"
}

# whole FILE WHAT: nothing is lost, all in order, every stream has an end
whole()
{
	is "$(counts "$1")" "$three" "$2: the events of every board"
	ok "$2: in the order of the wall clock" in_order "$1"
	is "$(summary "$1" '[.events, .lost, .late, .cut, .bad_lines] | map(tostring) | join(" ")')" "$all 0 0 0 0" \
		"$2: nothing is lost, late or cut off"
	is "$(jq -r 'select(.type == "start") | .host' "$1" | sort | tr '\n' ' ')" 'board1 board2 board3 ' "$2: a start of each"
}

begin 'GNU parallel, a file for each board'
if command -v parallel >/dev/null; then
	# shellcheck disable=SC2086 # a list of words
	run parallel --will-cite -j 0 "ssh -F ssh.config {} '$TRACESH --json -f -' <x.tsh >{}.json" ::: $boards
	is "$status" 0 'parallel'
	is "$(cat board?.json | jq -r 'select(.type == "end") | .events' | awk '{ n += $1 } END { print n }')" "$all" \
		'what the boards say themselves'
	run "$TRACESH" --json merge board1.json board2.json board3.json
	cp out merged
	whole merged 'files'
	run "$TRACESH" merge board1.json board2.json board3.json
	is "$(grep -c '^board[123] ' out)" "$all" 'as text'
	# One kernel's clock: what the errors let be the other way round has a mark, and only that.
	is "$(grep -c '^board[123] .* ~20' out)" "$(summary merged .unordered)" 'the marks of text are those of JSON'
	# shellcheck disable=SC2086
	parallel --will-cite -j 0 --tag "ssh -F ssh.config {} '$TRACESH --json -f -' <x.tsh" ::: $boards 2>tag.err |
		"$TRACESH" --json merge --delay 1h - >merged 2>err
	whole merged 'parallel --tag'
else
	skip "$case_name" 'no parallel'
fi

begin 'pdsh, all in one pipe'
if command -v pdsh >/dev/null && pdsh -L 2>/dev/null | grep -q rcmd/ssh; then
	PDSH_SSH_ARGS_APPEND="-F $TMP/ssh.config" pdsh -R ssh -w 'board[1-3]' "$TRACESH --json run sched_process_exec -- sh -c '$work'" 2>pdsh.err |
		"$TRACESH" --json merge --delay 1h - >merged 2>err
	whole merged pdsh
else
	skip "$case_name" 'no pdsh with ssh'
fi

begin 'a board whose clock is wrong'
if preload shift-clock; then
	for board in $boards; do
		shift=0
		[ "$board" != board2 ] || shift=-3600
		s "$board" "env SHIFT_SECONDS=$shift 'LD_PRELOAD=$PRELOAD' '$TRACESH' --json -f -" <x.tsh >"$board.json" 2>"$board.err" &
		children="$children $!"
	done
	wait
	run "$TRACESH" --json merge board1.json board2.json board3.json
	cp out merged
	whole merged 'an hour behind'
	is "$(jq -r 'select(.type == "event") | .host' merged | head -n $each | sort -u)" board2 'its events are the first'
fi

begin 'a mosquitto broker'
if command -v mosquitto >/dev/null && command -v mosquitto_pub >/dev/null; then
	port=$(free_port)
	cat >broker.conf <<-CONFIG
		listener $port 127.0.0.1
		allow_anonymous true
		persistence false
		max_queued_messages 0
		user root
	CONFIG
	mosquitto -c broker.conf >broker.log 2>&1 &
	children="$children $!"
	true_that 'the broker listens' await sh -c "ss -Hltn 'sport = :$port' | grep -q ."
	mkfifo lines heard
	mosquitto_sub -h 127.0.0.1 -p "$port" -q 1 -F '%t\t%p' -t 'trace/#' >lines 2>sub.err &
	subscriber=$!
	children="$children $subscriber"
	tee raw <lines >heard &
	children="$children $!"
	"$TRACESH" --json merge --delay 1h - <heard >merged 2>err &
	merging=$!
	children="$children $merging"
	# until the subscription is there nothing would come of what is published
	true_that 'the subscriber hears' await sh -c "mosquitto_pub -h 127.0.0.1 -p $port -q 1 -t trace/test -m '{\"type\":\"note\",\"text\":\"x\"}' && sleep 0.2 && grep -q note raw"
	for board in $boards; do
		s "$board" "$TRACESH --json -f - | mosquitto_pub -h 127.0.0.1 -p $port -q 1 -l -t trace/\$(uname -n)" <x.tsh 2>"$board.err" &
		children="$children $!"
	done
	has_ends() { [ "$(grep -c '"type":"end"' raw)" = 3 ]; }
	true_that 'all of them come to their ends' await has_ends
	kill "$subscriber"
	ended "$merging"
	expect 0 'the end of the subscriber is the end of merge'
	whole merged 'through the broker'
else
	skip "$case_name" 'no mosquitto'
fi

finish
