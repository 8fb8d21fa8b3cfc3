/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include "engine/state/recover.h"
#include "session/script.h"

/* Declares recover: takes back what a killed tracesh has left. */

static int recover_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_recover_spec spec = {
		.pid = tsh_args_get(&call->args, "PID"), .all = tsh_args_has(&call->args, "all"),
		.forget = tsh_args_has(&call->args, "forget"), .command = call->args.command,
	};
	bool quiet = s->out->quiet;
	int r;

	s->out->quiet |= tsh_args_has(&call->args, "quiet");
	r = tsh_args_has(&call->args, "list") ? tsh_recover_list(s, err) : tsh_recover(s, &spec, err);
	s->out->quiet = quiet;
	return r;
}

static const struct tsh_arg recover_args[] = {
	{ .name = "all", .option = "--all", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "of all that were killed" },
	{ .name = "forget", .option = "--forget", .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "give up what somebody else has changed since, and what a journal lacks" },
	{ .name = "list", .option = "--list", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "only show them" },
	{ .name = "quiet", .option = "-q", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "say only what could not be taken back" },
	{ .name = "PID", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL,
	  .help = "of this process; not needed when there is only one" },
	{ 0 }
};

static const struct tsh_example recover_examples[] = {
	{ "recover --list", "who was killed, and what is left of it" },
	{ "recover --all -q", "everything as it was; for a service file" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_recover = {
	.name = "recover", .group = TSH_GROUP_SESSION,
	.summary = "take back what a killed tracesh has left",
	.description = "A tracesh that is killed is cleaned up after by its guard process within a second. "
		       "Where that was killed too, the journal is left, in /run/tracesh or, where that is "
		       "full, in /var/lib/tracesh: recover takes back what stands in it. A journal that "
		       "cannot be read whole is named and kept, and recover fails, until it is removed, or "
		       "given up by --forget. Values that somebody else has changed since are left and "
		       "reported, and stay in the journal: they can be ours again when he takes his change "
		       "back. A guard that is still at work is waited for. Instances called tracesh-PID-N "
		       "and probes of the group tracesh_PID of processes that are gone are removed; one "
		       "that no tracesh holds, though a process of that number lives, is named, and removed "
		       "with --all. Synthetic events that are left so are named. --list names all of these, too, and what "
		       "recover does with each.",
	.see_also = "journal restore",
	.args = recover_args, .examples = recover_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = recover_run, .script = tsh_script_none,
};
