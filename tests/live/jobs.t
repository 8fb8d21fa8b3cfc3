#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 600
# Commands with '&' behind them: what they print, what they take back, and when they end.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

cd "$TMP" || exit 1

no_job_left()
{
	no_own_instance
}

# runs WORD: some program has it among its arguments
runs()
{
	grep -qs "$1" /proc/[0-9]*/cmdline
}

begin 'a job of a batch'
t -c 'stream sched_switch -o events &' -c 'cat tracing_on | until grep -q sched_switch: events; do sleep 0.05; done' \
	-c 'jobs -o listed; kill 1; jobs'
expect 0 'it runs beside the batch, and is ended'
says '^\[1\] stream sched_switch -o events$' 'its number is said'
says '^[0-9,]+ events?, [0-9]+ lost, ' 'it says what it printed'
says '^no job runs' 'it has ended when kill returns'
like "$(cat events)" ': sched_switch: ' 'what it printed is in its file'
like "$(cat listed)" '^1  [0-9]+  stream sched_switch -o events$' 'jobs lists it'
true_that 'nothing of it is left' no_job_left

begin 'its end'
for seconds in 2 20; do
	t -c 'stream sched_switch -n 3 &' -c "wait ${seconds}s" -c 'jobs'
	# a guest may need longer
	! grep -q 'no job runs' "$TMP/err" || break
done
expect 0 'one that ends by itself'
says '^3 events, ' 'has done its work'
says '^no job runs' 'and is gone'
t -c 'stream sched_switch -o events &'
expect 0 'the end of the batch ends it'
says '^[0-9,]+ events?, ' 'in order'
true_that 'nothing of it is left' no_job_left
t -c 'stream sched_switch -o events &; stream sched_waking -o others &; wait 200ms; kill 2; jobs'
expect 0 'of two one is ended'
like "$out" '^1  [0-9]+  stream sched_switch' 'the other one runs'
t -c 'stream sched_switch -o events &; stream sched_waking -o others &; status -o listed; kill all; jobs; status'
expect 0 'all are ended'
like "$(cat listed)" '^jobs: +2 in the background' 'status knows of them'
says '^no job runs' 'none is left'
unlike "$out" '^jobs:' 'for status, too'
rm -f events
# this test may run twice at once
t -c "run -o events sched_switch -- sleep 77.$$ &" \
	-c 'cat tracing_on | until grep -qs "comm=sleep " events; do sleep 0.05; done' -c 'kill 1'
expect 0 'run'
false_that 'its program has ended too' runs "77.$$"
t -c 'kill 1'
expect 1 'there is no job'
says '^<-c 1>:1:6: error: no job has that number$' 'which is said'

begin 'its settings'
fresh
t -i "$I" -c 'stream sched_waking -o events &; wait 100ms; enable sched:sched_process_fork; kill 1' -c 'journal'
expect 0 'what is typed meanwhile'
file_is events/sched/sched_process_fork/enable 1 'is not taken back with the job'
unlike "$out" 'sched_waking' 'the journal knows nothing of the job'
t -i "$I" -c 'disable sched:sched_process_fork' -c 'stream --here sched_waking -o events &' \
	-c "cat tracing_on | until grep -q 1 $D/events/sched/sched_waking/enable; do sleep 0.05; done" \
	-c 'cat events/sched/sched_waking/enable; kill 1; cat events/sched/sched_waking/enable'
expect 0 '--here'
is "$out" '1
0' 'what the job changes it takes back'
rm events
t -i "$I" -c 'stream -o events &' -c 'cat tracing_on | until [ -s events ]; do sleep 0.05; done' -c drain
expect 1 'a buffer that a job reads'
says 'another tracesh is reading the events' 'is read by nobody else'
t -i "$I" -c 'enable sched_switch' -c 'stream -o events &' \
	-c 'cat tracing_on | until grep -q sched_switch: events; do sleep 0.05; done' -c 'kill 1' -c 'disable sched_switch'
expect 0 'the current buffer'
like "$(cat events)" ': sched_switch: ' 'a job reads it as well'
t -i "$I" -c 'enable sched_switch' -c 'wait 100ms' -c 'stream -n 1 -o events' \
	-c 'stream -n 1 -o events sched_switch &; wait 2s' -c 'disable sched_switch'
expect 0 'what was read ahead'
is "$(printf '%s\n' "$err" | grep -c 'read from the buffer and not printed')" 1 \
	'is said by the session, not by a job of another instance'

