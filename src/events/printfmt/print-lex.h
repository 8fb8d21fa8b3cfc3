/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_PRINT_LEX_H
#define TRACESH_EVENTS_PRINTFMT_PRINT_LEX_H

#include "expr.h"

/* Reads the tokens of C in print formats. They point into the text; nothing is allocated. */

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,			/* also 'x' */
	TOKEN_STRING,			/* one piece, with its quotes */
	TOKEN_PUNCT,
	/* an open string, a floating-point number, a byte that C does not know */
	TOKEN_BAD,
};

/* Makes a number of two characters of punctuation. */
#define PUNCT2(a, b)	((unsigned int)(a) << 8 | (unsigned int)(b))

struct token {
	enum token_kind kind;
	const char *text;
	size_t len;
	unsigned int punct;		/* '+', PUNCT2('<', '<') */
	uint64_t number;
	struct ctype type;		/* type of a number */
};

/* Reads a token. Returns what follows it. */
const char *token_next(const char *p, const char *end, unsigned int long_size,
		       struct token *ret);
bool token_is_name(const struct token *token, const char *name);
/* Resolves C's escapes of text[0..len) into out, which has room for len bytes. Returns how many
 * bytes it wrote. */
size_t token_unescape(const char *text, size_t len, char *out);

#endif
