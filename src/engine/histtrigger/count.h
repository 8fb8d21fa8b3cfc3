/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HISTTRIGGER_COUNT_H
#define TRACESH_ENGINE_HISTTRIGGER_COUNT_H

/*
 * Connects src/cmd/analyse/hist.c with count.c, which writes the triggers of hist --in-kernel, and
 * read.c, which reads what the kernel has counted.
 */

#include "engine/aggregate/internal.h"
#include "text.h"

struct kernel_key {
	char *name;			/* as the trigger names it */
	const struct tsh_field *field;	/* NULL: comm, pid, cpu, stack, or the event */
};

struct kernel_event {
	struct tsh_event event;		/* its texts are borrowed from the call */
	struct tsh_event_format *format;
	struct kernel_key keys[TSH_TALLY_PARTS_MAX];
	const struct tsh_field *values[BY_VALUES];
	struct tsh_hist_shape shape;
	char *trigger;			/* the trigger that was written; or NULL */
};

struct by_kernel {
	struct tsh_session *session;
	const struct tsh_call *call;
	struct tsh_instance *in;	/* set while the command runs */
	struct kernel_event *events;
	size_t n;
	uint64_t hits;
	bool may_wrap;			/* a sum may have lost carries */
	struct tsh_strlist stacks;	/* texts of stacks, each once */
};

/* ---- count.c ---- */
/*
 * Names an argument that --in-kernel does not go with. A list ends with one without a name; hint
 * may be NULL.
 */
struct by_refused_arg {
	const char *name, *why, *hint;
};
/* Returns 0, or -1 with err if the call has one of them. */
int by_kernel_refuse(const struct tsh_call *call, const struct by_refused_arg *v, struct tsh_err *err);
/*
 * Prepares a call that is resolved to be counted by the kernel. Returns 0, or -1 with err,
 * which blames a place in the call.
 */
int by_kernel_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Returns the trigger that is written for an event of the call; the caller frees it. */
char *by_kernel_trigger(struct tsh_session *s, const struct tsh_call *call, size_t event);
int by_kernel_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

/* ---- read.c ---- */
extern const struct by_engine by_kernel_engine;

/* ---- explain.c ---- */
/* Prints whether the kernel or tracesh counts, and the triggers that are written (.explain of hist
 * and count). */
int tsh_by_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);

static inline bool by_kernel_is_text(const struct tsh_field *field)
{
	return field->kind == TSH_FIELD_CHARS || field->kind == TSH_FIELD_STRING;
}

#endif
