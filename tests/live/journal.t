#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers
# beside others
# in a guest of its own
# time limit: 3600
# What the journal's file cannot hold, cannot say, or has lost: the guard takes back all the same, and recover says
# "nothing was left behind", or ends with 0, only when that is so. TRACESH_FULL=all fills the disk at every page of a
# session, and lets each record fail; here a sample.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

folder=/run/tracesh
guard_of() { pgrep -x -P "$1" trsh-guard; }
journals() { ls $folder/*.journal 2>/dev/null; }
journal_is_gone() { [ -z "$(journals)" ]; }

# settings: all that the sessions change, in the case's instance
settings()
{
	(cd "$D" && grep -H '' options/* set_event_pid tracing_cpumask events/sched/*/enable events/sched/*/filter \
		events/sched/*/trigger events/signal/*/enable events/signal/*/filter events/task/*/filter)
}
as_before() { settings >"$TMP/now" && cmp -s "$TMP/was" "$TMP/now"; }
differs() { ! as_before; }

# as_new: an instance for the case; the one that it has, if nothing is left there, since the kernel is slow to remove one
as_new()
{
	[ -n "$I" ] && as_before && journal_is_gone || fresh
	settings >"$TMP/was"
}

# folder_of SIZE: the folder of the journals is a file system of its own, of that size
folder_of()
{
	mkdir -p -m 700 $folder
	mount -t tmpfs -o "size=$1,mode=700" tmpfs $folder
}

drop_folder()
{
	umount $folder
}

# The second place is for the last cases.
second_is ro

# fill: nothing more goes in
fill()
{
	cat /dev/zero >$folder/filler 2>/dev/null
	true
}

# begin_session [COMMAND..]: a session by that command with the batch in $TMP/batch, which waits at its end
begin_session()
{
	start "$TMP/session" "$@" "$TRACESH" -i "$I" -f "$TMP/batch" -c 'option markers off' -c 'wait 60s'
	await grep -qx 0 "$D/options/markers" || fail "$case_name: the session has begun"
}

# end_session [both]: killed; with its guard, or the guard takes back
end_session()
{
	# It has its name only when it has run.
	await guard_of "$child"
	guard=$(guard_of "$child")
	[ "${1-}" != both ] || kill -KILL "$guard"
	kill -KILL "$child"
	ended "$child"
	# who has let the journal go still has its file system for a moment
	await gone "$guard"
}

# end_others: what a session has left in the case's instance goes
end_others()
{
	remove_instance
	rm -f $folder/*.journal
}

echo 'enable sched_switch; option record-tgid on; pid 1' >"$TMP/batch"

begin 'full from the start'
fresh
settings >"$TMP/was"
folder_of 16k
fill
begin_session
true_that 'it is said before the first setting' grep -q "the journal's file ends here: No space left on device" "$TMP/session.err"
end_session
true_that 'the guard takes everything back' as_before
true_that 'and removes the journal' journal_is_gone
begin_session
end_session both
true_that 'without a guard it is left' differs
t status
says "process $child, .* has perhaps left settings: its journal is incomplete: settings that were made after its end are not undone" 'status says so'
says '; tracesh recover takes back what can be read, recover --forget only deletes the journal$' 'and what to do'
t recover --list
expect 1 'the list does not pass for whole'
t recover
expect 1 'recover does not, either'
says "the journal of process $child is incomplete: settings that were made after its end are not undone; its file is $(journals)" 'it names the journal'
says 'status -a and doctor show what is set; when that is right, recover --forget gives the journal up' 'and says what to do'
unlike "$err" 'nothing was left' "$case_name: it does not deny it"
rm -f $folder/filler
t recover
expect 1 'nor does it when there is room'
unlike "$err" 'nothing was left' "$case_name: it still does not deny it"
t recover "$child"
expect 1 'nor by its process'
t --read-only status
true_that 'the journal is kept' test -n "$(journals)"
file=$(journals)
t recover --forget
expect 0 '--forget gives it up'
says "^the journal of process $child is incomplete: settings that were made after its end are not undone; its file $file is given up\$" 'and says so'
unlike "$err" 'its file is|settings taken back' "$case_name: and nothing else"
true_that 'and removes it' journal_is_gone
drop_folder

# batch_of N: a session of so many settings, with records of some thousand bytes
batch_of()
{
	for event in $(cd "$D/events/sched" && ls -d sched_[a-z]*); do
		[ "$1" -gt 0 ] || break
		set -- $(($1 - 1))
		echo "filter sched:$event common_pid == -${#event}$long"
	done
	echo 'enable signal if common_pid == -1'
	echo 'append events/sched/sched_switch/trigger stacktrace if prev_pid == -1'
	echo 'option sym-offset on'
	echo 'option record-tgid on'
	echo 'pid 1'
	echo 'cpus 0'
}
long=$(awk 'BEGIN { for (i = 0; i < 60; i++) printf " || common_pid == -%d", 1000000 + i }')

# full_at SIZE KILL: what is left of a session whose journal has so much room
full_at()
{
	folder_of "$1"
	begin_session
	said=no
	! grep -q "the journal's file ends here" "$TMP/session.err" || said=yes
	end_session "$2"
	if [ "$2" = both ]; then
		"$TRACESH" recover >"$TMP/recovered" 2>&1
		status=$?
		left=$(journals)
		case $status:$said in
		0:no) as_before && [ -z "$left" ] ;;
		# What stood in the journal is back, and it is kept, and named.
		1:yes) differs && [ -n "$left" ] && grep -qF "its file is $left" "$TMP/recovered" &&
			! grep -q 'nothing was left' "$TMP/recovered" &&
			{ [ "$1" = 4k ] || ! grep -q ' 0 settings taken back' "$TMP/recovered"; } ;;
		*) false ;;
		esac
	else
		as_before && journal_is_gone
	fi
	result=$?
	[ $result -eq 0 ] || {
		diag "$1, $2, said $said, status $status, left $left"
		{ diff "$TMP/was" "$TMP/now"; cat "$TMP/session.err" "$TMP/recovered"; } 2>&1 | cut -c 1-200 | head -n 30 | cat -v | diag
	}
	drop_folder
	return $result
}

begin 'filling up'
fresh
sizes='4 12 24' many=12
[ "${TRACESH_FULL-}" != all ] || { sizes=$(seq 4 4 140); many=24; }
bad=0 cuts=0
for size in $sizes; do
	for kill in both guard; do
		batch_of $many >"$TMP/batch"
		as_new
		full_at "${size}k" $kill || bad=$((bad + 1))
		[ "$said" = no ] || cuts=$((cuts + 1))
		[ $bad -lt 4 ] || break 2
	done
done
is $bad 0 "$case_name: by the guard everything is back, and recover knows what it does not know"
true_that 'some were cut' test $cuts -ge 4
diag "$cuts times the journal was cut"

begin 'room again'
fresh
batch_of 12 >"$TMP/batch"
cat >>"$TMP/batch" <<EOF
cat tracing_on | while [ ! -e $TMP/go-on ]; do sleep 0.05; done
option sym-addr on
EOF
settings >"$TMP/was"
folder_of 16k
start "$TMP/session" "$TRACESH" -i "$I" -f "$TMP/batch" -c 'option markers off' -c 'wait 60s'
await grep -qx 1 "$D/options/record-tgid"
true_that 'it was full' grep -q "the journal's file ends here" "$TMP/session.err"
mount -o remount,size=1m $folder
: >"$TMP/go-on"
await grep -qx 0 "$D/options/markers"
end_session both
t recover
expect 0 'what was in memory is in the journal by then'
true_that 'everything is back' as_before
t recover
expect 0 'and then'
says 'nothing was left behind' 'nothing is left'
drop_folder

begin 'what is kept on a full disk'
fresh
folder_of 4k
echo 'option record-tgid on' >"$TMP/batch"
batch_of 6 | grep -v record-tgid >>"$TMP/batch"
echo keep >>"$TMP/batch"
begin_session
true_that 'it was full' grep -q "the journal's file ends here" "$TMP/session.err"
end_session both
t recover
expect 1 'the journal is cut'
file_is options/record-tgid 1 'what was kept before the cut is not taken back'
file_is tracing_cpumask 1 'nor what was kept behind it'
drop_folder
fresh
folder_of 4k
begin_session
end_session
file_is options/record-tgid 1 'the guard knows that it was kept, too'
file_is tracing_cpumask 1 'all of it'
file_is options/markers 1 'and what came later it takes back'
drop_folder

begin 'an end with something left, of a journal that was cut'
fresh
settings >"$TMP/was"
folder_of 4k
echo 'option record-tgid on' >"$TMP/batch"
batch_of 6 >>"$TMP/batch"
t --restore -i "$I" -f "$TMP/batch"
expect 0 'an end like any other'
true_that 'takes back from what the session knows itself' as_before
true_that 'and removes the journal' journal_is_gone
drop_folder

begin 'a limit of the size of files'
for limit in 0 1; do
	[ -d "$D" ] || fresh
	batch_of 2 >"$TMP/batch"
	as_new
	# shellcheck disable=SC2016 # for the inner shell
	begin_session sh -c 'ulimit -f "$1" && shift && exec "$@" 2>/dev/null' sh $limit
	end_session
	true_that "ulimit -f $limit: the guard takes everything back" as_before
	true_that "ulimit -f $limit: and removes the journal" journal_is_gone
done

# ---- records that fail ----

# failing N AT TIMES WITH KILL: the N-th call of the journal fails
failing()
{
	# a cut one that the case before has left, as it may
	journal_is_gone || "$TRACESH" recover --forget >/dev/null 2>&1
	as_new
	begin_session env LD_PRELOAD="$PRELOAD" FAIL_NTH="$1" FAIL_AT="$2" FAIL_TIMES="$3" FAIL_WITH="$4"
	end_session "$5"
	if [ "$5" = both ]; then
		"$TRACESH" recover >"$TMP/recovered" 2>&1
		status=$?
		as_before
		case $?:$status in
		0:0) journal_is_gone ;;
		# One that cannot be written any more has said so, and that recover will not find the rest.
		*:0) [ "$3" -gt 1 ] && grep -q 'recover does not find' "$TMP/session.err" ;;
		*:1) grep -q 'its file is' "$TMP/recovered" && grep -q 'ends here' "$TMP/session.err" ;;
		*) false ;;
		esac
	elif [ "$2" = tmpfs ]; then
		as_before || { grep -q 'nobody undoes' "$TMP/session.err" && grep -q 'its journal is incomplete' "$TMP/session.err"; }
	else
		as_before && journal_is_gone
	fi && return
	bad=$((bad + 1))
	diag "call $1, FAIL_AT=$2 FAIL_TIMES=$3 FAIL_WITH=$4, $5: status $status"
	{ diff "$TMP/was" "$TMP/now"; cat "$TMP/session.err" "$TMP/recovered"; } 2>&1 | cut -c 1-200 | head -n 30 | cat -v | diag
}

begin 'a record that fails'
# A list of tasks that is emptied, and an event that is the last one on its tracepoint, keep the kernel waiting: here not
# in each of the sessions.
some='enable task; option sym-addr on'
[ "${TRACESH_FULL-}" != all ] || some='enable sched_switch; pid 1'
echo "$some; option record-tgid on; cpus 0; option sym-offset on; filter sched_wakeup pid == -1" >"$TMP/batch"
if preload fail-nth; then
	numbers='1 2 4 9'
	as_new
	begin_session env LD_PRELOAD="$PRELOAD" FAIL_NTH=0 FAIL_AT=disk FAIL_LOG="$TMP/calls"
	end_session
	[ "${TRACESH_FULL-}" != all ] || numbers=$(awk '{ print $1 }' "$TMP/calls")
	bad=0
	for n in $numbers; do
		for at in disk tmpfs; do
			failing "$n" $at 1 EIO guard
			failing "$n" $at 1 EDQUOT both
			failing "$n" $at 9999 ENOSPC guard
			failing "$n" $at 9999 EROFS both
			end_others
		done
		[ $bad -lt 4 ] || break
	done
	is $bad 0 "$case_name: everything is back, or what is not is named"
	diag "$(wc -l <"$TMP/calls") calls, of them: $numbers"
fi

# ---- journals that are not whole ----

# killed_session [BATCH]: one that was killed with its guard; its journal is $journal
killed_session()
{
	fresh
	echo "${1:-enable sched_switch; option record-tgid on; option sym-addr on; cpus 0}" >"$TMP/batch"
	settings >"$TMP/was"
	begin_session
	journal=$folder/$(basename $folder/"$child"-*.journal)
	end_session both
}

# is_kept STATUS-REGEX: status, recover and recover --list name it and leave it
is_kept()
{
	ls -l $folder >"$TMP/folder"
	t status
	says "$1" 'status names it'
	t --read-only recover
	t recover --list
	expect 1 'the list fails'
	same "$(ls -l $folder)" "$(cat "$TMP/folder")" 'nothing has changed it'
	t recover
	expect 1 'recover fails'
	says "$1" 'and names it'
	says 'what else was set is not known' 'it says what that means'
	unlike "$err" 'nothing was left' "$case_name: it does not say that nothing was left"
	true_that 'the journal is kept' test -e "$journal"
}

begin 'as many settings'
fresh
echo 'option record-tgid on; option record-tgid off; filter sched_switch prev_pid == 5; option sym-offset on' >"$TMP/batch"
begin_session
end_session both
echo 0 >"$D/options/sym-offset"
# what somebody has taken back already is not left: the filter and the mark are
t status
says "process $child, .* has left 2 settings: tracesh recover takes them back" 'status'
t recover --list
like "$out" "^$child  .* 2  0  0    takes it back\$" 'recover --list'
t recover
expect 0 'recover takes them back'
says "^process $child: 2 settings taken back \(1 more was gone already\)\$" 'and counts the same'
end_others
fresh
: >"$TMP/batch"
begin_session
end_session both
t status
says "process $child, .* has left 1 setting: tracesh recover takes it back" 'one'
t recover
says "^process $child: 1 setting taken back\$" 'is one'
end_others

begin 'an instance of the user'
fresh
made=live-$$-made
printf 'instance create %s\nenable sched_process_exec\ninstance use %s\n' "$made" "$I" >"$TMP/batch"
begin_session
end_session both
t status
says "process $child, .* has left 2 settings and 1 instance: tracesh recover takes them back" 'is said'
t recover --list
like "$out" "^$child  .* 3  2  1  0    takes it back\$" 'is listed'
t recover
expect 0 'recover'
false_that 'removes it' test -d "$TRACING/instances/$made"
end_others

begin 'what somebody else has changed since'
fresh
clocks=$(cat "$D/trace_clock")
t --restore -i "$I" -c 'clock mono' -c "systems | { cat >/dev/null; echo boot >'$D/trace_clock'; }"
expect 1 'is not taken back at the end'
says '^instances/.*/trace_clock: changed by somebody else since' 'is said'
says '^hint: tracesh recover tries that again; tracesh recover --forget gives up what' 'and what to type'
t recover --list
like "$out" ' 1  0  0  1    takes it back$' 'recover --list counts it apart'
says '^not counted: 1 setting that somebody else has changed since; recover --forget gives it up$' 'but says so'
t -q recover --forget
t recover --list
unlike "$err" 'not counted' "$case_name: nothing is left to give up"
for word in $clocks; do
	case $word in '['*) word=${word#?}; echo "${word%?}" >"$D/trace_clock" ;; esac
done

begin 'at the prompt'
fresh
if [ -n "$PYTHON" ]; then
	echo 'option sym-addr on' >"$TMP/batch"
	"$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" --color never >"$TMP/screen" 2>&1 <<S &
expect > $
send help undo | sh -c ': >$TMP/there; while [ ! -e $TMP/dead ]; do sleep 0.1; done; cat >/dev/null'\\r
expect > $
send status\\r
expect has left 2 settings: recover takes them back
expect instance: +top
expect > $
send doctor\\r
expect has left 2 settings: recover takes them back
expect > $
send recover\\r
expect 2 settings taken back
expect > $
send quit\\r
S
	prompt=$!
	await test -e "$TMP/there"
	begin_session
	end_session both
	: >"$TMP/dead"
	at_prompt=0
	wait $prompt || at_prompt=$?
	is $at_prompt 0 'status and doctor name it, and what to type' || diag "$(cat "$TMP/screen")"
else
	skip "$case_name" 'no python3'
fi
end_others

begin 'cut in the middle of a record'
killed_session
size=$(stat -c %s "$journal")
truncate -s $((size - 20)) "$journal"
is_kept 'is damaged: settings in its unreadable lines are not undone'
file_is options/record-tgid 0 'what can be read is taken back'
t recover --forget
expect 0 '--forget gives it up'
says "is damaged: settings in its unreadable lines are not undone; its file $journal is given up\$" 'and says so'
unlike "$err" 'its file is|settings taken back' "$case_name: and nothing else"
false_that 'and removes it' test -e "$journal"
end_others

begin 'cut in its first record'
killed_session
truncate -s 20 "$journal"
is_kept 'it is not a journal of this version'
says 'status -a and doctor show what is set; when that is right, recover --forget gives the journal up' 'and says what to do'
t recover --forget $((child + 1))
expect 1 '--forget of another process does not'
true_that 'the journal is kept from that' test -e "$journal"
t recover --forget "$child"
expect 0 '--forget gives it up'
says "^$journal is given up\$" 'and says so'
unlike "$err" 'nothing was left' "$case_name: it does not say then that nothing was left"
true_that 'and removes it' test ! -e "$journal"
end_others

begin 'empty'
killed_session
: >"$journal"
is_kept 'is incomplete: settings that were made after its end are not undone'
says "process $child" 'its name tells whose it is'
end_others

begin 'of a newer version'
killed_session
printf '%s\n' '8ef30d6f	tracesh-journal	2	what	ever' >"$journal"
is_kept 'it is not a journal of this version'
end_others

begin 'one that cannot be read'
killed_session
mv "$journal" "$TMP/journal"
: >"$journal"
chmod 600 "$journal"
mount --bind /proc/self/mem "$journal"
is_kept "${journal##*/}"
umount "$journal"
mv "$TMP/journal" "$journal"
t recover
expect 0 'later it can'
true_that 'everything is back' as_before

begin 'one that root may not read'
if setpriv --bounding-set -dac_override,-dac_read_search true 2>/dev/null; then
	killed_session
	chmod 0 "$journal"
	run setpriv --bounding-set -dac_override,-dac_read_search "$TRACESH" recover
	expect 1 'recover fails'
	says "${journal##*/} cannot be read as a journal \(Permission denied\)" 'and names it'
	run setpriv --bounding-set -dac_override,-dac_read_search "$TRACESH" recover "$child"
	says "no journal that can be read is of process $child" 'nor is anything said of its process'
	chmod 600 "$journal"
	t recover
	expect 0 'with permission'
	true_that 'everything is back' as_before
else
	skip "$case_name" 'no setpriv that drops a capability'
fi

begin 'one beside another'
killed_session
first=$journal
truncate -s 30 "$first"
remove_instance
killed_session
t recover
expect 1 'recover fails'
says "process $child: [0-9]* settings taken back" 'and takes the other one back'
true_that 'as it was' as_before
true_that 'the one that cannot be read is kept' test -e "$first"
end_others

begin 'more of them than files can be open'
# each of them is taken back, and the kernel keeps who turns an event off waiting
killed_session 'option record-tgid on; cpus 0'
for n in $(seq 300); do
	cp -p "$journal" "$folder/$((n + 100000))-5.journal"
done
# shellcheck disable=SC2016 # for the inner shell
run sh -c 'ulimit -n 256; exec "$@"' sh "$TRACESH" -i "$I" --restore -c 'option sym-addr on'
expect 0 'a session'
says '1 setting taken back' 'takes back what it has set'
same "$(printf '%s\n' "$err" | grep -c 'has left')" 8 'some are told of'
says 'more than [0-9]+ more have left something' 'with how many more'
# shellcheck disable=SC2016 # for the inner shell
run sh -c 'ulimit -n 256; exec "$@"' sh "$TRACESH" recover --all
expect 0 'recover'
true_that 'takes back all of them' as_before
true_that 'and leaves no journal' journal_is_gone
end_others

begin 'so few files can be open that nothing could be taken back'
as_new
for n in 9 11 14; do
	for command in 'option sym-addr on' "instance create $I-few"; do
		# shellcheck disable=SC2016 # for the inner shell
		run sh -c 'ulimit -n "$1"; shift; exec "$@"' sh $n "$TRACESH" -i "$I" --restore -c "$command"
		expect 1 "$n: $command"
		says 'error: nothing is changed, because it could not be undone: Too many open files' 'says so'
		says '^hint: allow more open files: ulimit -n 1024$' 'and what to type'
		true_that 'and changes nothing' as_before
	done
done

begin 'one that was never begun'
mkdir -p -m 700 $folder
(umask 077 && : >$folder/1-1.journal && chmod 200 $folder/1-1.journal)
for command in status 'recover --list' 'instance'; do
	# shellcheck disable=SC2086 # words
	t $command
done
t --read-only recover
true_that 'nobody removes it' test -e $folder/1-1.journal
t recover
expect 0 'but recover'
says 'nothing was left behind' 'for it'
true_that 'does' journal_is_gone

begin 'one with nothing in it to take back'
fresh
begin_session
journal=$folder/$(basename $folder/"$child"-*.journal)
head -n 1 "$journal" >"$TMP/header"
end_session
(umask 077 && cp "$TMP/header" "$journal")
for command in status 'recover --list' 'instance'; do
	# shellcheck disable=SC2086 # words
	t $command
done
true_that 'nobody removes it' test -e "$journal"
t recover
expect 0 'but recover'
true_that 'does' journal_is_gone

# ---- the boot ----

# The sanitizers need more of /proc than the boot id.
hidden=/proc
! grep -q __asan_init "$TRACESH" || hidden=/proc/sys

# with_boot_id TEXT COMMAND..: in a mount namespace of its own; TEXT -: without /proc
with_boot_id()
{
	printf '%s\n' "$1" >"$TMP/boot-id"
	shift
	# shellcheck disable=SC2016 # for the inner shell
	run unshare -m sh -c '
		if [ "$(cat "$1")" = - ]; then mount -t tmpfs tmpfs "$2"; else mount --bind "$1" /proc/sys/kernel/random/boot_id; fi
		shift 2 && exec "$@"' sh "$TMP/boot-id" "$hidden" "$@"
}

begin 'without /proc'
killed_session
with_boot_id - "$TRACESH" status
with_boot_id - "$TRACESH" --read-only status
with_boot_id - "$TRACESH" recover --list
true_that 'the journal is kept' test -e "$journal"
true_that 'and what was set' differs
with_boot_id - "$TRACESH" recover
expect 0 'recover knows that memory does not outlive a boot'
true_that 'everything is back' as_before

begin 'another boot id in memory'
killed_session
with_boot_id 01234567-89ab-cdef-0123-456789abcdef "$TRACESH" status
true_that 'the journal is kept' test -e "$journal"
with_boot_id 01234567-89ab-cdef-0123-456789abcdef "$TRACESH" recover
expect 0 'a container has one of its own, and the same tracefs'
true_that 'everything is back' as_before

begin 'on a disk'
mkdir -m 700 "$TMP/disk"
case $(stat -f -c %T "$TMP/disk") in
tmpfs | ramfs) skip "$case_name" "$TMP is in memory" ;;
*)
	mkdir -p -m 700 $folder
	mount --bind "$TMP/disk" $folder
	killed_session
	with_boot_id - "$TRACESH" status
	true_that 'without /proc it is kept' test -e "$journal"
	with_boot_id - "$TRACESH" recover
	expect 1 'nor does recover know'
	says 'whether it is of this boot is not known' 'and says so'
	unlike "$err" 'nothing was left' "$case_name: and no more"
	true_that 'it is kept' test -e "$journal"
	# LXC and nspawn mount one over the kernel's
	run setpriv --bounding-set=-sys_admin true
	if [ "$status" -eq 0 ]; then
		with_boot_id 01234567-89ab-cdef-0123-456789abcdef setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$TRACESH" recover
		expect 1 'a container that has a boot id of its own, and may not ask the kernel'
		says 'whether it is of this boot is not known' 'and says so'
	else
		skip "$case_name: a container that has a boot id of its own" 'no setpriv'
	fi
	if [ -n "$PYTHON" ]; then
		cp -p "$journal" "$TMP/journal"
		"$PYTHON" - "$journal" <<'END'
