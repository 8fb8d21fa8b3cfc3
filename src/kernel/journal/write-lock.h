/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_WRITE_LOCK_H
#define TRACESH_KERNEL_JOURNAL_WRITE_LOCK_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "kernel/tracefs/tracefs.h"

/* Locks all writes of tracesh to tracefs. Between reading a file and writing it no other tracesh
 * may write, because its changes would be recorded as ours. */
struct tsh_write_lock {
	int fd;			/* -1: not held; a script needs none */
	pid_t holder;		/* process that holds it; 0: unknown */
	bool is_stopped;	/* the holder is stopped */
	sigset_t mask;		/* signal mask of the caller; SIGTSTP is blocked meanwhile */
};
/*
 * Locks for a write to `path`, which is for messages. Waits up to a minute while the holder runs,
 * and reports who it is; does not wait for a stopped one. Returns 0, or -1 with err, and then
 * nothing may be written: dir->waiter has seen a signal (EINTR), or the holder does not release it
 * (EBUSY).
 */
int tsh_write_lock(struct tsh_dir *dir, const char *path, struct tsh_write_lock *lock,
		   struct tsh_err *err);
/*
 * Locks for undo, which must not depend on others. Waits up to five minutes while the holder runs.
 * A first signal within two seconds only shortens the wait to ten seconds; a first signal after
 * that ends it. Returns NULL when it is locked, or a text to report: undo goes on without the lock.
 * The caller frees it.
 */
char *tsh_write_lock_for_undo(struct tsh_dir *dir, struct tsh_write_lock *lock);
/* Unlocks; does nothing when the lock is not held. */
void tsh_write_unlock(struct tsh_write_lock *lock);

#endif
