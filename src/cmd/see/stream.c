/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include "engine/pipeline/events.h"
#include "engine/pipeline/fields.h"
#include "engine/pipeline/flight-recorder.h"
#include "engine/pipeline/range.h"
#include "engine/pipeline/rate.h"
#include "engine/pipeline/where.h"
#include "engine/probe/call.h"
#include "session/own-instance.h"
#include "session/script.h"

/* Declares stream and drain: print events that come, and events that are in the buffer. */

static int stream_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return tsh_where_resolve(s, call, err) < 0 || tsh_field_list_resolve(s, call, err) < 0 ||
	       tsh_flight_recorder_resolve(s, call, err) < 0 ? -1 : 0;
}

static int stream_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	return tsh_stream_call(s, call, false, err);
}

static const struct tsh_arg stream_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "stop after N events" },
	{ .name = "TIME", .option = "--for", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "stop after this time: 500ms, 2s, 1m" },
	{ .name = "expect", .option = "--expect", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "status 1 when -n events, or what --stop-when asks for, or any, have not come" },
	TSH_OWN_CPUS,
	TSH_OWN_TASK,
	TSH_OWN_BUFFER,
	TSH_OWN_PROBE,
	TSH_RANGE_SINCE,
	TSH_OWN_HERE,
	TSH_FLIGHT_STOP,
	TSH_FLIGHT_BEFORE,
	TSH_FLIGHT_AFTER,
	TSH_RATE_LIMIT,
	{ .name = "LAG", .option = "--lag", .type = TSH_ARG_TIME,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_NONE | TSH_ARG_NOT_ZERO,
	  .help = "a slow output: skip and count what is later than that (a terminal: 1s), or none" },
	TSH_WHERE_NO_PUSHDOWN,
	TSH_FIELDS_RAW,
	TSH_OWN_EVENTS,
	TSH_OWN_FILTER,
	TSH_WHERE_CLAUSE,
	TSH_FIELDS_CLAUSE,
	{ 0 }
};

static const struct tsh_example stream_examples[] = {
	{ "stream sched_switch -n 10", "ten events, in a buffer of its own" },
	{ "stream --for 500ms 'sched:*fork' if parent_pid > 1", "with the kernel's filter" },
	{ "stream --for 100ms --pid 1 --buffer 4M sched_switch", "of one task, with more room" },
	{ "stream -n 5 sched_switch where prev_prio != next_prio", "what no filter can ask" },
	{ "stream --for 1s --stop-when 'prev_state == D' --before 20ms --after 5ms sched_switch",
	  "what led to it, and what came of it" },
	{ "stream -n 5 sched_switch fields time prev_comm next_comm", "as a table" },
	{ "stream -n 1 --for 5s --expect sched_switch", "for a test: status 1 when none comes in time" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_stream = {
	.name = "stream", .group = TSH_GROUP_SEE, .summary = "print events as they come",
	.description = "With EVENT: in an instance of its own, which is removed at the end. "
		       "Without: the events of the current instance, which are taken out of its "
		       "buffer; those from before come first. Ctrl-C ends it: what was written by then is "
		       "still printed, for a second at most; another Ctrl-C ends it at once.\n"
		       "In an instance of its own tracesh and the processes above it (shell, "
		       "sshd, tmux) are not traced; with --here they are. What pid, cpus and "
		       "buffer have set is of the current instance: --pid, --cpu and --buffer are "
		       "for its own. There task:task_newtask and task:task_rename are enabled besides, "
		       "and not printed: they tell what tasks are called.\n"
		       "Of many events the first are printed while the others are being enabled; "
		       "--for counts from when all are.\n"
		       "At the prompt q ends it, space pauses the printing, / asks for another filter "
		       "of its events, c clears the screen, t shows the times another way. With & "
		       "behind it it is a job, and prints above what is typed.\n"
		       "--stop-when with --before is a flight recorder: events are read and kept, not "
		       "printed, until one is what it waits for.\n"
		       "--limit-rate is for the eye: what is too much of a second is counted, and "
		       "said where it is missing.\n"
		       "On a terminal that is slower than the events, as a serial line is, what would be "
		       "printed more than a second late is skipped, and counted where it is missing: "
		       "that is what was read and not printed; lost is what the kernel had no room for. "
		       "--lag 5s lets it be later, --lag none prints all. Into a pipe or a file, with -n and with "
		       "--stop-when nothing is skipped unless --lag says so.\n"
		       "Lost events stand where they are missing. Before a time ! says that the "
		       "event came late, ? that the wall clock was set, or the machine slept, "
		       "about then.",
	.see_also = "run drain filters where fields time boards",
	.args = stream_args, .examples = stream_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_JOB,
	.prepare = stream_prepare, .endless_without = "N TIME",
	.run = stream_run, .script = tsh_script_stream,
};

static int drain_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return tsh_where_resolve(s, call, err) < 0 || tsh_field_list_resolve(s, call, err) < 0 ? -1 : 0;
}

static int drain_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	return tsh_stream_current(s, call, true, err);
}

static const struct tsh_arg drain_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "at most so many; the rest stays, but for an event or two of each CPU" },
	TSH_OWN_CPUS,
	TSH_RANGE_SINCE,
	TSH_RANGE_UNTIL,
	TSH_RATE_LIMIT,
	TSH_FIELDS_RAW,
	TSH_WHERE_CLAUSE,
	TSH_FIELDS_CLAUSE,
	{ 0 }
};

static const struct tsh_example drain_examples[] = {
	{ "drain -n 20", "take the oldest twenty events out" },
	{ "drain --since -5s", "print the last five seconds, and take all out" },
	{ "drain", "all that are there now" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_drain = {
	.name = "drain", .group = TSH_GROUP_SEE, .summary = "print and remove the events that are there",
	.description = "What was there when it started, decoded from the raw pages. show prints "
		       "without removing. Of a recording nothing is removed: each command reads it from its "
		       "start.\n"
		       "With --since and --until what is outside of that range is taken out as well: "
		       "it is counted, and not printed.",
	.see_also = "show stream where fields",
	.args = drain_args, .examples = drain_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_JOB,
	.prepare = drain_prepare,
	.run = drain_run, .script = tsh_script_drain,
};
