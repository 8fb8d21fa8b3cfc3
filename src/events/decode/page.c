/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page.h"

#include <errno.h>
#include <string.h>

#include "base/load.h"

/* kernel/trace/ring_buffer.c; readers of the kernel use 27 bits for the length */
#define COMMIT_LENGTH		0x07ffffffU
#define COMMIT_MISSED_STORED	(1U << 30)
#define COMMIT_MISSED_EVENTS	(1U << 31)

enum {
	TYPE_DATA_MAX	= TSH_PAGE_WORDS_MAX,
	TYPE_PADDING	= 29,
	TYPE_EXTEND	= 30,
	TYPE_STAMP	= 31,
};

#define DELTA_BITS	27
/* Selects the upper 5 bits of a stamp, which a TYPE_STAMP of 59 bits does not hold (TS_MSB). */
#define STAMP_TOP	(UINT64_C(0xf8) << 56)

#define PAGE_MIN	1024U
#define PAGE_MAX	(2U << 20)

/* ---- header_page ---- */

/* Returns the 123 of a "NAME:123" anywhere in a line; -1 when there is none. */
static long number_after(const char *line, size_t len, const char *name)
{
	const char *end = line + len;
	const char *p = memmem(line, len, name, strlen(name));
	long value = 0;

	if (!p)
		return -1;
	p += strlen(name);
	if (p == end || *p < '0' || *p > '9')
		return -1;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (*p - '0');
		if (value > (long)PAGE_MAX)
			return -1;
	}
	return value;
}

/* Finds the offset and size of the field whose declaration ends in `name`, such as " data;". */
static bool find_member(const char *text, size_t len, const char *name, long *ret_offset,
			long *ret_size)
{
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t line = (size_t)((newline ? newline : end) - p);

		if (memmem(p, line, "field:", 6) && memmem(p, line, name, strlen(name))) {
			*ret_offset = number_after(p, line, "offset:");
			*ret_size = number_after(p, line, "size:");
			return *ret_offset >= 0 && *ret_size >= 0;
		}
		p += line + 1;
	}
	return false;
}

int tsh_page_layout_parse(struct tsh_page_layout *layout, const char *text, size_t len)
{
	long offset, size, long_size;

	if (!find_member(text, len, " timestamp;", &offset, &size) || offset != 0 || size != 8)
		return -EINVAL;
	if (!find_member(text, len, " commit;", &offset, &long_size) || offset != 8 ||
	    (long_size != 4 && long_size != 8))
		return -EINVAL;
	if (!find_member(text, len, " data;", &offset, &size) || offset < 8 + long_size ||
	    offset > 64 || offset + size < (long)PAGE_MIN || offset + size > (long)PAGE_MAX)
		return -EINVAL;
	layout->long_size = (unsigned int)long_size;
	layout->data_offset = (unsigned int)offset;
	layout->page_size = (unsigned int)(offset + size);
	layout->big_endian = TSH_HOST_BIG_ENDIAN;
	return 0;
}

uint64_t tsh_page_layout_pages(const struct tsh_page_layout *layout, uint64_t kb)
{
	uint64_t room = layout->page_size - layout->data_offset;

	return ((kb + 1) * 1024 + room - 1) / room + 2;
}

/* ---- the walk ---- */

/* Is one less than the bytes that a small event has at most. */
#define SMALL_MAX (4 * TSH_PAGE_WORDS_MAX + 3)

