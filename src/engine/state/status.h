/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_STATUS_H
#define TRACESH_ENGINE_STATE_STATUS_H

#include "kernel/tracefs/defaults.h"
#include "session/cmd.h"

/* The settings of one instance on their way into fields. */
struct tsh_status_view {
	struct tsh_session *s;
	const struct tsh_instance *in;
	struct tsh_fields *fields;
	bool one_object;	/* CSV: a name stands once, values joined by "; " */
};

/* A line for each; nothing for an empty list. */
void tsh_status_list(struct tsh_status_view *st, const char *name, const struct tsh_strlist *list);

/* status-settings.c: each adds what is not the kernel's default. */
void tsh_status_buffer(struct tsh_status_view *st);
void tsh_status_lists(struct tsh_status_view *st);
void tsh_status_options(struct tsh_status_view *st);
void tsh_status_probes(struct tsh_status_view *st);
void tsh_status_others(struct tsh_status_view *st);

/* Lists of tasks and functions; ends with NULL. */
extern const char *const tsh_status_files[];
/* The value of a setting that has no line of its own and is not the kernel's default, or NULL. The caller frees it. */
char *tsh_status_other(const struct tsh_instance *in, const struct tsh_default *d);
/* Adds "FILE (why)" for each file that is there and cannot be read. */
void tsh_status_unread(const struct tsh_instance *in, struct tsh_strlist *ret);

/* status-json.c: all of it as one object. `holders`: with who has the trace_pipe open. */
void tsh_status_json(struct tsh_session *s, const struct tsh_instance *in, bool holders);
struct tsh_json;
/* Counts what an array of an object may still take. */
struct tsh_json_room {
	size_t entries, bytes;
	uint64_t left_out;		/* entries of all arrays that found none */
};
/* A file of one task or function a line as an array; null when it cannot be read. */
void tsh_status_json_list(struct tsh_json *js, const struct tsh_instance *in, const char *key,
			  const char *path, struct tsh_json_room *room);

#endif
