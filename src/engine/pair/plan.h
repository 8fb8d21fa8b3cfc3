/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PAIR_PLAN_H
#define TRACESH_ENGINE_PAIR_PLAN_H

/*
 * Declares plans of events that the kernel makes of two others. plan.c makes them for
 * src/cmd/analyse/synth.c and latency --in-kernel, src/engine/sql/join.c for sql;
 * src/engine/histtrigger/synthetic-text.c makes the texts for the kernel, and synthetic.c writes
 * them.
 */

#include "base/vec.h"
#include "pair.h"
#include "session/session.h"
#include "session/event-format.h"

/* A value of one of the two events, or its time, or its stack. */
struct synth_operand {
	enum latency_role role;
	char *name;			/* as the kernel names it: "next_pid", SYNTH_TIME */
	char *type;
	char *suffix;			/* part of the type behind the new field's name: "[16]" */
	unsigned int size;		/* bytes of a number */
	bool is_signed;
};
#define SYNTH_TIME      "common_timestamp"	/* ns */
#define SYNTH_TIME_USEC "common_timestamp.usecs"
#define SYNTH_STACK     "common_stacktrace"

/* A field of the new event: an operand, or the sum or difference of two. */
struct synth_field {
	char *name;
	char op;			/* '+', '-', or '\0': the first operand alone */
	struct synth_operand of[2];
};

/* Describes a synthetic event. Zeroed memory is an empty one. */
struct synth_plan {
	const char *name;		/* of the new event; borrowed */
	struct pair_spec spec;		/* with keys as the kernel names them */
	TSH_VEC(struct synth_field) fields;
	char *filters[LATENCY_ROLES];	/* NULL: none */
};

/* ---- plan.c ---- */
/*
 * Makes the plan of a resolved call of synth, or of latency --in-kernel. Returns 0, or -1 with err,
 * which blames a place in it. Release the plan in any case.
 */
int synth_plan_of(struct tsh_session *s, const struct tsh_call *call, struct synth_plan *ret,
		  struct tsh_err *err);
void synth_plan_release(struct synth_plan *plan);
bool synth_plan_has(const struct synth_plan *plan, const char *field);
/*
 * Returns the kernel's name of a field, pid or cpu, borrowed; NULL: it has none. *ret_field NULL:
 * it is an int that is no field.
 */
const char *synth_kernel_name(const struct tsh_event_format *format, const char *name,
			      const struct tsh_field **ret_field);
/* Adds a key by its names in both events, as the kernel has them. */
void synth_plan_add_key(struct synth_plan *plan, const char *const names[LATENCY_ROLES]);
enum synth_fit { SYNTH_FITS, SYNTH_UNKNOWN, SYNTH_ARRAY };
/* Fills *ret in by the name of a field, pid or cpu. Returns SYNTH_ARRAY for an array, which a
 * synthetic event cannot have, SYNTH_UNKNOWN for an unknown name. */
enum synth_fit synth_operand_of(const struct tsh_event_format *format, const char *name,
				enum latency_role role, struct synth_operand *ret);
/* Returns SYNTH_TIME or SYNTH_TIME_USEC of one of the two. */
struct synth_operand synth_operand_time(const char *name, enum latency_role role);
/* Returns SYNTH_STACK of one of the two. */
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
/* Returns the name of the instance that has the event's triggers; free it. */
char *synth_instance_of(const char *name);
/* Returns 0, or -1 with err, which blames `span`: the kernel has no synthetic events. */
int synth_check_file(struct tsh_session *s, struct tsh_span span, struct tsh_err *err);
/* Returns 0, or -1 with err: the plan has a stack, and the kernel cannot pass stacks on. */
int synth_check_stacks(struct tsh_session *s, const struct synth_plan *plan, struct tsh_span span,
		       struct tsh_err *err);
bool synth_exists(struct tsh_session *s, const char *name);
/*
 * Returns an unused name for an event of this process: "tracesh_WHAT_PID", or with "_N" behind it,
 * as a process of another pid namespace may have the same number. The caller frees it. NULL with
 * err: a thousand of them are taken.
 */
char *synth_free_name(struct tsh_session *s, const char *what, struct tsh_err *err);
/* Returns 0, or -1 with err: no event can have that name, or one has it already. */
int synth_check_name(struct tsh_session *s, const struct tsh_word *name, struct tsh_err *err);
/*
 * Says whether both are one event with the same fields as keys: the kernel would pair each with
 * itself, since it saves a START before it looks for an END.
 */
bool synth_is_self_pair(const struct synth_plan *plan);
/* Refuses such a plan: returns 0, or -1 with err, which blames `span`. */
int synth_check_pair(const struct synth_plan *plan, struct tsh_span span, struct tsh_err *err);
/*
 * Makes the event and its triggers; writes are journaled. Returns 0, or -1 with err, which blames
 * `span`.
 */
int synth_make(struct tsh_session *s, const struct synth_plan *plan, struct tsh_span span,
	       struct tsh_err *err);
/* Deletes an event that is there, with its instance. Returns 0, or -1 with err. */
int synth_delete(struct tsh_session *s, const char *name, struct tsh_err *err);
/* Prints what would be written, for explain. */
void synth_explain_writes(struct tsh_session *s, const struct synth_plan *plan);

#endif
