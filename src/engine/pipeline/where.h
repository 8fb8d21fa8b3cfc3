/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_WHERE_H
#define TRACESH_ENGINE_PIPELINE_WHERE_H

/* Implements `where EXPR`: only events for which it is true are printed (query/query.h). */

#include "query/query.h"
#include "session/session.h"
#include "stage.h"

/* Declares the clause, for the table of a command. */
#define TSH_WHERE_CLAUSE \
	{ .name = "EXPR", .clause = "where", .type = TSH_ARG_EXPRESSION, \
	  .flags = TSH_ARG_OPTIONAL, .help = "only events for which this is true; evaluated by tracesh" }

/* Declares an option for commands that enable events of their own. */
#define TSH_WHERE_NO_PUSHDOWN \
	{ .name = "no-pushdown", .option = "--no-pushdown", .type = TSH_ARG_FLAG, \
	  .flags = TSH_ARG_OPTIONAL, \
	  .help = "evaluate all of the where in tracesh, nothing in the kernel's filter" }

/* Holds the `where` clause of a call. */
struct tsh_where {
	struct tsh_query *query;
	const struct tsh_value *clause;	/* belongs to the call */
	/* Look up the names of functions when the expression is checked, before events are
	 * enabled. */
	struct tsh_live_provider *provider;
	struct tsh_decoder *decoder;
};

/* Parses the clause of the call, if it has one, and checks that it can be evaluated for its
 * events. Returns 0, or -1 with err, which blames a part of the clause. */
int tsh_where_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Adds a hint at missing quotes when an error lies in a word that a string field is compared
 * with. err->span counts in text, the expression. */
void tsh_where_hint_quotes(const struct tsh_session *s, const struct tsh_events *events, const char *text,
			   struct tsh_err *err);
/* Changes the span of an error, which counts in an expression, so that it counts in the command
 * line. The expression begins at `offset` in the clause. Always returns -1. */
int tsh_where_blame(const struct tsh_value *clause, size_t offset, struct tsh_err *err);
/*
 * Checks that an expression can be evaluated for the events that a call will print, and that each
 * of its names means something in one of them. The expression begins at `offset` in the clause.
 * Returns 0, or -1 with err.
 */
int tsh_where_check(struct tsh_session *s, const struct tsh_call *call,
		    struct tsh_query *query, const struct tsh_value *clause, size_t offset,
		    struct tsh_err *err);
/* Finds the events that a command without EVENT will print, as far as they are known beforehand. */
void tsh_where_find_events(struct tsh_session *s, struct tsh_events *ret);
/* Returns the parsed `where` clause of a call; NULL: it has none. */
const struct tsh_where *tsh_where_of(const struct tsh_call *call);
/* Returns the expression of a call; NULL: it has none. */
struct tsh_query *tsh_where_query(const struct tsh_call *call);
/* Returns the reason why no part of the expression goes into the kernel's filters; NULL: the kernel
 * evaluates the parts that it can. */
const char *tsh_where_no_pushdown(const struct tsh_call *call);
/* Splits the expression into a filter that the kernel can evaluate for an event, and the rest.
 * Returns also the event's id. Returns false when it cannot be evaluated for the event. */
bool tsh_where_split(struct tsh_session *s, const struct tsh_call *call,
		     const struct tsh_event *event, struct tsh_query_split *ret,
		     unsigned int *ret_id);

/* Returns the next name of an expression that means nothing in an event, and moves *reported behind
 * it; NULL: there are no more. */
const char *tsh_where_next_unknown(struct tsh_query *query, size_t *reported);

/* Passes on the events for which the expression is true. */
struct tsh_where_stage {
	struct tsh_stage stage;		/* must be the first member */
	struct tsh_query *query;
	const struct tsh_query_account *account;	/* belongs to the query */
	size_t reported;		/* number of the account's words that were reported */
	bool reported_refused;
	bool is_copy;			/* notes nothing: the stage has met the events before */
	uint64_t unmatched;
};
/* Returns the stage of an expression, which it borrows; NULL: there is none. */
struct tsh_stage *tsh_where_stage(struct tsh_where_stage *w, struct tsh_query *query);

#endif
