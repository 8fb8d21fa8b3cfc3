/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_RANGE_H
#define TRACESH_ENGINE_PIPELINE_RANGE_H

/* --since and --until: which events are printed. */

#include "events/clock/clock.h"
#include "events/decode/consumer.h"
#include "session/session.h"
#include "stage.h"

/* The two options, for the table of a command. */
#define TSH_RANGE_SINCE \
	{ .name = "WHEN", .option = "--since", .type = TSH_ARG_MOMENT, .flags = TSH_ARG_OPTIONAL, \
	  .help = "only events from then on: 22:47:33, '2024-01-02 22:47:33', -5s" }
#define TSH_RANGE_UNTIL \
	{ .name = "WHEN", .option = "--until", .type = TSH_ARG_MOMENT, .flags = TSH_ARG_OPTIONAL, \
	  .help = "only events up to then: 22:47:33 is the whole second" }

struct tsh_range {
	bool is_on;
	int64_t since;			/* the first ns that is in it */
	int64_t until;			/* the last */
	struct tsh_cpuset past;		/* CPUs whose events came after it */
	uint64_t outside;		/* events */
	int64_t first, last;		/* of those: the earliest and the latest */
};

/* The range of a call that was checked; says what was doubtful about it. */
void tsh_range_init(struct tsh_range *range, struct tsh_session *s, const struct tsh_call *call);
void tsh_range_release(struct tsh_range *range);
/* -1 with err when the clock's stamps have no wall time. */
int tsh_range_needs_time(const struct tsh_clock *clock, struct tsh_err *err);
/* Whether an event is in it, as far as the bound of its error lets it; counts the others. */
bool tsh_range_has(struct tsh_range *range, int cpu, int64_t wall, uint64_t error_ns);
/* Whether events that are missing before one of that CPU may have been in it. */
bool tsh_range_has_gap(const struct tsh_range *range, int cpu, int64_t wall, uint64_t error_ns);
/* ", from 2024-01-02 22:47:33.8 to ..": when those outside were. */
void tsh_range_outside(const struct tsh_range *range, struct tsh_strbuf *out);

/* The stage that gives on what is in the range. */
struct tsh_range_stage {
	struct tsh_stage stage;		/* the first member */
	struct tsh_range *range;
};
/* Gives the stage of a range, which is borrowed; NULL: all events are in it. */
struct tsh_stage *tsh_range_stage(struct tsh_range_stage *r, struct tsh_range *range);

#endif
