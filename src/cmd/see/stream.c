/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "engine/aggregate/aggregate.h"
#include "engine/pipeline/fields.h"
#include "engine/pipeline/flight-recorder.h"
#include "engine/pipeline/run.h"
#include "engine/pipeline/task-names.h"
#include "engine/pipeline/where.h"
#include "engine/probe/call.h"
#include "engine/probe/misses.h"
#include "kernel/journal/journal.h"
#include "session/filters.h"
#include "session/flood-check.h"
#include "session/own-instance.h"
#include "session/read-ahead.h"
#include "session/script.h"
#include "session/tasks.h"
#include "session/util.h"
#include "stream.h"

/* stream and drain: events as they come, and those that are there. */

/* Whether one of the listed tasks is still alive. */
static bool some_task_lives(const char *list)
{
	struct tsh_strlist pids = { 0 };
	bool lives = false;
	size_t i;
	int pid;

	tsh_strlist_split_words(&pids, list);
	for (i = 0; i < pids.n && !lives; i++)
		lives = !tsh_parse_int(pids.v[i], &pid) && tsh_task_lives(pid);
	tsh_strlist_release(&pids);
	return lives;
}

void tsh_stream_explain_silence(struct tsh_session *s, const struct tsh_instance *in)
{
	struct tsh_events enabled = { 0 };
	struct tsh_err ignored = { 0 };
	char *tracer = tsh_file_text(in, "current_tracer");
	char *pids = tsh_file_text(in, "set_event_pid");

	if (!tsh_file_number(in, "tracing_on", 1))
		tsh_out_warn(s->out, "tracing is off in '%s': nothing new will come until 'on'",
			     tsh_instance_label(in));
	if (tsh_events_enabled(in, &enabled, &ignored) < 0)
		tsh_err_release(&ignored);
	else if (!enabled.n && (!tracer || !strcmp(tracer, "nop")))
		tsh_out_warn(s->out, "no event is enabled in '%s' and no tracer is set: only "
			     "markers will come (enable EVENT..)", tsh_instance_label(in));
	/* In another pid namespace /proc has other numbers than the list. */
	if (pids && *pids && tsh_tasks_are_the_kernels() && !some_task_lives(pids))
		tsh_out_warn(s->out, "none of the traced tasks is alive: nothing new will come "
			     "until 'pid clear' or 'pid TASK'");
	tsh_events_release(&enabled);
	free(tracer);
	free(pids);
}

/* The events of the current buffer, which is claimed; reading takes them out. */
static int follow_claimed(struct tsh_session *s, const struct tsh_call *call, bool drain,
			  struct tsh_err *err)
{
	struct tsh_range range;
	struct tsh_follow f = {
		.range = &range,
		.where = tsh_where_query(call),
		.chosen = call->chosen,
		.by = call->by,
		.flight = call->flight,
		.drain = drain || s->dir->kind == TSH_DIR_TREE,
		/* where it begins was said, then */
		.mark_before = !drain && !tsh_call_moment(call, "--since") && !call->flight,
		.max_rate = tsh_args_number(&call->args, "RATE"),
		.can_lag = !call->by,
		.lag = tsh_args_number(&call->args, "LAG"),
		.expects = tsh_args_has(&call->args, "expect"),
		.filtered = tsh_args_has(&call->args, "here") ? call : NULL,
		.max_events = tsh_args_number(&call->args, "N"),
		.max_ns = tsh_args_number(&call->args, "TIME"),
	};
	const struct tsh_value *cpus = tsh_args_get(&call->args, "LIST");
	struct tsh_reader *reader;
	struct tsh_namers namers;
	int r;

