/* engine/tally/pairs.h - begins that wait for their ends */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TALLY_PAIRS_H
#define TRACESH_ENGINE_TALLY_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally.h"

/*
 * Two events are a pair when they have the same key: an end takes the begin of its key out of
 * the table. One begin waits for each key, and another one takes its place; or they nest, as
 * calls do, and an end is that of the newest. It has a bound: the oldest begin is given up for a
 * new one.
 */
struct tsh_pairs;

#define TSH_PAIRS_WITH_MAX 16
struct tsh_pairs_begin {
	uint64_t stamp;
	int cpu;
	int pid;
	struct tsh_tally_part with[TSH_PAIRS_WITH_MAX];	/* what the end wants to know */
};

enum tsh_pairs_end {
	TSH_PAIRS_NONE,			/* no begin of that key waits */
	TSH_PAIRS_MADE,
	/* Events were lost between the two: this end's own begin, and the end of that begin, may
	 * have been among them. */
	TSH_PAIRS_UNSURE,
	TSH_PAIRS_BACKWARDS,		/* the end came late: it is older than the begin */
};

/* What became of the events; open: begins that wait. */
struct tsh_pairs_account {
	uint64_t made, none, unsure, backwards;	/* ends, as above */
	uint64_t again;			/* begins whose place another one of their key took */
	uint64_t given_up;		/* begins that had to make room */
	uint64_t dropped;		/* begins that tsh_pairs_drop took out */
	size_t open;
};

enum tsh_pairs_flag {
	/* An end is on the CPU of its begin: what another CPU lost is none of theirs. */
	TSH_PAIRS_SAME_CPU = 1 << 0,
	TSH_PAIRS_NEST = 1 << 1,
};

/* Keys of so many parts, at least one; `with` parts are kept of a begin; at most `max` begins,
 * 1 to 2^31 - 2. */
struct tsh_pairs *tsh_pairs_new(size_t parts, size_t with, size_t max, unsigned int flags);
/* NULL is fine. */
void tsh_pairs_free(struct tsh_pairs *p);

/* A number is the same key whether it was signed or not. */
void tsh_pairs_begin(struct tsh_pairs *p, const struct tsh_tally_part *key,
		     const struct tsh_pairs_begin *begin);
/* *ret is that begin, unless it is NONE. */
enum tsh_pairs_end tsh_pairs_end(struct tsh_pairs *p, const struct tsh_tally_part *key,
				 uint64_t stamp, struct tsh_pairs_begin *ret);
/* A begin of that key, if there is one, has turned out to be none. */
void tsh_pairs_drop(struct tsh_pairs *p, const struct tsh_tally_part *key);
/* A begin that is not wanted: the one that waits, if there is, has no end any more. */
void tsh_pairs_forget(struct tsh_pairs *p, const struct tsh_tally_part *key);
/* Begins of that key from before that stamp wait for nobody any more. */
void tsh_pairs_forget_before(struct tsh_pairs *p, const struct tsh_tally_part *key, uint64_t stamp);
/* Events of that CPU are missing before those that come next. */
void tsh_pairs_lost(struct tsh_pairs *p, int cpu);

const struct tsh_pairs_account *tsh_pairs_account(const struct tsh_pairs *p);

#endif
