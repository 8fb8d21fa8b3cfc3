/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED 0xdeadbeef

static uint32_t seed;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

struct row {
	const char *text;
	int r;
	uint64_t want;
};

static void check_rows(int (*parse)(const char *, uint64_t *), const struct row *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t want = rows[i].r ? UNTOUCHED : rows[i].want;
		uint64_t got = UNTOUCHED;
		int r = parse(rows[i].text, &got);

		if (r != rows[i].r || got != want)
			fail_msg("'%s': %d, %" PRIu64, rows[i].text, r, got);
	}
}

static int parse_decimal(const char *text, uint64_t *ret)
{
	return tsh_parse_kernel(text, 10, ret);
}

static int parse_any(const char *text, uint64_t *ret)
{
	return tsh_parse_kernel(text, 0, ret);
}

static void test_kernel(void **state)
{
	static const struct row decimal[] = {
		{ "8", 0, 8 }, { "+8", 0, 8 }, { "08", 0, 8 }, { "8\n", 0, 8 },
		{ "", -EINVAL, 0 }, { "\n", -EINVAL, 0 },
		{ "+", -EINVAL, 0 }, { "++8", -EINVAL, 0 }, { "-8", -EINVAL, 0 }, { " 8", -EINVAL, 0 },
		{ "8 ", -EINVAL, 0 },
		{ "8\n\n", -EINVAL, 0 }, { "0x8", -EINVAL, 0 }, { "8_0", -EINVAL, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		/* of 66 bytes at most */
		{ "00000000000000000000000000000000000000000000000000000000000000000000008", 0, 0 },
	};
	static const struct row any[] = {
		{ "8", 0, 8 }, { "010", 0, 8 }, { "0x10", 0, 16 }, { "0X1f", 0, 31 }, { "+0x10", 0, 16 }, { "0", 0, 0 },
		{ "08", -EINVAL, 0 }, { "0x", -EINVAL, 0 }, { "0xg", -EINVAL, 0 }, { "-1", -EINVAL, 0 },
	};

	(void)state;
	check_rows(parse_decimal, decimal, N(decimal));
	check_rows(parse_any, any, N(any));
}

static void test_u64(void **state)
{
	static const struct row rows[] = {
		{ "0", 0, 0 },
		{ "007", 0, 7 },
		{ "1234567890", 0, 1234567890 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "0000000000000000000000001", 0, 1 },
		{ "0x0", 0, 0 },
		{ "0xffffffffffffffff", 0, UINT64_MAX },
		{ "0XaBcDeF", 0, 0xabcdef },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "0x10000000000000000", -ERANGE, 0 },
		{ "99999999999999999999999x", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "1\n", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "1a", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ "0xg", -EINVAL, 0 },
		{ "x1", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "\xd9\xa1", -EINVAL, 0 },
	};

	(void)state;
	check_rows(tsh_parse_u64, rows, N(rows));
}

/* As a function of the type that check_rows takes. */
static int parse_s64(const char *text, uint64_t *ret)
{
	int64_t value = (int64_t)*ret;
	int r = tsh_parse_s64(text, &value);

	*ret = (uint64_t)value;
	return r;
}

static void test_s64(void **state)
{
	static const struct row rows[] = {
		{ "0", 0, 0 },
		{ "-0", 0, 0 },
		{ "+7", 0, 7 },
		{ "-7", 0, (uint64_t)-7 },
		{ "-0x10", 0, (uint64_t)-16 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "-9223372036854775808", 0, (uint64_t)INT64_MIN },
		{ "-0x8000000000000000", 0, (uint64_t)INT64_MIN },
		{ "9223372036854775808", -ERANGE, 0 },
		{ "-9223372036854775809", -ERANGE, 0 },
		{ "-18446744073709551615", -ERANGE, 0 },
		{ "-18446744073709551616", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "-", -EINVAL, 0 },
		{ "+", -EINVAL, 0 },
		{ "--1", -EINVAL, 0 },
		{ "+-1", -EINVAL, 0 },
		{ "- 1", -EINVAL, 0 },
		{ "0x-1", -EINVAL, 0 },
	};

	(void)state;
	check_rows(parse_s64, rows, N(rows));
}

