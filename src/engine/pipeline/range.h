/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_RANGE_H
#define TRACESH_ENGINE_PIPELINE_RANGE_H

/* Implements --since and --until: only events of a range of time are printed. */

#include "events/clock/clock.h"
#include "events/decode/consumer.h"
#include "session/session.h"
#include "stage.h"

/* Declare the two options, for the table of a command. */
#define TSH_RANGE_SINCE \
	{ .name = "WHEN", .option = "--since", .type = TSH_ARG_MOMENT, .flags = TSH_ARG_OPTIONAL, \
	  .help = "only events from then on: 22:47:33, '2024-01-02 22:47:33', -5s" }
#define TSH_RANGE_UNTIL \
	{ .name = "WHEN", .option = "--until", .type = TSH_ARG_MOMENT, .flags = TSH_ARG_OPTIONAL, \
	  .help = "only events up to then: 22:47:33 is the whole second" }

struct tsh_range {
	bool is_on;
	int64_t since;			/* first ns of the range, since 1970 */
	int64_t until;			/* last ns of the range */
	struct tsh_cpuset past;		/* CPUs that have had an event after the range */
	uint64_t outside;		/* events that were not in the range */
	int64_t first, last;		/* earliest and latest time of those events */
};

/* Sets the range from the options of a call. Warns when a time is ambiguous, and notes when it
 * is in the future. */
void tsh_range_init(struct tsh_range *range, struct tsh_session *s, const struct tsh_call *call);
void tsh_range_release(struct tsh_range *range);
/* Returns 0, or -1 with err when the clock's stamps have no wall-clock time. */
int tsh_range_check_time(const struct tsh_clock *clock, struct tsh_err *err);
/* Says whether an event may be in the range, given the bound of its time's error in ns. Counts
 * an event that is not in the range. */
bool tsh_range_has(struct tsh_range *range, int cpu, int64_t wall, uint64_t error_ns);
/* Says whether events that are missing before an event of that CPU may have been in the range. */
bool tsh_range_has_gap(const struct tsh_range *range, int cpu, int64_t wall, uint64_t error_ns);
/* Appends the times of the events outside of the range: ", from 2024-01-02 22:47:33.8 to ..". */
void tsh_range_outside(const struct tsh_range *range, struct tsh_strbuf *out);

/* Passes on the events of the range. */
struct tsh_range_stage {
	struct tsh_stage stage;		/* must be the first member */
	struct tsh_range *range;
};
/* Returns the stage of a range, which it borrows; NULL: there is no range. */
struct tsh_stage *tsh_range_stage(struct tsh_range_stage *r, struct tsh_range *range);

#endif
