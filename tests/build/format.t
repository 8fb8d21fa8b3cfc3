#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The lines of C that a branch changes are laid out as clang-format would do it; the check itself sees what is wrong.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

command -v clang-format >/dev/null || skip_all 'no clang-format'
command -v git >/dev/null || skip_all 'no git'

run "$SRC/tests/format"
if [ "$status" -eq 77 ]; then
	skip 'the changed lines' "${err#format: }"
else
	is "$status: $out$err" '0: ' 'the changed lines'
fi

# a small tree, with its own history
mkdir -p "$TMP/tree/tests" && cp "$SRC/.clang-format" "$TMP/tree" && cp "$SRC/tests/format" "$TMP/tree/tests" && cd "$TMP/tree" || exit 1
as_git() { git -c user.name=t -c user.email=t@example.org -c init.defaultBranch=main "$@" >/dev/null 2>&1; }
printf 'int f(int  a)\n{\n\treturn a;\n}\n' >old.c
as_git init && as_git add . && as_git commit -m begin
run tests/format HEAD
is "$status: $out" '0: ' 'what was there before is not looked at'
printf '\nint g(int a)\n{\n\tif (a)\n\t\treturn 1;		/* a comment */\n\treturn a;\n}\n\nstatic const int table[] = { 1,2,\n  3 };\n' >>old.c
run tests/format HEAD
is "$status: $out" '0: ' 'nor a comment and a table'
printf '\nint h(int a)\n{\n    if(a) return 1;\n\treturn a;\n}\n' >>old.c
run tests/format HEAD
is "$status" 1 'lines of another layout are found'
like "$out" '^old\.c:18:$' 'with their place'
like "$out" '^-    if\(a\) return 1;$' 'and as they are'
unlike "$out" 'int f' 'and no others'
printf 'int i = 1%0120d;\n' 0 >new.c
as_git add new.c
run tests/format HEAD
like "$out" '^new\.c:1: 130 columns$' 'and so is a line that is too long'
run tests/format nosuch
is "$status" 77 'a commit that is not there: nothing can be compared'
run tests/format
is "$status" 77 'nor on a branch that follows none'

done_testing
