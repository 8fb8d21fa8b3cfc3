/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_WORDS_H
#define TRACESH_COMPLETE_WORDS_H

/* For completion: the words of the command that the cursor is in. */

#include <stdbool.h>
#include <stddef.h>

#include "session/alias.h"

/* A word of the command; the last is the one at the cursor. */
struct tsh_cut_word {
	char *text;
	size_t begin;		/* in the line, with its quote */
	bool quoted;
	char open;		/* the quote that nothing closes yet */
};

struct tsh_cut {
	struct tsh_cut_word *v;
	size_t n;
	size_t cap;
};

enum tsh_cut_place {
	TSH_CUT_NOWHERE,	/* in a comment, behind a variable */
	TSH_CUT_COMMAND,
	TSH_CUT_SHELL,		/* behind a '|' */
};

/* A line as it is read: where its last command begins with an alias, with what that means in
 * its place. */
struct tsh_cut_text {
	const char *text;
	size_t len;
	char *made;		/* the text, when there was an alias; else NULL */
	size_t typed;		/* from here on it is what was typed.. */
	ptrdiff_t moved;	/* ..so many bytes further on than there */
};

/* Cuts the command at the end of the line as tsh_cut_line does, behind an alias what it means.
 * Release both in any case. */
enum tsh_cut_place tsh_cut_unaliased(const struct tsh_aliases *aliases, const char *line,
				     size_t len, struct tsh_cut_text *ret_text,
				     struct tsh_cut *ret);
void tsh_cut_text_release(struct tsh_cut_text *text);
/* Cuts the command at the end of the line; ret->n > 0 when it is TSH_CUT_COMMAND. */
enum tsh_cut_place tsh_cut_line(const char *line, size_t len, struct tsh_cut *ret);
/* Adds a word; takes over `text`. */
void tsh_cut_add(struct tsh_cut *words, char *text, size_t begin, bool quoted, char open);
void tsh_cut_release(struct tsh_cut *words);

#endif
