/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/xmalloc.h"
#include "source.h"

/* Holds the pages whose events were not passed on yet: a pool, and a queue for each CPU. */

uint64_t tsh_lost_sum(uint64_t a, uint64_t b)
{
	return a == TSH_LOST_UNKNOWN || b == TSH_LOST_UNKNOWN ? TSH_LOST_UNKNOWN : a + b;
}

struct page *tsh_page_acquire(struct tsh_source *src)
{
	struct page *page = src->spare;

	if (page) {
		src->spare = page->next;
		src->nspare--;
	} else {
		page = tsh_xaligned(PAGE_ALIGN, sizeof(*page) + src->layout.page_size);
	}
	page->next = NULL;
	page->is_measured = false;
	return page;
}

void tsh_page_release(struct tsh_source *src, struct page *page)
{
	page->next = src->spare;
	src->spare = page;
	src->nspare++;
}

void tsh_page_measure(const struct tsh_source *src, struct page *page)
{
	struct tsh_page_event event = { 0 };
	struct tsh_page_walk walk;

	page->events = 0;
	page->lost = page->oldest = page->newest = 0;
	page->facts = (struct tsh_page_facts){ 0 };
	page->is_measured = true;
	page->is_plain = tsh_page_walk_begin(&walk, &src->layout, page->data, page->len);
	if (!page->is_plain)
		return;
	page->lost = walk.lost;
	page->facts.used = walk.end;
	walk.skips_discarded = src->kernel_stamps;
	while (page->is_plain && tsh_page_walk_next(&walk, &event)) {
		if (!page->events++) {
			page->facts.first = event.size;
			page->oldest = event.stamp;
		}
		page->is_plain = event.stamp >= page->newest;
		page->newest = event.stamp;
	}
	page->is_plain = page->is_plain && !walk.corrupt;
}

uint64_t tsh_page_count(const struct tsh_source *src, const struct page *page)
{
	struct tsh_page_event event;
	struct tsh_page_walk walk;
	uint64_t n = 0;

	if (tsh_page_walk_begin(&walk, &src->layout, page->data, page->len))
		while (tsh_page_walk_next(&walk, &event))
			n++;
	return n;
}

static void show_page(const struct tsh_source *src, const struct lane *lane,
		      const struct page *page)
{
	struct tsh_page_walk walk;

	if (tsh_page_walk_begin(&walk, &src->layout, page->data, page->len))
		src->preview(src->preview_ctx, lane->cpu, NULL, &walk);
}

static void show_lane(const struct tsh_source *src, const struct lane *lane)
{
	const struct page *page = lane->first;

	/* a head is an event of the page that is being walked */
	if (lane->walking) {
		src->preview(src->preview_ctx, lane->cpu, lane->has_head ? &lane->head : NULL, &lane->walk);
		page = page->next;
	}
	for (; page; page = page->next)
		show_page(src, lane, page);
}

void tsh_source_set_preview(struct tsh_source *src, tsh_source_preview *preview, void *ctx)
{
	size_t i;

	src->preview = preview;
	src->preview_ctx = ctx;
	for (i = 0; preview && i < src->nlanes; i++)
		show_lane(src, &src->lanes[i]);
}

void tsh_source_drop_waiting(struct tsh_source *src)
{
	struct page *page;
	size_t i;

	for (i = 0; i < src->nlanes; i++) {
		struct lane *lane = &src->lanes[i];

		while ((page = lane->first)) {
			lane->first = page->next;
			tsh_page_release(src, page);
		}
		lane->last = NULL;
		lane->npages = lane->marked_pages = 0;
		lane->has_head = lane->walking = false;
	}
}

void tsh_lane_queue(struct tsh_source *src, struct lane *lane, struct page *page)
{
	if (src->preview)
		show_page(src, lane, page);
	page->lost = tsh_lost_sum(page->lost, lane->dropped);
	lane->dropped = 0;
	if (lane->last)
		lane->last->next = page;
	else
		lane->first = page;
	lane->last = page;
	lane->npages++;
	lane->marked_pages++;
}

bool tsh_lane_drop(struct tsh_source *src, struct lane *lane)
{
	struct page *reading = lane->walking ? lane->first : NULL;
	struct page *page = reading ? reading->next : lane->first;
	uint64_t lost;

	if (!page)
		return false;
	if (reading)
		reading->next = page->next;
	else
		lane->first = page->next;
	if (lane->last == page)
		lane->last = reading;
	lost = tsh_lost_sum(page->lost, tsh_page_count(src, page));
	if (page->next)
		page->next->lost = tsh_lost_sum(page->next->lost, lost);
	else
		lane->dropped = tsh_lost_sum(lane->dropped, lost);
	lane->npages--;
	tsh_page_release(src, page);
	return true;
}

void tsh_lane_retire(struct tsh_source *src, struct lane *lane)
{
	struct page *page = lane->first;

	lane->first = page->next;
	lane->walking = false;
	if (src->is_view)
		return;
	if (!lane->first)
		lane->last = NULL;
	lane->npages--;
	page->next = src->spent;
	src->spent = page;
}

void tsh_source_recycle(struct tsh_source *src)
{
	struct page *page;

	while ((page = src->spent)) {
		src->spent = page->next;
		tsh_page_release(src, page);
	}
}

static bool lane_has_pending(const struct lane *lane)
{
	return lane->has_head || lane->first || lane->dropped || lane->lost;
}

bool tsh_source_is_full(const struct tsh_source *src)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++)
		if (src->lanes[i].npages >= src->queue_max)
			return true;
	return false;
}

void tsh_source_adopt(struct tsh_source *to, struct tsh_source *from)
{
	size_t i = 0, k = 0;

	tsh_source_recycle(from);
	while (i < to->nlanes && k < from->nlanes) {
		struct lane *a = &to->lanes[i], *b = &from->lanes[k];

		if (a->cpu == b->cpu && lane_has_pending(b) && !lane_has_pending(a)) {
			struct lane swap = *a;

			*a = *b;
			*b = swap;
		}
		i += a->cpu <= b->cpu;
		k += b->cpu <= a->cpu;
	}
	to->winner = from->winner = NULL;
}

static void free_pages(struct page *page)
{
	struct page *next;

	for (; page; page = next) {
		next = page->next;
		free(page);
	}
}

void tsh_source_free_pages(struct tsh_source *src)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++) {
		free_pages(src->lanes[i].first);
		free_pages(src->lanes[i].fresh);
	}
	free_pages(src->spare);
	free_pages(src->spent);
}
