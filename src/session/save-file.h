/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SAVE_FILE_H
#define TRACESH_SESSION_SAVE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/wait.h"

/*
 * Makes a file, for its owner only. One that is there is an error, or with `replace`
 * another one in its place, whole or not at all; no link is followed. 0 or -1.
 */
int tsh_save_file(const char *path, const char *text, size_t len, bool replace,
		  struct tsh_err *err);
/* Appends a file that save made; "-" is stdin. A signal ends it where a pipe or a terminal
 * brings nothing. 0, or -1 with TSH_USAGE. */
int tsh_load_file(const struct tsh_waiter *waiter, const char *path, struct tsh_strbuf *ret,
		  struct tsh_err *err);

#endif
