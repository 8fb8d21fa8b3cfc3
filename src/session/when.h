/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_WHEN_H
#define TRACESH_SESSION_WHEN_H

#include "session.h"

/*
 * The MOMENT arguments of a command into call->moments. What is relative counts from now;
 * on a recorded tree from the end of the recording, where it says when that was.
 */
int tsh_moments_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Gives the value of an option that is a MOMENT, as "--since", or NULL. */
const struct tsh_value *tsh_moments_value(const struct tsh_call *call, const char *option);
/* What they count from. */
int64_t tsh_moments_now(const struct tsh_session *s);

#endif
