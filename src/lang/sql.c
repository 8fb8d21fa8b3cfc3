/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/xmalloc.h"
#include "sql-token.h"

struct parser {
	struct sql_scanner at;
	struct tsh_sql *sql;
	struct tsh_err *err;
};

#define FORM "SELECT FIELD, .. FROM EVENT [JOIN EVENT ON A.FIELD = B.FIELD] [WHERE FILTER]"

/* ---- tokens ---- */

static int expected(struct parser *p, const char *what)
{
	const struct sql_scanner *at = &p->at;
	size_t end = at->span.end;

	if (at->kind == SQL_OPEN_STRING)
		return tsh_err_at(p->err, at->span, "a quote that nothing closes");
	if (at->kind == SQL_END)
		tsh_err_at(p->err, (struct tsh_span){ end - !!end, end }, "expected %s behind this",
			   what);
	else
		tsh_err_at(p->err, at->span, "expected %s, not '%.*s'", what,
			   (int)(end - at->span.begin), at->text + at->span.begin);
	tsh_err_hint(p->err, "%s%s", FORM,
		     sql_is_reserved(at) ? "; write \\ before a name that is a keyword" : "");
	return -1;
}

static int refuse(struct parser *p, const char *why, const char *hint)
{
	tsh_err_at(p->err, p->at.span, "%s", why);
	tsh_err_hint(p->err, "%s", hint);
	return -1;
}

/* Says whether an option of the command follows: "--for", "-n 3", behind a blank. */
static bool is_option(const struct sql_scanner *at)
{
	const char *text = at->text + at->span.begin;

	if (!at->span.begin || !isspace((unsigned char)text[-1]) || text[0] != '-')
		return false;
	return text[1] == '-' ? isalpha((unsigned char)text[2]) :
				text[1] == 'n' && text[2] == ' ' && isdigit((unsigned char)text[3]);
}

/* Refuses options behind SELECT and words behind a quoted statement, with a hint on where
 * options stand. */
static int check_options(struct parser *p)
{
	struct parser look = *p;

	if (look.at.kind == SQL_STRING && p->at.text[look.at.span.end])
		return refuse(&look, "nothing may follow this statement",
			      "options stand before it: sql -n 3 --for 2s 'SELECT ..'");
	for (; look.at.kind != SQL_END && look.at.kind != SQL_OPEN_STRING; sql_next(&look.at)) {
		if (!is_option(&look.at))
			continue;
		look.at.span.end += strcspn(look.at.text + look.at.span.end, " \t\n");
		return refuse(&look, "an option behind SELECT",
			      "options stand before the statement: sql -n 3 --for 2s SELECT ..");
	}
	return 0;
}

static int refuse_order(struct parser *p)
{
	return refuse(p, "there is no ORDER BY",
		      "rows are sorted by the first SUM, AVG, MIN or MAX, else by count, the largest "
		      "first; LIMIT N prints N rows");
}

static bool skip_word(struct parser *p, const char *word)
{
	if (!sql_is_word(&p->at, word))
		return false;
	sql_next(&p->at);
	return true;
}

static bool skip_operator(struct parser *p, const char *op)
{
	if (!sql_is_operator(&p->at, op))
		return false;
	sql_next(&p->at);
	return true;
}

static int need_operator(struct parser *p, const char *op, const char *what)
{
	return skip_operator(p, op) ? 0 : expected(p, what);
}

static int need_name(struct parser *p, const char *what, struct tsh_sql_name *ret)
{
	const struct sql_scanner *at = &p->at;
	size_t begin = at->span.begin + at->escaped;

	if (at->kind != SQL_NAME || sql_is_reserved(at))
		return expected(p, what);
	ret->text = tsh_xstrndup(at->text + begin, at->span.end - begin);
	ret->span = at->span;
	sql_next(&p->at);
	return 0;
}

static void to_lower(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}

/* Reads [[AS] NAME]. */
static int read_label(struct parser *p, struct tsh_sql_name *ret)
{
	if (skip_word(p, "as"))
		return need_name(p, "the name behind AS", ret);
	if (p->at.kind == SQL_NAME && !sql_is_reserved(&p->at))
		return need_name(p, "a name", ret);
	return 0;
}

