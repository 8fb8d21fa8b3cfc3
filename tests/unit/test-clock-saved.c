/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks.h"

#include <errno.h>

static void test_save(void **state)
{
	static const char *const names[] = { "boot", "local", "uptime", "x86-tsc", "what" };
	static const int64_t moments[] = { -S, 0, 100 * MS, S, 100 * S };
	size_t i, j;

	(void)state;
	for (i = 0; i < SIZE(names); i++) {
		struct tsh_strbuf text = TSH_STRBUF_INIT, again = TSH_STRBUF_INIT;
		struct tsh_clock clock, loaded = { 0 };

		tsh_clock_init(&clock, tsh_clock_kind(names[i]));
		tsh_clock_save(&clock, &text);
		assert_int_equal(tsh_clock_load(&loaded, text.buf), 0);
		assert_false(tsh_clock_is_ready(&loaded));
		assert_ptr_equal(loaded.kind, clock.kind);
		add_wall(&clock, YEAR_2024 - 5 * S, YEAR_2024 - 5 * S + 77, 0);
		add_wall(&clock, YEAR_2024, YEAR_2024 + 50, 5 * S);
		add_wall(&clock, YEAR_2024 + 3600 * S, YEAR_2024 + 3600 * S, 6 * S);
		for (j = 0; j < 3; j++) {
			add(&clock, 0, 77, 0, 1, (int)j);
			add(&clock, 5 * S, 5 * S + 50, i == 2 ? 500 : 5 * S, 1, (int)j);
		}
		tsh_strbuf_clear(&text);
		tsh_clock_save(&clock, &text);
		assert_int_equal(tsh_clock_load(&loaded, text.buf), 0);
		tsh_clock_save(&loaded, &again);
		assert_string_equal(text.buf, again.buf);
		for (j = 0; j < SIZE(moments); j++) {
			uint64_t stamp = (uint64_t)(i == 2 ? moments[j] / (10 * MS) : moments[j]);
			int64_t wall;
			uint64_t error;

			assert_true(tsh_clock_wall(&clock, 1, stamp, &wall, &error));
			check_wall(&loaded, 1, stamp, wall, error);
		}
		/* it can go on from there */
		assert_int_equal(add_wall(&loaded, YEAR_2024 + 3601 * S, YEAR_2024 + 3601 * S,
					  7 * S), 0);
		tsh_strbuf_release(&text);
		tsh_strbuf_release(&again);
		tsh_clock_release(&clock);
		tsh_clock_release(&loaded);
	}
}

static void test_load_errors(void **state)
{
	static const char *const bad[] = {
		"", "\n", "boot\nboot\n", "boot -1\n", "boot\nwall 0 0 0 0 0\n",
		"boot\nwall 0 0 0 0 0 0 0\n", "boot\nwall 0 1 0 0 0 0\n",
		"boot\nwall 0 0 0 1 0 0\n", "boot\nwall 0 0 0 -900000000 0 0\n",
		"boot\nwall 0 0 0 0 0 2\n", "boot\nwall -1 0 0 0 0 0\n",
		"boot\nwall 0 0 9223372036854775808 0 0 0\n", "boot\nwall 0 0 x 0 0 0\n",
		"boot\nwall 5 0 0 0 0 0\nwall 5 0 0 0 0 0\n",
		"boot\ncpu -1 0 0 0 0\n", "local\ncpu 8192 0 0 0 0\n",
		"local\ncpu -2 0 0 0 0\n", "local\nfuzz 0\n", "local\nfuzz 0 -1\n",
		"global\ncpu 0 0 0 0 0\n", "counter\nwall 0 0 0 0 0 0\n",
		"local\ncpu 0 2 0 0 0\ncpu 0 1 0 0 0\n", "local\nnothing\n",
	};
	struct tsh_clock clock;
	size_t i;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	add_wall(&clock, 1500, 1700, 500);
	for (i = 0; i < SIZE(bad); i++) {
		if (tsh_clock_load(&clock, bad[i]) != -EINVAL)
			fail_msg("'%s' was accepted", bad[i]);
		check_wall(&clock, 0, 500, 1600, 101);
	}
	assert_int_equal(tsh_clock_load(&clock, "counter\n"), 0);
	assert_string_equal(clock.kind->name, "counter");
	assert_int_equal(tsh_clock_load(&clock, "boot\nwall 0 3 5 0 0 0"), 0);
	check_wall(&clock, 0, 0, 4, 2);
	tsh_clock_release(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_save),
		cmocka_unit_test(test_load_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
