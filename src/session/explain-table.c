/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain-table.h"

#include <stdlib.h>

#include "filters.h"

struct tsh_table *tsh_explain_begin(struct tsh_session *s)
{
	static const struct tsh_column columns[] = { { "by", TSH_COLUMN_TEXT },
						     { "term", TSH_COLUMN_TEXT },
						     { "why", TSH_COLUMN_TEXT }, { 0 } };

	return tsh_table_begin(s->out, "term", columns);
}

void tsh_explain_row(struct tsh_table *table, const char *by, const char *term, const char *why)
{
	tsh_table_texts(table, by, term, why);
}

void tsh_explain_option(struct tsh_table *table, const struct tsh_call *call, const char *name,
			const char *by, const char *why)
{
	const struct tsh_value *value = tsh_args_get(&call->args, name);
	const char *word;
	char *term;

	if (!value)
		return;
	word = value->arg->option ? value->arg->option : value->arg->clause;
	term = value->arg->type == TSH_ARG_FLAG ? tsh_xstrdup(word) :
						  tsh_xasprintf("%s %s", word, value->word.text);
	tsh_explain_row(table, by, term, why);
	free(term);
}

void tsh_explain_filter(struct tsh_table *table, const struct tsh_call *call, const char *why)
{
	const struct tsh_value *filter = tsh_filters_value(call);
	char *term;

	if (!filter)
		return;
	term = tsh_xasprintf("if %s", filter->word.text);
	tsh_explain_row(table, TSH_EXPLAIN_KERNEL, term, why);
	free(term);
}

struct tsh_table *tsh_explain_writes(struct tsh_session *s)
{
	static const struct tsh_column columns[] = { { "file", TSH_COLUMN_TEXT },
						     { "text", TSH_COLUMN_TEXT }, { 0 } };

	return tsh_table_begin(s->out, "write", columns);
}

void tsh_explain_write(struct tsh_table *table, const char *path, const char *text)
{
	tsh_table_texts(table, path, text);
}