/* ---- items ---- */

/* Says whether the present token is a call: a '(' follows it. */
static bool is_call(const struct parser *p, const char *word)
{
	struct sql_scanner next = p->at;

	if (!sql_is_word(&p->at, word))
		return false;
	sql_next(&next);
	return sql_is_operator(&next, "(");
}

/* Reads what belongs to a type: "-offset", "=100". */
static int read_rest_of_type(struct parser *p, struct tsh_sql_name *word)
{
	const struct sql_scanner *at = &p->at;
	size_t begin = at->span.begin, end;
	bool is_number = sql_is_operator(at, "=");
	char *whole;

	if (!is_number && !sql_is_operator(at, "-"))
		return 0;
	sql_next(&p->at);
	end = at->span.end;
	if (at->kind != (is_number ? SQL_NUMBER : SQL_NAME))
		return expected(p, is_number ? "a number" : "a type");
	whole = tsh_xasprintf("%s%c%.*s", word->text, at->text[begin], (int)(end - at->span.begin),
			      at->text + at->span.begin);
	free(word->text);
	word->text = whole;
	word->span.end = end;
	sql_next(&p->at);
	return 0;
}

/* Reads (a AS type) behind "CAST"; a type may also be "sym-offset" or "buckets=100". */
static int read_cast(struct parser *p, struct tsh_sql_item *item)
{
	item->kind = TSH_SQL_CAST;
	if (need_operator(p, "(", "'('") < 0 || need_name(p, "a field", &item->a) < 0)
		return -1;
	if (!skip_word(p, "as"))
		return expected(p, "AS and a type");
	if (need_name(p, "a type", &item->word) < 0 || read_rest_of_type(p, &item->word) < 0)
		return -1;
	to_lower(item->word.text);
	return need_operator(p, ")", "')'");
}

static int read_count(struct parser *p, struct tsh_sql_item *item)
{
	item->kind = TSH_SQL_COUNT;
	sql_next(&p->at);
	if (need_operator(p, "*", "*: it counts events") < 0)
		return -1;
	return need_operator(p, ")", "')'");
}

/* Says whether SUM(, AVG(, MIN( or MAX( follows. */
static bool is_value(const struct parser *p)
{
	static const char *const words[] = { "sum", "avg", "min", "max" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_call(p, words[i]))
			return true;
	return false;
}

static int read_value(struct parser *p, struct tsh_sql_item *item)
{
	item->kind = TSH_SQL_VALUE;
	if (need_name(p, "a function", &item->word) < 0)
		return -1;
	to_lower(item->word.text);
	sql_next(&p->at);
	if (need_name(p, "a field", &item->a) < 0)
		return -1;
	return need_operator(p, ")", "')'");
}

/* Reads a, a + b or a - b, with or without parentheses. */
static int read_fields(struct parser *p, struct tsh_sql_item *item)
{
	bool brackets = skip_operator(p, "(");

	if (need_name(p, "a field", &item->a) < 0)
		return -1;
	item->kind = TSH_SQL_FIELD;
	if (skip_operator(p, "+"))
		item->kind = TSH_SQL_ADD;
	else if (skip_operator(p, "-"))
		item->kind = TSH_SQL_SUBTRACT;
	if (item->kind != TSH_SQL_FIELD && need_name(p, "a field", &item->b) < 0)
		return -1;
	return brackets ? need_operator(p, ")", "')'") : 0;
}

static int read_item(struct parser *p)
{
	struct tsh_sql_item *item = tsh_vec_push(&p->sql->items);
	size_t begin = p->at.span.begin, end;
	int r = 0;

	if (skip_operator(p, "*")) {
		item->kind = TSH_SQL_ALL;
	} else if (is_call(p, "cast")) {
		sql_next(&p->at);
		r = read_cast(p, item);
	} else if (is_call(p, "count")) {
		sql_next(&p->at);
		r = read_count(p, item);
	} else if (is_value(p)) {
		r = read_value(p, item);
	} else {
		r = read_fields(p, item);
	}
	for (end = p->at.span.begin; end > begin && isspace((unsigned char)p->at.text[end - 1]);)
		end--;
	item->span = (struct tsh_span){ begin, end };
	return r < 0 ? -1 : read_label(p, &item->label);
}

