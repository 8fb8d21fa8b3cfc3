/* engine/tally/pairs.h - pairs events by their key: begins wait for their ends */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TALLY_PAIRS_H
#define TRACESH_ENGINE_TALLY_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally.h"

/*
 * Two events are a pair when they have the same key: an end removes the begin with its key from the
 * table. Without TSH_PAIRS_NEST only one begin waits for each key, and a new one replaces it. With
 * TSH_PAIRS_NEST several wait, as calls do, and an end belongs to the newest. When the table is
 * full, the oldest begin is dropped for a new one.
 */
struct tsh_pairs;

#define TSH_PAIRS_WITH_MAX 16
struct tsh_pairs_begin {
	uint64_t stamp;
	int cpu;
	int pid;
	struct tsh_tally_part with[TSH_PAIRS_WITH_MAX];	/* values that the end will use */
};

enum tsh_pairs_end {
	TSH_PAIRS_NONE,			/* no begin with that key waits */
	TSH_PAIRS_MADE,
	/* Events were lost between the two; the end of this begin, and the begin of this end,
	 * may be among them. */
	TSH_PAIRS_UNSURE,
	TSH_PAIRS_BACKWARDS,		/* the end is older than the begin, because it came late */
};

/* Counts events by their outcome; open: begins that wait. */
struct tsh_pairs_account {
	uint64_t made, without_begin, unsure, backwards;	/* ends, as in enum tsh_pairs_end */
	uint64_t replaced;		/* begins that were replaced by another one of their key */
	uint64_t evicted;		/* begins that were dropped because the table was full */
	uint64_t dropped;		/* begins that tsh_pairs_drop has removed */
	size_t open;
};

enum tsh_pairs_flag {
	/* Says that an end is on the CPU of its begin, so losses of other CPUs do not matter. */
	TSH_PAIRS_SAME_CPU = 1 << 0,
	TSH_PAIRS_NEST = 1 << 1,
};

/* Makes a table for keys of `parts` parts (at least one). Keeps `with` values of each begin, and
 * at most `max` begins, 1 to 2^31 - 2. flags: enum tsh_pairs_flag. */
struct tsh_pairs *tsh_pairs_new(size_t parts, size_t with, size_t max, unsigned int flags);
/* Accepts NULL. */
void tsh_pairs_free(struct tsh_pairs *p);

/* Adds a begin. A number is the same key whether it is signed or not. */
void tsh_pairs_begin(struct tsh_pairs *p, const struct tsh_tally_part *key,
		     const struct tsh_pairs_begin *begin);
/* Removes the begin with that key, and returns it in *ret unless the result is TSH_PAIRS_NONE. */
enum tsh_pairs_end tsh_pairs_end(struct tsh_pairs *p, const struct tsh_tally_part *key,
				 uint64_t stamp, struct tsh_pairs_begin *ret);
/* Removes a begin with that key, if there is one, because it was not a begin after all. */
void tsh_pairs_drop(struct tsh_pairs *p, const struct tsh_tally_part *key);
/* Removes a begin with that key, if there is one, because it will have no end. It counts as
 * replaced. */
void tsh_pairs_forget(struct tsh_pairs *p, const struct tsh_tally_part *key);
/* Removes the begins with that key that are older than stamp. They count as replaced. */
void tsh_pairs_forget_before(struct tsh_pairs *p, const struct tsh_tally_part *key, uint64_t stamp);
/* Notes that events of that CPU are missing before the next ones. */
void tsh_pairs_lost(struct tsh_pairs *p, int cpu);

const struct tsh_pairs_account *tsh_pairs_account(const struct tsh_pairs *p);

#endif
