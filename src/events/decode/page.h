/* events/decode/page.h - pages of the ring buffer */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_PAGE_H
#define TRACESH_EVENTS_DECODE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "events/printfmt/format.h"

/* Parses header_page. Refuses sizes outside of 1 KB .. 2 MB. The text does not have the byte order:
 * big_endian becomes this machine's. Returns 0, or -EINVAL. */
int tsh_page_layout_parse(struct tsh_page_layout *layout, const char *text, size_t len);

/*
 * Returns how many pages it takes at most to read a CPU's buffer to its end, when nothing is
 * written meanwhile: the pages whose data has `kb` (buffer_size_kb, rounded down), the reader's own
 * page (kernel/trace/ring_buffer.c, ring_buffer_alloc), and one that was read in part.
 */
uint64_t tsh_page_layout_pages(const struct tsh_page_layout *layout, uint64_t kb);

#define TSH_LOST_UNKNOWN UINT64_MAX
#define TSH_NO_PID INT32_MIN		/* of an event whose task is not known */

/*
 * Walks over the events of one page. Checks every length against the end of the page; a wrong one
 * ends the walk, with .corrupt set. A page that is shorter than its commit word says is corrupt
 * from the beginning, but its complete events are returned.
 */
struct tsh_page_walk {
	const unsigned char *data;
	uint32_t pos;
	uint32_t end;
	/* A small event that begins before this place has all of its bytes on the page; 0: the page is
	 * of the other byte order. */
	uint32_t quick_end;
	uint64_t stamp;
	uint64_t lost;			/* events lost before this page, or TSH_LOST_UNKNOWN */
	bool big_endian;
	bool corrupt;
	/*
	 * Makes stamps as the kernel's own readers do: they leave out the time before a discarded
	 * event, up to the next full stamp (rb_update_read_stamp), so that the following events are
	 * too early by that time. false (the default): true stamps.
	 */
	bool skips_discarded;
};

struct tsh_page_event {
	uint64_t stamp;
	const unsigned char *data;
	uint32_t size;
};

/* Begins a walk of `len` bytes of one page, as read(2) returned them. Returns false when the page
 * is too short. */
bool tsh_page_walk_begin(struct tsh_page_walk *walk, const struct tsh_page_layout *layout,
			 const unsigned char *page, size_t len);
/* Is the largest size of a small event, in words of 4 bytes. */
#define TSH_PAGE_WORDS_MAX 28
/* Handles all events for tsh_page_walk_next but the small ones that are not at the end. */
bool tsh_page_walk_next_(struct tsh_page_walk *walk, struct tsh_page_event *ret);
/* Returns the next event; false at the end of the page. */
static inline bool tsh_page_walk_next(struct tsh_page_walk *walk, struct tsh_page_event *ret)
{
	const unsigned char *p = walk->data + walk->pos;
	uint32_t word, words;

	if (walk->pos >= walk->quick_end)
		return tsh_page_walk_next_(walk, ret);
	memcpy(&word, p, sizeof(word));
	/* 1 to 28 is the number of 4-byte words of data */
	words = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? word >> 27 : word & 31;
	if (words - 1 >= TSH_PAGE_WORDS_MAX)
		return tsh_page_walk_next_(walk, ret);
	walk->stamp += __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? word & 0x07ffffff : word >> 5;
	ret->stamp = walk->stamp;
	ret->data = p + 4;
	ret->size = 4 * words;
	walk->pos += 4 + 4 * words;
	return true;
}

/* Skips the next events that are small, begin with a number of 16 bits in this machine's byte order,
 * and whose bit of that number is set. May stop earlier. */
static inline void tsh_page_walk_skip(struct tsh_page_walk *walk, const uint64_t bits[1024])
{
	uint32_t pos = walk->pos, word, words;
	uint64_t stamp = walk->stamp;
	uint16_t number;

	while (pos < walk->quick_end) {
		memcpy(&word, walk->data + pos, sizeof(word));
		memcpy(&number, walk->data + pos + sizeof(word), sizeof(number));
		words = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? word >> 27 : word & 31;
		if (words - 1 >= TSH_PAGE_WORDS_MAX || !(bits[number / 64] >> number % 64 & 1))
			break;
		stamp += __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? word & 0x07ffffff : word >> 5;
		pos += 4 + 4 * words;
	}
	walk->pos = pos;
	walk->stamp = stamp;
}

#endif
