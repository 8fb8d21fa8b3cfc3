/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter-place.h"

#include <ctype.h>
#include <string.h>

/* Reads the text before the cursor, for completion. Does not report faults; filter-hint.c does. */

struct reader {
	const char *text;
	size_t len, pos;
	struct tsh_filter_place *ret;
};

static char peek(const struct reader *r)
{
	return r->pos < r->len ? r->text[r->pos] : '\0';
}

static bool at_end(const struct reader *r)
{
	return r->pos >= r->len;
}

static bool skip_blanks(struct reader *r)
{
	size_t begin = r->pos;

	while (!at_end(r) && isspace((unsigned char)peek(r)))
		r->pos++;
	return r->pos > begin;
}

/* Notes that the cursor stands here. Always returns false: there is nothing more to read. */
static bool stop(struct reader *r, enum tsh_filter_at at, size_t word)
{
	r->ret->at = at;
	r->ret->word = word;
	return false;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool read_field(struct reader *r)
{
	static const char function[] = ".function";
	const char *dot;
	size_t begin, len;

	for (skip_blanks(r); peek(r) == '(' || peek(r) == '!'; skip_blanks(r))
		r->ret->depth += r->text[r->pos++] == '(';
	for (begin = r->pos; is_name(peek(r)); r->pos++)
		;
	if (at_end(r))
		return stop(r, TSH_FILTER_AT_FIELD, begin);
	if (r->pos == begin)
		return stop(r, TSH_FILTER_AT_NOWHERE, begin);
	len = r->pos - begin;
	dot = memchr(r->text + begin, '.', len);
	r->ret->field = (struct tsh_span){ begin, dot ? (size_t)(dot - r->text) : r->pos };
	r->ret->is_function = dot && r->text + r->pos - dot == (long)strlen(function) &&
			      !memcmp(dot, function, strlen(function));
	return true;
}

static bool read_operator(struct reader *r)
{
	size_t begin;

	skip_blanks(r);
	for (begin = r->pos; !at_end(r) && strchr("=!<>~&", peek(r)); r->pos++)
		;
	/* Stops: the word may go on behind the cursor. */
	if (at_end(r) && (r->pos == begin || (r->pos == begin + 1 && strchr("=!<>", r->text[begin]))))
		return stop(r, TSH_FILTER_AT_OPERATOR, begin);
	if (r->pos == begin)
		return stop(r, isalpha((unsigned char)peek(r)) ? TSH_FILTER_AT_OPERATOR :
								 TSH_FILTER_AT_NOWHERE, begin);
	r->ret->op = (struct tsh_span){ begin, r->pos };
	return true;
}

static bool read_string(struct reader *r)
{
	size_t begin = r->pos;
	char quote = r->text[r->pos++];

	while (!at_end(r) && peek(r) != quote)
		r->pos++;
	if (at_end(r)) {
		r->ret->quote = quote;
		return stop(r, TSH_FILTER_AT_VALUE, begin);
	}
	r->pos++;
	return true;
}

static bool read_value(struct reader *r)
{
	size_t begin;
	bool braces = false;

	skip_blanks(r);
	begin = r->pos;
	if (peek(r) == '"' || peek(r) == '\'')
		return read_string(r);
	for (; !at_end(r) && (braces || (!isspace((unsigned char)peek(r)) && !strchr("()&|", peek(r))));
	     r->pos++)
		braces = peek(r) == '{' || (braces && peek(r) != '}');
	if (at_end(r))
		return stop(r, TSH_FILTER_AT_VALUE, begin);
	if (r->pos == begin)
		return stop(r, TSH_FILTER_AT_NOWHERE, begin);
	return true;
}

/* Reads "&&" or "||". Returns true when another comparison follows. */
static bool read_junction(struct reader *r)
{
	size_t begin;

	for (skip_blanks(r); peek(r) == ')' && r->ret->depth; skip_blanks(r)) {
		r->pos++;
		r->ret->depth--;
	}
	begin = r->pos;
	while (!at_end(r) && r->pos < begin + 2 && peek(r) == r->text[begin] &&
	       strchr("&|", peek(r)))
		r->pos++;
	if (r->pos == begin + 2)
		return true;
	return stop(r, at_end(r) || (r->pos == begin && isalpha((unsigned char)peek(r))) ?
			       TSH_FILTER_AT_JUNCTION : TSH_FILTER_AT_NOWHERE, begin);
}

void tsh_filter_place_find(const char *text, size_t len, struct tsh_filter_place *ret)
{
	struct reader r = { .text = text, .len = len, .ret = ret };
	bool more;

	*ret = (struct tsh_filter_place){ 0 };
	do {
		ret->field = ret->op = (struct tsh_span){ 0, 0 };
		ret->is_function = false;
		more = read_field(&r) && read_operator(&r) && read_value(&r) && read_junction(&r);
	} while (more);
}
