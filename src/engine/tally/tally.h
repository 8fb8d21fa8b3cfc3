/* engine/tally/tally.h - counts and sums of events by key */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TALLY_TALLY_H
#define TRACESH_ENGINE_TALLY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Is a table of rows. Each row has a key of one to three parts, a count, and a sum for each of some
 * values. Keys beyond the limit of rows are counted together in row 0, "other". Does no I/O, and
 * does not know the meaning of the parts.
 */
struct tsh_tally;

#define TSH_TALLY_PARTS_MAX 3
#define TSH_TALLY_OTHER 0		/* row of the keys beyond the limit */
#define TSH_TALLY_TEXT_MAX 256		/* limit for a text; the rest is cut */

enum tsh_tally_kind {
	TSH_TALLY_UNSIGNED, TSH_TALLY_SIGNED,
	TSH_TALLY_TEXT,			/* .number: made by tsh_tally_text */
	TSH_TALLY_NO_ROOM,		/* belongs to row "other" */
};

struct tsh_tally_part {
	enum tsh_tally_kind kind;
	uint64_t number;
};

/* Holds a number of the range of both uint64_t and int64_t. */
struct tsh_tally_number {
	uint64_t bits;
	bool is_negative;		/* bits is a negative int64_t */
};

/* Holds the sum of one value in one row. */
struct tsh_tally_sum {
	uint64_t n;			/* events that have the value */
	uint64_t low;			/* low 64 bits of the sum, which has 128 */
	int64_t high;
	struct tsh_tally_number min, max;	/* valid when n > 0 */
};

/* Makes a table with at most `rows` rows besides "other", 1 to 2^31 - 2. */
struct tsh_tally *tsh_tally_new(size_t parts, size_t values, size_t rows);
/* Accepts NULL. */
void tsh_tally_free(struct tsh_tally *t);

/* Makes a part of a text; equal texts are equal parts. Cuts it at TSH_TALLY_TEXT_MAX bytes. */
struct tsh_tally_part tsh_tally_text(struct tsh_tally *t, const char *text, size_t len);
/* Returns the text of such a part, which ends in NUL; borrowed until tsh_tally_free. */
const char *tsh_tally_text_of(const struct tsh_tally *t, uint64_t number, size_t *ret_len);

/* Counts one event, and returns its row. */
size_t tsh_tally_add(struct tsh_tally *t, const struct tsh_tally_part *key);
/* Adds a value of an event to its row. */
void tsh_tally_add_value(struct tsh_tally *t, size_t row, size_t value, uint64_t number,
			 bool is_signed);
/* Add the count of several events, and the sum of a value of n events. A sum that was added this
 * way has no min and max. */
size_t tsh_tally_add_many(struct tsh_tally *t, const struct tsh_tally_part *key, uint64_t count);
void tsh_tally_add_sum(struct tsh_tally *t, size_t row, size_t value, uint64_t n, uint64_t number,
		       bool is_signed);

size_t tsh_tally_parts(const struct tsh_tally *t);
/* Returns the number of rows, including "other". */
size_t tsh_tally_rows(const struct tsh_tally *t);
uint64_t tsh_tally_count(const struct tsh_tally *t, size_t row);
/* Returns a part of a row's key; not for row "other". */
struct tsh_tally_part tsh_tally_part(const struct tsh_tally *t, size_t row, size_t part);
const struct tsh_tally_sum *tsh_tally_sum(const struct tsh_tally *t, size_t row, size_t value);
/* Returns the sum in *ret; false when it does not fit into 64 bits, and then the nearest limit. */
bool tsh_tally_total(const struct tsh_tally_sum *sum, struct tsh_tally_number *ret);
/* Prints the whole sum, up to 39 digits, to the end of room. Returns its first character. */
#define TSH_TALLY_TOTAL_LEN 41
const char *tsh_tally_total_text(const struct tsh_tally_sum *sum, char room[TSH_TALLY_TOTAL_LEN]);
/* Prints the average with two decimals, rounded, to the end of room. Returns its first
 * character. */
const char *tsh_tally_average_text(const struct tsh_tally_sum *sum, char room[TSH_TALLY_TOTAL_LEN]);
double tsh_tally_average(const struct tsh_tally_sum *sum);

/* ---- sorting rows ---- */

enum tsh_tally_by { TSH_TALLY_BY_COUNT, TSH_TALLY_BY_SUM, TSH_TALLY_BY_AVG, TSH_TALLY_BY_MIN,
		    TSH_TALLY_BY_MAX, TSH_TALLY_BY_KEY };

/* Returns the rows except "other", sorted: the largest first, equal ones by key; BY_KEY: the
 * smallest key first. The caller frees the array. */
size_t *tsh_tally_order(const struct tsh_tally *t, enum tsh_tally_by by, size_t value,
			size_t *ret_n);

/* Describes rows whose keys differ in the last part only. */
struct tsh_tally_group {
	size_t first, n;		/* indexes in *ret_rows */
	uint64_t count;
};
/* Returns the groups, those with most events first; *ret_rows: their rows, sorted by key. The
 * caller frees both arrays. */
struct tsh_tally_group *tsh_tally_groups(const struct tsh_tally *t, size_t **ret_rows,
					 size_t *ret_n);

/* ---- buckets ---- */

/* Returns the bucket of a number: 0 for 0 and 1, 1 for 2 and 3, 2 for 4 to 7, up to 63;
 * TSH_TALLY_NEGATIVE for numbers below 0. The next function returns the numbers of a bucket. */
#define TSH_TALLY_NEGATIVE (-1)
int tsh_tally_log2(uint64_t number, bool is_signed);
void tsh_tally_log2_range(int bucket, struct tsh_tally_number *ret_low,
			  struct tsh_tally_number *ret_high);
/* Returns the linear bucket of a number: floor(number / width). */
struct tsh_tally_part tsh_tally_linear(uint64_t number, bool is_signed, uint64_t width);
void tsh_tally_linear_range(struct tsh_tally_part bucket, uint64_t width,
			    struct tsh_tally_number *ret_low, struct tsh_tally_number *ret_high);
/* Returns the index of the bucket, among n counts, with the number that `percent` of a hundred
 * do not exceed (nearest rank). At least one count is not 0. */
size_t tsh_tally_percentile(const uint64_t *counts, size_t n, unsigned int percent);

#endif
