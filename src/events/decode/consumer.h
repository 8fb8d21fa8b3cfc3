/* events/decode/consumer.h - takes the events of a stream */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_CONSUMER_H
#define TRACESH_EVENTS_DECODE_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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
	/* Takes note of an event that was left out before it came there, as delta does. May be NULL: nobody does. */
	void (*see)(struct tsh_consumer *to, const struct tsh_record *rec);
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

/* Events of a stream that a stage has left out, by the name that JSON has for them. */
struct tsh_left_out {
	const char *name;
	uint64_t n;
};
#define TSH_OUTSIDE "outside"		/* of a range of time */
#define TSH_UNMATCHED "unmatched"	/* of which a where is not true */

struct tsh_stream_summary {
	uint64_t events;
	uint64_t lost;
	uint64_t late;
	uint64_t ns;			/* how long the stream ran */
	uint64_t overwritten;		/* events that the recording replaced by newer ones */
	bool lost_unknown;		/* some losses have no count: `lost` is a lower bound */
	bool lost_hidden;		/* some of the lost events are of kinds that were not asked for */
	bool unread;			/* some of what the buffers held at Ctrl-C was not read */
	struct tsh_left_out left_out[4];
	size_t nleft_out;
	uint64_t skipped;		/* events for which the output was too slow */
};
/* Says in the sum that so many events were left out; 0 is said, too. What there is no room for is not. */
static inline void tsh_say_left_out(struct tsh_stream_summary *sum, const char *name, uint64_t n)
{
	if (sum->nleft_out < sizeof(sum->left_out) / sizeof(sum->left_out[0]))
		sum->left_out[sum->nleft_out++] = (struct tsh_left_out){ name, n };
}

/* Gives how many were; 0: none, or nobody said so. */
static inline uint64_t tsh_count_left_out(const struct tsh_stream_summary *sum, const char *name)
{
	size_t i;

	for (i = 0; i < sum->nleft_out; i++)
		if (!strcmp(sum->left_out[i].name, name))
			return sum->left_out[i].n;
	return 0;
}

#endif
