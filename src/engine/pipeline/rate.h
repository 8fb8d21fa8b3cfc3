/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_RATE_H
#define TRACESH_ENGINE_PIPELINE_RATE_H

/* --limit-rate: of each second only so many events are printed. */

#include "session/session.h"
#include "stage.h"

/* The option, for the table of a command. */
#define TSH_RATE_LIMIT \
	{ .name = "RATE", .option = "--limit-rate", .type = TSH_ARG_NUMBER, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO, \
	  .help = "of each second print so many events; the others are counted" }

/* The stage that gives on so many events of each second, and says of how many others. */
struct tsh_rate_stage {
	struct tsh_stage stage;		/* the first member */
	uint64_t limit;
	uint64_t second;		/* of the trace clock; of one without times, of ours */
	uint64_t printed, over;		/* in that second */
	uint64_t all_over;
};
/* Gives the stage of a limit; NULL: that is 0, and there is none. */
struct tsh_stage *tsh_rate_stage(struct tsh_rate_stage *r, uint64_t limit);

#endif
