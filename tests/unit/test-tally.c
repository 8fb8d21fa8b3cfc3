/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/tally/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tsh_tally_part u(uint64_t n)
{
	return (struct tsh_tally_part){ TSH_TALLY_UNSIGNED, n };
}

static struct tsh_tally_part s(int64_t n)
{
	return (struct tsh_tally_part){ TSH_TALLY_SIGNED, (uint64_t)n };
}

/* ---- rows ---- */

static void equal_keys_are_one_row(void **state)
{
	struct tsh_tally *t = tsh_tally_new(2, 0, 100);
	struct tsh_tally_part a[] = { u(1), u(2) }, b[] = { u(2), u(1) }, c[] = { u(1), s(2) },
			      d[] = { u(1), s(-1) }, e[] = { u(1), u(UINT64_MAX) };
	size_t row = tsh_tally_add(t, a);

	(void)state;
	assert_int_equal(row, 1);
	assert_int_equal(tsh_tally_add(t, a), row);
	assert_int_equal(tsh_tally_add(t, b), 2);
	/* One number is one key, whatever type it was read by; a negative one is no large one. */
	assert_int_equal(tsh_tally_add(t, c), row);
	assert_int_equal(tsh_tally_add(t, d), 3);
	assert_int_equal(tsh_tally_add(t, e), 4);
	assert_int_equal(tsh_tally_count(t, row), 3);
	assert_int_equal(tsh_tally_count(t, 2), 1);
	assert_int_equal(tsh_tally_rows(t), 5);
	assert_int_equal(tsh_tally_part(t, 2, 0).number, 2);
	tsh_tally_free(t);
}

static void what_finds_no_room_is_other(void **state)
{
	struct tsh_tally *t = tsh_tally_new(1, 1, 1000);
	uint64_t i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		struct tsh_tally_part key = u(i * 4096);
		size_t row = tsh_tally_add(t, &key);

		assert_int_equal(row, i < 1000 ? i + 1 : TSH_TALLY_OTHER);
		tsh_tally_add_value(t, row, 0, 1, false);
	}
	for (i = 0; i < 1000; i++) {
		struct tsh_tally_part key = u(i * 4096);

		assert_int_equal(tsh_tally_add(t, &key), i + 1);
	}
	assert_int_equal(tsh_tally_rows(t), 1001);
	assert_int_equal(tsh_tally_count(t, TSH_TALLY_OTHER), 2000);
	assert_int_equal(tsh_tally_sum(t, TSH_TALLY_OTHER, 0)->low, 2000);
	tsh_tally_free(t);
}

static void texts_are_kept_once_and_bounded(void **state)
{
	struct tsh_tally *t = tsh_tally_new(1, 0, 500);
	struct tsh_tally_part part;
	char text[TSH_TALLY_TEXT_MAX + 20];
	size_t i, len;

	(void)state;
	for (i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "task number %zu", i);
		part = tsh_tally_text(t, text, strlen(text));
		assert_int_equal(part.kind, i < 500 ? TSH_TALLY_TEXT : TSH_TALLY_NO_ROOM);
		tsh_tally_add(t, &part);
	}
	assert_int_equal(tsh_tally_count(t, TSH_TALLY_OTHER), 500);
	part = tsh_tally_text(t, "task number 7", 13);
	assert_int_equal(tsh_tally_add(t, &part), 8);
	assert_string_equal(tsh_tally_text_of(t, part.number, &len), "task number 7");
	assert_int_equal(len, 13);
	tsh_tally_free(t);

	t = tsh_tally_new(1, 0, 10);
	memset(text, 'x', sizeof(text));
	part = tsh_tally_text(t, text, sizeof(text));
	tsh_tally_text_of(t, part.number, &len);
	assert_int_equal(len, TSH_TALLY_TEXT_MAX);
	part = tsh_tally_text(t, "a\0b", 3);
	assert_memory_equal(tsh_tally_text_of(t, part.number, &len), "a\0b", 4);
	assert_true(part.number != tsh_tally_text(t, "a\0c", 3).number);
	part = tsh_tally_text(t, "", 0);
	assert_string_equal(tsh_tally_text_of(t, part.number, &len), "");
	tsh_tally_free(t);
}

/* ---- sums ---- */

static void check_total(const struct tsh_tally_sum *sum, const char *text)
{
	char room[TSH_TALLY_TOTAL_LEN];

	assert_string_equal(tsh_tally_total_text(sum, room), text);
}

