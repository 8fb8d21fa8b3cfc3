#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# time limit: 1800
# Journals that end where their page does while /run is full: some of the records that follow have room in it, some not.
# TRACESH_FULL=all tries more places in the page; here a sample.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-sessions.sh"

mkdir -p -m 700 /run/tracesh
mount -t tmpfs -o size=1m,mode=700 tmpfs /run/tracesh
second_is size=1m
# So many bytes and 256 more are in the page that is there.
places='3765 3800 3833'
[ "${TRACESH_FULL-}" != all ] || places=$(seq 3762 6 3839)

journal_of() { ls /run/tracesh/"$1"-*.journal; }

# to_edge TELLER PID PLACE: commands of a session until its journal ends there, or a little before, in its page
to_edge()
{
	edge=$(journal_of "$2") switch=off base=0 grown=$(wc -c <"$(journal_of "$2")")
	while lacks=$((($3 - grown % 4096 + 4096) % 4096)) && [ $lacks -gt 4 ]; do
		[ $lacks -ge $((base + 4)) ] || lacks=$((lacks + 4096))
		pad=$((lacks - base - 2))
		# the first one measures what a command takes
		[ $base -gt 0 ] && [ $pad -lt 2500 ] || pad=$((base > 0 ? 2500 : 1))
		[ $switch = on ] && switch=off || switch=on
		"$1" "option sym-userobj $(printf %${pad}s '')$switch"
		base=$(($(wc -c <"$edge") - grown - pad))
		grown=$((grown + base + pad))
	done
}

# full: nothing more goes in
full()
{
	cat /dev/zero >/run/tracesh/filler 2>/dev/null
	true
}

# empty: no journal is left, and there is room again
empty()
{
	rm -f /run/tracesh/filler
	t recover
	same "$(ls /run/tracesh /var/lib/tracesh | grep journal)" '' "$1"
}

tell_three()
{
	printf '%s\ncat tracing_cpumask\n' "$1" >&7
	lines3=$((lines3 + 1))
	await has_lines "$TMP/3" $lines3 || fail "$case_name: $1"
}

made=live-$$-made
made_is_gone() { [ ! -d "$TRACING/instances/$made" ]; }

begin 'what was handed over, and keep leaves'
for place in $places; do
	fresh
	sessions
	tell_one "instance create $made"
	tell_two "instance use $made"
	tell_two 'option sym-offset on'
	end_one
	tell_two undo
	tell_two "instance use $I"
	to_edge tell_two "$two" "$place"
	full
	tell_two keep
	end_two
	same "$status" 0 "at $place: the session ends well"
	false_that "at $place: it goes when that ends" test -d "$TRACING/instances/$made"
	empty "at $place: nothing is left"
done

begin 'the same where the second place is full, too'
mount -o remount,ro /var/lib/tracesh
for place in $places; do
	fresh
	sessions
	tell_one "instance create $made"
	tell_two "instance use $made"
	tell_two 'option sym-offset on'
	end_one
	tell_two undo
	tell_two "instance use $I"
	to_edge tell_two "$two" "$place"
	full
	tell_two keep
	# by the guard
	kill -KILL "$two"
	end_two
	true_that "at $place: it goes when that is killed" await made_is_gone
	rm -f /run/tracesh/filler
	t recover --all --forget
done
mount -o remount,rw /var/lib/tracesh

if preload raise-at; then
	begin 'killed as soon as keep is recorded'
	fresh
	# the record of that, with its checksum
	sessions
	end_two
	mkfifo "$TMP/in3"
	env "LD_PRELOAD=$PRELOAD" "RAISE_AFTER=6959a4b5	keep	2147483648" "$TRACESH" -i "$I" --restore --keep-going -f - \
		<"$TMP/in3" >"$TMP/2" 2>"$TMP/2.err" 8>&- &
	two=$!
	exec 9>"$TMP/in3"
	children="$children $two" lines2=0
	tell_one "instance create $made"
	tell_two "instance use $made"
	tell_two 'option sym-offset on'
	end_one
	tell_two undo
	tell_two "instance use $I"
	tell_two 'option sym-offset on'
	echo keep >&9
	end_two
	same "$status" 137 'it is killed'
	true_that 'the guard removes what was handed over' await made_is_gone
	file_is options/sym-offset 1 'and leaves what is kept'
	empty 'nothing is left'
	rm "$TMP/in3"
fi

