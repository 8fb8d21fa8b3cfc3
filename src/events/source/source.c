/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/now.h"
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Limits the memory for pages: those that wait for other CPUs, and those that wait for a blocked
 * output. */
#define POOL_BYTES (8u << 20)
/* Limits the memory for pages of a recording: pages should still be in a CPU's second-level cache
 * when they are printed. Several threads need more: so many pages of each CPU. */
#define TREE_POOL_BYTES (512u << 10)
#define TREE_LANE_PAGES 32
#define QUEUE_PAGES_MIN 8
#define QUEUE_PAGES_BOUND_MIN 2
/* Limits the memory for a recording, which may be hostile. The more CPUs, the fewer pages for
 * each. */
#define TREE_QUEUES_MAX (UINT64_C(128) << 20)
#define TREE_MEMORY_MAX (UINT64_C(1) << 30)
#define RETRY_NS UINT64_C(1000000000)

uint64_t tsh_mono_ns(void)
{
	return (uint64_t)tsh_now_ns(CLOCK_MONOTONIC);
}

/* ---- opening ---- */

static int blame_lane(const struct tsh_source *src, const struct lane *lane, struct tsh_err *err)
{
	char path[48];

	if (src->live)
		return tsh_err_errno(err, -lane->fd,
				     "cannot open the buffer of cpu %d of instance '%s'", lane->cpu,
				     tsh_instance_label(src->in));
	snprintf(path, sizeof(path), "per_cpu/cpu%d/trace_pipe_raw", lane->cpu);
	return tsh_file_blame(src->in, path, lane->fd, err);
}

static int open_lanes(struct tsh_source *src, const struct tsh_cpuset *cpus, struct tsh_err *err)
{
	unsigned int *present = NULL;
	size_t i, n = tsh_cpus_present(src->in, &present);
	int r = 0;

	src->lanes = tsh_xcalloc(n ? n : 1, sizeof(*src->lanes));
	for (i = 0; i < n && !r; i++) {
		struct lane *lane = &src->lanes[src->nlanes];

		if (cpus && !tsh_cpuset_has(cpus, present[i]))
			continue;
		lane->cpu = (int)present[i];
		lane->fd = tsh_lane_open(src, lane);
		/* the CPU was never online, or the recording lacks the file */
		if (lane->fd == -ENODEV || lane->fd == -ENXIO || lane->fd == -ENOENT)
			lane->fd = -1;
		else if (lane->fd < 0)
			r = blame_lane(src, lane, err);
		if (src->live)
			tsh_lane_begin_losses(src, lane);
		else
			tsh_lane_begin_tree(src, lane);
		src->nlanes++;
	}
	free(present);
	if (!r && !src->nlanes && cpus && src->live)
		r = tsh_err_set(err, TSH_FAILED, "this machine has no such CPU");
	else if (!r && !src->nlanes)
		r = tsh_err_set(err, TSH_FAILED, "the recording has no %s",
				cpus ? "such CPU" : "pages: it is damaged");
	return r;
}

static int read_layout(struct tsh_source *src, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_file_read(src->in, "events/header_page", &text);

	if (r < 0)
		r = tsh_file_blame(src->in, "events/header_page", r, err);
	else if (tsh_page_layout_parse(&src->layout, text.buf, text.len) < 0)
		r = tsh_err_set(err, TSH_FAILED, "'events/header_page' cannot be parsed");
	else if (!src->live)
		tsh_source_begin_tree(src);
	tsh_strbuf_release(&text);
	return r;
}

static void set_pool(struct tsh_source *src, size_t bytes, unsigned int pages_min)
{
	size_t pages = bytes / src->layout.page_size / src->nlanes;

	src->queue_max = pages < pages_min ? pages_min : pages > UINT_MAX ? UINT_MAX :
			 (unsigned int)pages;
}

void tsh_source_bound(struct tsh_source *src, size_t bytes)
{
	set_pool(src, bytes, QUEUE_PAGES_BOUND_MIN);
}

