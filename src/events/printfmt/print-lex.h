/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_PRINT_LEX_H
#define TRACESH_EVENTS_PRINTFMT_PRINT_LEX_H

#include "expr.h"

/* The tokens of C in print formats. They point into the text; nothing is allocated. */

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,			/* also 'x' */
	TOKEN_STRING,			/* one piece, with its quotes */
	TOKEN_PUNCT,
	TOKEN_BAD,			/* an open string, 1.5, a byte that C does not have */
};

/* Punctuation of one or two characters as a number. */
#define PUNCT2(a, b)	((unsigned int)(a) << 8 | (unsigned int)(b))

struct token {
	enum token_kind kind;
	const char *text;
	size_t len;
	unsigned int punct;		/* '+', PUNCT2('<', '<') */
	uint64_t number;
	struct ctype type;		/* of the number */
};

/* Returns what comes after the token. */
const char *token_next(const char *p, const char *end, unsigned int long_size,
		       struct token *ret);
bool token_is_name(const struct token *token, const char *name);
/*
 * Resolves C's escapes of text[0..len) into out, which has room for len bytes. Returns the
 * length of what it wrote.
 */
size_t token_unescape(const char *text, size_t len, char *out);

#endif
