/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hist.h"

#include "cmd/commands.h"
#include "engine/histtrigger/count.h"
#include "engine/pipeline/events.h"
#include "session/script.h"

/* Declares hist: events by key, as a table or a histogram. */

int hist_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	if (tsh_where_resolve(s, call, err) < 0 || tsh_by_resolve(s, call, err) < 0)
		return -1;
	return tsh_args_has(&call->args, "in-kernel") ? by_kernel_resolve(s, call, err) : 0;
}

int hist_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	return tsh_by_of(call)->kernel ? by_kernel_run(s, call, err) : tsh_stream_call(s, call, call->drains, err);
}

static const struct tsh_arg hist_args[] = {
	TSH_BY_OPTIONS,
	TSH_BY_HEAT,
	TSH_BY_KERNEL,
	TSH_BY_EVENTS,
	TSH_BY_CLAUSE,
	TSH_BY_VALUE("sum", "the sum of it in each row, which is then the order"),
	TSH_BY_VALUE("avg", "its average"),
	TSH_BY_VALUE("min", "its smallest value"),
	TSH_BY_VALUE("max", "its largest value"),
	TSH_OWN_FILTER,
	TSH_WHERE_CLAUSE,
	{ 0 }
};

static const struct tsh_example hist_examples[] = {
	{ "hist --for 2s sched_switch by next_comm", "who runs most often" },
	{ "hist --for 2s syscalls:sys_exit_read by ret.log2", "the sizes of what is read" },
	{ "hist --for 2s syscalls:sys_exit_read by comm,ret.log2 --top 3", "those of three programs" },
	{ "hist --for 2s raw_syscalls:sys_enter by comm,id.syscall --top 9", "who calls what" },
	{ "hist --for 2s kmem:kmalloc by call_site.sym sum bytes_alloc --top 10",
	  "who allocates most" },
	{ "hist --for 500ms sched_switch by stack where prev_state != 0 --top 5",
	  "where tasks wait" },
	{ "try hist --in-kernel --for 1s kmem:kmalloc by stack --top 5",
	  "how it comes to that, counted by the kernel" },
	{ "try hist --for 2s --probe 'vfs_read%return $retval' by ret.log2", "what a function returns" },
	{ "hist --for 2s --heat --every 500ms syscalls:sys_exit_read by ret.log2",
	  "how they change" },
	{ "hist --drain by pid", "what is in the buffer, which is taken out" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_hist = {
	.name = "hist", .group = TSH_GROUP_ANALYSE,
	.summary = "count events by key, with sums",
	.description = "EVENT: until Ctrl-C or --for, in an instance of its own, as stream. "
		       "--drain: what is in the current buffer, which is taken out of it as drain "
		       "does. Of a recorded tree, without either, what was recorded. What is for events that come "
		       "(--for, --every, --heat, --here) is refused of those: by time/1s has a row for each second.\n"
		       "A key is a field, comm, pid, cpu, stack (how the kernel came to the event: the "
		       "innermost sixteen functions), or what where can compute (ret/4096), "
		       "without blanks or in brackets; up to three, with commas between. A string and a number that "
		       "reads like it are two keys. Without by: "
		       "the event. Behind a key can stand: .log2 (powers of two), .linear(N) (steps "
		       "of N), .sym (the function that an address is in), .sym_offset (with how far behind its begin), "
		       ".syscall (its name), .hex. "
		       "System calls of 32-bit programs have numbers of their own: write (32-bit); ?4 (stat or "
		       "write) is one of a task that is gone, and whose program nobody can ask for. "
		       "When the last key is log2 or linear and nothing is summed up each histogram "
		       "stands by itself, with the ranges that hold the 50th, 90th and 99th of a "
		       "hundred.\n"
		       "--in-kernel: the kernel counts, where it has histograms (CONFIG_HIST_TRIGGERS), "
		       "and nothing is recorded: no event is lost, and a frequent one costs less. The "
		       "table is the same, but that a stack may begin a function or two further out or in, and that comm is "
		       "what a task was called at its first event, before an exec. Its keys are "
		       "fields, comm, pid, cpu and stack, each number for itself: the kernel has room for "
		       "8192, or --size, up to 131072. Its sums have 64 bits, and lose what is beyond.\n"
		       "--heat: a line for each second, or --every, with a column for each bucket of a "
		       "log2 or linear key, darker for more: by tens. At the end the histogram.\n"
		       "With --every each table is of all since the begin; in CSV its rows begin with the seconds since "
		       "then, in JSON {\"type\":\"round\"} "
		       "ends it.\n"
		       "The first of sum, avg, min and max is the order. They are of the events that have the value, count is of "
		       "all: how many have none is said below the table. An event that lacks a key is "
		       "not counted in the table, but in the line below it, as what was lost.",
	.see_also = "count stacks stream where fields",
	.args = hist_args, .examples = hist_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_JOB,
	.prepare = hist_prepare, .endless_without = "TIME",
	.run = hist_run, .script = tsh_script_none, .explain = tsh_by_explain,
};
