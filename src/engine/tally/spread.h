/* engine/tally/spread.h - how numbers are distributed: percentiles of millions in a few hundred bytes */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TALLY_SPREAD_H
#define TRACESH_ENGINE_TALLY_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Counts of numbers in buckets: each power of two has sixteen, below 16 each number has its
 * own, so a number is told with an error of less than a sixteenth (6.25%). Zeroed memory is an
 * empty one.
 */
struct tsh_spread {
	uint64_t n;			/* numbers in it */
	uint32_t *counts;		/* of the buckets from `first` on; they stop at 2^32 - 1 */
	size_t first, len;
};

void tsh_spread_add(struct tsh_spread *s, uint64_t number);
/*
 * The number that `permille` of a thousand do not exceed (the nearest rank): the upper end of
 * its bucket, which is at most a sixteenth above it. Of n > 0.
 */
uint64_t tsh_spread_percentile(const struct tsh_spread *s, unsigned int permille);
/* How many there are in a bucket of tsh_tally_log2, 0 to 63. */
uint64_t tsh_spread_log2(const struct tsh_spread *s, unsigned int bucket);
void tsh_spread_release(struct tsh_spread *s);

#endif
