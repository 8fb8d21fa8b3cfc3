/* tracesh/consumer.h - who takes the events of a stream (src/decode) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CONSUMER_H
#define TRACESH_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>

#include "tracesh/decode.h"
#include "tracesh/err.h"

/*
 * What lies between reading and printing. src/stream gives records to one of these
 * and src/output makes one (struct tsh_sink), so that neither knows the other; a
 * test or an aggregation can take the place of a sink.
 */
struct tsh_consumer {
	/* late: it is older than one that was given before. */
	void (*event)(struct tsh_consumer *to, const struct tsh_record *rec, bool late);
	/* `count` events (or TSH_LOST_UNKNOWN) of `cpu` are missing before `stamp`. */
	void (*lost)(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp);
	/* A line of our own between the events. */
	void (*note)(struct tsh_consumer *to, const char *text);
	/* A tick is over: what was taken goes out. 0; 1 when the reader of the output
	 * went away; -1 with err. */
	int (*flush)(struct tsh_consumer *to, struct tsh_err *err);
};

struct tsh_stream_summary {
	uint64_t events;
	uint64_t lost;
	uint64_t late;
	uint64_t ns;			/* how long it ran */
	bool lost_unknown;		/* some losses have no count: `lost` is at least */
};

#endif