import sys, zlib
header, rest = open(sys.argv[1], "rb").read().split(b"\n", 1)
fields = header.split(b"\t")
fields[3] = b"01234567-89ab-cdef-0123-456789abcdef"
text = b"\t".join(fields[1:])
open(sys.argv[1], "wb").write(b"%08x\t%s\n%s" % (zlib.crc32(text), text, rest))
END
		t status
		true_that 'another boot: status leaves it' test -e "$journal"
		unlike "$err" 'before this boot' "$case_name: and says nothing"
		t recover --list
		says "$journal lists what was set before this boot: recover removes it" 'the list says so'
		true_that 'and leaves it' test -e "$journal"
		t recover
		expect 0 'recover'
		says "$journal is removed: what it lists was set before this boot" 'says so'
		true_that 'removes it' journal_is_gone
		true_that 'and takes nothing back' differs
		cp -p "$TMP/journal" "$journal"
	else
		skip "$case_name: another boot" 'no python3'
	fi
	with_boot_id 01234567-89ab-cdef-0123-456789abcdef "$TRACESH" recover
	expect 0 'in this boot, where a container has a boot id of its own'
	true_that 'everything is back' as_before
	umount $folder
	;;
esac

# ---- elsewhere ----

begin 'in another mount namespace'
if command -v nsenter >/dev/null; then
	mkfifo "$TMP/never"
	# shellcheck disable=SC2016 # for the inner shell
	start "$TMP/container" unshare -m sh -c 'mount -t tmpfs -o mode=755 tmpfs /run && printf "named\\033[1m" >/proc/$$/comm &&
		read -r _ <>"$1"' sh "$TMP/never"
	container=$child
	await grep -q ^named "/proc/$container/comm"
	fresh
	echo 'enable sched_switch; option record-tgid on' >"$TMP/batch"
	settings >"$TMP/was"
	begin_session nsenter -m -t "$container"
	t recover
	expect 0 'one that lives'
	says 'nothing was left behind' 'is not left behind'
	kill -KILL "$(guard_of "$child")" "$child"
	ended "$child"
	await flock -n "/proc/$container/root/run/tracesh/"*.journal true
	t recover
	expect 0 'one that was killed: what is planted there changes no status'
	says "a tracesh in the mount namespace of process $container .named\\\\x1b.1m. has left a journal there: tracesh recover has to be run inside it" 'it says where, and escapes the name'
	says 'nothing was left behind, as far as the journals in /run/tracesh and /var/lib/tracesh tell' 'and of what it speaks'
	unlike "$out$err" 'nsenter|-t [0-9]' "$case_name: it names no command that runs a program of that namespace"
	t recover --list
	expect 0 'so it is with the list'
	says "mount namespace of process $container " 'which names it, too'
	run nsenter -m -r -t "$container" "$TRACESH" recover --all
	expect 0 'there it works'
	true_that 'everything is back' as_before
	t recover
	expect 0 'then nothing is left'
	unlike "$err" "mount namespace of process $container " "$case_name: and nothing is named"
	: >"/proc/$container/root/run/tracesh/1-1.journal" && chmod 600 "/proc/$container/root/run/tracesh/1-1.journal"
	t recover
	expect 0 'an empty file is no journal'
	unlike "$err" "mount namespace of process $container " "$case_name: and is not named"
	echo x >"/proc/$container/root/run/tracesh/1-1.journal"
	t recover
	expect 0 'one that is no journal: it is not read'
	says "process $container .* has left" 'but named'
	rm "/proc/$container/root/run/tracesh/1-1.journal"
	# a folder that somebody else has made does not count
	mkdir "/proc/$container/root/run/tracesh.theirs" && chown 65534 "/proc/$container/root/run/tracesh.theirs" &&
		echo x >"/proc/$container/root/run/tracesh.theirs/1-1.journal" && rmdir "/proc/$container/root/run/tracesh" &&
		mv "/proc/$container/root/run/tracesh.theirs" "/proc/$container/root/run/tracesh"
	t recover
	expect 0 'a folder of somebody else counts for nothing'
	unlike "$err" "mount namespace of process $container " "$case_name: and is not named"
