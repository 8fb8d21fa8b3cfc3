/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow.h"
#include "own.h"
#include "reader.h"
#include "tracesh/journal.h"
#include "util.h"

/* stream and drain: events as they come, and those that are there. */

static uint64_t number_of(const struct tsh_call *call, const char *name)
{
	const struct tsh_value *value = tsh_args_get(&call->args, name);

	return value ? value->number : 0;
}

/* Whether one of the listed tasks is still alive. */
static bool some_task_lives(const char *list)
{
	struct tsh_strlist pids = { 0 };
	bool lives = false;
	size_t i;

	tsh_strlist_split_words(&pids, list);
	for (i = 0; i < pids.n && !lives; i++) {
		char *path = tsh_xasprintf("/proc/%s", pids.v[i]);

		lives = access(path, F_OK) == 0;
		free(path);
	}
	tsh_strlist_release(&pids);
	return lives;
}

/* Why nothing would come, said at once and not after an hour of waiting. */
static void explain_silence(struct tsh_session *s, const struct tsh_instance *in)
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
	if (pids && *pids && !some_task_lives(pids))
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
	struct tsh_follow f = {
		.drain = drain || s->dir->kind == TSH_DIR_TREE,
		.mark_before = !drain,
		.max_events = number_of(call, "N"),
		.max_ns = number_of(call, "TIME"),
	};
	struct tsh_reader *reader;

	if (tsh_reader_get(s, tsh_args_get(&call->args, "LIST"), &reader, err) < 0)
		return -1;
	f.in = reader->in;
	f.source = reader->source;
	if (!drain && s->dir->kind != TSH_DIR_TREE)
		explain_silence(s, f.in);
	return tsh_follow_run(s, &f, err);
}

static int follow_current(struct tsh_session *s, const struct tsh_call *call, bool drain,
			  struct tsh_err *err)
{
	int claim = tsh_reader_claim(s, err), r;

	if (claim == -1)
		return -1;
	r = follow_claimed(s, call, drain, err);
	tsh_reader_release_claim(s, claim);
	return r;
}

static int switch_on(void *ctx, struct tsh_err *err)
{
	return tsh_file_write(ctx, "tracing_on", TSH_WRITE_SET, "1", err) < 0 ? -1 : 0;
}

/* Events of the command's own, in a buffer of its own. */
static int follow_own(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *cpus = tsh_args_get(&call->args, "LIST");
	struct tsh_follow f = {
		.max_events = number_of(call, "N"), .max_ns = number_of(call, "TIME"),
	};
	int r;

	if (tsh_own_open(s, &f.in, err) < 0)
		return -1;
	r = tsh_own_enable(s, f.in, call, err);
	if (!r)
		r = tsh_source_open(f.in, cpus ? &cpus->cpus : NULL, &f.source, err);
	if (!r) {
		f.started = switch_on;
		f.started_ctx = f.in;
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
	r = tsh_own_enable(s, s->in, call, err);
	if (!r)
		r = follow_claimed(s, call, false, err);
	tsh_reader_release_claim(s, claim);
	tsh_cmd_take_back(s, mark);
	return r;
}

/* No events, or none for no time: nothing would be printed, or no limit meant. */
static int check_limits(const struct tsh_call *call, struct tsh_err *err)
{
	static const char *const limits[] = { "N", "TIME" };
	size_t i;

	for (i = 0; i < 2; i++) {
		const struct tsh_value *value = tsh_args_get(&call->args, limits[i]);

		if (value && !value->number) {
			tsh_err_at(err, value->word.span, "'%s' is no limit: at least 1",
				   value->word.text);
			return -1;
		}
	}
	return 0;
}

static int stream_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	if (check_limits(call, err) < 0)
		return -1;
	if (!call->events.n)
		return follow_current(s, call, false, err);
	if (s->dir->kind == TSH_DIR_TREE) {
		tsh_err_set(err, TSH_ENVIRONMENT, "nothing can be enabled in a recorded tree");
		tsh_err_hint(err, "stream without EVENT, or drain, prints what was recorded");
		return -1;
	}
	if (tsh_args_has(&call->args, "here"))
		return follow_here(s, call, err);
	return follow_own(s, call, err);
}

static const struct tsh_arg stream_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL,
	  .help = "stop after so many events" },
	{ .name = "TIME", .option = "--for", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL,
	  .help = "stop after this time: 500ms, 2s, 1m" },
	{ .name = "LIST", .option = "--cpu", .type = TSH_ARG_CPUS, .flags = TSH_ARG_OPTIONAL,
	  .help = "only these CPUs: 0-3,7" },
	{ .name = "here", .option = "--here", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "enable the events in the current instance instead of one of its own" },
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "system:name, a system, a unique name, or a glob" },
	{ .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION,
	  .flags = TSH_ARG_OPTIONAL, .help = "the kernel's filter" },
	{ .name = "EXPR", .clause = "where", .type = TSH_ARG_EXPRESSION,
	  .flags = TSH_ARG_OPTIONAL, .help = "(not there yet)" },
	{ .name = "FIELDS", .clause = "fields", .type = TSH_ARG_TEXT,
	  .flags = TSH_ARG_OPTIONAL, .help = "(not there yet)" },
	{ 0 }
};

static const struct tsh_example stream_examples[] = {
	{ "stream sched_switch -n 10", "ten events, in a buffer of its own" },
	{ "stream --for 500ms 'sched:*fork' if parent_pid > 1", "with the kernel's filter" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_stream = {
	.name = "stream", .group = TSH_GROUP_SEE, .summary = "print events as they come",
	.description = "With EVENT: in an instance of its own, which is removed at the end. "
		       "Without: the events of the current instance, which are taken out of its "
		       "buffer; those from before come first. Ctrl-C ends it.\n"
		       "In an instance of its own tracesh and the processes above it (shell, "
		       "sshd, tmux) are not traced; with --here they are.\n"
		       "Lost events stand where they are missing.",
	.args = stream_args, .examples = stream_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = stream_run,
};

static int drain_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	if (check_limits(call, err) < 0)
		return -1;
	return follow_current(s, call, true, err);
}

static const struct tsh_arg drain_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL,
	  .help = "at most so many; the rest stays" },
	{ .name = "LIST", .option = "--cpu", .type = TSH_ARG_CPUS, .flags = TSH_ARG_OPTIONAL,
	  .help = "only these CPUs: 0-3,7" },
	{ .name = "EXPR", .clause = "where", .type = TSH_ARG_EXPRESSION,
	  .flags = TSH_ARG_OPTIONAL, .help = "(not there yet)" },
	{ .name = "FIELDS", .clause = "fields", .type = TSH_ARG_TEXT,
	  .flags = TSH_ARG_OPTIONAL, .help = "(not there yet)" },
	{ 0 }
};

static const struct tsh_example drain_examples[] = {
	{ "drain -n 20", "take the oldest twenty events out" },
	{ "drain", "all that are there now" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_drain = {
	.name = "drain", .group = TSH_GROUP_SEE, .summary = "print and remove the events that are there",
	.description = "What was there when it started, decoded from the raw pages. show prints "
		       "without removing.",
	.args = drain_args, .examples = drain_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = drain_run,
};
