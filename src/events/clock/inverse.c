/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inverse.h"

#include "interval.h"
#include "moment.h"

/*
 * Finds a stamp by a few steps along the slope, because clocks are nearly straight. Where the wall
 * clock was set, the steps jump to and fro over the break. The break lies between the last stamp
 * that was too early and the last one that was too late, so a binary search finds it.
 */

#define STEPS 32
/* Is half of the range of stamps, which are counted modulo 2^64; either half may be in use. */
#define HALF (UINT64_C(1) << 63)
/* Sets over how many units a rate is measured. In cycles that is a part of a second. */
#define SPAN (UINT64_C(1) << 30)
/* Limits a step, in ns. */
#define FAR_NS (UINT64_C(1) << 62)

struct place {
	uint64_t stamp;
	int64_t away;		/* its wall time minus the wanted one */
	bool is_known;
};

struct search {
	const struct tsh_forward *f;
	int64_t wall;
	/* last stamps tried before the wanted time, and at or behind it */
	struct place early, late;
	struct place best;
};

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static bool try_stamp(struct search *s, uint64_t stamp, struct place *ret)
{
	int64_t wall;

	ret->is_known = s->f->wall(s->f->ctx, stamp, &wall);
	if (!ret->is_known)
		return false;
	ret->stamp = stamp;
	if (__builtin_sub_overflow(wall, s->wall, &ret->away))
		ret->away = wall < s->wall ? INT64_MIN : INT64_MAX;
	if (ret->away < 0)
		s->early = *ret;
	else
		s->late = *ret;
	if (!s->best.is_known || magnitude(ret->away) < magnitude(s->best.away))
		s->best = *ret;
	return true;
}

/* Says that the clock counts `units` in `ns`, near a stamp. */
struct slope {
	uint64_t units;
	uint64_t ns;
};

static bool slope_at(const struct search *s, uint64_t stamp, struct slope *ret)
{
	int64_t here, there;

	*ret = (struct slope){ 1, s->f->unit_ns };
	if (ret->ns)
		return true;
	ret->units = SPAN;
	if (!s->f->wall(s->f->ctx, stamp, &here) ||
	    !s->f->wall(s->f->ctx, stamp + SPAN, &there) || there <= here)
		return false;
	ret->ns = (uint64_t)there - (uint64_t)here;
	return true;
}

/* Returns a stamp that is a step nearer; the same stamp when it is the nearest. */
static uint64_t step_from(const struct place *from, const struct slope *slope)
{
	uint64_t ns = magnitude(from->away), units;

	if (ns > FAR_NS)
		ns = FAR_NS;
	/* rounds to the nearest */
	units = (tsh_mul_div(ns * 2, slope->units, slope->ns, false) + 1) / 2;
	return from->away > 0 ? from->stamp - units : from->stamp + units;
}

/* Says whether a clock counts from 0, so that the upper half of the stamps is before its beginning.
 * s390's clock does not: it began in 1900, and reaches the stamp 0 in the future. */
static bool counts_from_zero(const struct tsh_forward *f)
{
	int64_t zero, half;

	/* When the unit is known, it is 1 ns or more, and half of the stamps are at least 292
	 * years. */
	if (f->unit_ns)
		return true;
	return !f->wall(f->ctx, 0, &zero) || !f->wall(f->ctx, HALF, &half) || zero <= half;
}

static bool walk(struct search *s)
{
	bool from_zero = counts_from_zero(s->f);
	struct place at;
	struct slope slope;
	uint64_t next;
	unsigned int i;

	if (!try_stamp(s, 0, &at))
		return false;
	for (i = 0; at.away && i < STEPS; i++) {
		if (!slope_at(s, at.stamp, &slope))
			return false;
		next = step_from(&at, &slope);
		if (next >= HALF && from_zero) {
			/* nothing is before the beginning of the clock */
			if (!at.stamp)
				return false;
			next = 0;
		}
		if (next == at.stamp || !try_stamp(s, next, &at))
			break;
	}
	return true;
}

static void halve(struct search *s)
{
	struct place at;

	while (s->best.away && s->early.is_known && s->late.is_known &&
	       s->late.stamp - s->early.stamp > 1 && s->late.stamp - s->early.stamp < HALF &&
	       try_stamp(s, s->early.stamp + (s->late.stamp - s->early.stamp) / 2, &at))
		;
}

bool tsh_inverse(const struct tsh_forward *f, int64_t wall, uint64_t *ret_stamp,
		 uint64_t *ret_away_ns)
{
	struct search s = { .f = f, .wall = wall };

	if (!walk(&s))
		return false;
	halve(&s);
	*ret_stamp = s.best.stamp;
	*ret_away_ns = magnitude(s.best.away);
	return true;
}

/* ---- inverse of a struct tsh_clock ---- */

struct clock_of_cpu {
	const struct tsh_clock *clock;
	int cpu;
};

static bool wall_of(const void *ctx, uint64_t stamp, int64_t *ret_wall)
{
	const struct clock_of_cpu *c = ctx;

	return tsh_clock_wall(c->clock, c->cpu, stamp, ret_wall, NULL);
}

bool tsh_clock_stamp(const struct tsh_clock *clock, int cpu, int64_t wall, uint64_t *ret_stamp,
		     uint64_t *ret_error_ns)
{
	const struct clock_of_cpu c = { clock, cpu };
	const struct tsh_forward f = { wall_of, &c, clock->kind->unit_ns };
	uint64_t stamp, away, error;
	int64_t found;

	if (wall < 0 || !tsh_inverse(&f, wall, &stamp, &away) ||
	    !tsh_clock_wall(clock, cpu, stamp, &found, &error))
		return false;
	if (__builtin_add_overflow(error, away, &error))
		error = UINT64_MAX;
	*ret_stamp = stamp;
	if (ret_error_ns)
		*ret_error_ns = error;
	return true;
}
