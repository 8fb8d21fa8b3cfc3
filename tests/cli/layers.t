#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The layers: who may use whom, by the #include lines and by the symbols of what was built. Nothing points up.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

# below FOLDER: the folders that it may use, itself among them: what can be reached along the design's arrows
#	main -> ui -> shell -> cmd -> {lang stream output tracefs}, stream -> {decode clock tracefs},
#	output -> {decode clock}, cmd -> query -> decode, cmd -> tally, cmd -> library -> decode, all -> base
below()
{
	case $1 in
	base) echo base ;;
	lang | decode | clock | tracefs) echo "$1 base" ;;
	query | library) echo "$1 decode base" ;;
	tally) echo tally base ;;
	stream) echo stream decode clock tracefs base ;;
	output) echo output decode clock base ;;
	cmd) echo "cmd lang library query tally $(below stream) $(below output)" ;;
	shell) echo "shell $(below cmd)" ;;
	ui) echo "ui $(below shell)" ;;
	main) echo "main $(below ui)" ;;
	esac
}

library='base tracefs decode library query tally clock stream output lang cmd shell'
all="$library ui main"

# rules: a line "may FOLDER FOLDER" for each arrow
rules()
{
	for folder in $all; do
		for other in $(below "$folder"); do
			echo "may $folder $other"
		done
	done
}

# source_files ROOT FOLDER
source_files()
{
	if [ "$2" = main ]; then
		find "$1/src" -maxdepth 1 -name '*.[ch]'
	else
		find "$1/src/$2" -name '*.[ch]'
	fi | sort
}

