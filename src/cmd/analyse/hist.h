/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_ANALYSE_HIST_H
#define TRACESH_CMD_ANALYSE_HIST_H

#include "session/session.h"

/* Resolve a call of hist or count, and run it: counted by tracesh, or by the kernel. Return 0, or
 * -1 with err. */
int hist_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
int hist_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

#endif
