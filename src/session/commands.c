/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/xmalloc.h"
#include "cmd.h"
#include "kernel/tracefs/tracefs.h"

const struct tsh_cmd *tsh_cmd_find_in(const struct tsh_cmd *const *commands, const char *name)
{
	for (; *commands; commands++)
		if (!strcmp((*commands)->name, name) || ((*commands)->alias && !strcmp((*commands)->alias, name)))
			return *commands;
	return NULL;
}

void tsh_cmd_add_names(const struct tsh_cmd *const *commands, struct tsh_strlist *ret)
{
	for (; *commands; commands++) {
		tsh_strlist_add(ret, (*commands)->name);
		if ((*commands)->alias)
			tsh_strlist_add(ret, (*commands)->alias);
	}
}

const char *tsh_cmd_name(const struct tsh_cmd *cmd)
{
	return cmd->name;
}

const char *tsh_cmd_summary(const struct tsh_cmd *cmd)
{
	return cmd->summary;
}

const struct tsh_arg *tsh_cmd_args(const struct tsh_cmd *cmd)
{
	return cmd ? cmd->args : NULL;
}

const struct tsh_arg *tsh_cmd_more_args(const struct tsh_cmd *cmd)
{
	static const struct tsh_arg args[] = {
		{ .name = "OUTPUT", .option = "-o", .type = TSH_ARG_FILE, .flags = TSH_ARG_OPTIONAL,
		  .help = "write to this file instead of the screen; - is the screen" },
		{ 0 }
	};

	return cmd->flags & TSH_CMD_PRINTS ? args : NULL;
}

bool tsh_cmd_writes(const struct tsh_cmd *cmd)
{
	return cmd->flags & TSH_CMD_WRITES;
}

bool tsh_cmd_completes(const struct tsh_cmd *cmd, enum tsh_arg_completes what)
{
	const struct tsh_arg *arg;

	for (arg = cmd ? cmd->args : NULL; arg && arg->name; arg++)
		if (arg->completes == what)
			return true;
	return false;
}

void tsh_call_add_state(struct tsh_call *call, void *state, void (*release)(void *state))
{
	struct tsh_call_state *first = tsh_xmalloc(sizeof(*first));

	*first = (struct tsh_call_state){ .next = call->states, .state = state, .release = release };
	call->states = first;
}

void *tsh_call_state(const struct tsh_call *call, void (*release)(void *state))
{
	const struct tsh_call_state *at = call->states;

	while (at && at->release != release)
		at = at->next;
	return at ? at->state : NULL;
}

void tsh_call_release(struct tsh_call *call)
{
	while (call->states) {
		struct tsh_call_state *first = call->states;

		call->states = first->next;
		first->release(first->state);
		free(first);
	}
	tsh_args_release(&call->args);
	tsh_events_release(&call->events);
	free(call->moments);
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
