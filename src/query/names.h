/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_NAMES_H
#define TRACESH_QUERY_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "events/decode/decode.h"

/* What names stand for in an expression. */

/* ENOENT, SIGKILL: the kernel's numbers, on this architecture. */
bool query_constant(const char *name, uint64_t *ret);
/* What the event's text calls a number of the field. */
bool query_value_of(const struct tsh_decoder *decoder, const struct tsh_event_format *format,
		    const struct tsh_field *field,
		    const char *name, uint64_t *ret);

#endif
