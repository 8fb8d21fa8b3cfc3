/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include "engine/types/event-info.h"

/* Declares info: prints the fields and settings of events. */

static int info_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	return tsh_event_info_print(s, &call->events, tsh_args_has(&call->args, "plain"), err);
}

static const struct tsh_arg info_args[] = {
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_MANY,
	  .help = "events: system:name, a system, or a glob" },
	{ .name = "plain", .option = "--plain", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "only the names and C types of the fields, as tplist -v prints them" },
	{ 0 }
};

static const struct tsh_example info_examples[] = {
	{ "info sched:sched_switch", "fields, print format, filter and triggers" },
	{ "info --plain 'sched:sched_process_*'", "what there is to filter on" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_info = {
	.name = "info", .group = TSH_GROUP_FIND, .summary = "show the fields of events",
	.description = "Fields with C type, offset, size and sign, the print format, and what "
		       "the event is set to in the current instance. Of pointers what they point "
		       "to, where the format or the kernel's type information (BTF) tells: "
		       "struct shows it.",
	.see_also = "events filter filters struct",
	.args = info_args, .examples = info_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = info_run,
};
