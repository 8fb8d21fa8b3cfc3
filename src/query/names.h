/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_NAMES_H
#define TRACESH_QUERY_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "events/decode/decode.h"

/* Resolve names in an expression. */

/* Finds a constant such as ENOENT or SIGKILL, with the kernel's number on this architecture. */
bool query_constant(const char *name, uint64_t *ret);
/* Finds the number of a field that the event's text shows under a name. */
bool query_value_of(const struct tsh_decoder *decoder, const struct tsh_event_format *format,
		    const struct tsh_field *field,
		    const char *name, uint64_t *ret);

#endif
