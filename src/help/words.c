/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "help.h"

#include "session/cmd.h"
#include "session/commands.h"

const char *const tsh_group_titles[TSH_GROUP_N] = {
	[TSH_GROUP_FIND] = "Find what there is",
	[TSH_GROUP_CONTROL] = "Control",
	[TSH_GROUP_FILE] = "Any file of the instance",
	[TSH_GROUP_SEE] = "See",
	[TSH_GROUP_ANALYSE] = "Analyse",
	[TSH_GROUP_SESSION] = "Session",
};

void tsh_help_argument(struct tsh_strbuf *out, const struct tsh_arg *arg)
{
	const char *word = arg->option ? arg->option : arg->clause;

	if (word)
		tsh_strbuf_adds(out, word);
	if (arg->type == TSH_ARG_FLAG)
		return;
	if (word)
		tsh_strbuf_addc(out, ' ');
	tsh_strbuf_adds(out, arg->name);
	if (arg->flags & TSH_ARG_MANY)
		tsh_strbuf_adds(out, "..");
}

const struct tsh_arg *tsh_help_nth_argument(const struct tsh_cmd *cmd, size_t i)
{
	const struct tsh_arg *arg;

	for (arg = cmd->args; arg->name; arg++)
		if (!i--)
			return arg;
	arg = tsh_cmd_more_args(cmd);
	return arg && arg[i].name ? &arg[i] : NULL;
}
