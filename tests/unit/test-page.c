/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "made-page.h"

#include <errno.h>
#include <stdlib.h>

/* ---- good pages ---- */

static void test_empty(void **state)
{
	const struct tsh_page_layout *l;

	(void)state;
	FOR_LAYOUTS(l) {
		struct made *m = make(l, BEGIN);
		struct tsh_page_walk walk = begin(m);

		expect_end(&walk, false);
	}
}

static void test_data(void **state)
{
	const struct tsh_page_layout *l;
	uint32_t i;

	(void)state;
	FOR_LAYOUTS(l) {
		struct made *m = make(l, BEGIN);
		struct tsh_page_walk walk;

		for (i = 1; i <= 18; i++)
			put_event(m, i, i == 1 ? 0 : 5, i, 0x01010101 * i);
		walk = begin(m);
		for (i = 1; i <= 18; i++)
			expect(&walk, BEGIN + 5 * (i - 1), 4 * i, (int)i);
		expect_end(&walk, false);

		m = make(l, BEGIN);
		put_event(m, 28, 0x7ffffff, 28, 0x77777777);
		put_event(m, DATA, 1, 0, 0);
		put_event(m, DATA, 2, 1, 0x88888888);
		put_event(m, DATA, 3, 60, 0x99999999);
		put_event(m, 19, 4, 19, 0x55555555);
		walk = begin(m);
		expect(&walk, BEGIN + 0x7ffffff, 112, 0x77);
		expect(&walk, BEGIN + 0x8000000, 0, 0);
		expect(&walk, BEGIN + 0x8000002, 4, 0x88);
		expect(&walk, BEGIN + 0x8000005, 240, 0x99);
		expect(&walk, BEGIN + 0x8000009, 76, 0x55);
		expect_end(&walk, false);
	}
}

/* An event that fills the page to its last byte. */
static void test_full(void **state)
{
	const struct tsh_page_layout *l;

	(void)state;
	FOR_LAYOUTS(l) {
		uint32_t words = (l->page_size - l->data_offset - 8) / 4;
		struct made *m = make(l, BEGIN);
		struct tsh_page_walk walk;

		put_event(m, DATA, 0, words, 0x11111111);
		walk = begin(m);
		expect(&walk, BEGIN, 4 * words, 0x11);
		expect_end(&walk, false);
	}
}

static void test_times(void **state)
{
	const struct tsh_page_layout *l;

	(void)state;
	FOR_LAYOUTS(l) {
		struct made *m = make(l, BEGIN);
		struct tsh_page_walk walk;

		put_event(m, 1, 0, 1, 0);
		put_head(m, EXTEND, 7);
		put_word(m, 3);
		put_event(m, 1, 2, 1, 0);
		put_head(m, STAMP, 9);
		put_word(m, 5);
		put_event(m, 1, 0, 1, 0);
		put_event(m, 1, 6, 1, 0);
		put_head(m, STAMP, 1);	/* backwards, and the top bits are zero: so be it */
		put_word(m, 0);
		put_event(m, 1, 0, 1, 0);
		walk = begin(m);
		expect(&walk, BEGIN, 4, 0);
		expect(&walk, BEGIN + 9 + (UINT64_C(3) << 27), 4, 0);
		expect(&walk, 9 + (UINT64_C(5) << 27), 4, 0);
		expect(&walk, 15 + (UINT64_C(5) << 27), 4, 0);
		expect(&walk, 1, 4, 0);
		expect_end(&walk, false);
	}
}

static void test_top_bits(void **state)
{
	const uint64_t top = UINT64_C(0x1f) << 59, almost = UINT64_C(0x17ffffffffffff00);
	const struct tsh_page_layout *l;

	(void)state;
	FOR_LAYOUTS(l) {
		struct made *m = make(l, top | 500);
		struct tsh_page_event event;
		struct tsh_page_walk walk;

		put_head(m, STAMP, 600);
		put_word(m, 0);
		put_event(m, 1, 0, 1, 0);
		put_commit(m, m->n);
		assert_true(tsh_page_walk_begin(&walk, l, m->bytes, sizeof(m->bytes)));
		assert_true(tsh_page_walk_next(&walk, &event));
		assert_int_equal(event.stamp, top | 600);

		/* The low 59 bits began anew since the page did. */
		m = make(l, almost);
		put_head(m, STAMP, 3);
		put_word(m, 0);
		put_event(m, 1, 0, 1, 0);
		put_commit(m, m->n);
		assert_true(tsh_page_walk_begin(&walk, l, m->bytes, sizeof(m->bytes)));
		assert_true(tsh_page_walk_next(&walk, &event));
		assert_int_equal(event.stamp, UINT64_C(0x1800000000000003));
	}
}

