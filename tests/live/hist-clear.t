#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Histograms with rows that are emptied: asked before at the prompt, and said.
# needs hist
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'a kernel without them'
fresh
exits=events/sched/sched_process_exit
if [ ! -e "$D/$exits/hist" ]; then
	end_case
	skip 'all of it' 'this kernel has no histograms'
	finish
fi

cp /bin/true "$TMP/rowmaker"
spec='hist:keys=pid if comm == "rowmaker"'
clear='hist:keys=pid:clear if comm == "rowmaker"'

rows() { grep -c '^{ ' "$D/$exits/hist"; }
has_rows() { [ "$(rows)" -ge "$1" ]; }

# counted N: the histogram has so many rows
counted()
{
	grep -q rowmaker "$D/$exits/trigger" || echo "$spec" >>"$D/$exits/trigger"
	echo "$clear" >>"$D/$exits/trigger"
	for i in $(seq "$1"); do
		"$TMP/rowmaker"
	done
	await has_rows "$1"
}

begin 'a histogram that is emptied'
fresh
for command in "append $exits/trigger '$clear'" "trigger sched:sched_process_exit $clear" \
	"append $exits/trigger 'hist keys=pid:clear if comm == \"rowmaker\"'" \
	"append $exits/trigger 'hist:clear:keys=pid if comm == \"rowmaker\"'"; do
	counted 3
	t -i "$I" -c "$command"
	expect 0 "$command"
	same "$(rows)" 0 'has no rows any more'
	says "^the change erased 3 rows of the histogram of 'sched:sched_process_exit' in '$I'" "$command: which is said"
	t -i "$I" -c "$command"
	unlike "$err" erased "$case_name: of one without rows nothing is said"
done
counted 1
# without rows whoever else ends: without its filter it has one of any other task
other='if comm == "nobody at all"'
echo "hist:keys=pid $other" >>"$D/$exits/trigger"
t -i "$I" -c "append $exits/trigger 'hist:keys=pid:clear $other'"
unlike "$err" erased "$case_name: of another one, neither"
echo "!hist:keys=pid $other" >>"$D/$exits/trigger"
same "$(rows)" 1 'and its rows are there'
for word in pause cont pause:clear; do
	t -i "$I" -c "append $exits/trigger 'hist:keys=pid:$word if comm == \"rowmaker\"'"
	unlike "$err" erased "$case_name: $word: erases none"
	same "$(rows)" 1 "$word: and they are there"
done
echo 'hist:keys=pid:cont if comm == "rowmaker"' >>"$D/$exits/trigger"
echo 'hist:keys=pid:sort=pid if comm == "rowmaker"' >>"$D/$exits/trigger"
counted 2
t -i "$I" -c "append $exits/trigger '$clear'"
says '^the change erased 2 rows' 'of two with the same keys one is emptied'
echo '!hist:keys=pid:sort=pid if comm == "rowmaker"' >>"$D/$exits/trigger"

begin 'at the prompt'
fresh
if [ -n "$PYTHON" ]; then
	counted 2
	run "$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q -i "$I" <<S
expect > \$
send append $exits/trigger '$clear'\\r
expect this erases 2 rows of the histogram of 'sched:sched_process_exit' in '$I'; go on
send n\\r
expect not done
expect > \$
send trigger sched:sched_process_exit $clear\\r
expect this erases 2 rows of the histogram of 'sched:sched_process_exit' in '$I'; go on
send n\\r
expect not done
expect > \$
send trigger sched:sched_process_* $clear\\r
expect this erases 2 rows of the histogram of 'sched:sched_process_exit' in '$I'; go on
send n\\r
expect not done
expect > \$
send quit 0\\r
S
	prints '^\[exit 0\]$' 'it is asked before'
	[ "$status" -eq 0 ] || diag "$out$err"
	same "$(rows)" 2 'and no keeps them'
fi

finish
