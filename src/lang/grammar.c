/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grammar.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "parse.h"
#include "pieces.h"

static bool accepts_rest(const struct tsh_arg *arg)
{
	return arg->type == TSH_ARG_TEXT || arg->type == TSH_ARG_EXPRESSION ||
	       arg->type == TSH_ARG_STATEMENT ||
	       (arg->type == TSH_ARG_MOMENT && !arg->option);
}

/* Returns the first positional argument from arg on, or the end of the table. */
static const struct tsh_arg *positional(const struct tsh_arg *arg)
{
	while (arg->name && (arg->option || arg->clause))
		arg++;
	return arg;
}

static bool ends_word(const struct tsh_lexer *lx, size_t pos)
{
	enum tsh_piece_kind kind = tsh_piece_at(lx, pos).kind;

	return kind == TSH_PIECE_END || kind == TSH_PIECE_PIPE || kind == TSH_PIECE_BLANK;
}

int tsh_parse_usage(struct tsh_parse *p)
{
	struct tsh_strbuf usage = TSH_STRBUF_INIT;

	tsh_grammar_usage(&usage, p->command, p->table);
	tsh_err_hint(p->err, "usage: %s", usage.buf);
	tsh_strbuf_release(&usage);
	return -1;
}

int tsh_parse_missing(struct tsh_parse *p, struct tsh_span blame, const char *prefix,
		      const struct tsh_arg *arg)
{
	struct tsh_strbuf name = TSH_STRBUF_INIT;

	tsh_usage_name(&name, arg);
	tsh_err_at(p->err, blame, "missing %s%s%s", prefix, *prefix ? " " : "", name.buf);
	tsh_strbuf_release(&name);
	if (arg->type == TSH_ARG_ARGV && *prefix) {
		tsh_err_hint(p->err, "put the program behind --, as in: %s -- ls", p->command);
		return -1;
	}
	return tsh_parse_usage(p);
}

bool tsh_parse_at_end(struct tsh_parse *p)
{
	size_t pos = tsh_skip_blanks(p->lx, p->lx->pos);

	if (ends_word(p->lx, pos))
		return true;
	return p->in_try && tsh_span_is(p->lx, tsh_raw_word(p->lx, pos), "else");
}

struct tsh_span tsh_parse_name_at(const struct tsh_lexer *lx, size_t pos)
{
	struct tsh_span name = { pos, pos };

	while (!ends_word(lx, name.end) && lx->text[name.end] != '=')
		name.end = tsh_piece_at(lx, name.end).end;
	return name;
}

/*
 * Finds the word that was to be an optional choice and is mistyped, as in `instance craete web`,
 * when there is a word too many. Returns NULL when there is none.
 */
static const struct tsh_value *find_mistyped(const struct tsh_parse *p,
					     const struct tsh_arg **ret_arg)
{
	const struct tsh_arg *arg;
	size_t i;

	for (i = 0; i < p->args->n; i++) {
		const struct tsh_value *value = &p->args->v[i];

		if (value->arg->option || value->arg->clause || value->arg->type == TSH_ARG_CHOICE)
			continue;
		for (arg = p->table; arg->name && arg != value->arg; arg++)
			if (arg->type == TSH_ARG_CHOICE && !arg->option && !arg->clause &&
			    !tsh_args_has(p->args, arg->name) &&
			    tsh_parse_is_near_choice(arg, value->word.text)) {
				*ret_arg = arg;
				return value;
			}
	}
	return NULL;
}

/* Says whether '=' has no blanks around it, as in "alias ll=events --on". */
static bool is_tied(const struct tsh_parse *p)
{
	const struct tsh_value *last = p->args->n ? &p->args->v[p->args->n - 1] : NULL;
	const struct tsh_arg *arg;

	for (arg = p->table; last && arg->name; arg++)
		if (arg->clause && !strcmp(arg->clause, "="))
			return strchr(last->word.text, '=') != NULL;
	return false;
}

