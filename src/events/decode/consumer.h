/* events/decode/consumer.h - who takes the events of a stream */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_CONSUMER_H
#define TRACESH_EVENTS_DECODE_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "decode.h"

/*
 * What lies between reading and printing. events/source gives records to one of these
 * and src/output makes one (struct tsh_sink), so that neither knows the other; a
 * test or an aggregation can take the place of a sink.
 */
/*
 * What comes after the event that was given just now: function_graph prints a leaf on one
 * line, with the time that only its exit knows (kernel/trace/trace_functions_graph.c).
 */
struct tsh_ahead {
	/* The next event of that CPU, as far as it was read; false: none yet. */
	bool (*peek)(void *ctx, int cpu, struct tsh_record *ret);
	/* Takes it out: it is counted and will not be given. */
	void (*skip)(void *ctx, int cpu);
	void *ctx;
};

struct tsh_consumer {
	/* Set by who gives the events, before the first one; NULL: cannot look ahead. */
	const struct tsh_ahead *ahead;
	/* Says whether the event counts: it was printed, or counted. What is kept counts when it is given on. late: it
	 * is older than one that was given before. */
	bool (*event)(struct tsh_consumer *to, const struct tsh_record *rec, bool late);
	/* `count` events (or TSH_LOST_UNKNOWN) of `cpu` are missing before `stamp`. */
	void (*lost)(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp);
	/* A line of our own between the events. */
	void (*note)(struct tsh_consumer *to, const char *text);
	/* A tick is over: what was taken goes out, as far as the output takes it without
	 * waiting. 0; 1 when the reader of the output went away; -1 with err. */
	int (*flush)(struct tsh_consumer *to, struct tsh_err *err);
	/*
	 * The output is stuck and enough waits for it: a descriptor that poll(2) finds
	 * writable when it goes on. -1: it takes events. May be NULL: it always does.
	 * Whoever reads the events goes on reading meanwhile.
	 */
	int (*stuck)(struct tsh_consumer *to);
	/* From now on (true) the events that are given are not printed, but looked at: their
	 * tasks have names; until (false). Both this and the next may be NULL: all are printed. */
	void (*leave_out)(struct tsh_consumer *to, bool on);
	/* `count` events up to `stamp` were left out, as the output is too slow. */
	void (*skipped)(struct tsh_consumer *to, uint64_t count, int cpu, uint64_t stamp);
};

struct tsh_stream_summary {
	uint64_t events;
	uint64_t lost;
	uint64_t late;
	uint64_t ns;			/* how long it ran */
	uint64_t overwritten;		/* events that the recording gave up for newer ones */
	bool lost_unknown;		/* some losses have no count: `lost` is at least */
	bool lost_hidden;		/* events that nobody has asked for are among the lost */
	bool unread;			/* what was there at Ctrl-C is not all in it */
	bool has_range;			/* only a range of time was given on; set by who did it */
	uint64_t outside;		/* events that were not in it */
	bool has_where;			/* only what matched was given on; set by who did it */
	uint64_t unmatched;		/* events that did not */
	uint64_t others;		/* events of tasks that are not asked for: halves of those that are */
	uint64_t over_rate;		/* events that were too many in their second */
	uint64_t skipped;		/* events that the output was too slow for */
};

#endif
