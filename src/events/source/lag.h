/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_LAG_H
#define TRACESH_EVENTS_SOURCE_LAG_H

#include "stream.h"

/*
 * Handles an output that is slower than the events, as a serial line: it prints recent events, and the number of those
 * left out. While the output is behind for no longer than the limit, a row of events is printed; then all that wait are
 * left out, except for as many as it can print in half of the limit.
 */
struct lag {
	struct tsh_source *src;
	struct tsh_consumer *to;
	struct tsh_stream_summary *sum;
	uint64_t limit;			/* in ns; 0: no limit, nothing is left out */
	uint64_t behind_since;		/* in ns of CLOCK_MONOTONIC; 0: the output is not behind */
	uint64_t printed;		/* sum->events at that time */
	uint64_t keep;			/* how many of the waiting events are printed */
	uint64_t rate;			/* events per second that the output takes */
	bool is_slow;			/* some events were left out */
	bool said;
	bool ends;			/* nothing more is printed */

	/* Counts events that were left out while the output takes nothing, so that it was not told yet. */
	uint64_t untold;
	bool loses;			/* events were lost too; the lanes have their number */
	int cpu;
	uint64_t stamp;
	uint64_t taken;			/* events that the last lag_leave_out took */
};

/* Prepares a lag; borrows all. limit_ns 0: no limit. */
void lag_begin(struct lag *lag, struct tsh_source *src, struct tsh_consumer *to,
	       struct tsh_stream_summary *sum, uint64_t limit_ns);
/* Returns how many events may be given before the output is checked again. */
uint64_t lag_portion(const struct lag *lag);
/* Notes, after events were given, whether the output still has data to write. */
void lag_look(struct lag *lag, bool is_behind, uint64_t now_ns);
/*
 * Leaves out what may not be printed any more; to be called before events are given, up to the watermark. `ending`: no
 * more events will come, and a slow output prints none of these.
 */
void lag_leave_out(struct lag *lag, uint64_t watermark, bool ending, uint64_t now_ns);
/* Tells what was left out, when the output takes data again. */
void lag_tell(struct lag *lag);
/* Does the same at the end, whether the output takes data or not. */
void lag_end(struct lag *lag);
/* Tells the consumer that `count` events (or TSH_LOST_UNKNOWN) are missing before a stamp. */
void lag_lost(struct lag *lag, int cpu, uint64_t count, uint64_t stamp);
/* Gives up printing all to the end, because that takes too long. Returns false when nothing can be left out. */
bool lag_give_up(struct lag *lag);

#endif
