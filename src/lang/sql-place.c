/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql-place.h"

#include <string.h>

#include "sql-token.h"

/* Reads, for completion, what was typed so far. */

static bool read_clause(struct tsh_sql_place *place, const struct sql_scanner *s)
{
	static const struct {
		const char *word;
		enum tsh_sql_clause clause;
	} clauses[] = {
		{ "select", TSH_SQL_SELECT }, { "from", TSH_SQL_FROM },
		{ "join", TSH_SQL_JOIN },     { "on", TSH_SQL_ON },
		{ "where", TSH_SQL_WHERE },   { "group", TSH_SQL_GROUP },
		{ "limit", TSH_SQL_LIMIT },
	};
	size_t i;

	for (i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++) {
		if (!sql_is_word(s, clauses[i].word))
			continue;
		place->clause = clauses[i].clause;
		place->is_behind = place->is_compared = place->is_label = false;
		return true;
	}
	return false;
}

/* Reads a name of FROM or JOIN: the event, then its label, with or without AS. */
static void read_source(struct tsh_sql_source *source, struct tsh_span span)
{
	if (!source->event.end)
		source->event = span;
	else
		source->label = span;
}

static void read_value(struct tsh_sql_place *place, const struct sql_scanner *s)
{
	if (place->clause == TSH_SQL_FROM)
		read_source(&place->from, s->span);
	if (place->clause == TSH_SQL_JOIN)
		read_source(&place->join, s->span);
	place->is_behind = true;
	place->is_label = place->is_cast = false;
}

static void read_word(struct tsh_sql_place *place, const struct sql_scanner *s, bool in_cast)
{
	bool is_junction = sql_is_word(s, "and") || sql_is_word(s, "or");

	if (read_clause(place, s) || sql_is_word(s, "by") || sql_is_word(s, "not"))
		return;
	if (place->clause == TSH_SQL_WHERE && is_junction) {
		place->is_behind = place->is_compared = false;
	} else if (sql_is_word(s, "as")) {
		place->is_behind = false;
		place->is_label = true;
		place->is_cast = in_cast;
	} else {
		read_value(place, s);
	}
}

static void read_operator(struct tsh_sql_place *place, const struct sql_scanner *s)
{
	char c = s->text[s->span.begin];

	if (c == '*' && place->clause == TSH_SQL_SELECT) {
		place->is_behind = true;
		return;
	}
	place->is_behind = c == ')';
	if (c == ',' || sql_is_operator(s, "&&") || sql_is_operator(s, "||"))
		place->is_compared = false;
	else if (strchr("=<>!~&", c))
		place->is_compared = true;
}

void tsh_sql_place_find(const char *text, struct tsh_sql_place *ret)
{
	struct sql_scanner s = { .text = text };
	size_t len = strlen(text);
	bool in_cast = false, is_cast_word = false;

	*ret = (struct tsh_sql_place){ 0 };
	for (sql_next(&s); s.kind != SQL_END; sql_next(&s)) {
		/* the word at the cursor is still being typed */
		if (s.span.end == len && (s.kind == SQL_NAME || s.kind == SQL_NUMBER))
			break;
		if (s.kind == SQL_OPEN_STRING) {
			ret->is_open = true;
			break;
		}
		if (sql_is_operator(&s, "("))
			in_cast = is_cast_word;
		if (sql_is_operator(&s, ")"))
			in_cast = false;
		is_cast_word = sql_is_word(&s, "cast");
		if (s.kind == SQL_OPERATOR)
			read_operator(ret, &s);
		else if (s.kind == SQL_NAME)
			read_word(ret, &s, in_cast);
		else
			read_value(ret, &s);
	}
	ret->word = s.span.begin;
}
