/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_LAG_H
#define TRACESH_EVENTS_SOURCE_LAG_H

#include "stream.h"

/*
 * For an output that is slower than the events, as a serial line is: what it prints is of
 * now, and what it had no time for is counted where it is missing. While the output is behind
 * for as long as may be, it prints one row of events; then all that waits is left out but for
 * what it takes in half of that time.
 */
struct lag {
	struct tsh_source *src;
	struct tsh_consumer *to;
	struct tsh_stream_summary *sum;
	uint64_t limit;			/* ns; 0: there is none, and nothing is left out */
	uint64_t behind_since;		/* CLOCK_MONOTONIC ns; 0: the output is not */
	uint64_t printed;		/* sum->events then */
	uint64_t keep;			/* so many events of those that wait are printed */
	uint64_t rate;			/* events a second that the output takes */
	bool is_slow;			/* something was left out */
	bool said;
	bool ends;			/* nothing more is printed */

	/* Left out, and not told yet: the output takes nothing. */
	uint64_t untold;
	bool loses;			/* and was lost: it is with the lanes */
	int cpu;
	uint64_t stamp;
	uint64_t taken;			/* by lag_leave_out, just now */
};

/* All is borrowed. limit_ns 0: none. */
void lag_begin(struct lag *lag, struct tsh_source *src, struct tsh_consumer *to,
	       struct tsh_stream_summary *sum, uint64_t limit_ns);
/* How many events may be given before it is looked again whether the output is stuck. */
uint64_t lag_portion(const struct lag *lag);
/* After events were given: whether the output has not taken all. */
void lag_look(struct lag *lag, bool is_behind, uint64_t now_ns);
/*
 * Before events are given, up to the watermark: leaves out what must not be printed any more.
 * `ending`: there will be no others, and a slow output prints none of these.
 */
void lag_leave_out(struct lag *lag, uint64_t watermark, bool ending, uint64_t now_ns);
/* The output takes something: tells what was left out before. */
void lag_tell(struct lag *lag);
/* Nothing will be given any more: the same, whether it does or not. */
void lag_end(struct lag *lag);
/* `count` events (or TSH_LOST_UNKNOWN) are missing before rec: the consumer is told. */
void lag_lost(struct lag *lag, int cpu, uint64_t count, uint64_t stamp);
/* It takes too long to print all to the end. False: with this nothing is to be won. */
bool lag_give_up(struct lag *lag);

#endif
