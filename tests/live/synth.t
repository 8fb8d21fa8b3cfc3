#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# needs synthetic
# synth: events of two others, as many as there are pairs; that all of it goes again; what is wrong, and where.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
[ -e "$TRACING/synthetic_events" ] || skip_all 'this kernel has no synthetic events'

LC_ALL=C
export LC_ALL
nothing_left() { ! grep -q live_ "$TRACING/synthetic_events" && [ -z "$(ls -d "$TRACING"/instances/synth-live_* 2>/dev/null)" ]; }

begin 'a pair, an event'
cp /bin/true "$TMP/synth-one"
t synth live_run sched_process_exec sched_process_exit on pid with filename,prio if 'filename ~ "*/synth-one"'
expect 0 'is made'
says "^the event 'synthetic:live_run' is there" 'it is said'
start "$TMP/stream" "$TRACESH" --json stream live_run
stream=$child
await is_streaming "$stream"
for i in 1 2 3 4 5 6 7; do "$TMP/synth-one"; done
/bin/true
kill -INT "$stream"
ended "$stream"
out=$(cat "$TMP/stream")
same "$(printf '%s\n' "$out" | grep -c '"event":"synthetic:live_run"')" 7 'seven programs'
prints '"fields":\{.*"lat":[1-9][0-9]*,"pid":[1-9][0-9]*,"filename":"[^"]*/synth-one","prio":[0-9]+\}' 'with time, key and fields'
t synth list
prints '^live_run  *u64 lat; pid_t pid; ' 'it is listed'
prints '  synth-live_run$' 'with the instance'
t synth live_run sched_process_exec sched_process_exit
expect 1 'a second one of the name'
says '^hint: synth delete live_run' 'is refused'
t synth delete live_run
expect 0 'is deleted'
true_that 'nothing of it is left' nothing_left

begin 'it goes for good'
t synth live_wake wakeup
expect 0 'one that stays'
t -c 'synth delete live_wake' -c undo
says 'undo brings neither back' 'delete says so'
unlike "$err" 'taken back' 'nor does it'
true_that 'nothing of it is left' nothing_left

begin 'the way back'
t -c 'synth live_wake wakeup with comm' -c undo
expect 0 'undo'
true_that 'takes all of it' nothing_left
t --restore -c 'synth live_wake wakeup' -c 'synth live_cpu sched_switch sched_switch on cpu,prev_pid=next_pid'
expect 0 'two of them, one of one event'
true_that '--restore takes them back' nothing_left
start "$TMP/killed" "$TRACESH" -c 'synth live_wake wakeup' -c 'wait 60s'
killed=$child
is_made() { grep -q next_pid "$TRACING/instances/synth-live_wake/events/sched/sched_switch/trigger"; }
await is_made
kill -TERM "$killed"
ended "$killed"
true_that 'SIGTERM, too' nothing_left
start "$TMP/killed" "$TRACESH" -c 'synth live_wake wakeup' -c 'wait 60s'
killed=$child
await is_made
kill -KILL "$killed"
wait "$killed" 2>/dev/null
await let_go
t recover
expect 0 'recover after SIGKILL'
true_that 'finds it' nothing_left

begin 'known pairs, short names'
set -- 'wakeup with target_cpu' 'off-cpu with prev_comm' 'irq with name' 'softirq' 'syscall read with fd,count' 'syscall'
[ -z "${TRACESH_VM_SAMPLE-}" ] || set -- 'off-cpu with prev_comm' 'syscall read with fd,count'
for pair; do
	t --restore -c "synth live_pair $pair" -c 'hist --for 100ms live_pair by lat.log2'
	expect 0 "$pair"
done
true_that 'nothing of them is left' nothing_left

begin 'explained, and as a script'
t explain synth live_run syscall read with fd
expect 0 'explain'
prints '^synthetic_events +live_run u64 lat; ' 'the event'
prints '^instances/synth-live_run/events/syscalls/sys_exit_read/trigger +hist:keys=common_pid:.*:onmatch\(syscalls\.sys_enter_read\)\.trace\(live_run,' 'the trigger'
t --dry-run synth live_run wakeup
expect 0 'a script'
prints "^add synthetic_events 'live_run u64 lat; pid_t next_pid'" 'has the same'
true_that 'nothing is made' nothing_left

begin 'what is wrong'
refused()
{
	want=$1 pattern=$2
	shift 2
	t -c "$*"
	expect "$want" "$*"
	says "$pattern" "$*: is said"
	says '\^' "$*: with a caret"
}
refused 2 "'1st' cannot be an event's name" synth 1st wakeup
refused 2 "'ab' is too short" synth ab wakeup
refused 2 'missing the two events' synth live_x
refused 1 'they are never equal' synth live_x sched_waking sched_switch on pid=next_comm
refused 1 'is no field of it' synth live_x wakeup with 'pid*2'
refused 1 'Field not found' synth live_x wakeup if 'nosuch == 1'
refused 1 "there is no synthetic event 'live_x'" synth delete live_x
refused 2 'missing the event' synth delete
true_that 'nothing of it is left' nothing_left
finish
