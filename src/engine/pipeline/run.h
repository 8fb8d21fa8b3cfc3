/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_RUN_H
#define TRACESH_ENGINE_PIPELINE_RUN_H

/* Reads the events of a stream, from its source through its stages, and prints or counts them. */

#include "events/source/stream.h"
#include "session/session.h"
#include "stage.h"
#include "task-names.h"

struct tsh_stream_spec {
	struct tsh_instance *in;
	struct tsh_source *source;
	bool drain;
	bool mark_before;	/* a note says how many events were there before the command */
	struct tsh_stages stages;	/* stages of the call, in order */
	/* Is the expression of `where`, for a hint when no event matches; NULL: there is none. */
	const struct tsh_query *where;
	/* Counts the events instead of printing them; NULL: they are printed. */
	struct tsh_stage *sink;
	/* Handles task_newtask and task_rename; NULL: tsh_print_stream finds in the instance
	 * whether they are recorded. */
	struct tsh_task_names *task_names;
	uint64_t max_events;
	uint64_t max_ns;
	bool can_lag;		/* the command has the option --lag */
	uint64_t lag;		/* ns; TSH_NO_LIMIT: none; 0: limited only at a terminal */
	bool (*done)(void *ctx);
	void *done_ctx;
	int (*work)(void *ctx, struct tsh_err *err);	/* see struct tsh_stream_options */
	void *work_ctx;
	const struct tsh_waiter *waiter;	/* NULL: the session's waiter */
	/* Is called when the header is printed and reading begins: enables the events. May be
	 * NULL. */
	int (*started)(void *ctx, struct tsh_err *err);
	void *started_ctx;
	/* Replaces the filter of the events; "": removes it. NULL: the user cannot change the
	 * filter. */
	int (*refilter)(void *ctx, const char *filter, struct tsh_err *err);
	void *refilter_ctx;
	/* Makes it an error when the expected events have not come (--expect). */
	bool expects;
	const struct tsh_call *filtered;	/* the command whose filter a key can replace */
};

/* Calibrates the clock, prints events (with a sink: its counts) until something ends the stream,
 * and prints a summary of them. Sets s->aborted. Returns 0, or -1; then with err, unless s->aborted is set. */
int tsh_print_stream(struct tsh_session *s, const struct tsh_stream_spec *spec,
		     struct tsh_err *err);

#endif
