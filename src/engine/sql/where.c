/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql.h"

#include <stdlib.h>
#include <string.h>

/*
 * Makes a filter in the kernel's grammar for each event of a WHERE. Conditions that AND joins may
 * be about different events, since both must pass. The kernel judges the rest.
 */

/* Holds a filter, and for each of its bytes the place in the command line from which it was made.
 * The kernel blames bytes of the filter, and carets are printed below the statement. */
struct text {
	struct tsh_strbuf text;
	TSH_VEC(uint32_t) from;
};

static void add_text(const struct sql_query *q, struct text *to, const char *text, size_t place)
{
	uint32_t from = (uint32_t)tsh_word_span(q->word, place, place).begin;

	for (; *text; text++) {
		tsh_strbuf_addc(&to->text, *text);
		*tsh_vec_push(&to->from) = from;
	}
}

/* Appends a text that is in the statement, byte for byte, from `place` on. */
static void add_typed(const struct sql_query *q, struct text *to, const char *text, size_t place)
{
	char c[2] = "";

	for (; *text; text++, place++) {
		c[0] = *text;
		add_text(q, to, c, place);
	}
}

/* Moves the text into a word, and empties it. The span of the word is the whole statement. */
static void finish_text(const struct sql_query *q, struct text *text, struct tsh_word *ret)
{
	size_t len = text->text.len;

	*tsh_vec_push(&text->from) =
		len ? text->from.v[len - 1] + 1 : (uint32_t)q->word->span.begin;
	*ret = (struct tsh_word){ .len = len, .from = text->from.v, .span = q->word->span };
	ret->text = tsh_strbuf_detach(&text->text);
	*text = (struct text){ .text = TSH_STRBUF_INIT };
}

/* Limits brackets in brackets. */
#define DEPTH_MAX 200

struct filtering {
	const struct sql_query *q;
	struct text texts[LATENCY_ROLES];
	/* of each token: whose field it is; LATENCY_NEITHER: it is no field */
	TSH_VEC(enum latency_role) roles;
	struct tsh_err *err;
};

static const struct tsh_sql_token *token_at(const struct filtering *f, size_t i)
{
	return &f->q->sql.where.v[i];
}

/* Says whether a token is a value: it stands behind an operator. */
static bool is_value(const struct filtering *f, size_t i)
{
	return i && token_at(f, i - 1)->kind == TSH_SQL_TOKEN_OTHER &&
	       strchr("=<>~&", token_at(f, i - 1)->text[strlen(token_at(f, i - 1)->text) - 1]);
}

/* Finds whose field each token is. Returns 0, or -1 with err. */
static int find_roles(struct filtering *f)
{
	size_t i;

	for (i = 0; i < f->q->sql.where.n; i++) {
		const struct tsh_sql_token *token = token_at(f, i);
		const struct tsh_sql_name name = { token->text, token->span };
		struct sql_field field = { .role = LATENCY_NEITHER };

		if (token->kind == TSH_SQL_TOKEN_NAME && !is_value(f, i) &&
		    sql_find_field(f->q, &name, &field, f->err) < 0)
			return -1;
		*tsh_vec_push(&f->roles) = field.role;
	}
	return 0;
}

/*
 * Returns the event that the fields in tokens [begin, end) are of: LATENCY_BEGIN without fields,
 * LATENCY_NEITHER if they are of both; *ret_at is then the first token of the other event.
 */
static enum latency_role role_of(const struct filtering *f, size_t begin, size_t end, size_t *ret_at)
{
	enum latency_role role = LATENCY_NEITHER;
	size_t i;

	for (i = begin; i < end; i++) {
		if (f->roles.v[i] == LATENCY_NEITHER || f->roles.v[i] == role)
			continue;
		*ret_at = i;
		if (role != LATENCY_NEITHER)
			return LATENCY_NEITHER;
		role = f->roles.v[i];
	}
	return role == LATENCY_NEITHER ? LATENCY_BEGIN : role;
}

/* Returns where the bracket at `begin` closes; `end`: nowhere. */
static size_t closes_at(const struct filtering *f, size_t begin, size_t end)
{
	size_t i;
	int depth = 0;

	for (i = begin; i < end; i++) {
		depth += token_at(f, i)->kind == TSH_SQL_TOKEN_OPEN;
		depth -= token_at(f, i)->kind == TSH_SQL_TOKEN_CLOSE;
		if (!depth)
			return i;
	}
	return end;
}

/* Returns the next token of a kind outside brackets; `end`: there is none. */
static size_t find_outside(const struct filtering *f, size_t begin, size_t end,
			   enum tsh_sql_token_kind kind)
{
	size_t i = begin;

	for (; i < end; i++) {
		if (token_at(f, i)->kind == TSH_SQL_TOKEN_OPEN)
			i = closes_at(f, i, end);
		else if (token_at(f, i)->kind == kind)
			return i;
	}
	return end;
}

/* Refuses a field in place of a value. */
static int refuse_field_value(const struct filtering *f, const struct tsh_sql_token *token)
{
	tsh_err_at(f->err, sql_span_in_line(f->q, token->span),
		   "'%s' is a field, and the kernel's filters compare with numbers and strings",
		   token->text);
	tsh_err_hint(f->err,
		     "stream EVENT where A < B compares fields of one event; latency START END "
		     "--slower 5ms those pairs that took longer");
	return -1;
}

