/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_HELP_HELP_H
#define TRACESH_HELP_HELP_H

/* What `help` and the man page share. */

#include "session/cmd.h"

extern const struct tsh_topic tsh_topics[];	/* ends with an entry without a name */
/* Finds it by name; NULL when there is none. */
const struct tsh_topic *tsh_topic_find(const char *name);

extern const char *const tsh_group_titles[TSH_GROUP_N];
/* How an argument is written: "EVENT..", "-n N", "--on", "if FILTER". */
void tsh_help_argument(struct tsh_strbuf *out, const struct tsh_arg *arg);
/* Number i of a command's arguments: its own, then the options that the engine adds;
 * NULL after the last. */
const struct tsh_arg *tsh_help_nth_argument(const struct tsh_cmd *cmd, size_t i);

/* The COMMANDS and TOPICS sections of the man page, man(7), made from the table: --help-man. */
void tsh_help_man(const struct tsh_cmd *const *commands, struct tsh_strbuf *out);
/* Adds "COMMAND<TAB>EXAMPLE" and "topic:NAME<TAB>EXAMPLE" lines, for the test that runs them. */
void tsh_help_examples(const struct tsh_cmd *const *commands, struct tsh_strbuf *out);

#endif
