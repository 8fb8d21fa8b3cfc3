/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_SOURCE_H
#define TRACESH_EVENTS_SOURCE_SOURCE_H

#include <poll.h>

#include "kernel/tracefs/tree-file.h"
#include "stream.h"

/* Sets the alignment of pages. Without it the kernel's copy takes half as long again. */
#define PAGE_ALIGN 64

/* Holds what tsh_source_caught_up compares of a page that was read. */
struct tsh_page_facts {
	uint32_t used;			/* bytes of data */
	uint32_t first;			/* bytes of its first event */
};

/* Holds a sub-buffer, as read(2) returned it. */
struct page {
	struct page *next;
	size_t len;
	/* losses before it: in the kernel, and of pages that were dropped */
	uint64_t lost;
	/* Hold what tsh_page_measure has found; is_plain: stamps do not go back, and the page is
	 * whole. */
	bool is_measured, is_plain;
	uint32_t events;
	struct tsh_page_facts facts;
	uint64_t oldest, newest;	/* stamps of its first and its last event */
	_Alignas(PAGE_ALIGN) unsigned char data[];
};

enum lane_state {
	LANE_MORE,		/* the kernel has more; reading stopped at the limit */
	LANE_NEAR,		/* caught up with a busy writer */
	LANE_EMPTY,		/* was empty when it was read */
};

/* Bounds how far a CPU's stamps go back, in ns: a larger step means that its clock was set, or that
 * a stamp was wrong. */
#define TSH_SET_BACK_NS UINT64_C(1000000000)

/* Holds the state of one CPU. */
struct lane {
	int cpu;
	unsigned int place;		/* its index in the array of lanes; set by the merge */
	int fd;				/* -1: not opened yet (offline) */
	bool ended;			/* a recording's file was read to its end */
	/* events in a recording's file, by its tracesh/info; 0: unknown */
	uint64_t recorded;
	uint64_t loaded;		/* events that were loaded into the head */
	/* in a recording's file: the next page, bytes not read yet, all bytes */
	uint64_t at, left, size;
	/* Holds the pages of a recording that is one file; all zero for others. */
	struct tsh_tree_pages pages;
	size_t cut_page;		/* bytes of a recording's last page, which is not whole; or 0 */
	bool reported_corrupt;
	bool is_damaged;		/* the next pages cannot be unpacked */
	enum lane_state state;
	/* offline: not to be opened before that time (CLOCK_MONOTONIC) */
	uint64_t retry_at;
	uint64_t seen;			/* latest stamp that was read */
	uint64_t counted;		/* overruns that pages have reported */
	/* when stats was last read for a count (CLOCK_MONOTONIC, ns) */
	uint64_t counted_at;
	bool counts;			/* pages that we read report all its overruns */
	bool counted_ahead;		/* `counted` also has overruns of later pages */

	/* Hold, since tsh_source_mark: whether the lane was read to its end, how many pages were
	 * read, and how many its buffer has. */
	bool reached;
	uint64_t marked_pages;
	uint64_t buffer_pages;

	struct page *first;		/* queue of pages; the walk is in the first */
	struct page *last;
	unsigned int npages;
	/* events that were dropped behind the last page of the queue */
	uint64_t dropped;
	bool walking;
	struct tsh_page_walk walk;
	bool has_head;
	struct tsh_page_event head;
	/* key of head: its stamp, but never less than the previous key */
	uint64_t key;
	/* Excludes stamps from stray_from to stray_to from the key, since tsh_source_unblock. */
	bool strays;
	uint64_t stray_from, stray_to;
	uint64_t lost;			/* events that are missing before head */
	struct page *fresh;		/* pages that tsh_lane_read_ahead may fill */
	unsigned int nfresh, nread;	/* their number, and how many were filled */
	int read_error;			/* -errno of tsh_lane_read_ahead */
	uint64_t passed;		/* losses before events that lag_skip_waiting skipped */
};