begin 'an instance that cannot be handed over'
for place in $places; do
	for how in TERM KILL; do
		fresh
		sessions
		tell_one "instance create $made"
		tell_one 'enable sched:sched_process_exit'
		tell_two "instance use $made"
		tell_two 'option sym-offset on'
		tell_two 'marker of the other one'
		to_edge tell_two "$two" "$place"
		full
		guard=$(pgrep -x -P "$one" trsh-guard)
		kill -$how "$one"
		end_one
		await gone "$guard"
		true_that "at $place, $how: it is there for the other one" test -d "$TRACING/instances/$made"
		same "$(cat "$TRACING/instances/$made/options/sym-offset")" 1 "at $place, $how: with what is set in it"
		true_that "at $place, $how: and its events" grep -q 'of the other one' "$TRACING/instances/$made/trace"
		if ! grep -q inherit "$edge"; then
			err=$(cat "$TMP/1.err")
			says "instance '$made': another session has set something in it, and its journal cannot be written" \
				"at $place, $how: it is said"
			true_that "at $place, $how: the journal stays" test -n "$(ls /run/tracesh/"$one"-*.journal)"
		fi
		end_two
		rm -f /run/tracesh/filler
		t recover
		expect 0 "at $place, $how: recover"
		false_that "at $place, $how: it is gone in the end" test -d "$TRACING/instances/$made"
		empty "at $place, $how: nothing is left"
	done
done

begin 'what was taken back, and cannot be recorded'
for place in $places; do
	for who in guard recover; do
		fresh
		sessions
		tell_one 'option sym-offset on'
		tell_one 'clock mono'
		to_edge tell_one "$one" "$place"
		echo boot >"$D/trace_clock"
		full
		guard=$(pgrep -x -P "$one" trsh-guard)
		[ $who = guard ] || kill -KILL "$guard"
		kill -KILL "$one"
		end_one
		await gone "$guard"
		[ $who = guard ] || t recover
		file_is options/sym-offset 0 "at $place, $who: it is taken back"
		true_that "at $place, $who: something is left" test -n "$(ls /run/tracesh/"$one"-*.journal)"
		rm -f /run/tracesh/filler
		echo 1 >"$D/options/sym-offset"
		t recover
		says 'trace_clock: changed by somebody else since' "at $place, $who: which recover knows"
		file_is options/sym-offset 1 "at $place, $who: what somebody has set since stays"
		t recover --all --forget
		end_two
		empty "at $place, $who: nothing is left"
	done
done

if preload fail-nth; then
	begin 'what was taken back, and cannot be recorded at all'
	fresh
	sessions
	tell_one 'option sym-offset on'
	tell_one 'clock mono'
	echo boot >"$D/trace_clock"
	guard=$(pgrep -x -P "$one" trsh-guard)
	kill -KILL "$guard" "$one"
	end_one
	await gone "$guard"
	run env LD_PRELOAD="$PRELOAD" FAIL_NTH=1 FAIL_AT=disk FAIL_TIMES=9999 FAIL_WITH=ENOSPC "$TRACESH" recover
	says "^/run/tracesh/$one-.*[.]journal cannot record what was undone \\(No space left on device\\)" 'is said'
	says '^process [0-9]+: 1 setting taken back$' 'with what is back'
	t recover --forget
	end_two
	empty 'nothing is left'
fi

begin 'what a session has taken back, and its journal cannot take'
mount -o remount,ro /var/lib/tracesh
for place in $places; do
	for who in guard recover; do
		fresh
		sessions
		tell_one 'option hex on'
		to_edge tell_one "$one" "$place"
		tell_one 'option sym-offset on'
		to_edge tell_one "$one" "$place"
		full
		tell_one 'undo 100'
		echo 1 >"$D/options/sym-offset"
		guard=$(pgrep -x -P "$one" trsh-guard)
		[ $who = guard ] || kill -KILL "$guard"
		kill -KILL "$one"
		end_one
		await gone "$guard"
		[ $who = guard ] || t recover
		file_is options/sym-offset 1 "at $place, $who: what somebody has set since stays"
		unlike "$err" damaged "at $place, $who: and no word of damage"
		end_two
		rm -f /run/tracesh/filler
		t recover --all --forget
	done
done
mount -o remount,rw /var/lib/tracesh

