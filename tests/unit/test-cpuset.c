/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/strbuf.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t seed;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static const struct {
	const char *text;
	int r;
	const char *list;
	const char *mask;
} lists[] = {
	{ "0", 0, "0", "1" },
	{ "0-3", 0, "0-3", "f" },
	{ "0-3,7", 0, "0-3,7", "8f" },
	{ "7,0-3", 0, "0-3,7", "8f" },
	{ "0-2,1-3,2", 0, "0-3", "f" },
	{ "5-5", 0, "5", "20" },
	{ "31", 0, "31", "80000000" },
	{ "32", 0, "32", "1,00000000" },
	{ "0-33", 0, "0-33", "3,ffffffff" },
	{ "63,64", 0, "63-64", "1,80000000,00000000" },
	{ "0,95,100", 0, "0,95,100", "10,80000000,00000000,00000001" },
	{ "00012", 0, "12", "1000" },
	{ "", -EINVAL, NULL, NULL },
	{ ",", -EINVAL, NULL, NULL },
	{ "1,", -EINVAL, NULL, NULL },
	{ ",1", -EINVAL, NULL, NULL },
	{ "-1", -EINVAL, NULL, NULL },
	{ "1-", -EINVAL, NULL, NULL },
	{ "3-1", -EINVAL, NULL, NULL },
	{ "1-2-3", -EINVAL, NULL, NULL },
	{ "1 2", -EINVAL, NULL, NULL },
	{ "0x1", -EINVAL, NULL, NULL },
	{ "ALL", -EINVAL, NULL, NULL },
	{ "all,1", -EINVAL, NULL, NULL },
	{ "8192", -ERANGE, NULL, NULL },
	{ "0-8192", -ERANGE, NULL, NULL },
	{ "0-99999999999999999999", -ERANGE, NULL, NULL },
	{ "99999999999999999999-99999999999999999999", -ERANGE, NULL, NULL },
	{ "8192,x", -EINVAL, NULL, NULL },
	{ "4294967297", -ERANGE, NULL, NULL },
};

static void test_cpus(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N(lists); i++) {
		struct tsh_strbuf sb = TSH_STRBUF_INIT;
		struct tsh_cpuset set = { 0 };
		int r;

		tsh_cpuset_add(&set, 77);
		r = tsh_parse_cpus(lists[i].text, &set);
		if (r != lists[i].r)
			fail_msg("'%s': %d", lists[i].text, r);
		assert_true(tsh_cpuset_has(&set, 77) == (r != 0));
		if (!r) {
			tsh_cpuset_format_list(&set, &sb);
			assert_string_equal(sb.buf, lists[i].list);
			tsh_strbuf_clear(&sb);
			tsh_cpuset_format_mask(&set, &sb);
			assert_string_equal(sb.buf, lists[i].mask);
		}
		tsh_strbuf_release(&sb);
		tsh_cpuset_release(&set);
	}
}

static void test_cpuset(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	struct tsh_cpuset set = { 0 };

	(void)state;
	assert_false(tsh_cpuset_has(&set, 0));
	assert_int_equal(tsh_cpuset_count(&set), 0);
	tsh_cpuset_format_list(&set, &sb);
	assert_string_equal(sb.buf, "");
	tsh_cpuset_format_mask(&set, &sb);
	assert_string_equal(sb.buf, "0");
	tsh_cpuset_add(&set, TSH_CPU_MAX);
	tsh_cpuset_add(&set, UINT_MAX);
	assert_null(set.bits);

	tsh_cpuset_add(&set, TSH_CPU_MAX - 1);
	assert_true(tsh_cpuset_has(&set, TSH_CPU_MAX - 1));
	assert_false(tsh_cpuset_has(&set, TSH_CPU_MAX));
	assert_false(tsh_cpuset_has(&set, UINT_MAX));
	assert_int_equal(tsh_cpuset_count(&set), 1);
	tsh_strbuf_clear(&sb);
	tsh_cpuset_format_list(&set, &sb);
	assert_string_equal(sb.buf, "8191");

	assert_int_equal(tsh_parse_cpus("all", &set), 0);
	assert_int_equal(tsh_cpuset_count(&set), TSH_CPU_MAX);
	tsh_strbuf_clear(&sb);
	tsh_cpuset_format_list(&set, &sb);
	assert_string_equal(sb.buf, "0-8191");
	tsh_strbuf_clear(&sb);
	tsh_cpuset_format_mask(&set, &sb);
	assert_int_equal(sb.len, TSH_CPU_MAX / 32 * 9 - 1);
	assert_int_equal(strspn(sb.buf, "f,"), sb.len);
	tsh_cpuset_release(&set);
	assert_null(set.bits);
	tsh_cpuset_release(&set);
	tsh_strbuf_release(&sb);
}

