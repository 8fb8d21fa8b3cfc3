#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Probes: of programs and of the kernel; listed, streamed, deleted, taken back, removed at the end.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
. "$SRC/tests/live/lib-probe.sh"

target=$TMP/target
cat >"$target.c" <<'C'
#include <unistd.h>
int greet(int n, const char *name);
__attribute__((noinline)) int greet(int n, const char *name)
{
	__asm__ volatile("" ::: "memory");
	return n + name[0];
}
static __attribute__((noinline, used)) int inner(int n)
{
	__asm__ volatile("" ::: "memory");
	return n * 3;
}
int main(int argc, char **argv)
{
	int i, sum = 0;

	for (i = 0; i < 3; i++)
		sum += greet(100 + i, argc > 1 ? argv[1] : "nobody") + inner(i);
	return sum == 0;
}
C

begin 'a function of a program'
fresh
true_that 'the program is built' "${CC:-cc}" -O1 -o "$target" "$target.c"
address=$(nm "$target" | sed -n 's/ T greet$//p')
place=$target:0x$(printf %x $((0x$address & 0xfff)))
t -c "probe $target:greet n=\$arg1:s32 name=+0(\$arg2):string" -c 'probe list' -c "run greet -- $target you"
expect 0 'made, listed, recorded'
says "the event 'tracesh_[0-9]+:greet' is there" 'its name is said'
prints "^tracesh_[0-9]+:greet +function +$target:0x[0-9a-f]+ +[0-9]+ +this session +n=" 'the list has it'
prints ' 20[0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9:.]*: greet: \(0x[0-9a-f]+\) n=101 name="you"$' 'its arguments are recorded, with wall-clock times'
same "$(grep -c 'greet: ' "$TMP/out")" 3 'each call once'
true_that 'at the end it is gone' none_left
t -c "probe back=$target:greet%return \$retval" -c "run back where 'ret > 0' -- $target you"
expect 0 'its return'
prints ' back: \(0x[0-9a-f]+ <- 0x[0-9a-f]+\) ret=0x[0-9a-f]+$' 'has what it returned'
t -c "probe $target:inner" -c "run inner -- $target you" -c 'info inner'
prints ' inner: ' 'a static function is found by its name'
t -c "probe it=$target:0x$address \$arg1:u32" -c "run it -- $target you"
prints ' it: .* arg1=100$' 'and one by its address, as nm prints it'
t -c "probe a=$target:greet" -c "probe list" -c keep
true_that 'kept settings keep no probe' none_left

begin 'forms of programs'
for flags in '-static -no-pie' '-no-pie' '-pie'; do
	# shellcheck disable=SC2086 # options
	"${CC:-cc}" -O1 $flags -rdynamic -o "$TMP/form" "$target.c" || continue
	for how in whole stripped; do
		[ $how = whole ] || strip "$TMP/form"
		case $flags-$how in -static*stripped) continue ;; esac
		t -c "probe $TMP/form:greet n=\$arg1:s32" -c "run greet -- $TMP/form you"
		prints ' greet: .* n=102$' "$flags, $how"
	done
done

begin 'explained'
t explain probe "$target:greet" 'n=$arg1:s32'
expect 0 'nothing is made'
prints "^kernel  $target:greet  in every process that has that file$" 'whose it is'
prints "^[a-z]*_events  p:tracesh_[0-9]+/greet $target:0x[0-9a-f]+ n=%?[a-z0-9\$]+:s32$" 'and what would be written'
true_that 'nothing is left' none_left
t explain probe list
expect 2 'the list'
says 'error: there is nothing to explain' 'has nothing'

begin 'delete and undo'
t -c "probe $target:greet" -c "probe $target:inner" -c 'probe delete greet' -c 'probe list' -c undo -c 'probe list'
expect 0 'one of two is deleted'
says '^1 probe deleted$' 'which is said'
same "$(grep -c ':inner ' "$TMP/out"),$(grep -c ':greet ' "$TMP/out")" 2,1 'the other stays, undo brings it back'
t -c "probe $target:greet" -c undo -c 'cat uprobe_events | grep -c tracesh_' -c redo -c 'cat uprobe_events'
prints 'tracesh_[0-9]+/greet' 'undo takes one back, redo makes it again'
true_that 'nothing is left' none_left