void tsh_source_share(struct tsh_source *src)
{
	uint64_t bytes = (uint64_t)src->nlanes * src->layout.page_size * TREE_LANE_PAGES;

	if (!src->live && src->queue_max < TREE_LANE_PAGES)
		set_pool(src, bytes < POOL_BYTES ? (size_t)bytes : POOL_BYTES, QUEUE_PAGES_BOUND_MIN);
}

/* Sets the pool of a recording, whose number of CPUs and size of pages may be false. */
static int set_tree_pool(struct tsh_source *src, struct tsh_err *err)
{
	uint64_t all = (uint64_t)src->nlanes * src->layout.page_size;

	if (all * QUEUE_PAGES_BOUND_MIN > TREE_MEMORY_MAX) {
		tsh_err_set(err, TSH_FAILED, "pages of %u KB of %zu CPUs would take more than 1 GB of "
			    "memory", src->layout.page_size / 1024, src->nlanes);
		tsh_err_hint(err, "read some CPUs at a time: --cpu 0-63");
		return -1;
	}
	set_pool(src, TREE_POOL_BYTES,
		 all * QUEUE_PAGES_MIN > TREE_QUEUES_MAX ? QUEUE_PAGES_BOUND_MIN : QUEUE_PAGES_MIN);
	return 0;
}

int tsh_source_open(const struct tsh_instance *in, const struct tsh_cpuset *cpus,
		    struct tsh_source **ret, struct tsh_err *err)
{
	struct tsh_source *src = tsh_xcalloc(1, sizeof(*src));

	src->in = in;
	src->live = in->dir->kind != TSH_DIR_TREE;
	src->wanted = UINT64_MAX;
	if (read_layout(src, err) < 0 || open_lanes(src, cpus, err) < 0 ||
	    (!src->live && set_tree_pool(src, err) < 0)) {
		tsh_source_close(src);
		return -1;
	}
	if (src->live)
		set_pool(src, POOL_BYTES, QUEUE_PAGES_MIN);
	tsh_source_begin_merge(src);
	if (!src->live)
		tsh_source_read_left_out(src);
	*ret = src;
	return 0;
}

void tsh_source_use_kernel_stamps(struct tsh_source *src, bool use)
{
	size_t i;

	src->kernel_stamps = use;
	for (i = 0; i < src->nlanes; i++)
		src->lanes[i].walk.skips_discarded = use;
}

void tsh_source_close(struct tsh_source *src)
{
	size_t i;

	if (!src)
		return;
	for (i = 0; i < src->nlanes; i++) {
		if (src->lanes[i].pages.free)
			src->lanes[i].pages.free(src->lanes[i].pages.ctx);
		if (src->lanes[i].fd >= 0)
			close(src->lanes[i].fd);
	}
	tsh_source_free_pages(src);
	tsh_strlist_release(&src->complaints);
	free(src->losers);
	free(src->lanes);
	free(src);
}

void tsh_source_close_files(struct tsh_source *src)
{
	size_t i;

	for (i = 0; src->live && i < src->nlanes; i++) {
		struct lane *lane = &src->lanes[i];

		if (lane->fd >= 0)
			close(lane->fd);
		lane->fd = -1;
		lane->retry_at = 0;
	}
}

const struct tsh_page_layout *tsh_source_layout(const struct tsh_source *src)
{
	return &src->layout;
}

bool tsh_source_is_live(const struct tsh_source *src)
{
	return src->live;
}

bool tsh_source_complaint(struct tsh_source *src, struct tsh_strbuf *out)
{
	if (src->ncomplaints_read == src->complaints.n) {
		tsh_strlist_release(&src->complaints);
		src->ncomplaints_read = 0;
		return false;
	}
	tsh_strbuf_adds(out, src->complaints.v[src->ncomplaints_read++]);
	return true;
}

void tsh_source_add_complaint(struct tsh_source *src, const char *fmt, ...)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	tsh_strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	tsh_strlist_add_owned(&src->complaints, tsh_strbuf_detach(&text));
}

