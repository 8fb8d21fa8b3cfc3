/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"

#include <string.h>

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