static void check_average(const struct tsh_tally_sum *sum, const char *text)
{
	char room[TSH_TALLY_TOTAL_LEN];

	assert_string_equal(tsh_tally_average_text(sum, room), text);
}

static void averages_are_exact(void **state)
{
	struct tsh_tally *t = tsh_tally_new(1, 5, 10);
	struct tsh_tally_part key = u(0);
	size_t row = tsh_tally_add(t, &key);

	(void)state;
	/* a double has 53 bits */
	tsh_tally_add_value(t, row, 0, UINT64_MAX, false);
	check_average(tsh_tally_sum(t, row, 0), "18446744073709551615.00");
	tsh_tally_add_value(t, row, 0, UINT64_MAX - 1, false);
	check_average(tsh_tally_sum(t, row, 0), "18446744073709551614.50");
	tsh_tally_add_value(t, row, 1, (uint64_t)INT64_MIN, true);
	tsh_tally_add_value(t, row, 1, (uint64_t)INT64_MIN + 1, true);
	tsh_tally_add_value(t, row, 1, (uint64_t)INT64_MIN + 1, true);
	check_average(tsh_tally_sum(t, row, 1), "-9223372036854775807.33");
	/* what rounds to nothing has no sign */
	tsh_tally_add_value(t, row, 2, (uint64_t)-1, true);
	for (int i = 0; i < 299; i++)
		tsh_tally_add_value(t, row, 2, 0, true);
	check_average(tsh_tally_sum(t, row, 2), "0.00");
	tsh_tally_add_value(t, row, 3, 7, false);
	tsh_tally_add_value(t, row, 3, 0, false);
	tsh_tally_add_value(t, row, 3, 0, false);
	check_average(tsh_tally_sum(t, row, 3), "2.33");
	check_average(tsh_tally_sum(t, row, 4), "0.00");
	tsh_tally_free(t);
}

static void sums_have_signs_and_128_bits(void **state)
{
	struct tsh_tally *t = tsh_tally_new(1, 3, 10);
	struct tsh_tally_part key = u(0);
	const struct tsh_tally_sum *sum;
	struct tsh_tally_number n;
	size_t row = tsh_tally_add(t, &key);

	(void)state;
	tsh_tally_add_value(t, row, 0, (uint64_t)-5, true);
	tsh_tally_add_value(t, row, 0, 3, true);
	sum = tsh_tally_sum(t, row, 0);
	assert_true(tsh_tally_total(sum, &n));
	assert_true(n.is_negative && n.bits == (uint64_t)-2);
	assert_true(tsh_tally_average(sum) == -1.0);
	check_total(sum, "-2");
	assert_true(sum->min.is_negative && sum->min.bits == (uint64_t)-5);
	assert_true(!sum->max.is_negative && sum->max.bits == 3);

	tsh_tally_add_value(t, row, 1, UINT64_MAX, false);
	assert_true(tsh_tally_total(tsh_tally_sum(t, row, 1), &n));
	assert_true(!n.is_negative && n.bits == UINT64_MAX);
	tsh_tally_add_value(t, row, 1, UINT64_MAX, false);
	assert_false(tsh_tally_total(tsh_tally_sum(t, row, 1), &n));
	assert_true(tsh_tally_average(tsh_tally_sum(t, row, 1)) == 18446744073709551616.0);
	check_total(tsh_tally_sum(t, row, 1), "36893488147419103230");
	tsh_tally_add_value(t, row, 1, (uint64_t)INT64_MIN, true);
	tsh_tally_add_value(t, row, 1, (uint64_t)INT64_MIN, true);
	assert_true(tsh_tally_total(tsh_tally_sum(t, row, 1), &n));
	assert_true(!n.is_negative && n.bits == UINT64_MAX - 1);

	tsh_tally_add_value(t, row, 2, (uint64_t)INT64_MIN, true);
	tsh_tally_add_value(t, row, 2, (uint64_t)INT64_MIN, true);
	assert_false(tsh_tally_total(tsh_tally_sum(t, row, 2), &n));
	assert_true(n.is_negative && n.bits == (uint64_t)INT64_MIN);
	check_total(tsh_tally_sum(t, row, 2), "-18446744073709551616");
	check_total(&(struct tsh_tally_sum){ .n = 1 }, "0");
	check_total(&(struct tsh_tally_sum){ .n = 1, .high = INT64_MIN }, "-170141183460469231731687303715884105728");
	tsh_tally_free(t);
}

