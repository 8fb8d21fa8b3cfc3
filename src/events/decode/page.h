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
/* Handles all events for tsh_page_walk_next but the small ones. */
bool tsh_page_walk_next_(struct tsh_page_walk *walk, struct tsh_page_event *ret);
/* Returns the next event; false at the end of the page. */
static inline bool tsh_page_walk_next(struct tsh_page_walk *walk, struct tsh_page_event *ret)
{
	uint32_t left = walk->end - walk->pos;
	uint32_t word, words;

	if (left < 8)
		return tsh_page_walk_next_(walk, ret);
	memcpy(&word, walk->data + walk->pos, sizeof(word));
	if (walk->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		word = __builtin_bswap32(word);
	words = walk->big_endian ? word >> 27 : word & 31;
	/* 1 to 28 is the number of 4-byte words of data */
	if (words - 1 >= 28 || left - 4 < 4 * words)
		return tsh_page_walk_next_(walk, ret);
	walk->stamp += walk->big_endian ? word & 0x07ffffff : word >> 5;
	ret->stamp = walk->stamp;
	ret->data = walk->data + walk->pos + 4;
	ret->size = 4 * words;
	walk->pos += 4 + 4 * words;
	return true;
}

#endif
