#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --columns and set columns: which columns the lines of events have, and in which order.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

tree=$SRC/examples/recorded
[ -d "$tree" ] || skip_all 'no recorded tree'
export TZ=UTC
cd "$TMP" || exit 1
t() { run "$TRACESH" -q --tracefs "$tree" "$@"; }
# the lines of events
events() { printf '%s\n' "$out" | grep -v '^#'; }

t --columns time,comm,event,text -c drain
is "$status:$(events | head -n 3)" \
	'0:2026-11-21 08:56:57.764141 record-tree.sh  sched_process_fork   comm=record-tree.sh pid=124 child_comm=record-tree.sh child_pid=127
2026-11-21 08:56:57.764792 <idle>          sched_wakeup         comm=rcu_preempt pid=15 prio=120 target_cpu=000
2026-11-21 08:56:57.764971 <idle>          sched_switch         prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=rcu_preempt next_pid=15 next_prio=120' \
	'the chosen ones, aligned'
t --columns delta,pid,cpu,event -c drain
is "$(events | head -n 3)" \
	'   +0.000000     124   1 sched_process_fork
   +0.000651       0   0 sched_wakeup
   +0.000180       0   0 sched_switch' \
	'numbers stand right, the last column has no blanks behind it'
t --columns text,flags -c 'drain'
is "$(events | sed -n 2p)" 'sched_wakeup: comm=rcu_preempt pid=15 prio=120 target_cpu=000 dNs4.' \
	'without its column the name stands before the text, as usual'
t --columns task,time -c drain
is "$(events | sed -n 2p)" '          <idle>-0       2026-11-21 08:56:57.764792' 'task is as in the usual line'
t --columns time,event --time short --precision ns --show-error -c drain
like "$(events | sed -n 2p)" '^08:56:57\.764791[0-9]{3} \+-[0-9.]+us sched_wakeup$' 'times are those that are asked for'
t --columns time,event --time none -c drain
is "$(events | sed -n 2p)" ' sched_wakeup' 'none is no time'

# Each event, and those of show.
t --format csv -c drain
printf '%s\n' "$out" | sed 1d | awk -F, '{ sub(/.*:/, "", $9); sub(/^print$/, "tracing_mark_write", $9); print $5, $4, $8, $9 }' >want
t --columns pid,cpu,flags,event -c drain
events | sed 's/^ *//; s/  */ /g' >got
is "$(diff want got)" '' 'the columns hold what those of CSV hold'
t --columns pid,cpu,flags,event -c drain
events >drained
t --columns pid,cpu,flags,event -c show
events >shown
is "$(diff drained shown)" '' 'show has the same'
t --columns event,text -c show
like "$(events | grep -m 1 openat)" '^sys_enter_openat +sys_openat\(' 'a system call is its event'

t -c 'drain' -c 'set columns'
usual=$out
like "$usual" 'columns: +task,cpu,flags,time,event,text$' 'set columns shows the usual ones'
t -c 'set columns pid,event' -c "set columns ''" -c drain -c 'set columns'
is "$out" "$usual" "'' brings them back"
t -c 'set columns pid,event' -c 'set columns task,cpu,flags,time,event,text' -c drain -c 'set columns'
is "$out" "$usual" 'and so do their names'
for format in json csv kernel; do
	t --format "$format" -c drain
	printf '%s\n' "$out" | grep -v '"type":"end"' >want
	t --format "$format" --columns pid -c drain
	printf '%s\n' "$out" | grep -v '"type":"end"' >got
	is "$(diff want got)" '' "$format has its own columns"
done

# refuses LIST MESSAGE HINT
refuses()
{
	t --columns "$1" -c drain
	is "$status" 2 "'$1' is refused"
	like "$err" "$2" "'$1': why"
	like "$err" "$3" "'$1': what there is"
}
refuses tyme "there is no column 'tyme'" "did you mean 'time'"
refuses 'time,' "there is no column ''" 'task, comm, pid'
refuses 'time, pid' "there is no column ' pid'" "did you mean 'pid'"
refuses time,pid,time "the column 'time' is given twice" ''
t -c 'set columns pid,evnt'
like "$err" "set columns pid,evnt
 *\^" 'set marks the word'

# In colour tasks differ, and what is printed is the same without the sequences.
for columns in '' task,pid,comm,delta,event,text; do
	t --columns "$columns" -c drain
	printf '%s\n' "$out" >want
	t --columns "$columns" --color always -c drain
	printf '%s\n' "$out" | sed "s/$(printf '\033')\[[0-9;]*m//g" >got
	is "$(diff want got)" '' "colours change no text: ${columns:-usual}"
	like "$out" "$(printf '\033')\[2m *<idle>" 'idle tasks are dim'
	ok 'other tasks have several colours' \
		[ "$(printf '%s\n' "$out" | grep -Eo "$(printf '\033')\[(3|9)[2345]m" | sort -u | wc -l)" -gt 2 ]
done

run "$TRACESH" --tracefs "$SRC/examples/recorded" -c 'set columns time,foo,pid'
is "$(printf '%s\n' "$err" | sed -n 3p)" '                   ^~~' 'the caret is below the name that there is not'

done_testing
