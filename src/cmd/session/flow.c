/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>

#include "session/script.h"
#include "session/util.h"

/* Declares source, try, wait and quit. */

static int source_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *file = tsh_args_get(&call->args, "FILE");
	const struct tsh_value *arg = NULL;
	size_t n = tsh_args_count(&call->args, "ARG"), i = 0;
	char **argv = tsh_xcalloc(n + 1, sizeof(*argv));
	int r;

	while ((arg = tsh_args_next(&call->args, "ARG", arg)))
		argv[i++] = arg->word.text;
	r = s->ops->run_file(s, file->word.text, argv, err);
	if (r < 0)
		tsh_err_blame(err, file->word.span);
	free(argv);
	return r;
}

static const struct tsh_arg source_args[] = {
	{ .name = "FILE", .type = TSH_ARG_FILE, .completes = TSH_COMPLETES_RECIPES, .help = "a batch file" },
	{ .name = "ARG", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "its $1, $2, .." },
	{ 0 }
};

static const struct tsh_example source_examples[] = {
	{ "source examples/first-look.tsh", "run a batch file here" }, { 0 }
};

const struct tsh_cmd tsh_cmd_source = {
	.name = "source", .group = TSH_GROUP_SESSION,
	.summary = "run the commands of a file",
	.see_also = "try batch",
	.args = source_args, .examples = source_examples,
	.flags = TSH_CMD_IN_CHECK | TSH_CMD_IS_FILE,
	.run = source_run,
};

static int try_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *first = tsh_args_get(&call->args, "COMMAND");
	const struct tsh_value *otherwise = tsh_args_get(&call->args, "OTHERWISE");

	if (s->ops->run_nested(s, first->word.span, err) >= 0 || s->aborted)
		return s->aborted ? -1 : 0;
	s->ops->note_error(s, err);
	tsh_err_release(err);
	s->status = TSH_OK;
	return otherwise ? s->ops->run_nested(s, otherwise->word.span, err) : 0;
}

static const struct tsh_arg try_args[] = {
	{ .name = "COMMAND", .type = TSH_ARG_STATEMENT, .help = "what may fail" },
	{ .name = "OTHERWISE", .clause = "else", .type = TSH_ARG_STATEMENT,
	  .flags = TSH_ARG_OPTIONAL, .help = "what runs instead when it failed" },
	{ 0 }
};

static const struct tsh_example try_examples[] = {
	{ "try option hash-ptr off", "an older kernel has no such option" },
	{ "try clock tai else clock mono", "the next best" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_try = {
	.name = "try", .group = TSH_GROUP_SESSION, .summary = "run a command that may fail",
	.description = "A failure, also of an unknown name, is a note; what the command had "
		       "changed by then is taken back. What a command answers by its status (run, doctor, "
		       "stream --expect) is the status of the try.",
	.see_also = "source batch",
	.args = try_args, .examples = try_examples,
	.flags = TSH_CMD_IN_CHECK | TSH_CMD_TRIES,
	.run = try_run,
};

static int wait_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	uint64_t ms = (tsh_args_get(&call->args, "TIME")->number + 999999) / 1000000;

	(void)err;
	while (ms) {
		int step = ms > 1000000 ? 1000000 : (int)ms;
		enum tsh_wait_result r = tsh_wait(s->waiter, NULL, 0, step);

		if (r == TSH_WAIT_ABORT)
			s->aborted = true;
		if (r != TSH_WAIT_TIMEOUT)
			return s->aborted ? -1 : 0;
		ms -= (uint64_t)step;
	}
	return 0;
}

static const struct tsh_arg wait_args[] = {
	{ .name = "TIME", .type = TSH_ARG_TIME, .help = "500ms, 2s, 1m" },
	{ 0 }
};

static const struct tsh_example wait_examples[] = {
	{ "wait 100ms", "let the trace fill; Ctrl-C ends the wait" }, { 0 }
};

const struct tsh_cmd tsh_cmd_wait = {
	.name = "wait", .group = TSH_GROUP_SESSION, .summary = "wait",
	.see_also = "batch",
	.args = wait_args, .examples = wait_examples,
	.run = wait_run, .script = tsh_script_wait,
};

static int quit_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *status = tsh_args_get(&call->args, "STATUS");

	if (status && status->number > 255) {
		tsh_err_at(err, status->word.span, "an exit status is 0 to 255");
		return -1;
	}
	s->quit = true;
	s->quit_status = status ? (int)status->number : -1;
	return 0;
}

static const struct tsh_arg quit_args[] = {
	{ .name = "STATUS", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL,
	  .help = "the exit status, 0 to 255" },
	{ 0 }
};

static const struct tsh_example quit_examples[] = {
	{ "quit", "leave; a batch keeps its changes" }, { 0 }
};

const struct tsh_cmd tsh_cmd_quit = {
	.name = "quit", .alias = "exit", .group = TSH_GROUP_SESSION, .summary = "leave tracesh",
	.see_also = "restore keep",
	.args = quit_args, .examples = quit_examples,
	.run = quit_run,
};
