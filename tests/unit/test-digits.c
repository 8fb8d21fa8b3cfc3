/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/symbols/digits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>

static void check_digits(uint64_t v)
{
	char text[DIGITS_ROOM + 1], expected[DIGITS_ROOM + 1];
	unsigned int width;

	*digits_write_unsigned(text, v) = '\0';
	(void)snprintf(expected, sizeof(expected), "%" PRIu64, v);
	assert_string_equal(text, expected);
	*digits_write_signed(text, (int64_t)v) = '\0';
	(void)snprintf(expected, sizeof(expected), "%" PRId64, (int64_t)v);
	assert_string_equal(text, expected);
	for (width = 1; width <= 16; width++) {
		*digits_write_hex_wide(text, v, width) = '\0';
		(void)snprintf(expected, sizeof(expected), "%0*" PRIx64, (int)width, v);
		assert_string_equal(text, expected);
	}
	for (width = 1; width <= 8; width++) {
		uint32_t low = (uint32_t)(v % DIGITS_E8);

		*digits_write_wide(text, low, width) = '\0';
		(void)snprintf(expected, sizeof(expected), "%0*" PRIu32, (int)width, low);
		assert_string_equal(text, expected);
	}
}

static void digits_are_those_of_printf(void **state)
{
	uint64_t v, seed = 88172645463325252U;
	unsigned int i;

	(void)state;
	for (v = 0; v < 12000; v++)
		check_digits(v);
	for (v = 1, i = 0; i < 20; i++, v *= 10) {
		check_digits(v - 1);
		check_digits(v);
		check_digits(v + 1);
	}
	for (i = 0; i < 64; i++) {
		check_digits(UINT64_MAX << i);
		check_digits(UINT64_MAX >> i);
	}
	for (i = 0; i < 3000; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		check_digits(seed >> (seed & 63));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_are_those_of_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
