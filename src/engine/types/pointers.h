/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TYPES_POINTERS_H
#define TRACESH_ENGINE_TYPES_POINTERS_H

#include "engine/probe/types.h"
#include "events/printfmt/format.h"

/*
 * What the pointer fields of an event point to. The format file often says "void *"; then
 * the tracepoint's arguments tell, which the kernel's BTF has.
 */
struct tsh_pointers {
	struct tsh_types *types;
	struct tsh_btf_type proto;	/* of the tracepoint; its kind is NONE without one */
	bool has_names;			/* its parameters have */
};

/* Reads the BTF only if it has a pointer. */
void tsh_pointers_begin(struct tsh_types *types, const struct tsh_event_format *format,
			struct tsh_pointers *ret);
/* "struct timer_list *", which the caller frees; NULL: no pointer, or nobody knows. */
char *tsh_pointer_type(const struct tsh_pointers *p, const struct tsh_field *field);
/* The tracepoint's arguments, "struct timer_list *timer, long unsigned int expires", which the
 * caller frees; NULL: not known. */
char *tsh_pointer_arguments(const struct tsh_pointers *p);

#endif
