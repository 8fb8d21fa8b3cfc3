/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_WRITE_H
#define TRACESH_KERNEL_TRACEFS_WRITE_H

/* Declares the steps of tsh_file_write, for backends, the journal and undo only. */

#include <stdbool.h>

#include "tracefs.h"

/* Opens the file (with O_TRUNC when truncate), writes a line, closes it. text may be NULL: only
 * truncates. Returns 0 or -errno. */
int tsh_write_raw(const struct tsh_instance *in, const char *path, bool truncate,
		  const char *text);
/* Says whether a write empties a list of tasks first, so that recording has to be paused
 * meanwhile. */
bool tsh_write_pauses(const char *path, bool truncate, const char *text);
/* Says whether the file is opened with O_TRUNC. */
bool tsh_write_truncates(const struct tsh_file_class *cls, enum tsh_write_how how);
/* Says whether the file holds a single value, so that a write of the present value can be left
 * out. */
bool tsh_is_value(const struct tsh_file_class *cls);
/* Sets err to the reason why a text was not written; `number` is the errno. Returns -1. */
int tsh_write_explain(struct tsh_err *err, const struct tsh_instance *in, const char *path, const char *text,
		      int number);
/* Returns the text to write for one that was typed: numbers in decimal digits, triggers with their
 * colon. The caller frees it. */
char *tsh_write_text(const char *path, const char *text);
/*
 * Returns the size, in KB, that a CPU's buffer will have when it is first used: buffer_size_kb
 * reads "7 (expanded: 1408)", but the file of one CPU only "7". Returns NULL when the buffer
 * already has its size, or when path is not the size of a CPU. The caller frees it.
 */
char *tsh_expand_size(const struct tsh_instance *in, const char *path);
/* Sets the size of all CPUs' buffers, which are still small, before the size of one is written:
 * that write would let the kernel forget the size that they have yet to get. Does nothing when they
 * have it, or for another path. Returns 0 or -errno. */
int tsh_expand_others(const struct tsh_instance *in, const char *path);
/*
 * Are called before and after an instance's size is written, since that write lets a kernel up to
 * 6.6 forget the size that the top buffer has yet to get. tsh_expand_expected returns that size, or
 * NULL. tsh_expand_forgotten sets it when it was forgotten, and frees `size`; returns 0 or -errno.
 */
char *tsh_expand_expected(const struct tsh_instance *in, const char *path);
int tsh_expand_forgotten(const struct tsh_instance *in, char *size);
/* Removes an instance (rmdir); tries again for a tenth of a second while it is busy. Returns 0 or
 * -errno. */
int tsh_instance_remove(struct tsh_dir *dir, const char *name);

#endif