	if (s->dir->kind == TSH_DIR_TREE) {
		tsh_namers_find(s->in, &namers);
		f.namers = &namers;
		cpus = tsh_namers_limit(&namers, s->in, cpus) ? cpus : NULL;
	}
	if (tsh_by_prepare(call->by, s->in, err) < 0 ||
	    tsh_reader_get(s, cpus, &reader, err) < 0)
		return -1;
	f.in = reader->in;
	f.source = reader->source;
	if (!drain && s->dir->kind != TSH_DIR_TREE)
		tsh_stream_explain_silence(s, f.in);
	tsh_filters_note_gaps(s, call);
	tsh_range_init(&range, s, call);
	r = tsh_follow_run(s, &f, err);
	tsh_range_release(&range);
	/* A recording is read from its start by each command. */
	if (s->dir->kind == TSH_DIR_TREE)
		tsh_reader_drop(s, s->in->name);
	return r;
}

static int follow_current(struct tsh_session *s, const struct tsh_call *call, bool drain,
			  struct tsh_err *err)
{
	int claim, r;

	/* What is read is gone; of a recording it stays. */
	if (s->dir->read_only && s->dir->kind != TSH_DIR_TREE) {
		tsh_err_set(err, TSH_FAILED, "%s takes the events out of the buffer: --read-only "
			    "was given", call->cmd->name);
		tsh_err_hint(err, "show prints them and leaves them there");
		return -1;
	}
	claim = tsh_reader_claim(s, err);
	if (claim == -1)
		return -1;
	r = follow_claimed(s, call, drain, err);
	tsh_reader_release_claim(s, claim);
	return r;
}

/* The events of a stream that are not enabled yet. */
struct enabling {
	struct tsh_session *session;
	struct tsh_instance *in;
	const struct tsh_call *call;
	size_t next;
};

static int enable_some(void *ctx, struct tsh_err *err)
{
	struct enabling *e = ctx;

	return tsh_own_enable_some(e->session, e->in, e->call, &e->next, err);
}

static int refilter(void *ctx, const char *filter, struct tsh_err *err)
{
	struct enabling *e = ctx;

	return tsh_own_refilter(e->session, e->in, e->call, filter, err);
}

/*
 * Events of the command's own, in a buffer of its own. Few of them are enabled before the
 * first is taken; of many the first are printed while the others are being enabled. What is
 * counted is all on before the first counts: else the rates would be of different times.
 */
static int follow_own(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *cpus = tsh_args_get(&call->args, "LIST");
	struct tsh_follow f = {
		.where = tsh_where_query(call),
		.chosen = call->chosen,
		.by = call->by,
		.flight = call->flight,
		.max_rate = tsh_args_number(&call->args, "RATE"),
		.can_lag = !call->by,
		.lag = tsh_args_number(&call->args, "LAG"),
		.expects = tsh_args_has(&call->args, "expect"),
		.max_events = tsh_args_number(&call->args, "N"),
		.max_ns = tsh_args_number(&call->args, "TIME"),
	};
	struct enabling enabling;
	struct tsh_namers namers;
	int r;

	if (tsh_own_open(s, call->of_all, &f.in, err) < 0)
		return -1;
	enabling = (struct enabling){ .session = s, .in = f.in, .call = call };
	tsh_namers_enable(f.in, call, &namers);
	f.namers = &namers;
	r = tsh_own_settings(s, f.in, call, err);
	if (!r)
		r = tsh_by_prepare(call->by, f.in, err);
	if (!r)
		r = call->by ? tsh_own_enable(s, f.in, call, err) : enable_some(&enabling, err);
	if (r > 0) {
		f.work = enable_some;
		f.work_ctx = &enabling;
	}
	if (r >= 0)
		r = tsh_source_open(f.in, tsh_namers_limit(&namers, f.in, cpus), &f.source, err);
	if (!r) {
		f.started = tsh_own_start;
		f.started_ctx = f.in;
		f.refilter = refilter;
		f.refilter_ctx = &enabling;
		f.filtered = call;
		r = tsh_follow_run(s, &f, err);
		tsh_source_close(f.source);
	}
	tsh_own_close(s, f.in);
	return r;
}