begin 'saved'
fresh
t -c "probe $target:greet n=\$arg1:s32" -c "instance $I" -c 'enable greet if n > 1' -c 'save -a'
expect 0 'the state with a probe of this session'
prints '^# a session removes this probe at its end: p:tracesh_' 'which is a remark'
same "$(printf '%s\n' "$out" | grep -c '^[^#].*tracesh_[0-9]')" 0 'and neither made nor enabled by the file'

begin 'deleted while it is enabled'
# needs top
erases
fresh
t -c "probe $target:greet \$arg1" -c 'enable greet' -c "instance $I" -c 'enable greet' -c 'trigger greet stacktrace:5' -c 'probe delete greet' -c 'events greet'
expect 1 'in two instances, with a trigger'
says '^1 probe deleted$' 'it goes'
says "event 'greet'" 'the event is not there any more'
t -c "probe $target:greet \$arg1" -c 'enable greet' -c "instance $I" -c 'enable greet' -c 'trigger greet stacktrace:5' -c keep
expect 0 'kept settings of the event'
true_that 'do not keep the probe' none_left
false_that 'nor its directory' ls "$D"/events/tracesh_*/greet

begin 'restore behind a keep'
fresh
t -i "$I" -c "probe $target:greet" -c 'enable greet' -c keep -c 'option sym-addr on' -c restore -c enable -c 'undo' -c 'probe list'
expect 0 'succeeds'
like "$err" '^1 setting taken back$' 'what was set since is taken back'
prints ':greet' 'the event of a probe is left, and on'
like "$err" '^there is nothing to take back' 'there is no more to be undone'
true_that 'the probe goes at the end' none_left

begin 'beside others that are enabled'
# needs top
t --restore -c 'enable task:task_rename' -c "probe $target:greet"
expect 0 'a probe that was never enabled'
unlike "$err" 'saved|erased' 'erases nothing when it goes'

begin "others' probes"
echo "p:live_foreign/one $place" >>"$TRACING/uprobe_events"
t -c 'probe list' -c 'probe delete live_foreign:one'
expect 1 'delete refuses one'
says "the probe 'live_foreign:one' is not of this session" 'and says why'
prints '^live_foreign:one ' 'the list has it'
t -c "probe $target:greet" -c 'probe delete greet' -c 'probe delete one'
expect 1 'nor by its bare name'
t recover
true_that 'it is still there' grep -q live_foreign/one "$probes"
echo '-:live_foreign/one' >>"$TRACING/uprobe_events"

begin 'two sessions'
fresh
start "$TMP/other" "$TRACESH" -c "probe $target:greet" -c 'wait 1h'
true_that 'another session has its probe' await grep -q "tracesh_$child/greet" "$probes"
t -c "probe $target:greet n=\$arg1:s32" -c "run greet -- $target you"
expect 0 'the same function once more'
prints ' greet: .* n=100$' 'a name without a group is that of our own'
true_that "the other's stays" grep -q "tracesh_$child/greet" "$probes"
t -c "probe delete tracesh_$child:greet"
expect 1 'and is not deleted'
kill -TERM "$child"
ended "$child"
true_that 'it goes with its session' none_left

begin 'killed'
fresh
for guard in with without; do
	start "$TMP/killed" "$TRACESH" -c "probe $target:greet \$arg1" -c "instance $I" -c 'enable greet' -c 'wait 1h'
	true_that "$guard its guard: it is enabled" await grep -q greet "$D/set_event"
	watch=
	[ $guard = with ] || watch=$(pgrep -P "$child")
	# shellcheck disable=SC2086 # a word or none
	kill -KILL $watch "$child"
	ended "$child"
	await let_go
	t recover
	true_that "$guard its guard: nothing is left" none_left
	same "$(cat "$D/set_event")" '' 'the event is off'
done
sh -c 'echo "p:tracesh_$$/one '"$place"'" >>'"$TRACING/uprobe_events"
t recover
says "probe 'tracesh_[0-9]+:one' of a process that is gone is removed" 'recover sweeps what has no journal'
true_that 'nothing is left' none_left

