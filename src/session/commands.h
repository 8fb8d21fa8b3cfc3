/* session/commands.h - finds commands, and answers about one without its whole declaration */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_COMMANDS_H
#define TRACESH_SESSION_COMMANDS_H

#include "lang/grammar.h"

struct tsh_cmd;
struct tsh_strlist;

/* Returns the command of this name or alias; NULL: there is none. The list `commands` ends with
 * NULL. */
const struct tsh_cmd *tsh_cmd_find_in(const struct tsh_cmd *const *commands, const char *name);
/* Appends the names and aliases of a list of commands. */
void tsh_cmd_add_names(const struct tsh_cmd *const *commands, struct tsh_strlist *ret);
/* Returns the command's name. */
const char *tsh_cmd_name(const struct tsh_cmd *cmd);
/* Returns the command's summary, one line. */
const char *tsh_cmd_summary(const struct tsh_cmd *cmd);
/* Returns the command's arguments, which end with an entry without a name; NULL for no command. */
const struct tsh_arg *tsh_cmd_args(const struct tsh_cmd *cmd);
/* Returns the options that the shell adds to the declared ones (`-o FILE`), with the same end mark;
 * NULL: the command prints nothing. */
const struct tsh_arg *tsh_cmd_more_args(const struct tsh_cmd *cmd);
/* Says whether the command may change tracefs. */
bool tsh_cmd_writes(const struct tsh_cmd *cmd);
/* Says whether one of the command's arguments has this kind of completion. Returns false for no
 * command. */
bool tsh_cmd_completes(const struct tsh_cmd *cmd, enum tsh_arg_completes what);

#endif
