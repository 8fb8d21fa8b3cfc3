/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count.h"

#include <stdlib.h>

#include "session/explain-table.h"
#include "session/util.h"

/* explain hist and count: who counts, and what the kernel is told. */

/* "by next_comm, prev_state sum prev_prio" */
static char *terms_of(const struct tsh_by *by)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_adds(&text, by->rates ? "count" : "hist");
	for (i = 0; i < by->nkeys; i++)
		if (by->keys[i].modifier != BY_EVENT)
			tsh_strbuf_addf(&text, "%s%s", i ? "," : " by ", by->keys[i].title);
	for (i = 0; i < by->nvalues; i++)
		tsh_strbuf_addf(&text, " %s %s", by_value_names[by->kinds[i]], by->values[i].title);
	return tsh_strbuf_detach(&text);
}

/* Why it is counted here: the kernel could not, or was not asked. The caller frees it. */
static char *why_here(struct tsh_session *s, struct tsh_call *call)
{
	struct tsh_err err = { 0 };
	char *why;

	if (by_kernel_resolve(s, call, &err) < 0)
		why = tsh_xstrdup(err.message);
	else
		why = tsh_xstrdup("with --in-kernel the kernel would");
	tsh_err_release(&err);
	return why;
}

static void print_triggers(struct tsh_session *s, const struct tsh_call *call)
{
	struct tsh_table *table = tsh_explain_writes(s);
	size_t i;

	for (i = 0; i < call->events.n; i++) {
		char *path = tsh_event_path(&call->events.v[i], "trigger");
		char *text = by_kernel_trigger(s, call, i);

		tsh_explain_write(table, path, text);
		free(text);
		free(path);
	}
	tsh_table_end(table);
}

int tsh_by_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	bool by_kernel = call->by->kernel;
	struct tsh_table *table;
	char *terms, *why;

	(void)err;
	terms = terms_of(call->by);
	why = by_kernel ? tsh_xstrdup("") : why_here(s, call);
	table = tsh_explain_begin(s);
	tsh_explain_filter(table, call, "");
	tsh_explain_row(table, by_kernel ? TSH_EXPLAIN_KERNEL : TSH_EXPLAIN_HERE, terms, why);
	tsh_table_end(table);
	if (by_kernel)
		print_triggers(s, call);
	free(terms);
	free(why);
	return 0;
}
