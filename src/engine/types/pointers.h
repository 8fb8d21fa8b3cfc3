/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TYPES_POINTERS_H
#define TRACESH_ENGINE_TYPES_POINTERS_H

#include "engine/probe/types.h"
#include "events/printfmt/format.h"

/* Finds the types of an event's pointer fields. The format file often has "void *" only; then
 * the types are those of the tracepoint's arguments, which the kernel's BTF has. */
struct tsh_pointers {
	struct tsh_types *types;
	struct tsh_btf_type proto;	/* the tracepoint's arguments; kind NONE: not known */
	bool has_names;			/* the arguments have names */
};

/* Reads the BTF if the event has a pointer field. Borrows types. */
void tsh_pointers_begin(struct tsh_types *types, const struct tsh_event_format *format,
			struct tsh_pointers *ret);
/* Returns the type of a field, "struct timer_list *", which the caller frees; NULL: it is not a
 * pointer, or its type is not known. */
char *tsh_pointer_type(const struct tsh_pointers *p, const struct tsh_field *field);
/* Returns the tracepoint's arguments, "struct timer_list *timer, long unsigned int expires",
 * which the caller frees; NULL: not known. */
char *tsh_pointer_arguments(const struct tsh_pointers *p);

#endif