struct tsh_source {
	const struct tsh_instance *in;
	struct tsh_page_layout layout;
	bool live;
	bool is_view;			/* lends its pages: see slices.h */
	/* a recording whose files may begin with their newest page */
	bool rings;
	struct lane *lanes;		/* sorted by CPU: a tie goes to the lower one */
	size_t nlanes;
	unsigned int queue_max;		/* limit of pages in a lane's queue */
	bool overflows;			/* a full queue drops its oldest page */
	bool kernel_stamps;
	bool is_cut;			/* a recording without an end */
	uint64_t overwritten;		/* events of a recording that were replaced by newer ones */
	uint64_t wanted;		/* limit of the events that may still be passed on */
	struct page *spare;		/* the pool of unused pages */
	size_t nspare;
	/* pages whose events were passed on; records may point into them until the next fill */
	struct page *spent;
	struct lane *winner;		/* winner of the merge; NULL: play all matches */
	/* a binary tree of matches; [1] lost the final; see merge.c */
	uint64_t *losers;
	size_t nleaves;			/* a power of two */
	unsigned int leaf_bits;		/* nleaves is 1 << leaf_bits */
	uint64_t base;			/* the key from which the matches count */
	uint64_t far;			/* the least distance from it that a match cannot compare */
	uint64_t newest_passed;		/* latest stamp that was passed on */
	bool set_back;			/* the clock of a lane was set back since then */
	bool marked;
	bool mark_has_stamp;
	uint64_t mark_stamp;
	struct tsh_strlist complaints;
	size_t ncomplaints_read;
	/* is called for events before the consumer gets them; or NULL */
	tsh_source_preview *preview;
	void *preview_ctx;
};

/* Returns CLOCK_MONOTONIC in ns. */
uint64_t tsh_mono_ns(void);

/* ---- pages: src/events/source/queue.c ---- */

/* Removes a page from the pool, or allocates one. */
struct page *tsh_page_acquire(struct tsh_source *src);
/* Puts a page back into the pool. */
void tsh_page_release(struct tsh_source *src, struct page *page);
/* Measures a page that was just read: its .lost is what the page itself reports. Several threads may
 * measure pages of a source. */
void tsh_page_measure(const struct tsh_source *src, struct page *page);
/* Returns how many events a page has. */
uint64_t tsh_page_count(const struct tsh_source *src, const struct page *page);
/* Appends a page to a lane's queue, and adds the losses before it. */
void tsh_lane_queue(struct tsh_source *src, struct lane *lane, struct page *page);
/* Makes room in a full queue: drops the oldest page that is not being read, and counts its events
 * as lost. Returns false when there is none. */
bool tsh_lane_drop(struct tsh_source *src, struct lane *lane);
/* Removes the first page of a lane; its bytes stay valid until the next fill. */
void tsh_lane_retire(struct tsh_source *src, struct lane *lane);
/* Puts the spent pages of before this fill back into the pool. */
void tsh_source_recycle(struct tsh_source *src);
void tsh_source_free_pages(struct tsh_source *src);
/* Says whether a CPU has no room for another page. */
bool tsh_source_is_full(const struct tsh_source *src);
/* Returns a + b; either may be TSH_LOST_UNKNOWN. */
uint64_t tsh_lost_sum(uint64_t a, uint64_t b);

/* ---- reading: src/events/source/source.c ---- */

/* Reads the next page of a lane. Returns its bytes; 0: there is none at the moment; -errno. Several
 * threads may read lanes of a source, each of them another one. */
ssize_t tsh_lane_read(const struct tsh_source *src, struct lane *lane, struct page *page);
/* Says whether a fill skips a lane: its recording is at its end, or its CPU is offline. Tries to
 * open the file of an offline CPU once a second. */
bool tsh_lane_is_asleep(struct tsh_source *src, struct lane *lane);
/* Notes in lane->seen the latest stamp that was read of a lane, from its last page. */
void tsh_lane_note_last_page(const struct tsh_source *src, struct lane *lane);
/*
 * Says whether we have caught up with a busy writer, which always has one more event for the next
 * read: two pages in a row are less than half full, and the first event of the second one would
 * have fitted into the first.
 */
bool tsh_source_caught_up(const struct tsh_source *src, const struct tsh_page_facts *before,
			  const struct tsh_page_facts *page);

/* ---- the merge ---- */

/* Makes the tree of matches, once the lanes are known. */
void tsh_source_begin_merge(struct tsh_source *src);

/* Removes the waiting events of a lane up to `stamp`; calls no consumer. Returns the stamp of the
 * last one; 0: there was none. */
uint64_t tsh_lane_skip_to(struct tsh_source *src, struct lane *lane, uint64_t stamp);

/* ---- a recording: src/events/source/recorded.c ---- */

/* Reads the byte order, and whether the pages are a ring, from tracesh/info. The layout must be
 * known. */
void tsh_source_begin_tree(struct tsh_source *src);
/* Reads from tracesh/info how many events each CPU has, and how many were overwritten. The lanes
 * must be known. */
