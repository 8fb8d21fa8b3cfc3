/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_UTIL_H
#define TRACESH_SESSION_UTIL_H

/* What several commands need. */

#include "session.h"

/* tsh_put_in in the current instance; an error blames `value` (may be NULL).
 * Under `set show-writes on` the write is shown as the shell command that it is. Who is interrupted writes nothing more: of
 * many events those that follow are left. */
int tsh_put_file(struct tsh_session *s, const char *path, enum tsh_write_how how,
		  const char *text, const struct tsh_value *value, struct tsh_err *err);
/* Says what a write of a file has replaced, which read `before`: an event's filter, the tasks of a list. text: what
 * was written. */
void tsh_cmd_note_replaced(struct tsh_session *s, const char *path, const char *before, const char *text);
/* -1 with "this kernel has no WHAT" when the file is not there. */
int tsh_cmd_needs_file(struct tsh_session *s, const char *path, const char *what,
		       struct tsh_err *err);
/* The same; false when it is not known: the sum is of those that could be read. */
bool tsh_cmd_count_entries(const struct tsh_instance *in, uint64_t *ret);
/* Events that are in the instance's buffer, of all CPUs. */
uint64_t tsh_cmd_entries(const struct tsh_instance *in);
/* Whether a file's value is another one than this: a write of it would change something. */
bool tsh_cmd_differs(const struct tsh_instance *in, const char *path, const char *text);
/* Events that were ever in its buffer, since it was emptied. */
uint64_t tsh_cmd_written(const struct tsh_instance *in);
/* Sums up what all CPUs have lost as new events took their place, or a smaller buffer had no room. */
uint64_t tsh_cmd_overrun(const struct tsh_instance *in);
/* "1 event", "2 events" */
const char *tsh_plural(uint64_t n);
/* "did you mean .." from a list of names; the list itself when none is near and it is
 * short. */
void tsh_cmd_suggest(struct tsh_err *err, const char *typed, const struct tsh_strlist *names);
/* Reads a file of the current instance; -1 with err. */
int tsh_get_file(struct tsh_session *s, const char *path, struct tsh_strbuf *out,
		 struct tsh_err *err);
/* The instance's name, of a recorded tree that of the one that was recorded; the caller frees it. */
char *tsh_cmd_instance_name(const struct tsh_instance *in);
/* Works in another instance from now on; "top" is the top-level one. */
int tsh_cmd_use_instance(struct tsh_session *s, const char *name, struct tsh_err *err);
/* Goes back to where the user was before an instance that is gone: the last one that is still there, top at last. */
void tsh_cmd_leave_instance(struct tsh_session *s);
/* Looks at signals between the files of a list; true, now and later, when one ends the command. */
bool tsh_cmd_is_aborted(struct tsh_session *s);
/* What was saved when nobody saw it: said once. */
void tsh_cmd_note_rescued(struct tsh_session *s);
/* Says what a tracesh that is gone has left, and what to type. */
void tsh_cmd_note_left(struct tsh_session *s);
/* MemAvailable in bytes; UINT64_MAX when /proc does not say. */
uint64_t tsh_cmd_memory_available(void);

#endif
