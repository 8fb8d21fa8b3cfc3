/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_RUN_H
#define TRACESH_ENGINE_PIPELINE_RUN_H

/* stream, drain and run print events the same way. */

#include "events/source/stream.h"
#include "range.h"
#include "rate.h"
#include "session/session.h"
#include "where.h"

struct tsh_follow {
	struct tsh_instance *in;
	struct tsh_source *source;
	bool drain;
	bool mark_before;	/* say which events were there before the command */
	uint64_t skip;		/* so many are not printed */
	struct tsh_range *range;	/* which ones are, before any is skipped; NULL: all */
	struct tsh_flight *flight;	/* what ends it, and which of them it prints; NULL: all */
	struct tsh_chosen *chosen;	/* what of them; NULL: their text */
	struct tsh_calls *calls;	/* prints whole calls of function_graph; NULL: as they come */
	struct tsh_joined *joined;	/* makes rows of two; or NULL */
	struct tsh_by *by;	/* counts them instead of printing; or NULL */
	struct tsh_query *where;	/* which of those are; NULL: all */
	struct tsh_namers *namers;	/* events that only tell names; NULL: none */
	uint64_t max_rate;		/* printed of each second; 0: all */
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
int tsh_follow_run(struct tsh_session *s, const struct tsh_follow *follow,
		   struct tsh_err *err);

#endif
