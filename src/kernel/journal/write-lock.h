/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_WRITE_LOCK_H
#define TRACESH_KERNEL_JOURNAL_WRITE_LOCK_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "kernel/tracefs/tracefs.h"

/* Between reading a file and writing it no other tracesh writes: else what it wrote would look
 * like ours. */
struct tsh_write_lock {
	int fd;			/* -1: not held; a script needs none */
	pid_t holder;		/* who keeps it; 0: not known */
	bool is_stopped;	/* and does not go on */
	sigset_t mask;		/* the caller's: Ctrl-Z waits meanwhile */
};
/*
 * Take the lock to write `path`, which is for messages. Waits through dir->waiter for one that runs, up to a
 * minute, and says who that is; not for one that is stopped. 0, or -1 with err, and
 * nothing may be written: a signal has come (EINTR), somebody keeps it (EBUSY).
 */
int tsh_write_lock(struct tsh_dir *dir, const char *path, struct tsh_write_lock *lock,
		   struct tsh_err *err);
/*
 * The same for the way back, which may not depend on others, and goes on after a signal: it waits for one that runs
 * up to five minutes, or until another signal comes. What is to be said where the lock could not be had, and is
 * done without; the caller frees it. NULL: it is held.
 */
char *tsh_write_lock_for_undo(struct tsh_dir *dir, struct tsh_write_lock *lock);
/* Give it back; nothing is done where it is not held. */
void tsh_write_unlock(struct tsh_write_lock *lock);

#endif
