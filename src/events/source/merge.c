/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source.h"

static void complain_of_page(struct tsh_source *src, struct lane *lane)
{
	if (lane->reported_corrupt)
		return;
	lane->reported_corrupt = true;
	tsh_source_add_complaint(src, "cpu %d: a page is damaged, the rest of it is skipped",
				 lane->cpu);
}

/* Begins the next page of a lane. Returns false when there is none. */
static bool begin_page(struct tsh_source *src, struct lane *lane)
{
	struct page *page;

	while ((page = lane->first)) {
		if (tsh_page_walk_begin(&lane->walk, &src->layout, page->data, page->len))
			break;
		complain_of_page(src, lane);
		tsh_lane_retire(src, lane);
	}
	if (!page)
		return false;
	lane->walk.skips_discarded = src->kernel_stamps;
	lane->walking = true;
	lane->lost = tsh_lost_sum(lane->lost, page->lost);
	return true;
}

/* Loads the head of a lane that has none, or is at the end of a page. */
static bool load_slowly(struct tsh_source *src, struct lane *lane)
{
	for (;;) {
		if (!lane->walking && !begin_page(src, lane))
			return false;
		if (tsh_page_walk_next(&lane->walk, &lane->head))
			return true;
		if (lane->walk.corrupt)
			complain_of_page(src, lane);
		tsh_lane_retire(src, lane);
	}
}

/* Says whether the stamp of the head is one of those that tsh_source_unblock has excluded from the
 * order. Includes all stamps again when it is not. */
static bool still_strays(struct tsh_source *src, struct lane *lane)
{
	if (lane->head.stamp >= lane->stray_from && lane->head.stamp <= lane->stray_to)
		return true;
	lane->strays = false;
	src->set_back = src->set_back || lane->head.stamp < lane->stray_from;
	return false;
}

/* Loads the next event of a lane into its head, if that is empty. */
static inline void lane_load(struct tsh_source *src, struct lane *lane)
{
	if (lane->has_head)
		return;
	if ((!lane->walking || !tsh_page_walk_next(&lane->walk, &lane->head)) &&
	    !load_slowly(src, lane))
		return;
	lane->has_head = true;
	lane->loaded++;
	/*
	 * The order within a CPU is the kernel's, also when a clock was set back, or an interrupt's
	 * event has the time of the event that it interrupted. But one stamp of the far future must
	 * not delay all that follows.
	 */
	if (lane->head.stamp > lane->key) {
		if (!lane->strays || !still_strays(src, lane))
			lane->key = lane->head.stamp;
	} else if (lane->key - lane->head.stamp > TSH_SET_BACK_NS) {
		lane->key = lane->head.stamp;
		src->set_back = true;
	}
}

uint64_t tsh_lane_skip_to(struct tsh_source *src, struct lane *lane, uint64_t stamp)
{
	uint64_t last = 0;

	for (lane_load(src, lane); lane->has_head && lane->key <= stamp; lane_load(src, lane)) {
		last = lane->head.stamp;
		lane->has_head = false;
		/* it was missing before an event that is skipped */
		lane->lost = 0;
	}
	return last;
}

/*
 * Finds the oldest event by a tournament (a tree of losers, Knuth 5.4.1): the leaves are the lanes,
 * and each inner node has the loser of its match. When the winner's next event is not the oldest
 * any more, only the matches on its way up are played again. Lanes are sorted by CPU, so that the
 * place in the array decides a tie; a lane without an event has the last key and place. Winners
 * cannot be predicted, so the code avoids branches: with many CPUs half of the time was lost in
 * mispredicted ones.
 */
static inline bool is_before(struct player a, struct player b)
{
	return (a.key < b.key) | ((a.key == b.key) & (a.lane < b.lane));
}

/* Swaps without a branch; a compiler makes a branch of plainer code. */
static inline void swap_if(bool swaps, struct player *a, struct player *b)
{
	uint64_t mask = -(uint64_t)swaps;
	uint64_t key = (a->key ^ b->key) & mask, lane = (a->lane ^ b->lane) & mask;

	a->key ^= key;
	b->key ^= key;
	a->lane ^= lane;
	b->lane ^= lane;
}

static const struct player nobody = { UINT64_MAX, PLAYER_NONE };

static inline struct player player_of(const struct tsh_source *src, const struct lane *lane)
{
	if (!lane->has_head)
		return nobody;
	return (struct player){ lane->key, (uint64_t)(lane - src->lanes) };
}

void tsh_source_begin_merge(struct tsh_source *src)
{
	for (src->nleaves = 1; src->nleaves < src->nlanes; src->nleaves *= 2)
		;
	src->losers = tsh_xcalloc(src->nleaves, sizeof(*src->losers));
}

