/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "track-rate.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"

/* Joins samples within that time to one node. */
#define GROUP_NS 4000000
/* Limits the nodes; more are thinned out. */
#define NODES_MAX 512
/* Limits the error of a steady clock, in ns. A larger one means that the clock was set. */
#define FUZZ_MAX 1000000
/* Limits the slew: no clock goes at half its rate, or less. */
#define SLEW_SANE (BILLION / 2)

void tsh_track_init(struct tsh_track *track, const struct tsh_track_rule *rule)
{
	memset(track, 0, sizeof(*track));
	track->rule = *rule;
	track->fuzz = rule->jitter;
	track->half_tick = (tsh_track_ticks(track, 1) + 1) / 2;
	track->slew_most = TSH_SLEW_MAX_PPB;
}

void tsh_track_release(struct tsh_track *track)
{
	free(track->node);
	track->node = NULL;
	track->n = track->room = track->nbroken = 0;
	track->fuzz = 0;
	track->before.reach = track->after.reach = 0;
}

/* ---- lines between nodes ---- */

static void draw_line(struct tsh_track *track, size_t i)
{
	struct tsh_track_node *to = &track->node[i], *from;
	uint64_t ticks, ns, error, other;
	struct tsh_slew slew;

	to->slope = to->slope_fraction = 0;
	to->error = UINT64_MAX;
	if (!i || to->broken)
		return;
	from = &track->node[i - 1];
	ticks = to->at - from->at;
	ns = (uint64_t)tsh_interval_middle(to->value) - (uint64_t)tsh_interval_middle(from->value);
	/* a damaged recording: see tsh_track_at */
	if (!ticks || ns > INT64_MAX)
		return;
	to->slope = ns / ticks;
	to->slope_fraction = (uint32_t)tsh_mul_div(ns % ticks, UINT64_C(1) << 32, ticks, false);
	error = tsh_interval_error(from->value);
	other = tsh_interval_error(to->value);
	if (other > error)
		error = other;
	/* A curve between two rates is farthest from its chord in the middle. */
	if (!track->rule.steady && !tsh_track_is_exact(track)) {
		slew = tsh_track_slew_about(track, i);
		error += tsh_mul_div(ns, (uint64_t)((int64_t)slew.hi - slew.lo), 4 * BILLION, true);
	}
	/* adds what the slope's fraction has cut off */
	if (to->slope_fraction)
		error += (ticks >> 32) + 1;
	to->error = error;
}

/* Draws all lines that depend on node i. */
static void draw_lines(struct tsh_track *track, size_t i)
{
	size_t last = i + 2;

	for (; i <= last && i < track->n; i++)
		draw_line(track, i);
}

/* ---- nodes ---- */

static void note_slew(struct tsh_track *track, struct tsh_slew slew)
{
	uint32_t most = (uint32_t)(-slew.lo > slew.hi ? -slew.lo : slew.hi);

	if (most > track->slew_most)
		track->slew_most = most;
}

/* Removes every second node of the older half, unless it stands at a break. */
static void thin_out(struct tsh_track *track)
{
	size_t i, kept = 1;

	for (i = 1; i < track->n; i++) {
		struct tsh_track_node *next = i + 1 < track->n ? &track->node[i + 1] : NULL;

		if (i < track->n / 2 && i % 2 && !track->node[i].broken && next && !next->broken) {
			next->slew = tsh_slew_hull(next->slew, track->node[i].slew);
			continue;
		}
		track->node[kept++] = track->node[i];
	}
	track->n = kept;
	for (i = 1; i < track->n; i++)
		draw_line(track, i);
}

/* Removes the oldest quarter of the nodes, when all nodes stand at breaks, so that none can be
 * thinned out. */
static void forget_oldest(struct tsh_track *track)
{
	size_t n = track->n / 4, i;

	for (i = 0; i < n; i++)
		track->nbroken -= track->node[i].broken;
	memmove(track->node, track->node + n, (track->n - n) * sizeof(*track->node));
	track->n -= n;
	/* The nodes before may have been of the same piece, so the first node counts as a break. */
	track->nbroken += !track->node[0].broken;
	track->node[0].broken = true;
}