else
	skip "$case_name" 'no nsenter'
fi

begin 'in another user namespace'
# shellcheck disable=SC2016 # for the inner shell
start "$TMP/container" unshare -U -r -m sh -c 'mount -t tmpfs -o mode=755 tmpfs /run && mkdir -m 700 /run/tracesh &&
	echo x >/run/tracesh/1-1.journal && chmod 600 /run/tracesh/1-1.journal && printf inside >/proc/$$/comm && sleep 3000'
container=$child
if ! await grep -qs ^inside "/proc/$container/comm"; then
	skip "$case_name" 'none can be made here'
else
	true_that 'its file is there' test -s "/proc/$container/root/run/tracesh/1-1.journal"
	t recover
	expect 0 'recover'
	unlike "$err" "mount namespace of process $container " "$case_name: does not look into it"
fi
pkill -KILL -P "$container"
kill -KILL "$container" 2>/dev/null

begin 'in another mount namespace, among many files'
# shellcheck disable=SC2016 # for the inner shell
start "$TMP/container" unshare -m sh -c 'mount -t tmpfs -o mode=755,nr_inodes=0 tmpfs /run && mkdir -m 700 /run/tracesh && cd /run/tracesh &&
	seq -f %.0f.journal 1500 | xargs touch && printf inside >/proc/$$/comm && sleep 3000'
