/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_TABLE_H
#define TRACESH_CMD_TABLE_H

/* Declares the table of all commands. Code that may not include cmd gets the table from the session
 * (s->commands). */

struct tsh_cmd;

extern const struct tsh_cmd *const tsh_commands[];	/* NULL at the end */
/* Finds a command by name or alias; NULL: there is none. */
const struct tsh_cmd *tsh_cmd_find(const char *name);

#endif
