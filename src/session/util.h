/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_UTIL_H
#define TRACESH_SESSION_UTIL_H

/* Declares functions that several commands use. */

#include "session.h"

/* Writes a file of the current instance as tsh_session_write_in does; an error blames `value` (may
 * be NULL). With TSH_WRITE_SET checks names of functions first. Fails after an interrupt, so that a
 * command with many events stops. */
int tsh_session_write(struct tsh_session *s, const char *path, enum tsh_write_how how,
		      const char *text, const struct tsh_value *value, struct tsh_err *err);
/* Notes what a write has replaced: an event's filter, or tasks of a list. before: the file's text
 * before the write; may be NULL. text: the text that was written. */
void tsh_cmd_note_replaced(struct tsh_session *s, const char *path, const char *before, const char *text);
/* Returns -1 with "this kernel has no WHAT here" when a file is missing, otherwise 0. */
int tsh_cmd_check_file(struct tsh_session *s, const char *path, const char *what,
		       struct tsh_err *err);
/* Counts the events in the buffer of an instance, of all CPUs. Returns false when some CPU's count
 * cannot be read; *ret is then the sum of the others. */
bool tsh_cmd_count_entries(const struct tsh_instance *in, uint64_t *ret);
/* Does what tsh_cmd_count_entries does, and returns the sum even if some CPU is missing. */
uint64_t tsh_cmd_entries(const struct tsh_instance *in);
/* Says whether a write of this text would change the value of a file. */
bool tsh_cmd_differs(const struct tsh_instance *in, const char *path, const char *text);
/* Counts all events that were written to the buffer since the buffer was emptied. */
uint64_t tsh_cmd_written(const struct tsh_instance *in);
/* Counts the events, of all CPUs, that newer ones have overwritten, or that had no room when the
 * buffer was made smaller. */
uint64_t tsh_cmd_overrun(const struct tsh_instance *in);
/* Returns "" for 1, otherwise "s": "1 event", "2 events". */
const char *tsh_plural(uint64_t n);
/* Sets the hint "did you mean .." from a list of names, or names all of a short list (20) when none
 * is near. */
void tsh_cmd_suggest(struct tsh_err *err, const char *typed, const struct tsh_strlist *names);
/* Appends a file of the current instance to out. Returns 0, or -1 with err. */
int tsh_cmd_read_file(struct tsh_session *s, const char *path, struct tsh_strbuf *out,
		      struct tsh_err *err);
/* Returns the name of an instance; for a recording, that of the recorded instance. The caller frees
 * it. */
char *tsh_cmd_instance_name(const struct tsh_instance *in);
/* Makes another instance the current one; "top" is the top-level one. Returns 0, or -1 with err. */
int tsh_cmd_use_instance(struct tsh_session *s, const char *name, struct tsh_err *err);
/* Makes the last instance that was in use before and still exists the current one, otherwise the
 * top-level one. */
void tsh_cmd_use_previous_instance(struct tsh_session *s);
/* Checks for signals between the files of a list. Returns true, now and later, when one ends the
 * command. */
bool tsh_cmd_is_aborted(struct tsh_session *s);
/* Notes, once, which events were saved while nobody could see the note. */
void tsh_cmd_note_rescued(struct tsh_session *s);
/* Notes what killed sessions have left, and the command that takes it back. */
void tsh_cmd_note_left(struct tsh_session *s);
/* Returns MemAvailable in bytes; UINT64_MAX when /proc does not have that. */
uint64_t tsh_cmd_memory_available(void);

#endif
