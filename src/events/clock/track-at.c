/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "track-rate.h"

/* Converts a stamp of the first clock to the time of the second. */

/* Returns ticks * slope, with its fraction in 2^-32. */
static uint64_t along(uint64_t ticks, uint64_t slope, uint32_t fraction)
{
	return ticks * slope + (ticks >> 32) * fraction + ((ticks & UINT32_MAX) * fraction >> 32);
}

bool tsh_track_is_ready(const struct tsh_track *track)
{
	return track->n && (track->rule.unit || tsh_track_rate_ahead(track).units);
}

static void from_interval(struct tsh_interval value, struct tsh_track_value *ret)
{
	ret->ns = tsh_interval_middle(value);
	ret->error = tsh_interval_error(value);
	if (value.lo == INT64_MIN || value.hi == INT64_MAX) {
		ret->ns = value.lo == INT64_MIN ? INT64_MIN : INT64_MAX;
		ret->error = UINT64_MAX;
	}
}

/* Limits the reach of a ray (track.h), in ticks: beyond 417 days in ns its value could leave the
 * int64. */
#define RAY_MAX	      (UINT64_C(1) << 55)
#define RAY_SLOPE_MAX 32

/* Draws a ray: the middle between the rates, and their distance from it. */
static void draw_ray(const struct tsh_track *track, size_t i, struct tsh_track_ray *ret)
{
	struct tsh_rate rate = tsh_track_rate_far(track, i);
	uint64_t sum = rate.least + rate.most;

	*ret = (struct tsh_track_ray){
		.at = track->node[i].at,
		.ns = tsh_interval_middle(track->node[i].value),
		.error = tsh_interval_error(track->node[i].value),
	};
	if (!rate.units || sum < rate.most || rate.units > UINT64_MAX / 4 || !sum)
		return;
	if (sum / (2 * rate.units) >= RAY_SLOPE_MAX || ret->ns < INT64_MIN / 4 ||
	    ret->ns > INT64_MAX / 4)
		return;
	ret->slope = tsh_mul_div(sum, UINT64_C(1) << 31, rate.units, false);
	ret->growth = tsh_mul_div(rate.most - rate.least, UINT64_C(1) << 32, sum, true);
	ret->reach = ret->growth < UINT32_MAX ? RAY_MAX : 0;
}

void tsh_track_draw_rays(struct tsh_track *track)
{
	track->before.reach = track->after.reach = 0;
	/* a track of exact clocks needs no rays */
	if (!track->n || tsh_track_is_exact(track))
		return;
	draw_ray(track, 0, &track->before);
	draw_ray(track, track->n - 1, &track->after);
}

/* Computes the value at `ticks` from a ray's node; the ray must reach that far. Sets all of *ret
 * but .ambiguous. */
static void by_ray(const struct tsh_track *track, const struct tsh_track_ray *ray, uint64_t ticks,
		   bool back, struct tsh_track_value *ret)
{
	uint64_t ns = tsh_track_scale(ticks, ray->slope);

	ret->ns = back ? ray->ns - (int64_t)ns : ray->ns + (int64_t)ns;
	ret->error = ray->error + track->fuzz + tsh_track_scale(ns, ray->growth) + (ticks >> 32);
	/* adds what both products have cut off; at the node itself nothing is cut off */
	ret->error += ticks ? 2 : 0;
}

/* Computes the value before the first node, and behind the last, when there is no ray. */
static bool at_end(const struct tsh_track *track, size_t i, uint64_t at,
		   struct tsh_track_value *ret)
{
	struct tsh_rate rate = tsh_track_rate_far(track, i);

	if (!rate.units)
		return false;
	from_interval(tsh_interval_widen(tsh_track_carry(&track->node[i], &rate, at), track->fuzz),
		      ret);
	return true;
}

static bool after_last(const struct tsh_track *track, uint64_t at, struct tsh_track_value *ret)
{
	size_t i = track->n - 1;
	uint64_t ticks = at - track->node[i].at;

	ret->ambiguous = false;
	if (ticks >= track->after.reach)
		return at_end(track, i, at, ret);
	by_ray(track, &track->after, ticks, false, ret);
	return true;
}