/* Plays all matches below a node. Returns the winner. */
static struct player play(struct tsh_source *src, size_t node)
{
	struct player a, b;

	if (node >= src->nleaves) {
		struct lane *lane = &src->lanes[node - src->nleaves];

		if (node - src->nleaves >= src->nlanes)
			return nobody;
		lane_load(src, lane);
		return player_of(src, lane);
	}
	a = play(src, 2 * node);
	b = play(src, 2 * node + 1);
	src->losers[node] = is_before(b, a) ? a : b;
	return is_before(b, a) ? b : a;
}

/* Plays the matches on the winner's way up again, with its next event. */
static struct player replay(struct tsh_source *src, const struct lane *lane)
{
	size_t node = ((size_t)(lane - src->lanes) + src->nleaves) / 2;
	struct player now = player_of(src, lane);

	for (; node; node /= 2) {
		struct player *loser = &src->losers[node];

		swap_if(is_before(*loser, now), loser, &now);
	}
	return now;
}

/* Returns the second of the tournament: the best of those that lost against the winner itself. */
static struct player find_runner_up(const struct tsh_source *src, size_t winner)
{
	size_t node = (winner + src->nleaves) / 2;
	struct player best = nobody;

	for (; node; node /= 2) {
		struct player other = src->losers[node];

		swap_if(is_before(other, best), &other, &best);
	}
	return best;
}

/* Returns the lane with the oldest head, or NULL. Events come in bursts, so the winner stays until
 * it passes the runner-up. */
static inline struct lane *choose(struct tsh_source *src)
{
	struct lane *lane = src->winner;
	struct player first;

	if (lane) {
		lane_load(src, lane);
		if (lane->has_head && is_before(player_of(src, lane), src->runner_up))
			return lane;
		first = replay(src, lane);
	} else {
		first = play(src, 1);
	}
	if (first.lane == PLAYER_NONE) {
		src->winner = NULL;
		return NULL;
	}
	src->winner = &src->lanes[first.lane];
	src->runner_up = find_runner_up(src, (size_t)first.lane);
	return src->winner;
}

static void head_record(const struct lane *lane, struct tsh_record *ret)
{
	*ret = (struct tsh_record){
		.stamp = lane->head.stamp,
		.cpu = lane->cpu,
		.size = lane->head.size,
		.data = lane->head.data,
	};
}

/* Returns the highest key with which the winner's events are still passed on without another match:
 * they are older than the runner-up's event, and not newer than the watermark. */
static uint64_t last_key_of_winner(const struct tsh_source *src, const struct lane *winner, uint64_t watermark)
{
	const struct player *second = &src->runner_up;
	uint64_t end = second->key;

	/* a tie goes to the lower CPU */
	if (second->lane < (uint64_t)(winner - src->lanes) && end)
		end--;
	return end < watermark ? end : watermark;
}

enum tsh_source_item tsh_source_read_many(struct tsh_source *src, uint64_t watermark, uint64_t max,
					  tsh_source_event_fn *handle, void *ctx,
					  struct tsh_record *ret_rec, uint64_t *ret_lost)
{
	struct lane *lane;
	uint64_t end;

	while ((lane = choose(src)) && lane->key <= watermark) {
		end = last_key_of_winner(src, lane, watermark);
		do {
			struct tsh_record rec;
			bool late;

			if (!max)
				return TSH_ITEM_EVENT;
			head_record(lane, &rec);
			if (lane->lost) {
				*ret_rec = rec;
				*ret_lost = lane->lost;
				lane->lost = 0;
				return TSH_ITEM_LOST;
			}
			max--;
			late = rec.stamp < src->newest_passed;
			if (!late || src->set_back)
				src->newest_passed = rec.stamp;
			src->set_back = false;
			lane->has_head = false;
			handle(ctx, &rec, late);
			lane_load(src, lane);
		} while (lane->has_head && lane->key <= end);
	}
	return TSH_ITEM_NONE;
}

struct one {
	struct tsh_record *rec;
	bool *late;
	bool has;
};

static void store_one(void *ctx, const struct tsh_record *rec, bool late)
{
	struct one *one = ctx;

	*one->rec = *rec;
	*one->late = late;
	one->has = true;
}

enum tsh_source_item tsh_source_next(struct tsh_source *src, uint64_t watermark,
				     struct tsh_record *ret_rec, uint64_t *ret_lost,
				     bool *ret_late)
{
	struct one one = { ret_rec, ret_late, false };
	struct tsh_record ignored;
	enum tsh_source_item item;

	*ret_lost = 0;
	item = tsh_source_read_many(src, watermark, 1, store_one, &one, &ignored, ret_lost);
	if (one.has)
		return TSH_ITEM_EVENT;
	if (item == TSH_ITEM_LOST)
		*ret_rec = ignored;
	return item;
}

