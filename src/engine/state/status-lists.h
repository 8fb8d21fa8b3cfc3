/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_STATUS_LISTS_H
#define TRACESH_ENGINE_STATE_STATUS_LISTS_H

#include "base/json.h"
#include "kernel/tracefs/event.h"
#include "status.h"

/* The facts of one instance on their way into words (fields) or an object (js): one of the two is NULL. */
struct tsh_status_view {
	struct tsh_session *s;
	const struct tsh_instance *in;
	struct tsh_fields *fields;
	struct tsh_json *js;
	struct tsh_json_room room;
	bool holders;
	char *on, *tracer;		/* their files; or NULL */
	struct tsh_events armed, recording;
};

/* Begins an array of an object, with room for the entries that tsh_status_has_room lets pass. */
void tsh_status_begin_array(struct tsh_json *js, const char *key, struct tsh_json_room *room);
/* Says whether there is room for an entry of that many bytes, which is taken then; counts those that find none. */
bool tsh_status_has_room(struct tsh_json_room *room, size_t len);
/* Adds a list: in words a line `name` for each, in CSV one cell of all; nothing when it is empty. */
void tsh_status_names(struct tsh_status_view *st, const char *key, const char *name, const struct tsh_strlist *list);

/* Each adds what is not the kernel's default; as JSON all that there is. */
void tsh_status_lists(struct tsh_status_view *st);		/* of tasks and functions */
void tsh_status_options(struct tsh_status_view *st);
void tsh_status_others(struct tsh_status_view *st);		/* settings without a line of their own */
void tsh_status_unread(struct tsh_status_view *st);		/* files that are there and cannot be read */
void tsh_status_probes(struct tsh_status_view *st);
void tsh_status_instances(struct tsh_status_view *st);

#endif