/* ---- reading ---- */

/* Reads the next page. Returns its bytes; 0: there is none at the moment; -errno. */
static ssize_t read_live(struct lane *lane, unsigned char *data, size_t size)
{
	ssize_t n;

	do {
		n = read(lane->fd, data, size);
	} while (n < 0 && errno == EINTR);
	if (n >= 0)
		return n;
	if (errno == ENODEV || errno == ENXIO) {
		lane->retry_at = tsh_mono_ns() + RETRY_NS;
		return 0;
	}
	/* the kernel had no memory for a page, or is resizing the buffer */
	if (errno == EAGAIN || errno == ENOMEM || errno == EBUSY)
		return 0;
	return -errno;
}

/* Sets the losses before a page, from its header, and measures it for tsh_source_caught_up. Reads no event but
 * the first: merge.c reads the events when they are passed on. */
static void measure_page(const struct tsh_source *src, struct lane *lane, struct page *page,
			 struct tsh_page_facts *ret)
{
	struct tsh_page_walk walk;
	struct tsh_page_event event;

	*ret = (struct tsh_page_facts){ 0 };
	page->lost = 0;
	if (!tsh_page_walk_begin(&walk, &src->layout, page->data, page->len))
		return;
	page->lost = tsh_lane_losses(src, lane, walk.lost);
	ret->used = walk.end;
	if (tsh_page_walk_next(&walk, &event))
		ret->first = event.size;
}

void tsh_lane_note_last_page(const struct tsh_source *src, struct lane *lane)
{
	struct tsh_page_walk walk;
	struct tsh_page_event event;
	uint64_t newest = 0;

	if (!lane->last || !tsh_page_walk_begin(&walk, &src->layout, lane->last->data,
						lane->last->len))
		return;
	while (tsh_page_walk_next(&walk, &event))
		if (event.stamp > newest)
			newest = event.stamp;
	if (newest > lane->seen || (newest && lane->seen - newest > TSH_SET_BACK_NS))
		lane->seen = newest;
}

bool tsh_source_caught_up(const struct tsh_source *src, const struct tsh_page_facts *before,
		      const struct tsh_page_facts *page)
{
	uint32_t size = src->layout.page_size - src->layout.data_offset;

	return before->used < size / 2 && page->used < size / 2 &&
	       page->first + 8 <= size - before->used;
}

bool tsh_lane_is_asleep(struct tsh_source *src, struct lane *lane)
{
	if (lane->ended)
		return true;
	if (lane->retry_at && tsh_mono_ns() < lane->retry_at)
		return true;
	lane->retry_at = 0;
	if (lane->fd >= 0)
		return false;
	lane->fd = tsh_lane_open(src, lane);
	if (lane->fd >= 0)
		return false;
	lane->fd = -1;
	lane->retry_at = tsh_mono_ns() + RETRY_NS;
	return true;
}

/* Reads sparingly when fewer events per CPU are wanted: less than a page holds. */
#define FEW 256
/* Limits the small events that one read asks for, as a multiple of each CPU's share. All wanted
 * events may come from one CPU; then those of the others stay unused. */
#define AT_ONCE 3
#define EVENT_BYTES 48

void tsh_source_limit_events(struct tsh_source *src, uint64_t events)
{
	src->wanted = src->live ? events : UINT64_MAX;
}

/*
 * Reads about `size` bytes of events. The kernel returns complete events that fit. Further reads
 * get the rest of the same page until it is used up (kernel/trace/trace.c, tracing_buffers_read),
 * so an empty rest is read too. Returns 0 when there is none, or -errno.
 */
static ssize_t read_few(struct lane *lane, unsigned char *data, size_t size, size_t page_size)
{
	ssize_t n;

	/* The result is also 0 when the next event is larger than `size`. */
	while (!(n = read_live(lane, data, size)) && size < page_size && !lane->retry_at)
		size = 2 * size < page_size ? 2 * size : page_size;
	if (n > 0 && (size_t)n == size && size < page_size)
		(void)read_live(lane, data + size, page_size - size);
	return n;
}

