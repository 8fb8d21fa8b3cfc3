/* events/clock/track.h - one clock's time by another clock, from samples of both */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_TRACK_H
#define TRACESH_EVENTS_CLOCK_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "interval.h"

/*
 * A track is a row of nodes: at this stamp of the first clock, the second one was between these two
 * values. Between two nodes the time follows a straight line, with an error that is computed
 * beforehand, so that a conversion is one multiplication.
 */

/* Says what is known of the first clock's rate, in ns of the second clock for each tick. */
struct tsh_track_rule {
	uint64_t unit;		/* nominal; 0: it has to be measured */
	uint64_t finest;	/* largest possible tick in ns, when unit is 0 */
	uint32_t spread_ppb;	/* how far the rate may differ from `unit`; 0: not at all */
	uint64_t jitter;	/* ns by which ticks may be late */
	bool steady;		/* the rate does not change; otherwise nodes have a slew */
};

/* Bounds the rate of REALTIME against CLOCK_MONOTONIC_RAW, in billionths, by adjtimex(2). */
struct tsh_slew {
	int32_t lo;
	int32_t hi;
};

struct tsh_track_node {
	uint64_t at;
	struct tsh_interval value;
	struct tsh_slew slew;
	/* a break before this node: the second clock was set, or the first one stood still */
	bool broken;
	uint64_t began;		/* stamp of the first sample that this node includes */
	/* Describe the line from the node before: ns per tick, with a fraction in 2^-32 ns, and its
	 * error in ns. */
	uint64_t slope;
	uint32_t slope_fraction;
	uint64_t error;
};

/* Extrapolates from an end of the row: a line whose error grows. */
struct tsh_track_ray {
	uint64_t at;		/* stamp of the node */
	uint64_t reach;		/* how many ticks it is good for; 0: not at all */
	int64_t ns;		/* value of the node, and its error */
	uint64_t error;
	uint64_t slope;		/* in 2^-32 of a ns per tick */
	uint64_t growth;	/* growth of the error for each 2^32 ns */
};

struct tsh_track {
	struct tsh_track_rule rule;
	struct tsh_track_node *node;
	size_t n;
	size_t room;
	size_t nbroken;
	/* Holds the measured error of a steady rate, in ns: every value may be off by that. */
	uint64_t fuzz;
	uint64_t half_tick;	/* in ns, for the longest possible tick */
	uint32_t slew_most;	/* fastest slew of any node, in billionths, in either direction */
	struct tsh_track_ray before;
	struct tsh_track_ray after;
	/* Says that the next sample of a steady clock may find it set, because the machine was
	 * suspended. */
	bool may_jump;
	/* value of tsh_clock.asleep at the last sample; set by the caller */
	int64_t asleep;
};

void tsh_track_init(struct tsh_track *track, const struct tsh_track_rule *rule);
void tsh_track_release(struct tsh_track *track);

enum tsh_track_news {
	TSH_TRACK_CONTINUES,
	TSH_TRACK_BROKEN,	/* no rate explains the sample: another line begins */
	TSH_TRACK_RESTARTED,	/* the first clock went back: all was dropped */
};

/*
 * Adds a sample: at `at` the second clock was within `value`. Samples within 4 ms make one node.
 * slew may be NULL for a steady track. ret_jump: for BROKEN, the distance of the second clock from
 * its expected value.
 */
enum tsh_track_news tsh_track_add(struct tsh_track *track, uint64_t at,
				  struct tsh_interval value, const struct tsh_slew *slew,
				  int64_t *ret_jump);
/* Notes that the first clock, which is exact, goes back to about `at`. Forgets everything from a
 * second before that on, so that the next sample begins a new piece. */
void tsh_track_step_back(struct tsh_track *track, uint64_t at);
/* Computes the rays, which tsh_track_at uses outside of the nodes; to be called after nodes have
 * changed. */
void tsh_track_draw_rays(struct tsh_track *track);
/* Appends a node of a saved calibration. Returns false when it is not later than the last node, not
 * valid, or one too many. */
bool tsh_track_append(struct tsh_track *track, const struct tsh_track_node *node);
/* Says whether the track knows a rate and a value. */
bool tsh_track_is_ready(const struct tsh_track *track);

struct tsh_track_value {
	int64_t ns;
	uint64_t error;
	bool ambiguous;		/* there is a break nearby: the error covers both sides */
};
/* Converts a stamp to the second clock's time. Returns false when the track is not ready. */
bool tsh_track_at(const struct tsh_track *track, uint64_t at, struct tsh_track_value *ret);

/* Returns the low 64 bits of a * b / 2^32. */
static inline uint64_t tsh_track_scale(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)((unsigned __int128)a * b >> 32);
#else
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);

	return ((a >> 32) * (b >> 32) << 32) + (a >> 32) * (b & UINT32_MAX) +
	       (a & UINT32_MAX) * (b >> 32) + (low >> 32);
#endif
}

/* Converts a stamp before the first node, in a track without breaks. Returns false in other cases:
 * then call tsh_track_at. */
static inline bool tsh_track_before(const struct tsh_track *track, uint64_t at, int64_t *ret)
{
	uint64_t ticks = track->before.at - at;

	if (!ticks || ticks >= track->before.reach || track->nbroken)
		return false;
	*ret = track->before.ns - (int64_t)tsh_track_scale(ticks, track->before.slope);
	return true;
}

/* Returns the last node below number `before` that has a break before it, between two stamps;
 * SIZE_MAX: there is none. */
size_t tsh_track_break(const struct tsh_track *track, uint64_t from, uint64_t to, size_t before);
/* Returns the first and the last stamp of the last piece without a break; the first is 0 when there
 * was never a break. Returns false when there is no node. */
bool tsh_track_last_piece(const struct tsh_track *track, uint64_t *ret_from, uint64_t *ret_last);
/* Returns the longest time that `ticks` ticks take, in ns. */
uint64_t tsh_track_ticks(const struct tsh_track *track, uint64_t ticks);
/* Returns by how much the error grows with each second before the first node, in billionths. */
uint64_t tsh_track_growth_ppb(const struct tsh_track *track);

#endif
