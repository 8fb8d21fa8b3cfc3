/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_SOURCE_H
#define TRACESH_EVENTS_SOURCE_SOURCE_H

#include <poll.h>

#include "stream.h"

/* The kernel's copy takes half as long again where no line of the cache begins. */
#define PAGE_ALIGN 64

/* A sub-buffer as read(2) gave it. */
struct page {
	struct page *next;
	size_t len;
	uint64_t lost;			/* before it: in the kernel, and pages that were dropped */
	_Alignas(PAGE_ALIGN) unsigned char data[];
};

enum lane_state {
	LANE_MORE,		/* stopped by the budget: the kernel has more */
	LANE_NEAR,		/* caught up with a busy writer */
	LANE_EMPTY,		/* nothing was left at the moment of reading */
};

/* By so much a CPU's clock goes back only when somebody sets it, or after a wrong stamp. */
#define TSH_SET_BACK_NS UINT64_C(1000000000)

/* One CPU. */
struct lane {
	int cpu;
	int fd;				/* -1: could not be opened yet (offline) */
	bool ended;			/* the file of a tree was read to its end */
	uint64_t recorded;		/* the events of a tree's file, as the tree says; 0: it does not */
	uint64_t loaded;		/* events that came into its head so far */
	uint64_t at, left, size;	/* of a tree's file: the next page, bytes not read yet */
	bool told_corrupt;
	enum lane_state state;
	uint64_t retry_at;		/* offline: not before (CLOCK_MONOTONIC) */
	uint64_t seen;			/* the latest stamp that was read */
	uint64_t counted;		/* of the kernel's overruns: they stand in marks that were read */
	uint64_t counted_at;		/* CLOCK_MONOTONIC: when a mark without a count got one */
	bool counts;			/* all marks since the first of its overruns have been seen */
	bool counted_ahead;		/* one got the count of a later one, too */

	/* Since tsh_source_mark: how much of what was there then has been read. */
	bool reached;
	uint64_t marked_pages;
	uint64_t buffer_pages;

	struct page *first;		/* queue; the walk is in the first */
	struct page *last;
	unsigned int npages;
	uint64_t dropped;		/* events behind the last page of the queue */
	bool walking;
	struct tsh_page_walk walk;
	bool has_head;
	struct tsh_page_event head;
	uint64_t key;			/* of head: its stamp, never less than the key before */
	/* Stamps from .. to do not count for the key: tsh_source_unblock let them go. */
	bool strays;
	uint64_t stray_from, stray_to;
	uint64_t lost;			/* before head */
	uint64_t passed;		/* lost among what lag_leave_out left out */
};

/* A lane in the merge's matches, which is all that they look at. */
struct player {
	uint64_t key;
	uint64_t lane;			/* its place; PLAYER_NOBODY: it has no event */
};
#define PLAYER_NOBODY UINT64_MAX

struct tsh_source {
	const struct tsh_instance *in;
	struct tsh_page_layout layout;
	bool live;
	bool rings;			/* a tree whose files may begin with their newest page */
	struct lane *lanes;		/* sorted by CPU: ties go to the lower one */
	size_t nlanes;
	unsigned int queue_max;		/* pages of one lane */
	bool overflows;			/* a full queue drops its oldest page */
	bool kernel_stamps;
	bool is_cut;			/* a tree without an end */
	uint64_t overwritten;		/* events of a tree's CPUs that were given up for newer ones */
	uint64_t wanted;		/* no more events than that will be given */
	struct page *spare;		/* the pool */
	size_t nspare;
	struct page *spent;		/* given out; records may point into them until a fill */
	struct lane *winner;		/* of the merge; NULL: play all matches anew */
	struct player runner;		/* the best of those that lost against the winner */
	struct player *losers;		/* a tree: [1] lost the final; see merge.c */
	size_t nleaves;			/* a power of two */
	uint64_t given;			/* the latest stamp given out */
	bool set_back;			/* a lane's clock has been since */
	bool marked;
	bool mark_has_stamp;
	uint64_t mark_stamp;
	struct tsh_strlist complaints;
	size_t ncomplaints_taken;
	tsh_source_see *see;		/* NULL: nobody looks at pages before they are given out */
	void *see_ctx;
};

uint64_t tsh_mono_ns(void);

/* ---- pages: src/events/source/queue.c ---- */

/* A page to read into, of the pool; back to it. */
struct page *tsh_page_get(struct tsh_source *src);
void tsh_page_put(struct tsh_source *src, struct page *page);
/* The events of a page. */
uint64_t tsh_page_count(const struct tsh_source *src, const struct page *page);
/* Puts a page at the end of a lane's queue, which takes over its losses too. */
void tsh_lane_queue(struct tsh_source *src, struct lane *lane, struct page *page);
/* Makes room in a full queue: the oldest page that nobody is reading goes, its events
 * are counted as lost where they are missing. False: there is none. */
