/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "engine/aggregate/internal.h"
#include "engine/graph/tracer.h"
#include "engine/pipeline/run.h"
#include "engine/pipeline/where.h"
#include "session/script.h"
#include "session/util.h"

/* Declares profile: how often functions are called, and how long they take. */

static int profile_name_events(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	if (!tsh_file_exists(s->in, "events/ftrace/funcgraph_exit/format")) {
		tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no function_graph");
		tsh_err_hint(err, "it needs CONFIG_FUNCTION_GRAPH_TRACER; latency of a probe and its "
				  "return goes without");
		tsh_err_blame(err, call->args.command);
		return -1;
	}
	tsh_events_add(&call->events, "ftrace", "funcgraph_exit");
	return 0;
}

/* Returns a clause of this text, as if it had been typed. Errors in it blame the command's name. */
static struct tsh_value usual_clause(const struct tsh_call *call, const char *text)
{
	return (struct tsh_value){ .word = { .text = (char *)text, .len = strlen(text),
					     .span = call->args.command } };
}

/* Counts by function, with the time from call to return. */
static int profile_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	static const unsigned int kinds[] = { 0, 1, 3 };	/* sum, avg, max */
	const struct tsh_value keys = usual_clause(call, "func.sym");
	const struct tsh_value time = usual_clause(call, "rettime-calltime");
	struct count_spec *spec;
	int r;

	if (tsh_where_resolve(s, call, err) < 0)
		return -1;
	spec = by_add_to_call(call, NULL);
	r = count_parse_options(call, spec, err) < 0 ? -1 : count_parse_keys(s, call, &keys, spec, err);
	spec->only = true;
	spec->are_times = true;
	for (; !r && spec->nvalues < sizeof(kinds) / sizeof(kinds[0]); spec->nvalues++) {
		spec->kinds[spec->nvalues] = kinds[spec->nvalues];
		r = count_parse_item(s, call, &time, 0, time.word.len, NULL, &spec->values[spec->nvalues], err);
	}
	if (!r)
		spec->keys[0].column = tsh_xstrdup("function");
	return r;
}

static int profile_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_graph_tracer_spec wanted = { .below = false };
	struct tsh_stream_spec f = { .where = tsh_where_query(call), .max_ns = tsh_args_number(&call->args, "TIME") };
	struct tsh_where_stage where;

	tsh_stages_push(&f.stages, tsh_where_stage(&where, tsh_where_query(call)));
	tsh_by_push(tsh_by_of(call), &f);
	return tsh_graph_tracer_run(s, call, &wanted, &f, err);
}

static int profile_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return tsh_graph_tracer_explain(s, call, false, err);
}

static const struct tsh_arg profile_args[] = {
	TSH_BY_OPTIONS,
	{ .name = "TASK", .option = "--pid", .type = TSH_ARG_TASK,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE,
	  .help = "only calls by these, with their children: 1234,bash" },
	TSH_OWN_BUFFER,
	{ .name = "FUNCTION", .type = TSH_ARG_FUNCTION, .flags = TSH_ARG_MANY,
	  .help = "names or globs: 'vfs_*'" },
	TSH_WHERE_CLAUSE,
	{ 0 }
};

static const struct tsh_example profile_examples[] = {
	{ "try profile --for 1s 'vfs_*'", "what of the file systems takes how long" },
	{ "try profile --for 1s --top 5 'tcp_*' 'ip_*'", "the network's five most expensive" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_profile = {
	.name = "profile", .group = TSH_GROUP_ANALYSE,
	.summary = "how often functions are called, and how long they take",
	.description = "Until Ctrl-C or --for: calls, and the time from call to return, what a "
		       "function called and waited for included (without what it was asleep where the option sleep-time is "
		       "off, which is said); the most expensive first.\n"
		       "It reads what the tracer function_graph records of these functions: in an "
		       "instance of its own where the kernel has the tracer there (from Linux 6.12 on), "
		       "else in the top one. That has to be free: no tracer, no event enabled, nothing "
		       "in its buffer; afterwards it is as it was.",
	.see_also = "graph functions tracer latency",
	.args = profile_args, .examples = profile_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.prepare = profile_prepare, .endless_without = "TIME",
	.run = profile_run, .script = tsh_script_none, .explain = profile_explain, .name_events = profile_name_events,
};
