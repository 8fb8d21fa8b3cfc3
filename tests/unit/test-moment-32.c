/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "events/clock/moment.h"

/* Where time_t has 32 bits, as on many a board: local.c as it would be there, in place of
 * the library's. */
static struct tm *localtime_32(const int32_t *t, struct tm *ret)
{
	const time_t wide = *t;

	return localtime_r(&wide, ret);
}
#define time_t int32_t
#define localtime_r localtime_32
#include "events/clock/local.c"
#undef time_t
#undef localtime_r

#define S INT64_C(1000000000)
#define END (INT64_C(1) << 31)

static int parse(const char *text, struct tsh_moment *ret)
{
	struct tsh_err err = { 0 };
	int r = tsh_moment_parse(text, 1704067200 * S, ret, &err);

	if (r < 0) {
		assert_non_null(strstr(err.message, "local times of this system end in 2038"));
		assert_non_null(strstr(err.hint, "2040-01-02T22:47:33Z"));
	}
	tsh_err_release(&err);
	return r;
}

static void test_end(void **state)
{
	struct tsh_moment m;

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	assert_int_equal(parse("2024-07-01 02:00:00", &m), 0);
	assert_true(m.wall == 1719792000 * S);
	assert_int_equal(parse("2038-01-17 12:00:00", &m), 0);
	assert_true(m.wall == 2147338800 * S);
	/* a day is needed to tell whether the clocks change */
	assert_int_equal(parse("2038-01-19 04:14:07", &m), -1);
	assert_int_equal(parse("2038-01-20 00:00:00", &m), -1);
	assert_int_equal(parse("2100-07-01 00:00:00", &m), -1);
}

/* What needs no local time goes on. */
static void test_beyond(void **state)
{
	struct tsh_moment m;

	(void)state;
	assert_int_equal(parse("2038-01-19T03:14:08Z", &m), 0);
	assert_true(m.wall == END * S);
	assert_int_equal(parse("2100-03-01T00:00:00+00:00", &m), 0);
	assert_true(m.wall == 4107542400 * S);
	assert_int_equal(parse("@4107542400", &m), 0);
	assert_true(m.wall == 4107542400 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_beyond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
