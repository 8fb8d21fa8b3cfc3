/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_WALK_H
#define TRACESH_COMPLETE_WALK_H

/* Finds the argument that the last word is for, for completion and hints. */

#include "session/session.h"
#include "words.h"

struct tsh_walk {
	const struct tsh_cmd *cmd;	/* NULL: the word is a command's name, or no command has
					 * it */
	size_t from;			/* index of the command's name among the words */
	const struct tsh_arg *slot;	/* next positional argument; without a name: none */
	const struct tsh_arg *clause;	/* clause that has begun, or NULL */
	const struct tsh_arg *value_of;	/* option that waits for its value, or NULL */
	size_t in_clause;		/* words of the clause so far */
	size_t rest;			/* index of the first word of an argument that takes all
					 * further words, or 0 */
	size_t in_slot;			/* words of a slot that takes many */
	struct tsh_strlist events;
	struct tsh_strlist options;	/* options that were given */
	const char *setting;		/* borrowed from the words */
	const char *choice, *probe;	/* borrowed from the words */
};

/*
 * Matches the words of a command, up to the last word, with the command's arguments. The word at
 * `from` is the command's name; behind `try` that of the nested command. The caller releases *ret
 * in any case.
 */
void tsh_walk_words(const struct tsh_session *s, const struct tsh_cut *words, size_t from, struct tsh_walk *ret);
void tsh_walk_release(struct tsh_walk *w);

/* Returns the argument that the last word is for: an option's value, a clause or a slot; an
 * argument without a name when there is none. */
const struct tsh_arg *tsh_walk_argument(const struct tsh_walk *w);
/* Returns the next positional argument from arg on; an argument without a name at the end. */
const struct tsh_arg *tsh_walk_positional(const struct tsh_arg *arg);
/* Says whether an argument is an optional choice: then the word may be for the next argument. */
bool tsh_walk_can_skip(const struct tsh_arg *arg);

#endif
