/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "made-page.h"

#include <stdlib.h>

/* Pages that are cut, or hold what no kernel writes. */

static void test_corrupt(void **state)
{
	static const struct {
		uint32_t type, delta, array, words;	/* words that follow */
	} bad[] = {
		{ DATA, 1, 3, 4 },		/* shorter than its length */
		{ DATA, 1, 24, 4 },		/* beyond the end by one word */
		{ DATA, 1, 0xffffffff, 4 },
		{ DATA, 1, 0x80000000, 4 },
		{ PADDING, 5, 0, 4 },
		{ PADDING, 5, 24, 4 },
		{ PADDING, 5, 0xfffffffc, 4 },
		{ 28, 1, 0, 4 },
		{ 6, 1, 0, 4 },
		{ EXTEND, 1, 0, 0 },
	};
	const struct tsh_page_layout *l;
	size_t i;

	(void)state;
	FOR_LAYOUTS(l) {
		for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			struct made *m = make(l, BEGIN);
			struct tsh_page_walk walk;

			put_event(m, 1, 0, 1, 0x33333333);
			put_head(m, bad[i].type, bad[i].delta);
			if (bad[i].words)
				put_word(m, bad[i].array);
			m->n += 4 * bad[i].words;
			walk = begin(m);
			expect(&walk, BEGIN, 4, 0x33);
			expect_end(&walk, true);
		}
	}
}

/* A commit word that says more than the page holds. */
static void test_commit_too_long(void **state)
{
	const struct tsh_page_layout *l;

	(void)state;
	FOR_LAYOUTS(l) {
		struct made *m = make(l, BEGIN);
		struct tsh_page_walk walk;

		put_event(m, 1, 0, 1, 0x44444444);
		put_commit(m, 0x3fffffff | MISSED | STORED);
		assert_true(tsh_page_walk_begin(&walk, l, m->bytes, sizeof(m->bytes)));
		assert_int_equal(walk.lost, TSH_LOST_UNKNOWN);
		expect(&walk, BEGIN, 4, 0x44);
		expect_end(&walk, true);
	}
}

/* A page of every kind of event, cut at every byte: a prefix of the events comes. */
static void test_truncated(void **state)
{
	const struct tsh_page_layout *l;
	size_t len;

	(void)state;
	FOR_LAYOUTS(l) {
		struct made *m = make(l, BEGIN);
		uint64_t stamps[16];
		struct tsh_page_event event;
		struct tsh_page_walk walk;
		size_t n = 0, full, i;

		put_event(m, 3, 0, 3, 1);
		put_head(m, EXTEND, 1);
		put_word(m, 1);
		put_event(m, DATA, 2, 9, 1);
		put_head(m, PADDING, 3);
		put_word(m, 8);
		put_word(m, 0);
		put_head(m, STAMP, 4);
		put_word(m, 4);
		put_event(m, 28, 5, 28, 1);
		walk = begin(m);
		while (tsh_page_walk_next(&walk, &event))
			stamps[n++] = event.stamp;
		assert_int_equal(n, 3);
		assert_false(walk.corrupt);
		full = l->data_offset + m->n;
		for (len = 0; len <= full; len++) {
			unsigned char *copy = malloc(len ? len : 1);

			assert_non_null(copy);
			memcpy(copy, m->bytes, len);
			assert_int_equal(tsh_page_walk_begin(&walk, l, copy, len),
					 len >= l->data_offset);
			if (len >= l->data_offset) {
				for (i = 0; tsh_page_walk_next(&walk, &event); i++) {
					assert_true(i < n);
					assert_int_equal(event.stamp, stamps[i]);
				}
				assert_int_equal(walk.corrupt, len < full);
				assert_true(i == n || len < full);
			}
			free(copy);
		}
	}
}

static uint64_t xorshift(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void test_random(void **state)
{
	unsigned char *block = malloc(1024);
	uint64_t seed = UINT64_C(0x5eed5eed5eed5eed);
	uint64_t sum = 0;
	int round;

	(void)state;
	assert_non_null(block);
	for (round = 0; round < 500000; round++) {
		const struct tsh_page_layout *l = &layouts[round & 3];
		size_t len = xorshift(&seed) % 256 + (round % 64 ? 0 : 700), i;
		unsigned char *page = block + 1024 - len;	/* its end is the block's */
		uint64_t mask = round & 4 ? UINT64_MAX : UINT64_C(0x0000003f0000003f);
		struct tsh_page_event event;
		struct tsh_page_walk walk;

		for (i = 0; i + 8 <= len; i += 8) {
			uint64_t word = xorshift(&seed) & mask;

			memcpy(page + i, &word, 8);
		}
		if (!tsh_page_walk_begin(&walk, l, page, len)) {
			assert_true(len < l->data_offset);
			continue;
		}
		for (i = 0; tsh_page_walk_next(&walk, &event); i++) {
			assert_true(i <= len / 4);
			assert_true(event.data >= page && event.data <= page + len);
			assert_true(event.size <= (size_t)(page + len - event.data));
			if (event.size)
				sum += event.data[0] + event.data[event.size - 1];
		}
		assert_true(walk.pos <= walk.end);
	}
	assert_true(sum > 0);
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_commit_too_long),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
