/* events/decode/consumer.h - receives the events of a stream */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_CONSUMER_H
#define TRACESH_EVENTS_DECODE_CONSUMER_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "decode.h"

/* Gives access to the events behind the present one. function_graph prints a leaf function on one
 * line; its duration is in the exit event that follows (kernel/trace/trace_functions_graph.c). */
struct tsh_ahead {
	/* Returns the next event of that CPU that has been read; false: there is none yet. */
	bool (*peek)(void *ctx, int cpu, struct tsh_record *ret);
	/* Removes that event from the stream. It counts, but the consumer does not get it. */
	void (*skip)(void *ctx, int cpu);
	void *ctx;
};

/*
 * Connects reading and printing. events/source passes records to a consumer; output makes one
 * (struct tsh_sink). So neither uses the other, and a test or an aggregation can be a consumer too.
 */
struct tsh_consumer {
	/* The decoder learns names of tasks from each event that the consumer gets. */
	bool learns_all;
	/* Is set by the reader before the first event; NULL: the reader cannot look ahead. */
	const struct tsh_ahead *ahead;
	/*
	 * Handles an event. late: the event is older than one that came before. Returns whether it
	 * counts: it was printed or counted. An event that a stage holds back counts when the stage
	 * passes it on.
	 */
	bool (*event)(struct tsh_consumer *to, const struct tsh_record *rec, bool late);
	/* Notes that `count` events (or TSH_LOST_UNKNOWN) of `cpu` are missing before `stamp`. */
	void (*lost)(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp);
	/* Notes an event that an earlier stage has dropped; stages that compare events, as delta
	 * does, need it. May be NULL: nothing is noted. */
	void (*dropped)(struct tsh_consumer *to, const struct tsh_record *rec);
	/* Prints a line of tracesh itself between the events. */
	void (*note)(struct tsh_consumer *to, const char *text);
	/* Writes the output of this tick, as far as the output does not block. Returns 0; 1 when
	 * the reader of the output has gone away; -1 with err. */
	int (*flush)(struct tsh_consumer *to, struct tsh_err *err);
	/*
	 * Returns a descriptor that poll(2) finds writable when a blocked output, for which much
	 * data waits, can go on; the reader reads on meanwhile. Returns -1 when events are
	 * accepted. May be NULL: they always are.
	 */
	int (*stuck)(struct tsh_consumer *to);
	/*
	 * true: the following events are not printed; names of tasks are still learnt from them.
	 * false: events are printed again. mute and skipped may be NULL: then all events are
	 * printed.
	 */
	void (*mute)(struct tsh_consumer *to, bool on);
	/* Notes that `count` events up to `stamp` were left out, because the output is too slow. */
	void (*skipped)(struct tsh_consumer *to, uint64_t count, int cpu, uint64_t stamp);
};

/* Counts events that a stage has left out of the stream. JSON's summary has the number under this
 * name. */
struct tsh_left_out {
	const char *name;
	uint64_t n;
};
#define TSH_LEFT_OUT_MAX 8	/* more than the stages of any stream that count */
#define TSH_OUTSIDE "outside"		/* events outside of a range of time */
#define TSH_UNMATCHED "unmatched"	/* events for which a `where` is not true */

struct tsh_stream_summary {
	uint64_t events;
	uint64_t lost;
	uint64_t late;
	uint64_t ns;			/* how long the stream ran */
	uint64_t overwritten;		/* events that the recording replaced by newer ones */
	bool lost_unknown;		/* some losses have no count: `lost` is a lower bound */
	/* some lost events are of kinds that the user did not ask for */
	bool lost_hidden;
	bool unread;			/* some of what the buffers held at Ctrl-C was not read */
	struct tsh_left_out left_out[TSH_LEFT_OUT_MAX];
	size_t nleft_out;
	uint64_t skipped;		/* events for which the output was too slow */
	uint64_t held_back;		/* events that waited for --stop-when, and are not printed */
};
/* Adds a number of left out events to the summary, also 0; TSH_LEFT_OUT_MAX numbers at most. */
static inline void tsh_summary_add_left_out(struct tsh_stream_summary *sum, const char *name, uint64_t n)
{
	assert(sum->nleft_out < TSH_LEFT_OUT_MAX);
	if (sum->nleft_out < TSH_LEFT_OUT_MAX)
		sum->left_out[sum->nleft_out++] = (struct tsh_left_out){ name, n };
}

/* Returns the number of left out events under a name; 0 when there is none. */
static inline uint64_t tsh_summary_left_out(const struct tsh_stream_summary *sum, const char *name)
{
	size_t i;

	for (i = 0; i < sum->nleft_out; i++)
		if (!strcmp(sum->left_out[i].name, name))
			return sum->left_out[i].n;
	return 0;
}

#endif
