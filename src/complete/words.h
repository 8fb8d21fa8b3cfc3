/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_WORDS_H
#define TRACESH_COMPLETE_WORDS_H

/* Cuts the command at the cursor into words, for completion. */

#include <stdbool.h>
#include <stddef.h>

#include "session/alias.h"

/* Holds a word of the command; the last one is at the cursor. */
struct tsh_cut_word {
	char *text;
	size_t begin;		/* offset in the line, including a quote */
	bool quoted;
	char open;		/* quote that is still open */
};

struct tsh_cut {
	struct tsh_cut_word *v;
	size_t n;
	size_t cap;
};

enum tsh_cut_place {
	TSH_CUT_NOWHERE,	/* in a comment, or behind a variable */
	TSH_CUT_COMMAND,
	TSH_CUT_SHELL,		/* behind a '|' */
};

/* Holds a line for completion. If the last command of the line begins with an alias, the text of
 * the alias stands in place of its name. */
struct tsh_cut_text {
	const char *text;
	size_t len;
	char *made;		/* the owned text when there was an alias; else NULL */
	size_t typed;		/* offset from which on the text was typed */
	ptrdiff_t moved;	/* bytes by which the typed part has moved to the right */
};

/* Cuts the command at the end of the line as tsh_cut_line does, after replacing an alias by its
 * text. The caller releases *ret_text and *ret in any case. */
enum tsh_cut_place tsh_cut_unaliased(const struct tsh_aliases *aliases, const char *line,
				     size_t len, struct tsh_cut_text *ret_text,
				     struct tsh_cut *ret);
void tsh_cut_text_release(struct tsh_cut_text *text);
/* Cuts the command at the end of the line into words. ret->n is not 0 for TSH_CUT_COMMAND. */
enum tsh_cut_place tsh_cut_line(const char *line, size_t len, struct tsh_cut *ret);
/* Adds a word; takes over `text`. */
void tsh_cut_add(struct tsh_cut *words, char *text, size_t begin, bool quoted, char open);
void tsh_cut_release(struct tsh_cut *words);

#endif