bool tsh_page_walk_begin(struct tsh_page_walk *walk, const struct tsh_page_layout *layout,
			 const unsigned char *page, size_t len)
{
	uint32_t commit, length, room;

	if (len < layout->data_offset || len < 8 + layout->long_size)
		return false;
	if (len > layout->page_size)
		len = layout->page_size;
	/* Uses only the lower half: for the flags the kernel adds a negative int to a long, so that
	 * the upper half is all ones. */
	commit = load_u32(page + 8 + (layout->big_endian ? layout->long_size - 4 : 0),
			  layout->big_endian);
	length = commit & COMMIT_LENGTH;
	room = (uint32_t)(len - layout->data_offset);
	walk->data = page + layout->data_offset;
	walk->pos = 0;
	walk->end = length < room ? length : room;
	walk->quick_end = layout->big_endian == TSH_HOST_BIG_ENDIAN && walk->end > SMALL_MAX ?
			  walk->end - SMALL_MAX : 0;
	walk->stamp = load_u64(page, layout->big_endian);
	walk->lost = 0;
	walk->big_endian = layout->big_endian;
	/* A page that was cut is good up to its end. */
	walk->corrupt = length > room;
	walk->skips_discarded = false;
	if (commit & COMMIT_MISSED_EVENTS) {
		walk->lost = TSH_LOST_UNKNOWN;
		if ((commit & COMMIT_MISSED_STORED) && length <= room &&
		    room - length >= layout->long_size)
			walk->lost = load_unsigned(walk->data + length, layout->long_size,
						   layout->big_endian);
	}
	return true;
}

static bool end_walk(struct tsh_page_walk *walk, bool corrupt)
{
	walk->corrupt |= corrupt;
	walk->pos = walk->end;
	return false;
}

/* Restores the upper bits of a stamp (rb_fix_abs_ts): the clock has more bits than fit, and they
 * may have changed since the last stamp. */
static uint64_t absolute_stamp(uint64_t stamp, uint64_t before)
{
	if (before & STAMP_TOP) {
		stamp |= before & STAMP_TOP;
		if (stamp < before)
			stamp += UINT64_C(1) << 59;
	}
	return stamp;
}

bool tsh_page_walk_next_(struct tsh_page_walk *walk, struct tsh_page_event *ret)
{
	for (;;) {
		const unsigned char *p = walk->data + walk->pos;
		uint32_t left = walk->end - walk->pos;
		uint32_t word, type, delta, array, size;

		if (!left)
			return false;
		if (left < 4)
			return end_walk(walk, true);
		word = load_u32(p, walk->big_endian);
		type = walk->big_endian ? word >> DELTA_BITS : word & 31;
		delta = walk->big_endian ? word & ((1U << DELTA_BITS) - 1) : word >> 5;
		if (type > 0 && type <= TYPE_DATA_MAX) {
			size = 4 * type;
			if (left - 4 < size)
				return end_walk(walk, true);
			walk->pos += 4 + size;
			walk->stamp += delta;
			*ret = (struct tsh_page_event){ walk->stamp, p + 4, size };
			return true;
		}
		/* Padding without a time has no length: nothing follows it. */
		if (type == TYPE_PADDING && !delta)
			return end_walk(walk, false);
		/* Some kernels commit more than they wrote; the rest is zero. */
		if (left < 8)
			return end_walk(walk, word != 0);
		array = load_u32(p + 4, walk->big_endian);
		switch (type) {
		case TYPE_EXTEND:
			walk->pos += 8;
			walk->stamp += delta + ((uint64_t)array << DELTA_BITS);
			continue;
		case TYPE_STAMP:
			walk->pos += 8;
			walk->stamp = absolute_stamp(delta + ((uint64_t)array << DELTA_BITS),
						     walk->stamp);
			continue;
		default:
			break;
		}
		if (!array && type != TYPE_PADDING)
			return end_walk(walk, false);
		if (array > left - 4 || array < 4)
			return end_walk(walk, true);
		/* lengths are aligned by the kernel, but a page of a recording may have any */
		size = (array + 3) & ~3U;
		walk->pos += size > left - 4 ? left : 4 + size;
		if (type == TYPE_PADDING) {
			/* The time before a discarded event counts; a delta of 1 means that there
			 * is none. */
			if (delta != 1 && !walk->skips_discarded)
				walk->stamp += delta;
			continue;
		}
		walk->stamp += delta;
		*ret = (struct tsh_page_event){ walk->stamp, p + 8, array - 4 };
		return true;
	}
}