/* Fills a lane when only few events are wanted. Returns the number of pages read, or -errno. */
static int fill_lane_sparingly(struct tsh_source *src, struct lane *lane)
{
	size_t size = src->layout.page_size, few;
	struct tsh_page_facts facts;
	struct page *page;
	ssize_t n;

	/* reads only when no event of this lane waits */
	lane->state = LANE_NEAR;
	if (lane->has_head || lane->first)
		return 0;
	if (tsh_lane_is_asleep(src, lane)) {
		lane->state = LANE_EMPTY;
		lane->reached = true;
		return 0;
	}
	few = src->wanted / src->nlanes + 1 < AT_ONCE ? src->wanted / src->nlanes + 1 : AT_ONCE;
	few = src->layout.data_offset + few * EVENT_BYTES;
	page = tsh_page_acquire(src);
	n = read_few(lane, page->data, few < size ? few : size, size);
	if (n <= 0) {
		tsh_page_release(src, page);
		lane->state = LANE_EMPTY;
		lane->reached = lane->reached || !n;
		return (int)n;
	}
	page->len = (size_t)n;
	measure_page(src, lane, page, &facts);
	tsh_lane_queue(src, lane, page);
	/* Partial pages do not count: only whole ones show how far reading has come around the
	 * buffer. */
	lane->marked_pages--;
	tsh_lane_note_last_page(src, lane);
	return 1;
}

ssize_t tsh_lane_read(const struct tsh_source *src, struct lane *lane, struct page *page)
{
	ssize_t n = src->live ? read_live(lane, page->data, src->layout.page_size) :
				tsh_lane_read_tree(lane, page->data, src->layout.page_size);

	page->len = n > 0 ? (size_t)n : 0;
	return n;
}

/* Reads up to `n` pages of a recording at once. Returns how many, or -errno. */
static int read_pages(struct tsh_source *src, struct lane *lane, unsigned int n)
{
	struct page *pages[TSH_TREE_PAGES];
	struct tsh_page_facts ignored;
	size_t i, have;
	ssize_t r = 0;

	if (n > TSH_TREE_PAGES)
		n = TSH_TREE_PAGES;
	for (i = 0; i < n; i++)
		pages[i] = tsh_page_acquire(src);
	have = tsh_lane_read_pages(src, lane, pages, n);
	if (!have) {
		r = tsh_lane_read(src, lane, pages[0]);
		tsh_lane_report_cut(src, lane);
		have = r > 0;
	}
	for (i = 0; i < have; i++) {
		measure_page(src, lane, pages[i], &ignored);
		tsh_lane_queue(src, lane, pages[i]);
	}
	for (i = n; i > have; i--)
		tsh_page_release(src, pages[i - 1]);
	return r < 0 ? (int)r : (int)have;
}

/* Fills a lane of a recording. Returns the number of pages read, or -errno. */
static int fill_tree_lane(struct tsh_source *src, struct lane *lane, unsigned int budget)
{
	unsigned int n = 0, room;
	int r;

	lane->state = LANE_MORE;
	while (n < budget && lane->npages < src->queue_max) {
		room = src->queue_max - lane->npages < budget - n ? src->queue_max - lane->npages : budget - n;
		r = tsh_lane_is_asleep(src, lane) ? 0 : read_pages(src, lane, room);
		if (r < 0)
			return r;
		if (!r) {
			lane->state = LANE_EMPTY;
			lane->reached = true;
			break;
		}
		n += (unsigned int)r;
	}
	if (n)
		tsh_lane_note_last_page(src, lane);
	return (int)n;
}

