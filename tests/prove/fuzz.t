#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# A minute of libFuzzer on each parser of what comes from outside; TRACESH_FUZZ_SECONDS makes it longer.
# A new one is tests/fuzz/NAME.c, seeds in tests/fuzz/NAME, and its name here.
. "${SRC:-$(dirname "$0")/../..}/tests/prove/lib-fuzz.sh"

fuzz page format typed text tree journal state query btf merge recording complete session-files struct clock elf trace-dat
done_testing
