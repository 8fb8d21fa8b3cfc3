/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STREAM_SOURCE_H
#define STREAM_SOURCE_H

#include <poll.h>

#include "tracesh/stream.h"

/* A sub-buffer as read(2) gave it. */
struct page {
	struct page *next;
	size_t len;
	unsigned char data[];
};

enum lane_state {
	LANE_MORE,		/* stopped by the budget: the kernel has more */
	LANE_NEAR,		/* caught up with a busy writer */
	LANE_EMPTY,		/* nothing was left at the moment of reading */
};

/* One CPU. */
struct lane {
	int cpu;
	int fd;				/* -1: could not be opened yet (offline) */
	bool ended;			/* the file of a tree was read to its end */
	bool told_corrupt;
	enum lane_state state;
	uint64_t retry_at;		/* offline: not before (CLOCK_MONOTONIC) */
	uint64_t seen;			/* the latest stamp that was read */

	/* Since tsh_source_mark: how much of what was there then has been read. */
	bool reached;
	uint64_t marked_pages;
	uint64_t buffer_pages;

	struct page *first;		/* queue; the walk is in the first */
	struct page *last;
	unsigned int npages;
	uint64_t pending;		/* events in the queue not given out */
	bool walking;
	struct tsh_page_walk walk;
	bool has_head;
	struct tsh_page_event head;
	uint64_t key;			/* of head: its stamp, never less than the key before */
	uint64_t lost;			/* before head */
};

struct tsh_source {
	const struct tsh_instance *in;
	struct tsh_page_layout layout;
	bool live;
	struct lane *lanes;		/* sorted by CPU: ties go to the lower one */
	size_t nlanes;
	unsigned int queue_max;		/* pages of one lane */
	struct page *spare;		/* the pool */
	size_t nspare;
	struct page *spent;		/* given out; records may point into them until a fill */
	struct lane *winner;		/* of the merge; NULL: look at all lanes */
	struct lane *runner;
	uint64_t given;			/* the latest stamp given out */
	bool marked;
	bool mark_has_stamp;
	uint64_t mark_stamp;
	struct tsh_strlist complaints;
	size_t ncomplaints_taken;
};

uint64_t tsh_mono_ns(void);

/* Lets go of the first page of a lane; its bytes stay until the next fill. */
void tsh_lane_retire(struct tsh_source *src, struct lane *lane);
/* Adds losses to those before the lane's next event. */
void tsh_lane_add_lost(struct lane *lane, uint64_t lost);

/*
 * The stamp up to which nothing older can come any more, when a CPU that was read
 * to its end has nothing older than empty_mark.
 */
uint64_t tsh_source_horizon(const struct tsh_source *src, uint64_t empty_mark);
/* The latest stamp among the events that wait. 0: none waits. */
uint64_t tsh_source_newest(const struct tsh_source *src);
/* A CPU has more than the last fill was allowed to read. */
bool tsh_source_behind(const struct tsh_source *src);

/*
 * From now on only what was there at this moment is of interest: a lane that has
 * passed it is read no further. stamp NULL: the clock cannot be read.
 */
void tsh_source_mark(struct tsh_source *src, const uint64_t *stamp);
void tsh_source_unmark(struct tsh_source *src);
bool tsh_source_mark_reached(const struct tsh_source *src);

/* The clock itself was set back (tai): order starts anew. */
void tsh_source_restart_order(struct tsh_source *src);

/* Descriptors to poll; the caller frees the array. */
size_t tsh_source_pollfds(const struct tsh_source *src, struct pollfd **ret);

/*
 * A line "NAME: VALUE" of per_cpu/cpuN/stats. A time as "secs.usecs" comes as
 * microseconds with *ret_is_time set; ret_is_time may be NULL.
 */
bool tsh_stats_value(const char *text, const char *name, uint64_t *ret, bool *ret_is_time);
/* The sum over all CPUs of the source; 0 for a tree. */
uint64_t tsh_source_overruns(const struct tsh_source *src);

#endif
