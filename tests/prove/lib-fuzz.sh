# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the fuzzers: tests/fuzz/NAME.c is one, tests/fuzz/NAME its seeds. All of the library is built for them once, in
# $BUILD/fuzz. What makes one fail is left in $BUILD/fuzz/NAME-crash-* and the like.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
unset MAKEFLAGS MAKELEVEL
jobs=$(nproc 2>/dev/null || echo 2)
dir=$BUILD/fuzz

need_fuzzer()
{
	printf '%s\n' '#include <stddef.h>' 'int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n);' \
		'int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n) { return d && n > 9 ? 0 : 0; }' >"$TMP/probe.c"
	clang -fsanitize=fuzzer,address,undefined -o "$TMP/probe" "$TMP/probe.c" >"$TMP/log" 2>&1 ||
		skip_all 'clang with libFuzzer is missing'
}

# What builds all of src/ but the terminal, and each fuzzer with it.
makefile()
{
	cat <<'MAKE'
flags = -std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all \
	-I$(SRC)/src -I$(BUILD) -include $(BUILD)/config.h -DSYSCONFDIR='"/etc"' -DRECIPESDIR='"/usr/share/tracesh/recipes"'
sources := $(filter-out $(SRC)/src/ui/%,$(wildcard $(SRC)/src/*/*.c $(SRC)/src/*/*/*.c))
headers := $(wildcard $(SRC)/src/*/*.h $(SRC)/src/*/*/*.h)
flags += $(shell sed -n 's/^LIBRARY_CFLAGS = //p' $(BUILD)/Makefile)
libraries := $(shell sed -n 's/^LIBRARY_LIBS = //p' $(BUILD)/Makefile)
objects := $(sources:$(SRC)/src/%.c=o/%.o)
all: $(TARGETS:%=fuzz-%)
o/%.o: $(SRC)/src/%.c $(headers)
	@mkdir -p $(@D)
	clang $(flags) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ $<
fuzz-%: $(SRC)/tests/fuzz/%.c $(objects)
	clang $(flags) -fsanitize=fuzzer,address,undefined -o $@ $< $(objects) $(libraries)
.SECONDARY:
MAKE
}

# build_fuzzers NAME..
build_fuzzers()
{
	mkdir -p "$dir"
	makefile >"$dir/Makefile"
	make -C "$dir" -j"$jobs" SRC="$SRC" BUILD="$BUILD" TARGETS="$*"
}

# run_fuzzer NAME: for TRACESH_FUZZ_SECONDS (60), on much the same way each time: TRACESH_FUZZ_SEED takes another, 0 a new
# one at each run. Its report is in $TMP/NAME.log, with the status as the last line
run_fuzzer()
(
	mkdir -p "$dir/$1"
	cd "$dir" || exit
	fuzz_status=0
	"./fuzz-$1" -seed="${TRACESH_FUZZ_SEED:-1}" -max_total_time="${TRACESH_FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=1024 -max_len=40000 \
		-artifact_prefix="$dir/$1-" "$1" "$SRC/tests/fuzz/$1" >"$TMP/$1.log" 2>&1 || fuzz_status=$?
	echo "status $fuzz_status" >>"$TMP/$1.log"
)

# judge_fuzzer NAME
judge_fuzzer()
{
	if [ "$(tail -n 1 "$TMP/$1.log")" = 'status 0' ]; then
		pass "$1: nothing found ($(grep -o '^Done.*' "$TMP/$1.log"))"
	else
		fail "$1: nothing found"
		tail -n 60 "$TMP/$1.log" | diag
	fi
}

# fuzz NAME..: as many at once as there are CPUs
fuzz()
{
	need_fuzzer
	ok 'the fuzzers build' build_fuzzers "$@"
	[ "$failures" -eq 0 ] || return 0
	running=0
	for name; do
		run_fuzzer "$name" &
		running=$((running + 1))
		[ $((running % jobs)) -ne 0 ] || wait
	done
	wait
	for name; do
		judge_fuzzer "$name"
	done
}
