/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "complete.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "kernel/dryrun/dryrun.h"
#include "lang/lexer.h"
#include "session/commands.h"
#include "values.h"
#include "walk.h"
#include "words.h"

/* ---- the word at the cursor ---- */

/* Holds what is to be completed. */
struct request {
	struct tsh_session *s;
	const char *line;
	size_t end;			/* offset of the cursor in the line */
	const struct tsh_cut *words;
	bool all;			/* for another shell, which limits and quotes candidates
					 * itself */
	struct tsh_completion *ret;
};

static void add_options(const struct tsh_cursor *at, const struct tsh_walk *w,
			const struct tsh_arg *arg)
{
	for (; arg && arg->name; arg++)
		if (arg->option && (arg->flags & TSH_ARG_MANY ||
				    !tsh_strlist_has(&w->options, arg->option)))
			tsh_candidate_add(at, arg->option, arg->help, false);
}

static void add_clauses(const struct tsh_cursor *at, const struct tsh_walk *w)
{
	const struct tsh_arg *arg;

	for (arg = w->clause ? w->clause + 1 : tsh_cmd_args(at->cmd); arg->name; arg++)
		/* offers `if` only when there are events to filter */
		if (arg->clause &&
		    (w->events.n || strcmp(arg->clause, "if") != 0))
			tsh_candidate_add(at, arg->clause, arg->help, false);
}

/* Returns the offset at which the expression begins. *ret_wrapped: the expression stands in quotes
 * that are still open. */
static size_t expression_begin(const struct request *q, size_t first, bool *ret_wrapped)
{
	size_t begin = q->words->v[first].begin;
	char quote = begin < q->end ? q->line[begin] : '\0';

	*ret_wrapped = quote == '"' || quote == '\'';
	return begin + *ret_wrapped;
}

static void complete_expression(const struct request *q, const struct tsh_cursor *at,
				const struct tsh_walk *w, const struct tsh_arg *arg)
{
	size_t first = w->rest ? w->rest : q->words->n - 1, begin;
	struct tsh_filter_place place;
	struct tsh_cursor cursor = *at;
	bool wrapped;
	char *text;

	begin = expression_begin(q, first, &wrapped);
	if (wrapped && memchr(q->line + begin, q->line[begin - 1], q->end - begin)) {
		add_clauses(at, w);
		return;
	}
	text = tsh_xstrndup(q->line + begin, q->end - begin);
	tsh_filter_place_find(text, strlen(text), &place);
	cursor.word = text + place.word;
	cursor.is_where = arg->clause && !strcmp(arg->clause, "where");
	cursor.in_expression = true;
	cursor.wrapper = wrapped ? q->line[begin - 1] : '\0';
	q->ret->begin = begin + place.word;
	q->ret->quote = '\0';
	q->ret->is_raw = true;
	if (first == q->words->n - 1 && !wrapped)
		tsh_candidates_of(&cursor, arg);
	tsh_candidates_filter(&cursor, text, &place);
	if (place.at == TSH_FILTER_AT_JUNCTION && !place.depth && !wrapped &&
	    !strpbrk(cursor.word, "&|"))
		add_clauses(&cursor, w);
	free(text);
}

static void complete_sql(const struct request *q, const struct tsh_cursor *at,
			 const struct tsh_walk *w)
{
	size_t first = w->rest ? w->rest : q->words->n - 1, begin;
	struct tsh_cursor cursor = *at;
	struct tsh_sql_place place;
	bool wrapped;
	char *text;

	begin = expression_begin(q, first, &wrapped);
	text = tsh_xstrndup(q->line + begin, q->end - begin);
	tsh_sql_place_find(text, &place);
	cursor.word = text + place.word;
	cursor.in_expression = true;
	cursor.wrapper = wrapped ? q->line[begin - 1] : '\0';
	q->ret->begin = begin + place.word;
	q->ret->quote = '\0';
	q->ret->is_raw = true;
	if (!wrapped || !strchr(text, q->line[begin - 1]))
		tsh_candidates_sql(&cursor, text, &place);
	free(text);
}

