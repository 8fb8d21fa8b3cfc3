/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql.h"

#include "engine/histtrigger/triggers.h"

/* Finds what is wrong with a statement before it is run. */

int sql_check(const struct sql_query *q, struct tsh_err *err)
{
	struct tsh_call call = { .cmd = q->call->cmd };
	struct synth_plan plan;
	int r;

	if (q->sql.join.text) {
		r = sql_plan(q, "name", &plan, err);
		synth_plan_release(&plan);
		return r;
	}
	call.args.command = q->call->args.command;
	tsh_events_add(&call.events, q->events->system, q->events->name);
	r = sql_select(q, &call, err);
	tsh_call_release(&call);
	return r;
}

int sql_resolve(struct tsh_session *s, const struct tsh_call *call, const char **ret_lacks, struct tsh_err *err)
{
	struct tsh_call copy = *call;
	struct sql_query q;
	int r;

	*ret_lacks = NULL;
	copy.events = (struct tsh_events){ 0 };
	r = sql_open(s, &copy, &q, err);
	if (!r)
		r = sql_find_events(&q, &copy.events, err);
	sql_close(&q);
	if (!r) {
		r = sql_open(s, &copy, &q, err);
		if (!r)
			r = sql_check(&q, err);
		if (!r && q.sql.join.text && !sql_has_events(s))
			*ret_lacks = "synthetic events (CONFIG_SYNTH_EVENTS)";
		else if (!r && tsh_trigger_lacks_hist(s->in, &q.events[0]))
			*ret_lacks = "histograms (CONFIG_HIST_TRIGGERS)";
		sql_close(&q);
	}
	tsh_events_release(&copy.events);
	return r;
}
