/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_DETACH_H
#define TRACESH_SESSION_DETACH_H

#include "session.h"

/* Runs a command in the background that goes on when its terminal hangs up. */

struct tsh_detached;

/*
 * Runs `work` in a new process, with a session of its own (setsid) and without SIGHUP; any other
 * signal ends the process's waits. Returns the pid of the process as soon as `work` has called
 * tsh_detach_ready, or -1 with err when `work` has failed before. The process ends when `work`
 * returns, and does not take back what the session has changed.
 */
int tsh_detach(struct tsh_session *s,
	       int (*work)(void *ctx, struct tsh_detached *detached, struct tsh_err *err),
	       void *ctx, struct tsh_err *err);
/* Lets tsh_detach return in the calling process. The new process has no terminal and no stdout from
 * here on. */
void tsh_detach_ready(struct tsh_detached *detached);

#endif
