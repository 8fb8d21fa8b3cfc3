/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks.h"

static void test_saturating(void **state)
{
	static const struct {
		int64_t a;
		uint64_t b;
		int64_t sum, difference;
	} cases[] = {
		{ 1, 2, 3, -1 },
		{ INT64_MAX, 0, INT64_MAX, INT64_MAX },
		{ INT64_MAX, 1, INT64_MAX, INT64_MAX - 1 },
		{ INT64_MIN, 1, INT64_MIN + 1, INT64_MIN },
		{ INT64_MIN, UINT64_MAX, INT64_MAX, INT64_MIN },
		{ INT64_MAX, UINT64_MAX, INT64_MAX, INT64_MIN },
		{ 0, UINT64_MAX, INT64_MAX, INT64_MIN },
		{ -1, 1ULL << 63, INT64_MAX, INT64_MIN },
		{ 0, 1ULL << 63, INT64_MAX, INT64_MIN },
		{ 5, INT64_MAX, INT64_MAX, 5 - INT64_MAX },
	};
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		assert_int_equal(tsh_saturating_add(cases[i].a, cases[i].b), cases[i].sum);
		assert_int_equal(tsh_saturating_sub(cases[i].a, cases[i].b),
				 cases[i].difference);
	}
}

static void test_interval(void **state)
{
	static const struct {
		struct tsh_interval a, b;
		bool meets;
		struct tsh_interval common, hull;
	} cases[] = {
		{ { 0, 10 }, { 5, 20 }, true, { 5, 10 }, { 0, 20 } },
		{ { 0, 10 }, { 10, 20 }, true, { 10, 10 }, { 0, 20 } },
		{ { 0, 10 }, { 11, 20 }, false, { 0, 10 }, { 0, 20 } },
		{ { 0, 10 }, { -9, -1 }, false, { 0, 10 }, { -9, 10 } },
		{ { 0, 10 }, { 3, 4 }, true, { 3, 4 }, { 0, 10 } },
		{ { INT64_MIN, INT64_MAX }, { 3, 4 }, true, { 3, 4 }, { INT64_MIN, INT64_MAX } },
	};
	struct tsh_interval a;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		a = cases[i].a;
		assert_int_equal(tsh_interval_intersect(&a, cases[i].b), cases[i].meets);
		assert_memory_equal(&a, &cases[i].common, sizeof(a));
		a = tsh_interval_hull(cases[i].a, cases[i].b);
		assert_memory_equal(&a, &cases[i].hull, sizeof(a));
	}
	a = tsh_interval_later((struct tsh_interval){ -5, 5 }, 1, 2);
	assert_true(a.lo == -4 && a.hi == 7);
	a = tsh_interval_earlier((struct tsh_interval){ -5, 5 }, 1, 2);
	assert_true(a.lo == -7 && a.hi == 4);
	a = tsh_interval_widen((struct tsh_interval){ INT64_MIN + 1, 5 }, 2);
	assert_true(a.lo == INT64_MIN && a.hi == 7);
	a = (struct tsh_interval){ INT64_MIN, INT64_MAX };
	assert_true(tsh_interval_width(a) == UINT64_MAX);
	assert_true(tsh_interval_error(a) == 1ULL << 63);
	assert_true(tsh_interval_middle(a) == -1);
	a = (struct tsh_interval){ -3, 0 };
	assert_true(tsh_interval_middle(a) == -2 && tsh_interval_error(a) == 2);
}

static void test_mul_div(void **state)
{
	static const struct {
		uint64_t a, b, c, down, up;
	} cases[] = {
		{ 0, 0, 1, 0, 0 },
		{ 7, 3, 2, 10, 11 },
		{ UINT64_MAX, 5, 5, UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX, 2, 1, UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 1 },
		{ UINT64_MAX, 1, 2, INT64_MAX, 1ULL << 63 },
		{ 1ULL << 63, 1000000000, 3000000000u, 3074457345618258602u,
		  3074457345618258603u },
		{ 0x123456789abcdef0u, 0xfedcba9876543210u, 0xffffffffffffffffu,
		  1305938385386173474u, 1305938385386173475u },
	};
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		assert_true(tsh_mul_div(cases[i].a, cases[i].b, cases[i].c, false) ==
			    cases[i].down);
		assert_true(tsh_mul_div(cases[i].a, cases[i].b, cases[i].c, true) ==
			    cases[i].up);
	}
#ifdef __SIZEOF_INT128__
	for (i = 0; i < 200000; i++) {
		uint64_t a = random64() >> random64() % 64;
		uint64_t b = random64() >> random64() % 64;
		uint64_t c = (random64() >> random64() % 64) | 1;
		unsigned __int128 q = (unsigned __int128)a * b / c;
		bool rest = (unsigned __int128)a * b % c;
		uint64_t down = q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;

		assert_true(tsh_mul_div(a, b, c, false) == down);
		assert_true(tsh_mul_div(a, b, c, true) ==
			    (rest && down < UINT64_MAX ? down + 1 : down));
	}
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saturating),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_mul_div),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