static struct lane *lane_of(struct tsh_source *src, int cpu)
{
	size_t i;

	if (src->winner && src->winner->cpu == cpu)
		return src->winner;
	for (i = 0; i < src->nlanes; i++)
		if (src->lanes[i].cpu == cpu)
			return &src->lanes[i];
	return NULL;
}

bool tsh_source_peek(struct tsh_source *src, int cpu, struct tsh_record *ret)
{
	struct lane *lane = lane_of(src, cpu);

	if (lane)
		lane_load(src, lane);
	/* When events are missing before the head, the head may not be the event that followed. */
	if (!lane || !lane->has_head || lane->lost)
		return false;
	head_record(lane, ret);
	return true;
}

void tsh_source_skip(struct tsh_source *src, int cpu)
{
	struct lane *lane = lane_of(src, cpu);

	if (!lane || !lane->has_head)
		return;
	lane->has_head = false;
	/* The tournament still has the key of the removed event, so it is played again. */
	if (lane != src->winner)
		src->winner = NULL;
}

void tsh_source_unblock(struct tsh_source *src)
{
	struct lane *first = NULL;
	uint64_t to = UINT64_MAX;
	size_t i;

	for (i = 0; i < src->nlanes; i++) {
		struct lane *lane = &src->lanes[i];

		if (lane->state != LANE_MORE ||
		    (src->marked && tsh_lane_passed_mark(src, lane)))
			continue;
		if (lane->npages < src->queue_max)
			return;
		if (!lane->has_head || lane->key < lane->seen)
			continue;
		if (!first || lane->head.stamp < first->head.stamp) {
			to = first ? first->head.stamp : UINT64_MAX;
			first = lane;
		} else if (lane->head.stamp < to) {
			to = lane->head.stamp;
		}
	}
	if (!first)
		return;
	first->strays = true;
	first->stray_from = first->seen;
	first->stray_to = to;
	first->key = 0;
}

static uint64_t lane_pending(const struct tsh_source *src, const struct lane *lane)
{
	const struct page *page = lane->first;
	struct tsh_page_walk walk = lane->walk;
	struct tsh_page_event event;
	uint64_t n = lane->has_head;

	if (lane->walking) {
		while (tsh_page_walk_next(&walk, &event))
			n++;
		page = page->next;
	}
	for (; page; page = page->next)
		n += tsh_page_count(src, page);
	return n;
}

uint64_t tsh_source_pending(const struct tsh_source *src)
{
	uint64_t pending = 0;
	size_t i;

	for (i = 0; i < src->nlanes; i++)
		pending += lane_pending(src, &src->lanes[i]);
	return pending;
}

static bool lane_has_pending(const struct lane *lane)
{
	return lane->has_head || lane->first;
}

bool tsh_source_has_pending(const struct tsh_source *src)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++)
		if (lane_has_pending(&src->lanes[i]))
			return true;
	return false;
}

void tsh_source_restart_order(struct tsh_source *src)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++) {
		src->lanes[i].key = 0;
		src->lanes[i].strays = false;
		src->lanes[i].seen = 0;
	}
	src->newest_passed = 0;
	src->winner = NULL;
}

/* ---- how far has been read ---- */

uint64_t tsh_source_horizon(const struct tsh_source *src, uint64_t empty_mark)
{
	uint64_t horizon = UINT64_MAX;
	size_t i;

	for (i = 0; i < src->nlanes; i++) {
		const struct lane *lane = &src->lanes[i];
		uint64_t at = lane->seen;

		if (lane->ended || (src->marked && tsh_lane_passed_mark(src, lane)))
			at = UINT64_MAX;
		else if (lane->state == LANE_MORE && lane->seen)
			/* Delays the last page until the next one is read, for stages that peek at
			 * a CPU's next event. */
			at = lane->seen - 1;
		else if (src->nlanes == 1)
			/* On one CPU, events wait for no other CPU. */
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

	for (i = 0; i < src->nlanes; i++) {
		const struct lane *lane = &src->lanes[i];

		if (!lane_has_pending(lane))
			continue;
		/* The last page is not the newest when the clock was set back. */
		if (lane->seen > newest)
			newest = lane->seen;
		if (lane->has_head && lane->key > newest)
			newest = lane->key;
	}
	return newest;
}

bool tsh_source_is_behind(const struct tsh_source *src)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++)
		if (src->lanes[i].state == LANE_MORE)
			return true;
	return false;
}
