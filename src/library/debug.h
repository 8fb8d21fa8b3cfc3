/* library/debug.h - what debug information says of a program's code */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_DEBUG_H
#define TRACESH_LIBRARY_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/apart.h"
#include "base/strbuf.h"
#include "base/wait.h"

/*
 * The debug information of one program or library: its own, or that of the distribution's file for it (by build ID or
 * .gnu_debuglink). libdw reads it, in a process of its own that is nobody and opens no file any more: others have written
 * what it reads. No server is asked for it.
 */
struct tsh_debug;

/* Opens the program, in that process, with our privileges. A descriptor, or -1. */
typedef int tsh_debug_open_file(void *ctx);

/*
 * Begins. path is what the program is called, for .gnu_debuglink; path and ctx are borrowed until this returns. NULL: it
 * has none, or this build, or machine, has no libdw, or libdw did not answer. *ret_why: what of it could not be read, and
 * why, also where the rest could; NULL: nothing. It is a constant; tsh_debug_died: nothing came. The host is told of the
 * process, and may be NULL.
 */
extern const char tsh_debug_died[];
struct tsh_debug *tsh_debug_open(tsh_debug_open_file *open_file, void *ctx, const char *path,
				 const struct tsh_apart_host *host, const struct tsh_waiter *waiter, const char **ret_why);
/* NULL is fine. */
void tsh_debug_close(struct tsh_debug *debug);
/*
 * Appends the functions at a place of the file, each with a '\n': first those that the compiler has put into others, the
 * innermost first, at last the one that all of them lie in. Nothing: it is not known. False: there was no answer in a
 * second, and there will be none. It hears no signal: the last events are looked at behind Ctrl-C.
 */
bool tsh_debug_functions(struct tsh_debug *debug, uint64_t offset, struct tsh_strbuf *ret);
/* Says whether libdw can be loaded. */
bool tsh_debug_can(void);

#endif
