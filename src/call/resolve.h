/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CALL_RESOLVE_H
#define TRACESH_CALL_RESOLVE_H

/* Between parsing and running a command. */

#include "session/session.h"

/*
 * Resolves names: EVENT into call->events, TRACER, CLOCK, OPTION, INSTANCE, SETTING,
 * COMMAND_NAME checked against what there is, with the nearest name in the hint; MOMENT into
 * call->moments, relative ones from now on. Then its .prepare, and what its declaration says of limits. -1 with err.
 */
int tsh_cmd_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* In place of running a call that was resolved: who answers its `where`, term by term. */
int tsh_call_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);

#endif
