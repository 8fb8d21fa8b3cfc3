/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STACKS_STACKS_H
#define TRACESH_ENGINE_STACKS_STACKS_H

#include "session/session.h"

/* Counts from where the events of a call come, each with its stack, in an instance of its own, and prints that: struct
 * tsh_cmd's .run of stacks. */
int tsh_stacks_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

#endif
