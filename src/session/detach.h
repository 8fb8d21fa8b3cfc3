/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_DETACH_H
#define TRACESH_SESSION_DETACH_H

#include "session.h"

/* A command that goes on in the background when its terminal hangs up. */

struct tsh_detached;

/*
 * Runs `work` in a process of its own, in a session of its own, that ignores SIGHUP; any
 * other signal ends its waits. Returns its pid as soon as it has called tsh_detach_ready,
 * or -1 with the error that work returned before that. The process ends with work: what
 * the session has changed is not taken back by it.
 */
int tsh_detach(struct tsh_session *s,
	       int (*work)(void *ctx, struct tsh_detached *detached, struct tsh_err *err),
	       void *ctx, struct tsh_err *err);
/* Lets the caller go on: from here on there is no terminal and no stdout. */
void tsh_detach_ready(struct tsh_detached *detached);

#endif
