/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_WHERE_H
#define TRACESH_ENGINE_PIPELINE_WHERE_H

/* where EXPR: which events are printed (query/query.h). */

#include "query/query.h"
#include "session/session.h"
#include "stage.h"

/* The clause, for the table of a command. */
#define TSH_WHERE_CLAUSE \
	{ .name = "EXPR", .clause = "where", .type = TSH_ARG_EXPRESSION, \
	  .flags = TSH_ARG_OPTIONAL, .help = "which events are printed; asked by tracesh" }

/* For commands with events of their own. */
#define TSH_WHERE_STAYS \
	{ .name = "no-pushdown", .option = "--no-pushdown", .type = TSH_ARG_FLAG, \
	  .flags = TSH_ARG_OPTIONAL, \
	  .help = "all of the where is asked by tracesh, nothing of it by the kernel's filter" }

/* The question of a call. */
struct tsh_where {
	struct tsh_query *query;
	const struct tsh_value *clause;	/* the call's */
	/* Names of functions, for events that are looked at before they are enabled. */
	struct tsh_live_provider *provider;
	struct tsh_decoder *decoder;
};

/* Reads the clause of the call, if it has one, into call->where, and looks whether its events
 * can be asked. -1 with err, which blames a place in it. */
int tsh_where_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Where an error of an expression (its span counts in the text) lies in a word that a string is compared with, hints at the
 * quotes. */
void tsh_where_hint_quotes(const struct tsh_session *s, const struct tsh_events *events, const char *text,
			   struct tsh_err *err);
/* An error of an expression that stands at `offset` in a clause becomes one of the line: its span
 * counts in the expression. Always -1. */
int tsh_where_blame(const struct tsh_value *clause, size_t offset, struct tsh_err *err);
/* Whether the events that a call will print can be asked a question, and each name of it means
 * something in one of them. It stands at `offset` in the clause. */
int tsh_where_check(struct tsh_session *s, const struct tsh_call *call,
		    struct tsh_query *query, const struct tsh_value *clause, size_t offset,
		    struct tsh_err *err);
/* The events that a command without EVENT will print, as far as one can know now. */
void tsh_where_expected(struct tsh_session *s, struct tsh_events *ret);
/* NULL is fine. */
void tsh_where_free(struct tsh_where *where);
/* The question of a call; NULL when it has none. */
struct tsh_query *tsh_where_query(const struct tsh_call *call);
/* Why nothing of it goes into the kernel's filters; NULL: what can does. */
const char *tsh_where_stays(const struct tsh_call *call);
/* What of it the kernel can answer for an event, with the event's id. False: it cannot be asked. */
bool tsh_where_split(struct tsh_session *s, const struct tsh_call *call,
		     const struct tsh_event *event, struct tsh_query_split *ret,
		     unsigned int *ret_id);

/* Gives the next word of a question that means nothing in an event, and was not told yet; NULL: there is none. */
const char *tsh_where_untold(struct tsh_query *query, size_t *told);

/* The stage that gives on what matches. */
struct tsh_where_stage {
	struct tsh_stage stage;		/* the first member */
	struct tsh_query *query;
	const struct tsh_query_account *account;	/* the query's */
	size_t told;			/* of its words */
	bool told_refused;
	uint64_t unmatched;
};
/* Gives the stage of a question, which is borrowed; NULL: there is none. */
struct tsh_stage *tsh_where_stage(struct tsh_where_stage *w, struct tsh_query *query);

#endif
