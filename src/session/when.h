/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_WHEN_H
#define TRACESH_SESSION_WHEN_H

#include "session.h"

/* Parses the MOMENT arguments of a call into call->moments. A relative moment and a time of day count
 * from now, in a recording from its end, if that is known. Returns 0, or -1 with err. */
int tsh_moments_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Returns the value of an option that is a MOMENT ("--since"), or NULL. */
const struct tsh_value *tsh_moments_value(const struct tsh_call *call, const char *option);
/* Returns the time that relative moments count from, in ns since 1970. */
int64_t tsh_moments_now(const struct tsh_session *s);

#endif
