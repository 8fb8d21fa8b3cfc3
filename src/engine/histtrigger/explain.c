/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count.h"

#include <stdlib.h>

#include "session/explain-table.h"
#include "session/util.h"

/* Explains hist and count: who counts, and what is written to the kernel. */

/* Returns the reason why tracesh counts, not the kernel. The caller frees it. */
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
	struct tsh_strbuf terms = TSH_STRBUF_INIT;
	bool by_kernel = tsh_by_of(call)->kernel;
	struct tsh_table *table;
	char *why;

	(void)err;
	tsh_strbuf_adds(&terms, tsh_by_of(call)->spec.rates ? "count" : "hist");
	count_spec_append(&tsh_by_of(call)->spec, &terms);
	why = by_kernel ? tsh_xstrdup("") : why_here(s, call);
	table = tsh_explain_begin(s);
	tsh_explain_filter(table, call, "");
	tsh_explain_row(table, by_kernel ? TSH_EXPLAIN_KERNEL : TSH_EXPLAIN_HERE, terms.buf, why);
	tsh_table_end(table);
	if (by_kernel)
		print_triggers(s, call);
	tsh_strbuf_release(&terms);
	free(why);
	return 0;
}
