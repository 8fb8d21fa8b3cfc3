/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>

#include "engine/pipeline/events.h"
#include "session/commands.h"
#include "session/visit.h"

/* Declares report: a command on a recording, whatever the session works on. */

/* Prints all events, as drain does. */
static int drain(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_call all = { .cmd = tsh_cmd_find_in(s->commands, "drain") };
	int r;

	all.args.command = call->args.command;
	r = tsh_stream_current(s, &all, true, err);
	tsh_call_release(&all);
	return r;
}

static int report_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *file = tsh_args_get(&call->args, "FILE");
	const struct tsh_value *command = tsh_args_get(&call->args, "COMMAND");
	struct tsh_visit visit;
	int r;

	if (tsh_visit_begin(&visit, s, file->word.text, err) < 0) {
		/* an earlier command of the text that is checked may make the file */
		if (s->check && err->number == ENOENT) {
			tsh_err_release(err);
			return 0;
		}
		tsh_err_blame(err, file->word.span);
		return -1;
	}
	if (command)
		r = s->ops->run_nested(s, command->word.span, err);
	else
		r = s->check ? 0 : drain(s, call, err);
	tsh_visit_end(&visit, s);
	return r;
}

static const struct tsh_arg report_args[] = {
	{ .name = "FILE", .type = TSH_ARG_FILE, .help = "a folder of record, a trace.dat, or a text of a trace" },
	{ .name = "COMMAND", .type = TSH_ARG_STATEMENT, .flags = TSH_ARG_OPTIONAL, .help = "what is run on it; else drain" },
	{ 0 }
};

static const struct tsh_example report_examples[] = {
	{ "report examples/recorded", "all its events" },
	{ "report examples/recorded hist by next_comm", "a command on it" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_report = {
	.name = "report", .group = TSH_GROUP_SEE, .summary = "run a command on a recording",
	.description =
		"FILE is a folder that record has made, a trace.dat of trace-cmd or of export, or the text of a trace. The "
		"session goes on where it was. tracesh FILE works on it from the start, at the prompt too.",
	.see_also = "drain record export",
	.args = report_args, .examples = report_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_JOB | TSH_CMD_IN_CHECK,
	.run = report_run,
};