static void complete_words(const struct request *q, size_t from);

/* Completes the words of a nested command: try COMMAND [else COMMAND]. */
static void complete_statement(const struct request *q, const struct tsh_cursor *at,
			       const struct tsh_walk *w)
{
	size_t first = w->rest ? w->rest : q->words->n - 1;

	complete_words(q, first);
	if (!w->clause && first + 1 < q->words->n && !q->ret->is_raw)
		add_clauses(at, w);
}

static void free_candidate(struct tsh_candidate *c)
{
	free(c->text);
	free(c->help);
}

/* Removes names that would be parsed as options. */
static void drop_options(struct tsh_completion *c, size_t from)
{
	size_t i, n = from;

	for (i = from; i < c->n; i++)
		if (c->v[i].text[0] == '-' && !isdigit((unsigned char)c->v[i].text[1]))
			free_candidate(&c->v[i]);
		else
			c->v[n++] = c->v[i];
	c->n = n;
}

static void complete_slots(const struct tsh_cursor *at, const struct tsh_walk *w)
{
	const struct tsh_arg *slot;

	for (slot = w->slot; slot->name; slot = tsh_walk_positional(slot + 1)) {
		tsh_candidates_of(at, slot);
		if (!tsh_walk_can_skip(slot))
			break;
	}
}

/* Completes a word that is neither an option's value nor part of an expression. */
static void complete_word(const struct request *q, const struct tsh_cursor *at,
			  const struct tsh_walk *w)
{
	const struct tsh_cut_word *last = &q->words->v[q->words->n - 1];
	size_t before = q->ret->n;

	if (w->clause)
		tsh_candidates_of(at, w->clause);
	else
		complete_slots(at, w);
	if (!w->clause || w->clause->type != TSH_ARG_ARGV)
		drop_options(q->ret, before);
	if (last->quoted || (w->clause && w->clause->type == TSH_ARG_ARGV))
		return;
	if (!w->clause || w->in_clause)
		add_clauses(at, w);
	/* Offers options only behind a '-': a single option would be inserted at once otherwise. */
	if (w->clause || w->rest || *last->text != '-')
		return;
	add_options(at, w, tsh_cmd_args(at->cmd));
	add_options(at, w, tsh_cmd_more_args(at->cmd));
	if (w->from + 2 == q->words->n && tsh_begins_with(last->text, "--"))
		tsh_candidate_add(at, "--help", "what this command does", false);
}

static bool begins_option(const struct request *q)
{
	return *q->words->v[q->words->n - 1].text == '-';
}

/* Completes the last of the words. The word at `from` is the name of the command. */
static void complete_words(const struct request *q, size_t from)
{
	const struct tsh_cut_word *last = &q->words->v[q->words->n - 1];
	const struct tsh_arg *arg;
	struct tsh_walk w;
	struct tsh_cursor at = { .s = q->s, .word = last->text, .events = &w.events,
				 .starts_only = q->all, .all = q->all, .ret = q->ret };

	q->ret->begin = last->begin;
	q->ret->quote = last->open;
	tsh_walk_words(q->s, q->words, from, &w);
	at.cmd = w.cmd;
	at.setting = w.setting;
	at.choice = w.choice;
	at.probe = w.probe;
	at.is_program = w.rest && w.rest == q->words->n - 1;
	arg = tsh_walk_argument(&w);
	if (from == q->words->n - 1)
		tsh_candidates_commands(&at);
	else if (at.cmd && w.value_of)
		tsh_candidates_of(&at, w.value_of);
	else if (at.cmd && arg->name && arg->type == TSH_ARG_STATEMENT)
		complete_statement(q, &at, &w);
	else if (at.cmd && arg->name && arg->type == TSH_ARG_EXPRESSION)
		complete_expression(q, &at, &w, arg);
	else if (arg->name && arg->completes == TSH_COMPLETES_SELECT && !begins_option(q))
		complete_sql(q, &at, &w);
	else if (at.cmd)
		complete_word(q, &at, &w);
	tsh_walk_release(&w);
}

