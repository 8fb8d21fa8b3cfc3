/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_RESETS_H
#define TRACESH_ENGINE_STATE_RESETS_H

#include "session/session.h"

/* What reset sets back, in the order of the summary. */
enum tsh_reset_kind {
	TSH_RESET_EVENTS, TSH_RESET_TRIGGERS, TSH_RESET_FILTERS, TSH_RESET_PROBES,
	TSH_RESET_TRACER, TSH_RESET_FUNCTIONS, TSH_RESET_PIDS, TSH_RESET_OPTIONS,
	TSH_RESET_OTHERS, TSH_RESET_CLOCK, TSH_RESET_ON, TSH_RESET_N
};

struct tsh_reset {
	struct tsh_session *s;
	struct tsh_table *list;		/* only list; NULL: write */
	enum tsh_reset_kind kind;	/* being done */
	uint64_t counts[TSH_RESET_N];	/* set back, or listed */
	uint64_t others;		/* probes and synthetic events of others, which stay */
	struct tsh_strlist left;	/* "FILE: why" */
	struct tsh_strlist unseen;	/* files that cannot be read */
};

/* One kind: everything of it that is not as the kernel starts it. */
void tsh_reset_step(struct tsh_reset *r, enum tsh_reset_kind kind);

#endif
