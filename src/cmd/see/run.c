/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include "engine/pipeline/enable.h"
#include "engine/pipeline/fields.h"
#include "engine/pipeline/own-stream.h"
#include "engine/pipeline/rate.h"
#include "engine/pipeline/run.h"
#include "engine/pipeline/where.h"
#include "engine/probe/call.h"
#include "engine/probe/misses.h"
#include "session/flood-check.h"
#include "session/own-instance.h"
#include "session/program.h"
#include "session/read-ahead.h"
#include "session/script.h"
#include "session/util.h"

/* Declares run: traces a program from its first instruction to its end. */

/* Prints events until the program has ended. */
static int run_program(struct tsh_program *p, struct tsh_instance *in, struct tsh_source *source,
		       struct tsh_task_names *task_names, struct tsh_err *err)
{
	struct tsh_stream_spec f = { .in = in, .source = source, .where = p->where, .task_names = task_names,
				.done = tsh_program_has_ended, .done_ctx = p, .waiter = &p->waiter, .filtered = p->call,
				.started = tsh_program_exec, .started_ctx = p };
	struct tsh_where_stage where;
	struct tsh_rate_stage rate;
	int r = tsh_program_begin(p, in, err);

	tsh_stages_push(&f.stages, tsh_where_stage(&where, p->where));
	tsh_stages_push(&f.stages, tsh_rate_stage(&rate, p->max_rate));
	tsh_stages_push(&f.stages, tsh_field_list_stage(p->fields));
	if (!r)
		r = tsh_print_stream(p->session, &f, err);
	return tsh_program_end(p, r, err);
}

static int run_in(void *ctx, struct tsh_own_stream *own, struct tsh_err *err)
{
	return run_program(ctx, own->in, own->source, &own->task_names, err);
}

static int run_own(struct tsh_program *p, struct tsh_err *err)
{
	struct tsh_own_stream own = { .session = p->session, .call = p->call, .run = run_in, .ctx = p };

	return tsh_own_stream_run(&own, err);
}

/* Runs with --here in the current instance, whose settings are restored afterwards. */
static int run_here(void *ctx, struct tsh_err *err)
{
	struct tsh_program *p = ctx;
	struct tsh_reader *reader;
	int r;

	if (tsh_reader_open(p->session, NULL, &reader, err) < 0)
		return -1;
	r = run_program(p, p->session->in, reader->source, NULL, err);
	tsh_source_close_files(reader->source);
	return r;
}

static int run_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return tsh_where_resolve(s, call, err) < 0 || tsh_field_list_resolve(s, call, err) < 0 ? -1 : 0;
}

static int run_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *rate = tsh_args_get(&call->args, "RATE");
	struct tsh_misses misses;
	struct tsh_program p;
	int r;

	if (tsh_args_has(&call->args, "here") && tsh_own_refuse_settings(s, call, err) < 0)
		return -1;
	if (tsh_flood_check_events(s, tsh_args_has(&call->args, "here") ? s->in : NULL, call,
				  err) < 0)
		return -1;
	if (tsh_program_init(&p, s, call, err) < 0)
		return -1;
	p.enable = tsh_own_enable;
	p.prints = true;
	p.where = tsh_where_query(call);
	p.fields = tsh_field_list_of(call);
	p.max_rate = rate ? rate->number : 0;
	tsh_misses_begin(s, &misses);
	r = tsh_args_has(&call->args, "here") ? tsh_with_here(s, run_here, &p, err) : run_own(&p, err);
	tsh_misses_end(s, call, &misses);
	tsh_program_release(&p);
	return r;
}

static const struct tsh_arg run_args[] = {
	{ .name = "USER", .option = "--user", .type = TSH_ARG_USER, .flags = TSH_ARG_OPTIONAL,
	  .help = "run the program as this user" },
	{ .name = "all", .option = "--all", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "the events of all tasks while the program runs" },
	{ .name = "here", .option = "--here", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "in the current instance, with what is there already, instead of one of its own" },
	TSH_OWN_BUFFER,
	TSH_OWN_PROBE,
	TSH_RATE_LIMIT,
	TSH_WHERE_NO_PUSHDOWN,
	TSH_FIELDS_RAW,
	TSH_OWN_EVENTS,
	TSH_OWN_FILTER,
	TSH_WHERE_CLAUSE,
	TSH_FIELDS_CLAUSE,
	{ .name = "PROGRAM", .clause = "--", .type = TSH_ARG_ARGV,
	  .help = "the program and its arguments" },
	{ 0 }
};

static const struct tsh_example run_examples[] = {
	{ "run sched:sched_process_exec -- true", "what it executes" },
	{ "run -o /dev/null 'syscalls:sys_enter_open*' -- ls /", "the files that it opens" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_run = {
	.name = "run", .group = TSH_GROUP_SEE, .summary = "run a program and print its events",
	.description = "In an instance of its own. The program has the terminal, its threads and "
		       "children are traced too; its exit status is the command's. Its output "
		       "goes to stderr when the events go to stdout. Without EVENT: processes "
		       "and system calls. With --user the program of another user cannot reach "
		       "our terminal: it has one of its own, which is shown on ours (the third Ctrl-C "
		       "within a second ends it in any case), no capability, "
		       "and of our descriptors the first three (/dev/null for a stdin that commands "
		       "are read from); the environment, but for HOME and the user's name, and the "
		       "folder are ours, as with su.",
	.see_also = "stream pid where fields",
	.args = run_args, .examples = run_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE |
		 TSH_CMD_JOB | TSH_CMD_IS_PROGRAM,
	.prepare = run_prepare,
	.run = run_run, .script = tsh_script_run,
};
