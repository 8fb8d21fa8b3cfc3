/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_ANALYSE_HIST_H
#define TRACESH_CMD_ANALYSE_HIST_H

#include "session/session.h"

/* Read the clauses of hist and count, and run them: here, or in the kernel. */
int hist_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
int hist_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

#endif
