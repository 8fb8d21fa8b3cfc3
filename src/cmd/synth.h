/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_SYNTH_H
#define TRACESH_CMD_SYNTH_H

/* synth: events that the kernel makes of two others. Between synth.c (the command) and
 * synth-text.c (what the kernel is told). */

#include "tracesh/cmd.h"

struct synth_texts {
	char *definition;		/* for synthetic_events */
	char *begin, *end;		/* triggers of START and of END */
};

/* The texts for a call of synth NAME START END that was resolved (struct tsh_by of it). -1 with
 * err, which blames a place in it; then there is nothing to release. */
int synth_texts_make(struct tsh_session *s, const struct tsh_call *call, struct synth_texts *ret,
		     struct tsh_err *err);
void synth_texts_release(struct synth_texts *texts);

#endif