bool tsh_grammar_is_clause(const char *word)
{
	static const char *const clauses[] = { "where", "fields", "by", "on", "with", "sum", "avg", "min", "max", "if", "to" };
	size_t i;

	for (i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++)
		if (!strcmp(word, clauses[i]))
			return true;
	return false;
}

/* Refuses a clause of other commands whose first word was taken for an argument, as in `latency
 * wakeup where pid == 1`. */
static bool refuse_clause(struct tsh_parse *p)
{
	const struct tsh_value *last = p->args->n ? &p->args->v[p->args->n - 1] : NULL;

	if (!last || last->arg->type != TSH_ARG_EVENT || !tsh_grammar_is_clause(last->word.text))
		return false;
	tsh_err_at(p->err, last->word.span, "it takes no '%s'", last->word.text);
	return true;
}

static bool accepts_event(const struct tsh_parse *p)
{
	const struct tsh_arg *arg;

	for (arg = p->table; arg->name && arg->type != TSH_ARG_EVENT; arg++)
		;
	return arg->name;
}

/* Refuses a word that no argument takes. */
static int unexpected(struct tsh_parse *p)
{
	const struct tsh_value *mistyped;
	const struct tsh_arg *arg;
	struct tsh_word word;
	bool redirects;

	if (tsh_lexer_word(p->lx, &word, p->err) < 0)
		return -1;
	mistyped = find_mistyped(p, &arg);
	if (mistyped) {
		tsh_word_release(&word);
		return tsh_parse_refuse_choice(p, arg, mistyped);
	}
	if (!refuse_clause(p))
		tsh_err_at(p->err, word.span, "unexpected '%s'", word.text);
	redirects = p->common && word.text[0] == '>';
	tsh_word_release(&word);
	if (p->args->n > 1 && p->args->v[p->args->n - 2].arg->type == TSH_ARG_ASSIGNMENT)
		tsh_err_hint(p->err, "put a value with blanks in quotes");
	else if (p->args->n && p->args->v[p->args->n - 1].arg->type == TSH_ARG_MOMENT)
		tsh_err_hint(p->err, "date and time are one word: in quotes, or with a T between "
			     "them");
	else if (redirects)
		tsh_err_hint(p->err, "-o FILE writes to a file, | goes to a program");
	else if (is_tied(p))
		tsh_err_hint(p->err, "blanks belong around the '='");
	else if (p->clause && accepts_event(p))
		tsh_err_hint(p->err, "events stand before '%s': help %s", p->clause->clause, p->command);
	else
		tsh_parse_usage(p);
	return -1;
}

/*
 * Says whether the source has an option at pos. The value may follow a single letter directly
 * (-n10), and a long option behind a '='.
 */
static bool is_option(const struct tsh_lexer *lx, size_t pos, const struct tsh_arg *arg)
{
	const char *option = arg->option;
	size_t len = strlen(option);

	if (lx->len - pos < len || memcmp(lx->text + pos, option, len) != 0)
		return false;
	pos += len;
	if (ends_word(lx, pos) || lx->text[pos] == '=')
		return true;
	return len == 2 && option[1] != '-' && arg->type != TSH_ARG_FLAG;
}

static const struct tsh_arg *option_in(const struct tsh_lexer *lx, size_t pos,
				       const struct tsh_arg *table)
{
	for (; table && table->name; table++) {
		if (table->option && is_option(lx, pos, table))
			return table;
	}
	return NULL;
}

static const struct tsh_arg *option_at(const struct tsh_parse *p, size_t pos)
{
	const struct tsh_arg *arg = option_in(p->lx, pos, p->table);

	return arg ? arg : option_in(p->lx, pos, p->common);
}

