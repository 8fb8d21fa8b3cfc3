#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Instances.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

made=live-$$-made

# Up to Linux 6.6 the size of one buffer makes the kernel forget that another is to be expanded.
begin 'the top-level buffer keeps its size'
was=$(cat "$TRACING/buffer_size_kb")
t -c "instance create $made" -c 'buffer 512K' -c "instance delete $made"
expect 0 'an instance gets a size'
case $was in
*expanded*)
	case $(cat "$TRACING/buffer_size_kb") in
	"$was" | "$(echo "$was" | sed 's/.*: \([0-9]*\))/\1/')") pass "$case_name: of one that is still to be expanded" ;;
	*) fail "$case_name: it was $was, and is $(cat "$TRACING/buffer_size_kb")" ;;
	esac
	;;
*) same "$(cat "$TRACING/buffer_size_kb")" "$was" 'of one that is in use' ;;
esac

# A buffer that nobody has used reads "7 (expanded: 1408)", and one of its CPUs just "7".
begin 'a size is taken back'
size=$TRACING/instances/$made/buffer_size_kb
for set in 'buffer 300K' 'write per_cpu/cpu0/buffer_size_kb 300'; do
	t -c "instance create $made"
	new=$(sed 's/.*expanded: \([0-9]*\)).*/\1/' "$size")
	t -i "$made" --restore -c "$set" -c 'cat per_cpu/cpu0/buffer_size_kb'
	expect 0 "$set"
	true_that "$set: it was set ($out)" test "$out" -ge 296
	same "$(sed 's/.*expanded: \([0-9]*\)).*/\1/' "$size")" "$new" "$set: all CPUs have what a new one has"
	t instance delete "$made"
done

begin 'create, use, delete'
top_option=$(cat "$TRACING/options/record-tgid") top_state=$(cat "$TRACING/tracing_on")
t -c "instance create $made" -c 'option record-tgid on' -c instance
expect 0 'create'
prints "\\*.*$made" 'it is in use'
same "$(cat "$TRACING/instances/$made/options/record-tgid")" 1 'what follows is for it'
same "$(cat "$TRACING/options/record-tgid")" "$top_option" 'and not for the top-level one'
t -i "$made" instance
prints "\\*.*$made" '-i uses it'
t -c "instance use $made" -c 'off' -c 'instance use top' -c "cat tracing_on"
expect 0 'use'
same "$out" "$top_state" 'top is the top-level one again'
same "$(cat "$TRACING/instances/$made/tracing_on")" 0 'the other one was set'
t -c "instance $made" -c 'cat tracing_on'
same "$out" 0 'instance NAME is use'
t instance create "$made"
expect 1 'one that exists is not created'
true_that 'nor removed for it' test -d "$TRACING/instances/$made"
t -c "instance use $made" -c "instance delete $made" -c 'cat tracing_on'
expect 0 'delete'
same "$out" "$top_state" 'the top-level one is in use'
false_that 'it is gone' test -d "$TRACING/instances/$made"

begin '-i and -I'
t -i "$made" status
expect 1 '-i of one that is not there'
says "unknown instance '$made'" 'it is named'
false_that 'and not made' test -d "$TRACING/instances/$made"
t -I "$made" -c 'option record-tgid on'
expect 0 '-I makes it'
t -I "$made" cat options/record-tgid
same "$out" 1 '-I of one that is there uses it'
t -i "${made}x" status
says "did you mean '$made'" 'the nearest name is told'
t instance delete "$made"
expect 0 'delete'

begin '-I of one that is not there, where nothing may be made'
echo 'enable sched:sched_switch' >"$TMP/batch"
t -n -I "$made" "$TMP/batch"
expect 0 '-n takes it for made'
false_that 'and does not make it' test -d "$TRACING/instances/$made"
t -n -I 'a b' "$TMP/batch"
expect 2 'a name that none can have is refused all the same'
t --complete -I "$made" -- enable sched_sw
prints 'sched_switch' 'completion completes'
false_that 'and makes nothing' test -d "$TRACING/instances/$made"

begin 'an error takes it back'
t -c "instance create $made" -c 'enable sched' -c 'write tracing_on nonsense'
expect 1 'fails'
false_that 'it is gone' test -d "$TRACING/instances/$made"
t -I "$made" write tracing_on nonsense
expect 1 'with -I too'
false_that 'it is gone too' test -d "$TRACING/instances/$made"

