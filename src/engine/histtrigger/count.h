/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HISTTRIGGER_COUNT_H
#define TRACESH_ENGINE_HISTTRIGGER_COUNT_H

/* hist --in-kernel: between src/cmd/analyse/hist.c, count.c (what the kernel is told) and read.c (what it says). */

#include "engine/aggregate/internal.h"
#include "text.h"

struct kernel_key {
	char *name;			/* as the trigger has it */
	const struct tsh_field *field;	/* NULL: of the task or the CPU */
};

struct kernel_event {
	struct tsh_event event;		/* its texts are the call's */
	struct tsh_event_format *format;
	struct kernel_key keys[TSH_TALLY_PARTS_MAX];
	const struct tsh_field *values[BY_VALUES];
	struct tsh_hist_shape shape;
	char *trigger;			/* what was written; NULL: nothing yet */
};

struct by_kernel {
	struct tsh_session *session;
	const struct tsh_call *call;
	struct tsh_instance *in;	/* while it runs */
	struct kernel_event *events;
	size_t n;
	uint64_t hits;
	bool may_wrap;			/* a sum may be less than there was */
	struct tsh_strlist stacks;	/* each once */
};

/* ---- count.c ---- */
/* An argument that --in-kernel does not go with; the last one has no name. hint: or NULL. */
struct by_not {
	const char *name, *why, *hint;
};
/* -1 with err: the call has one of them. */
int by_kernel_refuse(const struct tsh_call *call, const struct by_not *v, struct tsh_err *err);
/* Has the kernel count what was resolved, if it can. -1 with err, which blames a place in the call. */
int by_kernel_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Returns the trigger that is written for that event of the call. The caller frees it. */
char *by_kernel_trigger(struct tsh_session *s, const struct tsh_call *call, size_t event);
int by_kernel_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

/* ---- read.c ---- */
extern const struct by_engine by_kernel_engine;

/* ---- explain.c ---- */
/* For explain: who counts, and what is written for it. */
int tsh_by_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);

static inline bool by_kernel_is_text(const struct tsh_field *field)
{
	return field->kind == TSH_FIELD_CHARS || field->kind == TSH_FIELD_STRING;
}

#endif