void tsh_source_read_left_out(struct tsh_source *src);
/* Opens the pages of a CPU, live or of a recording. Returns a descriptor, for lane->fd, or -errno. */
int tsh_lane_open(const struct tsh_source *src, struct lane *lane);
void tsh_lane_begin_tree(struct tsh_source *src, struct lane *lane);
/* Reads the next page, the oldest first. Returns its bytes; 0 at the end; -errno. */
ssize_t tsh_lane_read_tree(struct lane *lane, unsigned char *data, size_t size);
/* Reads whole pages at once, up to TSH_TREE_PAGES of them, and sets their lengths. Returns how many
 * were read; 0: tsh_lane_read_tree reads the next page, or finds out why there is none. */
#define TSH_TREE_PAGES 16
size_t tsh_lane_read_pages(const struct tsh_source *src, struct lane *lane, struct page *const *pages, size_t n);
/*
 * Compares, at the end, the events of the CPUs that were read completely with the numbers in
 * tracesh/info. Returns how many are missing (a file is cut, missing or damaged), and adds a
 * complaint for each CPU.
 */
uint64_t tsh_source_count_missing(struct tsh_source *src);
/* Adds a complaint when tsh_lane_read_tree has found a page that is not whole. */
void tsh_lane_report_cut(struct tsh_source *src, struct lane *lane);
/* Adds a complaint for tsh_source_complaint. */
void tsh_source_add_complaint(struct tsh_source *src, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns the stamp before which no older event can come any more, when a CPU that was read to its
 * end has nothing older than empty_mark. */
uint64_t tsh_source_horizon(const struct tsh_source *src, uint64_t empty_mark);
/*
 * Unblocks full queues. They would stay full for ever when the horizon cannot pass a lane whose
 * head is later than all its stamps that were read after it (a wrong stamp, or its clock was set
 * back). Excludes such stamps from the order.
 */
void tsh_source_unblock(struct tsh_source *src);
/* Returns the latest stamp of the waiting events; 0: none waits. */
uint64_t tsh_source_newest(const struct tsh_source *src);
/* Returns in *ret the CPU's event that follows the last one passed on. Returns false when it was
 * not read yet, or when events are missing before it. */
bool tsh_source_peek(struct tsh_source *src, int cpu, struct tsh_record *ret);
/* Removes the event that tsh_source_peek has returned. */
void tsh_source_skip(struct tsh_source *src, int cpu);
/* Lets full queues drop their oldest page when the output is blocked, so that the kernel's buffers
 * are still read. */
void tsh_source_set_overflow(struct tsh_source *src, bool overflows);
/*
 * Limits the events that are still to be passed on. When few are left, a fill reads no more than
 * these, and nothing from a CPU that has waiting events, so that the rest stays in the kernel.
 * UINT64_MAX: no limit.
 */
void tsh_source_limit_events(struct tsh_source *src, uint64_t events);
/* Says whether an event waits. */
bool tsh_source_has_pending(const struct tsh_source *src);
/* Says whether a CPU has more than the last fill was allowed to read. */
bool tsh_source_is_behind(const struct tsh_source *src);

/*
 * Marks the present moment. After that only events from before it count, and a lane that has passed
 * the mark is read no further. `stamp` is the moment on the trace clock; NULL: the clock cannot be
 * read.
 */
void tsh_source_mark(struct tsh_source *src, const uint64_t *stamp);
void tsh_source_unmark(struct tsh_source *src);
/* Says whether all lanes have passed the mark. */
bool tsh_source_mark_reached(const struct tsh_source *src);
/* Says whether everything before the mark has been read from this lane. */
bool tsh_lane_passed_mark(const struct tsh_source *src, const struct lane *lane);

/* Returns descriptors to poll; the caller frees the array. */
size_t tsh_source_pollfds(const struct tsh_source *src, struct pollfd **ret);

/* Reads a line "NAME: VALUE" of per_cpu/cpuN/stats. A time as "secs.usecs" becomes microseconds,
 * with *ret_is_time set; ret_is_time may be NULL. */
bool tsh_stats_value(const char *text, const char *name, uint64_t *ret, bool *ret_is_time);
/* Notes, when a lane is opened, whether its pages will report all its overruns: it had none yet, or
 * no event was read. */
void tsh_lane_begin_losses(const struct tsh_source *src, struct lane *lane);
/*
 * Returns how many events are missing before a page that reports `lost` events. A page that is full
 * to its last byte has no room for the count (ring_buffer_read_page): then `lost` is
 * TSH_LOST_UNKNOWN, and the number comes from the kernel's overruns, or stays unknown.
 */
uint64_t tsh_lane_losses(const struct tsh_source *src, struct lane *lane, uint64_t lost);
/* Returns the overruns of all CPUs; 0 for a recording. */
uint64_t tsh_source_overruns(const struct tsh_source *src);

#endif