/* --here: the current buffer, with the events enabled for as long as it takes. */
static int follow_here(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	unsigned int mark = tsh_journal_mark(s->dir->journal) - 1;
	/* First: nobody who reads it gets our events. */
	int claim = tsh_reader_claim(s, err), r;

	if (claim == -1)
		return -1;
	tsh_own_note_here(s, call);
	r = tsh_own_enable(s, s->in, call, err);
	if (!r)
		r = follow_claimed(s, call, false, err);
	tsh_reader_release_claim(s, claim);
	tsh_cmd_take_back(s, mark);
	return r;
}

static int stream_call(struct tsh_session *s, const struct tsh_call *call, bool drain,
		       struct tsh_err *err)
{
	if ((!call->events.n || drain || tsh_args_has(&call->args, "here")) &&
	    tsh_own_refuse_settings(s, call, err) < 0)
		return -1;
	if (!call->events.n && s->dir->kind == TSH_DIR_TREE && tsh_own_refuse_coming(call, err) < 0)
		return -1;
	if (!call->events.n || drain)
		return follow_current(s, call, drain, err);
	if (s->dir->kind == TSH_DIR_TREE) {
		tsh_err_set(err, TSH_ENVIRONMENT, "nothing can be enabled in a recorded tree");
		tsh_err_hint(err, "%s without EVENT%s what was recorded", call->cmd->name,
			     call->by ? " counts" : ", or drain, prints");
		return -1;
	}
	if (tsh_load_check_events(s, tsh_args_has(&call->args, "here") ? s->in : NULL, call,
				  err) < 0)
		return -1;
	if (tsh_args_has(&call->args, "here"))
		return follow_here(s, call, err);
	if (tsh_call_moment(call, "--since")) {
		tsh_err_set(err, TSH_USAGE, "a buffer of its own has no events from before");
		tsh_err_hint(err, "--since goes with --here, or without EVENT");
		tsh_err_blame(err, tsh_args_get(&call->args, "WHEN")->word.span);
		return -1;
	}
	return follow_own(s, call, err);
}

int tsh_stream_call(struct tsh_session *s, const struct tsh_call *call, bool drain,
		    struct tsh_err *err)
{
	struct tsh_misses misses = { 0 };
	int r;

	if (!drain)
		tsh_misses_begin(s, &misses);
	r = stream_call(s, call, drain, err);
	tsh_misses_end(s, call, &misses);
	return r;
}

static int stream_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return tsh_where_resolve(s, call, err) < 0 || tsh_chosen_resolve(s, call, err) < 0 ||
	       tsh_flight_resolve(s, call, err) < 0 ? -1 : 0;
}

static int stream_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	return tsh_stream_call(s, call, false, err);
}

static const struct tsh_arg stream_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "stop after so many events" },
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
	TSH_WHERE_STAYS,
	TSH_CHOSEN_RAW,
	TSH_OWN_EVENTS,
	TSH_OWN_FILTER,
	TSH_WHERE_CLAUSE,
	TSH_CHOSEN_CLAUSE,
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
	.see = "run drain filters where fields time boards",
	.args = stream_args, .examples = stream_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_JOB,
	.prepare = stream_prepare, .endless_without = "N TIME",
	.run = stream_run, .script = tsh_script_stream,
};

static int drain_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return tsh_where_resolve(s, call, err) < 0 || tsh_chosen_resolve(s, call, err) < 0 ? -1 : 0;
}

static int drain_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	return follow_current(s, call, true, err);
}

static const struct tsh_arg drain_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "at most so many; the rest stays, but for an event or two of each CPU" },
	TSH_OWN_CPUS,
	TSH_RANGE_SINCE,
	TSH_RANGE_UNTIL,
	TSH_RATE_LIMIT,
	TSH_CHOSEN_RAW,
	TSH_WHERE_CLAUSE,
	TSH_CHOSEN_CLAUSE,
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
	.see = "show stream where fields",
	.args = drain_args, .examples = drain_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_JOB,
	.prepare = drain_prepare,
	.run = drain_run, .script = tsh_script_drain,
};