/* ---- order ---- */

static void rows_are_in_order(void **state)
{
	static const int64_t keys[] = { 7, -3, 7, 12, -3, 7, 0, 5 };
	static const int64_t by_count[] = { 7, -3, 0, 5, 12 }, by_key[] = { -3, 0, 5, 7, 12 },
			     by_max[] = { 5, 0, 7, -3, 12 };
	struct tsh_tally *t = tsh_tally_new(1, 1, 10);
	size_t *rows, n, i;

	(void)state;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct tsh_tally_part key = s(keys[i]);
		size_t row = tsh_tally_add(t, &key);

		if (keys[i] != 12)
			tsh_tally_add_value(t, row, 0, i, false);
	}
	rows = tsh_tally_order(t, TSH_TALLY_BY_COUNT, 0, &n);
	assert_int_equal(n, 5);
	for (i = 0; i < n; i++)
		assert_int_equal((int64_t)tsh_tally_part(t, rows[i], 0).number, by_count[i]);
	free(rows);
	rows = tsh_tally_order(t, TSH_TALLY_BY_KEY, 0, &n);
	for (i = 0; i < n; i++)
		assert_int_equal((int64_t)tsh_tally_part(t, rows[i], 0).number, by_key[i]);
	free(rows);
	rows = tsh_tally_order(t, TSH_TALLY_BY_MAX, 0, &n);
	for (i = 0; i < n; i++)
		assert_int_equal((int64_t)tsh_tally_part(t, rows[i], 0).number, by_max[i]);
	free(rows);
	tsh_tally_free(t);
}

static void texts_are_in_order(void **state)
{
	static const char *const names[] = { "cat", "ls", "ca", "sh" };
	static const char *const sorted[] = { "ca", "cat", "ls", "sh" };
	struct tsh_tally *t = tsh_tally_new(1, 0, 10);
	size_t *rows, n, i, len;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct tsh_tally_part key = tsh_tally_text(t, names[i], strlen(names[i]));

		tsh_tally_add(t, &key);
	}
	rows = tsh_tally_order(t, TSH_TALLY_BY_COUNT, 0, &n);
	for (i = 0; i < n; i++)
		assert_string_equal(tsh_tally_text_of(t, tsh_tally_part(t, rows[i], 0).number,
						      &len),
				    sorted[i]);
	free(rows);
	tsh_tally_free(t);
}

static void groups_differ_in_all_but_the_last(void **state)
{
	static const uint64_t keys[][2] = { { 1, 9 }, { 2, 4 }, { 2, 1 },
					    { 1, 9 }, { 2, 4 }, { 3, 0 } };
	struct tsh_tally *t = tsh_tally_new(2, 0, 10);
	struct tsh_tally_group *groups;
	size_t *rows, n, i;

	(void)state;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct tsh_tally_part key[] = { u(keys[i][0]), u(keys[i][1]) };

		tsh_tally_add(t, key);
	}
	groups = tsh_tally_groups(t, &rows, &n);
	assert_int_equal(n, 3);
	assert_int_equal(groups[0].count, 3);
	assert_int_equal(groups[0].n, 2);
	assert_int_equal(tsh_tally_part(t, rows[groups[0].first], 0).number, 2);
	assert_int_equal(tsh_tally_part(t, rows[groups[0].first], 1).number, 1);
	assert_int_equal(tsh_tally_part(t, rows[groups[0].first + 1], 1).number, 4);
	assert_int_equal(groups[1].count, 2);
	assert_int_equal(groups[2].count, 1);
	free(groups);
	free(rows);
	tsh_tally_free(t);
}

/* ---- buckets ---- */

static void buckets_of_powers_of_two(void **state)
{
	struct tsh_tally_number low, high;
	int bucket;

	(void)state;
	assert_int_equal(tsh_tally_log2(0, false), 0);
	assert_int_equal(tsh_tally_log2(1, false), 0);
	assert_int_equal(tsh_tally_log2((uint64_t)-1, true), TSH_TALLY_NEGATIVE);
	assert_int_equal(tsh_tally_log2((uint64_t)-1, false), 63);
	for (bucket = 0; bucket < 64; bucket++) {
		tsh_tally_log2_range(bucket, &low, &high);
		assert_int_equal(tsh_tally_log2(low.bits, false), bucket);
		assert_int_equal(tsh_tally_log2(high.bits, false), bucket);
		if (bucket)
			assert_int_equal(tsh_tally_log2(low.bits - 1, false), bucket - 1);
	}
	assert_true(high.bits == UINT64_MAX);
	tsh_tally_log2_range(TSH_TALLY_NEGATIVE, &low, &high);
	assert_true(low.is_negative && high.is_negative && high.bits == UINT64_MAX);
}

