/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SQL_SQL_H
#define TRACESH_ENGINE_SQL_SQL_H

/*
 * Connects src/cmd/analyse/sql.c (the command), name.c (names of a statement), where.c (its
 * filter), join.c (two events: the plan of a synthetic event), here.c (pairs that tracesh makes, by
 * src/engine/pair/rows.h), select.c (one event: counted or printed), check.c (checks) and
 * by-library.c (sqlhist).
 */

#include "engine/pair/pair.h"
#include "engine/pair/plan.h"
#include "lang/sql.h"
#include "session/session.h"

/* Holds the statement of a call, parsed. */
struct sql_query {
	struct tsh_session *session;
	const struct tsh_call *call;
	const struct tsh_word *word; /* the statement; spans of .sql are bytes of it */
	struct tsh_sql sql;
	const struct tsh_event *events; /* of FROM and JOIN; borrowed from the call */
	size_t nevents;
	struct tsh_event_format *formats[LATENCY_ROLES];
};

/* ---- name.c ---- */

/*
 * Parses the statement of a call, and reads the formats of the call's events, if they are resolved.
 * Returns 0, or -1 with err. Close it in any case.
 */
int sql_open(struct tsh_session *s, const struct tsh_call *call, struct sql_query *ret,
	     struct tsh_err *err);
void sql_close(struct sql_query *q);
/* Converts a span of the statement to the place of the same bytes in the command line. */
struct tsh_span sql_span_in_line(const struct sql_query *q, struct tsh_span span);
/* Returns how many rows are asked for, by -n and LIMIT; 0: no limit. */
uint64_t sql_limit(const struct sql_query *q);
/* Adds the events of FROM and JOIN to ret. Returns 0, or -1 with err. */
int sql_find_events(const struct sql_query *q, struct tsh_events *ret, struct tsh_err *err);

struct sql_field {
	enum latency_role role;
	const char *name; /* without the event's name; borrowed */
	const char *time; /* SYNTH_TIME or SYNTH_TIME_USEC, if it is a time; or NULL */
	bool is_delta; /* the time from START to END */
	bool is_stack; /* the kernel stack at the event */
	bool is_named; /* the name begins with the name or alias of the event */
};
/* Finds the event and the field of a name. Does not look up the field of a name that begins with
 * the event's name or alias. Returns 0, or -1 with err. */
int sql_find_field(const struct sql_query *q, const struct tsh_sql_name *name,
		   struct sql_field *ret, struct tsh_err *err);

/* ---- where.c ---- */

/* Makes the filters of the events from WHERE; .text NULL: none. Returns 0, or -1 with err. Release
 * them in any case. */
int sql_filters(const struct sql_query *q, struct tsh_word ret[LATENCY_ROLES], struct tsh_err *err);
/* Moves a filter into the arguments of a call. */
void sql_add_filter(struct tsh_call *call, struct tsh_word *filter);

/* ---- check.c ---- */

/* Checks a statement whose events are resolved, without running it. Returns 0, or -1 with err. */
int sql_check(const struct sql_query *q, struct tsh_err *err);
/*
 * Resolves and checks the statement of a call, without running it. Returns 0, or -1 with err.
 * *ret_lacks: what this kernel lacks to count or pair by itself, or NULL.
 */
int sql_resolve(struct tsh_session *s, const struct tsh_call *call, const char **ret_lacks, struct tsh_err *err);

/* ---- join.c ---- */

/* Says whether the kernel has synthetic events. */
bool sql_has_events(struct tsh_session *s);

/*
 * Makes the plan of a JOIN; the name is borrowed. Returns 0, or -1 with err. Release the plan in
 * any case.
 */
int sql_plan(const struct sql_query *q, const char *name, struct synth_plan *ret,
	     struct tsh_err *err);

/* ---- here.c ---- */

/* Prints the rows of a plan. tracesh makes the pairs, not the kernel. Returns 0, or -1 with err. */
int sql_join_here(const struct sql_query *q, struct synth_plan *plan, struct tsh_err *err);
/* Explains such a JOIN; why: the reason why the kernel does not make the pairs. */
void sql_explain_here(const struct sql_query *q, const struct synth_plan *plan, const char *why);

/* ---- by-library.c ---- */

/* Refuses options that do not go with --sqlhist. Returns 0, or -1 with err. */
int sql_check_sqlhist(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* Prints the commands that sqlhist would write. Returns 0, or -1 with err. */
int sql_print_sqlhist(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

/* ---- select.c ---- */

/*
 * Fills in a call of hist or stream by a statement about one event. Adds a struct tsh_by to ret if
 * events are counted, or a limit (-n) if they are printed. Appends the event and the filter to its
 * arguments. ret must have the event in .events; it may be the call of the statement itself:
 * q->word is not valid afterwards then. Returns 0, or -1 with err.
 */
int sql_select(const struct sql_query *q, struct tsh_call *ret, struct tsh_err *err);
/*
 * Returns such a call in the words of hist or stream: "hist sched:sched_switch by prev_pid"; NULL:
 * hist has no words for it. The caller frees it.
 */
char *sql_select_text(const struct sql_query *q, const struct tsh_call *call);
/*
 * Makes a resolved call of stream that prints the event of a plan with the plan's columns. Returns
 * 0, or -1 with err. Release it in any case.
 */
int sql_stream(const struct sql_query *q, const struct synth_plan *plan, struct tsh_call *ret, struct tsh_err *err);

#endif
