/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve.h"

#include <stdlib.h>
#include <string.h>

#include "engine/pipeline/where.h"
#include "session/cmd.h"
#include "session/filters.h"

/* Explains a where clause: which terms the kernel's filter checks, and which tracesh. */

/* Returns why the kernel refuses the filter of an event; NULL: it accepts it. */
static const char *judge(struct tsh_session *s, const struct tsh_event *event, const char *filter)
{
	struct tsh_err refused = { 0 };
	bool takes;

	if (!*filter || s->dir->kind == TSH_DIR_TREE)
		return NULL;
	takes = !tsh_filter_judge(s->dir, event, filter, &refused);
	tsh_err_release(&refused);
	return takes ? NULL : "this kernel refuses it";
}

static void add_row(struct tsh_table *table, const char *event, const char *by, const char *term,
		    const char *why)
{
	tsh_table_texts(table, event, by, term, why);
}

/* Adds rows for the terms of one event; adds the filter that the kernel gets, if any, to
 * *ret_filters. */
static void explain_event(struct tsh_session *s, const struct tsh_call *call,
			  const struct tsh_event *event, struct tsh_table *table,
			  struct tsh_strlist *ret_filters)
{
	const char *text = tsh_where_of(call)->clause->word.text, *stays = tsh_where_no_pushdown(call);
	char *name = tsh_xasprintf("%s:%s", event->system, event->name);
	struct tsh_query_split split = { 0 };
	unsigned int id;
	size_t i;

	if (!tsh_where_split(s, call, event, &split, &id))
		add_row(table, name, "nobody", text, "it cannot be asked of this event");
	else if (!stays)
		stays = judge(s, event, split.filter.buf ? split.filter.buf : "");
	for (i = 0; i < split.parts.n; i++) {
		const struct tsh_query_part *part = &split.parts.v[i];
		char *term = tsh_xstrndup(text + part->span.begin, part->span.end - part->span.begin);
		const char *why = stays ? stays : part->why;

		add_row(table, name, why ? "tracesh" : "kernel", term, why ? why : "");
		free(term);
	}
	if (!stays && split.filter.len)
		tsh_strlist_add_owned(ret_filters, tsh_xasprintf("%s\n%s", name, split.filter.buf));
	tsh_query_split_release(&split);
	free(name);
}

/* Prints the filters, each of which is "EVENT\nTEXT". */
static void print_writes(struct tsh_out *out, const struct tsh_strlist *filters)
{
	static const struct tsh_column columns[] = { { "event", TSH_COLUMN_TEXT },
						     { "filter", TSH_COLUMN_TEXT }, { 0 } };
	struct tsh_table *table;
	size_t i;

	if (!filters->n)
		return;
	table = tsh_table_begin(out, "write", columns);
	for (i = 0; i < filters->n; i++) {
		char *newline = strchr(filters->v[i], '\n');

		*newline = '\0';
		tsh_table_texts(table, filters->v[i], newline + 1);
	}
	tsh_table_end(table);
}

int tsh_call_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = { { "event", TSH_COLUMN_TEXT },
						     { "by", TSH_COLUMN_TEXT },
						     { "term", TSH_COLUMN_TEXT },
						     { "why", TSH_COLUMN_TEXT }, { 0 } };
	const struct tsh_where *where = tsh_where_of(call);
	struct tsh_strlist filters = { 0 };
	struct tsh_table *table;
	size_t i;

	if (!where && !call->cmd->explain) {
		tsh_err_at(err, call->args.whole, "there is no 'where' to explain");
		tsh_err_hint(err, "explain stream sched_switch where prev_prio != next_prio");
		return -1;
	}
	if (s->check)
		return 0;
	if (call->cmd->explain && call->cmd->explain(s, call, err) < 0)
		return -1;
	if (!where)
		return 0;
	if (!call->events.n) {
		if (tsh_where_no_pushdown(call))
			tsh_out_note(s->out, "tracesh asks all of it: %s", tsh_where_no_pushdown(call));
		else
			tsh_out_note(s->out, "%s chooses the events: name them to see who answers",
				     call->cmd->name);
		return 0;
	}
	table = tsh_table_begin(s->out, "term", columns);
	for (i = 0; i < call->events.n; i++)
		explain_event(s, call, &call->events.v[i], table, &filters);
	tsh_table_end(table);
	print_writes(s->out, &filters);
	tsh_strlist_release(&filters);
	return 0;
}