static void test_int(void **state)
{
	int value = 5;

	(void)state;
	assert_int_equal(tsh_parse_int("2147483647", &value), 0);
	assert_int_equal(value, INT_MAX);
	assert_int_equal(tsh_parse_int("-2147483648", &value), 0);
	assert_int_equal(value, INT_MIN);
	assert_int_equal(tsh_parse_int("2147483648", &value), -ERANGE);
	assert_int_equal(tsh_parse_int("-2147483649", &value), -ERANGE);
	assert_int_equal(tsh_parse_int("99999999999999999999", &value), -ERANGE);
	assert_int_equal(tsh_parse_int("x", &value), -EINVAL);
	assert_int_equal(value, INT_MIN);
}

static void test_take(void **state)
{
	const char *p = "12.x";
	uint64_t value = 5;

	(void)state;
	assert_true(tsh_parse_u64_prefix(&p, &value));
	assert_int_equal(value, 12);
	assert_string_equal(p, ".x");
	assert_false(tsh_parse_u64_prefix(&p, &value));
	p = "18446744073709551615 ";
	assert_true(tsh_parse_u64_prefix(&p, &value));
	assert_true(value == UINT64_MAX);
	p = "18446744073709551616";
	assert_false(tsh_parse_u64_prefix(&p, &value));
	p = "-1";
	assert_false(tsh_parse_u64_prefix(&p, &value));
	p = "";
	assert_false(tsh_parse_u64_prefix(&p, &value));
	assert_true(value == UINT64_MAX);
}

