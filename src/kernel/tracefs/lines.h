/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_LINES_H
#define TRACESH_KERNEL_TRACEFS_LINES_H

#include "tracefs.h"

/* Files that hold lines: triggers, probes, functions, pids. Between comparing and restoring. */

/* The lines of a file's text, without comments and "no pid". */
void tsh_lines_split(const char *text, struct tsh_strlist *ret);
/* Appends these lines of a file to `ret`; none where it cannot be read. */
void tsh_file_lines(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret);
/* What is written to a file at once, split as the kernel does: into words, or lines. */
void tsh_lines_written(const struct tsh_file_class *cls, const char *text, struct tsh_strlist *ret);
/* Puts lines together to a text, without a newline at its end. The caller frees it. */
char *tsh_lines_join(const struct tsh_strlist *lines);
/* What makes a line the same setting: without the count that the kernel lets go down. The
 * caller frees it. */
char *tsh_line_identity(const struct tsh_file_class *cls, const char *line);
/* What there can only be one of (the probe's name, the trigger's kind); NULL: anything. */
char *tsh_line_key(const struct tsh_file_class *cls, const char *line);
/* As one writes it; of a function's command, "FUNCTION:COMMAND[:COUNT]", as well. */
char *tsh_line_text(const struct tsh_file_class *cls, const char *line);
/* Whether a line of set_ftrace_filter is a command. */
bool tsh_line_is_command(const char *line);

/* The lines of `a` that are not in `b`, by identity, in the order of `a`. */
void tsh_lines_without(const struct tsh_file_class *cls, const struct tsh_strlist *a,
		       const struct tsh_strlist *b, struct tsh_strlist *ret);
/* Whether a file's text has the line, with its count. */
bool tsh_lines_have(const struct tsh_file_class *cls, const char *text, const char *line);
/* Whether `list` has a line of the same key that is not the same. */
bool tsh_lines_replaced(const struct tsh_file_class *cls, const struct tsh_strlist *list,
			const char *line);
/* The line of `list` that is the same histogram, paused where `line` is not, or the other way round; NULL. */
const char *tsh_lines_twin(const struct tsh_file_class *cls, const struct tsh_strlist *list,
			   const char *line);
/* Those of `came` that `now` has no more; a histogram has not gone when it was paused, or let go on, since, but
 * where that is what came, as one of `went` says. */
void tsh_lines_gone(const struct tsh_file_class *cls, const struct tsh_strlist *came,
		    const struct tsh_strlist *went, const struct tsh_strlist *now, struct tsh_strlist *ret);
/* Whose a list is, line by line, that read `before` and `after` our write, and reads `now`. */
enum tsh_standing tsh_lines_standing(const struct tsh_file_class *cls, const char *before,
				     const char *after, const char *now);
bool tsh_lines_same(const struct tsh_file_class *cls, const char *a, const char *b);

/* Says whether the text of a list has the line. */
bool tsh_has_line(const struct tsh_file_class *cls, const char *text, const char *line);

/* ---- whose they are: line-from.c ---- */

/* Says whether a line of a file can have been made, or without its "!" or "-" have been taken
 * away, by a line that was written there. */
bool tsh_line_is_from(const char *path, const char *line, const char *written);
/* Says whether a line that was written takes others away. */
bool tsh_line_takes_away(const struct tsh_file_class *cls, const char *written);

#endif
