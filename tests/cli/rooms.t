#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The rooms of src, and who may use whom (tests/rooms): by the #include lines, and by the symbols of what was built.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

command -v python3 >/dev/null || skip_all 'no python3'
rooms=$SRC/tests/helpers/rooms.py

is "$("$rooms" includes "$SRC")" '' 'every #include points down, no room is too large; what is owed of both is still there'
if command -v nm >/dev/null; then
	is "$("$rooms" symbols "$SRC" "$BUILD")" '' \
		'every symbol comes from below; no stdout, tty or exit() in the library; what is owed (tests/rooms-owed) is still there'
	is "$("$rooms" state "$SRC" "$BUILD")" '' 'no state outside of structs but that of tests/state, which is all still there'
else
	skip 'symbols that come from above' 'no nm'
	skip 'state outside of structs' 'no nm'
fi

unlisted=
for header in $(cd "$SRC" && find src -name '*.h'); do
	grep -qs "[[:space:]]$header\([[:space:]]\|\$\)" "$SRC/$(echo "$header" | cut -d / -f 1,2)/Makemodule.am" "$SRC/src/Makemodule.am" ||
		unlisted="$unlisted $header"
done
is "$unlisted" '' "every header is in its folder's Makemodule.am, and so in a release"

# The same, on trees with a fault: this test can fail

mkdir -p "$TMP/tree/tests"
cp -R "$SRC/src" "$TMP/tree/"
cp "$SRC/tests/rooms" "$SRC/tests/rooms-owed" "$TMP/tree/tests/"
echo '/* shell/made-up.h - a header of the shell */' >"$TMP/tree/src/shell/made-up.h"
is "$("$rooms" includes "$TMP/tree")" '' 'a copy of the tree is judged alike'

# caught FILE LINE NAME [WHOM]: the line, added to the copy's file, is complained of, with the name of WHOM (FILE)
caught()
{
	if [ -f "$TMP/tree/$1" ]; then cp -p "$TMP/tree/$1" "$TMP/saved"; else : >"$TMP/saved"; fi
	mkdir -p "$(dirname "$TMP/tree/$1")"
	printf '%s\n' "$2" >>"$TMP/tree/$1"
	like "$("$rooms" includes "$TMP/tree")" "^${4-$1}: " "$3"
	cp "$TMP/saved" "$TMP/tree/$1"
}

caught src/base/made-up.c '#include "shell/made-up.h"' 'caught: base uses a header of shell'
caught src/cmd/find/made-up.c '# include "shell/made-up.h"' 'caught: cmd uses a header of shell'
caught src/cmd/find/made-up.c '#include "../../shell/engine.h"' 'caught: a path into another folder'
caught src/lang/made-up.c '#include <readline/readline.h>' 'caught: readline outside of ui'
caught src/kernel/tracefs/made-up.c '#include <tracefs.h>' 'caught: libtracefs outside of library'
caught src/session/made-up.c '#include <elfutils/libdwfl.h>' 'caught: libdw outside of library'
caught src/events/decode/made-up.c '#include <traceevent/event-parse.h>' 'caught: libtraceevent outside of library'
caught src/session/made-up.c '#include <kbuffer.h>' 'caught: another header of it'
caught src/base/made-up.c '#include "base/not-there.h"' 'caught: a header that is not there'
caught src/base/made-down.h '#include "shell/made-up.h"' 'caught: a header of base uses one of shell'
caught src/nowhere/made-up.c '' 'caught: a folder that is no room'
rm -r "$TMP/tree/src/nowhere"
caught src/base/made-up.h "$(yes | head -n 8000)" 'caught: a room that is too large' src/base
# owing LINE..: what is said of the copy with these lines more in its list
owing()
{
	cp "$SRC/tests/rooms-owed" "$TMP/tree/tests/rooms-owed"
	printf '%s\n' "$@" >>"$TMP/tree/tests/rooms-owed"
	"$rooms" includes "$TMP/tree"
	cp "$SRC/tests/rooms-owed" "$TMP/tree/tests/rooms-owed"
}
is "$(owing 'large base 9999' 'base/a.h shell/engine.h')" "tests/rooms-owed: 'base/a.h shell/engine.h' is gone: strike it
tests/rooms-owed: 'large base 9999' is gone: strike it" 'caught: what is owed no more'
sed -i 's/^base:/base: shell/' "$TMP/tree/tests/rooms"
like "$("$rooms" includes "$TMP/tree" 2>&1)" '^tests/rooms: base names shell, which does not stand above it' 'caught: a circle between rooms'

