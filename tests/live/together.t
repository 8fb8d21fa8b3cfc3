#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# in a guest of its own
# time limit: 1200
# Two sessions at once, in the same instance, on partly the same files, with undo and redo: neither takes back what the
# other one has set. 150 random commands each; TRACESH_TOGETHER=1000 makes more, TRACESH_SEED=N the same ones again.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
# a guest is ten times slower
[ ! -e /run/vm/main ] || export TRACESH_TOGETHER="${TRACESH_TOGETHER:-60}"
. "$SRC/tests/live/lib-live.sh"

commands=${TRACESH_TOGETHER:-150}
seed=${TRACESH_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}

# generate WHO NUMBER PID PID: WHO's commands. Values are 1000 and so on in the first one's, 2000 in the second one's, and
# never the initial ones: so that each value in a file tells whose it is. What can only be on or off both only set on, but
# for one option and one event that are WHO's alone.
generate()
{
	awk -v who="$1" -v n="$2" -v seed="$seed" -v one="$3" -v two="$4" -v percent="$([ -e "$D/buffer_percent" ] && echo 1)" '
		function pick(count) { return int(rand() * count) }
		function word(list, parts) { return parts[1 + pick(split(list, parts, "|"))] }
		BEGIN {
			srand(seed + who)
			base = who * 1000
			# More than any pid: a trigger that fires changes tracing_on, and its own count.
			nobody = who * 10000000
			own_event = who == 1 ? "sched:sched_process_fork" : "sched:sched_process_exec"
			own_option = who == 1 ? "sym-addr" : "hex"
			own_line = who == 1 ? "signal:signal_deliver" : "oom:oom_score_adj_update"
			own_kind = who == 1 ? "stacktrace" : "traceoff:7"
			while (n-- > 0) {
				c = pick(16)
				if (c < 2) print "filter", word("sched:sched_switch|sched:sched_process_exit"), "common_pid ==", nobody + pick(3)
				else if (c == 2) print "enable", word("task:task_rename|signal:signal_generate|" own_event)
				else if (c == 3) print "disable", own_event
				else if (c == 4) print "option", word("record-tgid|sym-offset|" own_option), "on"
				else if (c == 5) print "option", own_option, "off"
				else if (c == 6) print "pid add --no-fork", word(one "|" two)
				else if (c == 7) print "append events/task/task_newtask/trigger", own_kind, "if common_pid ==", nobody + pick(3)
				else if (c == 8) print "append events/sched/sched_process_exit/trigger stacktrace if common_pid ==", nobody + pick(3)
				else if (c == 9) print "cpus", who - 1
				else if (c == 10) print "write per_cpu/cpu0/buffer_size_kb", base / 5 + 60 * pick(3)
				else if (c == 11 && percent) print "write buffer_percent", who * 20 + pick(3)
				else if (c == 12) print "append set_event", own_line
				else if (c == 13) print word("undo|undo|undo 2|undo 3")
				else if (c == 14) print word("undo\nredo|undo 2\nredo|undo 3\nredo 2")
				else print word("redo|redo 2")
			}
		}'
}

# state: of the case's instance, a line each
state()
(
	cd "$D" || exit 1
	grep -aHs '' tracing_on current_tracer trace_clock per_cpu/cpu?/buffer_size_kb buffer_percent tracing_cpumask \
		options/* set_event set_event_*pid set_ftrace_*pid events/sched/*/enable events/task/*/enable \
		events/signal/*/enable events/oom/*/enable events/sched/*/filter events/sched/*/trigger \
		events/task/*/trigger | grep -av '/trigger:#'
)

# settled FILE: the state, when it reads the same twice
settled()
{
	await same_twice "$1" || fail "$case_name: the state settles"
}

same_twice()
{
	state >"$1" && state >"$1.again" && cmp -s "$1" "$1.again"
}

# reported FILE LOG..: a session has said that it left the file
reported()
{
	reported_file=$1
	shift
	grep -Fq -- "instances/$I/$reported_file: " "$@"
}

# stands FILE TEXT: what was written is there
stands()
{
	case $1 in
	*/trigger | set_event) grep -Fq -- "${2##*if }" "$D/$1" ;;
	set_event_pid | set_ftrace_pid) grep -Fqx -- "$2" "$D/$1" ;;
	*/buffer_size_kb)
		stands_size=$(cat "$D/$1")
		[ "$stands_size" -ge "$2" ] && [ "$stands_size" -lt $(($2 + 8)) ]
		;;
	tracing_cpumask) [ $((0x$(tr -d , <"$D/$1"))) -eq $((0x$2)) ] ;;
	*/enable) [ "$(tr -d '*' <"$D/$1")" = "$2" ] ;;
	*) [ "$(cat "$D/$1")" = "$2" ] ;;
	esac
}