/* Says whether the end of the line is inside quotes of sh, or behind a backslash. */
static bool is_inside_quotes(const char *line, size_t len)
{
	char quote = '\0';
	size_t i;

	for (i = 0; i < len; i++) {
		if (line[i] == '\\' && quote != '\'' && ++i == len)
			return true;
		else if (quote && line[i] == quote)
			quote = '\0';
		else if (!quote && (line[i] == '\'' || line[i] == '"'))
			quote = line[i];
	}
	return quote != '\0';
}

/* Says whether the word at `begin` is a command for sh. */
static bool is_first_of_command(const char *line, size_t begin)
{
	while (begin && (line[begin - 1] == ' ' || line[begin - 1] == '\t'))
		begin--;
	return begin && strchr("!|;&(\n", line[begin - 1]);
}

/* Completes a line for sh -c: programs, then files. */
static void complete_shell(struct tsh_session *s, const char *line, size_t len,
			   struct tsh_completion *ret)
{
	struct tsh_cursor at = { .s = s, .starts_only = true, .ret = ret };
	size_t begin = len;
	char *word;

	ret->is_shell = true;
	if (is_inside_quotes(line, len))
		return;
	while (begin && !strchr(" \t\n!|;&<>()'\"", line[begin - 1]))
		begin--;
	word = tsh_xstrndup(line + begin, len - begin);
	at.word = word;
	ret->begin = begin;
	if (*word && is_first_of_command(line, begin))
		tsh_candidates_programs(&at);
	else if (*word)
		tsh_candidates_files(&at);
	free(word);
}

/* ---- results ---- */

/* Reads a number, decimal or with 0x. */
static bool read_number(const char *text, unsigned long long *ret)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*ret = strtoull(text, &end, 0);
	return !*end;
}

/* Orders numbers by value, and all other texts behind the numbers by bytes. */
static int compare(const void *a, const void *b)
{
	const struct tsh_candidate *x = a, *y = b;
	unsigned long long n = 0, m = 0;
	bool is_number = read_number(x->text, &n);

	if (is_number != read_number(y->text, &m))
		return is_number ? -1 : 1;
	if (is_number && n != m)
		return n < m ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void sort(struct tsh_completion *c)
{
	size_t i, kept = 0;

	if (!c->n)
		return;
	tsh_vec_sort(c, compare);
	for (i = 1; i < c->n; i++) {
		if (!strcmp(c->v[kept].text, c->v[i].text))
			free_candidate(&c->v[i]);
		else
			c->v[++kept] = c->v[i];
	}
	c->n = kept + 1;
}

/* Finds the name of a variable that the line ends with: "${na". */
static bool is_variable(const char *line, size_t len, size_t *ret_begin)
{
	size_t i = len;

	while (i && (line[i - 1] == '_' || isalnum((unsigned char)line[i - 1])))
		i--;
	if (i < 2 || line[i - 1] != '{' || line[i - 2] != '$')
		return false;
	*ret_begin = i - 2;
	return true;
}

static void complete_variable(struct tsh_session *s, const char *line, size_t len, size_t begin,
			      struct tsh_completion *ret)
{
	char *word = tsh_xstrndup(line + begin, len - begin);
	struct tsh_cursor at = { .s = s, .word = word, .starts_only = true, .ret = ret };

	ret->begin = begin;
	ret->is_raw = true;
	tsh_candidates_variables(&at);
	free(word);
}

/* Moves the offset from the line with the alias's text back to the typed line. Drops candidates for
 * a place inside the alias's text. */
static void find_in_line(const struct tsh_cut_text *text, struct tsh_completion *ret)
{
	if (!text->made)
		return;
	if (ret->begin < text->typed) {
		tsh_completion_release(ret);
		memset(ret, 0, sizeof(*ret));
		return;
	}
	ret->begin = (size_t)((ptrdiff_t)ret->begin - text->moved);
}

void tsh_complete_line(struct tsh_session *s, const char *line, size_t len,
		       struct tsh_completion *ret)
{
	struct tsh_cut words = { 0 };
	struct request q = { .s = s, .words = &words, .ret = ret };
	enum tsh_cut_place place;
	struct tsh_cut_text text;
	size_t begin;

	memset(ret, 0, sizeof(*ret));
	if (s->dir)
		tsh_dir_forget_unread(s->dir);
	place = tsh_cut_unaliased(&s->aliases, line, len, &text, &words);
	q.line = text.text;
	q.end = text.len;
	if ((len && line[0] == '!') || place == TSH_CUT_SHELL)
		complete_shell(s, text.text, text.len, ret);
	else if (is_variable(text.text, text.len, &begin))
		complete_variable(s, text.text, text.len, begin, ret);
	else if (place == TSH_CUT_COMMAND)
		complete_words(&q, 0);
	find_in_line(&text, ret);
	tsh_cut_text_release(&text);
	tsh_cut_release(&words);
	if (s->dir)
		tsh_dir_forget_unread(s->dir);
	sort(ret);
}

/* Says whether a text needs no other quoting inside this quote. */
static bool fits_in_quote(const char *text, char quote)
{
	return quote && !strchr(text, quote) && !(quote == '"' && tsh_lexer_has_variable(text));
}

char *tsh_completion_quoted(const struct tsh_completion *c, const char *text, bool partial)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	if (c->is_raw) {
		tsh_strbuf_adds(&out, text);
		return tsh_strbuf_detach(&out);
	}
	if (c->is_shell) {
		tsh_sh_word(&out, text);
	} else if (fits_in_quote(text, c->quote)) {
		tsh_strbuf_addc(&out, c->quote);
		tsh_strbuf_adds(&out, text);
		tsh_strbuf_addc(&out, c->quote);
	} else {
		tsh_lexer_quote(&out, text);
	}
	if (partial && out.len && strchr("'\"", out.buf[out.len - 1]))
		tsh_strbuf_truncate(&out, out.len - 1);
	return tsh_strbuf_detach(&out);
}

