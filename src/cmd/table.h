/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_TABLE_H
#define TRACESH_CMD_TABLE_H

/* All commands. What stands below them has them from the session. */

struct tsh_cmd;

extern const struct tsh_cmd *const tsh_commands[];	/* NULL at the end */
/* Finds it by name or alias; NULL when there is none. */
const struct tsh_cmd *tsh_cmd_find(const char *name);

#endif
