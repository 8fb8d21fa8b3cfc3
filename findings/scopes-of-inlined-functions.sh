#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libdw: in a program made with -flto dwarf_getscopes() finds no scope at all where a function of another file was inlined.
#
# Versions: elfutils 0.188 (Debian 12's libdw1, libelf1, libdw-dev and libelf-dev 0.188-2.1), programs of gcc 12.2, amd64.
#
# dwarf_getscopes(unit, address, &scopes) gives what is around an address, from the inside to the outside. Stacks with inlined
# functions are made with it.
#
# Expected: the same scopes for the same code: half(), inlined in twice(), is around its addresses.
# Seen: without -flto it gives the inlined function and the unit that half() was written in. With -flto it gives 0, which means
# that nothing was found, though the address is in twice() as well. The origin of the inlined function is then in another unit of the
# file; the function looks for it in the one that it was given, and drops what it has when it is not there.
# dwarf_getscopes_die() of the innermost one that one has found by oneself is the way out, or addr2line -i of binutils.
#
# Output seen, at the first address of half() inlined in twice():
#   plain: 2 scopes: inlined half, unit c.c
#   -flto: 0 scopes
#
# Needs apt-get, dpkg, cc (gcc, with -flto). Runs without root.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download libdw1=0.188-2.1 libdw-dev=0.188-2.1 libelf1=0.188-2.1 \
	libelf-dev=0.188-2.1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done
libs=$(echo "$tmp"/usr/lib/*-linux-gnu)

cat >b.c <<'C'
volatile int seen;
int half(int n) { seen = n; return seen / 2; }
C
cat >c.c <<'C'
int half(int n);
__attribute__((noinline)) int twice(int n) { int k = half(n); return k * 2 + half(k); }
int main(int argc, char **argv) { return twice(argc); }
C
cat >scopes.c <<'C'
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says the scopes of the first address of the first inlined function that has one. */
static int walk(Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Addr low, high, base;
	Dwarf_Die child, *scopes;
	int n;

	if (dwarf_tag(die) == DW_TAG_inlined_subroutine && dwarf_ranges(die, 0, &base, &low, &high) > 0) {
		n = dwarf_getscopes(unit, low, &scopes);
		printf("%d scopes", n);
		for (int i = 0; i < n; i++) {
			const char *name = dwarf_diename(&scopes[i]), *slash = strrchr(name, '/');

			printf("%s %s %s", i ? "," : ":", dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine ? "inlined" :
			       dwarf_tag(&scopes[i]) == DW_TAG_subprogram ? "function" : "unit", slash ? slash + 1 : name);
		}
		printf("\n");
		return 1;
	}
	if (!dwarf_child(die, &child)) {
		do {
			if (walk(unit, &child))
				return 1;
		} while (!dwarf_siblingof(&child, &child));
	}
	return 0;
}

int main(int argc, char **argv)
{
	Dwarf *dwarf = dwarf_begin(open(argv[1], O_RDONLY), DWARF_C_READ);
	Dwarf_Off next;
	size_t head;
	Dwarf_Die unit;

	for (Dwarf_Off at = 0; !dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL); at = next)
		if (dwarf_offdie(dwarf, at + head, &unit) && walk(&unit, &unit))
			return 0;
	return 1;
}
C
cc -w -I usr/include scopes.c -o scopes "$libs/libdw.so.1" -Wl,--allow-shlib-undefined || exit 2
cc -g -O2 -include b.c c.c -o plain || exit 2
cc -g -O2 -flto c.c b.c -o lto || exit 2
{
	printf 'plain: ' && LD_LIBRARY_PATH=$libs ./scopes plain
	printf '%s: ' -flto && LD_LIBRARY_PATH=$libs ./scopes lto
} | tee now

sed -n 's/^#   //p' "$self" >seen
diff seen now
