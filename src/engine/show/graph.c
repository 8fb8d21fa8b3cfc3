/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "graph.h"

#include "kernel/journal/journal.h"

static const char *const graph_options[TSH_SHOW_GRAPH_OPTIONS] = {
	"options/funcgraph-abstime", "options/funcgraph-proc"
};

void tsh_show_graph_set(struct tsh_session *s, struct tsh_show_graph *g)
{
	struct tsh_err err = { 0 };
	size_t i;

	g->entries = s->dir->journal->entries.n;
	for (i = 0; i < TSH_SHOW_GRAPH_OPTIONS; i++) {
		g->set[i] = false;
		if (tsh_file_number(s->in, graph_options[i], 1))
			continue;
		g->set[i] = tsh_file_write(s->in, graph_options[i], TSH_WRITE_SET, "1",
					   &err) > 0;
		/* fails with --read-only or in a recording: then the layout has no such column */
		tsh_err_release(&err);
	}
}

void tsh_show_graph_restore(struct tsh_session *s, const struct tsh_show_graph *g)
{
	struct tsh_err err = { 0 };
	bool restored = true;
	size_t i;

	for (i = TSH_SHOW_GRAPH_OPTIONS; i-- > 0;) {
		if (!g->set[i] || tsh_file_write(s->in, graph_options[i], TSH_WRITE_SET, "0",
						 &err) >= 0)
			continue;
		restored = false;
		tsh_out_warn(s->out, "%s was left on: %s", graph_options[i], err.message);
		tsh_err_release(&err);
	}
	/* The options are as before: undo has nothing to do. */
	while (restored && s->dir->journal->entries.n > g->entries)
		tsh_journal_drop_last(s->dir->journal);
}
