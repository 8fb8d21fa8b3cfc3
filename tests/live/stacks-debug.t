#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# stacks --user with the debug information of programs: inlined functions, and names from a file of their own.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"
case $("$TRACESH" --version) in
*'no libdw'*) skip_all 'a build without libdw' ;;
esac
for program in "${CC:-cc}" objcopy strip; do
	command -v "$program" >/dev/null || skip_all "no $program"
done
[ -e "$TRACING/options/userstacktrace" ] || skip_all 'this kernel records no stacks of programs'
[ -d "$TRACING/events/syscalls/sys_enter_getppid" ] || skip_all 'this kernel has no events of system calls'

# Asks for its parent in a function that is called from one that is inlined into another, and that into a third.
cat >"$TMP/asks.c" <<'C'
#include <unistd.h>
#define apart __attribute__((noinline, noclone))
#define inlined inline __attribute__((always_inline))
apart static long leaf(void)
{
	long parent = getppid();

	__asm__ volatile("" : "+r"(parent));
	return parent + 1;
}
static inlined long innermost(void) { return leaf() + 2; }
static inlined long between(void) { return innermost() + 1; }
apart long outer(void)
{
	long r = between();

	__asm__ volatile("" : "+r"(r));
	return r + 1;
}
int main(void)
{
	for (;;) {
		volatile long r = outer();

		(void)r;
		if (write(1, ".", 1) != 1)
			return 1;
		usleep(1000);
	}
}
C
"${CC:-cc}" -g -O2 -fno-omit-frame-pointer -o "$TMP/asks" "$TMP/asks.c" 2>"$TMP/why" || skip_all "$(head -n 1 "$TMP/why")"
objcopy --only-keep-debug "$TMP/asks" "$TMP/asks.debug"
strip -s -o "$TMP/stripped" "$TMP/asks"
cp "$TMP/stripped" "$TMP/bare"
(cd "$TMP" && objcopy --add-gnu-debuglink=asks.debug stripped)
# libdw reads them as nobody
chmod 755 "$TMP" "$TMP/asks" "$TMP/stripped" "$TMP/bare"
chmod 644 "$TMP/asks.debug"
# whose debug file is none, and would wait
cp "$TMP/asks.debug" "$TMP/fifo.debug"
cp "$TMP/bare" "$TMP/fifo"
(cd "$TMP" && objcopy --add-gnu-debuglink=fifo.debug fifo && rm fifo.debug && mkfifo -m 644 fifo.debug)
# as a compiler writes it that has no table of ranges
objcopy --remove-section=.debug_aranges "$TMP/asks" "$TMP/ranges"
# of which one function's name has a newline
(cd "$TMP" && "${CC:-cc}" -g -O2 -fno-omit-frame-pointer -S asks.c && sed 's/"innermost"/"inner;\\nmost"/' asks.s >newline.s && "${CC:-cc}" -o newline newline.s)
chmod 755 "$TMP/fifo" "$TMP/ranges" "$TMP/newline"

# of which nobody may not read it
cp "$TMP/asks.debug" "$TMP/shut.debug"
cp "$TMP/bare" "$TMP/shut"
(cd "$TMP" && objcopy --add-gnu-debuglink=shut.debug shut && chmod 600 shut.debug)
# in a file for the unit, and without that
(cd "$TMP" && "${CC:-cc}" -g -O2 -gsplit-dwarf -fno-omit-frame-pointer -o split asks.c 2>why && chmod 644 -- *.dwo &&
	sed 's/split-asks[.]dwo/split-none.dwo/g' split >lacks &&
	sed 's/split-asks[.]dwo/split-fifo.dwo/g' split >waits && mkfifo -m 644 split-fifo.dwo &&
	chmod 755 lacks split waits) || : >"$TMP/no-split"
mkdir -m 755 "$TMP/root"
"${CC:-cc}" -g -O2 -static -no-pie -fno-omit-frame-pointer -o "$TMP/root/fixed" "$TMP/asks.c" 2>"$TMP/why" &&
	chmod 755 "$TMP/root/fixed" || : >"$TMP/no-fixed"
