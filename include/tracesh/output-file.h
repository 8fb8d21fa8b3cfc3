/* tracesh/output-file.h - the file of -o (src/output) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_FILE_H
#define TRACESH_OUTPUT_FILE_H

#include <stdbool.h>

#include "tracesh/err.h"
#include "tracesh/wait.h"

/*
 * Open a file to write what is printed, as a shell's '>' does, but through nothing that
 * somebody else left in /tmp: no symbolic link as its last part, no link of others on the
 * way, no file or FIFO of others in a folder that many may write to. Those that the system
 * has in /dev (stdout, fd/N) are links by nature. A new one is 0600 for root, else as the
 * umask has it. A FIFO waits for its reader; with a waiter until a signal comes. With `keeps`
 * the old content stays, for tsh_out_begin. A descriptor, or -1 with err (TSH_FAILED, no span).
 */
int tsh_output_open(const char *path, bool keeps, const struct tsh_waiter *waiter,
		    struct tsh_err *err);

/* Says whether the name of an output file is that of no file: "-". */
bool tsh_is_standard_output(const char *path);

#endif
