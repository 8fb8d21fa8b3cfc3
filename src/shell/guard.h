/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_GUARD_H
#define TRACESH_SHELL_GUARD_H

#include <sys/types.h>

#include "kernel/journal/journal.h"

/*
 * Describes a process that waits on a pipe until tracesh is gone, and then restores what the
 * journal knows. The guard has a session of its own, and only SIGKILL ends it. The fork shares our
 * memory, and so costs only some ten kilobytes. The name is trsh-guard, so that `pkill tracesh`
 * does not find the guard.
 */
struct tsh_guard {
	pid_t pid;		/* 0: there is none */
	pid_t owner;		/* process that started it; its forks have the same descriptors */
	int fd;			/* our end of the pipe */
	bool is_us;		/* this process is the guard */
	struct tsh_strlist notes;	/* lines to print after restoring */
};

/*
 * Starts the guard. journal_fd: the file of the journal, which is locked; -1: the journal is in
 * memory, and the guard only uses what dir->journal has recorded. err_fd: descriptor for messages;
 * -1: no messages. Returns false when no process can be started.
 */
bool tsh_guard_start(struct tsh_guard *guard, struct tsh_dir *dir, int journal_fd, int err_fd);
/* Says whether the guard was killed while its owner, this process, lives. Forgets a killed
 * guard. */
bool tsh_guard_was_killed(struct tsh_guard *guard);
/* Forgets the guard in a process that its owner has forked. */
void tsh_guard_forget(struct tsh_guard *guard);
/* Ends the guard at a normal end of tracesh. The guard restores nothing. */
void tsh_guard_dismiss(struct tsh_guard *guard);

#endif
