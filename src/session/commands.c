/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"

#include <string.h>

#include "base/suggest.h"

const struct tsh_arg tsh_cmd_common_args[] = {
	{ .name = "OUTPUT", .option = "-o", .type = TSH_ARG_FILE, .flags = TSH_ARG_OPTIONAL,
	  .help = "write to this file instead of the screen; - is the screen" },
	{ 0 }
};

const struct tsh_cmd *tsh_cmd_among(const struct tsh_cmd *const *commands, const char *name)
{
	for (; *commands; commands++)
		if (!strcmp((*commands)->name, name) || ((*commands)->alias && !strcmp((*commands)->alias, name)))
			return *commands;
	return NULL;
}

bool tsh_cmd_completes(const struct tsh_cmd *cmd, enum tsh_arg_completes what)
{
	const struct tsh_arg *arg;

	for (arg = cmd ? cmd->args : NULL; arg && arg->name; arg++)
		if (arg->completes == what)
			return true;
	return false;
}

bool tsh_call_needs_all(const struct tsh_call *call)
{
	return call->by && call->by_ops->needs_all(call->by);
}

bool tsh_call_lacks_filter(const struct tsh_call *call, const struct tsh_event *event)
{
	return call->by && call->by_ops->lacks_filter(call->by, event);
}

const char *tsh_call_name(const struct tsh_call *call)
{
	return call->cmd->name;
}

bool tsh_call_is_live(const struct tsh_call *call)
{
	return call->cmd->flags & TSH_CMD_LIVE;
}

bool tsh_call_names_events(const struct tsh_call *call)
{
	return call->cmd->name_events;
}

bool tsh_call_shows_tasks(const struct tsh_call *call)
{
	return !(call->cmd->flags & TSH_CMD_NAMES_NO_TASK);
}

bool tsh_call_completes(const struct tsh_call *call, enum tsh_arg_completes what)
{
	return tsh_cmd_completes(call->cmd, what);
}

void tsh_call_offer_options(const struct tsh_call *call, struct tsh_suggest *near)
{
	const struct tsh_arg *arg;

	for (arg = call->cmd->args; arg->name; arg++)
		if (arg->option)
			tsh_suggest_offer(near, arg->option);
}
