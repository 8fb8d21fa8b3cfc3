/* base/new-file.h - a file that appears when it is whole */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_NEW_FILE_H
#define TRACESH_BASE_NEW_FILE_H

#include <stdbool.h>

#include "err.h"

/* Holds a file that is written under another name in its folder. Zeroed memory has none. */
struct tsh_new_file {
	int fd;				/* for reading and writing */
	int folder;
	char *name, *temporary;		/* in the folder; owned */
};

/* Makes a file beside `path`, which is found as by tsh_open_parent. replaces: `path` may be a
 * regular file. Returns 0, or -1 with err. */
int tsh_new_file_open(struct tsh_new_file *file, const char *path, bool replaces, struct tsh_err *err);
/* Renames it to `path`. Returns 0, or -1 with err; then the file is removed. */
int tsh_new_file_end(struct tsh_new_file *file, const char *path, bool replaces, struct tsh_err *err);
/* Removes it, unless it was renamed. Does nothing for zeroed memory. */
void tsh_new_file_drop(struct tsh_new_file *file);

#endif
