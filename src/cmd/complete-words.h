/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_COMPLETE_WORDS_H
#define TRACESH_CMD_COMPLETE_WORDS_H

/* For completion: the words of the command that the cursor is in. */

#include <stdbool.h>
#include <stddef.h>

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

/* Cuts the command at the end of the line; ret->n > 0 when it is TSH_CUT_COMMAND. */
enum tsh_cut_place tsh_cut_line(const char *line, size_t len, struct tsh_cut *ret);
/* Adds a word; takes over `text`. */
void tsh_cut_add(struct tsh_cut *words, char *text, size_t begin, bool quoted, char open);
void tsh_cut_release(struct tsh_cut *words);

#endif
