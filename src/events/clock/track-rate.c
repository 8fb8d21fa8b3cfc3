/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "track-rate.h"

/* Bounds the distance of ticks, in ns. Ticks are 10 ms apart at most, except on an idle machine,
 * where no program runs. */
#define SLEW_LAG_NS 25000000

struct tsh_rate tsh_rate_of_slew(struct tsh_slew slew)
{
	return (struct tsh_rate){ BILLION, (uint64_t)(BILLION + slew.lo),
				  (uint64_t)(BILLION + slew.hi) };
}

struct tsh_slew tsh_slew_hull(struct tsh_slew a, struct tsh_slew b)
{
	return (struct tsh_slew){ a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi };
}

bool tsh_track_is_exact(const struct tsh_track *track)
{
	return track->rule.unit && !track->rule.spread_ppb;
}

struct tsh_rate tsh_track_nominal(const struct tsh_track *track)
{
	uint64_t unit = track->rule.unit, spread = unit * track->rule.spread_ppb;

	if (!spread)
		return (struct tsh_rate){ !!unit, unit, unit };
	return (struct tsh_rate){ BILLION, unit * BILLION - spread, unit * BILLION + spread };
}

/*
 * Returns bounds of REALTIME's rate up to node i, by what adjtimex returned there, at the node
 * before, and for a while before that: a change takes effect at a tick, later than adjtimex reports
 * it.
 */
struct tsh_slew tsh_track_slew_about(const struct tsh_track *track, size_t i)
{
	struct tsh_slew slew = track->node[i].slew;
	uint64_t since = i ? track->node[i - 1].at - SLEW_LAG_NS : 0;

	while (i--) {
		slew = tsh_slew_hull(slew, track->node[i].slew);
		if (tsh_stamp_is_before(track->node[i].at, since))
			break;
	}
	return slew;
}

/* Says whether two rates have nothing in common. */
static bool are_apart(const struct tsh_rate *a, const struct tsh_rate *b)
{
	return tsh_mul_div(a->most, BILLION, a->units, true) <
		       tsh_mul_div(b->least, BILLION, b->units, false) ||
	       tsh_mul_div(b->most, BILLION, b->units, true) <
		       tsh_mul_div(a->least, BILLION, a->units, false);
}

/* Measures the rate of a steady clock between the nodes a and b. Changes `rate` when the result is
 * narrower, or contradicts it. */
static void measure(const struct tsh_track *track, size_t a, size_t b, struct tsh_rate *rate)
{
	const struct tsh_track_node *from = &track->node[a], *to = &track->node[b];
	uint64_t fuzz = 2 * track->fuzz;
	struct tsh_rate measured = { .units = to->at - from->at };

	if (to->value.lo < tsh_saturating_add(from->value.hi, TSH_BASELINE_NS + fuzz) ||
	    !measured.units)
		return;
	measured.least = (uint64_t)to->value.lo - (uint64_t)from->value.hi - fuzz;
	measured.most = (uint64_t)to->value.hi - (uint64_t)from->value.lo + fuzz;
	if (rate->units && !are_apart(&measured, rate) &&
	    tsh_mul_div(measured.most - measured.least, BILLION, measured.units, true) >=
		    tsh_mul_div(rate->most - rate->least, BILLION, rate->units, true))
		return;
	*rate = measured;
}

/* Returns the first node of the last piece without a break. */
size_t tsh_track_piece(const struct tsh_track *track)
{
	size_t i = track->n - 1;

	if (!track->nbroken)
		return 0;
	while (i && !track->node[i].broken)
		i--;
	return i;
}

/* Returns the rate of a steady clock from all its nodes. It holds behind the last node, and before
 * the first. */
static struct tsh_rate steady_rate(const struct tsh_track *track)
{
	struct tsh_rate rate = tsh_track_nominal(track);
	size_t first = tsh_track_piece(track), i;

	measure(track, first, track->n - 1, &rate);
	/* When the last piece is too short for a rate, the rate of the piece before it counts, and
	 * so on. */
	for (i = first; !rate.units && i; i = first) {
		for (first = i - 1; first && !track->node[first].broken; first--)
			;
		measure(track, first, i - 1, &rate);
	}
	return rate;
}

/* Returns the rate from the last node to the next sample, with the slew that the last node has. */
struct tsh_rate tsh_track_rate_ahead(const struct tsh_track *track)
{
	if (tsh_track_is_exact(track))
		return tsh_track_nominal(track);
	if (track->rule.steady)
		return steady_rate(track);
	return tsh_rate_of_slew(tsh_track_slew_about(track, track->n - 1));
}

/* Returns the rate before the first node, or behind the last, far from any sample: with any slew
 * that the kernel allows. */
struct tsh_rate tsh_track_rate_far(const struct tsh_track *track, size_t i)
{
	static const struct tsh_slew any = { -TSH_SLEW_MAX_PPB, TSH_SLEW_MAX_PPB };

	if (tsh_track_is_exact(track) || track->rule.steady)
		return tsh_track_rate_ahead(track);
	return tsh_rate_of_slew(tsh_slew_hull(track->node[i].slew, any));
}

/* Computes the value at another stamp from a node. */
struct tsh_interval tsh_track_carry(const struct tsh_track_node *from, const struct tsh_rate *rate,
				    uint64_t at)
{
	bool back = tsh_stamp_is_before(at, from->at);
	uint64_t units = back ? from->at - at : at - from->at;
	uint64_t least = tsh_mul_div(units, rate->least, rate->units, false);
	uint64_t most = tsh_mul_div(units, rate->most, rate->units, true);

	return back ? tsh_interval_earlier(from->value, least, most) :
		      tsh_interval_later(from->value, least, most);
}
