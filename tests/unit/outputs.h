/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_OUTPUTS_H
#define TESTS_UNIT_OUTPUTS_H

#include "output/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define CLEAR "\033[2J"

/* Checks all output so far. The output is still in the buffer if the buffer has room for it. */
static inline void check_data(struct tsh_out *out, const char *expected)
{
	assert_string_equal(out->data.buf, expected);
	assert_int_equal(out->data.len, strlen(expected));
	tsh_out_release(out);
}

#endif
