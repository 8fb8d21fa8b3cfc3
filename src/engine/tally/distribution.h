/* engine/tally/distribution.h - counts how numbers are distributed: percentiles in a few hundred
 * bytes */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TALLY_DISTRIBUTION_H
#define TRACESH_ENGINE_TALLY_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

/*
 * Counts numbers in buckets: one for each number below 16, and sixteen for each power of two from
 * there on. So a number is known with an error of less than a sixteenth (6.25%). Zeroed memory is
 * empty.
 */
struct tsh_distribution {
	uint64_t n;			/* numbers in all buckets */
	uint32_t *counts;		/* counts from bucket `first` on; they stop at 2^32 - 1 */
	size_t first, len;
};

void tsh_distribution_add(struct tsh_distribution *s, uint64_t number);
/* Returns the number that `permille` of a thousand numbers do not exceed (nearest rank): the
 * upper end of its bucket, at most a sixteenth above it. n must not be 0. */
uint64_t tsh_distribution_percentile(const struct tsh_distribution *s, unsigned int permille);
/* Returns the count of a bucket of tsh_tally_log2, 0 to 63. */
uint64_t tsh_distribution_log2(const struct tsh_distribution *s, unsigned int bucket);
void tsh_distribution_release(struct tsh_distribution *s);

#endif
