/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"
#include "engine/pipeline/where.h"
#include "engine/probe/call.h"
#include "engine/stacks/stacks.h"
#include "session/explain-table.h"
#include "session/own-instance.h"
#include "session/script.h"

/* Declares stacks: counts the call chains of events. */

static int stacks_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_table *table = tsh_explain_begin(s);

	(void)err;
	tsh_explain_filter(table, call, "");
	tsh_explain_option(table, call, "TASK", TSH_EXPLAIN_KERNEL, "");
	tsh_explain_row(table, TSH_EXPLAIN_KERNEL, tsh_args_has(&call->args, "user") ?
			"userstacktrace" : "stacktrace", "an option: a stack behind each event");
	tsh_explain_row(table, TSH_EXPLAIN_HERE, "stacks", "hist --in-kernel by stack has the "
			"kernel count them, without a tree");
	tsh_table_end(table);
	return 0;
}

static const char *const formats[] = { "tree", "folded", NULL };

static const struct tsh_arg stacks_args[] = {
	{ .name = "TIME", .option = "--for", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "stop after this time: 500ms, 2s, 1m; else Ctrl-C does" },
	{ .name = "N", .option = "--top", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "what is rarer than the N most frequent stacks is left out; in text else 20" },
	TSH_OWN_CPUS,
	TSH_OWN_TASK,
	TSH_OWN_BUFFER,
	TSH_OWN_PROBE,
	{ .name = "user", .option = "--user", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "the functions of the program that was running instead of the kernel's" },
	TSH_WHERE_NO_PUSHDOWN,
	{ .name = "from-entry", .option = "--from-entry", .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "the tree begins where the kernel was entered, not at the event" },
	{ .name = "FORMAT", .option = "--format", .type = TSH_ARG_CHOICE, .choices = formats,
	  .flags = TSH_ARG_OPTIONAL, .help = "folded, as --folded, or a tree" },
	{ .name = "folded", .option = "--folded", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "a stack a line, its frames joined by ';': what flame graphs are made of" },
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "system:name, a system, a unique name, a glob, or all" },
	TSH_OWN_FILTER,
	TSH_WHERE_CLAUSE,
	{ 0 }
};

static const struct tsh_example stacks_examples[] = {
	{ "stacks --for 1s sched_switch if prev_state != 0", "where tasks begin to wait" },
	{ "stacks --for 500ms --from-entry sched_waking", "by which way the kernel came there" },
	{ "try stacks --for 500ms --probe vfs_read", "who calls a function" },
	{ "try stacks --for 500ms --user raw_syscalls:sys_enter",
	  "which functions of programs ask the kernel" },
	{ "stacks --for 500ms --folded -o /tmp/stacks sched_switch", "for a flame graph" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_stacks = {
	.name = "stacks", .group = TSH_GROUP_ANALYSE,
	.summary = "count from where in the kernel events come",
	.description = "A tree of the functions that led to the events, with how many of all came "
		       "that way: under a function stand those that called it, and where ways part "
		       "each is a branch with its share. --from-entry turns it round.\n"
		       "The events are recorded in an instance of its own, each with its stack as the "
		       "kernel tells it (the option stacktrace), without the tracer's own functions; tracesh and "
		       "the processes above it are not traced.\n"
		       "--user counts the program's functions, at most eight, which the kernel finds "
		       "only where the program keeps frame pointers: else the innermost one is true "
		       "and those above it may be missing. At the begin of a function (--probe /PROGRAM:FUNCTION) its caller is. "
		       "Names are those in the symbol tables of the "
		       "program and its libraries, as they were mapped at the time of the event: perf tells what is "
		       "mapped. A program that was there before, and has ended or executed another before it was looked at, "
		       "has [unknown], which is said at the end. "
		       "Where it has debug information, or the distribution a file of that, also one that is "
		       "stripped has names, and functions that the compiler has put into others are NAME (inlined). "
		       "Names of C++ and Rust are as the symbols have them: c++filt reads --folded. "
		       "Kernel threads have none. At most 4 M symbols and 64 MB of their names are "
		       "read; what is left out is said at the end.\n"
		       "JSON has an object of each stack, CSV a row: frames from the event outwards, in "
		       "CSV joined by ';' and, as flame graphs want them, from the entry on; "
		       "a ';' of a name is \\x3b.",
	.see_also = "stream trigger functions",
	.args = stacks_args, .examples = stacks_examples,
	.flags = TSH_CMD_NEEDS_EVENT | TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE |
		 TSH_CMD_NAMES_NO_TASK,
	.prepare = tsh_where_resolve, .endless_without = "TIME",
	.run = tsh_stacks_run, .script = tsh_script_none, .explain = stacks_explain,
};