static void test_padding(void **state)
{
	const struct tsh_page_layout *l;

	(void)state;
	FOR_LAYOUTS(l) {
		struct made *m = make(l, BEGIN);
		struct tsh_page_walk walk;

		put_event(m, 1, 0, 1, 0);
		put_head(m, PADDING, 40);	/* a discarded event: its time counts */
		put_word(m, 12);
		put_word(m, 0xffffffff);
		put_word(m, 0xffffffff);
		put_event(m, 1, 2, 1, 0);
		put_head(m, PADDING, 1);	/* 1 is no time */
		put_word(m, 4);
		put_event(m, 2, 3, 2, 0);
		put_head(m, PADDING, 0);	/* the end */
		put_word(m, 0xffffffff);
		put_word(m, 0xffffffff);
		walk = begin(m);
		expect(&walk, BEGIN, 4, 0);
		expect(&walk, BEGIN + 42, 4, 0);
		expect(&walk, BEGIN + 45, 8, 0);
		expect_end(&walk, false);
		walk = begin(m);	/* as the kernel's own readers have it */
		walk.skips_discarded = true;
		expect(&walk, BEGIN, 4, 0);
		expect(&walk, BEGIN + 2, 4, 0);
		expect(&walk, BEGIN + 5, 8, 0);
		expect_end(&walk, false);
		/* without room for a second word */
		m = make(l, BEGIN);
		put_head(m, PADDING, 0);
		walk = begin(m);
		expect_end(&walk, false);
	}
}

static void test_zero_tail(void **state)
{
	const struct tsh_page_layout *l;
	uint32_t tail;

	(void)state;
	FOR_LAYOUTS(l) {
		for (tail = 4; tail <= 64; tail += 4) {
			struct made *m = make(l, BEGIN);
			struct tsh_page_walk walk;

			put_event(m, 1, 0, 1, 0x22222222);
			m->n += tail;
			walk = begin(m);
			expect(&walk, BEGIN, 4, 0x22);
			expect_end(&walk, false);
		}
	}
}

/* ---- lost events ---- */

static uint64_t lost(struct made *m, uint32_t commit, size_t len)
{
	struct tsh_page_walk walk;
	struct tsh_page_event event;

	put_commit(m, commit);
	assert_true(tsh_page_walk_begin(&walk, m->layout, m->bytes, len));
	assert_true(tsh_page_walk_next(&walk, &event));
	assert_false(tsh_page_walk_next(&walk, &event));
	assert_false(walk.corrupt);
	return walk.lost;
}

static void test_lost(void **state)
{
	const struct tsh_page_layout *l;

	(void)state;
	FOR_LAYOUTS(l) {
		struct made *m = make(l, BEGIN);
		uint32_t at = l->data_offset + 8, room = l->page_size - l->data_offset;
		uint64_t many = l->long_size == 8 ? UINT64_C(0x123456789a) : 0xfffffff0U;

		put_event(m, 1, 0, 1, 0);
		put(m, at, many, l->long_size);
		assert_int_equal(lost(m, 8, 1024), 0);
		assert_int_equal(lost(m, 8 | STORED, 1024), 0);
		assert_int_equal(lost(m, 8 | MISSED, 1024), TSH_LOST_UNKNOWN);
		assert_int_equal(lost(m, 8 | MISSED | STORED, 1024), many);
		assert_int_equal(lost(m, 8 | MISSED | STORED, at + l->long_size), many);
		assert_int_equal(lost(m, 8 | MISSED | STORED, at + l->long_size - 1),
				 TSH_LOST_UNKNOWN);
		/* an event up to the end leaves no room for the number */
		m = make(l, BEGIN);
		put_event(m, DATA, 0, room / 4 - 2, 0);
		assert_int_equal(lost(m, room | MISSED | STORED, 1024), TSH_LOST_UNKNOWN);
		/* what comes first may be no event: the loss is not forgotten */
		m = make(l, BEGIN);
		put_head(m, STAMP, 1);
		put_word(m, 1);
		put_event(m, 1, 0, 1, 0);
		put(m, l->data_offset + m->n, 77, l->long_size);
		assert_int_equal(lost(m, m->n | MISSED | STORED, 1024), 77);
	}
}

/* ---- header_page ---- */

