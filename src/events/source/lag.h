/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_LAG_H
#define TRACESH_EVENTS_SOURCE_LAG_H

#include "stream.h"

/*
 * Handles an output that is slower than the events, such as a serial line. Prints recent events and
 * the number of the skipped ones. As long as the output is behind for less than the limit, all
 * events are printed. After that the waiting events are skipped, except for the newest ones, as
 * many as the output can print in half of the limit.
 */
struct lag {
	struct tsh_source *src;
	struct tsh_consumer *to;
	struct tsh_stream_summary *sum;
	uint64_t limit;			/* in ns; 0: no limit, nothing is skipped */
	uint64_t behind_since;		/* in ns of CLOCK_MONOTONIC; 0: the output is not behind */
	uint64_t printed;		/* sum->events at that time */
	uint64_t to_print;		/* how many of the waiting events are printed */
	uint64_t rate;			/* events per second that the output accepts */
	bool is_slow;			/* some events were skipped */
	bool reported;
	bool ends;			/* nothing more is printed */

	/* Counts skipped events that were not reported to the consumer yet, because the output is
	 * blocked. */
	uint64_t unreported;
	/* the kernel lost events among the skipped ones; lane->passed has their number */
	bool loses;
	int cpu;
	uint64_t stamp;
	uint64_t removed;		/* events that lag_skip_waiting removed last from the source */
};

/* Prepares a lag. Borrows the source, the consumer and the summary. limit_ns 0: no limit. */
void lag_begin(struct lag *lag, struct tsh_source *src, struct tsh_consumer *to,
	       struct tsh_stream_summary *sum, uint64_t limit_ns);
/* Returns how many events may be passed on before the output is checked again. */
uint64_t lag_portion(const struct lag *lag);
/* Notes whether the output still has data to write. The caller calls it after it has passed events
 * on. */
void lag_note_output(struct lag *lag, bool is_behind, uint64_t now_ns);
/*
 * Skips waiting events up to the watermark when the output has been behind for longer than the
 * limit, or a queue is full. The caller calls it before it passes events on. `ending`: no more
 * events will come, and a slow output prints none of those that wait.
 */
void lag_skip_waiting(struct lag *lag, uint64_t watermark, bool ending, uint64_t now_ns);
/* Reports the skipped events and losses to the consumer once the output accepts data again. */
void lag_report(struct lag *lag);
/* Reports the skipped events and losses at the end of the stream, even if the output is blocked. */
void lag_end(struct lag *lag);
/* Reports to the consumer that `count` events (or TSH_LOST_UNKNOWN) are missing before a stamp. */
void lag_lost(struct lag *lag, int cpu, uint64_t count, uint64_t stamp);
/* Skips all events from now on, because printing them at the end takes too long. Returns false when
 * there is no limit, or when they are skipped already. */
bool lag_skip_all(struct lag *lag);

#endif
