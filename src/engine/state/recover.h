/* engine/state/recover.h - what a tracesh has left that was killed, and its guard with it */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_RECOVER_H
#define TRACESH_ENGINE_STATE_RECOVER_H

#include "session/session.h"

struct tsh_recover_spec {
	const struct tsh_value *pid;	/* only what this process has left; NULL: see all */
	bool all;			/* without pid: what several have left, too */
	bool forget;			/* give up what was changed by others since, and what a journal lacks */
	struct tsh_span command;	/* of the command's name, for err */
};

/* Prints a table of what was left, and names journals in other mount namespaces. Returns 0; or -1 with err, which says
 * what was not looked at. */
int tsh_recover_list(struct tsh_session *s, struct tsh_err *err);
/* Takes back what was left, and says what that did. Returns 0; or -1 with err: not all of it is back. */
int tsh_recover(struct tsh_session *s, const struct tsh_recover_spec *spec, struct tsh_err *err);

#endif
