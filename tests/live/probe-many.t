#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# needs kprobes
# probe with a glob: one for each function that it matches, what is left out, Ctrl-C, and that all of them go.
# long in a guest
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
[ -e "$TRACING/kprobe_events" ] || skip_all 'this kernel has no kprobes'

probes=$TRACING/dynamic_events
[ -e "$probes" ] || probes=$TRACING/kprobe_events
# ours: lines of sessions of this test's
ours() { grep -c ":tracesh_[0-9]*/vfs_" "$probes"; }
none_left() { [ "$(ours)" = 0 ]; }

# functions: those that the glob of the cases matches, as the kernel lists them, each of one name
awk '$3 ~ /^vfs_r/ && $3 !~ /[.]/ && $2 ~ /[tTwW]/ { print $3 }' /proc/kallsyms | sort | uniq -u >"$TMP/functions"
if [ -e "$TRACING/available_filter_functions" ]; then
	sed 's/ .*//' "$TRACING/available_filter_functions" | sort -u | comm -12 - "$TMP/functions" >"$TMP/traceable"
	mv "$TMP/traceable" "$TMP/functions"
fi
n=$(wc -l <"$TMP/functions")
true_that 'there are some' test "$n" -gt 2

begin 'each function'
t -c "probe 'vfs_r*'" -c 'probe list' -c "probe delete 'vfs_re*'" -c 'probe list'
expect 0 'succeeds'
says "^$n events are there until the session ends: count 'tracesh_[0-9]*:\\*'" 'all of them'
printf '%s\n' "$out" | sed -n 's/^tracesh_[0-9]*:\([a-z0-9_]*\) .*/\1/p' | sort >"$TMP/listed"
same "$(sort -u "$TMP/listed")" "$(cat "$TMP/functions")" 'one for each, called like it'
says "^$(grep -c '^vfs_re' "$TMP/functions") probes deleted$" 'some of them by another glob'
same "$(grep -c '^vfs_re' "$TMP/listed")" "$(grep -c '^vfs_re' "$TMP/functions")" 'and they are gone'
ok 'the others are gone with the session' none_left

begin 'with what they return'
t -c "probe 'vfs_r*%return' \$retval" -c 'probe list'
expect 0 'succeeds'
prints '^tracesh_[0-9]*:vfs_read_return +return +vfs_read ' 'the return of each'
ok 'gone' none_left

begin 'which of them are called'
start "$TMP/counted" "$TRACESH" --json count --probe 'vfs_r*'
counting=$child
is_counting() { [ "$(cat "$TRACING/instances/tracesh-$counting-"*/set_event 2>/dev/null | grep -c ":vfs_r")" = "$n" ]; }
await is_counting
dd if=/dev/zero of=/dev/null bs=1 count=300 2>/dev/null
kill -INT "$counting"
ended "$counting"
out=$(cat "$TMP/counted") err=$(cat "$TMP/counted.err")
same "$status" 0 'Ctrl-C ends it'
calls=$(printf '%s\n' "$out" | sed -n 's/.*"key":{"event":"tracesh_[0-9]*:vfs_read"},.*"count":\([0-9]*\).*/\1/p')
true_that "those of dd are among them ($calls)" test "${calls:-0}" -ge 300
ok 'gone' none_left

begin 'what is wrong'
t -c "probe 'vfs_nosuch*'"
expect 1 'no such function'
says "error: no function of the kernel matches 'vfs_nosuch\\*'" 'is said'
t -c "probe name='vfs_r*'"
expect 2 'a name'
says 'error: each event of many is called like its function' 'is for one'
t latency 'vfs_r*' 'vfs_r*%return'
expect 2 'a pair'
says 'error: a pair is of one function, and a glob is of many' 'is of one'
t explain probe 'vfs_r*'
expect 2 'explain'
says 'hint: --dry-run prints them' 'has a hint'
t -c "probe '*'"
expect 1 'everything'
says '^<-c 1>:1:7: error: this makes [0-9]+ probes; removing them takes the kernel about [0-9]+ s: this needs --yes' \
	'is asked about'
if [ -e /sys/kernel/btf/vmlinux ]; then
	t -c "probe 'vfs_r*' nosuch=nosuch->field"
	expect 1 'an argument that none has'
	says "has no parameter 'nosuch'" 'is the error of the first'
else
	skip "$case_name" 'this kernel has no BTF'
fi
ok 'nothing is left' none_left
same "$("$TRACESH" --dry-run -c "probe 'vfs_r*'" | grep -c "^add [a-z_]*events 'p:tracesh_[0-9]*/vfs_r")" "$n" 'as a script'

begin 'Ctrl-C'
start "$TMP/many" "$TRACESH" --yes -c "probe '*'"
many=$child
is_making() { [ "$(grep -c ":tracesh_$many/" "$probes")" -ge 20 ]; }
await is_making
kill -INT "$many"
ended "$many"
err=$(cat "$TMP/many.err")
same "$status" 1 'ends it'
says '^stopped: [0-9]+ of [0-9]+ probes were made; removing them takes about' 'which is said'
same "$(grep -c ":tracesh_$many/" "$probes")" 0 'and they are gone'

begin 'SIGKILL'
start "$TMP/many" "$TRACESH" --yes -c "probe '*'"
many=$child
await is_making
kill -KILL "$many"
ended "$many"
are_gone() { [ "$(grep -c ":tracesh_$many/" "$probes")" = 0 ]; }
ok 'the guard takes them away' await are_gone
# To enable sixty takes seconds.
begin 'the rate of a call beside them'
if [ -n "$PYTHON" ] && [ -e "$TRACING/events/syscalls/sys_enter_getpriority" ]; then
	start "$TMP/steady" "$PYTHON" "$SRC/tests/helpers/steady.py" 20
	t -o "$TMP/rates" --json count --for 5s --probe 'vfs_*' sys_enter_getpriority
	expect 0 'count'
	same "$("$PYTHON" "$SRC/tests/helpers/steady.py" "$TMP/rates" "$TMP/steady" 2>&1)" right 'is as often as it is'
	if [ -e "$TRACING/events/syscalls/sys_enter_getpriority/hist" ]; then
		t -o "$TMP/rates" --json count --in-kernel --for 5s 'syscalls:sys_enter_g*'
		same "$("$PYTHON" "$SRC/tests/helpers/steady.py" "$TMP/rates" "$TMP/steady" 2>&1)" right 'in the kernel, too'
	fi
fi

finish
