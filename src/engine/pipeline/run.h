/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_RUN_H
#define TRACESH_ENGINE_PIPELINE_RUN_H

/* stream, drain and run print events the same way. */

#include "events/source/stream.h"
#include "session/session.h"
#include "stage.h"
#include "task-names.h"

struct tsh_stream_spec {
	struct tsh_instance *in;
	struct tsh_source *source;
	bool drain;
	bool mark_before;	/* say which events were there before the command */
	struct tsh_stages stages;	/* that the events go through */
	const struct tsh_query *where;	/* the question of one of them, for a hint; NULL: there is none */
	struct tsh_stage *sink;		/* counts them instead of printing; NULL: they are printed */
	struct tsh_task_names *task_names;	/* events that only tell names; NULL: none */
	uint64_t max_events;
	uint64_t max_ns;
	bool can_lag;		/* --lag is an option of it */
	uint64_t lag;		/* ns; TSH_NO_LIMIT: none; 0: as it fits the output */
	bool (*done)(void *ctx);
	void *done_ctx;
	int (*work)(void *ctx, struct tsh_err *err);	/* see struct tsh_stream_options */
	void *work_ctx;
	const struct tsh_waiter *waiter;	/* NULL: the session's */
	/* The header is printed, reading begins: switches the events on. May be NULL. */
	int (*started)(void *ctx, struct tsh_err *err);
	void *started_ctx;
	/* Another filter for the events, "" for none; NULL: they are not ours to filter. */
	int (*refilter)(void *ctx, const char *filter, struct tsh_err *err);
	void *refilter_ctx;
	bool expects;			/* it is an error when what ends it has not come */
	const struct tsh_call *filtered;	/* the command that is given another filter */
};

/*
 * Calibrates, prints until something ends it, and says how many events there were.
 * Sets s->aborted. 0, or -1.
 */
int tsh_print_stream(struct tsh_session *s, const struct tsh_stream_spec *follow,
		   struct tsh_err *err);

#endif
