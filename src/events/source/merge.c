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
 * and each inner node has the loser of its match. With the winner's next event, only the matches on
 * its way up are played again. A player is one number, so that a match is a minimum and a maximum,
 * without a branch: winners cannot be predicted. Its high bits are the lane's key, counted from
 * src->base, and its low bits the lane's place, which decides a tie: lanes are sorted by CPU.
 */
#define NOBODY UINT64_MAX		/* a lane without an event */

/* Returns the player of a lane whose key is further from src->base than a player can say. It loses
 * against all others; play_all counts anew once none of these is left. Has all matches played again
 * when the key lies before src->base. */
static uint64_t __attribute__((noinline, cold)) far_player(struct tsh_source *src, const struct lane *lane)
{
	if (lane->key < src->base)
		src->winner = NULL;
	return src->far << src->leaf_bits | lane->place;
}

static inline uint64_t player_of(struct tsh_source *src, const struct lane *lane)
{
	uint64_t offset = lane->key - src->base;

	if (!lane->has_head)
		return NOBODY;
	if (offset >= src->far)
		return far_player(src, lane);
	return offset << src->leaf_bits | lane->place;
}

static inline struct lane *lane_of_player(const struct tsh_source *src, uint64_t player)
{
	return &src->lanes[player & (src->nleaves - 1)];
}

void tsh_source_begin_merge(struct tsh_source *src)
{
	for (src->nleaves = 1; src->nleaves < src->nlanes; src->nleaves *= 2)
		src->leaf_bits++;
	/* the largest offset is that of NOBODY */
	src->far = (UINT64_MAX >> src->leaf_bits) - 1;
	src->losers = tsh_xcalloc(src->nleaves, sizeof(*src->losers));
}

/* Plays all matches below a node. Returns the winner. */
static uint64_t play(struct tsh_source *src, size_t node)
{
	uint64_t a, b;

	if (node >= src->nleaves)
		return node - src->nleaves < src->nlanes ? player_of(src, &src->lanes[node - src->nleaves]) :
							   NOBODY;
	a = play(src, 2 * node);
	b = play(src, 2 * node + 1);
	src->losers[node] = a < b ? b : a;
	return a < b ? a : b;
}

/* Plays all matches. Returns the winner, or NULL when no lane has an event. */
static struct lane *play_all(struct tsh_source *src)
{
	uint64_t first;
	size_t i;

	src->base = UINT64_MAX;
	for (i = 0; i < src->nlanes; i++) {
		/* the lane may be a copy of another one */
		src->lanes[i].place = (unsigned int)i;
		lane_load(src, &src->lanes[i]);
		if (src->lanes[i].has_head && src->lanes[i].key < src->base)
			src->base = src->lanes[i].key;
	}
	first = play(src, 1);
	src->winner = first == NOBODY ? NULL : lane_of_player(src, first);
	return src->winner;
}

/* Loads the winner's next event, and plays the matches on its way up again. Returns the new winner,
 * or NULL when no lane has an event. */
static inline struct lane *next_winner(struct tsh_source *src, struct lane *lane)
{
	uint64_t *losers = src->losers, now;
	size_t node = (lane->place + src->nleaves) / 2;

	lane_load(src, lane);
	now = player_of(src, lane);
	for (; node; node /= 2) {
		uint64_t loser = losers[node];

		losers[node] = loser < now ? now : loser;
		now = loser < now ? loser : now;
	}
	/* also when the first event is a far one, which may not be the oldest of these */
	if (__builtin_expect(!src->winner || now >= src->far << src->leaf_bits, 0))
		return play_all(src);
	src->winner = lane_of_player(src, now);
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

enum tsh_source_item tsh_source_read_many(struct tsh_source *src, uint64_t watermark, uint64_t max,
					  tsh_source_event_fn *handle, void *ctx,
					  struct tsh_record *ret_rec, uint64_t *ret_lost)
{
	struct lane *lane = src->winner ? next_winner(src, src->winner) : play_all(src);

	while (lane && lane->key <= watermark) {
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
		lane = next_winner(src, lane);
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
