/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include "engine/state/status.h"
#include "session/util.h"

/* Declares status: says what differs from what the kernel starts with. */

/* Shows all instances but the current one, which is shown already. */
static void show_others(struct tsh_session *s)
{
	struct tsh_strlist names = { 0 };
	struct tsh_instance *in;
	struct tsh_err err = { 0 };
	size_t i;

	tsh_instance_list(s->dir, &names);
	for (i = 0; i <= names.n && !tsh_cmd_is_aborted(s); i++) {
		const char *name = i ? names.v[i - 1] : NULL;

		if (name ? s->in->name && !strcmp(name, s->in->name) : !s->in->name)
			continue;
		/* skips one that was removed meanwhile */
		if (tsh_instance_open(s->dir, name, &in, &err) < 0) {
			tsh_err_release(&err);
			continue;
		}
		tsh_out_line(s->out, "%s", "");
		tsh_status_print(s, in, true);
		tsh_instance_close(in);
	}
	tsh_strlist_release(&names);
}

static int status_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	bool all = tsh_args_has(&call->args, "all");

	(void)err;
	/* repeats at the prompt what a batch says at its start */
	if (s->interactive && s->in->dir->kind != TSH_DIR_TREE)
		tsh_cmd_note_left(s);
	tsh_status_print(s, s->in, all);
	if (all)
		show_others(s);
	return s->aborted ? -1 : 0;
}

static const struct tsh_arg status_args[] = {
	{ .name = "all", .option = "-a", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "the other instances too, and who has a trace_pipe open" },
	{ 0 }
};

static const struct tsh_example status_examples[] = {
	{ "status", "what is set in this instance" },
	{ "status -a", "everywhere, and who reads" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_status = {
	.name = "status", .group = TSH_GROUP_SEE, .summary = "show what is set and enabled",
	.description =
		"One screen of what is not as the kernel starts it: events, filters (which an event "
		"keeps while it is off), triggers, tracer, pid lists, function filters, options (those of "
		"tracers that do not run, too), buffer, probes, other settings by the names of their "
		"files, and which of these files cannot be read. As JSON: "
		"every key each time, whole lists, null for what this kernel does not have; "
		"left_out counts entries of lists beyond 131,072, or 4 MB, and unread_files those "
		"of a recording that are too large, or list more than a kernel has.\n"
		"A pid list that the kernel has emptied itself mutes an instance and cannot be seen "
		"in any file; pid clear makes sure.",
	.see_also = "stats doctor journal",
	.args = status_args, .examples = status_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = status_run,
};
