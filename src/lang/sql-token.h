/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_SQL_TOKEN_H
#define TRACESH_LANG_SQL_TOKEN_H

/* Shared by sql-token.c (words) and sql.c (the statement). */

#include "sql.h"

enum sql_token {
	SQL_END,
	SQL_NAME,			/* letters, digits, _ . and : */
	SQL_NUMBER,
	SQL_STRING,			/* with its quotes */
	SQL_OPERATOR,			/* && || == != <> <= >=, or one character */
	SQL_OPEN_STRING,		/* a quote without its end */
};

struct sql_scanner {
	const char *text;
	enum sql_token kind;		/* kind of the present token */
	struct tsh_span span;
	bool escaped;			/* a NAME with \ before it (part of the span): no keyword */
};

/* Reads the next token. Before the first one, .text is set and all else zeroed. */
void sql_next(struct sql_scanner *s);
/* Says whether the present token is that keyword, in any case. */
bool sql_is_word(const struct sql_scanner *s, const char *word);
bool sql_is_operator(const struct sql_scanner *s, const char *op);
/* Says whether the present token can be a name only behind a \. */
bool sql_is_reserved(const struct sql_scanner *s);

#endif