begin 'errors of programs'
t -c "probe $target:gret"
expect 1 'an unknown function'
says "has no function 'gret'" 'is named'
says "did you mean 'greet'" 'with the nearest one'
t -c "probe bin/sh:main"
expect 2 'a relative path'
says 'begins with a /' 'is refused'
t -c 'probe /bin/sh'
expect 2 'no function'
says '^hint: /bin/sh:FUNCTION; TAB behind the colon lists them' 'is said'
t -c 'probe /bin'
expect 1 'a folder'
says "^<-c 1>:1:7: error: '/bin' is no program" 'is no program'
says "^hint: in sh: file '/bin' tells what it is" 'which is said with what to type'
for command in 'probe /nonexistent:x' 'probe /nonexistent' 'count --probe /nonexistent'; do
	t -c "$command"
	expect 1 "$command"
	says "cannot open '/nonexistent'" 'no such file'
	says "^hint: in sh: command -v 'nonexistent' tells where a program is" 'which is said with what to type'
done
cp "$target" "$TMP/bare" && strip "$TMP/bare"
t -c "probe $TMP/bare:greet"
expect 1 'a stripped program'
says 'stripped|has no function' 'has no such name'
t -c "probe $TMP/target.c:greet"
says 'is no program: it is no ELF file' 'no program'
t -c "probe $target:0x7fffffff"
says 'has no code at' 'no code at the address'
t -c "probe $target:greet a=%zz"
expect 1 'what the kernel refuses'
says '^ +\^' 'has a caret'
t -c "probe $target:greet name"
says 'types of programs are not known' 'a parameter by its name'
t -c 'probe "/bin/sh:main a=1"'
expect 2 'a blank in a word'
says 'no blank and no #' 'which would be a second argument'
t -c "probe $target:greet '%di
-:live_foreign/one'"
expect 2 'a second line in one'
t -c "probe x=$target:greet" -c "probe x=$target:inner"
expect 1 'a name that is taken'
says "there is a probe 'x' already" 'is refused'
t -n -c "probe x=$target:greet" -c 'stream x'
expect 0 '-n imagines the event'
t --dry-run -c "probe x=$target:greet" -c 'enable x'
prints "^add (dynamic|uprobe)_events 'p:tracesh_[0-9]+/x $target:0x[0-9a-f]+'$|^add .*p:tracesh_" '--dry-run prints the write'
prints '^add (dynamic|uprobe)_events -:tracesh_[0-9]+/x$' 'and its way back'
if [ ! -e "$TRACING/kprobe_events" ]; then
	t -c 'probe vfs_open'
	expect 3 'a kernel without kprobes'
	says 'CONFIG_KPROBE_EVENTS' 'says so'
fi
t --complete -- probe "$target:gr"
prints "^$target:greet" 'symbols complete'

begin 'functions of the kernel'
# needs kprobes
fresh
if [ -e "$TRACING/kprobe_events" ]; then
	t -c 'probe vfs_open path->dentry->d_name.name' -c "run vfs_open -- cat $target.c"
	expect 0 'with a member by its C name'
	# behind an instruction for indirect branches, where there is one
	prints ' vfs_open: \(vfs_open\+0x[04]/[0-9a-fx]+( <[0-9a-f]+>)?\) name="target.c"$' 'which is recorded as text'
	t -c 'probe vfs_open file->f_flags path.dentry.d_inode.i_ino mode=file->f_mode path' -c "run vfs_open -- cat $target.c" -c 'probe list'
	expect 0 'numbers'
	prints " i_ino=$(stat -c %i "$target.c") " 'of the right type'
	prints 'f_flags=\+[0-9]+\(\$arg2\):u32 i_ino=\+[0-9]+\(\+[0-9]+\(\+8\(\$arg1\)\)\):u64' 'at the right place'
	t -c 'probe back=vfs_open%return $retval' -c "run back -- cat $target.c"
	prints ' back: .* ret=0$' 'what it returns, with its sign'
	t -c 'probe do_sys_openat2 filename dfd how->flags' -c "run do_sys_openat2 -- cat $target.c"
	prints " filename=\"$target.c\" dfd=-100 flags=[0-9]+$" 'a string of the program that calls'
	# where its second instruction is depends on how the kernel was built
	for offset in 4 5; do
		t -c "probe vfs_open+$offset" -c 'probe list'
		[ "$status" -ne 0 ] || break
	done
	expect 0 'an offset'
	prints ":vfs_open_$offset +function +vfs_open\\+$offset +0 +0 " 'hits and misses'
	t -c 'probe vfs_open $arg1:x64 a=%di b=+0(%di):x8' -c 'probe list'
	expect 0 "the kernel's own grammar"
	# eight sleep at once
	sleepers='for i in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait'
	echo "$sleepers" >"$TMP/sleepers.sh"
	t -c 'probe late=hrtimer_nanosleep%return:1' -c "run late -- sh $TMP/sleepers.sh" -c 'probe list'
	expect 0 'returns, of which one is kept'
	says "^the kernel missed [1-9][0-9]* hits? of 'late', and as many events are missing: .*%return:1000 follows 1000 calls" 'misses are said'
	t --private -c 'probe late=hrtimer_nanosleep%return:1' -c "run --here late -- sh $TMP/sleepers.sh" -c 'enable late' -c doctor
	says "^the kernel missed [1-9][0-9]* hits? of 'late'" 'with --here, too'
	prints "^misses .* the kernel missed [1-9][0-9]* hits? of the probe tracesh_[0-9]*:late" 'doctor knows it'
	t -c 'probe late=hrtimer_nanosleep%return:500' -c "run late -- sh $TMP/sleepers.sh"
	unlike "$err" missed "$case_name: with more room none is missed"
	same "$(printf '%s\n' "$out" | grep -c ' late: ')" 8 'all of them come'
	t run --probe 'hrtimer_nanosleep%return:1' -- sh "$TMP/sleepers.sh"
	says "^the kernel missed [1-9][0-9]* hits? of 'hrtimer_nanosleep_return'" '--probe'
	t -n -c 'probe vfs_read%return:5000'
	true_that 'more than the kernel takes is refused' test "$status" -ne 0
	true_that 'nothing is left' none_left
