/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql.h"

#include <stdlib.h>
#include <string.h>

#include "engine/pair/rows.h"
#include "engine/pipeline/enable.h"
#include "engine/pipeline/own-stream.h"
#include "engine/pipeline/run.h"
#include "kernel/tracefs/tracefs.h"
#include "session/commands.h"
#include "session/explain-table.h"
#include "session/own-instance.h"

/* Runs a JOIN without synthetic events: both events are recorded, and tracesh makes the pairs. */

/* Enables one of the two events with its filter, as stream does. If START and END are the same
 * event, tracesh evaluates both filters, and the kernel gets none. */
static int enable(const struct sql_query *q, const struct synth_plan *plan, enum latency_role role,
		  struct tsh_instance *in, struct tsh_err *err)
{
	const struct tsh_event *event = &q->events[role];
	struct tsh_call one = { .cmd = tsh_cmd_find_in(q->session->commands, "stream") };
	struct tsh_word filter = { .span = q->word->span };
	int r;

	one.args.command = q->call->args.command;
	tsh_events_add(&one.events, event->system, event->name);
	if (plan->filters[role] && !plan->spec.is_one) {
		filter.text = tsh_xstrdup(plan->filters[role]);
		filter.len = strlen(filter.text);
		sql_add_filter(&one, &filter);
	}
	r = tsh_own_enable(q->session, in, &one, err);
	tsh_call_release(&one);
	return r;
}

/* Holds the context of a JOIN while it runs. */
struct joining {
	const struct sql_query *q;
	const struct synth_plan *plan;
	struct tsh_pair_rows *joined;
};

static int prepare(void *ctx, struct tsh_own_stream *own, struct tsh_err *err)
{
	const struct joining *j = ctx;
	unsigned int role, n = j->plan->spec.is_one ? 1 : LATENCY_ROLES;

	/* names are complete only if no event that brings them has a filter */
	own->task_names.are_all &= own->task_names.hides[0] && own->task_names.hides[1];
	for (role = 0; role < n; role++)
		if (enable(j->q, j->plan, role, own->in, err) != 0)
			return -1;
	return synth_plan_has_stack(j->plan) &&
	       tsh_file_write(own->in, "options/stacktrace", TSH_WRITE_SET, "1", err) < 0 ? -1 : 0;
}

static int run(void *ctx, struct tsh_own_stream *own, struct tsh_err *err)
{
	const struct joining *j = ctx;
	struct tsh_stream_spec f = {
		.in = own->in,
		.source = own->source,
		.task_names = &own->task_names,
		.max_events = sql_limit(j->q),
		.max_ns = tsh_args_number(&own->call->args, "TIME"),
		.started = tsh_own_start,
		.started_ctx = own->in,
	};

	tsh_pair_rows_push(j->joined, &f.stages);
	return tsh_print_stream(own->session, &f, err);
}

int sql_join_here(const struct sql_query *q, struct synth_plan *plan, struct tsh_err *err)
{
	struct joining joining = { .q = q, .plan = plan, .joined = tsh_pair_rows_new(plan, err) };
	struct tsh_own_stream own = {
		.session = q->session, .call = q->call, .includes_tracesh = !plan->spec.has_task,
		.prepare = prepare, .run = run, .ctx = &joining,
	};
	int r;

	if (!joining.joined) {
		err->span = q->word->span;
		return -1;
	}
	r = tsh_own_stream_run(&own, err);
	tsh_pair_rows_free(joining.joined);
	return r;
}

void sql_explain_here(const struct sql_query *q, const struct synth_plan *plan, const char *why)
{
	struct tsh_table *table = tsh_explain_begin(q->session);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	unsigned int role;
	size_t i;

	for (role = 0; role < LATENCY_ROLES; role++) {
		if (!plan->filters[role])
			continue;
		tsh_strbuf_clear(&text);
		tsh_strbuf_addf(&text, "%s if %s", q->events[role].name, plan->filters[role]);
		tsh_explain_row(table,
				plan->spec.is_one ? TSH_EXPLAIN_HERE : TSH_EXPLAIN_KERNEL,
				text.buf, "");
	}
	tsh_strbuf_clear(&text);
	for (i = 0; i < plan->spec.nkeys; i++)
		tsh_strbuf_addf(&text, "%s%s = %s", i ? ", " : "ON ", plan->spec.keys[LATENCY_BEGIN][i].title,
				plan->spec.keys[LATENCY_END][i].title);
	tsh_explain_row(table, TSH_EXPLAIN_HERE, text.buf, why);
	tsh_table_end(table);
	tsh_strbuf_release(&text);
}