static int add_token(struct filtering *f, size_t i, struct text *to)
{
	const struct tsh_sql_token *token = token_at(f, i);
	const struct tsh_sql_name name = { token->text, token->span };
	struct sql_field field = { 0 };

	if (token->kind != TSH_SQL_TOKEN_NAME) {
		if (strlen(token->text) == token->span.end - token->span.begin)
			add_typed(f->q, to, token->text, token->span.begin);
		else
			add_text(f->q, to, token->text, token->span.begin);
		return 0;
	}
	if (is_value(f, i)) {
		struct tsh_err ignored = { 0 };
		bool is_field = !sql_find_field(f->q, &name, &field, &ignored) && field.is_named;

		tsh_err_release(&ignored);
		if (is_field)
			return refuse_field_value(f, token);
		add_typed(f->q, to, token->text, token->span.begin);
		return 0;
	}
	if (sql_find_field(f->q, &name, &field, f->err) < 0)
		return -1;
	if (field.is_stack)
		return tsh_err_at(f->err, sql_span_in_line(f->q, token->span),
				  "the kernel has no filter for stacks");
	if (field.time) {
		tsh_err_at(f->err, sql_span_in_line(f->q, token->span),
			   "the kernel has no filter for times");
		tsh_err_hint(f->err, "latency START END --slower 5ms shows such pairs");
		return -1;
	}
	add_typed(f->q, to, field.name, token->span.end - strlen(field.name));
	return 0;
}

static int add_part(struct filtering *f, size_t begin, size_t end, enum latency_role role)
{
	struct text *to = &f->texts[role];
	size_t i;

	if (to->text.len)
		add_text(f->q, to, " && ", token_at(f, begin)->span.begin);
	for (i = begin; i < end; i++) {
		const struct tsh_span span = token_at(f, i)->span;

		if (i > begin && token_at(f, i - 1)->span.end < span.begin)
			add_text(f->q, to, " ", span.begin - 1);
		if (add_token(f, i, to) < 0)
			return -1;
	}
	return 0;
}

static int refuse_mixed(const struct filtering *f, size_t at)
{
	tsh_err_at(f->err, sql_span_in_line(f->q, token_at(f, at)->span),
		   "one condition about both events: only AND can stand between theirs");
	tsh_err_hint(f->err, "each event has a filter of its own, which knows nothing of the other; of A OR B AND C "
			     "sqlhist makes (A OR B) AND C: then type these brackets");
	return -1;
}

/* Adds the conditions in tokens [begin, end), which stand in `depth` brackets. */
static int add_range(struct filtering *f, size_t begin, size_t end, unsigned int depth)
{
	enum latency_role role;
	size_t at = 0, and_at;

	if (begin == end) {
		const struct tsh_span span = token_at(f, begin ? begin - 1 : 0)->span;

		return tsh_err_at(f->err, sql_span_in_line(f->q, span), "a condition is missing here");
	}
	role = role_of(f, begin, end, &at);
	if (role != LATENCY_NEITHER)
		return add_part(f, begin, end, role);
	if (find_outside(f, begin, end, TSH_SQL_TOKEN_OR) < end)
		return refuse_mixed(f, at);
	if (find_outside(f, begin, end, TSH_SQL_TOKEN_AND) < end) {
		for (; begin <= end; begin = and_at + 1) {
			and_at = find_outside(f, begin, end, TSH_SQL_TOKEN_AND);
			if (add_range(f, begin, and_at, depth) < 0)
				return -1;
		}
		return 0;
	}
	if (token_at(f, begin)->kind != TSH_SQL_TOKEN_OPEN || closes_at(f, begin, end) != end - 1)
		return refuse_mixed(f, at);
	if (depth == DEPTH_MAX)
		return tsh_err_at(f->err, sql_span_in_line(f->q, token_at(f, begin)->span),
				  "this stands in more than %d brackets", DEPTH_MAX);
	return add_range(f, begin + 1, end - 1, depth + 1);
}

int sql_filters(const struct sql_query *q, struct tsh_word ret[LATENCY_ROLES], struct tsh_err *err)
{
	struct filtering f = { .q = q, .err = err };
	unsigned int role;
	int r;

	for (role = 0; role < LATENCY_ROLES; role++) {
		f.texts[role].text = (struct tsh_strbuf)TSH_STRBUF_INIT;
		ret[role] = (struct tsh_word){ 0 };
	}
	r = find_roles(&f);
	if (!r && q->sql.where.n)
		r = add_range(&f, 0, q->sql.where.n, 0);
	for (role = 0; role < LATENCY_ROLES; role++) {
		if (!r && f.texts[role].text.len)
			finish_text(q, &f.texts[role], &ret[role]);
		tsh_strbuf_release(&f.texts[role].text);
		tsh_vec_release(&f.texts[role].from);
	}
	tsh_vec_release(&f.roles);
	return r;
}

void sql_add_filter(struct tsh_call *call, struct tsh_word *filter)
{
	static const struct tsh_arg arg = { .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION };

	*tsh_vec_push(&call->args) = (struct tsh_value){ .arg = &arg, .word = *filter };
	*filter = (struct tsh_word){ 0 };
}