/* ---- clauses ---- */

static int read_match(struct parser *p)
{
	struct tsh_sql_match *match = tsh_vec_push(&p->sql->on);

	if (need_name(p, "a field", &match->a) < 0)
		return -1;
	if (!skip_operator(p, "=") && !skip_operator(p, "=="))
		return expected(p, "'=' between a field of each event");
	return need_name(p, "a field", &match->b);
}

/* Reads the conditions of a JOIN, separated by comma or AND. */
static int read_join(struct parser *p)
{
	if (need_name(p, "an event", &p->sql->join) < 0 || read_label(p, &p->sql->join_alias) < 0)
		return -1;
	if (!skip_word(p, "on"))
		return expected(p, "ON and the fields that are equal");
	do {
		if (read_match(p) < 0)
			return -1;
	} while (skip_operator(p, ",") || skip_operator(p, "&&") || skip_word(p, "and"));
	return 0;
}

/* Adds the present token in the kernel's spelling. */
static void add_token(struct parser *p, enum tsh_sql_token_kind kind, const char *spelling)
{
	const struct sql_scanner *at = &p->at;
	struct tsh_sql_token *token = tsh_vec_push(&p->sql->where);
	size_t begin = at->span.begin + at->escaped;

	token->kind = kind;
	token->span = at->span;
	token->text = spelling ? tsh_xstrdup(spelling) :
				 tsh_xstrndup(at->text + begin, at->span.end - begin);
}

/* Adds a string in double quotes; one that contains a double quote keeps its own. */
static void add_string(struct parser *p)
{
	struct tsh_sql_token *token;
	size_t last;

	add_token(p, TSH_SQL_TOKEN_STRING, NULL);
	token = &p->sql->where.v[p->sql->where.n - 1];
	last = strlen(token->text) - 1;
	if (!memchr(token->text, '"', last + 1))
		token->text[0] = token->text[last] = '"';
}

