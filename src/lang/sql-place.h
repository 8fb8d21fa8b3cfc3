/* lang/sql-place.h - where in a SELECT the cursor stands */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_SQL_PLACE_H
#define TRACESH_LANG_SQL_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "lexer.h"

enum tsh_sql_clause {
	TSH_SQL_BEGIN, /* before SELECT */
	TSH_SQL_SELECT,
	TSH_SQL_FROM,
	TSH_SQL_JOIN,
	TSH_SQL_ON,
	TSH_SQL_WHERE,
	TSH_SQL_GROUP,
	TSH_SQL_LIMIT,
};

/* Names an event and its label in the statement; {0, 0}: not typed yet. */
struct tsh_sql_source {
	struct tsh_span event, label;
};

/* Says where the cursor is. Spans are bytes of the statement. */
struct tsh_sql_place {
	enum tsh_sql_clause clause;
	size_t word; /* start of the word that is being typed */
	bool is_behind; /* behind a name or a value: an operator or a clause can follow */
	bool is_compared; /* in ON or WHERE: the condition has its operator */
	bool is_label; /* behind AS: a new name is expected */
	bool is_cast; /* behind AS in CAST: a type is expected */
	bool is_open; /* in a string */
	struct tsh_sql_source from, join;
};

/* Finds the place at the end of an unfinished statement. */
void tsh_sql_place_find(const char *text, struct tsh_sql_place *ret);

#endif
