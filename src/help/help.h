/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_HELP_HELP_H
#define TRACESH_HELP_HELP_H

/* Serves `help` and the man page. */

#include <stddef.h>

#include "session/topic.h"

struct tsh_arg;
struct tsh_cmd;
struct tsh_strbuf;

extern const struct tsh_topic tsh_topics[];	/* ends with an entry without a name */
/* Returns the topic of that name, or NULL. */
const struct tsh_topic *tsh_topic_find(const char *name);

extern const char *const tsh_group_titles[];	/* by enum tsh_cmd_group */
/* Appends the form in which an argument is typed: "EVENT..", "-n N", "--on", "if FILTER". */
void tsh_help_argument(struct tsh_strbuf *out, const struct tsh_arg *arg);
/* Returns argument i of a command: first the declared ones, then those that all printing commands
 * have; NULL after the last one. */
const struct tsh_arg *tsh_help_nth_argument(const struct tsh_cmd *cmd, size_t i);

/* Appends the COMMANDS and TOPICS sections of the man page (man(7)), for --help-man. */
void tsh_help_man(const struct tsh_cmd *const *commands, struct tsh_strbuf *out);
/* Appends lines "COMMAND<TAB>EXAMPLE" and "topic:NAME<TAB>EXAMPLE", for the test that runs the
 * examples. */
void tsh_help_examples(const struct tsh_cmd *const *commands, struct tsh_strbuf *out);

#endif
