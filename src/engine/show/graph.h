/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_GRAPH_H
#define TRACESH_ENGINE_SHOW_GRAPH_H

#include "session/session.h"

/* Sets options of function_graph while the trace is read, and restores them. */

#define TSH_SHOW_GRAPH_OPTIONS 2

struct tsh_show_graph {
	size_t entries;			/* journal entries before the first change */
	bool set[TSH_SHOW_GRAPH_OPTIONS];
};

void tsh_show_graph_set(struct tsh_session *s, struct tsh_show_graph *g);
/* Restores the options; warns when one cannot be restored. */
void tsh_show_graph_restore(struct tsh_session *s, const struct tsh_show_graph *g);

#endif
