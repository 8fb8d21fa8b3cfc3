/* events/clock/track-rate.h - how fast a track's second clock goes by its first */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_TRACK_RATE_H
#define TRACESH_EVENTS_CLOCK_TRACK_RATE_H

#include "track.h"

#define BILLION INT64_C(1000000000)
/* The kernel slews REALTIME by that much at most, if nobody changes the tick. */
#define TSH_SLEW_MAX_PPB 500000
/* A rate is measured over this much at least: reading a clock takes up to some us. */
#define TSH_BASELINE_NS 10000000

/* `units` ticks of the first clock take `least` to `most` ns of the second; nothing is known
 * when units is 0. */
struct tsh_rate {
	uint64_t units;
	uint64_t least;
	uint64_t most;
};

/* Stamps are counted modulo 2^64: the nearer way round is the right one. */
static inline bool tsh_stamp_is_before(uint64_t a, uint64_t b)
{
	return a - b > INT64_MAX;
}

struct tsh_rate tsh_rate_of_slew(struct tsh_slew slew);
struct tsh_slew tsh_slew_hull(struct tsh_slew a, struct tsh_slew b);
/* Whether a tick is a known number of ns, without any doubt. */
bool tsh_track_is_exact(const struct tsh_track *track);
/* What is known before any look. */
struct tsh_rate tsh_track_nominal(const struct tsh_track *track);
/* How fast REALTIME may have gone up to node i. */
struct tsh_slew tsh_track_slew_about(const struct tsh_track *track, size_t i);
/* The first node of the piece without a break that the last one is in. */
size_t tsh_track_piece(const struct tsh_track *track);
/* The rate at which it goes on from the last node to the next look. */
struct tsh_rate tsh_track_rate_ahead(const struct tsh_track *track);
/* The rate before, or after, node i where no look is. */
struct tsh_rate tsh_track_rate_far(const struct tsh_track *track, size_t i);
/* The value at another stamp, from what is known of a node. */
struct tsh_interval tsh_track_carry(const struct tsh_track_node *from,
				    const struct tsh_rate *rate, uint64_t at);

#endif