bool tsh_lane_drop(struct tsh_source *src, struct lane *lane);
/* Lets go of the first page of a lane; its bytes stay until the next fill. */
void tsh_lane_retire(struct tsh_source *src, struct lane *lane);
/* What was given out before this fill is nobody's any more. */
void tsh_source_recycle(struct tsh_source *src);
void tsh_source_free_pages(struct tsh_source *src);
/* A CPU has no room for another page. */
bool tsh_source_is_full(const struct tsh_source *src);
/* a + b, where either may be TSH_LOST_UNKNOWN */
uint64_t tsh_lost_sum(uint64_t a, uint64_t b);

/* ---- the merge ---- */

/* Once, when the lanes are known. */
void tsh_source_plant(struct tsh_source *src);

/* ---- a recorded tree: src/events/source/recorded.c ---- */

/* Byte order and order of the pages, when the layout is known. */
void tsh_source_begin_tree(struct tsh_source *src);
/* Says what is missing by intention, when the lanes are known. */
void tsh_source_tell_tree(struct tsh_source *src);
void tsh_lane_begin_tree(struct tsh_source *src, struct lane *lane);
/* The next page, oldest first. Bytes; 0 at the end; -errno. */
ssize_t tsh_lane_read_tree(struct tsh_source *src, struct lane *lane, unsigned char *data,
			   size_t size);
/*
 * At the end: how many events of the CPUs that were given to their end were recorded and are
 * not there (a file that is cut, missing, damaged); a complaint for each CPU.
 */
uint64_t tsh_source_tell_missing(struct tsh_source *src);
/* For tsh_source_complaint. */
void tsh_source_complain(struct tsh_source *src, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The stamp up to which nothing older can come any more, when a CPU that was read
 * to its end has nothing older than empty_mark.
 */
uint64_t tsh_source_horizon(const struct tsh_source *src, uint64_t empty_mark);
/*
 * When nothing was read, since all queues are full: of a lane whose head lies behind all that
 * was read of it (a wrong stamp, or its clock was set back later) what does so is let go. The
 * horizon would never come that far, and no queue would ever be emptied.
 */
void tsh_source_unblock(struct tsh_source *src);
/* The latest stamp among the events that wait. 0: none waits. */
uint64_t tsh_source_newest(const struct tsh_source *src);
/* What comes after the event that was given last on its CPU, and taking it out. */
bool tsh_source_peek(struct tsh_source *src, int cpu, struct tsh_record *ret);
void tsh_source_skip(struct tsh_source *src, int cpu);
/* The output is stuck: queues that are full drop what is oldest, so that the kernel's
 * buffers are emptied all the same. */
void tsh_source_let_overflow(struct tsh_source *src, bool overflows);
/*
 * No more than that many events will be given from now on: as it gets fewer, a fill reads
 * no more than that, and nothing of a CPU whose events wait, so that the rest stays in the
 * kernel. UINT64_MAX: no limit.
 */
void tsh_source_want(struct tsh_source *src, uint64_t events);
/* Some event waits. */
bool tsh_source_has_pending(const struct tsh_source *src);
/* A CPU has more than the last fill was allowed to read. */
bool tsh_source_behind(const struct tsh_source *src);

/*
 * From now on only what was there at this moment is of interest: a lane that has
 * passed it is read no further. stamp NULL: the clock cannot be read.
 */
void tsh_source_mark(struct tsh_source *src, const uint64_t *stamp);
void tsh_source_unmark(struct tsh_source *src);
bool tsh_source_mark_reached(const struct tsh_source *src);
/* What was there at the mark has been read from this lane. */
bool tsh_lane_passed_mark(const struct tsh_source *src, const struct lane *lane);

/* Descriptors to poll; the caller frees the array. */
size_t tsh_source_pollfds(const struct tsh_source *src, struct pollfd **ret);

/*
 * A line "NAME: VALUE" of per_cpu/cpuN/stats. A time as "secs.usecs" comes as
 * microseconds with *ret_is_time set; ret_is_time may be NULL.
 */
bool tsh_stats_value(const char *text, const char *name, uint64_t *ret, bool *ret_is_time);
/* When a lane is opened: whether all its overruns are still to come. */
void tsh_lane_begin_losses(const struct tsh_source *src, struct lane *lane);
/*
 * How many events are missing before a page that says `lost`. A page that is full to its last
 * byte has no room for the count (ring_buffer_read_page); then the kernel's overruns say it,
 * or TSH_LOST_UNKNOWN.
 */
uint64_t tsh_lane_losses(const struct tsh_source *src, struct lane *lane, uint64_t lost);
/* The sum over all CPUs of the source; 0 for a tree. */
uint64_t tsh_source_overruns(const struct tsh_source *src);

#endif