container=$child
await grep -qs ^inside "/proc/$container/comm"
t recover
expect 0 'recover'
says "in the mount namespace of process $container \(inside\) the first 1,000 files are no journals that were left; there are more" 'looks at no more than 1,000'
pkill -KILL -P "$container"
kill -KILL "$container" 2>/dev/null

begin 'in another mount namespace, where nothing answers'
if [ -z "$PYTHON" ] || [ ! -c /dev/fuse ] || ! unshare -U -r -m true 2>/dev/null; then
	skip "$case_name" 'no python3, /dev/fuse or user namespaces'
else
	# In a user namespace of theirs: no recover of this machine but this one looks at it.
	# shellcheck disable=SC2016 # for the inner shell
	run timeout -k 1 50 unshare -U -r -m sh -c 'mount -t tmpfs -o mode=755 tmpfs /run && mkfifo "$1/ready" || exit 77
		unshare -m "$2" -I "$3" /run /bin/sh 60 >"$1/ready" &
		read -r line <"$1/ready" || exit 77
		fuse=$! status=0
		timeout 20 "$TRACESH" recover --list || status=$?
		kill -KILL "$fuse"
		exit "$status"' sh "$TMP" "$PYTHON" "$SRC/tests/helpers/silent-fuse.py"
	if [ "$status" -eq 77 ]; then
		skip "$case_name" 'no such file system can be mounted here'
	else
		expect 0 'recover comes to its end'
		says 'the mount namespace of process [0-9]+ \(.*\) does not answer: whether a journal is left there is not known' 'and says why'
	fi
