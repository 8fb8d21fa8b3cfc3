#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers
# beside others
# examples/board/collect.sh, by a busybox that has nothing beside it: the tree it makes of an instance is the kernel's own
# text, its times are within the error that is stated, and tracing is as it was.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
busybox=$(command -v busybox) || skip_all 'no busybox'
case $(date +%s%N) in *[!0-9]*) skip_all 'a date without nanoseconds: tests/vm/board-guest has it' ;; esac
. "$SRC/tests/live/lib-live.sh"

mkdir "$TMP/bin"
for applet in adjtimex cat cp date dd df getopts grep head ls mkdir printf rm sed taskset tar tr true uname; do
	! "$busybox" --list | grep -qx "$applet" || ln -s "$busybox" "$TMP/bin/$applet"
done
[ -e "$TMP/bin/tar" ] || skip_all 'a busybox without tar'

# collect ARGUMENT..: with those applets alone
collect()
{
	run env -i "PATH=$TMP/bin" "TMPDIR=$TMP" "$busybox" sh "$SRC/examples/board/collect.sh" "$@"
}

# decoded TREE: prints its lines as the kernel would
decoded()
{
	"$TRACESH" -q --tracefs "$1" --format kernel drain | grep -v '^#'
}

# ns: the time of day in nanoseconds
ns()
{
	date +%s%N
}

# marked CLOCK: events, and a marker of which $before and $after are known
marked()
{
	fresh
	echo "$1" >"$D/trace_clock"
	real_pointers
	only_ours
	for event in sched/sched_process_exit sched/sched_process_exec raw_syscalls/sys_enter; do
		echo 1 >"$D/events/$event/enable"
	done
	ls -R "$SRC/src" >/dev/null
	before=$(ns)
	echo 'here it is' >"$D/trace_marker"
	after=$(ns)
	echo 0 >"$D/tracing_on"
}

# json KEY FILE: a number of the marker's event
json()
{
	grep 'here it is' "$2" | sed "s/.*\"$1\":\"\{0,1\}\([^,\"]*\).*/\1/"
}

# the first lines in which the kernel's text and ours differ
differing() { diff "$TMP/kernel" "$TMP/ours" | sed -n '1,6p;$p'; }

begin 'an option with a control sequence'
collect "-$(printf '\033')"
expect 2 'is none'
# shellcheck disable=SC2154 # of run
same "$(printf '%s\n' "$err" | sed 's/:.*//;q')" usage 'nothing of it reaches the terminal'

begin 'an operand with a control sequence'
fresh
odd=$(printf 'a\033[31mb')
mkdir "$TMP/$odd"
: >"$TMP/$odd/x"
: >"$TMP/y$odd"
for operand in "$TMP/$odd" "$TMP/gone$odd/x" "$TMP/y$odd/x" "-i gone$odd"; do
	case $operand in -*) collect -i "${operand#-i }" ;; *) collect -i "$I" "$operand" ;; esac
	expect 1 "$operand"
	like "$err" '^collect.sh: .*a[?]\[31mb' 'the message names it'
	same "$(printf '%s' "$err" | tr -d ' -~\n')" '' 'and has no byte that a terminal would obey'
done

for clock in boot local; do
	begin "$clock"
	case " $(tr -d '[]' <"$TRACING/trace_clock") " in *" $clock "*) ;; *)
		skip "$clock" 'this kernel has no such clock'
		continue
		;;
	esac
	marked "$clock"
	grep -v '^#' "$D/trace" >"$TMP/kernel"
	collect -i "$I" "$TMP/tree-$clock"
	expect 0 'succeeds'
	# shellcheck disable=SC2154 # of run
	same "$err$out" '' 'without a word'
	same "$(sed -n 's/^entries: //p' "$D"/per_cpu/cpu*/stats | sort -u)" 0 'no event is left behind'
	decoded "$TMP/tree-$clock" >"$TMP/ours"
	same "$(differing)" '' "the $(wc -l <"$TMP/kernel") lines of the kernel"
	"$TRACESH" -q --json --tracefs "$TMP/tree-$clock" drain >"$TMP/json"
	moment=$(date -d "$(json time "$TMP/json")" +%s%N)
	error=$(json error_ns "$TMP/json")
	diag "$clock: +-$error ns"
	true_that 'the marker is within the error' test $((moment + error >= before && moment - error <= after)) = 1
	true_that 'the error is a small one' test "$error" -lt 1000000000
	for command in 'show -n 2' stats 'info sched_process_exit' 'time now'; do
		run "$TRACESH" --tracefs "$TMP/tree-$clock" -c "$command"
		expect 0 "$command"
	done
	rm -rf "$TMP/tree-$clock"