/* Every number lies in the range of its bucket, which is as wide as it should be. */
static void check_linear(uint64_t number, bool is_signed, uint64_t width)
{
	struct tsh_tally_part bucket = tsh_tally_linear(number, is_signed, width);
	struct tsh_tally_number low, high;

	tsh_tally_linear_range(bucket, width, &low, &high);
	if (is_signed && (int64_t)number < 0) {
		assert_true(low.is_negative && high.is_negative);
		assert_true((int64_t)low.bits <= (int64_t)number &&
			    (int64_t)number <= (int64_t)high.bits);
		assert_true((int64_t)low.bits == INT64_MIN || high.bits - low.bits == width - 1);
	} else {
		assert_false(low.is_negative || high.is_negative);
		assert_true(low.bits <= number && number <= high.bits);
		assert_true(high.bits == UINT64_MAX || high.bits - low.bits == width - 1);
	}
}

static void buckets_of_steps(void **state)
{
	static const uint64_t numbers[] = { 0,
					    1,
					    9,
					    10,
					    11,
					    99,
					    100,
					    (uint64_t)-1,
					    (uint64_t)-9,
					    (uint64_t)-10,
					    (uint64_t)-11,
					    (uint64_t)-100,
					    INT64_MAX,
					    (uint64_t)INT64_MIN,
					    (uint64_t)INT64_MIN + 1,
					    1 << 20 };
	static const uint64_t widths[] = { 1, 2, 7, 10, 100, 4096, INT64_MAX, UINT64_MAX };
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		for (j = 0; j < sizeof(widths) / sizeof(widths[0]); j++) {
			check_linear(numbers[i], false, widths[j]);
			check_linear(numbers[i], true, widths[j]);
		}
	assert_int_equal((int64_t)tsh_tally_linear((uint64_t)-1, true, 10).number, -1);
	assert_int_equal((int64_t)tsh_tally_linear((uint64_t)-10, true, 10).number, -1);
	assert_int_equal((int64_t)tsh_tally_linear((uint64_t)-11, true, 10).number, -2);
	assert_int_equal(tsh_tally_linear(9, true, 10).number, 0);
}

static void percentiles_are_of_the_nearest_rank(void **state)
{
	static const uint64_t tens[] = { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 }, one[] = { 1 },
			      two[] = { 0, 99, 0, 1 }, three[] = { 98, 1, 1 };
	static const uint64_t huge[] = { UINT64_MAX / 4, UINT64_MAX / 4, UINT64_MAX / 4 };

	(void)state;
	assert_int_equal(tsh_tally_percentile(tens, 10, 50), 4);
	assert_int_equal(tsh_tally_percentile(tens, 10, 51), 5);
	assert_int_equal(tsh_tally_percentile(tens, 10, 90), 8);
	assert_int_equal(tsh_tally_percentile(tens, 10, 99), 9);
	assert_int_equal(tsh_tally_percentile(one, 1, 50), 0);
	assert_int_equal(tsh_tally_percentile(two, 4, 1), 1);
	assert_int_equal(tsh_tally_percentile(two, 4, 99), 1);
	assert_int_equal(tsh_tally_percentile(two, 4, 100), 3);
	assert_int_equal(tsh_tally_percentile(three, 3, 98), 0);
	assert_int_equal(tsh_tally_percentile(three, 3, 99), 1);
	assert_int_equal(tsh_tally_percentile(huge, 3, 50), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_are_one_row),
		cmocka_unit_test(what_finds_no_room_is_other),
		cmocka_unit_test(texts_are_kept_once_and_bounded),
		cmocka_unit_test(averages_are_exact),
		cmocka_unit_test(sums_have_signs_and_128_bits),
		cmocka_unit_test(rows_are_in_order),
		cmocka_unit_test(texts_are_in_order),
		cmocka_unit_test(groups_differ_in_all_but_the_last),
		cmocka_unit_test(buckets_of_powers_of_two),
		cmocka_unit_test(buckets_of_steps),
		cmocka_unit_test(percentiles_are_of_the_nearest_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
