/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HISTTRIGGER_COUNT_H
#define TRACESH_ENGINE_HISTTRIGGER_COUNT_H

/* Stands between count.c (what the kernel is told) and read.c (what it says). */

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

static inline bool by_kernel_is_text(const struct tsh_field *field)
{
	return field->kind == TSH_FIELD_CHARS || field->kind == TSH_FIELD_STRING;
}

#endif