/* Says whether a word begins with '-' and is no number. */
static bool is_like_option(const struct tsh_lexer *lx, size_t pos)
{
	char c;

	if (pos >= lx->len || lx->text[pos] != '-' || ends_word(lx, ++pos))
		return false;
	c = lx->text[pos];
	if (c == '.' && pos + 1 < lx->len)
		c = lx->text[pos + 1];
	return c < '0' || c > '9';
}

/* Returns the setting that does what other programs have an option for. */
static const char *setting_for(const char *option)
{
	static const char *const known[][2] = {
		{ "--json", "set format json (or tracesh --format json ..)" },
		{ "--csv", "set format csv (or tracesh --format csv ..)" },
		{ "--format", "set format json (or tracesh --format json ..)" },
		{ "--columns", "set columns time,event,text (or tracesh --columns ..)" },
		{ "--time", "set time short (or tracesh --time short ..)" },
		{ "--output", "-o FILE" },
		{ "--yes", "set confirm off (or tracesh --yes ..)" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i][0], option))
			return known[i][1];
	return NULL;
}

static int unknown_option(struct tsh_parse *p, size_t pos)
{
	struct tsh_span span = tsh_parse_name_at(p->lx, pos);
	const struct tsh_arg *tables[] = { p->table, p->common };
	const struct tsh_arg *arg;
	struct tsh_suggest s;
	char *name;
	size_t i;

	if (tsh_span_is(p->lx, span, "--"))
		return unexpected(p);
	name = tsh_xstrndup(p->lx->text + span.begin, span.end - span.begin);
	tsh_err_at(p->err, span, "unknown option '%s'", name);
	tsh_suggest_init(&s, name);
	for (i = 0; i < 2; i++) {
		for (arg = tables[i]; arg && arg->name; arg++) {
			if (arg->option)
				tsh_suggest_offer(&s, arg->option);
		}
	}
	if (tsh_suggest_best(&s))
		tsh_err_hint(p->err, "did you mean '%s'?", tsh_suggest_best(&s));
	else if (p->common && setting_for(name))
		tsh_err_hint(p->err, "%s", setting_for(name));
	else
		tsh_parse_usage(p);
	tsh_suggest_release(&s);
	free(name);
	return -1;
}

static bool was_given(const struct tsh_parse *p, const struct tsh_arg *arg)
{
	size_t i;

	for (i = 0; i < p->args->n; i++) {
		if (p->args->v[i].arg == arg)
			return true;
	}
	return false;
}

/* Refuses an argument that is given twice: which one is meant cannot be known. */
static int refuse_repeated(struct tsh_parse *p, struct tsh_span span, const char *kind, const char *word)
{
	tsh_err_at(p->err, span, "%s'%s' given twice", kind, word);
	tsh_err_hint(p->err, "remove one of the two");
	return -1;
}

static int parse_option(struct tsh_parse *p, size_t pos)
{
	struct tsh_lexer *lx = p->lx;
	const struct tsh_arg *arg = option_at(p, pos);
	struct tsh_span span;
	bool attached;

	if (!arg)
		return unknown_option(p, pos);
	span = (struct tsh_span){ pos, pos + strlen(arg->option) };
	if (p->clause && !(arg->flags & TSH_ARG_LATE))
		return tsh_err_at(p->err, span, "option '%s' must stand before '%s'",
				  arg->option, p->clause->clause);
	if (was_given(p, arg) && !(arg->flags & TSH_ARG_MANY))
		return refuse_repeated(p, span, "option ", arg->option);
	attached = !ends_word(lx, span.end);
	lx->pos = span.end;
	if (arg->type == TSH_ARG_FLAG) {
		if (attached)
			return tsh_err_at(p->err, span, "option '%s' takes no value", arg->option);
		return tsh_parse_literal(p, arg, span);
	}
	if (attached && lx->text[lx->pos] == '=')
		lx->pos++;
	pos = tsh_skip_blanks(lx, lx->pos);
	/* an option is no value, and "--for= 2s" has none */
	if (tsh_parse_at_end(p) || (attached && pos > lx->pos) ||
	    (!attached && is_like_option(lx, pos) && option_at(p, pos))) {
		tsh_err_at(p->err, span, "option '%s' needs a value", arg->option);
		return tsh_parse_usage(p);
	}
	/* Ends an expression in quotes with its quotes: what follows is not part of it. */
	if (accepts_rest(arg) && !(lx->text[pos] == '"' || lx->text[pos] == '\''))
		return tsh_parse_rest(p, arg, (const char *const *)p->stops, span);
	return tsh_parse_word(p, arg);
}

