/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct tsh_err zeroed;

static void test_set(void **state)
{
	struct tsh_err err = { 0 };

	(void)state;
	assert_false(tsh_err_is_set(&err));
	assert_int_equal(tsh_err_set(&err, TSH_FAILED, "no %s in %d", "luck", 7), -1);
	assert_true(tsh_err_is_set(&err));
	assert_int_equal(err.status, TSH_FAILED);
	assert_string_equal(err.message, "no luck in 7");
	assert_null(err.hint);
	assert_int_equal(err.number, 0);
	assert_int_equal(err.span.begin, 0);
	assert_int_equal(err.span.end, 0);
	tsh_err_release(&err);
	assert_memory_equal(&err, &zeroed, sizeof(err));
	tsh_err_release(&err);
}

static void test_set_replaces(void **state)
{
	struct tsh_span span = { 3, 9 };
	struct tsh_err err = { 0 };

	(void)state;
	tsh_err_errno(&err, EIO, "first");
	tsh_err_hint(&err, "a hint");
	tsh_err_blame(&err, span);
	assert_int_equal(tsh_err_set(&err, TSH_ENVIRONMENT, "second"), -1);
	assert_int_equal(err.status, TSH_ENVIRONMENT);
	assert_string_equal(err.message, "second");
	assert_null(err.hint);
	assert_int_equal(err.number, 0);
	assert_int_equal(err.span.end, 0);
	tsh_err_release(&err);
}

/* An error may be made of the one that it replaces. */
static void test_set_of_itself(void **state)
{
	struct tsh_span span = { 1, 2 };
	struct tsh_err err = { 0 };

	(void)state;
	tsh_err_set(&err, TSH_FAILED, "inner");
	tsh_err_hint(&err, "try");
	tsh_err_hint(&err, "%s again", err.hint);
	assert_string_equal(err.hint, "try again");
	tsh_err_set(&err, TSH_FAILED, "outer: %s (%s)", err.message, err.hint);
	assert_string_equal(err.message, "outer: inner (try again)");
	tsh_err_at(&err, span, "at: %s", err.message);
	assert_string_equal(err.message, "at: outer: inner (try again)");
	tsh_err_errno(&err, EIO, "[%s]", err.message);
	assert_string_equal(err.message, "[at: outer: inner (try again)]: Input/output error");
	tsh_err_release(&err);
}

static void test_at(void **state)
{
	struct tsh_span span = { 4, 11 };
	struct tsh_err err = { 0 };

	(void)state;
	assert_int_equal(tsh_err_at(&err, span, "unknown word '%s'", "x"), -1);
	assert_int_equal(err.status, TSH_USAGE);
	assert_string_equal(err.message, "unknown word 'x'");
	assert_int_equal(err.span.begin, 4);
	assert_int_equal(err.span.end, 11);
	tsh_err_release(&err);
}

static void test_errno(void **state)
{
	static const struct {
		int number;
		enum tsh_status status;
	} rows[] = {
		{ EPERM, TSH_ENVIRONMENT },	 { EACCES, TSH_ENVIRONMENT },
		{ EROFS, TSH_ENVIRONMENT },	 { ENODEV, TSH_ENVIRONMENT },
		{ ENOSYS, TSH_ENVIRONMENT },	 { EOPNOTSUPP, TSH_ENVIRONMENT },
		{ ENOENT, TSH_FAILED },		 { EINVAL, TSH_FAILED },
		{ EBUSY, TSH_FAILED },		 { EIO, TSH_FAILED },
		{ ENOMEM, TSH_FAILED },		 { 524, TSH_FAILED },
	};
	size_t i;

	(void)state;
	for (i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		int number = rows[i / 2].number;
		struct tsh_err err = { 0 };
		char want[128];

		snprintf(want, sizeof(want), "cannot read 'x': %s", strerror(number));
		assert_int_equal(tsh_err_errno(&err, i % 2 ? -number : number,
					       "cannot read '%s'", "x"), -1);
		assert_int_equal(err.status, rows[i / 2].status);
		assert_int_equal(err.number, number);
		assert_string_equal(err.message, want);
		tsh_err_release(&err);
	}
}

static void test_hint(void **state)
{
	struct tsh_err err = { 0 };

	(void)state;
	tsh_err_hint(&err, "of nothing");
	assert_memory_equal(&err, &zeroed, sizeof(err));
	tsh_err_set(&err, TSH_USAGE, "m");
	tsh_err_hint(&err, "type %d", 1);
	assert_string_equal(err.hint, "type 1");
	tsh_err_hint(&err, "type %d", 2);
	assert_string_equal(err.hint, "type 2");
	assert_string_equal(err.message, "m");
	tsh_err_release(&err);
}

static void test_blame(void **state)
{
	struct tsh_span first = { 0, 5 }, second = { 6, 8 };
	struct tsh_err err = { 0 };

	(void)state;
	tsh_err_blame(&err, first);
	assert_memory_equal(&err, &zeroed, sizeof(err));
	tsh_err_set(&err, TSH_FAILED, "m");
	tsh_err_blame(&err, first);
	assert_int_equal(err.span.end, 5);
	tsh_err_blame(&err, second);
	assert_int_equal(err.span.begin, 0);
	assert_int_equal(err.span.end, 5);
	assert_int_equal(err.status, TSH_FAILED);
	tsh_err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_set_replaces),
		cmocka_unit_test(test_set_of_itself),
		cmocka_unit_test(test_at),
		cmocka_unit_test(test_errno),
		cmocka_unit_test(test_hint),
		cmocka_unit_test(test_blame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