static int fill_lane(struct tsh_source *src, struct lane *lane, unsigned int budget)
{
	struct tsh_page_facts before = { 0 }, facts;
	unsigned int n = 0;
	struct page *page;
	ssize_t r;

	lane->state = LANE_MORE;
	while (n < budget) {
		if (lane->npages >= src->queue_max &&
		    !(src->overflows && tsh_lane_drop(src, lane)))
			break;
		if (tsh_lane_is_asleep(src, lane)) {
			lane->state = LANE_EMPTY;
			break;
		}
		page = tsh_page_acquire(src);
		r = tsh_lane_read(src, lane, page);
		if (r <= 0) {
			tsh_page_release(src, page);
			if (r < 0)
				return (int)r;
			lane->state = LANE_EMPTY;
			break;
		}
		measure_page(src, lane, page, &facts);
		tsh_lane_queue(src, lane, page);
		if (n++ && tsh_source_caught_up(src, &before, &facts)) {
			lane->state = LANE_NEAR;
			break;
		}
		before = facts;
	}
	if (lane->state == LANE_EMPTY)
		lane->reached = true;
	if (n)
		tsh_lane_note_last_page(src, lane);
	return (int)n;
}

bool tsh_lane_passed_mark(const struct tsh_source *src, const struct lane *lane)
{
	if (lane->reached)
		return true;
	if (src->mark_has_stamp && lane->seen > src->mark_stamp)
		return true;
	/* a writer that is faster than we are has overwritten the rest */
	return src->live && lane->marked_pages > lane->buffer_pages;
}

int tsh_source_fill(struct tsh_source *src, unsigned int budget, bool *ret_drained)
{
	bool drained = true;
	int r, n = 0;
	size_t i;

	tsh_source_recycle(src);
	src->winner = NULL;
	for (i = 0; i < src->nlanes; i++) {
		struct lane *lane = &src->lanes[i];

		if (src->marked && tsh_lane_passed_mark(src, lane))
			continue;
		r = src->wanted < FEW * src->nlanes ? fill_lane_sparingly(src, lane) :
		    src->live ? fill_lane(src, lane, budget) : fill_tree_lane(src, lane, budget);
		if (r < 0)
			return r;
		n += r;
		drained = drained && lane->state != LANE_MORE;
	}
	if (!n && !drained)
		tsh_source_unblock(src);
	*ret_drained = drained;
	return n;
}

void tsh_source_set_overflow(struct tsh_source *src, bool overflows)
{
	src->overflows = overflows && src->live;
}

/* ---- the mark ---- */

static uint64_t lane_buffer_pages(const struct tsh_source *src, const struct lane *lane)
{
	char *path = tsh_xasprintf("per_cpu/cpu%d/buffer_size_kb", lane->cpu);
	uint64_t kb = tsh_file_number(src->in, path, UINT32_MAX);

	free(path);
	return tsh_page_layout_pages(&src->layout, kb);
}

void tsh_source_mark(struct tsh_source *src, const uint64_t *stamp)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++) {
		struct lane *lane = &src->lanes[i];

		lane->reached = lane->ended;
		lane->marked_pages = 0;
		if (src->live)
			lane->buffer_pages = lane_buffer_pages(src, lane);
	}
	src->marked = true;
	src->mark_has_stamp = stamp != NULL;
	src->mark_stamp = stamp ? *stamp : 0;
}

void tsh_source_unmark(struct tsh_source *src)
{
	src->marked = false;
}

bool tsh_source_mark_reached(const struct tsh_source *src)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++)
		if (!tsh_lane_passed_mark(src, &src->lanes[i]))
			return false;
	return true;
}

size_t tsh_source_pollfds(const struct tsh_source *src, struct pollfd **ret)
{
	struct pollfd *fds = tsh_xcalloc(src->nlanes ? src->nlanes : 1, sizeof(*fds));
	size_t i, n = 0;

	for (i = 0; i < src->nlanes; i++)
		if (src->lanes[i].fd >= 0 && !src->lanes[i].retry_at)
			fds[n++] = (struct pollfd){ .fd = src->lanes[i].fd, .events = POLLIN };
	*ret = fds;
	return n;
}
