/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include "session/script.h"

/* Declares explain: says which part of a question the kernel answers, and which tracesh. */

static int explain_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	int r;

	s->explains = true;
	r = s->ops->run_nested(s, tsh_args_get(&call->args, "COMMAND")->word.span, err);
	s->explains = false;
	return r;
}

static const struct tsh_arg explain_args[] = {
	{ .name = "COMMAND", .type = TSH_ARG_STATEMENT, .help = "one with a where, or one that analyses: hist, latency, graph ..; it is not run" },
	{ 0 }
};

static const struct tsh_example explain_examples[] = {
	{ "explain stream sched_switch where prev_prio != next_prio && prev_pid > 1",
	  "who answers what" },
	{ "try explain hist --in-kernel sched_switch by next_comm", "what the kernel is told" },
	{ "explain latency wakeup by comm --slower 5ms", "what is paired where" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_explain = {
	.name = "explain", .group = TSH_GROUP_SEE, .summary = "tell what the kernel does of a command, and what tracesh",
	.description = "Of hist, count, latency, stacks, graph and profile: what of it the kernel does "
		       "and what tracesh, why, and what is written for it.\n"
		       "What of its terms the kernel's filter can answer goes there, for as long as "
		       "the command runs: an event that it holds back costs nothing. The others are "
		       "asked by tracesh of each event that comes; the reason stands beside them. "
		       "The answer is the same, but that the kernel knows a task's name at the event itself; with "
		       "--no-pushdown tracesh asks all.",
	.see_also = "where filters hist stream run",
	.args = explain_args, .examples = explain_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_IN_CHECK | TSH_CMD_NESTS,
	.run = explain_run,
};
