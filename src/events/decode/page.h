/* events/decode/page.h - the ring buffer's pages */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_PAGE_H
#define TRACESH_EVENTS_DECODE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "events/printfmt/format.h"

/*
 * 0, or -EINVAL when the text is none (sizes are bounded: 1 KB .. 2 MB). The text does
 * not say the byte order: big_endian becomes this machine's.
 */
int tsh_page_layout_parse(struct tsh_page_layout *layout, const char *text, size_t len);

/*
 * How many pages a read to the end of a CPU's buffer takes at most, where nothing is written
 * meanwhile: those of which `kb`, its buffer_size_kb, is the room for data (rounded down), the
 * reader's own (kernel/trace/ring_buffer.c, ring_buffer_alloc), and one that was read in part.
 */
uint64_t tsh_page_layout_pages(const struct tsh_page_layout *layout, uint64_t kb);

#define TSH_LOST_UNKNOWN UINT64_MAX
#define TSH_NO_PID INT32_MIN		/* of an event whose task is not known */

/*
 * A walk over the events of one page. Every length is checked against the end of
 * the page; a corrupt one ends the walk with .corrupt set. A page that is shorter
 * than its commit word says is corrupt from the beginning; its whole events come.
 */
struct tsh_page_walk {
	const unsigned char *data;
	uint32_t pos;
	uint32_t end;
	uint64_t stamp;
	uint64_t lost;			/* events lost before this page; TSH_LOST_UNKNOWN */
	bool big_endian;
	bool corrupt;
	/*
	 * Stamps as the kernel's own readers make them: the time that passed before a
	 * discarded event is left out up to the next full stamp (rb_update_read_stamp), and
	 * what follows is early by that much. False at the beginning: the true ones.
	 */
	bool skips_discarded;
};

struct tsh_page_event {
	uint64_t stamp;
	const unsigned char *data;
	uint32_t size;
};

/* `len` bytes of one page as read(2) gave them. False when it is too short. */
bool tsh_page_walk_begin(struct tsh_page_walk *walk, const struct tsh_page_layout *layout,
			 const unsigned char *page, size_t len);
/* tsh_page_walk_next's way through all that is no small event. */
bool tsh_page_walk_next_(struct tsh_page_walk *walk, struct tsh_page_event *ret);
/* The next event; false at the end of the page. */
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
	/* 1..28: that many words of data */
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
