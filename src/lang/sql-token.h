/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_SQL_TOKEN_H
#define TRACESH_LANG_SQL_TOKEN_H

/* Between sql-token.c (words) and sql.c (the statement). */

#include "sql.h"

enum sql_token {
	SQL_END,
	SQL_NAME,			/* letters, digits, _ . and : */
	SQL_NUMBER,
	SQL_STRING,			/* with its quotes */
	SQL_OPERATOR,			/* && || == != <> <= >=, or one character */
	SQL_OPEN_STRING,		/* a quote that nothing closes */
};

struct sql_scanner {
	const char *text;
	enum sql_token kind;		/* the token at hand */
	struct tsh_span span;
	bool escaped;			/* a NAME with \ before it, which is in the span: no keyword */
};

/* Goes on to the next token; the first one after {text}. */
void sql_next(struct sql_scanner *s);
/* Whether the token at hand is that keyword, in any case. */
bool sql_is_word(const struct sql_scanner *s, const char *word);
bool sql_is_operator(const struct sql_scanner *s, const char *op);
/* A word that cannot be a name without \. */
bool sql_is_reserved(const struct sql_scanner *s);

#endif
