/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SQL_SQL_H
#define TRACESH_ENGINE_SQL_SQL_H

/*
 * sql: between src/cmd/analyse/sql.c (the command), name.c (names of a statement), where.c (its filter),
 * join.c (two events: a synthetic one), here.c (or pairs that are made here, src/engine/pair/rows.h),
 * call.c (one event: hist or stream) and by-library.c (as sqlhist has it).
 */

#include "engine/pair/pair.h"
#include "engine/pair/plan.h"
#include "lang/sql.h"
#include "session/session.h"

/* A statement of a call. */
struct sql_query {
	struct tsh_session *session;
	const struct tsh_call *call;
	const struct tsh_word *word; /* the statement: spans are bytes of it */
	struct tsh_sql sql;
	const struct tsh_event *events; /* FROM, JOIN */
	size_t nevents;
	struct tsh_event_format *formats[LATENCY_ROLES];
};

/* ---- name.c ---- */

/* Parses it, and reads the formats of the call's events, if they are resolved. -1 with err; it is
 * to be closed in any case. */
int sql_open(struct tsh_session *s, const struct tsh_call *call, struct sql_query *ret,
	     struct tsh_err *err);
void sql_close(struct sql_query *q);
/* Where in the source a stretch of the statement stands. */
struct tsh_span sql_place(const struct sql_query *q, struct tsh_span span);
/* FROM, and JOIN, into ret. */
int sql_find_events(const struct sql_query *q, struct tsh_events *ret, struct tsh_err *err);

struct sql_field {
	enum latency_role role;
	const char *name; /* without the event's; borrowed */
	const char *time; /* SYNTH_TIME or SYNTH_TIME_USEC: it is none; or NULL */
	bool is_delta; /* of both: from START to END */
	bool is_stack; /* it is none, but how the kernel came to the event */
	bool is_named; /* the event was named */
};
/* Which event a name is of. Whether that has such a field is not looked at where it is named. */
int sql_find_field(const struct sql_query *q, const struct tsh_sql_name *name,
		   struct sql_field *ret, struct tsh_err *err);

/* ---- where.c ---- */

/* Text of the statement in other words, each byte with the place in the source that it stands for. */
struct sql_text {
	struct tsh_strbuf text;
	TSH_VEC(uint32_t) from;
};
void sql_text_add(const struct sql_query *q, struct sql_text *to, const char *text, size_t place);
/* The same of what was typed there, byte for byte. */
void sql_text_typed(const struct sql_query *q, struct sql_text *to, const char *text, size_t place);
/* As a word whose place is all of the statement. */
void sql_text_finish(const struct sql_query *q, struct sql_text *text, struct tsh_word *ret);

/* The filters of the events; no text: none. Release them in any case. */
int sql_filters(const struct sql_query *q, struct tsh_word ret[LATENCY_ROLES], struct tsh_err *err);

/* ---- look.c ---- */

/* All that can be wrong with it, its events resolved. -1 with err. */
int sql_check(const struct sql_query *q, struct tsh_err *err);
/* Reads the statement of a call as if it were to be run, and runs nothing: -1 with err says what is wrong with it.
 * *ret_lacks: what this kernel lacks to count and pair it itself; NULL: nothing. */
int sql_look(struct tsh_session *s, const struct tsh_call *call, const char **ret_lacks, struct tsh_err *err);

/* ---- join.c ---- */

/* Whether the kernel makes events of pairs. */
bool sql_has_events(struct tsh_session *s);

/* -1 with err; the plan is released in any case. The name is borrowed. */
int sql_plan(const struct sql_query *q, const char *name, struct synth_plan *ret,
	     struct tsh_err *err);

/* ---- here.c ---- */

/* The rows of a plan, with the pairs made here. */
int sql_join_here(const struct sql_query *q, struct synth_plan *plan, struct tsh_err *err);
/* For explain; why the kernel does not. */
void sql_explain_here(const struct sql_query *q, const struct synth_plan *plan, const char *why);

/* ---- by-library.c ---- */

/* Refuses the options that do not go with --sqlhist. */
int sql_check_sqlhist(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* Prints the commands that sqlhist would write. */
int sql_print_sqlhist(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

/* ---- call.c ---- */

/* What a statement about one event is in our own words, resolved; release it in any case. */
int sql_call(const struct sql_query *q, struct tsh_call *ret, struct tsh_err *err);
/* stream of that event with the columns of a plan. */
int sql_stream(const struct sql_query *q, const struct synth_plan *plan, struct tsh_call *ret,
	       struct tsh_err *err);
/* "hist sched:sched_switch by prev_pid" */
char *sql_call_text(const struct tsh_call *call);

#endif
