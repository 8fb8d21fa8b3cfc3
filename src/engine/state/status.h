/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_STATUS_H
#define TRACESH_ENGINE_STATE_STATUS_H

#include "session/session.h"

/*
 * Prints the settings of one instance. In words (text, and CSV as one row) those that differ from
 * the kernel's defaults. In JSON one object with all keys, which are the files' names: lists as
 * arrays, up to a limit, and null for files that this kernel does not have. holders: prints also
 * which processes have the trace_pipe open.
 */
void tsh_status_print(struct tsh_session *s, const struct tsh_instance *in, bool holders);

struct tsh_json;
/* Counts the entries and the bytes that still fit into an array. */
struct tsh_json_room {
	size_t entries, bytes;
	uint64_t left_out;		/* entries of all arrays that did not fit */
};
/* Adds a file with one task or function a line as an array; null when it cannot be read. */
void tsh_status_json_list(struct tsh_json *js, const struct tsh_instance *in, const char *key,
			  const char *path, struct tsh_json_room *room);

#endif