# A tree of two files, built: symbols of FILE BODY FILE BODY
symbols_of()
{
	rm -rf "$TMP/small"
	while [ $# -gt 0 ]; do
		mkdir -p "$TMP/small/$(dirname "$1")" "$TMP/small/tests"
		echo "$2" >"$TMP/small/$1"
		"${CC:-cc}" -c -O0 -o "$TMP/small/${1%.c}.o" "$TMP/small/$1" || return
		shift 2
	done
	cp "$SRC/tests/rooms" "$TMP/small/tests/"
	: >"$TMP/small/tests/rooms-owed"
	[ -z "${owed-}" ] || echo "$owed" >"$TMP/small/tests/rooms-owed"
	"$rooms" symbols "$TMP/small" "$TMP/small"
}

if command -v nm >/dev/null && command -v "${CC:-cc}" >/dev/null; then
	up='int tsh_up(void); int tsh_up(void) { return 1; }'
	down='int tsh_up(void); int tsh_down(void); int tsh_down(void) { return tsh_up(); }'
	is "$(symbols_of src/session/up.c "$up" src/shell/down.c "$down")" '' 'a symbol from below is allowed'
	like "$(symbols_of src/session/up.c "$up" src/events/decode/down.c "$down")" \
		'decode uses session: tsh_up of' 'caught: a symbol from above'
	is "$(owed='events/decode/down.c session/up.c'; symbols_of src/session/up.c "$up" src/events/decode/down.c "$down")" '' \
		'one that is owed is allowed'
	like "$(owed='base/a.c session/b.c'; symbols_of src/session/up.c "$up")" 'is gone: strike it' 'caught: one that is owed no more'
	like "$(symbols_of src/output/talk.c '#include <stdio.h>
		int tsh_talk(void); int tsh_talk(void) { return fputs("x", stdout); }')" 'library: stdout$' 'caught: stdout in the library'
	leave='#include <stdlib.h>
		void tsh_leave(void); void tsh_leave(void) { exit(1); }'
	like "$(symbols_of src/session/leave.c "$leave")" 'library: exit$' 'caught: exit() in the library'
	is "$(symbols_of src/leave.c "$leave")" '' 'main may exit()'
	set --
	for n in 1 2 3 4 5; do
		set -- "$@" "src/base/c$n.c" "int f$n(void); int f$((n % 5 + 1))(void); int f$n(void) { return f$((n % 5 + 1))(); }"
	done
	like "$(symbols_of "$@")" 'c1.c: in a circle of 5 files of its room' 'caught: a circle of five files'
	state='static int calls; static int *const at = &calls; const int *f(int); const int *f(int n) { static int once;
		static const char *const names[] = { "a" }; calls += n; once += *names[0]; return once ? &once : at; }'
	: >"$TMP/small/tests/state"
	mkdir -p "$TMP/small/src/base"
	echo "$state" >"$TMP/small/src/base/state.c"
	"${CC:-cc}" -c -O0 -fPIC -o "$TMP/small/src/base/state.o" "$TMP/small/src/base/state.c"
	is "$("$rooms" state "$TMP/small" "$TMP/small")" 'src/base/state.c: calls is state outside of a struct
src/base/state.c: once is state outside of a struct' 'caught: variables of file scope and static ones, no constants'
	printf 'src/base/state.c calls  # a reason\nsrc/base/state.c once\nsrc/base/state.c none\n' >"$TMP/small/tests/state"
	is "$("$rooms" state "$TMP/small" "$TMP/small")" "tests/state: 'src/base/state.c none' is gone: strike it" \
		'what is listed is allowed; what is gone is caught'
	rm "$TMP/small/src/base/state."[co]
	rm -f "$TMP/small/src/base/c1.o"
	like "$("$rooms" symbols "$TMP/small" "$TMP/small")" 'c1.c: not built' 'caught: a file that is not built'
else
	skip 'made-up symbols are caught' 'no C compiler, or no nm'
fi

done_testing
