/* events/clock/track-rate.h - the rate of a track's second clock by its first */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_TRACK_RATE_H
#define TRACESH_EVENTS_CLOCK_TRACK_RATE_H

#include "track.h"

#define BILLION INT64_C(1000000000)
/* Bounds the slew of REALTIME, in billionths, unless somebody changes the tick. */
#define TSH_SLEW_MAX_PPB 500000
/* Sets the shortest time over which a rate is measured, in ns: reading a clock takes up
 * to some us. */
#define TSH_BASELINE_NS 10000000

/* Holds a rate: `units` ticks of the first clock last `least` to `most` ns of the second; units 0:
 * nothing is known. */
struct tsh_rate {
	uint64_t units;
	uint64_t least;
	uint64_t most;
};

/* Compares stamps, which are counted modulo 2^64, by the shorter way round. */
static inline bool tsh_stamp_is_before(uint64_t a, uint64_t b)
{
	return a - b > INT64_MAX;
}

/* Returns the rate that a slew means. */
struct tsh_rate tsh_rate_of_slew(struct tsh_slew slew);
/* Returns the slew that covers both. */
struct tsh_slew tsh_slew_hull(struct tsh_slew a, struct tsh_slew b);
/* Says whether a tick is exactly a known number of ns. */
bool tsh_track_is_exact(const struct tsh_track *track);
/* Returns the rate that is known before any sample. */
struct tsh_rate tsh_track_nominal(const struct tsh_track *track);
/* Returns how fast REALTIME may have gone up to node i. */
struct tsh_slew tsh_track_slew_about(const struct tsh_track *track, size_t i);
/* Returns the first node of the last piece without a break. */
size_t tsh_track_piece(const struct tsh_track *track);
/* Returns the rate from the last node to the next sample. */
struct tsh_rate tsh_track_rate_ahead(const struct tsh_track *track);
/* Returns the rate before, or behind, node i, far from any sample. */
struct tsh_rate tsh_track_rate_far(const struct tsh_track *track, size_t i);
/* Computes the value at another stamp from a node. */
struct tsh_interval tsh_track_carry(const struct tsh_track_node *from,
				    const struct tsh_rate *rate, uint64_t at);

#endif
