/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STACKS_STACKS_H
#define TRACESH_ENGINE_STACKS_STACKS_H

#include "session/session.h"

/* Counts the call chains of the events of a call, in an instance of its own, and prints them.
 * Returns 0, or -1, with err unless s->aborted is set. */
int tsh_stacks_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

#endif