# of several units, optimized as one
awk '/^apart static long leaf/ { f = 1 } !f' "$TMP/asks.c" >"$TMP/head.h"
cat >"$TMP/lto-leaf.c" <<'C'
#include "head.h"
apart long leaf(void);
apart long leaf(void)
{
	long parent = getppid();

	__asm__ volatile("" : "+r"(parent));
	return parent + 1;
}
C
cat >"$TMP/lto-between.c" <<'C'
long leaf(void);
static inline long innermost(void) { return leaf() + 2; }
long between(void) { return innermost() + 1; }
C
{
	printf '#include "head.h"\nlong between(void);\n'
	sed -n '/^apart long outer/,$p' "$TMP/asks.c"
} >"$TMP/lto-main.c"
(cd "$TMP" && "${CC:-cc}" -g -O2 -flto -fno-omit-frame-pointer -o lto lto-main.c lto-between.c lto-leaf.c 2>why && chmod 755 lto) || : >"$TMP/no-lto"

# has_asked N: so many times
has_asked() { [ "$(wc -c <"$TMP/asked")" -ge "$1" ]; }
# reads_debug PROGRAM: tracesh has a process that reads the debug information of that
reads_debug()
{
	for process in $(grep -lsx trsh-debug /proc/[0-9]*/comm); do
		grep -qs "^[0-9]* (trsh-debug) . $counting " "${process%comm}stat" && grep -qs "/$1" "${process%comm}maps" && return
	done
	return 1
}

gives_up() { ! reads_debug "$1"; }

# stacks_of PROGRAM: the stacks of its calls, a line each, of one that began behind tracesh, and by the same shell
stacks_of()
{
	start "$TMP/stacks" "$TRACESH" -q stacks --user --folded syscalls:sys_enter_getppid
	counting=$child
	await is_streaming "$counting"
	if [ "$1" = fixed ]; then
		start "$TMP/asked" chroot "$TMP/root" /fixed
	else
		start "$TMP/asked" "$TMP/$1"
	fi
	asking=$child
	case $1 in
	bare | fifo | shut) ;;
	*) await reads_debug "$1" ;;
	esac
	awk '/^Uid:|^Seccomp:/ { print $1 $2 }' "${process%comm}status" >"$TMP/reader" 2>/dev/null
	[ "$1" != waits ] || await gives_up "$1"
	await has_asked $(($(wc -c <"$TMP/asked") + ${more:-100}))
	kill -INT "$counting"
	ended "$counting"
	kill "$asking"
	wait "$asking" 2>/dev/null
	sed 's/ [0-9]*$//' "$TMP/stacks"
}

begin 'inlined'
same "$(stacks_of asks | grep -o 'main \[[as].*innermost (inlined) \[[a-z]*\]' | head -n 1)" \
	'main [asks];outer [asks];between (inlined) [asks];innermost (inlined) [asks]' 'those of the program'
same "$(stacks_of stripped | grep -o 'main \[[as].*innermost (inlined) \[[a-z]*\]' | head -n 1)" \
	'main [stripped];outer [stripped];between (inlined) [stripped];innermost (inlined) [stripped]' \
	'those of a file of its own'
# a sanitizer needs more calls than seccomp would leave it
if grep -qs __asan_init "$TRACESH"; then mode=0; else mode=2; fi
same "$(tr '\n' ' ' <"$TMP/reader")" "Uid:65534 Seccomp:$mode " 'who reads is nobody'
same "$(stacks_of ranges | grep -o 'main \[r.*innermost (inlined) \[[a-z]*\]' | head -n 1)" \
	'main [ranges];outer [ranges];between (inlined) [ranges];innermost (inlined) [ranges]' 'without a table of ranges'
same "$(stacks_of newline | grep -o 'main \[n.*(inlined) \[[a-z]*\]' | head -n 1)" \
	'main [newline];outer [newline];between (inlined) [newline];inner\x3b\nmost (inlined) [newline]' 'a name with a newline is one frame'