fi

begin 'in another pid namespace, with the same folder'
fresh
settings >"$TMP/was"
echo 'option record-tgid on' >"$TMP/batch"
# shellcheck disable=SC2016 # for the inner shell
start "$TMP/session" unshare -p -f --kill-child --mount-proc sh -c '"$@" & wait' sh "$TRACESH" -i "$I" -f "$TMP/batch" \
	-c 'option markers off' -c 'wait 60s'
await grep -qx 0 "$D/options/markers"
t recover
expect 0 'one that lives'
says 'nothing was left behind' 'is not taken for a guard at work'
t status
unlike "$err" 'just taking back the changes' "$case_name: by status, either"
# its guard ends with the namespace
kill -KILL "$child"
ended "$child"
await let_go
t recover
expect 0 'one that was killed'
true_that 'is taken back' as_before

# ---- the folder ----

# cannot_look WHAT REGEX: recover fails, and says why
cannot_look()
{
	t recover
	true_that "$1: recover fails" test "$status" -ne 0
	[ -z "$2" ] || says "error: cannot look for journals: /run/tracesh $2" "$1: and says why"
	says "^hint: $3$" "$1: and what to type"
	unlike "$err" 'nothing was left' "$case_name: $1: it does not say that nothing was left"
}

begin 'a folder that is not ours'
rm -rf $folder
mkdir "$TMP/elsewhere"
ln -s "$TMP/elsewhere" $folder
cannot_look 'a link' 'is a symbolic link' 'rm /run/tracesh'
fresh
settings >"$TMP/was"
begin_session
true_that 'a link: a session says so' grep -q 'no journal: /run/tracesh is a symbolic link (rm /run/tracesh); after a kill -9' "$TMP/session.err"
same "$(ls "$TMP/elsewhere")" '' 'a link: and writes nothing there'
end_session
true_that 'a link: its guard takes back' as_before
t -q -i "$I" --restore -c 'option record-tgid on'
expect 0 'a link: with -q'
says '^no journal: /run/tracesh is a symbolic link' 'what may be lost is said all the same'
rm $folder
mkdir -m 755 $folder
t recover
expect 0 'one that others can only read is good enough'
says 'nothing was left behind' 'and is looked at'
killed_session
true_that 'a session has its journal there' test -s "$journal"
true_that 'which others cannot read' test "$(stat -c %a "$journal")" = 600
t recover
expect 0 'recover finds it'
true_that 'and takes back' as_before
chmod 775 $folder
cannot_look 'one that a group can write to' '' 'chmod 700 /run/tracesh'
says 'others may write to /run/tracesh \(mode 775\)' 'it says which way'
chmod 755 $folder
chown 65534 $folder
cannot_look 'one of somebody else' 'belongs to .*user 65534' 'chown 0 /run/tracesh && chmod 700 /run/tracesh'
rm -rf $folder
: >$folder
cannot_look 'a file' 'is a file' 'rm /run/tracesh'
rm $folder
mount -o remount,ro /run
cannot_look 'no folder, where none can be made' '' 'instance and doctor show what there is'
says 'of what was left without one nothing is known' 'it says why'
mount -o remount,rw /run
t recover
expect 0 'no folder, where one can be made'
says 'nothing was left behind' 'is proof enough'