begin "two sessions, $commands commands each"
[ -d "$TRACING/per_cpu/cpu1" ] || skip_all 'one CPU: there are no two masks'
fresh
diag "TRACESH_TOGETHER=$commands TRACESH_SEED=$seed"
cat "$TRACING/events/sched/sched_switch/enable" >/dev/null
echo 'common_pid == 9' >"$D/events/sched/sched_switch/filter"
settled "$TMP/state-was"
for who in 1 2; do
	sleeper
	first=$sleeper
	sleeper
	generate $who "$commands" "$first" "$sleeper" >"$TMP/batch$who"
done
cat >>"$TMP/batch2" <<END
set format json
journal -v -o $TMP/journal
set format text
wait 500s
END
start "$TMP/1" "$TRACESH" -i "$I" --restore --keep-going -f "$TMP/batch1"
one=$child
start "$TMP/2" "$TRACESH" -i "$I" --restore --keep-going -f "$TMP/batch2"
two=$child
wait "$one"
status=$?
true_that 'the first one ends, as a batch that went on' test $status -le 1
await test -s "$TMP/journal" || fail "$case_name: the second one comes to its end"
# What the second one has set, and what of it is still in its journal: the last text of each file.
sed -n 's/.*"file":"\([^"]*\)".*"written":"\([^"]*\)".*/\1	\2/p' "$TMP/journal" |
	awk -F '\t' '{ if ($1 ~ /set_event|_pid|trigger/) print; else last[$1] = $2 } END { for (f in last) print f "\t" last[f] }' >"$TMP/stands"
kept=0 lost=0
while IFS='	' read -r file text; do
	if stands "$file" "$text"; then
		kept=$((kept + 1))
	elif ! reported "$file" "$TMP/1.err" "$TMP/2.err"; then
		lost=$((lost + 1))
		diag "$file: '$text' is gone: $(cat "$D/$file")"
		grep -F "$file" "$TMP/journal" "$TMP/1.err" "$TMP/2.err" | diag
		grep -n "${file##*/}\|undo\|redo" "$TMP/batch1" "$TMP/batch2" | diag
	fi
done <"$TMP/stands"
is "$lost" 0 "$case_name: what the second one has set stands when the first one has taken back all of its own"
kill -INT "$two"
ended "$two" || :
true_that 'the second one ends as well' test "$status" -le 1
settled "$TMP/state-is"
diff "$TMP/state-was" "$TMP/state-is" | sed -n 's/^[<>] \([^:]*\):.*/\1/p' | sort -u >"$TMP/differs"
unsaid=0
while read -r file; do
	reported "$file" "$TMP/1.err" "$TMP/2.err" && continue
	unsaid=$((unsaid + 1))
	[ $unsaid -le 10 ] || continue
	diag "$file is not what it was, and nobody has said so"
	diff "$TMP/state-was" "$TMP/state-is" | grep -F " $file:" | diag
done <"$TMP/differs"
is "$unsaid" 0 "$case_name: everything is as it was, or was reported"
true_that 'no file differs that only one of them touched' \
	sh -c "! grep -E 'sched_process_(fork|exec)/enable|options/(sym-addr|hex)|oom|signal_deliver' '$TMP/differs'"
# What one has left since it was the other one's by then: now that both are gone, it is taken back in turns, but for a value
# that both found and left more than once.
before=$(wc -l <"$TMP/differs")
run "$TRACESH" recover --all
settled "$TMP/state-is"
diff "$TMP/state-was" "$TMP/state-is" | sed -n 's/^[<>] \([^:]*\):.*/\1/p' | sort -u >"$TMP/differs"
true_that 'recover takes back what each has left for the other' test "$(wc -l <"$TMP/differs")" -le "$before"
"$TRACESH" recover --all --forget -q 2>"$TMP/forget.err"
is "$(ls /run/tracesh)" '' "$case_name: the journals are gone when that is given up"
for who in 1 2; do
	diag "session $who: $(grep -c 'taken back' "$TMP/$who.err") times taken back, $(grep -c 'made again' "$TMP/$who.err") times again," \
		"$(grep -c 'changed by somebody else' "$TMP/$who.err") reports, $(grep -c 'error:' "$TMP/$who.err") errors"
done
diag "$kept settings of the second one stood, $before files differ at the end, $(wc -l <"$TMP/differs") after recover"

finish
