#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The default build is hardened, as far as the compiler can; what the distribution or a user asks for comes first.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

command -v readelf >/dev/null || skip_all 'no readelf'
case $("${CC:-cc}" -dumpmachine) in
*-linux-gnu*) ;;
*) skip_all 'the checks are those of glibc' ;;
esac
# The check builds the program a second time, as it is by default.
program=${TRACESH_VM_PROGRAM:-$TRACESH}
config=$(dirname "$program")/../config.h
! grep -q 'SANITIZE_FLAGS = .' "$(dirname "$program")/../Makefile" || skip_all 'this build has the sanitizers instead'

like "$(readelf -hW "$program")" 'Type: +DYN' 'PIE: the program lies where the kernel puts it'
like "$(readelf -dW "$program")" 'FLAGS_1\).*PIE' 'and says so'
like "$(readelf -dW "$program")" 'FLAGS\).*BIND_NOW' 'all symbols are bound when it starts'
like "$(readelf -lW "$program")" 'GNU_RELRO' 'and their table is read-only then'
like "$(readelf -lW "$program")" 'GNU_STACK.* RW ' 'the stack holds no code'
symbols=$(readelf -W --dyn-syms "$program")
like "$symbols" ' __stack_chk_fail' 'a stack that is overrun is seen'
like "$symbols" ' __v?snprintf_chk' 'and a buffer, by the C library'
like "$(cat "$config")" '^#define FORTIFY_LEVEL [23]$' 'as far as this compiler can'
if [ "$("${CC:-cc}" -dumpversion 2>/dev/null | cut -d. -f1)" -ge 12 ]; then
	like "$(cat "$config")" '^#define FORTIFY_LEVEL 3$' 'this one with sizes that are known at run time'
fi

ok 'a build of its own is configured' configured hardened
# compiled FLAG..: one file with the build's own flags and these
compiled()
{
	rm -f "$BUILD/other/hardened/src/base/number.o"
	make -C "$BUILD/other/hardened" "$@" src/base/number.o
}
ok 'a distribution that sets it itself is not contradicted' compiled CPPFLAGS=-D_FORTIFY_SOURCE=2 CFLAGS='-O2 -Werror'
ok 'without optimization there is no warning' compiled CFLAGS='-O0 -Werror'
# shellcheck disable=SC2016 # make's own
printf 'include Makefile\nshow:\n\t@echo $(CC) $(AM_CFLAGS) $(CFLAGS)\n' >"$TMP/show.mk"
like "$(make -s -C "$BUILD/other/hardened" -f "$TMP/show.mk" show CFLAGS=-fno-stack-protector)" \
	'-fstack-protector-strong.* -fno-stack-protector$' "CFLAGS come last"
done_testing
