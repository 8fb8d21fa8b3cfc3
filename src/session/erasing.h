/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_ERASING_H
#define TRACESH_SESSION_ERASING_H

#include "session.h"

/* Counts the events of instances before a change, to report after the change how many are
 * erased. */

struct tsh_erasing_counts {
	char *instance;		/* name; NULL: the top-level instance */
	uint64_t entries, written, overrun, snapshot;
};

struct tsh_erasing {
	unsigned int what;	/* enum tsh_erases */
	uint64_t subbuf;
	const char *by;		/* beginning of the message; NULL: "the change" */
	TSH_VEC(struct tsh_erasing_counts) held;
};

/* Counts, before a change, the events of an instance. With TSH_ERASES_ELSEWHERE in `what`, counts
 * those of all instances, except the instances that commands of tracesh own. */
void tsh_erasing_begin(struct tsh_erasing *e, const struct tsh_instance *in, unsigned int what);
/*
 * Reports, after a change, what the change has erased, and releases `e`. is_sure: reports all
 * events that were counted before, because everything is erased. (New counts may include new
 * events, or the kernel may go on counting.)
 */
void tsh_erasing_end(struct tsh_session *s, struct tsh_erasing *e, bool is_sure);

/* Writes a file as tsh_file_write does, and reports what the kernel has erased by that. Drops what
 * was read ahead of an erased buffer. Returns as tsh_file_write does. */
int tsh_session_write_in(struct tsh_session *s, struct tsh_instance *in, const char *path, enum tsh_write_how how,
			 const char *text, struct tsh_err *err);

/* Counts the names of tasks that the kernel holds for unread events; 0 when no instance has unread
 * events. */
uint64_t tsh_cmd_count_names(const struct tsh_session *s);
/* Warns, after a change or before a step back, that names of tasks are erased; prints no warning
 * for 0 names. what: the beginning of the sentence ("the change erased"). */
void tsh_cmd_note_names(struct tsh_session *s, const char *what, uint64_t names);

/* Prints a warning. When nobody can see the warning (s->unattended), stores it for the next session
 * to print. Appends a newline to `text` then. */
void tsh_cmd_warn_or_store(struct tsh_session *s, struct tsh_strbuf *text);

#endif
