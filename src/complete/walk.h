/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_WALK_H
#define TRACESH_COMPLETE_WALK_H

/* For completion and hints: where the last word stands among the arguments of its command. */

#include "session/session.h"
#include "words.h"

struct tsh_walk {
	const struct tsh_cmd *cmd;	/* NULL: the word is its name, or there is none such */
	size_t from;			/* the command's name among the words */
	const struct tsh_arg *slot;	/* the next positional argument; nameless: none */
	const struct tsh_arg *clause;	/* the one begun, or NULL */
	const struct tsh_arg *value_of;	/* an option that waits for its value */
	size_t in_clause;		/* words since */
	size_t rest;			/* the first word of an argument that takes the rest, or 0 */
	size_t in_slot;			/* words that a slot of many has */
	struct tsh_strlist events;
	struct tsh_strlist options;	/* those given */
	const char *setting;		/* borrowed from the words */
	const char *choice, *probe;	/* likewise */
};

/* Lets the words of the command that begins with `from` use up its arguments, up to the
 * last. Behind a `try` it is the nested command. Release in any case. */
void tsh_walk_words(const struct tsh_session *s, const struct tsh_cut *words, size_t from, struct tsh_walk *ret);
void tsh_walk_release(struct tsh_walk *w);

/* The argument that the last word is for: of an option, a clause, a place; nameless: none. */
const struct tsh_arg *tsh_walk_argument(const struct tsh_walk *w);
/* The next positional argument from arg on; nameless at the end. */
const struct tsh_arg *tsh_walk_positional(const struct tsh_arg *arg);
/* A choice that may be left out: the word may be for the argument behind it. */
bool tsh_walk_can_skip(const struct tsh_arg *arg);

#endif
