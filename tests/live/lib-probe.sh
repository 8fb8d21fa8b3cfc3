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

# none_left: no probe of a tracesh, but of other programs that run
none_left()
{
	# shellcheck disable=SC2013 # names
	for left in $(sed -n 's/^[^:]*:tracesh_\([0-9]*\).*/\1/p' "$probes"); do
		[ -d "/proc/$left" ] || return 1
	done
}
