/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_GUARD_H
#define TRACESH_SHELL_GUARD_H

#include <sys/types.h>

#include "kernel/journal/journal.h"

/*
 * The guard: a process of our own that sleeps on a pipe until we are gone, and then takes
 * back what the journal knows. It has a session of its own and heeds no signal but
 * SIGKILL; it shares our pages, so it costs some ten kilobytes. It is called trsh-guard, so
 * that `pkill tracesh` leaves it.
 */
struct tsh_guard {
	pid_t pid;		/* 0: there is none */
	pid_t owner;		/* who started it: a fork of ours has its descriptors, too */
	int fd;			/* our end of the pipe */
	bool is_us;		/* in the guard itself */
	struct tsh_strlist notes;	/* lines that it prints when the journal is given back */
};

/*
 * Starts it. journal_fd: the journal's file, which is locked, -1: it is in memory; of dir->journal
 * only what is recorded is looked at. err_fd: for what it has to say, -1: nobody would hear it.
 * False: there is none to be had.
 */
bool tsh_guard_start(struct tsh_guard *guard, struct tsh_dir *dir, int journal_fd, int err_fd);
/* Says whether it has ended though its owner, which is us, lives: somebody has killed it. Then there is none any more. */
bool tsh_guard_was_killed(struct tsh_guard *guard);
/* In a process that was forked from its owner: its guard is not ours. */
void tsh_guard_leave(struct tsh_guard *guard);
/* We end by ourselves: it goes without a look, and is waited for. */
void tsh_guard_dismiss(struct tsh_guard *guard);

#endif
