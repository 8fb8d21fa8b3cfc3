/* output/output-file.h - opens the file of -o */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_OUTPUT_FILE_H
#define TRACESH_OUTPUT_OUTPUT_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/wait.h"

/*
 * Opens a file for output as '>' of a shell does, but through nothing that somebody else left in
 * /tmp: no symbolic link as its last part, no link of others on the way, no file or FIFO of others
 * in a folder that many may write to. Links of the system in /dev (stdout, fd/N) are allowed. A new
 * file has mode 0600 for root, otherwise that of the umask. Waits for the reader of a FIFO; with a
 * waiter, until a signal comes. The old content stays until tsh_out_begin (has_old_content);
 * *ret_is_new: the file did not exist. Returns a descriptor, or -1 with err (TSH_FAILED, no span).
 */
int tsh_output_open(const char *path, const struct tsh_waiter *waiter, bool *ret_is_new,
		    struct tsh_err *err);

/* Removes a file that did not exist before, and could not be written to: only if the name is
 * that of the open fd, and it is empty. */
void tsh_output_remove_empty(const char *path, int fd);

/* Says whether a regular file is the one that is open as fd. */
bool tsh_output_is(int fd, const struct stat *input);
/* Refuses to read the file that is being written: returns -1 with err (TSH_FAILED, a hint, no
 * span) for that file, 0 for any other. */
int tsh_output_check(int fd, const struct stat *input, const char *name, struct tsh_err *err);

/* Says whether the name of an output file, such as "-", means standard output. */
bool tsh_is_standard_output(const char *path);

#endif