char *tsh_completion_typed(const struct tsh_completion *c, size_t i)
{
	return tsh_completion_quoted(c, c->v[i].text, c->v[i].partial);
}

/* Joins the words with blanks, and stores the offset of each. */
static void join(char *const *args, struct tsh_cut *words, struct tsh_strbuf *line)
{
	size_t i;

	for (i = 0; args[i]; i++) {
		if (i)
			tsh_strbuf_addc(line, ' ');
		tsh_cut_add(words, tsh_xstrdup(args[i]), line->len, false, '\0');
		tsh_strbuf_adds(line, args[i]);
	}
	if (!words->n)
		tsh_cut_add(words, tsh_xstrdup(""), 0, false, '\0');
}

/*
 * Appends a line for each candidate. In an expression a candidate replaces only the end of the
 * word, so the `len` bytes before that are put in front. A newline or a tab in these bytes would
 * break the line.
 */
static void add_answers(const struct tsh_completion *found, const char *word, size_t len,
			struct tsh_strbuf *out)
{
	char *start = tsh_xstrndup(word, len);
	size_t i;

	for (i = 0; i < found->n && tsh_can_be_shown(start); i++)
		tsh_strbuf_addf(out, "%s%s\t%s\n", start, found->v[i].text, found->v[i].help);
	free(start);
}

void tsh_complete_words(struct tsh_session *s, char *const *args, struct tsh_strbuf *out)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	struct tsh_completion found = { 0 };
	struct tsh_cut words = { 0 };
	struct request q = { .s = s, .words = &words, .all = true, .ret = &found };
	size_t begin;

	join(args, &words, &line);
	q.line = line.buf;
	q.end = line.len;
	complete_words(&q, 0);
	sort(&found);
	begin = words.v[words.n - 1].begin;
	if (found.begin >= begin)
		add_answers(&found, line.buf + begin, found.begin - begin, out);
	tsh_completion_release(&found);
	tsh_cut_release(&words);
	tsh_strbuf_release(&line);
}
