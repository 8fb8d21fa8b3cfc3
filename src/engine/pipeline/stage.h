/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_STAGE_H
#define TRACESH_ENGINE_PIPELINE_STAGE_H

#include "events/decode/consumer.h"

/* A consumer that stands before another one and gives on what it wants of the events. */
struct tsh_relay {
	struct tsh_consumer consumer;	/* the first member */
	struct tsh_consumer *to;	/* borrowed */
};

/* All but the events, and but the gaps unless lost is NULL, goes on as it comes. */
void tsh_relay_init(struct tsh_relay *relay, struct tsh_consumer *to,
		    bool (*event)(struct tsh_consumer *, const struct tsh_record *, bool),
		    void (*lost)(struct tsh_consumer *, int, uint64_t, uint64_t));
/* Gives on an event that was kept: if it counts, it does now, in `sum`. */
void tsh_relay_give_kept(const struct tsh_relay *relay, struct tsh_stream_summary *sum, const struct tsh_record *rec,
			 bool late);

#endif