begin 'keep that cannot be told to another session'
while IFS='|' read -r command file; do
	fresh
	was=$(cat "$D/$file")
	sessions
	tell_one "$command"
	# a little short of a record's length
	to_edge tell_one "$one" 3838
	tell_two "$command"
	tell_two 'option hex on'
	full
	tell_two keep
	err=$(cat "$TMP/2.err")
	says "${file%%/*}.*: not kept: another session has set it, too, and its journal cannot be written" "$command: it is said"
	says '^1 setting kept$' "$command: and not counted"
	t -i "$I" -c "$command"
	expect 1 "$command: a command that cannot keep it fails"
	rm /run/tracesh/filler
	tell_two keep
	says_again=$(grep -c '^1 setting kept$' "$TMP/2.err")
	same "$says_again" 2 "$command: it is kept when there is room"
	end_two
	same "$status" 1 "$command: the session has failed"
	end_one
	false_that "$command: what was kept stays" test "$(cat "$D/$file")" = "$was"
	file_is options/hex 1 "$command: as does what nobody else had set"
	empty "$command: nothing is left"
	fresh
	sessions
	tell_one "$command"
	to_edge tell_one "$one" 3838
	tell_two "$command"
	full
	tell_two keep
	end_two
	end_one
	same "$(cat "$D/$file")" "$was" "$command: what was not kept goes back"
	empty "$command: nothing is left"
done <<CASES
clock mono|trace_clock
enable sched:sched_process_exit|events/sched/sched_process_exit/enable
option sym-offset on|options/sym-offset
write buffer_percent 31|buffer_percent
append set_event sched:sched_process_exec|set_event
CASES

begin 'keep that one of two sessions cannot be told'
fresh
sessions
tell_one "instance create $made"
mkfifo "$TMP/in3"
"$TRACESH" -i "$made" --restore --keep-going -f - <"$TMP/in3" >"$TMP/3" 2>"$TMP/3.err" 8>&- 9>&- &
three=$! lines3=0
children="$children $three"
exec 7>"$TMP/in3"
tell_three 'option sym-offset on'
tell_two "instance use $made"
tell_two 'option sym-offset on'
to_edge tell_one "$one" 3838
full
tell_two keep
err=$(cat "$TMP/2.err")
says 'not kept: another session has set it, too, and its journal cannot be written' 'it is said'
end_two
exec 7>&-
ended "$three"
same "$(cat "$TRACING/instances/$made/options/sym-offset")" 0 'it goes back: the other one was not told either'
end_one
empty 'nothing is left'
rm "$TMP/in3"

if preload raise-at; then
	begin 'killed as soon as keep is recorded, before others are told'
	fresh
	sessions
	end_two
	mkfifo "$TMP/in3"
	# the record with its checksum
	env "LD_PRELOAD=$PRELOAD" "RAISE_AFTER=cbf0480b	keep" "$TRACESH" -i "$I" --restore --keep-going -f - \
		<"$TMP/in3" >"$TMP/2" 2>"$TMP/2.err" 8>&- &
	two=$!
	exec 9>"$TMP/in3"
	children="$children $two" lines2=0
	tell_one 'enable sched:sched_process_exit'
	tell_two 'enable sched:sched_process_exit'
	echo keep >&9
	end_two
	same "$status" 137 'it is killed'
	file_is events/sched/sched_process_exit/enable 1 'as the other one has it'
	end_one
	file_is events/sched/sched_process_exit/enable 0 'who takes it back, as nobody has told that it is kept'
	empty 'nothing is left'
	rm "$TMP/in3"
fi

begin 'an instance whose maker cannot be told that something is kept in it'
fresh
sessions
tell_one "instance create $made"
to_edge tell_one "$one" 3838
tell_two "instance use $made"
tell_two 'option sym-offset on'
full
tell_two keep
err=$(cat "$TMP/2.err")
says 'not kept: another session has set it, too, and its journal cannot be written' 'it is said'
says '^0 settings kept$' 'nothing is kept'
end_two
end_one
empty 'nothing is left'
false_that 'nor the instance' test -d "$TRACING/instances/$made"

begin 'a size that whoever has set the sub-buffers cannot be given'
fresh
if [ ! -e "$D/buffer_subbuf_size_kb" ]; then
	skip "$case_name" 'this kernel has one size of sub-buffers'
else
	echo 256 >"$D/buffer_size_kb"
	was=$(cat "$D/buffer_size_kb")
	sessions
	tell_one 'write buffer_size_kb 512'
	tell_two 'write buffer_subbuf_size_kb 64'
	to_edge tell_two "$two" 3838
	full
	end_one
	same "$status" 1 'it is an error'
	says 'buffer_size_kb: rounded to the sub-buffers of another session, whose journal cannot be written' 'which is said'
	end_two
	empty 'nothing is left'
	file_is buffer_size_kb "$was" 'it is what it was in the end'
fi

umount /run/tracesh /var/lib/tracesh
finish