begin 'what is wrong'
t -c 'status &'
expect 2 'not every command'
says "^<-c 1>:1:8: error: 'status' does not run in the background$" 'is one for it'
t -c 'stream no_such_event &'
expect 1 'a mistake'
says "^<-c 1>:1:8: error: unknown event 'no_such_event'$" 'is said at once'
t -c 'run sched_switch -- no-such-program &; wait 5s'
expect 0 'a job fails on its own'
says '^job:1:21: error: ' 'and says why'
t -c "let x='&'; stream -n 1 -o events sched_switch if prev_prio & 0xff; show -o shown"
expect 0 'an & elsewhere is none'
true_that 'nothing is left' no_job_left

begin 'tracesh is killed'
: >listed
"$TRACESH" -c 'stream sched_switch -o events &; jobs -o listed; wait 60s' 2>/dev/null &
children=$!
tries=100
until [ -d "$TRACING/instances/tracesh-$(awk '{ print $2 }' listed)-1" ] || [ "$tries" -eq 0 ]; do
	sleep 0.1
	tries=$((tries - 1))
done
true_that 'the job has its instance' test -d "$TRACING/instances/tracesh-$(awk '{ print $2 }' listed)-1"
kill -9 "$children"
wait "$children" 2>/dev/null
children=
tries=100
while [ -d "$TRACING/instances/tracesh-$(awk '{ print $2 }' listed)-1" ] && [ "$tries" -gt 0 ]; do
	sleep 0.1
	tries=$((tries - 1))
done
true_that 'the job is gone with it, and has taken back what it had' no_own_instance

begin 'at the prompt'
fresh
if [ -n "$PYTHON" ]; then
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q <<'S'
expect > $
send stream sched_process_fork if comm == "sh" &\r
expect instance own
send stat
expect > stat$
send \x15!ls / >/dev/null; true\r
expect sched_process_fork: comm=
expect > $
send jobs\r
expect stream sched_process_fork
expect > $
send kill 1; jobs -o none\r
expect > $
send stream sched_switch -o events &\r
expect > $
send quit\r
S
	is "$status" 0 'a job prints above the line' || diag "$out"
	is "$(cat none)" '' 'and has ended when kill returns'
	like "$out" '^\[exit 0\]$' 'leaving ends what still runs'
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q <<'S'
expect > $
send stream sched_switch &\r
expect instance own
send \x03
expect \^C
expect sched_switch: prev_comm
send \x15kill 1; let it = ended\r
expect ended
expect > $
send quit\r
S
	is "$status" 0 'Ctrl-C is not for jobs' || diag "$out"
	true_that 'nothing is left' no_job_left
	# The line that is typed is wrapped, and stays whole below what is printed; also in a window that has become narrower.
	TERM=xterm run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q --color never <<'S'
expect > $
size 24 60
send set hints off; stream sched_switch &\r
expect instance own
send help xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx yyyyyyyyy
expect sched_switch: prev_comm(?s:.*)sched_switch: prev_comm
size 24 40
expect sched_switch: prev_comm(?s:.*)xxxxx yyyyyyyyy
send \r
expect unexpected 'yyyyyyyyy
send kill 1; let it = ended\r
expect ended
expect > $
send quit\r
S
	is "$status" 0 'a job prints above a wrapped line' || diag "$out"
	# What is watched stays at the end of the screen: erased, the job's lines, drawn again.
	TERM=xterm run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q -i "$I" --color never <<'S'
expect > $
send stream sched_switch -n 2000 &\r
expect instance own
send watch 60s cat tracing_on\r
expect 1\x1b\[K(?s:.*)every 60s, 1 so far, q ends
expect \x1b\[1A\r\x1b\[J(?s:.*)sched_switch: (?s:.*)1\x1b\[K(?s:.*)every 60s, 1 so far, q ends
send q
expect > $
send kill 1; let it = ended\r
expect ended
expect > $
send quit\r
S
	is "$status" 0 'a job prints above what is watched' || diag "$out"
	# A pager that has the screen for a second
	printf '#!/bin/sh\ncat >/dev/null\necho pager begins\nsleep 1\necho pager ends\n' >pager
	chmod +x pager
	TERM=xterm NO_COLOR=1 PAGER="$TMP/pager" run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q <<'S'
expect > $
send stream sched_switch &\r
expect sched_switch: prev_comm
send help time; cat README\r
expect pager ends
expect sched_switch: prev_comm
send \x15kill 1; let it = ended\r
expect ended
expect > $
send quit\r
S
	is "$status" 0 'a job and a pager' || diag "$out"
	is "$(printf '%s\n' "$out" | sed -n '/pager begins/,/pager ends/p' | grep -c sched_switch:)" 0 \
		'while it has the screen, nothing else is written there'
else
	skip 'at the prompt' 'no python3'
fi

finish
