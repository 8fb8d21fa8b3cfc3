# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of probes, behind lib-live.sh: skips all where there are none of programs; $probes is the kernel's list.

probes=$TRACING/dynamic_events
[ -e "$probes" ] || probes=$TRACING/uprobe_events
if [ ! -e "$TRACING/uprobe_events" ]; then
	skip_all 'this kernel has no uprobes'
elif ! command -v "${CC:-cc}" >/dev/null; then
	skip_all 'no compiler'
fi
case $(uname -m) in
x86_64 | aarch64 | arm* | riscv*) ;;
*) skip_all 'the registers of arguments are not known here' ;;
esac

# build_target: a program $target with a function greet, at $offset in the file
build_target()
{
	target=$TMP/target
	cat >"$target.c" <<'C'
int greet(int n);
__attribute__((noinline)) int greet(int n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}
int main(int argc, char **argv)
{
	(void)argv;
	return greet(argc) == 0;
}
C
	"${CC:-cc}" -O1 -o "$target" "$target.c" || skip_all 'the target cannot be built'
	offset=0x$(printf %x $((0x$(nm "$target" | sed -n 's/ T greet$//p') & 0xfff)))
}

# none_left: no probe of a tracesh, but of other programs that run
none_left()
{
	# shellcheck disable=SC2013 # names
	for left in $(sed -n 's/^[^:]*:tracesh_\([0-9]*\).*/\1/p' "$probes"); do
		[ -d "/proc/$left" ] || return 1
	done
}
