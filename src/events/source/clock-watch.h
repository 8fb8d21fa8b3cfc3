/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_CLOCK_WATCH_H
#define TRACESH_EVENTS_SOURCE_CLOCK_WATCH_H

#include "stream.h"

/* Keeps the calibration of a live instance's clock true while its events are read. */
struct clock_watch {
	struct tsh_clock *clock;		/* NULL: there is nothing to watch */
	const struct tsh_instance *in;
	struct tsh_consumer *to;		/* is told what happens to the clocks; or NULL */
	uint64_t line_at;			/* CLOCK_MONOTONIC ns: when to look at `now ts` */
	uint64_t line_pause;
	int set_fd;				/* readable when REALTIME was set; -1 */
	int name_fd;				/* the file trace_clock; -1 */
	size_t name_len;
	char name[512];
};

/* clock may be NULL; it has been sampled. All is borrowed. */
void clock_watch_begin(struct clock_watch *w, struct tsh_clock *clock,
		       const struct tsh_instance *in, struct tsh_consumer *to);
void clock_watch_end(struct clock_watch *w);
/*
 * A look, after the events were read and before they are given: so each lies between two.
 * Returns TSH_CLOCK_*, which the consumer was told, or -1.
 */
int clock_watch_look(struct clock_watch *w, struct tsh_err *err);
/*
 * Whether the instance has another clock than before: somebody, or a trigger, changed it.
 * What was read until now cannot be placed: the calibration is empty then, and
 * clock_watch_renew makes that of the new clock when they are given.
 */
bool clock_watch_lost(struct clock_watch *w);
int clock_watch_renew(struct clock_watch *w, struct tsh_err *err);
/* After a wait: true when it ended because REALTIME was set. */
bool clock_watch_woke(struct clock_watch *w);

#endif
