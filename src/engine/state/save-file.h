/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_SAVE_FILE_H
#define TRACESH_ENGINE_STATE_SAVE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/wait.h"

/* Writes a file that only its owner can read. Fails when the file exists; with `replace` puts the
 * new file in its place, completely or not at all. Follows no link. Returns 0, or -1 with err. */
int tsh_save_file(const char *path, const char *text, size_t len, bool replace,
		  struct tsh_err *err);
/* Appends to ret the text of a file that save has written; "-" is stdin. A signal ends the wait for
 * a pipe or a terminal. Returns 0, or -1 with TSH_USAGE. */
int tsh_save_file_read(const struct tsh_waiter *waiter, const char *path, struct tsh_strbuf *ret,
		  struct tsh_err *err);

#endif
