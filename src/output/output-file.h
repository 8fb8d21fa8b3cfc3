/* output/output-file.h - the file of -o */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_OUTPUT_FILE_H
#define TRACESH_OUTPUT_OUTPUT_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/wait.h"

/*
 * Open a file to write what is printed, as a shell's '>' does, but through nothing that
 * somebody else left in /tmp: no symbolic link as its last part, no link of others on the
 * way, no file or FIFO of others in a folder that many may write to. Those that the system
 * has in /dev (stdout, fd/N) are links by nature. A new one is 0600 for root, else as the
 * umask has it. A FIFO waits for its reader; with a waiter until a signal comes. The old
 * content stays until tsh_out_begin (holds_old); *ret_is_new: it was not there. A descriptor,
 * or -1 with err (TSH_FAILED, no span).
 */
int tsh_output_open(const char *path, const struct tsh_waiter *waiter, bool *ret_is_new,
		    struct tsh_err *err);

/* Removes the file of a name if it is the empty one that is open as fd: for one that was not there before, when
 * it could not be written to. */
void tsh_output_remove_empty(const char *path, int fd);

/* Says whether a regular file is the one that is open as fd. */
bool tsh_output_is(int fd, const struct stat *input);
/* Refuse to read what is written to: -1 with err (TSH_FAILED, a hint, no span) if it is. */
int tsh_output_check(int fd, const struct stat *input, const char *name, struct tsh_err *err);

/* Says whether the name of an output file is that of no file: "-". */
bool tsh_is_standard_output(const char *path);

#endif
