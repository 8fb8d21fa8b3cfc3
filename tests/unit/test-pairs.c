/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/tally/pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "engine/tally/distribution.h"

static struct tsh_tally_part u(uint64_t n)
{
	return (struct tsh_tally_part){ TSH_TALLY_UNSIGNED, n };
}

static struct tsh_tally_part s(int64_t n)
{
	return (struct tsh_tally_part){ TSH_TALLY_SIGNED, (uint64_t)n };
}

static void begin(struct tsh_pairs *p, uint64_t key, uint64_t stamp, int cpu)
{
	struct tsh_tally_part part = u(key);
	struct tsh_pairs_begin at = { .stamp = stamp, .cpu = cpu, .pid = (int)(key & INT32_MAX) };

	at.with[0] = u(key * 3);
	at.with[1] = u(7);

	tsh_pairs_begin(p, &part, &at);
}

static enum tsh_pairs_end end(struct tsh_pairs *p, uint64_t key, uint64_t stamp,
			      uint64_t *ret_since)
{
	struct tsh_tally_part part = u(key);
	struct tsh_pairs_begin at = { 0 };
	enum tsh_pairs_end r = tsh_pairs_end(p, &part, stamp, &at);

	*ret_since = at.stamp;
	if (r != TSH_PAIRS_NONE) {
		assert_int_equal(at.pid, key & INT32_MAX);
		assert_int_equal(at.with[0].number, key * 3);
		/* no more than was asked for */
		assert_int_equal(at.with[1].number, 0);
	}
	return r;
}

static void an_end_takes_the_begin_of_its_key(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 100, 0);
	const struct tsh_pairs_account *account = tsh_pairs_account(p);
	uint64_t since;

	(void)state;
	begin(p, 1, 10, 0);
	begin(p, 2, 20, 1);
	assert_int_equal(account->open, 2);
	assert_int_equal(end(p, 2, 25, &since), TSH_PAIRS_MADE);
	assert_int_equal(since, 20);
	assert_int_equal(end(p, 2, 26, &since), TSH_PAIRS_NONE);
	assert_int_equal(end(p, 1, 10, &since), TSH_PAIRS_MADE);
	assert_int_equal(since, 10);
	assert_int_equal(end(p, 3, 30, &since), TSH_PAIRS_NONE);
	assert_int_equal(account->made, 2);
	assert_int_equal(account->without_begin, 2);
	assert_int_equal(account->open, 0);
	tsh_pairs_free(p);
}

static void a_second_begin_takes_the_place(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 100, 0);
	uint64_t since;

	(void)state;
	begin(p, 1, 10, 0);
	begin(p, 1, 20, 0);
	assert_int_equal(tsh_pairs_account(p)->open, 1);
	assert_int_equal(tsh_pairs_account(p)->replaced, 1);
	assert_int_equal(end(p, 1, 30, &since), TSH_PAIRS_MADE);
	assert_int_equal(since, 20);
	assert_int_equal(end(p, 1, 30, &since), TSH_PAIRS_NONE);
	tsh_pairs_free(p);
}

/* f(f(f())), and in between what another task calls. */
static void calls_nest(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 3, TSH_PAIRS_NEST);
	uint64_t since;

	(void)state;
	begin(p, 1, 10, 0);
	begin(p, 2, 15, 0);
	begin(p, 1, 20, 0);
	assert_int_equal(end(p, 1, 30, &since), TSH_PAIRS_MADE);
	assert_int_equal(since, 20);
	assert_int_equal(end(p, 1, 40, &since), TSH_PAIRS_MADE);
	assert_int_equal(since, 10);
	assert_int_equal(end(p, 1, 50, &since), TSH_PAIRS_NONE);
	assert_int_equal(tsh_pairs_account(p)->replaced, 0);
	/* the oldest is given up */
	begin(p, 1, 60, 0);
	begin(p, 1, 70, 0);
	begin(p, 1, 80, 0);
	assert_int_equal(tsh_pairs_account(p)->evicted, 1);
	assert_int_equal(end(p, 2, 90, &since), TSH_PAIRS_NONE);
	assert_int_equal(end(p, 1, 90, &since), TSH_PAIRS_MADE);
	assert_int_equal(since, 80);
	assert_int_equal(tsh_pairs_account(p)->open, 2);
	tsh_pairs_free(p);
}

static void a_begin_can_be_dropped(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 100, 0);
	struct tsh_tally_part one = u(1), two = u(2);
	uint64_t since;

	(void)state;
	begin(p, 1, 10, 0);
	tsh_pairs_drop(p, &two);
	assert_int_equal(tsh_pairs_account(p)->dropped, 0);
	tsh_pairs_drop(p, &one);
	assert_int_equal(tsh_pairs_account(p)->dropped, 1);
	assert_int_equal(tsh_pairs_account(p)->open, 0);
	assert_int_equal(end(p, 1, 30, &since), TSH_PAIRS_NONE);
	tsh_pairs_free(p);
}