static void test_mask(void **state)
{
	static const struct {
		const char *text;
		int r;
		const char *list;
	} rows[] = {
		{ "0", 0, "" },
		{ "f", 0, "0-3" },
		{ "F", 0, "0-3" },
		{ "aB", 0, "0-1,3,5,7" },
		{ "f\n", 0, "0-3" },
		{ "ffffffff", 0, "0-31" },
		{ "3,ffffffff", 0, "0-33" },
		{ "00000000,00000000,0000000f\n", 0, "0-3" },
		{ "1,0,1", 0, "0,64" },
		{ "80000000,00000000,00000000", 0, "95" },
		{ "", -EINVAL, NULL },
		{ "\n", -EINVAL, NULL },
		{ ",", -EINVAL, NULL },
		{ "f,", -EINVAL, NULL },
		{ ",f", -EINVAL, NULL },
		{ "f,,f", -EINVAL, NULL },
		{ "f\n\n", -EINVAL, NULL },
		{ "f\n,f", -EINVAL, NULL },
		{ "fffffffff", -EINVAL, NULL },
		{ "0x1", -EINVAL, NULL },
		{ "g", -EINVAL, NULL },
		{ " f", -EINVAL, NULL },
		{ "-1", -EINVAL, NULL },
		{ "f.f,f", -EINVAL, NULL },
	};
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		struct tsh_cpuset set = { 0 };
		int r;

		tsh_cpuset_add(&set, 777);
		r = tsh_cpuset_parse_mask(rows[i].text, &set);
		if (r != rows[i].r)
			fail_msg("'%s': %d", rows[i].text, r);
		tsh_strbuf_clear(&sb);
		tsh_cpuset_format_list(&set, &sb);
		assert_string_equal(sb.buf, r ? "777" : rows[i].list);
		tsh_cpuset_release(&set);
	}
	tsh_strbuf_release(&sb);
}

/* More groups than there are CPUs: good as long as those are empty. */
static void test_long_mask(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	struct tsh_cpuset set = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 300; i++)
		tsh_strbuf_adds(&sb, "00000000,");
	tsh_strbuf_addc(&sb, '2');
	assert_int_equal(tsh_cpuset_parse_mask(sb.buf, &set), 0);
	assert_int_equal(tsh_cpuset_count(&set), 1);
	assert_true(tsh_cpuset_has(&set, 1));
	sb.buf[9 * (300 - TSH_CPU_MAX / 32)] = '1';
	assert_int_equal(tsh_cpuset_parse_mask(sb.buf, &set), -ERANGE);
	sb.buf[9 * (301 - TSH_CPU_MAX / 32)] = '8';
	sb.buf[9 * (300 - TSH_CPU_MAX / 32)] = '0';
	assert_int_equal(tsh_cpuset_parse_mask(sb.buf, &set), 0);
	assert_true(tsh_cpuset_has(&set, TSH_CPU_MAX - 1));
	tsh_cpuset_release(&set);
	tsh_strbuf_release(&sb);
}

/* What is formatted is parsed to the same set. */
static void test_cpuset_random(void **state)
{
	struct tsh_strbuf list = TSH_STRBUF_INIT, mask = TSH_STRBUF_INIT;
	int i;

	(void)state;
	seed = 7;
	for (i = 0; i < 300; i++) {
		struct tsh_cpuset set = { 0 }, other = { 0 };
		uint32_t below = 1 + next_random(i % 2 ? 100 : TSH_CPU_MAX);
		uint32_t k, n = 1 + next_random(200);

		for (k = 0; k < n; k++)
			tsh_cpuset_add(&set, next_random(below));
		tsh_strbuf_clear(&list);
		tsh_strbuf_clear(&mask);
		tsh_cpuset_format_list(&set, &list);
		tsh_cpuset_format_mask(&set, &mask);
		assert_int_equal(tsh_parse_cpus(list.buf, &other), 0);
		assert_memory_equal(set.bits, other.bits, TSH_CPU_MAX / 8);
		assert_int_equal(tsh_cpuset_parse_mask(mask.buf, &other), 0);
		assert_memory_equal(set.bits, other.bits, TSH_CPU_MAX / 8);
		for (n = 0, k = 0; k < TSH_CPU_MAX; k++)
			n += tsh_cpuset_has(&set, k);
		assert_int_equal(tsh_cpuset_count(&set), n);
		tsh_cpuset_release(&set);
		tsh_cpuset_release(&other);
	}
	tsh_strbuf_release(&list);
	tsh_strbuf_release(&mask);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_cpuset),
		cmocka_unit_test(test_mask),
		cmocka_unit_test(test_long_mask),
		cmocka_unit_test(test_cpuset_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
