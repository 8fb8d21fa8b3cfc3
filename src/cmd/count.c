/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "by.h"
#include "commands.h"
#include "script.h"
#include "stream.h"
#include "util.h"
#include "where.h"

/* count: how many events a second. */

static const char *const limits[] = { "TIME", NULL };

static int count_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	if (tsh_cmd_check_limits(call, limits, err) < 0)
		return -1;
	if (call->events.n && !tsh_args_has(&call->args, "TIME") &&
	    tsh_cmd_refuse_watched(s, call, err) < 0)
		return -1;
	return tsh_stream_call(s, call, !call->events.n, err);
}

static const struct tsh_arg count_args[] = {
	TSH_BY_OPTIONS,
	{ .name = "LIST", .option = "--cpu", .type = TSH_ARG_CPUS, .flags = TSH_ARG_OPTIONAL,
	  .help = "only these CPUs: 0-3,7" },
	{ .name = "TASK", .option = "--pid", .type = TSH_ARG_TASK, .flags = TSH_ARG_OPTIONAL,
	  .help = "in an instance of its own: only these, with their children: 1234,bash" },
	{ .name = "SIZE", .option = "--buffer", .type = TSH_ARG_SIZE,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_KB,
	  .help = "in an instance of its own: of each CPU's buffer; a bare number is KB" },
	{ .name = "here", .option = "--here", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "enable the events in the current instance instead of one of its own" },
	TSH_WHERE_STAYS,
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "system:name, a system, a unique name, or a glob" },
	TSH_BY_CLAUSE,
	{ .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION,
	  .flags = TSH_ARG_OPTIONAL, .help = "the kernel's filter" },
	TSH_WHERE_CLAUSE,
	{ 0 }
};

static const struct tsh_example count_examples[] = {
	{ "count --for 3s 'sched:*'", "which events of a system there are, and how many" },
	{ "count --for 3s sched_switch by cpu", "switches of each CPU" },
	{ "count --for 3s --every 1s raw_syscalls:sys_enter by comm --top 5", "once a second" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_count = {
	.name = "count", .group = TSH_GROUP_ANALYSE, .summary = "count events, and how many a second",
	.description = "By event, or by the keys that hist has; with EVENT until Ctrl-C or --for, "
		       "without it what is in the current buffer, which is taken out as drain does, "
		       "or was recorded. rate is a second's, of the time since the last table; at "
		       "the end of all of it. At a terminal it is shown once a second, with the "
		       "last minute beside it; --every changes that.",
	.see = "hist stream stats",
	.args = count_args, .examples = count_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_JOB,
	.run = count_run, .script = tsh_script_none,
};
