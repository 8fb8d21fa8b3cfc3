/* events/clock/track.h - one clock's time as another clock's, from looks at both */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_TRACK_H
#define TRACESH_EVENTS_CLOCK_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "interval.h"

/*
 * A track is a row of nodes: at this stamp of the first clock the second was between
 * these two. Between two nodes the time goes along a straight line, and how far it may be
 * from that is known beforehand, so that a conversion is a multiplication.
 */

/* What is known of the rate of the first clock, in ns of the second per tick. */
struct tsh_track_rule {
	uint64_t unit;		/* nominal; 0: it has to be measured */
	uint64_t finest;	/* a tick is at most that, where unit is 0 */
	uint32_t spread_ppb;	/* how far the rate may be from `unit`; 0: it is that */
	uint64_t jitter;	/* ns by which its ticks may be late */
	bool steady;		/* whatever it is, it stays so; otherwise nodes have a slew */
};

/* Of REALTIME against CLOCK_MONOTONIC_RAW, in billionths, as adjtimex(2) bounds it. */
struct tsh_slew {
	int32_t lo;
	int32_t hi;
};

struct tsh_track_node {
	uint64_t at;
	struct tsh_interval value;
	struct tsh_slew slew;
	bool broken;		/* between the node before and this one the second clock was
				 * set, or the first one stood still */
	uint64_t began;		/* the stamp of the first look that is in it */
	/* The line from the node before: ns per tick, and 2^-32 of a ns; its error. */
	uint64_t slope;
	uint32_t slope_fraction;
	uint64_t error;
};

/* Where it goes from an end of the row: a line whose error grows. */
struct tsh_track_ray {
	uint64_t at;		/* the node's stamp */
	uint64_t reach;		/* the ticks that it is good for; 0: it is not */
	int64_t ns;		/* what the node says, and its error */
	uint64_t error;
	uint64_t slope;		/* 2^-32 of a ns per tick */
	uint64_t growth;	/* of the error with each 2^32 ns */
};

struct tsh_track {
	struct tsh_track_rule rule;
	struct tsh_track_node *node;
	size_t n;
	size_t room;
	size_t nbroken;
	/* How far a steady rate turned out not to be one: every value may be off by that. */
	uint64_t fuzz;
	uint64_t half_tick;	/* in ns, of the longest tick that there may be */
	uint32_t slew_most;	/* the fastest slew that a node had, in billionths either way */
	struct tsh_track_ray before;
	struct tsh_track_ray after;
	/* The next look at a steady clock may find it set: the machine was suspended. */
	bool may_jump;
	int64_t asleep;		/* as of the last look, for who keeps account of that */
};

void tsh_track_init(struct tsh_track *track, const struct tsh_track_rule *rule);
void tsh_track_release(struct tsh_track *track);

enum tsh_track_news {
	TSH_TRACK_GOES_ON,
	TSH_TRACK_BROKEN,	/* no rate explains it: from here on it is another line */
	TSH_TRACK_ANEW,		/* the first clock itself went back: what was known is gone */
};

/*
 * A look: at `at` the second clock was within `value`. Looks that follow each other within
 * 4 ms make one node. slew may be NULL for a steady track. ret_jump: of BROKEN how far the
 * second clock is from where it was expected.
 */
enum tsh_track_news tsh_track_add(struct tsh_track *track, uint64_t at,
				  struct tsh_interval value, const struct tsh_slew *slew,
				  int64_t *ret_jump);
/*
 * The first clock, which is exact, goes back to about `at`: what is known from a second before
 * that on is forgotten, so that the next look begins a new piece there.
 */
void tsh_track_go_back(struct tsh_track *track, uint64_t at);
/* After a change of nodes: what tsh_track_at goes by outside of them. */
void tsh_track_draw_rays(struct tsh_track *track);
/* A node as it was saved, behind the others; false when it cannot stand there. */
bool tsh_track_append(struct tsh_track *track, const struct tsh_track_node *node);
/* Whether it knows a rate and a place. */
bool tsh_track_is_ready(const struct tsh_track *track);

struct tsh_track_value {
	int64_t ns;
	uint64_t error;
	bool ambiguous;		/* a break lies somewhere about it: error covers both sides */
};
/* The second clock's time at a stamp. False when it is not ready. */
bool tsh_track_at(const struct tsh_track *track, uint64_t at, struct tsh_track_value *ret);

/* a * b / 2^32, of which 64 bits are asked for. */
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

/* The time of tsh_track_at before the first node, of a track without breaks. False: that has
 * to be asked. */
static inline bool tsh_track_before(const struct tsh_track *track, uint64_t at, int64_t *ret)
{
	uint64_t ticks = track->before.at - at;

	if (!ticks || ticks >= track->before.reach || track->nbroken)
		return false;
	*ret = track->before.ns - (int64_t)tsh_track_scale(ticks, track->before.slope);
	return true;
}

/* The last node below number `before` that has a break before it, somewhere between two
 * stamps; SIZE_MAX: there is none. */
size_t tsh_track_break(const struct tsh_track *track, uint64_t from, uint64_t to, size_t before);
/* The first and the last stamp of the piece without a break that the last node is in; 0 for the
 * first when there never was one. False: there is no node. */
bool tsh_track_last_piece(const struct tsh_track *track, uint64_t *ret_from, uint64_t *ret_last);
/* How long so many ticks take at most, in ns. */
uint64_t tsh_track_ticks(const struct tsh_track *track, uint64_t ticks);
/* How much a value's error grows with each second before the first node, in billionths. */
uint64_t tsh_track_growth_ppb(const struct tsh_track *track);

#endif