static void test_size(void **state)
{
	static const struct row rows[] = {
		{ "0", 0, 0 },
		{ "4096", 0, 4096 },
		{ "12b", 0, 12 },
		{ "64K", 0, 65536 },
		{ "64k", 0, 65536 },
		{ "64KB", 0, 65536 },
		{ "64KiB", 0, 65536 },
		{ "64kib", 0, 65536 },
		{ "1.5M", 0, 1572864 },
		{ ".5K", 0, 512 },
		{ "2G", 0, 2147483648 },
		{ "3T", 0, UINT64_C(3) << 40 },
		{ "1P", 0, UINT64_C(1) << 50 },
		{ "15E", 0, UINT64_C(15) << 60 },
		{ "15.999E", 0, UINT64_C(18445591152204944769) },
		{ "0.001K", 0, 1 },
		{ "0.0009K", 0, 0 },
		{ "1.9999999999999999999999999999999999K", 0, 2047 },
		{ "16777215T", 0, UINT64_C(16777215) << 40 },
		{ "16E", -ERANGE, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "18446744073709551616K", -ERANGE, 0 },
		{ "18014398509481984K", -ERANGE, 0 },
		{ "99999999999999999999Q", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "K", -EINVAL, 0 },
		{ ".", -EINVAL, 0 },
		{ ".K", -EINVAL, 0 },
		{ "1.K", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 },
		{ "1.5b", -EINVAL, 0 },
		{ "1..5K", -EINVAL, 0 },
		{ "1.5.5K", -EINVAL, 0 },
		{ "1,5K", -EINVAL, 0 },
		{ "-1K", -EINVAL, 0 },
		{ "1 K", -EINVAL, 0 },
		{ "1KK", -EINVAL, 0 },
		{ "1Ki", -EINVAL, 0 },
		{ "1iB", -EINVAL, 0 },
		{ "1KBB", -EINVAL, 0 },
		{ "1X", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
	};

	(void)state;
	check_rows(tsh_parse_size, rows, N(rows));
}

static void test_time(void **state)
{
	static const struct row rows[] = {
		{ "0", 0, 0 },
		{ "10ns", 0, 10 },
		{ "5us", 0, 5000 },
		{ "20ms", 0, 20000000 },
		{ "2s", 0, 2000000000 },
		{ "2", 0, 2000000000 },
		{ "1.5s", 0, 1500000000 },
		{ ".5", 0, 500000000 },
		{ "3m", 0, UINT64_C(180000000000) },
		{ "1h", 0, UINT64_C(3600000000000) },
		{ "0.1h", 0, UINT64_C(360000000000) },
		{ "1.0000000019s", 0, 1000000001 },
		{ "0.0015us", 0, 1 },
		{ "5124095h", 0, UINT64_C(18446742000000000000) },
		{ "5124096h", -ERANGE, 0 },
		{ "18446744073.709551615s", 0, UINT64_MAX },
		{ "18446744073.709551616s", -ERANGE, 0 },
		{ "18446744073709551615ns", 0, UINT64_MAX },
		{ "1.5ns", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "s", -EINVAL, 0 },
		{ "1.s", -EINVAL, 0 },
		{ "1S", -EINVAL, 0 },
		{ "1sec", -EINVAL, 0 },
		{ "1 s", -EINVAL, 0 },
		{ "1m30s", 0, UINT64_C(90000000000) },
		{ "1d", 0, UINT64_C(86400000000000) },
		{ "1d2h3m4s5ms6us7ns", 0, UINT64_C(93784005006007) },
		{ "2h30m", 0, UINT64_C(9000000000000) },
		{ "1m1.5s", 0, UINT64_C(61500000000) },
		{ "0.5d", 0, UINT64_C(43200000000000) },
		{ "90m0s", 0, UINT64_C(5400000000000) },
		{ "213503d23h34m33s709ms551us615ns", 0, UINT64_MAX },
		{ "213503d23h34m33s709ms551us616ns", -ERANGE, 0 },
		{ "999999d1h", -ERANGE, 0 },
		{ "999999d1x", -EINVAL, 0 },
		{ "30s1m", -EINVAL, 0 },
		{ "1s1s", -EINVAL, 0 },
		{ "1.5m30s", -EINVAL, 0 },
		{ "1m30", -EINVAL, 0 },
		{ "1m 30s", -EINVAL, 0 },
		{ "1m-30s", -EINVAL, 0 },
		{ "1mss", -EINVAL, 0 },
		{ "1w", -EINVAL, 0 },
		{ "d", -EINVAL, 0 },
		{ "-1s", -EINVAL, 0 },
		{ "inf", -EINVAL, 0 },
	};

	(void)state;
	check_rows(tsh_parse_time, rows, N(rows));
}

static void test_time_blame(void **state)
{
	static const struct {
		const char *text;
		size_t bad;
	} rows[] = {
		{ "x", 0 }, { "1x", 0 }, { "1m30", 2 }, { "1m30x", 2 }, { "2h30m1h", 5 },
		{ "1.5m30s", 4 }, { "1m ", 2 },
	};
	const char *bad;
	uint64_t ns;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		assert_int_equal(tsh_scan_time(rows[i].text, &ns, &bad), -EINVAL);
		assert_int_equal(bad - rows[i].text, rows[i].bad);
	}
}

static void check_format(void (*format)(uint64_t, struct tsh_strbuf *), uint64_t value,
			 const char *want)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;

	format(value, &sb);
	assert_string_equal(sb.buf, want);
	tsh_strbuf_release(&sb);
}

