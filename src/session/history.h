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
 * A file of the state directory that all sessions of a user append to, each line as it is
 * typed. In it a command is a line; the other lines of one that has several begin with a
 * tab, with which no command begins. It is 0600, a regular file of our own with one name,
 * or it is not touched.
 */
struct tsh_history {
	struct tsh_strlist lines;	/* the oldest first, none twice */
	char *path;			/* NULL: nothing is written */
	/* The file as it was read or written last: another one has lines of other sessions. */
	ino_t ino;
	off_t size;
};

/* How many are kept, in memory and, within twice that, in the file. */
#define TSH_HISTORY_MAX 2000

/*
 * Reads what there is. `write`: and opens it for tsh_history_add, making what is missing;
 * without it nothing is made or changed. -1 with err: the history begins empty, and is
 * not written to a file; it can be used.
 */
int tsh_history_open(struct tsh_history *h, bool write, struct tsh_err *err);
/*
 * Adds a command, without a newline at its end; an equal one before it goes. False: nothing
 * was kept, as it is empty or begins with a blank. With err set it was kept in memory only,
 * and so will be all others.
 */
bool tsh_history_add(struct tsh_history *h, const char *line, struct tsh_err *err);
/*
 * Reads what other sessions have added since; true: the lines are others now. What cannot be
 * read leaves them as they are.
 */
bool tsh_history_refresh(struct tsh_history *h);
void tsh_history_release(struct tsh_history *h);

#endif
