/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include "base/number.h"
#include "session/util.h"

/* Declares jobs and kill: list and end what runs in the background. */

#define SHOWN_MAX 64

static int jobs_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "job", TSH_COLUMN_NUMBER }, { "pid", TSH_COLUMN_NUMBER },
		{ "command", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_job_info jobs[SHOWN_MAX];
	size_t i, n = s->ops->jobs(s, jobs, SHOWN_MAX);
	struct tsh_table *table;

	(void)call;
	(void)err;
	if (!n) {
		tsh_out_note(s->out, "no job runs (stream sched_switch & starts one)");
		return 0;
	}
	table = tsh_table_begin(s->out, "job", columns);
	for (i = 0; i < n && i < SHOWN_MAX; i++) {
		tsh_table_row(table);
		tsh_table_number(table, jobs[i].number);
		tsh_table_number(table, (uint64_t)jobs[i].pid);
		tsh_table_text(table, jobs[i].command);
	}
	tsh_table_end(table);
	if (n > SHOWN_MAX)
		tsh_out_note(s->out, "and %zu more", n - SHOWN_MAX);
	return 0;
}

static const struct tsh_arg jobs_args[] = { { 0 } };

static const struct tsh_example jobs_examples[] = {
	{ "jobs", "their numbers, for kill" }, { 0 }
};

const struct tsh_cmd tsh_cmd_jobs = {
	.name = "jobs", .group = TSH_GROUP_SESSION, .summary = "list what runs in the background",
	.description = "stream, drain, run and record with & behind them run beside what is typed; "
		       "their lines stand above the prompt. Of more than can be read the last are "
		       "shown, and how many were not; a file (-o) gets all.\n"
		       "A job has a journal of its own: what it changes it takes back at its end, "
		       "and undo knows nothing of it. All jobs end with tracesh.",
	.see_also = "kill stream wait",
	.args = jobs_args, .examples = jobs_examples, .flags = TSH_CMD_PRINTS,
	.run = jobs_run,
};

static void end_all(struct tsh_session *s)
{
	struct tsh_job_info job;

	while (s->ops->jobs(s, &job, 1))
		s->ops->end_job(s, job.number);
}

static int kill_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *job = NULL;

	while ((job = tsh_args_next(&call->args, "JOB", job))) {
		if (job->number == TSH_JOB_ALL) {
			end_all(s);
			continue;
		}
		if (job->number <= UINT32_MAX && !s->ops->end_job(s, (unsigned int)job->number))
			continue;
		tsh_err_at(err, job->word.span, "no job has that number");
		err->status = TSH_FAILED;
		tsh_err_hint(err, "jobs lists them; for a process, at the prompt: !kill PID");
		return -1;
	}
	return 0;
}

static const struct tsh_arg kill_args[] = {
	{ .name = "JOB", .type = TSH_ARG_JOB, .flags = TSH_ARG_MANY,
	  .help = "its number, as 1 or %1, or all: jobs lists them" },
	{ 0 }
};

static const struct tsh_example kill_examples[] = {
	{ "stream sched_switch -o /dev/null &; wait 100ms; kill 1",
	  "in a batch, too: what happens meanwhile, into a file" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_kill = {
	.name = "kill", .group = TSH_GROUP_SESSION, .summary = "end jobs",
	.description = "As Ctrl-C ends it in the foreground: what was there by then is still "
		       "printed, and what it changed is taken back.",
	.see_also = "jobs",
	.args = kill_args, .examples = kill_examples,
	.run = kill_run,
};