else
	skip "$case_name" 'this kernel has no kprobes'
fi

begin 'a port, whose first byte is the larger'
# needs kprobes
fresh
# shellcheck disable=SC2317 # in a condition
connects()
{
	[ -n "$PYTHON" ] && { busybox ip link set lo up || ip link set lo up; } 2>/dev/null &&
		"$PYTHON" -c 'import socket, sys
for port in (7778, 7778, 80):
    try:
        socket.create_connection(("127.0.0.1", port), 5)
    except ConnectionRefusedError:
        pass' 2>/dev/null
}
cat >"$TMP/connects.py" <<'END'
import socket
for port in (7778, 7778, 9):
    try:
        socket.create_connection(("127.0.0.1", port), 5)
    except ConnectionRefusedError:
        pass
END
if [ -e "$TRACING/kprobe_events" ] && connects && grep -q ' tcp_connect$' /proc/kallsyms; then
	port='sk->__sk_common.skc_dport'
	t -c "probe tcp_connect $port" -c "run tcp_connect -- $PYTHON $TMP/connects.py"
	prints ' skc_dport_be16=25118$' "the kernel's own text has it as the machine reads it, and the name tells"
	t -c "probe tcp_connect $port" -c "run tcp_connect where 'skc_dport_be16 == 7778' fields skc_dport_be16 -- $PYTHON $TMP/connects.py"
	same "$(grep -c '^ *7778$' "$TMP/out")" 2 'a question and a column have the number'
	t -c "probe tcp_connect $port" -c "record $TMP/ports tcp_connect -- $PYTHON $TMP/connects.py"
	t --tracefs "$TMP/ports" --json hist by skc_dport_be16
	same "$(sed -n 's/.*"skc_dport_be16":\([0-9]*\)},"count":\([0-9]*\)}.*/\1 \2/p' "$TMP/out" | sort)" '7778 2
9 1' 'a key in a recording'
else
	skip "$case_name" 'this kernel has no kprobes, or lo takes no connection'
fi

begin 'errors of the kernel'
# needs kprobes
if [ -e "$TRACING/kprobe_events" ]; then
	t -c 'probe vfs_opn'
	expect 1 'an unknown function'
	says "did you mean 'vfs_open'" 'with the nearest one'
	t -c 'probe vfs_open a=+0($arg1):nosuchtype'
	expect 1 'a type that the kernel refuses'
	says 'the kernel refuses the probe: Unknown type is specified' "in the kernel's words"
	says '^ +\^~*$' 'under what was typed'
	t -c 'probe asm_exc_page_fault'
	expect 1 'one on the blacklist'
	says 'blacklist' 'is called so'
	t -c 'probe vfs_open+1'
	expect 1 'between two instructions'
	true_that 'nothing is left' none_left
