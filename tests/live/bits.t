#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# System calls of 32-bit programs, whose numbers are other calls' than those of 64 bits.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'not on x86_64'
[ -d "$TRACING/events/raw_syscalls/sys_enter" ] || skip_all 'no events of system calls'
# build NAME BITS EMULATION: from stdin
build()
{
	as "--$2" -o "$TMP/$1.o" - 2>/dev/null && ld -m "$3" -o "$TMP/$1" "$TMP/$1.o" 2>/dev/null || skip_all 'no as and ld'
}
# A thousand times number 4 and 20, which are write and getpid here, and stat and writev with 64 bits; it sleeps then (29, pause).
build thirtytwo 32 elf_i386 <<'EOF'
	.globl _start
_start:	movl $1000, %esi
1:	movl $4, %eax
	movl $-1, %ebx
	xorl %ecx, %ecx
	xorl %edx, %edx
	int $0x80
	movl $20, %eax
	int $0x80
	decl %esi
	jnz 1b
2:	movl $29, %eax
	int $0x80
	jmp 2b
EOF
# The same with 64 bits (39 and 110, 34), with nothing in the registers that 32 bits could not hold.
build sixtyfour 64 elf_x86_64 <<'EOF'
	.globl _start
_start:	movl $1000, %ebx
1:	movl $39, %eax
	syscall
	movl $110, %eax
	syscall
	decl %ebx
	jnz 1b
2:	movl $34, %eax
	syscall
	jmp 2b
EOF
"$TMP/thirtytwo" &
probe=$!
await grep -q '^State:[[:space:]]*S' "/proc/$probe/status" || skip_all 'this kernel runs no 32-bit programs'
kill "$probe"

# with PROGRAM COMMAND..: runs the command while the program runs, and then sleeps; its output is in $TMP/seen
with()
{
	program=$1
	shift
	start "$TMP/seen" "$TRACESH" "$@"
	await is_streaming "$child"
	"$TMP/$program" &
	task=$!
	children="$children $task"
	await grep -q '^State:[[:space:]]*S' "/proc/$task/status"
	kill -INT "$child"
	ended "$child"
	kill "$task"
	wait "$task" 2>/dev/null
}
# counts: the rows of 1000
counts() { awk '{ for (i = 2; i <= NF; i++) if ($i == 1000) { sub(/ +1000 .*/, ""); print } }' "$TMP/seen" | sort | tr '\n' ';'; }

begin 'calls by name'
for event in sys_enter sys_exit; do
	with thirtytwo hist "raw_syscalls:$event" by id.syscall where 'comm == thirtytwo'
	same "$(counts)" 'getpid (32-bit);write (32-bit);' "$event: those of a 32-bit program"
	with sixtyfour hist "raw_syscalls:$event" by id.syscall where 'comm == sixtyfour'
	same "$(counts)" 'getpid;getppid;' "and of one of 64 bits"
done
with thirtytwo --json latency syscall by comm,id.syscall
json 'latency syscall, in JSON' "$TMP/seen" "
keys = {row['key']['id.syscall']: row['count'] for row in rows if row.get('key') and row['key']['comm'] == 'thirtytwo'}
assert keys['write (32-bit)'] == keys['getpid (32-bit)'] == 1000, keys"
with thirtytwo record "$TMP/rec" raw_syscalls:sys_enter
t --tracefs "$TMP/rec" hist by id.syscall where 'comm == thirtytwo'
cp "$TMP/out" "$TMP/seen"
same "$(counts)" 'getpid (32-bit);write (32-bit);' 'a recording knows it'
rm "$TMP/rec/tracesh/programs"
t --tracefs "$TMP/rec" hist by id.syscall where 'comm == thirtytwo'
cp "$TMP/out" "$TMP/seen"
same "$(counts)" '?20 (writev or getpid);?4 (stat or write);' 'where nothing tells, it is said'
says 'events with .NUMBER: whether it was a 32-bit program' 'with a note'

begin 'events that do not fire'
"$TMP/thirtytwo" &
task=$!
children="$children $task"
t stream --for 100ms --pid "$task" syscalls:sys_enter_write
says "$task is a 32-bit program, and syscalls:\\* has no event" 'the sum of nothing names the program'
sleeper
t stream --for 100ms --pid "$sleeper" syscalls:sys_enter_acct
same "$(grep -c 32-bit "$TMP/err")" 0 'and no other'
fresh
echo 1 >"$D/events/syscalls/sys_enter_write/enable"
echo "$task" >"$D/set_event_pid"
t -i "$I" doctor
like "$(cat "$TMP/out")" "$task is a 32-bit program" 'doctor, too'
kill "$task"
start "$TMP/seen" "$TRACESH" run syscalls:sys_enter_write -- "$TMP/thirtytwo"
await grep -q '32-bit program' "$TMP/seen.err"
same "$(grep -c 'thirtytwo is a 32-bit program' "$TMP/seen.err")" 1 'run says it when it begins'
kill -TERM "$child"
ended "$child" || :

finish