static void add_where(struct parser *p)
{
	static const struct {
		const char *word;
		enum tsh_sql_token_kind kind;
		const char *spelling;
	} known[] = {
		{ "and", TSH_SQL_TOKEN_AND, "&&" },  { "&&", TSH_SQL_TOKEN_AND, NULL },
		{ ",", TSH_SQL_TOKEN_AND, "&&" },    { "or", TSH_SQL_TOKEN_OR, "||" },
		{ "||", TSH_SQL_TOKEN_OR, NULL },
		{ "not", TSH_SQL_TOKEN_OTHER, "!" }, { "=", TSH_SQL_TOKEN_OTHER, "==" },
		{ "<>", TSH_SQL_TOKEN_OTHER, "!=" }, { "(", TSH_SQL_TOKEN_OPEN, NULL },
		{ ")", TSH_SQL_TOKEN_CLOSE, NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (sql_is_word(&p->at, known[i].word) || sql_is_operator(&p->at, known[i].word))
			break;
	if (i < sizeof(known) / sizeof(known[0]))
		add_token(p, known[i].kind, known[i].spelling);
	else if (p->at.kind == SQL_STRING)
		add_string(p);
	else
		add_token(p, p->at.kind == SQL_NAME ? TSH_SQL_TOKEN_NAME : TSH_SQL_TOKEN_OTHER,
			  NULL);
}

/* Says whether the WHERE so far has tokens, and the last one is neither AND nor OR nor NOT. */
static bool ends_in_operand(const struct tsh_sql *sql)
{
	const struct tsh_sql_token *last = sql->where.n ? &sql->where.v[sql->where.n - 1] : NULL;

	return last && last->kind != TSH_SQL_TOKEN_AND && last->kind != TSH_SQL_TOKEN_OR &&
	       (last->kind != TSH_SQL_TOKEN_OTHER || strcmp(last->text, "!") != 0);
}

static int read_where(struct parser *p)
{
	while (p->at.kind != SQL_END && p->at.kind != SQL_OPEN_STRING && !sql_is_reserved(&p->at) &&
	       !sql_is_operator(&p->at, ";")) {
		if (p->sql->where.n && sql_is_word(&p->at, "order"))
			return refuse_order(p);
		if (p->sql->where.n && sql_is_word(&p->at, "like"))
			return refuse(p, "there is no LIKE",
				      "FIELD ~ 'a*' compares: * is any text, ? one letter");
		add_where(p);
		sql_next(&p->at);
	}
	return p->at.kind != SQL_OPEN_STRING && ends_in_operand(p->sql) ? 0 : expected(p, "a condition");
}

static int read_group(struct parser *p)
{
	if (!skip_word(p, "by"))
		return expected(p, "BY and fields");
	do {
		if (need_name(p, "a field", tsh_vec_push(&p->sql->group)) < 0)
			return -1;
	} while (skip_operator(p, ","));
	return 0;
}

static int read_limit(struct parser *p)
{
	char *text = tsh_xstrndup(p->at.text + p->at.span.begin, p->at.span.end - p->at.span.begin);
	int r = p->at.kind == SQL_NUMBER ? tsh_parse_u64(text, &p->sql->limit) : -1;

	free(text);
	if (r < 0 || !p->sql->limit)
		return expected(p, "a number of rows");
	p->sql->limit_span = p->at.span;
	sql_next(&p->at);
	return 0;
}

static int read_statement(struct parser *p)
{
	if (!skip_word(p, "select"))
		return expected(p, "SELECT");
	do {
		if (read_item(p) < 0)
			return -1;
	} while (skip_operator(p, ","));
	if (!skip_word(p, "from"))
		return expected(p, "',' or FROM");
	if (need_name(p, "an event", &p->sql->from) < 0)
		return -1;
	if (sql_is_word(&p->at, "order"))
		return refuse_order(p);
	if (read_label(p, &p->sql->from_alias) < 0)
		return -1;
	if (skip_word(p, "join") && read_join(p) < 0)
		return -1;
	if (skip_word(p, "where") && read_where(p) < 0)
		return -1;
	if (skip_word(p, "group") && read_group(p) < 0)
		return -1;
	if (skip_word(p, "limit") && read_limit(p) < 0)
		return -1;
	skip_operator(p, ";");
	if (sql_is_word(&p->at, "order"))
		return refuse_order(p);
	return p->at.kind == SQL_END ? 0 : expected(p, "JOIN, WHERE, GROUP BY, LIMIT or the end");
}

int tsh_sql_parse(const char *text, struct tsh_sql *ret, struct tsh_err *err)
{
	struct parser p = { .at = { .text = text }, .sql = ret, .err = err };

	*ret = (struct tsh_sql){ 0 };
	sql_next(&p.at);
	if (!check_options(&p) && !read_statement(&p))
		return 0;
	tsh_sql_release(ret);
	return -1;
}

void tsh_sql_release(struct tsh_sql *sql)
{
	size_t i;

	for (i = 0; i < sql->items.n; i++) {
		free(sql->items.v[i].a.text);
		free(sql->items.v[i].b.text);
		free(sql->items.v[i].word.text);
		free(sql->items.v[i].label.text);
	}
	for (i = 0; i < sql->on.n; i++) {
		free(sql->on.v[i].a.text);
		free(sql->on.v[i].b.text);
	}
	for (i = 0; i < sql->where.n; i++)
		free(sql->where.v[i].text);
	for (i = 0; i < sql->group.n; i++)
		free(sql->group.v[i].text);
	tsh_vec_release(&sql->items);
	tsh_vec_release(&sql->on);
	tsh_vec_release(&sql->where);
	tsh_vec_release(&sql->group);
	free(sql->from.text);
	free(sql->from_alias.text);
	free(sql->join.text);
	free(sql->join_alias.text);
	*sql = (struct tsh_sql){ 0 };
}
