/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slices.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "source.h"

/* Limits the pages that lie in one slice because they begin at one stamp, in bytes: a thread notes all
 * events of its slice. */
#define STEP_MAX (1u << 20)

/* Holds a slice: the events with stamps above .after up to .until. */
struct slice {
	uint64_t after, until;
};

struct tsh_slices {
	struct tsh_source *src;
	TSH_VEC(uint64_t) stamps;	/* at which the pages of a cut begin */
	TSH_VEC(struct slice) slices;
	/* the page of each lane in which a slice begins, or one before it; by slice and lane */
	struct page **pages;
	size_t npages;
	uint64_t newest_passed;
};

/* Is a copy of the source that has a slice's pages, and a merge of its own. */
struct tsh_slice_reader {
	const struct tsh_slices *slices;
	struct tsh_source view;
};

struct tsh_slices *tsh_slices_new(struct tsh_source *src)
{
	struct tsh_slices *slices = tsh_xcalloc(1, sizeof(*slices));

	slices->src = src;
	return slices;
}

void tsh_slices_free(struct tsh_slices *slices)
{
	if (!slices)
		return;
	tsh_vec_release(&slices->stamps);
	tsh_vec_release(&slices->slices);
	free(slices->pages);
	free(slices);
}

/* ---- cutting ---- */

/* Notes the stamps at which the pages of a lane begin. Returns false when the order of its events
 * does not only depend on their stamps. */
static bool note_lane(struct tsh_slices *slices, const struct lane *lane, uint64_t watermark, bool is_whole)
{
	uint64_t newest = lane->key;
	const struct page *page;

	if (lane->strays || (lane->has_head && lane->key != lane->head.stamp) || (is_whole && lane->lost))
		return false;
	for (page = lane->first; page; page = page->next) {
		bool is_walked = page == lane->first && lane->walking;

		if (!page->is_measured || !page->is_plain || (is_whole && page->lost && !is_walked))
			return false;
		if (!page->events)
			continue;
		if (!is_walked && page->oldest < newest)
			return false;
		newest = page->newest;
		if (!is_walked && page->oldest <= watermark && page->oldest)
			*tsh_vec_push(&slices->stamps) = page->oldest;
	}
	return true;
}

