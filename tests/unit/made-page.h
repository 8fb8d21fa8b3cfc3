/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_MADE_PAGE_H
#define TESTS_UNIT_MADE_PAGE_H

#include "events/decode/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

/* Makes a page by hand, for kernels of both byte orders and both sizes of long. */

enum { DATA = 0, PADDING = 29, EXTEND = 30, STAMP = 31 };

#define MISSED	(1U << 31)
#define STORED	(1U << 30)
#define BEGIN	UINT64_C(1000)

static const struct tsh_page_layout layouts[] = {
	{ 8, 16, 1024, false }, { 8, 16, 1024, true },
	{ 4, 12, 1024, false }, { 4, 12, 1024, true },
};

#define FOR_LAYOUTS(l) \
	for (l = layouts; l < layouts + sizeof(layouts) / sizeof(layouts[0]); l++)

struct made {
	const struct tsh_page_layout *layout;
	unsigned char bytes[1024];
	uint32_t n;			/* bytes of data so far */
};

static inline void put(struct made *m, uint32_t at, uint64_t value, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		m->bytes[at + (m->layout->big_endian ? size - 1 - i : i)] =
			(unsigned char)(value >> (8 * i));
}

static inline void put_word(struct made *m, uint32_t word)
{
	put(m, m->layout->data_offset + m->n, word, 4);
	m->n += 4;
}

static inline void put_head(struct made *m, uint32_t type, uint32_t delta)
{
	put_word(m, m->layout->big_endian ? type << 27 | delta : delta << 5 | type);
}

/* Writes the commit word, whose upper half is the kernel's sign extension. */
static inline void put_commit(struct made *m, uint32_t commit)
{
	uint64_t word = commit & MISSED ? UINT64_C(0xffffffff00000000) | commit : commit;

	put(m, 8, word, m->layout->long_size);
}

static inline struct made *make(const struct tsh_page_layout *layout, uint64_t stamp)
{
	static struct made m;

	memset(&m, 0, sizeof(m));
	m.layout = layout;
	put(&m, 0, stamp, 8);
	return &m;
}

/* Adds an event of `words` words, each of which is `fill`. type DATA: the length is in a word of
 * its own. */
static inline void put_event(struct made *m, uint32_t type, uint32_t delta, uint32_t words,
			     uint32_t fill)
{
	put_head(m, type, delta);
	if (type == DATA)
		put_word(m, 4 * words + 4);
	while (words--)
		put_word(m, fill);
}

static inline struct tsh_page_walk begin(struct made *m)
{
	struct tsh_page_walk walk;

	put_commit(m, m->n);
	assert_true(tsh_page_walk_begin(&walk, m->layout, m->bytes, sizeof(m->bytes)));
	assert_int_equal(walk.stamp, BEGIN);
	assert_int_equal(walk.lost, 0);
	return walk;
}

static inline void expect(struct tsh_page_walk *walk, uint64_t stamp, uint32_t size, int fill)
{
	struct tsh_page_event event;
	uint32_t i;

	assert_true(tsh_page_walk_next(walk, &event));
	assert_int_equal(event.stamp, stamp);
	assert_int_equal(event.size, size);
	for (i = 0; i < size; i++)
		assert_int_equal(event.data[i], fill);
}

static inline void expect_end(struct tsh_page_walk *walk, bool corrupt)
{
	struct tsh_page_event event;

	assert_false(tsh_page_walk_next(walk, &event));
	assert_int_equal(walk->corrupt, corrupt);
	assert_false(tsh_page_walk_next(walk, &event));
}

#endif
