/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_STATUS_H
#define TRACESH_ENGINE_STATE_STATUS_H

#include "session/session.h"

/*
 * Prints what is set in one instance. In words (text, and CSV as one row) what is not as the kernel starts it; as JSON
 * one object with every key each time, lists as arrays, whole as far as there is room, null for what this kernel does
 * not have: what the kernel has a file for bears the file's name. `holders`: with who has the trace_pipe open.
 */
void tsh_status_print(struct tsh_session *s, const struct tsh_instance *in, bool holders);

struct tsh_json;
/* Counts what an array of an object may still take. */
struct tsh_json_room {
	size_t entries, bytes;
	uint64_t left_out;		/* entries of all arrays that found none */
};
/* Adds a file of one task or function a line as an array; null when it cannot be read. */
void tsh_status_json_list(struct tsh_json *js, const struct tsh_instance *in, const char *key,
			  const char *path, struct tsh_json_room *room);

#endif
