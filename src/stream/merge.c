/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source.h"

/* The next event of a lane into its head. False: its pages are used up. */
static bool lane_load(struct tsh_source *src, struct lane *lane)
{
	while (!lane->has_head) {
		if (!lane->walking) {
			struct page *page = lane->first;

			if (!page)
				return false;
			if (!tsh_page_walk_begin(&lane->walk, &src->layout, page->data,
						 page->len)) {
				tsh_lane_retire(src, lane);
				continue;
			}
			lane->walking = true;
			tsh_lane_add_lost(lane, lane->walk.lost);
		}
		if (!tsh_page_walk_next(&lane->walk, &lane->head)) {
			tsh_lane_retire(src, lane);
			continue;
		}
		lane->has_head = true;
		/*
		 * A clock that was set back, or an interrupt's event with the time of the
		 * one that it interrupted: the order within a CPU is the kernel's.
		 */
		if (lane->head.stamp > lane->key)
			lane->key = lane->head.stamp;
	}
	return true;
}

/* Lanes are sorted by CPU, so the place in the array settles a tie. */
static bool lane_is_before(const struct lane *a, const struct lane *b)
{
	return a->key < b->key || (a->key == b->key && a < b);
}

/*
 * The lane with the oldest head. Events come in bursts, so the winner goes on
 * until it passes the runner-up, and a look at all lanes is needed only then. Up
 * to some 16 CPUs this scan is as fast as any tree.
 */
static struct lane *choose(struct tsh_source *src)
{
	struct lane *best = NULL, *second = NULL;
	size_t i;

	if (src->winner && lane_load(src, src->winner) &&
	    (!src->runner || lane_is_before(src->winner, src->runner)))
		return src->winner;
	for (i = 0; i < src->nlanes; i++) {
		struct lane *lane = &src->lanes[i];

		if (!lane_load(src, lane))
			continue;
		if (!best || lane_is_before(lane, best)) {
			second = best;
			best = lane;
		} else if (!second || lane_is_before(lane, second)) {
			second = lane;
		}
	}
	src->winner = best;
	src->runner = second;
	return best;
}

enum tsh_source_item tsh_source_next(struct tsh_source *src, uint64_t watermark,
				     struct tsh_record *ret_rec, uint64_t *ret_lost,
				     bool *ret_late)
{
	struct lane *lane = choose(src);

	if (!lane || lane->key > watermark)
		return TSH_ITEM_NONE;
	*ret_rec = (struct tsh_record){
		.stamp = lane->head.stamp,
		.cpu = lane->cpu,
		.size = lane->head.size,
		.data = lane->head.data,
	};
	*ret_lost = lane->lost;
	*ret_late = lane->head.stamp < src->given;
	if (lane->lost) {
		lane->lost = 0;
		return TSH_ITEM_LOST;
	}
	if (!*ret_late)
		src->given = lane->head.stamp;
	lane->has_head = false;
	lane->pending--;
	return TSH_ITEM_EVENT;
}

uint64_t tsh_source_pending(const struct tsh_source *src)
{
	uint64_t pending = 0;
	size_t i;

	for (i = 0; i < src->nlanes; i++)
		pending += src->lanes[i].pending;
	return pending;
}

void tsh_source_restart_order(struct tsh_source *src)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++) {
		src->lanes[i].key = 0;
		src->lanes[i].seen = 0;
	}
	src->given = 0;
	src->winner = NULL;
}

/* ---- how far the reading has come ---- */

uint64_t tsh_source_horizon(const struct tsh_source *src, uint64_t empty_mark)
{
	uint64_t horizon = UINT64_MAX;
	size_t i;

	/* The events of one CPU need not wait for anybody. */
	if (src->nlanes == 1)
		return UINT64_MAX;
	for (i = 0; i < src->nlanes; i++) {
		const struct lane *lane = &src->lanes[i];
		uint64_t at = lane->seen;

		if (lane->ended)
			at = UINT64_MAX;
		else if (lane->state == LANE_EMPTY && at < empty_mark)
			at = empty_mark;
		if (at < horizon)
			horizon = at;
	}
	return horizon;
}

uint64_t tsh_source_newest(const struct tsh_source *src)
{
	uint64_t newest = 0;
	size_t i;

	for (i = 0; i < src->nlanes; i++)
		if (src->lanes[i].pending && src->lanes[i].seen > newest)
			newest = src->lanes[i].seen;
	return newest;
}

bool tsh_source_behind(const struct tsh_source *src)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++)
		if (src->lanes[i].state == LANE_MORE)
			return true;
	return false;
}