# at a low address, whose path there is another's here
if [ -e "$TMP/no-fixed" ]; then
	skip 'inlined: a static program in a chroot' 'no static C library'
else
	same "$(stacks_of fixed | grep -o 'main \[fixed\];outer.*innermost (inlined) \[[a-z]*\]' | head -n 1)" \
		'main [fixed];outer [fixed];between (inlined) [fixed];innermost (inlined) [fixed]' 'a static program in a chroot'
fi
for kind in lto split; do
	if [ -e "$TMP/no-$kind" ]; then
		skip "inlined: $kind" 'the compiler has no such'
		continue
	fi
	same "$(stacks_of $kind | grep -o "main \\[$kind\\].*innermost (inlined) \\[[a-z]*\\]" | head -n 1)" \
		"main [$kind];outer [$kind];between (inlined) [$kind];innermost (inlined) [$kind]" "after $kind"
	same "$(grep 'debug information' "$TMP/stacks.err")" '' "of which all was read: $kind"
done
# nothing says when its maps have been read
for more in 100 400 1600; do
	stacks_of shut >"$TMP/shut.stacks"
	! grep -q 'debug information' "$TMP/stacks.err" || break
done
more=
true_that 'without a file that nobody may not read the program is named' grep -q '\[shut\];\[shut\];' "$TMP/shut.stacks"
like "$(cat "$TMP/stacks.err")" '^inlined functions may be missing: debug information was not read of \[shut\] \(its file is not readable for the user nobody, who reads it\)$' 'and the reason'
if [ ! -e "$TMP/no-split" ]; then
	stacks_of lacks >"$TMP/lacks.stacks"
	true_that 'without a .dwo the functions are named' grep -q 'main \[lacks\];outer \[lacks\]' "$TMP/lacks.stacks"
	true_that 'and the reason, too' grep -q 'debug information was not read of \[lacks\] (its \.dwo files are missing' "$TMP/stacks.err"
fi
# nothing says when its maps have been read
for more in 100 400 1600; do
	stacks_of bare >"$TMP/bare.stacks"
	! grep -q '\[bare\];\[bare\];' "$TMP/bare.stacks" || break
done
more=
true_that 'without any the program is named, and nothing else' grep -q '\[bare\];\[bare\];' "$TMP/stacks"
for more in 100 400 1600; do
	stacks_of fifo >"$TMP/fifo.stacks"
	! grep -q 'debug information' "$TMP/stacks.err" || break
done
more=
true_that 'what is no file is not opened' grep -q 'debug information was not read of \[fifo\] (its \.gnu_debuglink names no file' "$TMP/stacks.err"
[ -e "$TMP/no-split" ] || true_that 'one that waits for ever is counted' stacks_of waits
[ -e "$TMP/no-split" ] || true_that 'with the names of its symbols' grep -q 'main \[waits\];outer \[waits\]' "$TMP/stacks"
[ -e "$TMP/no-split" ] || true_that 'and named' grep -q 'debug information of \[waits\] (libdw died, or did not answer in time)' "$TMP/stacks.err"
if [ -e "$TRACING/uprobe_events" ]; then
	start "$TMP/asked" "$TMP/asks"
	asking=$child
	for where in leaf 'leaf%return'; do
		t stacks --user --folded --for 300ms --probe "$TMP/asks:$where"
		printf '%s\n' "$err" >"$TMP/said.$where"
	done
	kill "$asking"
	wait "$asking" 2>/dev/null
	true_that 'at the begin of a function its caller is missing, which is said' grep -q '^the caller of a probed function is missing, ' "$TMP/said.leaf"
	true_that 'at its return it is not' sh -c '! grep -q "is missing" "$1"' sh "$TMP/said.leaf%return"
fi
like "$("$TRACESH" caps libraries)" 'libdw +.*names functions' 'caps names it'
finish
