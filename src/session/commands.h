/* session/commands.h - finds commands, and answers about one without its whole declaration */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_COMMANDS_H
#define TRACESH_SESSION_COMMANDS_H

#include "lang/grammar.h"

struct tsh_cmd;
struct tsh_strlist;

/* Finds one of commands, which end with NULL, by its name or alias; NULL: there is none. */
const struct tsh_cmd *tsh_cmd_among(const struct tsh_cmd *const *commands, const char *name);
/* Adds the names of all commands, and their aliases. */
void tsh_cmd_add_names(const struct tsh_cmd *const *commands, struct tsh_strlist *ret);
/* Returns the command's name. */
const char *tsh_cmd_name(const struct tsh_cmd *cmd);
/* Returns what `help` says of it in a line. */
const char *tsh_cmd_summary(const struct tsh_cmd *cmd);
/* Returns the command's arguments, which end with an entry without a name; NULL without a command. */
const struct tsh_arg *tsh_cmd_args(const struct tsh_cmd *cmd);
/* Returns the options that the shell adds, `-o FILE`, which end the same way; NULL: the command prints nothing. */
const struct tsh_arg *tsh_cmd_more_args(const struct tsh_cmd *cmd);
/* Says whether the command may change tracefs. */
bool tsh_cmd_writes(const struct tsh_cmd *cmd);
/* Says whether one of its arguments completes so; NULL: no. */
bool tsh_cmd_completes(const struct tsh_cmd *cmd, enum tsh_arg_completes what);

#endif