else
	skip "$case_name" 'this kernel has no kprobes'
fi

begin 'errors of names of the kernel'
# needs kprobes
# long in a guest
if [ -e "$TRACING/kprobe_events" ]; then
	t -c 'probe vfs_open path->dentri'
	expect 1 'an unknown member'
	says "has no member 'dentri'" 'is named'
	says "did you mean 'dentry'" 'with the nearest one'
	says '^<-c 1>:1:22: error' 'and blamed alone'
	t -c 'probe vfs_open pth->dentry'
	says 'it has: path, file' 'an unknown parameter'
	t -c 'probe vfs_open path->dentry->d_name'
	says 'cannot be recorded as a whole' 'a structure'
	t -c 'probe vfs_open%return path'
	says 'are gone when it returns' 'a parameter at the return'
	t -c 'probe vfs_open+4 path'
	says 'only at the beginning of a function' 'one further on'
	t -c 'probe nosuchmodule:f'
	says "no module 'nosuchmodule' is loaded" 'a module that is not loaded'
	name=$(awk '$2 ~ /^[tT]$/ && NF == 3 { n[$3]++ } END { for (f in n) if (n[f] > 1 && f !~ /\./ && f ~ /^[a-z]/) { print f; exit } }' /proc/kallsyms)
	t -c "probe $name"
	expect 1 'a name of several functions'
	says "there are [0-9]+ functions '$name'" 'is refused'
	t --complete -- probe vfs_ope
	prints "^vfs_open[[:space:]]" "functions complete"
	t --complete -- probe vfs_open 'path->de'
	prints '^path->dentry	' 'members too'
	true_that 'nothing is left' none_left
else
	skip "$case_name" 'this kernel has no kprobes'
fi

begin 'events of events'
# needs eprobes
if grep -qF 'e[:[' "$TRACING/README" && [ -e "$TRACING/kprobe_events" ]; then
	t -c 'probe ev=sched:sched_process_exit comm pid' -c 'run ev -- true' -c 'probe list'
	expect 0 'an eprobe'
	prints ' ev: .* comm="true" pid=[0-9]+$' 'with the fields by their names'
	t -c 'probe ev=sched:sched_process_exit cmm'
	says "did you mean 'comm'" 'an unknown field'
else
	skip "$case_name" 'this kernel has no eprobes'
fi

begin 'events of events where the kernel makes none'
if [ ! -e "$TRACING/dynamic_events" ]; then
	skip "$case_name" 'this kernel has no dynamic events'
elif echo "e:live_$$/probe sched.sched_switch" >>"$TRACING/dynamic_events"; then
	echo "-:live_$$/probe" >>"$TRACING/dynamic_events"
	skip "$case_name" 'this kernel has eprobes'
else
	t -c 'probe sched:sched_process_exit pid'
	expect 3 'is refused'
	says 'error: this kernel makes no probes of events$' 'with the reason'
	says '^hint: it needs CONFIG_EPROBE_EVENTS and 5.15 or newer; enable takes the event as it is$' 'and what to do instead'
	run unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$0" probe sched:sched_process_exit pid' "$TRACESH"
	expect 1 'where the functions of the kernel are not listed'
	says '^hint: without CONFIG_EPROBE_EVENTS it makes none of events' 'it is said what it may be'
fi 2>/dev/null

begin 'raw tracepoints'
# needs kprobes
if grep -qF 't[:[' "$TRACING/README"; then
	t -c 'probe raw=rawtracepoint:sched_process_exit' -c 'run raw -- true' -c 'probe list'
	expect 0 'one is made'
	prints ' raw: \(' 'and comes'
	prints '^tracesh_[0-9]+:raw +tracepoint +sched_process_exit ' 'the list has it'
	t -c 'probe rawtracepoint:nosuchtracepoint'
	if [ "$status" = 0 ]; then
		says "^no tracepoint 'nosuchtracepoint' is there now: the kernel waits for a module" 'one that is not there'
	else
		expect 1 'one that is not there'
	fi
	true_that 'nothing is left' none_left
else
	skip "$case_name" 'this kernel has no probes of raw tracepoints'
fi

finish