done

begin 'a tar on stdout, tracing on'
marked boot
echo 0 >"$D/events/enable"
echo 1 >"$D/tracing_on"
grep -v '^#' "$D/trace" >"$TMP/kernel"
status=0
env -i "PATH=$TMP/bin" "TMPDIR=$TMP" "$busybox" sh -s -- -a -i "$I" <"$SRC/examples/board/collect.sh" >"$TMP/tar" 2>"$TMP/err" || status=$?
same "$status$(cat "$TMP/err")" 0 'succeeds'
same "$(cat "$D/tracing_on")" 1 'tracing is on again'
mkdir "$TMP/tree" && tar -C "$TMP/tree" -xf "$TMP/tar"
decoded "$TMP/tree" >"$TMP/ours"
# Without the names of tasks, which the kernel forgets when others take their place.
for file in kernel ours; do sed -i 's/^ *.*-\([0-9]* *\[[0-9]\)/\1/' "$TMP/$file"; done
same "$(differing)" '' 'with -a also events that are no longer enabled are decoded'
same "$(echo "$TMP"/collect.*)" "$TMP/collect.*" 'nothing is left in TMPDIR'

begin 'a clock that is not set, and the one at home'
# as if the board had begun in 1970: what it says of REALTIME
sed -i -e '/^[0-9]/d' -e '/time\.tv_/d' -e '/^ clock 1/,/offset/s/offset:.*/offset:     5 nsecs/' "$TMP/tree/tracesh/samples"
run "$TRACESH" --tracefs "$TMP/tree" drain -n 1
expect 0 'succeeds'
like "$out" '^# .*by a clock that was not set \(help boards\)' 'it is said'
like "$out" ' 1970-' 'it is the time of the board'
run "$TRACESH" --json --tracefs "$TMP/tree" drain -n 1
like "$out" '"clock_set":false' 'JSON says it'
(date +%s.%N && cat /proc/timer_list && date +%s.%N) >"$TMP/tree/tracesh/home"
"$TRACESH" -q --json --tracefs "$TMP/tree" drain >"$TMP/json"
moment=$(date -d "$(json time "$TMP/json")" +%s%N)
error=$(json error_ns "$TMP/json")
true_that 'the marker is within the error, by the clock at home' test $((moment + error >= before && moment - error <= after)) = 1
unlike "$(sed -n 1p "$TMP/json")" clock_set 'and nothing is missing'
echo nothing >"$TMP/tree/tracesh/home"
run "$TRACESH" --tracefs "$TMP/tree" drain
expect 1 'a home without a look is an error'
like "$err" "error: 'tracesh/home' of the recording gives no wall-clock times" 'and is named'

begin 'without -a, an event that is no longer enabled'
marked boot
echo 0 >"$D/events/sched/sched_process_exit/enable"
collect -i "$I" "$TMP/tree-few"
expect 0 'succeeds'
id=$(cat "$D/events/sched/sched_process_exit/id")
run "$TRACESH" --tracefs "$TMP/tree-few" count
like "$out" '^sched:sched_process_exit ' 'its format is there, for it is in the buffer'
same "$(sort "$TMP/tree-few/available_events" | uniq -d)" '' 'each once'
rm -rf "$TMP/tree-few/events/sched/sched_process_exit"
run "$TRACESH" --tracefs "$TMP/tree-few" count
like "$out" "^unknown:$id " 'were its format missing'
like "$err" "^the recording has no format of 1 event \(unknown:$id\): collect.sh -a takes the formats of all\$" 'what takes it is said'
rm -rf "$TMP/tree-few"

