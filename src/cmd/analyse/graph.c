/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"
#include "engine/graph/tracer.h"
#include "engine/pipeline/run.h"
#include "engine/pipeline/whole-calls.h"
#include "session/own-instance.h"
#include "session/script.h"
#include "session/util.h"

/* Declares graph: shows what a function calls, how long each call takes, and what it returns. */

/* Returns the stage that holds whole calls back, where an option asks for it; NULL: lines are
 * printed as they come. */
static struct tsh_whole_calls *calls_of(const struct tsh_call *call)
{
	uint64_t slower = tsh_args_number(&call->args, "SLOW"), max = tsh_args_number(&call->args, "N");
	const struct tsh_value *glob = NULL;
	struct tsh_strlist names = { 0 };
	struct tsh_whole_calls *calls;

	if (!slower && !max)
		return NULL;
	while ((glob = tsh_args_next(&call->args, "FUNCTION", glob)))
		tsh_strlist_add(&names, glob->word.text);
	calls = tsh_whole_calls_new(slower, max, &names);
	tsh_strlist_release(&names);
	return calls;
}

static int graph_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_graph_tracer_spec wanted = { .below = true, .depth = tsh_args_number(&call->args, "DEPTH") };
	struct tsh_stream_spec f = { .max_ns = tsh_args_number(&call->args, "TIME") };
	struct tsh_whole_calls *calls = calls_of(call);
	int r;

	tsh_stages_push(&f.stages, tsh_whole_calls_stage(calls));
	r = tsh_graph_tracer_run(s, call, &wanted, &f, err);
	tsh_whole_calls_free(calls);
	return r;
}

static int graph_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return tsh_graph_tracer_explain(s, call, true, err);
}

static const struct tsh_arg graph_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE | TSH_ARG_NOT_ZERO, .help = "stop after N calls" },
	{ .name = "DEPTH", .option = "--depth", .type = TSH_ARG_NUMBER,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE | TSH_ARG_NOT_ZERO,
	  .help = "so deep only: 1 is FUNCTION alone, 2 what it calls itself, too" },
	{ .name = "SLOW", .option = "--slower", .type = TSH_ARG_TIME,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE | TSH_ARG_NOT_ZERO,
	  .help = "only calls of FUNCTION that take that long: 5ms" },
	{ .name = "TIME", .option = "--for", .type = TSH_ARG_TIME,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE | TSH_ARG_NOT_ZERO, .help = "stop after this time: 500ms, 2s, 1m" },
	{ .name = "TASK", .option = "--pid", .type = TSH_ARG_TASK,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE,
	  .help = "only calls by these, with their children: 1234,bash" },
	TSH_OWN_BUFFER,
	{ .name = "FUNCTION", .type = TSH_ARG_FUNCTION, .flags = TSH_ARG_MANY,
	  .help = "names or globs: 'vfs_*'" },
	{ 0 }
};

static const struct tsh_example graph_examples[] = {
	{ "try graph -n 1 --for 1s vfs_open", "one call, and all that it calls" },
	{ "try graph --for 1s --depth 2 vfs_read", "each, and what it calls itself" },
	{ "try graph --for 1s --pid 1 'vfs_*'", "what init does, and what it starts" },
	{ "try graph --for 1s --slower 1ms vfs_fsync_range", "what is behind the slow ones" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_graph = {
	.name = "graph", .group = TSH_GROUP_ANALYSE,
	.summary = "what functions call, how long each takes, what they return",
	.description = "Until Ctrl-C, --for or -n: the lines of the tracer function_graph, for these "
		       "functions and what they call; with what they return where the kernel records that "
		       "(CONFIG_FUNCTION_GRAPH_RETVAL, from Linux 6.5 on). The option sleep-time off leaves out the time "
		       "asleep, funcgraph-irqs off what runs in interrupts; either is said.\n"
		       "With --slower and -n a call is printed when it has returned, as one piece; "
		       "otherwise its lines come as they happen, and those of several CPUs mix. All of "
		       "it is recorded in either case: how long a call takes is seen here and not in "
		       "the kernel.\n"
		       "It takes an instance of its own where the kernel has the tracer there (from "
		       "Linux 6.12 on), else the top one. That has to be free: no tracer, no event "
		       "enabled, nothing in its buffer; afterwards it is as it was.",
	.see_also = "profile functions tracer stacks",
	.args = graph_args, .examples = graph_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.endless_without = "N TIME",
	.run = graph_run, .script = tsh_script_none, .explain = graph_explain,
};
