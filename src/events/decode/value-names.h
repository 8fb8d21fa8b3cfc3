/* events/decode/value-names.h - names that an event has for numbers of a field */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_VALUE_NAMES_H
#define TRACESH_EVENTS_DECODE_VALUE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode.h"

struct tsh_value_name {
	uint64_t value;
	char *name;		/* as the format has it, unsanitized */
	bool is_flag;		/* one bit, or several bits, of a set */
};

/* Holds names in the order of the print format, each value once. Zeroed memory is empty. */
struct tsh_value_names {
	struct tsh_value_name *v;
	size_t n;
	size_t cap;
};

/*
 * Adds the names that the print format has for numbers of a field (__print_symbolic,
 * __print_flags), and true and false for a bool. Adds none when the print format computes another
 * number from the field first, or cannot be parsed. The decoder, which may be NULL, knows
 * enumerators that the format does not explain.
 */
void tsh_value_names_of(const struct tsh_decoder *decoder, const struct tsh_event_format *format,
			const struct tsh_field *field, struct tsh_value_names *ret);
void tsh_value_names_release(struct tsh_value_names *names);

#endif
