/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_CANDIDATES_H
#define TRACESH_CMD_CANDIDATES_H

/* For completion: the values that an argument can have here and now. */

#include "tracesh/cmd.h"
#include "tracesh/complete.h"

/* Where the cursor stands. */
struct tsh_cursor {
	struct tsh_session *s;
	const struct tsh_cmd *cmd;	/* NULL: before its name */
	const char *word;		/* what is typed of the word */
	const struct tsh_strlist *events;	/* the EVENT words before */
	const char *setting;		/* the SETTING word before, or NULL */
	struct tsh_completion *ret;
};

/* Adds a candidate when it begins with the word and can be shown. help may be NULL. */
void tsh_candidate_add(const struct tsh_cursor *at, const char *text, const char *help,
		       bool partial);
/* Adds the values that an argument can have; of an EXPRESSION only its choices. */
void tsh_candidates_of(const struct tsh_cursor *at, const struct tsh_arg *arg);
/* The machine's files. */
void tsh_candidates_files(const struct tsh_cursor *at);
/* Fields that all events of at->events have. */
void tsh_candidates_fields(const struct tsh_cursor *at);
void tsh_candidates_commands(const struct tsh_cursor *at);

#endif
