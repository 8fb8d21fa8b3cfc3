/* events/clock/interval.h - integers that are only known to lie between two bounds */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_INTERVAL_H
#define TRACESH_EVENTS_CLOCK_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number.h"

/* Holds a value between lo and hi, both included. INT64_MIN and INT64_MAX may stand for anything
 * beyond. */
struct tsh_interval {
	int64_t lo;
	int64_t hi;
};

/* Adds a number between least and most. */
static inline struct tsh_interval tsh_interval_later(struct tsh_interval a, uint64_t least,
						     uint64_t most)
{
	a.lo = tsh_saturating_add(a.lo, least);
	a.hi = tsh_saturating_add(a.hi, most);
	return a;
}

/* Subtracts a number between least and most. */
static inline struct tsh_interval tsh_interval_earlier(struct tsh_interval a, uint64_t least,
						       uint64_t most)
{
	a.lo = tsh_saturating_sub(a.lo, most);
	a.hi = tsh_saturating_sub(a.hi, least);
	return a;
}

/* Moves both ends outwards by `by`. */
static inline struct tsh_interval tsh_interval_widen(struct tsh_interval a, uint64_t by)
{
	a.lo = tsh_saturating_sub(a.lo, by);
	a.hi = tsh_saturating_add(a.hi, by);
	return a;
}

static inline uint64_t tsh_interval_width(struct tsh_interval a)
{
	return (uint64_t)a.hi - (uint64_t)a.lo;
}

/* Returns the middle, and its largest distance from an end. */
static inline int64_t tsh_interval_middle(struct tsh_interval a)
{
	return (int64_t)((uint64_t)a.lo + tsh_interval_width(a) / 2);
}

static inline uint64_t tsh_interval_error(struct tsh_interval a)
{
	uint64_t width = tsh_interval_width(a);

	return width / 2 + width % 2;
}

/* Reduces `a` to the part that it shares with `b`. Returns false, with `a` unchanged, when they
 * share nothing. */
bool tsh_interval_intersect(struct tsh_interval *a, struct tsh_interval b);
/* Returns the interval that covers both. */
struct tsh_interval tsh_interval_hull(struct tsh_interval a, struct tsh_interval b);

/* Returns a * b / c without overflowing in between, rounded down or up; UINT64_MAX when the result
 * is no uint64. c must not be 0. */
uint64_t tsh_mul_div(uint64_t a, uint64_t b, uint64_t c, bool up);

#endif
