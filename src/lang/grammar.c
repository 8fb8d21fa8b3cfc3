/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/grammar.h"

#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "pieces.h"
#include "tracesh/suggest.h"

bool tsh_arg_is_positional(const struct tsh_arg *arg)
{
	return !arg->option && !arg->clause;
}

bool tsh_arg_takes_rest(const struct tsh_arg *arg)
{
	return arg->type == TSH_ARG_TEXT || arg->type == TSH_ARG_EXPRESSION ||
	       arg->type == TSH_ARG_STATEMENT;
}

int tsh_parse_usage(struct tsh_parse *p)
{
	struct tsh_strbuf usage = TSH_STRBUF_INIT;

	tsh_grammar_usage(&usage, p->command, p->table);
	tsh_err_hint(p->err, "usage: %s", usage.buf);
	tsh_strbuf_release(&usage);
	return -1;
}

bool tsh_parse_at_end(struct tsh_parse *p)
{
	struct tsh_lexer *lx = p->lx;
	size_t pos = tsh_skip_blanks(lx, lx->pos);
	enum tsh_piece_kind kind = tsh_piece_at(lx, pos).kind;

	if (kind == TSH_PIECE_END || kind == TSH_PIECE_PIPE)
		return true;
	return p->in_try && tsh_span_is(lx, tsh_raw_word(lx, pos), "else");
}

const struct tsh_arg *tsh_parse_clause_at(struct tsh_parse *p)
{
	struct tsh_span word = tsh_lexer_peek(p->lx);
	const struct tsh_arg *arg;

	for (arg = p->table; arg->name; arg++) {
		if (arg->clause && tsh_span_is(p->lx, word, arg->clause))
			return arg;
	}
	return NULL;
}

static bool is_option(const char *option, const char *text, size_t *ret_len)
{
	size_t len = strlen(option);

	*ret_len = len;
	if (strncmp(text, option, len) != 0)
		return false;
	/* a single letter may have its value at once: -n10 */
	return !text[len] || (len == 2 && option[1] != '-') || text[len] == '=';
}

const struct tsh_arg *tsh_parse_option(const struct tsh_parse *p, const char *text,
				       size_t *ret_len)
{
	const struct tsh_arg *arg;

	for (arg = p->table; arg->name; arg++) {
		if (arg->option && is_option(arg->option, text, ret_len))
			return arg;
	}
	for (arg = p->common; arg && arg->name; arg++) {
		if (arg->option && is_option(arg->option, text, ret_len))
			return arg;
	}
	return NULL;
}