static bool before_first(const struct tsh_track *track, uint64_t at, struct tsh_track_value *ret)
{
	uint64_t ticks = track->node[0].at - at;

	ret->ambiguous = track->node[0].broken;
	if (ticks >= track->before.reach)
		return at_end(track, 0, at, ret);
	by_ray(track, &track->before, ticks, true, ret);
	return true;
}

/* Computes the value when there is a break between the nodes: it covers the results from both. */
static bool in_break(const struct tsh_track *track, size_t i, uint64_t at,
		     struct tsh_track_value *ret)
{
	struct tsh_rate before = tsh_track_rate_far(track, i - 1);
	struct tsh_rate after = tsh_track_rate_far(track, i);

	if (!before.units || !after.units)
		return false;
	if (at == track->node[i - 1].at) {
		from_interval(tsh_interval_widen(track->node[i - 1].value, track->fuzz), ret);
		ret->ambiguous = false;
		return true;
	}
	from_interval(tsh_interval_widen(
			      tsh_interval_hull(tsh_track_carry(&track->node[i - 1], &before, at),
						tsh_track_carry(&track->node[i], &after, at)),
			      track->fuzz),
		      ret);
	ret->ambiguous = true;
	return true;
}

/* Returns the first node behind a stamp, which lies between the first and the last. Searches from
 * the end, where it mostly is. */
static size_t find_node(const struct tsh_track *track, uint64_t at)
{
	size_t lo = 0, hi = track->n - 1, i;

	for (i = 0; i < 8; i++, hi--)
		if (!tsh_stamp_is_before(at, track->node[hi - 1].at))
			return hi;
	while (hi - lo > 1) {
		size_t middle = lo + (hi - lo) / 2;

		if (tsh_stamp_is_before(at, track->node[middle].at))
			hi = middle;
		else
			lo = middle;
	}
	return hi;
}

bool tsh_track_at(const struct tsh_track *track, uint64_t at, struct tsh_track_value *ret)
{
	const struct tsh_track_node *line, *from;
	size_t i;

	if (!track->n)
		return false;
	if (!tsh_stamp_is_before(at, track->node[track->n - 1].at))
		return after_last(track, at, ret);
	if (tsh_stamp_is_before(at, track->node[0].at))
		return before_first(track, at, ret);
	i = find_node(track, at);
	line = &track->node[i];
	if (line->error == UINT64_MAX)
		return in_break(track, i, at, ret);
	from = line - 1;
	ret->ns = (int64_t)((uint64_t)tsh_interval_middle(from->value) +
			    along(at - from->at, line->slope, line->slope_fraction));
	ret->error = line->error + track->fuzz;
	ret->ambiguous = false;
	return true;
}

size_t tsh_track_break(const struct tsh_track *track, uint64_t from, uint64_t to, size_t before)
{
	size_t i = before < track->n ? before : track->n;

	if (!track->nbroken)
		return SIZE_MAX;
	while (i-- > 0 && !tsh_stamp_is_before(track->node[i].at, from))
		if (track->node[i].broken &&
		    (!i || !tsh_stamp_is_before(to, track->node[i - 1].at)))
			return i;
	return SIZE_MAX;
}

bool tsh_track_last_piece(const struct tsh_track *track, uint64_t *ret_from, uint64_t *ret_last)
{
	if (!track->n)
		return false;
	*ret_from = track->nbroken ? track->node[tsh_track_piece(track)].at : 0;
	*ret_last = track->node[track->n - 1].at;
	return true;
}

uint64_t tsh_track_ticks(const struct tsh_track *track, uint64_t ticks)
{
	struct tsh_rate rate = tsh_track_nominal(track);

	if (!rate.units && track->n)
		rate = tsh_track_rate_ahead(track);
	if (rate.units)
		return tsh_mul_div(ticks, rate.most, rate.units, true);
	return tsh_mul_div(ticks, track->rule.finest, 1, true);
}

uint64_t tsh_track_growth_ppb(const struct tsh_track *track)
{
	struct tsh_rate rate;

	if (!track->n)
		return 0;
	rate = tsh_track_rate_far(track, 0);
	if (!rate.units || !rate.least)
		return 0;
	return tsh_mul_div(
		rate.most - rate.least, BILLION,
		rate.least > UINT64_MAX - rate.most ? rate.least : rate.least + rate.most, true);
}
