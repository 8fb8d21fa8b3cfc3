/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_RATE_H
#define TRACESH_ENGINE_PIPELINE_RATE_H

/* Implements --limit-rate: at most a number of events is printed in each second. */

#include "session/session.h"
#include "stage.h"

/* Declares the option, for the table of a command. */
#define TSH_RATE_LIMIT \
	{ .name = "RATE", .option = "--limit-rate", .type = TSH_ARG_NUMBER, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO, \
	  .help = "print at most RATE events a second; the others are counted" }

/* Passes on the first `limit` events of each second, and notes how many more there were. */
struct tsh_rate_stage {
	struct tsh_stage stage;		/* must be the first member */
	uint64_t limit;
	/* Is the present second, by the trace clock; by CLOCK_MONOTONIC when that does not count
	 * ns. */
	uint64_t second;
	uint64_t printed, over;		/* events of the present second */
	uint64_t all_over;
};
/* Returns the stage of a limit; NULL: the limit is 0, which means no limit. */
struct tsh_stage *tsh_rate_stage(struct tsh_rate_stage *r, uint64_t limit);

#endif
