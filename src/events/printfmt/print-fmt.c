/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xmalloc.h"
#include "print-parser.h"

/*
 * Parses a whole print format: a string and its arguments. The string has one of two forms: as in
 * C, with escapes and in several pieces (probes, the tracer's own events), or as the compiler left
 * it, with bare quotes inside (TRACE_EVENT): `"comm="%s"", REC->comm`. It ends at the quote behind
 * which arguments can be parsed, as many as its directives need.
 */

#define TRIES_MAX	16

/* Counts the arguments that the directives of a format need; "%%" needs none. */
static size_t count_directives(const char *p, const char *end)
{
	size_t n = 0;

	while (p < end) {
		if (*p++ != '%')
			continue;
		for (; p < end && (isdigit((unsigned char)*p) || strchr("-+ #.*", *p)) && *p; p++)
			n += *p == '*';
		if (p < end && *p++ != '%')
			n++;
	}
	return n;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* Returns the quote at or behind p, or NULL. */
static const char *find_quote(const char *p, const char *end)
{
	for (; p < end && *p != '"'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end ? p : NULL;
}

/* Says whether a quote and the next one stand between two pieces: "a" "b". *ret is the next one. */
static bool is_seam(const char *quote, const char *end, const char **ret)
{
	*ret = skip_blanks(quote + 1, end);
	return *ret > quote + 1 && *ret < end && **ret == '"';
}

/* Returns the next quote at or behind p that may end the string, or NULL. */
static const char *find_end(const char *p, const char *end)
{
	const char *next;

	while ((p = find_quote(p, end))) {
		if (is_seam(p, end, &next))
			p = next;
		else if (next == end || *next == ',')
			return p;
		p++;
	}
	return NULL;
}

/* Says whether a text is a string as in C: all quotes in it are between two pieces. */
static bool is_pieces(const char *p, const char *end)
{
	while ((p = find_quote(p, end))) {
		if (!is_seam(p, end, &p))
			return false;
		p++;
	}
	return true;
}

/* Sets the format to the string between its quotes, pieces joined, without escapes. */
static void set_format(struct tree *t, const char *p, const char *end, struct print_fmt *ret)
{
	bool has_seams = is_pieces(p, end);
	const char *quote;

	ret->format = tree_alloc(t, (size_t)(end - p) + 1);
	ret->format_len = 0;
	while (has_seams && (quote = find_quote(p, end))) {
		ret->format_len += token_unescape(p, (size_t)(quote - p),
						  ret->format + ret->format_len);
		is_seam(quote, end, &p);
		p++;
	}
	ret->format_len += token_unescape(p, (size_t)(end - p), ret->format + ret->format_len);
}

/* Parses the arguments behind the string's closing quote. */
static void parse_arguments(struct parser *p, struct print_fmt *ret)
{
	ret->nargs = 0;
	parser_next(p);
	while (parser_accept(p, ',') && p->token.kind != TOKEN_END)
		tree_push(&p->tree, &ret->arg, &ret->nargs, parse_cond(p));
	if (p->token.kind != TOKEN_END)
		tree_fail(&p->tree, "',' is missing");
}

/* Parses the arguments behind `quote`, after dropping those parsed before. */
static void try_arguments(struct parser *p, const char *quote, struct print_fmt *ret)
{
	p->next = quote + 1;
	tree_free(p->tree.blocks);
	p->tree.blocks = NULL;
	ret->arg = NULL;
	p->tree.fault = p->tree.fault_at = NULL;
	p->tree.nodes = 0;
	p->locals = NULL;
	p->nlocals = 0;
	p->depth = 0;
	parse_arguments(p, ret);
}

/* Tries the quotes that may end the string. Uses the first one behind which there are as many
 * arguments as directives need; if there is none, the first one. */
static void parse_text(struct parser *p, const char *begin, struct print_fmt *ret)
{
	const char *first = find_end(begin, p->end), *quote = first;
	size_t tries;

	if (!first) {
		tree_fail(&p->tree, "a format string without an end");
		return;
	}
	for (tries = 0; quote && tries < TRIES_MAX; tries++) {
		try_arguments(p, quote, ret);
		if (!p->tree.fault && ret->nargs == count_directives(begin, quote))
			break;
		quote = find_end(quote + 1, p->end);
	}
	if (!quote || tries == TRIES_MAX) {
		quote = first;
		try_arguments(p, quote, ret);
	}
	set_format(&p->tree, begin, quote, ret);
}

static char *describe_fault(const struct parser *p)
{
	struct tsh_strbuf place = TSH_STRBUF_INIT;
	const char *at = p->tree.fault_at;
	size_t left = (size_t)(p->end - at);
	char *why;

	tsh_sanitize(&place, at, left < 24 ? left : 24);
	if (place.len)
		why = tsh_xasprintf("%s, at '%s'", p->tree.fault, place.buf);
	else
		why = tsh_xasprintf("%s, at the end", p->tree.fault);
	tsh_strbuf_release(&place);
	return why;
}

int print_fmt_parse(const struct tsh_event_format *format, unsigned int long_size,
		    expr_resolve *resolve, void *resolve_ctx, struct print_fmt *ret,
		    char **ret_why)
{
	struct parser p = {
		.tree.long_size = long_size,
		.format = format,
		.resolve = resolve,
		.resolve_ctx = resolve_ctx,
		.next = format->print_fmt,
		.end = format->print_fmt + strlen(format->print_fmt),
	};
	const char *begin = skip_blanks(p.next, p.end);

	p.tree.at = begin;
	memset(ret, 0, sizeof(*ret));
	if (begin < p.end && *begin == '"')
		parse_text(&p, begin + 1, ret);
	else
		tree_fail(&p.tree, "no format string");
	if (p.tree.fault) {
		*ret_why = describe_fault(&p);
		tree_free(p.tree.blocks);
		memset(ret, 0, sizeof(*ret));
		return -EINVAL;
	}
	ret->memory = p.tree.blocks;
	return 0;
}

void print_fmt_release(struct print_fmt *fmt)
{
	tree_free(fmt->memory);
	memset(fmt, 0, sizeof(*fmt));
}
