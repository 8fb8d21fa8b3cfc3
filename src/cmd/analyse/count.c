/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"
#include "engine/histtrigger/count.h"
#include "hist.h"
#include "session/script.h"

/* Declares count: how many events a second. */

static int count_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	int r = hist_prepare(s, call, err);

	if (!r)
		tsh_by_of(call)->spec.rates = true;
	return r;
}

static const struct tsh_arg count_args[] = {
	TSH_BY_OPTIONS,
	TSH_BY_KERNEL,
	TSH_BY_EVENTS,
	TSH_BY_CLAUSE,
	TSH_OWN_FILTER,
	TSH_WHERE_CLAUSE,
	{ 0 }
};

static const struct tsh_example count_examples[] = {
	{ "count --for 3s 'sched:*'", "which events of a system there are, and how many" },
	{ "count --for 3s sched_switch by cpu", "switches of each CPU" },
	{ "try count --in-kernel --for 3s sched_switch by cpu",
	  "counted by the kernel, nothing is recorded" },
	{ "try count --for 1s --probe 'vfs_*'", "which functions of many are called" },
	{ "count --for 3s --every 1s raw_syscalls:sys_enter by comm --top 5", "once a second" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_count = {
	.name = "count", .group = TSH_GROUP_ANALYSE,
	.summary = "count events, and how many a second",
	.description = "By event, or by the keys that hist has; with EVENT until Ctrl-C or --for, "
		       "with --drain what is in the current buffer, which is taken out as drain "
		       "does; of a recorded tree what was recorded. rate is a second's, of the time since "
		       "the last table; at the end of all of it, but in CSV, whose rows are all of one kind. "
		       "Of what --drain takes, and of a recording in which --max gave some up, it is of the "
		       "time from the first event to the last of which those of each CPU are there. At a terminal it is shown once a second, "
		       "with the last minute beside it; --every changes that. --in-kernel, and what --drain and a recorded tree "
		       "refuse: as of hist.",
	.see_also = "hist stream stats",
	.args = count_args, .examples = count_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_JOB,
	.prepare = count_prepare, .endless_without = "TIME",
	.run = hist_run, .script = tsh_script_none, .explain = tsh_by_explain,
};
