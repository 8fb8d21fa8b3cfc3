/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_WRITE_H
#define TRACESH_KERNEL_TRACEFS_WRITE_H

/* What stands below tsh_file_write: for the backends, the journal and the way back; nobody else calls these. */

#include <stdbool.h>

#include "tracefs.h"

/*
 * open (with O_TRUNC when truncate), write a line, close. text may be NULL: only
 * the truncation. 0 or -errno.
 */
int tsh_write_raw(const struct tsh_instance *in, const char *path, bool truncate,
		  const char *text);
/* Says whether a list of tasks is emptied before it is written, so that recording has to pause meanwhile. */
bool tsh_write_pauses(const char *path, bool truncate, const char *text);
/* Says whether the file is emptied as it is opened. */
bool tsh_write_truncates(const struct tsh_file_class *cls, enum tsh_write_how how);
/* Says whether the file is one value, which is set however it is written: an equal one is not written at all. */
bool tsh_is_value(const struct tsh_file_class *cls);
/* Says in err why a text was not written, by the errno. Returns -1. */
int tsh_write_explain(struct tsh_err *err, const struct tsh_instance *in, const char *path, const char *text,
		      int number);
/* Gives the text that is written for one that was typed: numbers in digits, triggers with their colon. The caller
 * frees it. */
char *tsh_write_text(const char *path, const char *text);
/*
 * A buffer that reads "7 (expanded: 1408)" gets its size when it is first used; one CPU's file
 * says only "7". The size that CPU will have, or NULL: it has it, or path is not a CPU's size.
 */
char *tsh_expand_size(const struct tsh_instance *in, const char *path);
/* Before a CPU's size is written, which makes the kernel forget that the others are still small.
 * 0 or -errno. */
int tsh_expand_others(const struct tsh_instance *in, const char *path);
/*
 * Around the write of an instance's size, which may make an old kernel forget what size the
 * top-level buffer has yet to get: that size, or NULL; and, where it was forgotten, it is given.
 * The latter frees the size; 0 or -errno.
 */
char *tsh_expand_expected(const struct tsh_instance *in, const char *path);
int tsh_expand_forgotten(const struct tsh_instance *in, char *size);
/* rmdir, tried again for a tenth of a second while it is busy. 0 or -errno. */
int tsh_instance_remove(struct tsh_dir *dir, const char *name);

#endif
