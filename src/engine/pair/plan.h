/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PAIR_PLAN_H
#define TRACESH_ENGINE_PAIR_PLAN_H

/*
 * Events that the kernel makes of two others: between src/cmd/analyse/synth.c and src/cmd/analyse/sql.c (the commands), which say
 * what is wanted as a plan, plan.c (that of synth's words), src/engine/histtrigger/synthetic-text.c (what the kernel is
 * told) and src/engine/histtrigger/synthetic.c (which tells it).
 */

#include "base/vec.h"
#include "pair.h"
#include "session/session.h"
#include "session/event-format.h"

/* A value of one of the two, or the time when that happened, or its stack. */
struct synth_operand {
	enum latency_role role;
	char *name;			/* as the kernel has it: "next_pid", SYNTH_TIME */
	char *type;
	char *suffix;			/* behind the new field's name, a part of the type: "[16]" */
	unsigned int size;		/* of a number */
	bool is_signed;
};
#define SYNTH_TIME      "common_timestamp"	/* ns */
#define SYNTH_TIME_USEC "common_timestamp.usecs"
#define SYNTH_STACK     "common_stacktrace"

/* A field of the new event. */
struct synth_field {
	char *name;
	char op;			/* '+' or '-': of both; '\0': the first alone */
	struct synth_operand of[2];
};

/* Zeroed memory is an empty one. */
struct synth_plan {
	const char *name;		/* of the new event; borrowed */
	struct pair_spec spec;		/* the keys as the kernel has them */
	TSH_VEC(struct synth_field) fields;
	char *filters[LATENCY_ROLES];	/* NULL: none */
};

/* ---- plan.c ---- */
/* Of a call of synth NAME START END that was resolved (struct tsh_by of it). -1 with err, which
 * blames a place in it. The plan is released in any case. */
int synth_plan_of(struct tsh_session *s, const struct tsh_call *call, struct synth_plan *ret,
		  struct tsh_err *err);
void synth_plan_release(struct synth_plan *plan);
bool synth_plan_has(const struct synth_plan *plan, const char *field);
/*
 * What the kernel calls what we call so: a field, pid, cpu. *ret_field NULL: it is an int of no
 * field. Borrowed; NULL: the kernel knows nothing of that name.
 */
const char *synth_kernel_name(const struct tsh_event_format *format, const char *name,
			      const struct tsh_field **ret_field);
/* Adds a key, by the names that the kernel has for it in both events. */
void synth_plan_add_key(struct synth_plan *plan, const char *const names[LATENCY_ROLES]);
enum synth_fit { SYNTH_FITS, SYNTH_UNKNOWN, SYNTH_ARRAY };
/* Fills *ret in by such a name; an array cannot be in such an event. */
enum synth_fit synth_operand_of(const struct tsh_event_format *format, const char *name,
				enum latency_role role, struct synth_operand *ret);
/* SYNTH_TIME or SYNTH_TIME_USEC of one of the two. */
struct synth_operand synth_operand_time(const char *name, enum latency_role role);
/* SYNTH_STACK of one of the two. */
struct synth_operand synth_operand_stack(enum latency_role role);
bool synth_plan_has_stack(const struct synth_plan *plan);

/* ---- src/engine/histtrigger/synthetic-text.c ---- */
struct synth_texts {
	char *definition;		/* for synthetic_events */
	char *triggers[LATENCY_ROLES];	/* of START and of END */
};
void synth_texts_make(const struct synth_plan *plan, struct synth_texts *ret);
void synth_texts_release(struct synth_texts *texts);

/* ---- src/engine/histtrigger/synthetic.c ---- */
#define SYNTH_LIST "synthetic_events"
/* The instance that the triggers of such an event are in; free it. */
char *synth_instance_of(const char *name);
/* -1 with err: the kernel has no such events; `span` is to blame. */
int synth_need_file(struct tsh_session *s, struct tsh_span span, struct tsh_err *err);
/* -1 with err: they pass no stack on, and the plan has one. */
int synth_need_stacks(struct tsh_session *s, const struct synth_plan *plan, struct tsh_span span,
		      struct tsh_err *err);
bool synth_is_there(struct tsh_session *s, const char *name);
/* A name for the event of a command of this process that nobody has: "tracesh_WHAT_PID", or with "_N"
 * behind it, as one of another pid namespace may have our number. The caller frees it. */
char *synth_free_name(struct tsh_session *s, const char *what);
/* -1: no event can be called so, or one is. */
int synth_check_name(struct tsh_session *s, const struct tsh_word *name, struct tsh_err *err);
/* Whether they are one event, and all keys the same fields of it: the kernel would pair each with
 * itself, since START is kept before END is looked for. */
bool synth_is_self_pair(const struct synth_plan *plan);
/* -1 with err, which blames `span`: it would. */
int synth_check_pair(const struct synth_plan *plan, struct tsh_span span, struct tsh_err *err);
/* Journaled. What the kernel says of a trigger blames `span`. */
int synth_make(struct tsh_session *s, const struct synth_plan *plan, struct tsh_span span,
	       struct tsh_err *err);
/* Of one that is there. */
int synth_delete(struct tsh_session *s, const char *name, struct tsh_err *err);
/* For explain: what is written. */
void synth_explain_writes(struct tsh_session *s, const struct synth_plan *plan);

#endif
