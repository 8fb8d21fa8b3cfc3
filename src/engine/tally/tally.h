/* engine/tally/tally.h - counts and sums of events by key */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TALLY_TALLY_H
#define TRACESH_ENGINE_TALLY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A table of rows, each of which has a key of one to three parts, a count, and a sum of each of
 * some values. It has a bound: keys that find no room are counted together in row 0, "other".
 * No I/O, and no idea of what the parts mean.
 */
struct tsh_tally;

#define TSH_TALLY_PARTS_MAX 3
#define TSH_TALLY_OTHER 0		/* the row of what found no room */
#define TSH_TALLY_TEXT_MAX 256		/* bytes of a text that count */

enum tsh_tally_kind {
	TSH_TALLY_UNSIGNED, TSH_TALLY_SIGNED,
	TSH_TALLY_TEXT,			/* .number: see tsh_tally_text */
	TSH_TALLY_NO_ROOM,		/* its row is "other" */
};

struct tsh_tally_part {
	enum tsh_tally_kind kind;
	uint64_t number;
};

/* A number with its sign: what a uint64_t and an int64_t can be. */
struct tsh_tally_number {
	uint64_t bits;
	bool is_negative;		/* bits is an int64_t below 0 */
};

/* Of one value in one row. */
struct tsh_tally_sum {
	uint64_t n;			/* events that had it */
	uint64_t low;			/* the sum, of 128 bits */
	int64_t high;
	struct tsh_tally_number min, max;	/* of n > 0 */
};

/* At most `rows` rows beside "other", 1 to 2^31 - 2. */
struct tsh_tally *tsh_tally_new(size_t parts, size_t values, size_t rows);
/* NULL is fine. */
void tsh_tally_free(struct tsh_tally *t);

/* A text as a part; equal ones are equal parts. Beyond TSH_TALLY_TEXT_MAX it is cut. */
struct tsh_tally_part tsh_tally_text(struct tsh_tally *t, const char *text, size_t len);
/* The text of such a part, which ends in NUL; borrowed until the tally ends. */
const char *tsh_tally_text_of(const struct tsh_tally *t, uint64_t number, size_t *ret_len);

/* Counts one event; its row. */
size_t tsh_tally_add(struct tsh_tally *t, const struct tsh_tally_part *key);
/* A value of an event of that row. */
void tsh_tally_add_value(struct tsh_tally *t, size_t row, size_t value, uint64_t number,
			 bool is_signed);
/* Events that somebody else has counted, and the sum of a value of n of them: what has been
 * added so has no min and max. */
size_t tsh_tally_add_many(struct tsh_tally *t, const struct tsh_tally_part *key, uint64_t count);
void tsh_tally_add_sum(struct tsh_tally *t, size_t row, size_t value, uint64_t n, uint64_t number,
		       bool is_signed);

size_t tsh_tally_parts(const struct tsh_tally *t);
/* How many rows there are, "other" among them. */
size_t tsh_tally_rows(const struct tsh_tally *t);
uint64_t tsh_tally_count(const struct tsh_tally *t, size_t row);
/* Not of "other". */
struct tsh_tally_part tsh_tally_part(const struct tsh_tally *t, size_t row, size_t part);
const struct tsh_tally_sum *tsh_tally_sum(const struct tsh_tally *t, size_t row, size_t value);
/* The sum, where it fits into 64 bits; else false, and the end of them. */
bool tsh_tally_total(const struct tsh_tally_sum *sum, struct tsh_tally_number *ret);
/* Prints the whole sum, which may have 39 digits, at the end of the room. Returns where it begins. */
#define TSH_TALLY_TOTAL_LEN 41
const char *tsh_tally_total_text(const struct tsh_tally_sum *sum, char room[TSH_TALLY_TOTAL_LEN]);
/* Prints the average with two digits behind the point, rounded, likewise. */
const char *tsh_tally_average_text(const struct tsh_tally_sum *sum, char room[TSH_TALLY_TOTAL_LEN]);
double tsh_tally_average(const struct tsh_tally_sum *sum);

/* ---- the order of rows ---- */

enum tsh_tally_by { TSH_TALLY_BY_COUNT, TSH_TALLY_BY_SUM, TSH_TALLY_BY_AVG, TSH_TALLY_BY_MIN,
		    TSH_TALLY_BY_MAX, TSH_TALLY_BY_KEY };

/* The rows but "other": the largest first, what is equal by its key; BY_KEY the smallest key
 * first. The caller frees it. */
size_t *tsh_tally_order(const struct tsh_tally *t, enum tsh_tally_by by, size_t value,
			size_t *ret_n);

/* Rows whose keys differ in the last part only. */
struct tsh_tally_group {
	size_t first, n;		/* places in the order */
	uint64_t count;
};
/* The groups, that of most events first; in *ret_rows their rows by key. The caller frees
 * both. */
struct tsh_tally_group *tsh_tally_groups(const struct tsh_tally *t, size_t **ret_rows,
					 size_t *ret_n);

/* ---- buckets ---- */

/* 0: 0 and 1, 1: 2 and 3, 2: 4 to 7, .. 63; TSH_TALLY_NEGATIVE: below 0. */
#define TSH_TALLY_NEGATIVE (-1)
int tsh_tally_log2(uint64_t number, bool is_signed);
void tsh_tally_log2_range(int bucket, struct tsh_tally_number *ret_low,
			  struct tsh_tally_number *ret_high);
/* Which `width` of them, counted from 0 on: floor(number / width). */
struct tsh_tally_part tsh_tally_linear(uint64_t number, bool is_signed, uint64_t width);
void tsh_tally_linear_range(struct tsh_tally_part bucket, uint64_t width,
			    struct tsh_tally_number *ret_low, struct tsh_tally_number *ret_high);
/* The place, among n counts in order, in which the one lies that `percent` of a hundred of all
 * do not exceed (the nearest rank). The counts are not all 0. */
size_t tsh_tally_percentile(const uint64_t *counts, size_t n, unsigned int percent);

#endif
