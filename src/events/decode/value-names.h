/* events/decode/value-names.h - what an event calls the numbers of a field */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_VALUE_NAMES_H
#define TRACESH_EVENTS_DECODE_VALUE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode.h"

struct tsh_value_name {
	uint64_t value;
	char *name;		/* as the format has it, sanitized by nobody */
	bool is_flag;		/* one bit or some of a set */
};

/* In the order of the print format, each value once. Zeroed memory is empty. */
struct tsh_value_names {
	struct tsh_value_name *v;
	size_t n;
	size_t cap;
};

/*
 * Adds the names that the print format has for the numbers of one of its fields
 * (__print_symbolic, __print_flags); true and false of a bool. None where the field is
 * calculated with before it is looked up, and where the format cannot be understood. The
 * decoder knows the enumerators that the format does not explain; it may be NULL.
 */
void tsh_value_names_of(const struct tsh_decoder *decoder, const struct tsh_event_format *format,
			const struct tsh_field *field, struct tsh_value_names *ret);
void tsh_value_names_release(struct tsh_value_names *names);

#endif