begin 'its usage'
collect -h
expect 0 '-h'
like "$out" '^usage: collect.sh \[-i INSTANCE\] \[-a\]' 'has -a'
like "$out" '^It empties \(consumes\) the buffer' 'says that the buffer is emptied'
collect -x
expect 2 'an option that it has not'
like "$err" '^usage: collect.sh' 'shows the usage'

begin 'refused'
fresh
mkdir "$TMP/full" && : >"$TMP/full/file"
collect -i "$I" "$TMP/full"
expect 1 'a folder that is not empty'
like "$err" 'not empty' 'is said'
collect -i "$I-nosuch" "$TMP/other"
true_that 'an instance that is not there' test "$status" -ne 0
true_that 'makes no folder' test ! -e "$TMP/other"

begin 'a folder that others can change'
fresh
mkdir "$TMP/secret" "$TMP/shared" && chmod 755 "$TMP" && chmod 777 "$TMP/shared"
# planted WHAT DIR
planted()
{
	collect -i "$I" "$2"
	expect 1 "$1"
	same "$(ls -A "$TMP/secret")" '' "$1: nothing is written"
	same "$(cat "$D/tracing_on")" 1 "$1: tracing goes on"
}
mkdir "$TMP/theirs" && chown 65534 "$TMP/theirs"
planted 'one of somebody else' "$TMP/theirs"
like "$err" 'not yours alone' 'it says why'
planted 'one below it' "$TMP/theirs/tree"
planted 'one that all may write to' "$TMP/shared"
planted 'one below it' "$TMP/shared/tree"
like "$err" "others may write to $TMP/shared" 'it says which'
ln -s "$TMP/secret" "$TMP/link"
planted 'a link' "$TMP/link"
chmod 1777 "$TMP/shared" && mkdir "$TMP/theirs/sub" && ln -s "$TMP/theirs/sub" "$TMP/shared/link"
planted 'one behind a link to a folder of somebody else' "$TMP/shared/link/tree"
collect -i "$I" "$TMP/shared/tree"
expect 0 'one in a folder as /tmp is'
same "$(stat -c %a "$TMP/shared/tree" "$TMP/shared/tree/tracesh")" "700
700" 'which others cannot read'
chown 65534 "$TMP/shared"
for mode in 1777 1755; do
	chmod $mode "$TMP/shared"
	planted "one in a sticky folder of somebody else, $mode" "$TMP/shared/new"
	like "$err" "others may write to $TMP/shared" 'it says which'
	true_that 'nothing is made there' test ! -e "$TMP/shared/new"
	status=0
	env -i "PATH=$TMP/bin" "TMPDIR=$TMP/shared" "$busybox" sh "$SRC/examples/board/collect.sh" -i "$I" >"$TMP/out" 2>"$TMP/err" || status=$?
	same "$status $(cat "$TMP/out")$(echo "$TMP/shared/"collect.*)" "1 $TMP/shared/collect.*" 'nor is it for TMPDIR'
done
chown 0 "$TMP/shared" && chmod 1777 "$TMP/shared"
# who swaps the new folder all the same: swapped WHEN STATUS, when it is made or when there is something in it
cat >"$TMP/swap" <<'SH'
mkdir() {
	case $WHEN:$1 in new:$TMP/*) command mkdir "$1" && mv "$1" "$1.was" && command mkdir "$1" && chown 65534 "$1" && return ;;
	later:*/tracesh) mv "$TMP/shared/swapped" "$TMP/shared/swapped.was" && ln -s "$TMP/secret" "$TMP/shared/swapped" ;; esac
	command mkdir "$@"
}
SH
cat "$SRC/examples/board/collect.sh" >>"$TMP/swap"
swapped()
{
	status=0
	env -i "PATH=$PATH" "TMP=$TMP" "WHEN=$1" "$busybox" sh "$TMP/swap" -i "$I" "$TMP/shared/swapped" >"$TMP/out" 2>"$TMP/err" || status=$?
	same "$status $(cat "$TMP/out" "$TMP/err")" "$2" "swapped: $1"
	same "$(ls -A "$TMP/secret" "$TMP/shared/swapped/")" "$3" 'nothing is written there'
}
swapped new "1 collect.sh: $TMP/shared/swapped is not yours alone" "$TMP/secret:

$TMP/shared/swapped/:"
rm -r "$TMP/shared/swapped"*
swapped later '0 ' "$TMP/secret:

$TMP/shared/swapped/:"
true_that 'but to the folder that was made' test -s "$TMP/shared/swapped.was/tracesh/info"
rm -r "$TMP/shared/swapped"*
# who guesses the name of the scratch folder
cat >"$TMP/guess" <<'SH'
mkdir "$TMPDIR/collect.$$" && ln -s "$SECRET" "$TMPDIR/collect.$$/tracesh" && ln -s "$SECRET" "$TMPDIR/collect.$$/events"
[ -z "$LINK" ] || { rm -r "$TMPDIR/collect.$$" && ln -s "$SECRET" "$TMPDIR/collect.$$"; }
set -- -i "$I"
SH
cat "$SRC/examples/board/collect.sh" >>"$TMP/guess"
for link in '' yes; do
	status=0
	env -i "PATH=$PATH" "TMPDIR=$TMP/shared" "SECRET=$TMP/secret" "I=$I" "LINK=$link" "$busybox" sh "$TMP/guess" >"$TMP/out" 2>"$TMP/err" || status=$?
	same "$status" 1 "a folder in the way${link:+, a link}: an error"
	same "$(ls -A "$TMP/secret")$(cat "$TMP/out")" '' 'nothing is written there'
	true_that 'it stays' test -e "$TMP/shared/"collect.*
	rm -rf "$TMP/shared/"collect.*
done
rm -rf "$TMP/theirs" "$TMP/shared" "$TMP/secret" "$TMP/link"

begin 'a tar that cannot be written'
if [ -e /dev/full ]; then
	marked boot
	grep -v '^#' "$D/trace" >"$TMP/kernel"
	status=0
	env -i "PATH=$TMP/bin" "TMPDIR=$TMP" "$busybox" sh -s -- -i "$I" <"$SRC/examples/board/collect.sh" >/dev/full 2>"$TMP/err" || status=$?
	true_that 'is an error' test "$status" -ne 0
	kept=$(sed -n "s|^collect.sh: what was read is kept in \($TMP/.*\)|\1|p" "$TMP/err")
	true_that 'says where the events are' test -d "$kept"
	decoded "$kept" >"$TMP/ours"
	same "$(differing)" '' 'which are all there'
	rm -rf "$kept"
else
	skip 'a tar that cannot be written' 'there is no /dev/full'
fi

begin 'no room'
if mkdir "$TMP/small" && mount -t tmpfs -o size=400k none "$TMP/small" 2>/dev/null; then
	at_exit 'umount -l "$TMP/small"'
	marked boot
	echo 1 >"$D/tracing_on"
	i=0
	# more than there is room for
	while [ $i -lt 200 ] && [ "$(sed -n 's/^bytes: //p' "$D"/per_cpu/cpu*/stats | awk '{ n += $1 } END { print (n > 400000) }')" = 0 ]; do
		i=$((i + 1))
		ls -R "$SRC/src" >/dev/null
	done
	events=$(sed -n 's/^read events: //p' "$D"/per_cpu/cpu*/stats | sort -u)
	collect -i "$I" "$TMP/small/tree"
	expect 1 'is an error'
	like "$err" 'no room: .* KB' 'and is said'
	same "$(sed -n 's/^read events: //p' "$D"/per_cpu/cpu*/stats | sort -u)" "$events" 'nothing is taken out'
	same "$(cat "$D/tracing_on")" 1 'tracing is on again'
	same "$(ls "$TMP/small/tree")" '' 'what was made is gone'
else
	skip 'no room' 'no tmpfs can be mounted here'
fi
finish