static void append(struct tsh_track *track, const struct tsh_track_node *node)
{
	if (track->n == NODES_MAX)
		thin_out(track);
	if (track->n == NODES_MAX)
		forget_oldest(track);
	if (track->n == track->room) {
		track->room = track->room ? 2 * track->room : 4;
		track->node = tsh_xreallocarray(track->node, track->room, sizeof(*track->node));
	}
	track->node[track->n++] = *node;
	note_slew(track, node->slew);
	track->nbroken += node->broken;
	draw_lines(track, track->n - 1);
}

bool tsh_track_append(struct tsh_track *track, const struct tsh_track_node *node)
{
	if (node->value.lo > node->value.hi || node->slew.lo > node->slew.hi ||
	    node->slew.lo < -SLEW_SANE || node->slew.hi > SLEW_SANE || track->n >= NODES_MAX)
		return false;
	if (track->n && !tsh_stamp_is_before(track->node[track->n - 1].at, node->at))
		return false;
	append(track, node);
	track->node[track->n - 1].began = node->at;
	tsh_track_draw_rays(track);
	return true;
}

/* Drops all nodes, and begins with this one: the first clock went back, or there was no node. */
static enum tsh_track_news begin_anew(struct tsh_track *track, struct tsh_track_node *node)
{
	bool had = track->n > 0;

	node->broken = had;
	track->n = track->nbroken = 0;
	track->fuzz = track->rule.jitter;
	append(track, node);
	return had ? TSH_TRACK_RESTARTED : TSH_TRACK_CONTINUES;
}

/* Adds a sample to the last node, which moves to the sample's stamp, and whose value becomes
 * narrower. */
static void into_group(struct tsh_track *track, const struct tsh_track_node *node,
		       const struct tsh_rate *rate)
{
	struct tsh_track_node *last = &track->node[track->n - 1];

	last->at = node->at;
	last->value = node->value;
	last->slew = tsh_slew_hull(last->slew, node->slew);
	note_slew(track, node->slew);
	if (!last->broken)
		tsh_interval_intersect(&last[-1].value, tsh_track_carry(node, rate, last[-1].at));
	draw_lines(track, track->n - 2);
}

/* Extends a piece of an exact clock: it has one offset, so two nodes are enough. */
static void stretch(struct tsh_track *track, struct tsh_track_node *node)
{
	struct tsh_track_node *last = &track->node[track->n - 1];
	struct tsh_rate rate = tsh_track_nominal(track);

	if (last->broken || track->n == 1) {
		last->value = tsh_track_carry(node, &rate, last->at);
		append(track, node);
		return;
	}
	into_group(track, node, &rate);
}

/* Adds a sample whose stamp is not after the last node's. */
static enum tsh_track_news add_late(struct tsh_track *track, struct tsh_track_node *node,
				    const struct tsh_rate *rate)
{
	struct tsh_track_node *last = &track->node[track->n - 1];
	size_t first = tsh_track_piece(track);

	if (!rate->units)
		return node->at == last->at ? TSH_TRACK_CONTINUES : begin_anew(track, node);
	/* tai is set back together with REALTIME, and keeps its offset */
	if (tsh_interval_intersect(&node->value, tsh_track_carry(last, rate, node->at)) &&
	    (tsh_track_is_exact(track) || !tsh_stamp_is_before(node->at, track->node[first].at))) {
		tsh_interval_intersect(&last->value, tsh_track_carry(node, rate, last->at));
		draw_lines(track, track->n - 1);
		return TSH_TRACK_CONTINUES;
	}
	return begin_anew(track, node);
}

/* Adds a sample while the rate is not known. The sample with the smallest error becomes the first
 * node; one that is TSH_BASELINE_NS later becomes the second. */
static enum tsh_track_news add_first(struct tsh_track *track, struct tsh_track_node *node)
{
	struct tsh_track_node *last = &track->node[track->n - 1];