begin 'while /run is read-only'
killed_session
mount -o remount,ro /run
t recover
expect 1 'recover takes back, and fails'
says '^/run/tracesh/[0-9-]+\.journal cannot be removed: Read-only file system' 'it says which journal stays'
says 'taken back again by the next recover' 'and what that leads to'
true_that 'all of it' as_before
mount -o remount,rw /run
t recover
expect 0 'the next one removes it'
end_others

begin 'more than 200 while /run is read-only'
killed_session 'option record-tgid on; cpus 0'
for n in $(seq 210); do
	cp -p "$journal" "$folder/$((n + 100000))-5.journal"
done
mount -o remount,ro /run
run timeout 100 "$TRACESH" recover --all
expect 1 'recover comes to its end'
says 'error: 200 journals of what is taken back cannot be removed' 'and says how many stay'
mount -o remount,rw /run
t recover --all
expect 0 'the next one removes them all'
true_that 'and leaves no journal' journal_is_gone
end_others

umount /var/lib/tracesh
second=/var/lib/tracesh
all_journals() { ls $folder/*.journal $second/*.journal 2>/dev/null; }

# moved_at SIZE KILL: what is left of a session whose journal has so much room in the first place
moved_at()
{
	folder_of "$1"
	[ "$1" != 16k ] || fill
	begin_session
	case $(all_journals) in $second/*) moved=yes ;; *) moved=no ;; esac
	end_session "$2"
	status=0
	[ "$2" != both ] || "$TRACESH" recover >"$TMP/recovered" 2>&1 || status=$?
	as_before && [ $status -eq 0 ] && [ -z "$(all_journals)" ]
	result=$?
	[ $result -eq 0 ] || {
		diag "$1, $2, moved $moved, status $status, left $(all_journals)"
		{ diff "$TMP/was" "$TMP/now"; cat "$TMP/session.err" "$TMP/recovered"; } 2>&1 | cut -c 1-200 | head -n 30 | cat -v | diag
	}
	drop_folder
	return $result
}

begin 'a second place'
fresh
second_is size=1m
sizes='4 16 24' many=12
[ "${TRACESH_FULL-}" != all ] || { sizes=$(seq 4 4 140); many=24; }
bad=0 moves=0
for size in $sizes; do
	for kill in both guard; do
		batch_of $many >"$TMP/batch"
		as_new
		moved_at "${size}k" $kill || bad=$((bad + 1))
		[ "$moved" = no ] || moves=$((moves + 1))
		[ $bad -lt 4 ] || break 2
	done
done
is $bad 0 "$case_name: everything is back, and no journal is left"
folder_of 16k
fill
begin_session
end_session both
chmod 777 $second
t recover
expect 1 'one that others may write to'
says "$second/\*.journal cannot be read as a journal .others may write to $second .mode 777.: chmod 700 $second" 'is said'
unlike "$err" 'nothing was left' "$case_name: it does not say that nothing was left"
chmod 755 $second
t recover
expect 0 'back again'
drop_folder
true_that 'some journals were there' test $moves -ge 4
false_that 'nothing is lost, and nothing is said of it' grep -q 'ends here' "$TMP/session.err"
umount $second

# second_serves WHAT: the first place is no good; a session and recover use the second one
second_serves()
{
	settings >"$TMP/was"
	begin_session
	unlike "$(cat "$TMP/session.err")" 'no journal|ends here' "$case_name: $1: no journal is missing"
	true_that "$1: it is in the second place" test -n "$(ls $second/*.journal 2>/dev/null)"
	end_session both
	true_that "$1: something is left" differs
	t recover
	true_that "$1: recover takes it back" as_before
	same "$(all_journals)" '' "$1: and removes the journal"
}

begin 'a second place that others can read'
fresh
echo 'option record-tgid on; cpus 0' >"$TMP/batch"
for mode in 755 750 711; do
	second_is size=1m
	chmod $mode $second
	folder_of 16k
	fill
	second_serves "$mode"
	expect 0 "$mode: and ends with 0"
	drop_folder
	umount $second
done

begin 'a first place that is not ours'
second_is size=1m
chmod 755 $second
fresh
mkdir -p $folder && chown 65534 $folder
second_serves 'somebody else'
expect 1 'somebody else: recover fails, as more may be there'
says 'cannot look for journals: /run/tracesh belongs to ' 'somebody else: and says why'
rm -rf $folder
: >$folder
second_serves 'a file'
expect 1 'a file: recover fails'
rm $folder
ln -s "$TMP/elsewhere" $folder
second_serves 'a link'
expect 1 'a link: recover fails'
rm $folder
umount $second

begin 'two places that are not ours'
# refused SECOND: what a session says
refused()
{
	begin_session
	true_that "$1: it says so of both" grep -Eq "$2, and $1; after a kill -9" "$TMP/session.err" ||
		diag <"$TMP/session.err"
	end_session
}
fresh
settings >"$TMP/was"
second_is size=1m
chmod 777 $second
mkdir -p -m 700 $folder && chown 65534 $folder
refused 'others may write to /var/lib/tracesh \(mode 1?777\) \(chmod 700 /var/lib/tracesh\)' \
	'no journal: /run/tracesh belongs to .* \(chown 0 /run/tracesh && chmod 700 /run/tracesh\)'
chown 0 $folder
folder_of 16k
fill
refused 'others may write to /var/lib/tracesh \(mode 1?777\) \(chmod 700 /var/lib/tracesh\)' \
	"the journal's file ends here: No space left on device \(where: df /run /var/lib\)"
chmod 700 $second
chown 65534 $second
refused '/var/lib/tracesh belongs to .* \(chown 0 /var/lib/tracesh && chmod 700 /var/lib/tracesh\)' \
	"the journal's file ends here: No space left on device \(where: df /run /var/lib\)"
drop_folder
true_that 'the guard takes everything back' as_before
umount $second

begin 'both places full'
fresh
settings >"$TMP/was"
second_is size=4k
cat /dev/zero >$second/filler 2>/dev/null
batch_of 12 >"$TMP/batch"
folder_of 12k
begin_session
true_that 'it is said' grep -q "the journal's file ends here: No space left on device" "$TMP/session.err"
end_session
true_that 'the guard takes everything back' as_before
rm $second/filler
same "$(all_journals)" '' 'and no journal is left'
drop_folder
umount $second

finish
