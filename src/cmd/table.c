/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include "commands.h"
#include "session/commands.h"

const char *const tsh_group_names[TSH_GROUP_N] = {
	[TSH_GROUP_FIND] = "find",
	[TSH_GROUP_CONTROL] = "control",
	[TSH_GROUP_FILE] = "any file",
	[TSH_GROUP_SEE] = "see",
	[TSH_GROUP_ANALYSE] = "analyse",
	[TSH_GROUP_SESSION] = "session",
};

#define TSH_ENTRY(name) &tsh_cmd_##name,

const struct tsh_cmd *const tsh_commands[] = {
	TSH_COMMANDS(TSH_ENTRY)
	NULL
};

const struct tsh_cmd *tsh_cmd_find(const char *name)
{
	return tsh_cmd_find_in(tsh_commands, name);
}
