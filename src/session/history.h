/* session/history.h - the commands that were typed, in this session and before */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_HISTORY_H
#define TRACESH_SESSION_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

/*
 * Holds the history of typed commands. All sessions of a user append to the same file of the state
 * directory, each command when it is typed. A command is one line of the file; further lines of the
 * same command begin with a tab, and no command begins with one. The file must be a regular file of
 * our own, with one name, and has mode 0600; any other file is not touched.
 */
struct tsh_history {
	struct tsh_strlist lines;	/* oldest first, without duplicates */
	char *path;			/* NULL: no file is written */
	/* Identify the file when it was last read or written: another inode or size means that
	 * other sessions have added lines. */
	ino_t ino;
	off_t size;
};

/* Limits the commands in memory. The file may hold twice as many. */
#define TSH_HISTORY_MAX 2000

/* Reads the history file. `write`: makes the file if it is missing, and lets tsh_history_add write
 * to it. Returns 0, or -1 with err: the history then is empty and has no file, but can be used. */
int tsh_history_open(struct tsh_history *h, bool write, struct tsh_err *err);
/*
 * Adds a command, without a newline at its end, and removes an equal command before. Returns false
 * for a line that is no command for the history: empty, too long, or with a blank at its start.
 * When err is set, the command was added in memory only, and the history has no file any more.
 */
bool tsh_history_add(struct tsh_history *h, const char *line, struct tsh_err *err);
/* Reads what other sessions have added to the file since. Returns true when the lines have changed,
 * and false when the file cannot be read. */
bool tsh_history_refresh(struct tsh_history *h);
void tsh_history_release(struct tsh_history *h);

#endif