static void test_format(void **state)
{
	static const struct {
		void (*format)(uint64_t, struct tsh_strbuf *);
		uint64_t value;
		const char *want;
	} rows[] = {
		{ tsh_format_size, 0, "0" },
		{ tsh_format_size, 900, "900" },
		{ tsh_format_size, 1023, "1023" },
		{ tsh_format_size, 1024, "1K" },
		{ tsh_format_size, 1536, "1.5K" },
		{ tsh_format_size, 12 * 1024, "12K" },
		{ tsh_format_size, 9 * 1024 + 972, "9.9K" },
		{ tsh_format_size, 9 * 1024 + 973, "10K" },
		{ tsh_format_size, 10 * 1024 + 511, "10K" },
		{ tsh_format_size, 10 * 1024 + 512, "11K" },
		{ tsh_format_size, 1408 * 1024, "1.4M" },
		{ tsh_format_size, 1468006, "1.4M" },
		{ tsh_format_size, 1048575, "1M" },
		{ tsh_format_size, (1 << 30) - 1, "1G" },
		{ tsh_format_size, 1023 * 1024, "1023K" },
		{ tsh_format_size, UINT64_MAX, "16E" },
		{ tsh_format_span, 1500000, "1.5 ms" },
		{ tsh_format_span, UINT64_C(119000000000), "119 s" },
		{ tsh_format_span, UINT64_C(120999999999), "2 min 0 s" },
		{ tsh_format_span, UINT64_C(7199000000000), "119 min 59 s" },
		{ tsh_format_span, UINT64_C(7260000000000), "2 h 1 min" },
		{ tsh_format_span, UINT64_C(172799000000000), "47 h 59 min" },
		{ tsh_format_span, UINT64_C(277200000000000), "3 d 5 h" },
		{ tsh_format_span, UINT64_MAX, "213503 d 23 h" },
		{ tsh_format_count, 0, "0" },
		{ tsh_format_count, 999, "999" },
		{ tsh_format_count, 1000, "1,000" },
		{ tsh_format_count, 12345, "12,345" },
		{ tsh_format_count, 1234567, "1,234,567" },
		{ tsh_format_count, UINT64_MAX, "18,446,744,073,709,551,615" },
		{ tsh_format_ns, 0, "0 ns" },
		{ tsh_format_ns, 180, "180 ns" },
		{ tsh_format_ns, 999, "999 ns" },
		{ tsh_format_ns, 1000, "1 us" },
		{ tsh_format_ns, 1234, "1.23 us" },
		{ tsh_format_ns, 1235, "1.24 us" },
		{ tsh_format_ns, 20000, "20 us" },
		{ tsh_format_ns, 20050, "20.1 us" },
		{ tsh_format_ns, 999499, "999 us" },
		{ tsh_format_ns, 999500, "1 ms" },
		{ tsh_format_ns, 1500000, "1.5 ms" },
		{ tsh_format_ns, 1050000, "1.05 ms" },
		{ tsh_format_ns, 2000000000, "2 s" },
		{ tsh_format_ns, UINT64_C(123456000000), "123 s" },
		{ tsh_format_ns, UINT64_C(7200400000000), "7200 s" },
		{ tsh_format_ns, UINT64_C(999500000000), "1000 s" },
		{ tsh_format_ns, UINT64_MAX, "18446744074 s" },
		{ tsh_format_bound, 0, "+-0ns" },
		{ tsh_format_bound, 180, "+-180ns" },
		{ tsh_format_bound, 1230, "+-1.23us" },
		{ tsh_format_bound, 1231, "+-1.24us" },
		{ tsh_format_bound, 999001, "+-1ms" },
		{ tsh_format_bound, 1000000000, "+-1s" },
		{ tsh_format_bound, 1000000001, "+-1.01s" },
		{ tsh_format_bound, UINT64_MAX, "+-18446744074s" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++)
		check_format(rows[i].format, rows[i].value, rows[i].want);
}

/* Near the value, and a number with a unit that the parsers take. */
static void test_format_random(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	int i;

	(void)state;
	seed = 99;
	for (i = 0; i < 20000; i++) {
		uint64_t value = ((uint64_t)next_random(1 << 24) << 38 | next_random(1 << 24)) >>
				 next_random(62);
		uint64_t back = 0;
		char *blank;

		tsh_strbuf_clear(&sb);
		tsh_format_size(value, &sb);
		assert_int_equal(tsh_parse_size(sb.buf, &back), 0);
		assert_true((back > value ? back - value : value - back) <= value / 18);
		tsh_strbuf_clear(&sb);
		tsh_format_ns(value, &sb);
		blank = strchr(sb.buf, ' ');
		assert_non_null(blank);
		memmove(blank, blank + 1, strlen(blank));
		assert_int_equal(tsh_parse_time(sb.buf, &back), 0);
		assert_true((back > value ? back - value : value - back) <= value / 199);
	}
	tsh_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_s64),
		cmocka_unit_test(test_int),
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_time_blame),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_format_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
