/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_GUARD_H
#define TRACESH_SHELL_GUARD_H

#include <sys/types.h>

#include "kernel/journal/journal.h"

/*
 * Is a process that waits on a pipe until tracesh is gone, and then restores what the journal knows. It has a session
 * of its own, and only SIGKILL ends it; it shares our memory, so it costs some ten kilobytes. Its name is trsh-guard,
 * so that `pkill tracesh` does not find it.
 */
struct tsh_guard {
	pid_t pid;		/* 0: there is none */
	pid_t owner;		/* the process that started it; a fork of that has the same descriptors */
	int fd;			/* our end of its pipe */
	bool is_us;		/* this process is the guard */
	struct tsh_strlist notes;	/* lines that it prints when the journal is restored */
};

/*
 * Starts it. journal_fd: the file of the journal, which is locked; -1: the journal is in memory, and the guard only
 * uses what dir->journal has recorded. err_fd: where it prints messages; -1: nowhere. Returns false when it cannot be
 * started.
 */
bool tsh_guard_start(struct tsh_guard *guard, struct tsh_dir *dir, int journal_fd, int err_fd);
/* Says whether somebody has killed it while we, its owner, live; afterwards there is none. */
bool tsh_guard_was_killed(struct tsh_guard *guard);
/* Forgets the guard in a process that its owner has forked. */
void tsh_guard_leave(struct tsh_guard *guard);
/* Ends the guard when we end normally: it does nothing, and is waited for. */
void tsh_guard_dismiss(struct tsh_guard *guard);

#endif
