/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_STATUS_LISTS_H
#define TRACESH_ENGINE_STATE_STATUS_LISTS_H

#include "base/json.h"
#include "kernel/tracefs/event.h"
#include "status.h"

/* Holds what is printed of one instance: in words (fields) or as a JSON object (js); one of the two
 * is NULL. */
struct tsh_status_view {
	struct tsh_session *s;
	const struct tsh_instance *in;
	struct tsh_fields *fields;
	struct tsh_json *js;
	struct tsh_json_room room;
	bool holders;
	char *on, *tracer;		/* contents of tracing_on and current_tracer; or NULL */
	struct tsh_events armed, recording;
};

/* Begins an array of an object, and sets `room` to the limits of an array. */
void tsh_status_begin_array(struct tsh_json *js, const char *key, struct tsh_json_room *room);
/* Says whether an entry of len bytes fits into the limits. Subtracts an entry that fits from the
 * limits, and counts one that does not. */
bool tsh_status_has_room(struct tsh_json_room *room, size_t len);
/* Adds a list: in words a line `name` for each entry, in CSV one cell for all; nothing when it
 * is empty. */
void tsh_status_names(struct tsh_status_view *st, const char *key, const char *name, const struct tsh_strlist *list);

/* Add settings of a kind: in words those that differ from the kernel's default, in JSON all. */
void tsh_status_lists(struct tsh_status_view *st);		/* lists of tasks and functions */
void tsh_status_options(struct tsh_status_view *st);
void tsh_status_others(struct tsh_status_view *st);		/* other settings */
void tsh_status_unread(struct tsh_status_view *st);		/* files that cannot be read */
void tsh_status_probes(struct tsh_status_view *st);
void tsh_status_instances(struct tsh_status_view *st);

#endif
