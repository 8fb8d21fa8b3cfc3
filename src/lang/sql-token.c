/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql-token.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

static void end_at(struct sql_scanner *s, enum sql_token kind, size_t end)
{
	s->kind = kind;
	s->span.end = end;
}

static void read_string(struct sql_scanner *s)
{
	size_t begin = s->span.begin;
	const char *end = strchr(s->text + begin + 1, s->text[begin]);

	if (end)
		end_at(s, SQL_STRING, (size_t)(end - s->text) + 1);
	else
		end_at(s, SQL_OPEN_STRING, begin + strlen(s->text + begin));
}

static void read_operator(struct sql_scanner *s)
{
	static const char *const two[] = { "&&", "||", "==", "!=", "<>", "<=", ">=" };
	size_t begin = s->span.begin, i;

	end_at(s, SQL_OPERATOR, begin + 1);
	for (i = 0; i < sizeof(two) / sizeof(two[0]); i++)
		if (!strncmp(s->text + begin, two[i], 2))
			end_at(s, SQL_OPERATOR, begin + 2);
}

void sql_next(struct sql_scanner *s)
{
	size_t at = s->span.end, begin;
	char c;

	while (isspace((unsigned char)s->text[at]))
		at++;
	s->span = (struct tsh_span){ at, at };
	s->escaped = s->text[at] == '\\' && is_name(s->text[at + 1]);
	begin = at + s->escaped;
	c = s->text[begin];
	if (!c) {
		s->kind = SQL_END;
	} else if (c == '\'' || c == '"') {
		read_string(s);
	} else if (!is_name(c)) {
		read_operator(s);
	} else {
		for (at = begin; is_name(s->text[at]); at++)
			;
		end_at(s, isdigit((unsigned char)c) && !s->escaped ? SQL_NUMBER : SQL_NAME, at);
	}
}

bool sql_is_word(const struct sql_scanner *s, const char *word)
{
	size_t len = s->span.end - s->span.begin;

	return s->kind == SQL_NAME && !s->escaped && strlen(word) == len &&
	       !strncasecmp(s->text + s->span.begin, word, len);
}

bool sql_is_operator(const struct sql_scanner *s, const char *op)
{
	size_t len = s->span.end - s->span.begin;

	return s->kind == SQL_OPERATOR && strlen(op) == len &&
	       !memcmp(s->text + s->span.begin, op, len);
}

bool sql_is_reserved(const struct sql_scanner *s)
{
	static const char *const words[] = { "select", "as",	"from",	 "join",
					     "on",     "where", "group", "limit" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (sql_is_word(s, words[i]))
			return true;
	return false;
}