static const struct tsh_arg *clause_at(struct tsh_parse *p)
{
	struct tsh_span word = tsh_lexer_peek(p->lx);
	const struct tsh_arg *arg;

	for (arg = p->table; arg->name; arg++) {
		if (arg->clause && tsh_span_is(p->lx, word, arg->clause))
			return arg;
	}
	return NULL;
}

/* Reads words up to the end of the command, or up to the next clause. */
static int parse_words(struct tsh_parse *p, const struct tsh_arg *arg, struct tsh_span blame)
{
	bool argv = arg->type == TSH_ARG_ARGV, many = argv || arg->flags & TSH_ARG_MANY;
	size_t n = 0;

	while (!tsh_parse_at_end(p) && (argv || !clause_at(p)) && (many || !n)) {
		if (tsh_parse_word(p, arg) < 0)
			return -1;
		n++;
	}
	return n ? 0 : tsh_parse_missing(p, blame, "", arg);
}

static int parse_clause(struct tsh_parse *p, const struct tsh_arg *arg)
{
	struct tsh_span word = tsh_lexer_peek(p->lx);

	if (p->clause == arg)
		return refuse_repeated(p, word, "", arg->clause);
	if (p->clause && arg < p->clause)
		return tsh_err_at(p->err, word, "'%s' must stand before '%s'", arg->clause,
				  p->clause->clause);
	p->clause = arg;
	p->lx->pos = word.end;
	if (arg->type == TSH_ARG_FLAG)
		return tsh_parse_literal(p, arg, word);
	/* `else` is followed by all the rest, also by another try with its own else */
	if (arg->type == TSH_ARG_STATEMENT)
		return tsh_parse_rest(p, arg, p->else_stops, word);
	if (accepts_rest(arg))
		return tsh_parse_rest(p, arg, (const char *const *)p->stops, word);
	return parse_words(p, arg, word);
}

static bool can_accept(const struct tsh_lexer *lx, const struct tsh_arg *arg, struct tsh_span word)
{
	const char *const *choice;

	if (arg->type != TSH_ARG_CHOICE || !(arg->flags & TSH_ARG_OPTIONAL))
		return true;
	for (choice = arg->choices; choice && *choice; choice++) {
		if (tsh_span_is(lx, word, *choice))
			return true;
	}
	return false;
}

/* Returns the positional argument that the next word is for; one without a name when there is
 * none. */
static const struct tsh_arg *next_positional(struct tsh_parse *p)
{
	static const struct tsh_arg nobody = { 0 };
	struct tsh_span word = tsh_lexer_peek(p->lx);
	const struct tsh_arg *arg;

	if (p->clause)
		return &nobody;
	for (arg = p->next; arg->name; arg = positional(arg + 1)) {
		if (can_accept(p->lx, arg, word))
			return arg;
	}
	return p->next;
}

static int parse_positional(struct tsh_parse *p, const struct tsh_arg *arg)
{
	int ret;

	if (!arg->name)
		return unexpected(p);
	if (accepts_rest(arg))
		ret = tsh_parse_rest(p, arg, arg->type == TSH_ARG_MOMENT ?
				     (const char *const *)p->stops : p->clause_stops,
				     p->args->command);
	else if (arg->type == TSH_ARG_ASSIGNMENT)
		ret = tsh_parse_assignment(p, arg);
	else
		ret = tsh_parse_word(p, arg);
	p->next = arg->flags & TSH_ARG_MANY ? arg : positional(arg + 1);
	return ret;
}

