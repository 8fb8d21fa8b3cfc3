/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_LINES_H
#define TRACESH_KERNEL_TRACEFS_LINES_H

#include "tracefs.h"

/* Compares and edits the lines of list files: triggers, probes, functions, pids. */

/* Adds the lines of a file's text to ret, without empty lines, comments and "no pid". */
void tsh_lines_split(const char *text, struct tsh_strlist *ret);
/* Adds these lines of a file to ret; none when it cannot be read. */
void tsh_file_lines(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret);
/* Splits a text that is written to a file as the kernel does: into words or lines. */
void tsh_lines_written(const struct tsh_file_class *cls, const char *text, struct tsh_strlist *ret);
/* Joins lines with newlines, without one at the end. The caller frees it. */
char *tsh_lines_join(const struct tsh_strlist *lines);
/* Returns the part of a line that identifies the setting: the line without the count, which
 * decreases as a trigger fires. The caller frees it. */
char *tsh_line_identity(const struct tsh_file_class *cls, const char *line);
/* Returns the part of a line that is unique in its file (a probe's name, a trigger's kind), or NULL
 * when lines need not be unique. The caller frees it. */
char *tsh_line_key(const struct tsh_file_class *cls, const char *line);
/* Returns a line in the form in which it is written; a function's command becomes
 * "FUNCTION:COMMAND[:COUNT]". The caller frees it. */
char *tsh_line_text(const struct tsh_file_class *cls, const char *line);
/* Says whether a line of set_ftrace_filter is a command. */
bool tsh_line_is_command(const char *line);

/* Adds the lines of `a` that are not in `b` to ret, in the order of `a`. Compares
 * tsh_line_identity. */
void tsh_lines_without(const struct tsh_file_class *cls, const struct tsh_strlist *a,
		       const struct tsh_strlist *b, struct tsh_strlist *ret);
/* Says whether a file's text has the line, with the same count. */
bool tsh_lines_have(const struct tsh_file_class *cls, const char *text, const char *line);
/* Says whether `list` has a line with the same tsh_line_key and another tsh_line_identity. */
bool tsh_lines_replaced(const struct tsh_file_class *cls, const struct tsh_strlist *list,
			const char *line);
/* Returns the line of `list` that is the same histogram but paused where `line` is not, or the
 * other way round; NULL when there is none. */
const char *tsh_lines_twin(const struct tsh_file_class *cls, const struct tsh_strlist *list,
			   const char *line);
/* Adds the lines of `came`, which our write added, that are no longer in `now`. A histogram that
 * was only paused or continued since is not added, unless our write itself paused or continued it:
 * then `went`, the lines that our write removed, has its old line. */
void tsh_lines_removed_since(const struct tsh_file_class *cls, const struct tsh_strlist *came,
			     const struct tsh_strlist *went, const struct tsh_strlist *now, struct tsh_strlist *ret);
/* Compares three readings of a list line by line: before our write, after it, and now. See enum
 * tsh_standing. */
enum tsh_standing tsh_lines_standing(const struct tsh_file_class *cls, const char *before,
				     const char *after, const char *now);
/* Says whether two texts have the same lines in any order, by tsh_line_identity. */
bool tsh_lines_same(const struct tsh_file_class *cls, const char *a, const char *b);

/* Says whether the text of a list has the line, with any count. */
bool tsh_has_line(const struct tsh_file_class *cls, const char *text, const char *line);

/* ---- which written line made a line: line-from.c ---- */

/* Says whether `written`, a line that was written to the file at `path`, can have made `line`, or,
 * with "!" or "-" at its start, can have removed it. */
bool tsh_line_is_from(const char *path, const char *line, const char *written);
/* Says whether a written line removes other lines: whether it begins with "!", or with "-" in a
 * file of probes. */
bool tsh_line_removes_others(const struct tsh_file_class *cls, const char *written);

#endif
