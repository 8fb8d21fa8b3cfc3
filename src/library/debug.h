/* library/debug.h - debug information of a program's code */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_DEBUG_H
#define TRACESH_LIBRARY_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/apart.h"
#include "base/strbuf.h"
#include "base/wait.h"

/*
 * Reads the debug information of one program or library: its own, or that in the distribution's
 * file for it (by build ID or .gnu_debuglink). Runs libdw in a process of its own, as nobody and
 * without a way to open files, because others have written what it reads. Asks no debuginfod
 * server.
 */
struct tsh_debug;

/* Opens the program, in that process, with our privileges. Returns a descriptor, or -1. */
typedef int tsh_debug_open_file(void *ctx);

/*
 * Begins. path is the name of the program, for .gnu_debuglink; path and ctx are borrowed until this
 * returns. Returns NULL when there is no debug information, this build or machine has no libdw, or
 * libdw did not answer. *ret_why, a constant, says what could not be read and why, also when the
 * rest could; NULL: nothing; tsh_debug_died: there was no answer. The functions of host (may be
 * NULL) are called for the process.
 */
extern const char tsh_debug_died[];
struct tsh_debug *tsh_debug_open(tsh_debug_open_file *open_file, void *ctx, const char *path,
				 const struct tsh_apart_host *host, const struct tsh_waiter *waiter, const char **ret_why);
/* Ends; may be NULL. */
void tsh_debug_close(struct tsh_debug *debug);
/*
 * Appends the functions at a place of the file, each with a '\n': first the inlined ones, the
 * innermost first, at last the real one. Appends nothing when they are not known. Returns false
 * when there was no answer within a second; then there will be none any more. Ignores signals,
 * because the last events are printed after Ctrl-C.
 */
bool tsh_debug_functions(struct tsh_debug *debug, uint64_t offset, struct tsh_strbuf *ret);
/* Says whether libdw can be loaded. */
bool tsh_debug_can(void);

#endif
