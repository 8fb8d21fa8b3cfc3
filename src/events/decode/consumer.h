/* events/decode/consumer.h - takes the events of a stream */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_CONSUMER_H
#define TRACESH_EVENTS_DECODE_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "decode.h"

/*
 * Connects reading and printing. events/source gives records to a consumer, and output makes one (struct tsh_sink), so
 * that neither knows the other; a test or an aggregation can take the place of a sink.
 */
/*
 * Looks at what follows the present event: function_graph prints a leaf on one line, with the time that only its exit
 * knows (kernel/trace/trace_functions_graph.c).
 */
struct tsh_ahead {
	/* Returns the next event of that CPU that has been read; false: there is none yet. */
	bool (*peek)(void *ctx, int cpu, struct tsh_record *ret);
	/* Removes that event from the stream: it is counted, but will not be given. */
	void (*skip)(void *ctx, int cpu);
	void *ctx;
};

struct tsh_consumer {
	/* Set by the reader before the first event; NULL: it cannot look ahead. */
	const struct tsh_ahead *ahead;
	/* Takes an event. late: it is older than an event that was given before. Returns whether it counts: it was
	 * printed or counted. A record that is kept counts when it is given on. */
	bool (*event)(struct tsh_consumer *to, const struct tsh_record *rec, bool late);
	/* Notes that `count` events (or TSH_LOST_UNKNOWN) of `cpu` are missing before `stamp`. */
	void (*lost)(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp);
	/* Takes a line of tracesh itself, to stand between the events. */
	void (*note)(struct tsh_consumer *to, const char *text);
	/* Writes what was taken in a tick, as far as the output does not block. Returns 0; 1 when the reader of the
	 * output has gone away; -1 with err. */
	int (*flush)(struct tsh_consumer *to, struct tsh_err *err);
	/*
	 * Returns a descriptor that poll(2) finds writable when a blocked output, for which much data waits, can go on;
	 * the reader reads on meanwhile. Returns -1 when events are accepted. May be NULL: they always are.
	 */
	int (*stuck)(struct tsh_consumer *to);
	/* With true, the following events are not printed, but still teach names of tasks; with false, they are
	 * printed again. This one and the next may be NULL: then all are printed. */
	void (*leave_out)(struct tsh_consumer *to, bool on);
	/* Notes that `count` events up to `stamp` were left out, because the output is too slow. */
	void (*skipped)(struct tsh_consumer *to, uint64_t count, int cpu, uint64_t stamp);
};

struct tsh_stream_summary {
	uint64_t events;
	uint64_t lost;
	uint64_t late;
	uint64_t ns;			/* how long the stream ran */
	uint64_t overwritten;		/* events that the recording replaced by newer ones */
	bool lost_unknown;		/* some losses have no count: `lost` is a lower bound */
	bool lost_hidden;		/* some of the lost events are of kinds that were not asked for */
	bool unread;			/* some of what the buffers held at Ctrl-C was not read */
	bool has_range;			/* only a range of time was passed on; set by that stage */
	uint64_t outside;		/* events outside of the range */
	bool has_where;			/* only matching events were passed on; set by that stage */
	uint64_t unmatched;		/* events that did not match */
	uint64_t others;		/* events of other tasks: halves of pairs that were asked for */
	uint64_t over_rate;		/* events beyond the rate per second */
	uint64_t skipped;		/* events for which the output was too slow */
};

#endif
