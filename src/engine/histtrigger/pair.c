/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "count.h"
#include "engine/pair/plan.h"
#include "engine/pipeline/events.h"
#include "session/explain-table.h"
#include "session/own-instance.h"
#include "session/util.h"

/*
 * Runs latency --in-kernel. As with synth, the kernel makes the pairs, and a synthetic event for
 * each pair. Only that event is recorded and read. It has the fields of START and END that are
 * asked for, under their names.
 */

#define LAT "lat"

/* ---- what the kernel can pair ---- */

static const struct by_refused_arg not_with[] = {
	{ "here", "what makes the pairs has an instance of its own", NULL },
	{ "TASK", "the kernel's pairs are of all tasks", "as in: if common_pid == 1234" },
	{ "LIST", "the kernel's pairs are of all CPUs", "by cpu has a row for each" },
	{ 0 }
};

/*
 * Adds to the filters that tracesh itself is left out: reading and printing pairs would make more
 * of them.
 */
static void exclude_tracesh(struct tsh_session *s, const struct tsh_call *call,
			    struct synth_plan *plan)
{
	unsigned int role;

	for (role = 0; role < LATENCY_ROLES; role++) {
		struct tsh_strbuf filter = TSH_STRBUF_INIT;

		tsh_strbuf_adds(&filter, plan->filters[role] ? plan->filters[role] : "");
		tsh_own_hist_filter(s, s->in, &call->events.v[role], &filter);
		free(plan->filters[role]);
		plan->filters[role] = filter.len ? tsh_strbuf_detach(&filter) : NULL;
		tsh_strbuf_release(&filter);
	}
}

/* Makes the plan of the pairs. Returns 0, or -1 with err. Release the plan in any case. */
static int make_plan(struct tsh_session *s, const struct tsh_call *call, struct synth_plan *ret,
		     struct tsh_err *err)
{
	if (synth_plan_of(s, call, ret, err) < 0) {
		if (!err->hint)
			tsh_err_hint(err, "without --in-kernel pairs are made here");
		return -1;
	}
	ret->name = latency_of(call)->made->name;
	return 0;
}

/* Names the event by the number of this process: a job has forked since its call was resolved.
 * Returns 0, or -1 with err. */
static int name_made(struct tsh_session *s, struct by_latency *l, struct tsh_err *err)
{
	free(l->made->name);
	l->made->name = synth_free_name(s, "lat", err);
	return l->made->name ? 0 : -1;
}

int latency_kernel_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	struct by_latency *l = latency_of(call);
	struct synth_plan plan;
	unsigned int role;
	int r;

	if (by_kernel_refuse(call, not_with, err) < 0 ||
	    synth_check_file(s, call->args.command, err) < 0)
		return -1;
	l->made = tsh_xcalloc(1, sizeof(*l->made));
	l->made->system = tsh_xstrdup("synthetic");
	if (name_made(s, l, err) < 0)
		return -1;
	l->lat.title = tsh_xstrdup(LAT);
	l->lat.value = tsh_query_new_value(LAT, strlen(LAT), err);
	if (!l->lat.value)
		return -1;
	for (role = 0; role < LATENCY_ROLES; role++) {
		l->formats[role] = tsh_event_format_read(s->in, &call->events.v[role]);
		if (!l->formats[role])
			return tsh_err_set(err, TSH_FAILED, "the format of '%s:%s' cannot be read",
					   call->events.v[role].system, call->events.v[role].name);
	}
	r = make_plan(s, call, &plan, err);
	if (!r)
		r = synth_check_pair(&plan, call->args.command, err);
	synth_plan_release(&plan);
	return r;
}

void latency_kernel_explain(struct tsh_session *s, const struct tsh_call *call)
{
	struct synth_plan plan;
	struct tsh_err ignored = { 0 };

	if (!make_plan(s, call, &plan, &ignored))
		synth_explain_writes(s, &plan);
	tsh_err_release(&ignored);
	synth_plan_release(&plan);
}

/* ---- running ---- */

/* Returns how many keys found no room in the histogram of an event. */
static uint64_t dropped_of(struct tsh_session *s, const char *instance,
			   const struct tsh_event *event)
{
	char *file = tsh_event_path(event, "hist");
	char *path = tsh_xasprintf("instances/%s/%s", instance, file);
	const struct tsh_instance top = tsh_top(s->dir);
	char *text = tsh_file_text(&top, path);
	/* texts in rows may look like this line: the last one is the kernel's */
	char *totals = text ? strstr(text, "\nTotals:\n") : NULL, *next;
	uint64_t hits, dropped = 0;

	while (totals && (next = strstr(totals + 1, "\nTotals:\n")))
		totals = next;
	if (totals)
		(void)tsh_hist_text_totals(totals, &hits, &dropped);
	free(text);
	free(path);
	free(file);
	return dropped;
}

static void warn_of_room(struct tsh_session *s, const struct tsh_call *call)
{
	char *instance = synth_instance_of(latency_of(call)->made->name);
	uint64_t dropped = dropped_of(s, instance, &call->events.v[LATENCY_BEGIN]);

	if (dropped)
		tsh_out_warn(
			s->out,
			"the kernel had no room for %" PRIu64 " start%s: so many pairs "
			"may be missing (it keeps 2048 keys; without --in-kernel there is more "
			"room)",
			dropped, tsh_plural(dropped));
	free(instance);
}

static int follow_made(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_call made = *call;

	made.events = (struct tsh_events){ .v = latency_of(call)->made, .n = 1 };
	return tsh_stream_call(s, &made, false, err);
}

int latency_kernel_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	unsigned int mark = tsh_cmd_mark(s);
	struct synth_plan plan;
	int r;

	if (name_made(s, latency_of(call), err) < 0)
		return -1;
	latency_of(call)->made_since = tsh_now_ns(CLOCK_MONOTONIC);
	r = make_plan(s, call, &plan, err);
	if (!r) {
		if (!call->includes_tracesh)
			exclude_tracesh(s, call, &plan);
		r = synth_make(s, &plan, tsh_args_get(&call->args, "START")->word.span, err);
	}
	if (!r) {
		r = follow_made(s, call, err);
		warn_of_room(s, call);
	}
	synth_plan_release(&plan);
	tsh_cmd_undo_since(s, mark);
	return r;
}
