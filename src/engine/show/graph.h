/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_GRAPH_H
#define TRACESH_ENGINE_SHOW_GRAPH_H

#include "session/session.h"

/* The options of function_graph, set for the moment of reading. */

#define TSH_SHOW_GRAPH_OPTIONS 2

struct tsh_show_graph {
	size_t entries;			/* of the journal, before */
	bool set[TSH_SHOW_GRAPH_OPTIONS];
};

void tsh_show_graph_set(struct tsh_session *s, struct tsh_show_graph *g);
/* As it was; says what could not be. */
void tsh_show_graph_restore(struct tsh_session *s, const struct tsh_show_graph *g);

#endif
