/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_UNNAMED_H
#define TRACESH_CMD_UNNAMED_H

#include "relay.h"
#include "tracesh/decode.h"
#include "tracesh/strbuf.h"
#include "tracesh/vec.h"

/*
 * A consumer that keeps back the events of tasks whose names nobody knows, until somebody does:
 * the kernel notes a name when the task is switched out after its first event (kernel/trace/
 * trace_sched_switch.c), and saved_cmdlines is not read for each. For who counts: they are given
 * on later than others.
 */

/* An event that waits. */
struct unnamed_event {
	struct tsh_record rec; /* its data: at .at of the bytes */
	size_t at;
	int pid;
	bool late;
	int64_t since; /* CLOCK_MONOTONIC */
};

struct tsh_unnamed {
	struct tsh_relay relay; /* the first member */
	struct tsh_decoder *decoder;
	TSH_VEC(struct unnamed_event) events; /* in the order in which they came */
	struct tsh_strbuf bytes; /* of their records */
};

/* All are borrowed. */
void tsh_unnamed_init(struct tsh_unnamed *un, struct tsh_consumer *to, struct tsh_decoder *decoder);
/* The stream is over: gives on those that wait. */
void tsh_unnamed_end(struct tsh_unnamed *un);

#endif