static int check_missing(struct tsh_parse *p)
{
	const struct tsh_arg *arg;

	for (arg = p->next; arg->name; arg = positional(arg + 1)) {
		if ((arg->flags & TSH_ARG_OPTIONAL) || was_given(p, arg))
			continue;
		tsh_parse_missing(p, p->args->command, "", arg);
		if (p->clause)
			tsh_err_hint(p->err, "%s stands before '%s': help %s", arg->name, p->clause->clause, p->command);
		return -1;
	}
	for (arg = p->table; arg->name; arg++) {
		if (arg->clause && !(arg->flags & TSH_ARG_OPTIONAL) && !was_given(p, arg))
			return tsh_parse_missing(p, p->args->command, arg->clause, arg);
	}
	return 0;
}

static int parse(struct tsh_parse *p)
{
	struct tsh_lexer *lx = p->lx;
	const struct tsh_arg *arg;
	int ret = 0;

	while (!ret && !tsh_parse_at_end(p)) {
		lx->pos = tsh_skip_blanks(lx, lx->pos);
		arg = clause_at(p);
		if (arg) {
			ret = parse_clause(p, arg);
			continue;
		}
		arg = next_positional(p);
		/* lets a text begin with dashes: marker --- here --- */
		if (is_like_option(lx, lx->pos) && (option_at(p, lx->pos) || !accepts_rest(arg)))
			ret = parse_option(p, lx->pos);
		else
			ret = parse_positional(p, arg);
	}
	return ret ? ret : check_missing(p);
}

/* Lists the words that end an expression. Each list ends with NULL. */
static void make_stops(struct tsh_parse *p)
{
	const struct tsh_arg *tables[] = { p->table, p->common };
	TSH_VEC(const char *) stops = { 0 };
	const struct tsh_arg *arg;
	size_t i, n_options, n;

	for (i = 0; i < 2; i++) {
		for (arg = tables[i]; arg && arg->name; arg++) {
			if (arg->option)
				*tsh_vec_push(&stops) = arg->option;
		}
	}
	n_options = stops.n;
	for (arg = p->table; arg->name; arg++) {
		if (arg->clause)
			*tsh_vec_push(&stops) = arg->clause;
	}
	n = stops.n;
	if (p->in_try)
		*tsh_vec_push(&stops) = "else";
	*tsh_vec_push(&stops) = NULL;
	p->stops = stops.v;
	p->clause_stops = (const char *const *)stops.v + n_options;
	p->else_stops = (const char *const *)stops.v + n;
}

/* Returns the word that ends before pos. */
static struct tsh_span word_before(const struct tsh_lexer *lx, size_t pos)
{
	struct tsh_span span;

	while (pos && strchr(" \t\r", lx->text[pos - 1]))
		pos--;
	for (span.begin = span.end = pos; span.begin; span.begin--) {
		char c = lx->text[span.begin - 1];

		if (!c || strchr(" \t\r\n;", c))
			break;
	}
	return span;
}

int tsh_grammar_parse(struct tsh_lexer *lx, const char *command, const struct tsh_arg *table,
		      const struct tsh_arg *common, bool in_try, struct tsh_args *ret_args,
		      struct tsh_err *err)
{
	struct tsh_parse p = {
		.lx = lx, .command = command, .table = table, .common = common,
		.in_try = in_try, .args = ret_args, .err = err, .next = positional(table),
	};
	struct tsh_span name = word_before(lx, lx->pos);
	int ret;

	*ret_args = (struct tsh_args){ .command = name, .whole = name };
	make_stops(&p);
	ret = parse(&p);
	free(p.stops);
	if (ret < 0)
		tsh_args_release(ret_args);
	return ret;
}
