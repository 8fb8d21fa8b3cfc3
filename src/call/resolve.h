/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CALL_RESOLVE_H
#define TRACESH_CALL_RESOLVE_H

/* Prepares a parsed command to be run. */

#include "session/session.h"

/*
 * Resolves names: EVENT into call->events; MOMENT into call->moments, relative ones counted from
 * now. Checks that TRACER, CLOCK, OPTION, SETTING and COMMAND_NAME exist, with the nearest name in
 * the hint. Then calls .prepare, and checks the limits of the declaration. Returns 0, or -1 with
 * err.
 */
int tsh_cmd_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Prints, in place of running a resolved call, whether the kernel or tracesh checks each term of
 * its `where`. Returns 0, or -1 with err. */
int tsh_call_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);

#endif
