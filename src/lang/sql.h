/* lang/sql.h - a SELECT over events, as a structure */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_SQL_H
#define TRACESH_LANG_SQL_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/*
 *	SELECT ITEM, ..  FROM EVENT [[AS] NAME]
 *		[JOIN EVENT [[AS] NAME] ON FIELD = FIELD, ..]
 *		[WHERE FILTER] [GROUP BY FIELD, ..] [LIMIT N] [;]
 *
 * Parses the SQL of tracefs_sql(3), and what people know from databases: *, COUNT(*), SUM, AVG, MIN
 * and MAX, GROUP BY, LIMIT, AND, OR, NOT and <>. Keywords may have any case; a \ before a keyword
 * makes it a name. All spans are bytes of the text that was parsed.
 */

/* Holds a name as typed, "start.pid", without its \. */
struct tsh_sql_name {
	char *text;			/* NULL: there is no name */
	struct tsh_span span;
};

enum tsh_sql_kind {
	TSH_SQL_FIELD,			/* a */
	TSH_SQL_ADD,			/* a + b */
	TSH_SQL_SUBTRACT,		/* a - b */
	TSH_SQL_CAST,			/* CAST(a AS word) */
	TSH_SQL_VALUE,			/* word(a): sum, avg, min, max */
	TSH_SQL_COUNT,			/* COUNT(*) */
	TSH_SQL_ALL,			/* * */
};

struct tsh_sql_item {
	enum tsh_sql_kind kind;
	struct tsh_sql_name a, b;
	struct tsh_sql_name word;	/* in lower case */
	struct tsh_sql_name label;	/* behind AS */
	struct tsh_span span;		/* without the label */
};

struct tsh_sql_match {
	struct tsh_sql_name a, b;
};

/* Says what a part of WHERE is, in the kernel's spelling: && for AND, == for =, ".." for '..'. */
enum tsh_sql_token_kind {
	TSH_SQL_TOKEN_NAME,		/* a field, or a constant's name */
	TSH_SQL_TOKEN_STRING,
	TSH_SQL_TOKEN_OPEN, TSH_SQL_TOKEN_CLOSE,
	TSH_SQL_TOKEN_AND, TSH_SQL_TOKEN_OR,
	TSH_SQL_TOKEN_OTHER,		/* numbers, operators */
};
struct tsh_sql_token {
	enum tsh_sql_token_kind kind;
	char *text;
	struct tsh_span span;
};

struct tsh_sql {
	TSH_VEC(struct tsh_sql_item) items;
	struct tsh_sql_name from, from_alias;
	struct tsh_sql_name join, join_alias;	/* text is NULL without a JOIN */
	TSH_VEC(struct tsh_sql_match) on;
	TSH_VEC(struct tsh_sql_token) where;
	TSH_VEC(struct tsh_sql_name) group;
	uint64_t limit;			/* 0: no limit */
	struct tsh_span limit_span;
};

/* Parses a statement. Returns -1 with err (TSH_USAGE and a span), and then leaves nothing to
 * release. */
int tsh_sql_parse(const char *text, struct tsh_sql *ret, struct tsh_err *err);
void tsh_sql_release(struct tsh_sql *sql);

#endif
