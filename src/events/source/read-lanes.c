/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slices.h"
#include "source.h"

/* Fills the lanes of a source by several threads. Does what tsh_source_fill does, in three steps:
 * only the reading itself is shared. */

/* Lends a lane pages for its next read: as many as its queue has room for. */
static void begin_read(struct tsh_source *src, struct lane *lane, unsigned int budget)
{
	unsigned int room = lane->npages < src->queue_max ? src->queue_max - lane->npages : 0;

	lane->nread = 0;
	lane->read_error = 0;
	if (src->marked && tsh_lane_passed_mark(src, lane))
		return;
	lane->state = LANE_MORE;
	if (tsh_lane_is_asleep(src, lane)) {
		lane->state = LANE_EMPTY;
		lane->reached = true;
		return;
	}
	for (; lane->nfresh < budget && lane->nfresh < room; lane->nfresh++) {
		struct page *page = tsh_page_acquire(src);

		page->next = lane->fresh;
		lane->fresh = page;
	}
}

size_t tsh_source_begin_read(struct tsh_source *src, unsigned int budget)
{
	size_t i;

	/* a full queue drops pages while it is filled */
	if (src->overflows)
		return 0;
	tsh_source_recycle(src);
	src->winner = NULL;
	for (i = 0; i < src->nlanes; i++)
		begin_read(src, &src->lanes[i], budget);
	return src->nlanes;
}

/* Reads the pages of a recording from `page` on, many at once. Returns the first that was not
 * read. */
static struct page *read_whole(struct tsh_source *src, struct lane *lane, struct page *page)
{
	struct page *pages[TSH_TREE_PAGES];
	size_t n, have, i;

	do {
		struct page *next = page;

		for (n = 0; next && n < TSH_TREE_PAGES; next = next->next)
			pages[n++] = next;
		have = lane->ended ? 0 : tsh_lane_read_pages(src, lane, pages, n);
		for (i = 0; i < have; i++)
			tsh_page_measure(src, pages[i]);
		lane->nread += (unsigned int)have;
		page = have < n ? pages[have] : next;
	} while (have == n && page);
	return page;
}

void tsh_source_read_lane(struct tsh_source *src, size_t i)
{
	struct lane *lane = &src->lanes[i];
	const struct page *before = NULL;
	struct page *page;
	ssize_t r;

	for (page = src->live ? lane->fresh : read_whole(src, lane, lane->fresh); page && !lane->ended; page = page->next) {
		r = tsh_lane_read(src, lane, page);
		if (r <= 0) {
			lane->read_error = (int)r;
			lane->state = LANE_EMPTY;
			return;
		}
		lane->nread++;
		tsh_page_measure(src, page);
		if (before && src->live && tsh_source_caught_up(src, &before->facts, &page->facts)) {
			lane->state = LANE_NEAR;
			return;
		}
		before = page;
	}
}

/* Queues the pages that were read of a lane, and puts the others back into the pool. */
static void end_read(struct tsh_source *src, struct lane *lane)
{
	struct page *page;
	unsigned int i;

	for (i = 0; (page = lane->fresh); i++) {
		lane->fresh = page->next;
		page->next = NULL;
		if (i >= lane->nread) {
			tsh_page_release(src, page);
			continue;
		}
		page->lost = tsh_lane_losses(src, lane, page->lost);
		tsh_lane_queue(src, lane, page);
	}
	lane->nfresh = 0;
	tsh_lane_report_cut(src, lane);
	if (lane->nread && lane->ended)
		lane->state = LANE_EMPTY;
	if (lane->state == LANE_EMPTY)
		lane->reached = true;
	if (lane->nread)
		tsh_lane_note_last_page(src, lane);
}

int tsh_source_end_read(struct tsh_source *src, bool *ret_drained)
{
	bool drained = true;
	int n = 0, r = 0;
	size_t i;

	for (i = 0; i < src->nlanes; i++) {
		struct lane *lane = &src->lanes[i];
		bool was_passed = src->marked && tsh_lane_passed_mark(src, lane);

		n += (int)lane->nread;
		if (lane->read_error < 0)
			r = lane->read_error;
		end_read(src, lane);
		drained = drained && (was_passed || lane->state != LANE_MORE);
	}
	if (!n && !drained)
		tsh_source_unblock(src);
	*ret_drained = drained;
	return r < 0 ? r : n;
}