static int compare_stamps(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Finds for each lane the page in which a slice begins, from that of the slice before it on. */
static void find_pages(struct tsh_slices *slices, size_t slice)
{
	struct page **pages = slices->pages + slice * slices->src->nlanes;
	uint64_t after = slices->slices.v[slice].after;
	size_t i;

	for (i = 0; i < slices->src->nlanes; i++) {
		struct page *page = slice ? pages[(ptrdiff_t)i - (ptrdiff_t)slices->src->nlanes] :
					    slices->src->lanes[i].first;
		struct page *next;

		/* skips pages whose events all are in earlier slices; an empty page stays for the
		 * losses before the event behind it */
		for (; slice && page && page->events && page->newest <= after; page = next)
			next = page->next;
		pages[i] = page;
	}
}

size_t tsh_slices_cut(struct tsh_slices *slices, uint64_t watermark, size_t parts, size_t bytes, bool is_whole)
{
	struct tsh_source *src = slices->src;
	size_t step = bytes / src->layout.page_size, same = 0, i, need;
	uint64_t after = 0;

	slices->stamps.n = slices->slices.n = 0;
	if (src->set_back)
		return 0;
	for (i = 0; i < src->nlanes; i++)
		if (!note_lane(slices, &src->lanes[i], watermark, is_whole))
			return 0;
	if (step > slices->stamps.n / parts)
		step = slices->stamps.n / parts;
	if (!step)
		step = 1;
	if (slices->stamps.n < 2 * step)
		return 0;
	tsh_vec_sort(&slices->stamps, compare_stamps);
	for (i = step; i + step / 2 < slices->stamps.n; i += step) {
		if (slices->stamps.v[i] - 1 <= after) {
			same += step;
			if (same * src->layout.page_size > STEP_MAX)
				return 0;
			continue;
		}
		same = 0;
		*tsh_vec_push(&slices->slices) = (struct slice){ after, slices->stamps.v[i] - 1 };
		after = slices->stamps.v[i] - 1;
	}
	if (watermark > after)
		*tsh_vec_push(&slices->slices) = (struct slice){ after, watermark };
	need = slices->slices.n * src->nlanes;
	if (need > slices->npages) {
		slices->pages = tsh_xreallocarray(slices->pages, need, sizeof(struct page *));
		slices->npages = need;
	}
	for (i = 0; i < slices->slices.n; i++)
		find_pages(slices, i);
	slices->newest_passed = src->newest_passed;
	return slices->slices.n;
}

uint64_t tsh_slices_until(const struct tsh_slices *slices, size_t i)
{
	return slices->slices.v[i].until;
}

/* Moves a lane behind a stamp. Pages that are not walked yet are skipped as they are. Returns the
 * newest stamp before that; 0: there is none. */
static uint64_t move_lane(struct tsh_source *src, struct lane *lane, uint64_t stamp)
{
	uint64_t newest = 0, last;
	struct page *page;

	if (lane->walking && lane->first->newest <= stamp) {
		struct tsh_page_event event;

		lane->has_head = false;
		lane->lost = 0;
		while (tsh_page_walk_next(&lane->walk, &event))
			lane->loaded++;
		newest = lane->key = lane->first->newest;
		tsh_lane_retire(src, lane);
	}
	while (!lane->walking && (page = lane->first) && page->events && page->newest <= stamp) {
		lane->lost = 0;
		lane->loaded += page->events;
		newest = lane->key = page->newest;
		tsh_lane_retire(src, lane);
	}
	last = tsh_lane_skip_to(src, lane, stamp);
	return last > newest ? last : newest;
}

void tsh_slices_end(struct tsh_slices *slices, size_t n)
{
	struct tsh_source *src = slices->src;
	uint64_t newest = src->newest_passed;
	size_t i;

	for (i = 0; n && i < src->nlanes; i++) {
		uint64_t passed = move_lane(src, &src->lanes[i], slices->slices.v[n - 1].until);

		newest = passed > newest ? passed : newest;
	}
	src->newest_passed = newest;
	src->winner = NULL;
	slices->slices.n = 0;
}

/* ---- reading ---- */

struct tsh_slice_reader *tsh_slice_reader_new(const struct tsh_slices *slices)
{
	struct tsh_slice_reader *reader = tsh_xcalloc(1, sizeof(*reader));
	const struct tsh_source *src = slices->src;

	reader->slices = slices;
	reader->view = (struct tsh_source){
		.in = src->in, .layout = src->layout, .live = src->live, .is_view = true,
		.nlanes = src->nlanes, .kernel_stamps = src->kernel_stamps,
		.lanes = tsh_xcalloc(src->nlanes, sizeof(*src->lanes)),
	};
	tsh_source_begin_merge(&reader->view);
	return reader;
}

void tsh_slice_reader_free(struct tsh_slice_reader *reader)
{
	if (!reader)
		return;
	free(reader->view.losers);
	free(reader->view.lanes);
	free(reader);
}

/* Sets the lanes of a view to the beginning of a slice. */
static void begin_slice(struct tsh_slice_reader *reader, size_t slice)
{
	const struct tsh_slices *slices = reader->slices;
	struct page *const *pages = slices->pages + slice * reader->view.nlanes;
	uint64_t after = slices->slices.v[slice].after;
	size_t i;

	for (i = 0; i < reader->view.nlanes; i++) {
		struct lane *lane = &reader->view.lanes[i];

		if (!slice) {
			*lane = slices->src->lanes[i];
			continue;
		}
		*lane = (struct lane){ .cpu = slices->src->lanes[i].cpu, .fd = -1, .first = pages[i],
				       .place = (unsigned int)i };
		if (pages[i] == slices->src->lanes[i].first) {
			lane->walking = slices->src->lanes[i].walking;
			lane->walk = slices->src->lanes[i].walk;
			lane->has_head = slices->src->lanes[i].has_head;
			lane->head = slices->src->lanes[i].head;
			lane->key = slices->src->lanes[i].key;
			lane->lost = slices->src->lanes[i].lost;
		}
		tsh_lane_skip_to(&reader->view, lane, after);
	}
	/* stamps of later slices are all newer than those before them */
	reader->view.newest_passed = slice ? 0 : slices->newest_passed;
	reader->view.winner = NULL;
}

void tsh_slice_read(struct tsh_slice_reader *reader, size_t i, tsh_source_event_fn *handle,
		    tsh_slice_lost_fn *handle_lost, void *ctx)
{
	uint64_t until = reader->slices->slices.v[i].until, lost;
	struct tsh_record rec;

	begin_slice(reader, i);
	while (tsh_source_read_many(&reader->view, until, UINT64_MAX, handle, ctx, &rec, &lost) == TSH_ITEM_LOST)
		handle_lost(ctx, rec.cpu, lost, rec.stamp);
}
