/* engine/pipeline/counter.h - counts or pairs the events of a call, which are not printed then */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_COUNTER_H
#define TRACESH_ENGINE_PIPELINE_COUNTER_H

#include "run.h"

struct tsh_counter;

/* Holds the functions of an engine that counts. The pipeline calls them before and while events are
 * enabled and read. */
struct tsh_counter_ops {
	void (*free)(struct tsh_counter *counter);
	/* Says whether a key or a value depends on events that are not counted, as delta does. */
	bool (*needs_all)(const struct tsh_counter *counter);
	/* Says whether the call's filter is not for that event, but for the other one of a pair. */
	bool (*lacks_filter)(const struct tsh_counter *counter, const struct tsh_event *event);
	/*
	 * Sets the options that the keys need (options/stacktrace) in an instance of the command's
	 * own, before events are enabled there. For another instance, only checks that they are
	 * set. Returns 0, or -1 with err.
	 */
	int (*prepare)(const struct tsh_counter *counter, struct tsh_instance *in, struct tsh_err *err);
	/* Says whether names of tasks are shown, or decide what is counted. */
	bool (*needs_names)(const struct tsh_counter *counter);
	/* Pushes the stage that counts to the end of a stream, in place of the output. */
	void (*push)(struct tsh_counter *counter, struct tsh_stream_spec *follow);
	/* Warns of filters, set before the call, that exclude events which the pairs need. Returns
	 * true when the engine counts pairs; otherwise does nothing and returns false. */
	bool (*note_gaps)(struct tsh_session *s, const struct tsh_call *call);
};

/* Begins the struct of an engine that counts. */
struct tsh_counter {
	const struct tsh_counter_ops *ops;
};

/* Adds a counter to a call. The call owns the counter and frees it. */
void tsh_counter_add(struct tsh_call *call, struct tsh_counter *counter);
/* Returns the counter of a call; NULL: its events are printed. */
struct tsh_counter *tsh_counter_of(const struct tsh_call *call);
/* Call .needs_all and .lacks_filter of the call's counter. Return false when the call has no
 * counter. */
bool tsh_counter_needs_all(const struct tsh_call *call);
bool tsh_counter_lacks_filter(const struct tsh_call *call, const struct tsh_event *event);

#endif