begin 'another one of that name, which somebody else has made meanwhile'
again="rmdir '$TRACING/instances/$made' && mkdir '$TRACING/instances/$made' && echo 1 >'$TRACING/instances/$made/options/record-tgid'"
t -c "instance create $made" -c 'enable sched:sched_switch' -c "status | { cat >/dev/null; $again; }" -c 'instance use top' -c 'undo 2'
expect 0 'is not what undo takes back'
says "^instance '$made' is gone, and what was set there; somebody has made another one of that name" 'which it says'
same "$(cat "$TRACING/instances/$made/options/record-tgid" 2>&1)" 1 'and it stays as it is'
t -i "$made" --keep-going -c "status | { cat >/dev/null; $again; }" -c buffer -c "instance use $made" -c buffer
expect 1 'a command in the one that is gone fails'
says 'is gone: somebody deleted it, and made another one' 'and says so'
says "hint: instance use $made" 'with what to do'
prints 'total|in all' 'after that it is the new one'
t -i "$made" -c 'buffer 2M' -c "status | { cat >/dev/null; $again; }" -c 'write nosuch 1'
same "$(cat "$TRACING/instances/$made/options/record-tgid" 2>&1)" 1 'nor are settings of the old one written to it'
rmdir "$TRACING/instances/$made"

begin 'names'
for bad in ../x a/b . .. '' 'a b' "$(printf 'a\033b')" "$(printf '%070d' 0)"; do
	t -c "instance create '$bad'"
	expect 2 "create '$(printf %s "$bad" | tr -d '\033' | cut -c 1-20)' is refused"
	[ -z "$bad" ] || {
		t -i "$bad" status
		expect 2 "-i '$(printf %s "$bad" | tr -d '\033' | cut -c 1-20)' too"
	}
	t -c "instance delete '$bad'"
	false_that 'delete too' test "$status" -eq 0
	unlike "$err" "$(printf '\033')" "$case_name: the terminal is safe"
done
t instance delete top
false_that 'the top-level one is not deleted' test "$status" -eq 0

begin 'one that somebody holds'
fresh
sleeper "$D/trace"
t instance delete "$I"
expect 1 'is not deleted'
says "sleep \\($sleeper\\)" 'who holds it is told'
true_that 'it is there' test -d "$D"

begin 'one that somebody holds, without /proc'
fresh
exec 5<"$D/trace"
# The sanitizers need /proc when the program starts.
run env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" unshare -m "$TRACESH" --yes \
	-c 'cat tracing_cpumask | mount -t tmpfs tmpfs /proc' -c "instance delete $I"
exec 5<&-
expect 1 'it stays'
says "cannot delete instance '$I': Device or resource busy" 'which is said'
says '^hint: the process that has a file of it open can be found when /proc is mounted: mount -t proc proc /proc' 'with what to type'

begin 'two sessions at once'
fresh
t -i "$I" -c 'option record-tgid on' -c "cat tracing_on | '$TRACESH' -i '$I' option sym-addr on" -c restore
expect 0 'another changes another setting'
file_is options/sym-addr 1 'that stays'
file_is options/record-tgid 0 'ours goes'

begin 'top by its name'
t -i top status
expect 0 '-i top'
prints '^instance: +top' 'is the top-level one'
t -I top status
expect 0 '-I top'
prints '^instance: +top' 'too'

# tracefs has one superblock: only where nobody else is.
begin 'a group'
# needs top
if [ ! -e /run/vm/main ] || ! setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	skip "$case_name" 'not in a guest, or there is no other user'
else
	nobody() { run setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nowhere "$TMP/tracesh" "$@"; }
	chmod 755 "$TMP"
	cp "$TRACESH" "$TMP/tracesh"
	mode=$(stat -c %a "$TRACING")
	nobody status
	expect 3 'nobody is not let in'
	remount=$(printf '%s\n' "$err" | sed -n "s/^hint: run it as root, or let a group in: //p")
	same "$remount" "mount -o remount,mode=750,gid=GROUP $TRACING" 'what helps is said'
	true_that 'and can be typed' sh -c "$(printf '%s' "$remount" | sed 's/GROUP/65534/')"
	nobody status
	expect 0 'it helps'
	nobody stream --for 1ms sched_switch
	true_that 'but for instances' test "$status" -ne 0
	give=$(printf '%s\n' "$err" | sed -n 's/^hint: run it as root, or let root make one for your group: \(.*\); then tracesh -i NAME stream --here EVENT$/\1/p')
	true_that 'what helps can be typed' sh -c "$(printf '%s' "$give" | sed "s/GROUP/65534/g; s/NAME/group-$$/g")"
	nobody -i "group-$$" stream --for 1ms --here sched_switch
	expect 0 'an instance that root made is for the group'
	rmdir "$TRACING/instances/group-$$"
	mount -o "remount,mode=$mode,gid=0" "$TRACING"
fi

finish
