/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_EVENT_FORMAT_H
#define TRACESH_CMD_EVENT_FORMAT_H

#include "tracesh/decode.h"
#include "tracesh/event.h"
#include "tracesh/filter-hint.h"

/* The parsed format file of an event; NULL when it cannot be read or understood. Free it with
 * tsh_event_format_free. */
struct tsh_event_format *tsh_event_format_read(const struct tsh_instance *in,
					       const struct tsh_event *event);
/* What the kernel's filters can do with a field. */
enum tsh_filter_kind tsh_field_filter_kind(const struct tsh_field *field);

#endif