static const char header_64[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static int parse(const char *text, struct tsh_page_layout *ret)
{
	return tsh_page_layout_parse(ret, text, strlen(text));
}

static void test_layout(void **state)
{
	struct tsh_page_layout l;
	const uint16_t one = 1;

	(void)state;
	assert_int_equal(parse(header_64, &l), 0);
	assert_int_equal(l.long_size, 8);
	assert_int_equal(l.data_offset, 16);
	assert_int_equal(l.page_size, 4096);
	assert_int_equal(l.big_endian, !*(const unsigned char *)&one);
	/* a 32-bit kernel, and 64 KB sub-buffers; no `signed`, as before 2.6.30 */
	assert_int_equal(parse("field: u64 timestamp;\toffset:0;\tsize:8;\n"
			       "field: local_t commit;\toffset:8;\tsize:4;\n"
			       "field: char data;\toffset:12;\tsize:65524;", &l), 0);
	assert_int_equal(l.long_size, 4);
	assert_int_equal(l.data_offset, 12);
	assert_int_equal(l.page_size, 65536);
}

/* What the kernels of a machine had (bytes / room, rounded up) is never more. */
static void test_pages_of_a_buffer(void **state)
{
	struct tsh_page_layout l = { .long_size = 8, .data_offset = 16, .page_size = 4096 };

	(void)state;
	assert_int_equal(tsh_page_layout_pages(&l, 1408), 354 + 2);
	/* 16 MB are not 4,096 pages. */
	assert_int_equal(tsh_page_layout_pages(&l, 16384), 4113 + 2);
	/* of 8,200 bytes the file says 8 */
	assert_int_equal(tsh_page_layout_pages(&l, 8), 3 + 2);
	l.page_size = 65536;
	assert_int_equal(tsh_page_layout_pages(&l, 16384), 257 + 2);
}

static void test_bad_layout(void **state)
{
	static const char *const lines[][3] = {
		{ "timestamp;\toffset:0;\tsize:8;", "commit;\toffset:8;\tsize:8;",
		  "data;\toffset:16;\tsize:1000;" },
		{ "timestamp;\toffset:0;\tsize:8;", "commit;\toffset:8;\tsize:8;",
		  "data;\toffset:16;\tsize:2097137;" },
		{ "timestamp;\toffset:0;\tsize:8;", "commit;\toffset:8;\tsize:8;",
		  "data;\toffset:16;\tsize:99999999999999999999999;" },
		{ "timestamp;\toffset:0;\tsize:8;", "commit;\toffset:8;\tsize:8;",
		  "data;\toffset:12;\tsize:4080;" },
		{ "timestamp;\toffset:0;\tsize:8;", "commit;\toffset:8;\tsize:2;",
		  "data;\toffset:16;\tsize:4080;" },
		{ "timestamp;\toffset:0;\tsize:8;", "commit;\toffset:8;",
		  "data;\toffset:16;\tsize:4080;" },
		{ "timestamp;\toffset:0;\tsize:4;", "commit;\toffset:8;\tsize:8;",
		  "data;\toffset:16;\tsize:4080;" },
		{ "timestamp;\toffset:0;\tsize:8;", "commit;\toffset:-8;\tsize:8;",
		  "data;\toffset:16;\tsize:4080;" },
		{ "time;\toffset:0;\tsize:8;", "commit;\toffset:8;\tsize:8;",
		  "data;\toffset:16;\tsize:4080;" },
	};
	struct tsh_page_layout l = { 1, 2, 3, false };
	char text[512];
	size_t i;

	(void)state;
	assert_int_equal(parse("", &l), -EINVAL);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t len = 0, k;

		for (k = 0; k < 3; k++) {
			size_t n = strlen(lines[i][k]);

			memcpy(text + len, "\tfield: u64 ", 12);
			memcpy(text + len + 12, lines[i][k], n);
			len += 12 + n;
			text[len++] = '\n';
		}
		assert_int_equal(tsh_page_layout_parse(&l, text, len), -EINVAL);
	}
	assert_int_equal(l.page_size, 3);
	/* every prefix, without a NUL behind it */
	for (i = 0; i < sizeof(header_64) - 1; i++) {
		char *copy = malloc(i ? i : 1);

		assert_non_null(copy);
		memcpy(copy, header_64, i);
		if (!tsh_page_layout_parse(&l, copy, i))
			assert_true(i > 160);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_top_bits),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_zero_tail),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_pages_of_a_buffer),
		cmocka_unit_test(test_bad_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