# headers: a line "NAME FOLDER FILE" for each; its first line says whose it is
headers()
{
	awk 'FNR == 1 {
		folder = $0
		if (!sub(/.*\(src\//, "", folder) || !sub(/\).*/, "", folder) || folder !~ /^[a-z]+$/)
			folder = "none"
		name = FILENAME
		sub(/.*\//, "", name)
		print name, folder, FILENAME
	}' include/tracesh/*.h
}

# wrong_includes ROOT: a line for each #include that the layers forbid
wrong_includes()
(
	cd "$1" || exit
	headers >"$TMP/headers"
	{
		rules
		sed 's/^/header /' "$TMP/headers"
		sed 's/^[^ ]*/file/' "$TMP/headers"
		for folder in $all; do
			source_files . "$folder" | sed "s,^\./,file $folder ,"
		done
		grep -rE '^[ 	]*#[ 	]*include' include/tracesh src --include='*.[ch]' | sed 's/^\([^:]*\):/include \1 /'
	} >"$TMP/facts"
	awk '
		$1 == "may" { may[$2, $3] = 1; known[$2] = 1; next }
		$1 == "header" { owner[$2] = $3; next }
		$1 == "file" {
			if (!known[$2])
				print $3 ": its first line names no folder as (src/FOLDER)"
			else
				folder[$3] = $2
			next
		}
		{
			file = $2
			if (!(file in folder))
				next
			line = name = substr($0, length("include ") + length(file) + 2)
			sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
			quoted = name ~ /^"/
			sub(/^[<"]/, "", name)
			sub(/[>"].*$/, "", name)
			if (name ~ /^tracesh\//) {
				sub(/^tracesh\//, "", name)
				if (!(name in owner))
					print file ": no such header: tracesh/" name
				else if (!may[folder[file], owner[name]])
					print file ": " folder[file] " uses " owner[name] ": " line
			} else if (name ~ /^readline\// && folder[file] != "ui") {
				print file ": only ui uses readline: " line
			} else if (name ~ /(^|\/)(event-parse|event-utils|trace-seq|kbuffer|tracefs|libdwfl?|dwarf|gelf|libelf)\.h$/ &&
				   folder[file] != "library") {
				print file ": only library uses libtraceevent, libtracefs and libdw: " line
			} else if (quoted && name ~ /\//) {
				print file ": reaches into another folder: " line
			}
		}' "$TMP/facts"
)

# What the library leaves to main and ui: stdout, the terminal, the end of the process.
banned='stdout exit isatty ttyname ttyname_r printf vprintf puts putchar __printf_chk __vprintf_chk'

# symbols FOLDER OBJECT..: a line "defined|wanted FOLDER OBJECT SYMBOL" for each
symbols()
{
	folder=$1
	shift
	[ $# -eq 0 ] || nm -AP "$@" 2>/dev/null | awk -v folder="$folder" '
		{
			# a folder may have blanks in its name
			object = $0
			sub(/: .*/, "", object)
			sub(/.*\/src\//, "", object)
			gsub(/[ \t]/, "_", object)
			sub(/.*: /, "")
		}
		$2 ~ /^[TDBRVWCS]$/ { print "defined", folder, object, $1 }
		$2 ~ /^[Uw]$/ { print "wanted", folder, object, $1 }'
}

# wrong_symbols <SYMBOLS: a line for each symbol that the layers forbid
wrong_symbols()
{
	{
		rules
		for symbol in $banned; do
			echo "banned $symbol"
		done
		cat
	} >"$TMP/facts"
	awk '
		$1 == "may" { may[$2, $3] = 1; next }
		$1 == "banned" { banned[$2] = 1; next }
		$1 == "defined" { owner[$4] = $2; next }
		{
			n++
			folder[n] = $2
			object[n] = $3
			symbol[n] = $4
		}
		END {
			for (i = 1; i <= n; i++) {
				s = symbol[i]
				f = folder[i]
				if (s in owner && !may[f, owner[s]])
					print object[i] ": " f " uses " owner[s] ": " s
				if (f != "ui" && f != "main" && (s in banned || s ~ /^rl_/))
					print object[i] ": not for the library: " s
			}
		}' "$TMP/facts"
}

# objects_of FOLDER: what was built of it, below $BUILD
objects_of()
{
	(cd "$SRC" && source_files . "$1") | sed -n 's,\.c$,.o,p'
}

# The tree

is "$(wrong_includes "$SRC")" '' 'every #include points down'

unbuilt=
: >"$TMP/symbols"
cd "$BUILD" || exit 1
for folder in $all; do
	set --
	for object in $(objects_of "$folder"); do
		if [ -f "$object" ]; then
			set -- "$@" "$object"
		else
			case $object in
			*/ui/inputrc.o | */ui/line-readline.o | */ui/line-help.o | */ui/line-hint.o | */ui/line-plain.o) ;; # a build has one or the other
			*) unbuilt="$unbuilt ${object#./}" ;;
			esac
		fi
	done
	symbols "$folder" "$@" >>"$TMP/symbols"
done
is "$unbuilt" '' 'every source file is built (in a Makemodule.am)'
if command -v nm >/dev/null; then
	ok 'the symbols of the build can be read' grep -q '^defined' "$TMP/symbols"
	is "$(wrong_symbols <"$TMP/symbols")" '' 'every symbol comes from below; no stdout, tty or exit() in the library'
else
	skip 'symbols that come from above' 'no nm'
fi

unlisted=
for header in $(cd "$SRC" && find include src -name '*.h'); do
	case $header in
	include/*) list=include/Makemodule.am ;;
	*) list=$(dirname "$header")/Makemodule.am ;;
	esac
	grep -q "[[:space:]]$header\([[:space:]]\|\$\)" "$SRC/$list" || unlisted="$unlisted $header"
done
is "$unlisted" '' "every header is in its folder's Makemodule.am, and so in a release"

# The same, on trees with a fault: this test can fail

mkdir -p "$TMP/tree"
cp -R "$SRC/src" "$SRC/include" "$TMP/tree/"
echo '/* tracesh/made-up.h - a header of the shell (src/shell) */' >"$TMP/tree/include/tracesh/made-up.h"
is "$(wrong_includes "$TMP/tree")" "$(wrong_includes "$SRC")" 'a copy of the tree is judged alike'

# caught FILE LINE NAME: the line, added to the copy's file, is complained of
caught()
{
	if [ -f "$TMP/tree/$1" ]; then cp -p "$TMP/tree/$1" "$TMP/saved"; else : >"$TMP/saved"; fi
	printf '%s\n' "$2" >>"$TMP/tree/$1"
	like "$(wrong_includes "$TMP/tree")" "^$1: " "$3"
	cp "$TMP/saved" "$TMP/tree/$1"
}

caught src/base/made-up.c '#include <tracesh/made-up.h>' 'caught: base uses a header of shell'
caught src/cmd/made-up.c '# include "tracesh/made-up.h"' 'caught: cmd uses a header of shell, in quotes'
caught src/cmd/made-up.c '#include "../shell/engine.h"' 'caught: a path into another folder'
caught src/lang/made-up.c '#include <readline/readline.h>' 'caught: readline outside of ui'
caught src/tracefs/made-up.c '#include <tracefs.h>' 'caught: libtracefs outside of library'
caught src/cmd/made-up.c '#include <elfutils/libdwfl.h>' 'caught: libdw outside of library'
caught src/decode/made-up.c '#include <traceevent/event-parse.h>' 'caught: libtraceevent outside of library'
caught src/cmd/made-up.c '#include <kbuffer.h>' 'caught: another header of it'
caught src/base/made-up.c '#include <tracesh/not-there.h>' 'caught: a header that is not there'
caught include/tracesh/made-down.h '/* (src/base) */
#include <tracesh/made-up.h>' 'caught: a header of base uses one of shell'
rm -f "$TMP/tree/include/tracesh/made-down.h"
caught include/tracesh/made-owner.h '/* a header of nobody */' 'caught: a header that names no folder'

# object NAME <C: compiles into $TMP/NAME.o
object()
{
	"${CC:-cc}" -x c -c -O0 -o "$TMP/$1.o" -
}

if command -v "${CC:-cc}" >/dev/null; then
	echo 'int tsh_up(void); int tsh_up(void) { return 1; }' | object up
	echo 'int tsh_up(void); int tsh_down(void); int tsh_down(void) { return tsh_up(); }' | object down
	echo '#include <stdio.h>
	int tsh_talk(void); int tsh_talk(void) { return fputs("x", stdout); }' | object talk
	echo '#include <stdlib.h>
	void tsh_leave(void); void tsh_leave(void) { exit(1); }' | object leave
	is "$({ symbols cmd "$TMP/up.o"; symbols shell "$TMP/down.o"; } | wrong_symbols)" '' \
		'a symbol from below is allowed'
	like "$({ symbols cmd "$TMP/up.o"; symbols decode "$TMP/down.o"; } | wrong_symbols)" \
		'decode uses cmd: tsh_up$' 'caught: a symbol from above'
	like "$(symbols output "$TMP/talk.o" | wrong_symbols)" 'library: stdout$' 'caught: stdout in the library'
	like "$(symbols cmd "$TMP/leave.o" | wrong_symbols)" 'library: exit$' 'caught: exit() in the library'
	is "$(symbols main "$TMP/leave.o" | wrong_symbols)" '' 'main may exit()'
else
	skip 'made-up symbols are caught' 'no C compiler'
fi

done_testing
