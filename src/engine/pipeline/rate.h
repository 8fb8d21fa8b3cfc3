/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_RATE_H
#define TRACESH_ENGINE_PIPELINE_RATE_H

/* --limit-rate: of each second only so many events are printed. */

#include "events/clock/clock.h"
#include "events/decode/consumer.h"
#include "session/session.h"
#include "stage.h"

/* The option, for the table of a command. */
#define TSH_RATE_LIMIT \
	{ .name = "RATE", .option = "--limit-rate", .type = TSH_ARG_NUMBER, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO, \
	  .help = "of each second print so many events; the others are counted" }

/* A consumer that gives on so many events of each second, and says of how many others. */
struct tsh_rate_filter {
	struct tsh_relay relay;		/* the first member */
	uint64_t limit;
	const struct tsh_clock *clock;
	struct tsh_stream_summary *sum;	/* over_rate is counted there */
	uint64_t second;		/* of the trace clock; of one without times, of ours */
	uint64_t printed, over;		/* in that second */
};
void tsh_rate_filter_init(struct tsh_rate_filter *f, struct tsh_consumer *to, uint64_t limit,
			  const struct tsh_clock *clock, struct tsh_stream_summary *sum);
/* The last second is over. */
void tsh_rate_filter_end(struct tsh_rate_filter *f);

#endif