static void an_end_that_is_older_is_no_pair(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 100, 0);
	uint64_t since;

	(void)state;
	begin(p, 1, 10, 0);
	assert_int_equal(end(p, 1, 9, &since), TSH_PAIRS_BACKWARDS);
	assert_int_equal(end(p, 1, 11, &since), TSH_PAIRS_NONE);
	assert_int_equal(tsh_pairs_account(p)->backwards, 1);
	tsh_pairs_free(p);
}

static void keys_have_all_parts(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(3, 1, 100, 0);
	struct tsh_tally_part a[] = { u(1), u(2), u(3) }, b[] = { u(1), u(2), u(4) };
	struct tsh_tally_part same[] = { s(1), u(2), s(3) }, text[] = { u(1), u(2), u(3) };
	struct tsh_pairs_begin at = { .stamp = 1 };

	(void)state;
	text[0].kind = TSH_TALLY_TEXT;
	tsh_pairs_begin(p, a, &at);
	assert_int_equal(tsh_pairs_end(p, b, 2, &at), TSH_PAIRS_NONE);
	assert_int_equal(tsh_pairs_end(p, text, 2, &at), TSH_PAIRS_NONE);
	/* a pid_t here, an unsigned int there */
	assert_int_equal(tsh_pairs_end(p, same, 2, &at), TSH_PAIRS_MADE);
	a[0] = s(-1);
	b[0] = u(UINT64_MAX);
	b[2] = u(3);
	tsh_pairs_begin(p, a, &at);
	assert_int_equal(tsh_pairs_end(p, b, 2, &at), TSH_PAIRS_NONE);
	assert_int_equal(tsh_pairs_end(p, a, 2, &at), TSH_PAIRS_MADE);
	tsh_pairs_free(p);
}

static void the_oldest_is_given_up(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 1000, 0);
	uint64_t since, i;

	(void)state;
	for (i = 0; i < 1000; i++)
		begin(p, i << 32, i, 0);
	/* the oldest of all is young again */
	begin(p, 0, 5000, 0);
	assert_int_equal(tsh_pairs_account(p)->evicted, 0);
	for (i = 1000; i < 1500; i++)
		begin(p, i << 32, i, 0);
	assert_int_equal(tsh_pairs_account(p)->evicted, 500);
	assert_int_equal(tsh_pairs_account(p)->open, 1000);
	for (i = 0; i < 1500; i++) {
		bool is_there = !i || i > 500;

		assert_int_equal(end(p, i << 32, 6000, &since),
				 is_there ? TSH_PAIRS_MADE : TSH_PAIRS_NONE);
		if (is_there)
			assert_int_equal(since, i ? i : 5000);
	}
	assert_int_equal(tsh_pairs_account(p)->open, 0);
	/* and there is room again */
	for (i = 0; i < 1000; i++)
		begin(p, i, i, 0);
	assert_int_equal(tsh_pairs_account(p)->evicted, 500);
	tsh_pairs_free(p);
}

static void one_begin_is_room_enough(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 1, 0);
	uint64_t since;

	(void)state;
	begin(p, 1, 1, 0);
	begin(p, 2, 2, 0);
	assert_int_equal(end(p, 1, 3, &since), TSH_PAIRS_NONE);
	assert_int_equal(end(p, 2, 3, &since), TSH_PAIRS_MADE);
	tsh_pairs_free(p);
}

static void what_a_loss_is_within_is_unsure(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 100, 0);
	uint64_t since;

	(void)state;
	begin(p, 1, 10, 0);
	begin(p, 2, 10, 1);
	begin(p, 3, 10, 1);
	tsh_pairs_lost(p, 0);
	begin(p, 3, 20, 1);
	begin(p, 4, 20, 0);
	assert_int_equal(end(p, 1, 30, &since), TSH_PAIRS_UNSURE);
	assert_int_equal(since, 10);
	/* its end may have been on the other CPU */
	assert_int_equal(end(p, 2, 30, &since), TSH_PAIRS_UNSURE);
	/* it began again since */
	assert_int_equal(end(p, 3, 30, &since), TSH_PAIRS_MADE);
	assert_int_equal(end(p, 4, 30, &since), TSH_PAIRS_MADE);
	assert_int_equal(tsh_pairs_account(p)->unsure, 2);
	assert_int_equal(tsh_pairs_account(p)->made, 2);
	tsh_pairs_free(p);
}

static void a_loss_is_of_its_cpu_where_pairs_are(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 100, TSH_PAIRS_SAME_CPU);
	uint64_t since;

	(void)state;
	begin(p, 1, 10, 0);
	begin(p, 2, 10, 7);
	tsh_pairs_lost(p, 7);
	assert_int_equal(end(p, 1, 30, &since), TSH_PAIRS_MADE);
	assert_int_equal(end(p, 2, 30, &since), TSH_PAIRS_UNSURE);
	begin(p, 2, 40, 7);
	assert_int_equal(end(p, 2, 50, &since), TSH_PAIRS_MADE);
	tsh_pairs_free(p);
}

