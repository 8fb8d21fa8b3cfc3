/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_CLOCK_WATCH_H
#define TRACESH_EVENTS_SOURCE_CLOCK_WATCH_H

#include "stream.h"

/* Corrects the calibration of a live instance's clock while its events are read. */
struct clock_watch {
	struct tsh_clock *clock;		/* NULL: there is nothing to watch */
	const struct tsh_instance *in;
	struct tsh_consumer *to;		/* receives news of the clocks; or NULL */
	/* when to sample `now ts`, in ns of CLOCK_MONOTONIC */
	uint64_t line_at;
	uint64_t line_pause;
	/* becomes readable when REALTIME is set; -1: none */
	int set_fd;
	int name_fd;				/* descriptor of the file trace_clock; -1: none */
	size_t name_len;
	char name[512];
};

/* Begins to watch a clock. Borrows all pointers until clock_watch_end. `clock` has samples already;
 * NULL: nothing is watched. */
void clock_watch_begin(struct clock_watch *w, struct tsh_clock *clock,
		       const struct tsh_instance *in, struct tsh_consumer *to);
void clock_watch_end(struct clock_watch *w);
/*
 * Samples the clocks. The caller calls it after it has read events and before it passes them to the
 * consumer, so that each event lies between two samples. Informs the consumer of changes. Returns
 * the changes, TSH_CLOCK_*, or -1 with err.
 */
int clock_watch_sample(struct clock_watch *w, struct tsh_err *err);
/*
 * Says whether a user or a trigger has changed the instance's clock. Events that were read before
 * then get no wall time, so the calibration is emptied. The caller passes those events to the
 * consumer, then calls clock_watch_renew.
 */
bool clock_watch_check(struct clock_watch *w);
/* Makes the calibration of the new clock. Returns 0, or -1 with err. */
int clock_watch_renew(struct clock_watch *w, struct tsh_err *err);
/* Says, after a wait, whether it ended because REALTIME was set. */
bool clock_watch_was_set(struct clock_watch *w);

#endif
