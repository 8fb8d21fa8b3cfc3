/* engine/state/recover.h - takes back what a killed tracesh has left */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_RECOVER_H
#define TRACESH_ENGINE_STATE_RECOVER_H

#include "session/session.h"

struct tsh_recover_spec {
	const struct tsh_value *pid;	/* process whose journal is taken back; NULL: any */
	bool all;			/* without pid: takes back all journals, too */
	bool forget;			/* gives up what others have changed since, and journals
					 * that lack records */
	struct tsh_span command;	/* of the command's name, for err */
};

/* Prints a table of what killed sessions have left, and warns of journals in other mount
 * namespaces. Returns 0, or -1 with err when a journal was not read, or not whole. */
int tsh_recover_list(struct tsh_session *s, struct tsh_err *err);
/* Takes back what killed sessions have left, and prints notes on it. Returns 0, or -1 with err when
 * not all of it was taken back. */
int tsh_recover(struct tsh_session *s, const struct tsh_recover_spec *spec, struct tsh_err *err);

#endif
