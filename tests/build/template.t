#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The recipe of HACKING.md, "To add a command": tests/helpers/template.c is put into a copy of the tree as it says, and works.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"

command -v automake >/dev/null || skip_all 'no automake'
[ -e "$SRC/Makefile.in" ] || skip_all 'the tree was not prepared by autoreconf'
grep -q '^srcdir = \.\.$' "$BUILD/Makefile" || skip_all 'the build tree is not beside the sources'

# What was built goes along, so that no more than the new file is compiled.
mkdir "$TMP/tree" && cd "$TMP/tree" || exit 1
(cd "$SRC" && tar -cf - --exclude='./build*/*' --exclude=./.git --exclude=./autom4te.cache .) | tar -xf - || exit 1
cp -a "$SRC/build-aux/." build-aux/ 2>/dev/null || :
rm -rf build && mkdir build && (cd "$BUILD" && tar -cf - Makefile config.* src tests/.deps tests/*/.deps stamp-h1 .flags 2>/dev/null) | tar -xf - -C build

cp tests/helpers/template.c src/cmd/control/lines.c
sed -i 's,	X(cat) ,	X(cat) X(lines) ,' src/cmd/commands.h
sed -i 's,^	src/cmd/control/marker.c \\$,	src/cmd/control/lines.c \\\n&,' src/cmd/Makemodule.am
ok 'it builds' make -C build -j"$jobs" src/tracesh

tracesh=build/src/tracesh
tree=$SRC/examples/recorded
run "$tracesh" --tracefs "$tree" lines available_events
is "$status: $out" "0: available_events  $(wc -l <"$tree/available_events")" 'it runs'
run "$tracesh" --tracefs "$tree" --json lines available_events
is "$out" "{\"type\":\"lines\",\"file\":\"available_events\",\"lines\":$(wc -l <"$tree/available_events")}" 'its table is JSON, too'
run "$tracesh" --tracefs "$tree" lines nosuch
is "$status" 1 'an error of it'
like "$err" '^<arguments>:1:7: error: .*nosuch' 'has its place'
run "$tracesh" lines
like "$err" '^hint: usage: lines FILE$' 'its words are known from the declaration'
run "$tracesh" help lines
like "$out" 'count the lines of a file of the instance' 'and so is the help'
like "$("$tracesh" --help-examples)" '^lines	lines available_events$' 'and its example, which live/examples runs'
is "$("$tracesh" --tracefs "$tree" --complete -- lin | cut -f 1 | tr -d ' ')" 'lines' 'and TAB'

done_testing
