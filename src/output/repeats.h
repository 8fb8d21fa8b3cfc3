/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_REPEATS_H
#define TRACESH_OUTPUT_REPEATS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"

/*
 * Keeps texts of records, because busy machines repeat what is traced: calls with the same
 * arguments, the same interrupts, tasks that wake each other. A text is stored with the bytes of
 * its record when they come for the second time, and copied from the third time on. Does this only
 * for events whose text depends on nothing else (is_repeatable in struct tsh_event_format).
 */
#define REPEATS 32			/* a power of 2; few, so that they stay in the first-level cache */
#define REPEAT_BYTES 56			/* limit for a record without its common fields */
#define REPEAT_TEXT 112

struct repeat {
	uint32_t hash;			/* hash of the last record in this slot */
	uint32_t what;			/* its event and size; 0: its text is not kept */
	size_t len;
	unsigned char bytes[REPEAT_BYTES];
	char text[REPEAT_TEXT];
};

/* Says whether repeats are looked for among the events of some ids: not while few of the last ones
 * have repeated. */
struct repeat_trial {
	uint16_t skips;			/* events that are still printed without */
	int16_t hits;			/* repeats less REPEAT_PRICE times the others */
};
#define REPEAT_SKIPS 8192
#define REPEAT_PRICE 3
#define REPEAT_CREDIT 64
#define REPEAT_HITS_MAX 1024
#define REPEAT_TRIALS 256		/* a power of 2 */

struct repeats {
	struct repeat of[REPEATS];
	struct repeat_trial trials[REPEAT_TRIALS];
};

static inline uint64_t repeat_word(const unsigned char *bytes, uint32_t i)
{
	uint64_t word;

	memcpy(&word, bytes + 8 * i, sizeof(word));
	return word;
}

static inline uint32_t repeat_half(const unsigned char *bytes)
{
	uint32_t half;

	memcpy(&half, bytes, sizeof(half));
	return half;
}

/* Returns a sum of products, which the CPU can compute at the same time; a loop would be slower. */
static inline uint64_t repeat_hash(unsigned int id, const unsigned char *bytes, uint32_t size)
{
	const uint64_t last = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = (uint64_t)(id + 1) * UINT64_C(0xe7037ed1a0b428db);

	switch (size / 8) {
	case 7:
		hash += repeat_word(bytes, 6) * UINT64_C(0xa0761d6478bd642f);
		/* fall through */
	case 6:
		hash += repeat_word(bytes, 5) * UINT64_C(0xc4ceb9fe1a85ec53);
		/* fall through */
	case 5:
		hash += repeat_word(bytes, 4) * UINT64_C(0xff51afd7ed558ccd);
		/* fall through */
	case 4:
		hash += repeat_word(bytes, 3) * UINT64_C(0xd6e8feb86659fd93);
		/* fall through */
	case 3:
		hash += repeat_word(bytes, 2) * UINT64_C(0x94d049bb133111eb);
		/* fall through */
	case 2:
		hash += repeat_word(bytes, 1) * UINT64_C(0xbf58476d1ce4e5b9);
		/* fall through */
	case 1:
		hash += repeat_word(bytes, 0) * last;
		/* fall through */
	default:
		break;
	}
	if (size % 8)
		hash += repeat_half(bytes + size / 8 * 8) * UINT64_C(0x8ebc6af09c88c6e3);
	return (hash ^ hash >> 32) * last;
}

static inline uint32_t repeat_what(unsigned int id, uint32_t size)
{
	return id << 8 | size | 1;
}

/* Says whether `r` holds the text of an event with this id and these bytes behind its common fields.
 * `size` is their number, a multiple of 4 up to REPEAT_BYTES. */
static inline bool repeat_is(const struct repeat *r, unsigned int id, const unsigned char *bytes,
			     uint32_t size)
{
	uint64_t differ = 0;

	if (r->what != repeat_what(id, size))
		return false;
	switch (size / 8) {
	case 7:
		differ |= repeat_word(r->bytes, 6) ^ repeat_word(bytes, 6);
		/* fall through */
	case 6:
		differ |= repeat_word(r->bytes, 5) ^ repeat_word(bytes, 5);
		/* fall through */
	case 5:
		differ |= repeat_word(r->bytes, 4) ^ repeat_word(bytes, 4);
		/* fall through */
	case 4:
		differ |= repeat_word(r->bytes, 3) ^ repeat_word(bytes, 3);
		/* fall through */
	case 3:
		differ |= repeat_word(r->bytes, 2) ^ repeat_word(bytes, 2);
		/* fall through */
	case 2:
		differ |= repeat_word(r->bytes, 1) ^ repeat_word(bytes, 1);
		/* fall through */
	case 1:
		differ |= repeat_word(r->bytes, 0) ^ repeat_word(bytes, 0);
		/* fall through */
	default:
		break;
	}
	if (size % 8)
		differ |= repeat_half(r->bytes + size / 8 * 8) ^ repeat_half(bytes + size / 8 * 8);
	return !differ;
}

/* Says whether to look for a repeat of an event. */
static inline bool repeats_are_tried(struct repeats *all, unsigned int id)
{
	struct repeat_trial *trial = &all->trials[id & (REPEAT_TRIALS - 1)];

	return !trial->skips || !--trial->skips;
}

/* Notes whether an event was a repeat. */
static inline void repeats_note(struct repeats *all, unsigned int id, bool hit)
{
	struct repeat_trial *trial = &all->trials[id & (REPEAT_TRIALS - 1)];

	if (hit) {
		trial->hits = (int16_t)(trial->hits + (trial->hits < REPEAT_HITS_MAX));
	} else if ((trial->hits = (int16_t)(trial->hits - REPEAT_PRICE)) <= -REPEAT_CREDIT) {
		trial->hits = 0;
		trial->skips = REPEAT_SKIPS;
	}
}

/*
 * Appends the text of an event, of which `size` bytes behind the common fields are at `bytes`.
 * REPEAT_TEXT bytes must be free at the end of `out`. Returns false when the text is not kept; then
 * *ret_store is where to store it, or NULL.
 */
static inline bool repeats_add(struct repeats *all, unsigned int id, const unsigned char *bytes,
			       uint32_t size, struct tsh_strbuf *out, struct repeat **ret_store)
{
	struct repeat *r;
	uint64_t hash;

	*ret_store = NULL;
	if (size > REPEAT_BYTES || size % 4)
		return false;
	hash = repeat_hash(id, bytes, size);
	r = &all->of[hash >> 48 & (REPEATS - 1)];
	repeats_note(all, id, r->hash == (uint32_t)hash);
	if (r->hash != (uint32_t)hash) {
		r->hash = (uint32_t)hash;
		r->what = 0;
		return false;
	}
	if (!repeat_is(r, id, bytes, size)) {
		*ret_store = r;
		return false;
	}
	memcpy(out->buf + out->len, r->text, REPEAT_TEXT);
	out->len += r->len;
	return true;
}

/* Stores the text of a record for the next time. */
static inline void repeat_store(struct repeat *r, unsigned int id, const unsigned char *bytes,
				uint32_t size, const char *text, size_t len)
{
	if (len > REPEAT_TEXT)
		return;
	r->what = repeat_what(id, size);
	r->len = len;
	memcpy(r->bytes, bytes, size);
	memcpy(r->text, text, len);
}

#endif