/* Against a plain array, with keys that collide and come again. */
static void many_are_as_in_an_array(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 5000, 0);
	static uint64_t stamps[4096];
	uint64_t i, since, random = 1;

	(void)state;
	memset(stamps, 0, sizeof(stamps));
	for (i = 1; i < 200000; i++) {
		uint64_t key;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		key = random >> 52;
		if (random >> 40 & 1) {
			begin(p, key, i, 0);
			stamps[key] = i;
		} else {
			assert_int_equal(end(p, key, i, &since),
					 stamps[key] ? TSH_PAIRS_MADE : TSH_PAIRS_NONE);
			if (stamps[key])
				assert_int_equal(since, stamps[key]);
			stamps[key] = 0;
		}
	}
	tsh_pairs_free(p);
}

/* ---- how numbers are distributed ---- */

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void percentiles_are_at_most_a_sixteenth_too_large(void **state)
{
	static const unsigned int permilles[] = { 1, 10, 500, 900, 990, 999, 1000 };
	static uint64_t numbers[10000];
	struct tsh_distribution spread = { 0 };
	uint64_t random = 7;
	size_t i;

	(void)state;
	for (i = 0; i < 10000; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		/* of all sizes */
		numbers[i] = random >> (random >> 20) % 64;
		tsh_distribution_add(&spread, numbers[i]);
	}
	assert_int_equal(spread.n, 10000);
	qsort(numbers, 10000, sizeof(numbers[0]), compare);
	for (i = 0; i < sizeof(permilles) / sizeof(permilles[0]); i++) {
		uint64_t exact = numbers[permilles[i] * 10 - 1];
		uint64_t got = tsh_distribution_percentile(&spread, permilles[i]);

		assert_true(got >= exact);
		assert_true(got - exact <= exact / 16);
	}
	tsh_distribution_release(&spread);
}

static void powers_of_two_are_counted(void **state)
{
	static const uint64_t numbers[] = { 0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, UINT64_MAX };
	static const struct {
		unsigned int bucket;
		uint64_t count;
	} want[] = {
		{ 0, 2 }, { 1, 2 }, { 2, 2 }, { 3, 2 }, { 4, 2 }, { 5, 1 }, { 6, 0 }, { 63, 1 }
	};
	struct tsh_distribution spread = { 0 };
	size_t i;

	(void)state;
	/* from the largest on, so that room is made below as well */
	for (i = sizeof(numbers) / sizeof(numbers[0]); i-- > 0;)
		tsh_distribution_add(&spread, numbers[i]);
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(tsh_distribution_log2(&spread, want[i].bucket), want[i].count);
	assert_true(tsh_distribution_percentile(&spread, 1000) == UINT64_MAX);
	assert_int_equal(tsh_distribution_percentile(&spread, 1), 0);
	tsh_distribution_release(&spread);
}

static void one_number_is_every_percentile(void **state)
{
	struct tsh_distribution spread = { 0 };

	(void)state;
	tsh_distribution_add(&spread, 9);
	assert_int_equal(tsh_distribution_percentile(&spread, 1), 9);
	assert_int_equal(tsh_distribution_percentile(&spread, 500), 9);
	assert_int_equal(tsh_distribution_percentile(&spread, 999), 9);
	tsh_distribution_release(&spread);
}

static void begins_of_a_task_that_is_gone_have_no_end(void **state)
{
	struct tsh_pairs *p = tsh_pairs_new(1, 1, 100, TSH_PAIRS_NEST);
	struct tsh_tally_part part = u(1);
	uint64_t since;

	(void)state;
	begin(p, 1, 10, 0);
	begin(p, 1, 11, 0);
	begin(p, 2, 12, 0);
	tsh_pairs_forget_before(p, &part, 15);
	assert_int_equal(end(p, 1, 20, &since), TSH_PAIRS_NONE);
	assert_int_equal(end(p, 2, 20, &since), TSH_PAIRS_MADE);
	begin(p, 1, 15, 0);
	tsh_pairs_forget_before(p, &part, 15);
	assert_int_equal(end(p, 1, 21, &since), TSH_PAIRS_MADE);
	assert_int_equal(tsh_pairs_account(p)->open, 0);
	assert_int_equal(tsh_pairs_account(p)->replaced, 2);
	tsh_pairs_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_takes_the_begin_of_its_key),
		cmocka_unit_test(a_second_begin_takes_the_place),
		cmocka_unit_test(calls_nest),
		cmocka_unit_test(a_begin_can_be_dropped),
		cmocka_unit_test(an_end_that_is_older_is_no_pair),
		cmocka_unit_test(keys_have_all_parts),
		cmocka_unit_test(the_oldest_is_given_up),
		cmocka_unit_test(one_begin_is_room_enough),
		cmocka_unit_test(what_a_loss_is_within_is_unsure),
		cmocka_unit_test(a_loss_is_of_its_cpu_where_pairs_are),
		cmocka_unit_test(begins_of_a_task_that_is_gone_have_no_end),
		cmocka_unit_test(many_are_as_in_an_array),
		cmocka_unit_test(percentiles_are_at_most_a_sixteenth_too_large),
		cmocka_unit_test(powers_of_two_are_counted),
		cmocka_unit_test(one_number_is_every_percentile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
