/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_RESETS_H
#define TRACESH_ENGINE_STATE_RESETS_H

#include "session/session.h"

/* Lists the kinds of settings that reset changes, in the order of its summary. */
enum tsh_reset_kind {
	TSH_RESET_EVENTS, TSH_RESET_TRIGGERS, TSH_RESET_FILTERS, TSH_RESET_PROBES,
	TSH_RESET_TRACER, TSH_RESET_FUNCTIONS, TSH_RESET_PIDS, TSH_RESET_OPTIONS,
	TSH_RESET_OTHERS, TSH_RESET_CLOCK, TSH_RESET_ON, TSH_RESET_N
};

struct tsh_reset {
	struct tsh_session *s;
	struct tsh_table *list;		/* lists the changes; NULL: they are written */
	enum tsh_reset_kind kind;	/* present kind */
	uint64_t counts[TSH_RESET_N];	/* changes that were written, or listed */
	uint64_t others;		/* probes and synthetic events of other users, which stay */
	struct tsh_strlist left;	/* files that could not be written: "FILE: why" */
	struct tsh_strlist unseen;	/* files that could not be read: "FILE (why)" */
};

/* Resets or lists all settings of a kind that differ from the kernel's defaults. */
void tsh_reset_step(struct tsh_reset *r, enum tsh_reset_kind kind);

#endif