	if (tsh_stamp_is_before(node->at, last->at) || node->value.hi < last->value.lo)
		return begin_anew(track, node);
	if (node->at == last->at)
		return TSH_TRACK_CONTINUES;
	if (node->value.lo >= tsh_saturating_add(last->value.hi, TSH_BASELINE_NS))
		append(track, node);
	else if (tsh_interval_width(node->value) < tsh_interval_width(last->value))
		*last = *node;
	return TSH_TRACK_CONTINUES;
}

/* Returns the distance of two intervals that have nothing in common. */
static uint64_t gap(struct tsh_interval a, struct tsh_interval b)
{
	return a.lo > b.hi ? (uint64_t)a.lo - (uint64_t)b.hi : (uint64_t)b.lo - (uint64_t)a.hi;
}

static enum tsh_track_news add_contradiction(struct tsh_track *track, struct tsh_track_node *node,
					     struct tsh_interval expected, int64_t *ret_jump)
{
	uint64_t off = gap(node->value, expected);

	*ret_jump = (int64_t)((uint64_t)tsh_interval_middle(node->value) -
			      (uint64_t)tsh_interval_middle(expected));
	if (track->rule.steady && !track->may_jump && off <= FUZZ_MAX) {
		/* Other samples may be off by more than this one, so twice its distance
		 * is added. */
		track->fuzz += 2 * off;
		append(track, node);
		return TSH_TRACK_CONTINUES;
	}
	node->broken = true;
	append(track, node);
	return TSH_TRACK_BROKEN;
}

static enum tsh_track_news add(struct tsh_track *track, uint64_t at, struct tsh_interval value,
			       const struct tsh_slew *slew, int64_t *ret_jump)
{
	struct tsh_track_node node = { .at = at, .began = at, .value = value };
	struct tsh_interval expected;
	struct tsh_track_node *last;
	struct tsh_rate rate;

	*ret_jump = 0;
	if (slew)
		node.slew = *slew;
	if (!track->n)
		return begin_anew(track, &node);
	last = &track->node[track->n - 1];
	rate = tsh_track_rate_ahead(track);
	if (slew && !track->rule.steady && !tsh_track_is_exact(track))
		rate = tsh_rate_of_slew(
			tsh_slew_hull(tsh_track_slew_about(track, track->n - 1), *slew));
	if (!tsh_stamp_is_before(last->at, at))
		return add_late(track, &node, &rate);
	if (!rate.units)
		return add_first(track, &node);
	expected = tsh_interval_widen(tsh_track_carry(last, &rate, at), track->fuzz);
	if (!tsh_interval_intersect(&node.value, expected))
		return add_contradiction(track, &node, expected, ret_jump);
	if (tsh_track_is_exact(track))
		stretch(track, &node);
	else if (track->n > 1 && tsh_track_ticks(track, at - last->began) < GROUP_NS)
		into_group(track, &node, &rate);
	else
		append(track, &node);
	return TSH_TRACK_CONTINUES;
}

enum tsh_track_news tsh_track_add(struct tsh_track *track, uint64_t at, struct tsh_interval value,
				  const struct tsh_slew *slew, int64_t *ret_jump)
{
	enum tsh_track_news news = add(track, at, value, slew, ret_jump);

	tsh_track_draw_rays(track);
	return news;
}

void tsh_track_step_back(struct tsh_track *track, uint64_t at)
{
	struct tsh_rate rate = tsh_track_nominal(track);
	struct tsh_track_node *last;

	at -= BILLION;
	while (track->n > 1 && !tsh_stamp_is_before(track->node[track->n - 2].at, at)) {
		track->n--;
		track->nbroken -= track->node[track->n].broken;
	}
	if (!track->n)
		return;
	last = &track->node[track->n - 1];
	if (tsh_stamp_is_before(last->at, at))
		return;
	/* An exact clock has one offset, so its node may move to any stamp. */
	last->value = tsh_track_carry(last, &rate, at);
	last->at = at;
	draw_lines(track, track->n - 1);
}
