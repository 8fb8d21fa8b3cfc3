/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/complete.h"

#include <stdlib.h>
#include <string.h>

#include "candidates.h"
#include "complete-words.h"
#include "tracesh/lexer.h"
#include "tracesh/strbuf.h"

/*
 * What stands before the cursor need not be right, nor whole, so this is no parser:
 * it cuts the command into words and lets them use up the declared arguments.
 */

/* ---- the words against the declared arguments ---- */

/* Where the last word stands among the arguments of its command. */
struct walk {
	const struct tsh_arg *slot;	/* the next positional argument; nameless: none */
	const struct tsh_arg *clause;	/* the one begun, or NULL */
	const struct tsh_arg *value_of;	/* an option that waits for its value */
	size_t in_clause;		/* words since */
	size_t rest;			/* the first word of an argument that takes the rest */
	struct tsh_strlist events;
	struct tsh_strlist options;	/* those given */
	const char *setting;
};

static const struct tsh_arg *positional(const struct tsh_arg *arg)
{
	while (arg->name && (arg->option || arg->clause))
		arg++;
	return arg;
}

static bool takes_rest(const struct tsh_arg *arg)
{
	return arg->type == TSH_ARG_TEXT || arg->type == TSH_ARG_EXPRESSION ||
	       arg->type == TSH_ARG_STATEMENT || arg->type == TSH_ARG_ARGV;
}

static const struct tsh_arg *find_option(const struct tsh_cmd *cmd, const char *word)
{
	const struct tsh_arg *arg;

	for (arg = cmd->args; arg->name; arg++)
		if (arg->option && !strcmp(arg->option, word))
			return arg;
	for (arg = tsh_cmd_common_args; cmd->flags & TSH_CMD_PRINTS && arg->name; arg++)
		if (!strcmp(arg->option, word))
			return arg;
	return NULL;
}

static const struct tsh_arg *find_clause(const struct tsh_cmd *cmd, const struct tsh_cut_word *word)
{
	const struct tsh_arg *arg;

	for (arg = cmd->args; !word->quoted && arg->name; arg++)
		if (arg->clause && !strcmp(arg->clause, word->text))
			return arg;
	return NULL;
}

static bool is_choice(const struct tsh_arg *arg, const char *word)
{
	const char *const *choice;

	for (choice = arg->choices; choice && *choice; choice++)
		if (!strcmp(*choice, word))
			return true;
	return false;
}

/* A choice that may be left out is, when the word is none of it. */
static bool can_be_skipped(const struct tsh_arg *arg)
{
	return arg->type == TSH_ARG_CHOICE && (arg->flags & TSH_ARG_OPTIONAL);
}

static void take_positional(struct walk *w, const char *word, size_t i)
{
	while (w->slot->name && can_be_skipped(w->slot) && !is_choice(w->slot, word) &&
	       positional(w->slot + 1)->name)
		w->slot = positional(w->slot + 1);
	if (!w->slot->name)
		return;
	if (w->slot->type == TSH_ARG_EVENT)
		tsh_strlist_add(&w->events, word);
	if (w->slot->type == TSH_ARG_SETTING)
		w->setting = word;
	if (takes_rest(w->slot))
		w->rest = w->rest ? w->rest : i;
	else if (!(w->slot->flags & TSH_ARG_MANY))
		w->slot = positional(w->slot + 1);
}

/* Lets a word before the last use up its argument. */
static void take_word(struct walk *w, const struct tsh_cmd *cmd, const struct tsh_cut_word *word,
		      size_t i)
{
	const struct tsh_arg *arg = find_clause(cmd, word);

	if (w->value_of) {
		w->value_of = NULL;
		return;
	}
	/* Behind "--" stands a program, its words are its own. */
	if (arg && !(w->clause && w->clause->type == TSH_ARG_ARGV)) {
		w->clause = arg;
		w->in_clause = 0;
		w->rest = takes_rest(arg) ? i + 1 : 0;
		return;
	}
	if (w->clause) {
		w->in_clause++;
		return;
	}
	arg = word->quoted || w->rest ? NULL : find_option(cmd, word->text);
	if (arg) {
		tsh_strlist_add(&w->options, arg->option);
		w->value_of = arg->type == TSH_ARG_FLAG ? NULL : arg;
		return;
	}
	take_positional(w, word->text, i);
}

static void add_options(const struct tsh_cursor *at, const struct walk *w,
			const struct tsh_arg *arg)
{
	for (; arg->name; arg++)
		if (arg->option && (arg->flags & TSH_ARG_MANY ||
				    !tsh_strlist_has(&w->options, arg->option)))
			tsh_candidate_add(at, arg->option, arg->help, false);
}

static void add_clauses(const struct tsh_cursor *at, const struct walk *w)
{
	const struct tsh_arg *arg;

	for (arg = w->clause ? w->clause + 1 : at->cmd->args; arg->name; arg++)
		/* `if` filters events: there must be some. */
		if (arg->clause && (w->events.n || strcmp(arg->clause, "if") != 0))
			tsh_candidate_add(at, arg->clause, arg->help, false);
}

/* Inside an expression a word ends where a name does: "(prev_pid==1&&next_" */
static void complete_expression(const struct tsh_cursor *at, const struct tsh_cut_word *last,
				bool first, size_t end)
{
	struct tsh_cursor name = *at;
	const char *p = last->text + strlen(last->text);

	/* A string of the kernel's grammar; quotes around the whole are the person's. */
	if (last->open && !first)
		return;
	while (p > last->text && (p[-1] == '_' || (p[-1] >= '0' && p[-1] <= '9') ||
				  (p[-1] >= 'a' && p[-1] <= 'z') ||
				  (p[-1] >= 'A' && p[-1] <= 'Z')))
		p--;
	name.word = p;
	name.ret->begin = end - strlen(p);
	name.ret->quote = '\0';
	tsh_candidates_fields(&name);
}

static void complete_words(struct tsh_session *s, const struct tsh_cut *words, size_t from,
			   size_t end, struct tsh_completion *ret);

/* The words of a nested command: try COMMAND [else COMMAND] */
static void complete_statement(const struct tsh_cursor *at, const struct tsh_cut *words,
			       const struct walk *w, size_t end)
{
	complete_words(at->s, words, w->rest, end, at->ret);
	if (!w->clause && w->rest + 1 < words->n)
		add_clauses(at, w);
}

static void complete_slots(const struct tsh_cursor *at, const struct walk *w)
{
	const struct tsh_arg *slot;

	for (slot = w->slot; slot->name; slot = positional(slot + 1)) {
		tsh_candidates_of(at, slot);
		if (!can_be_skipped(slot))
			break;
	}
}

/* The last word: an option's value, a word of a clause, an argument, an option. */
static void complete_last(const struct tsh_cursor *at, const struct tsh_cut *words,
			  const struct walk *w, size_t end)
{
	const struct tsh_cut_word *last = &words->v[words->n - 1];
	const struct tsh_arg *arg = w->clause ? w->clause : w->slot;

	if (w->value_of) {
		tsh_candidates_of(at, w->value_of);
		return;
	}
	if (arg->name && arg->type == TSH_ARG_STATEMENT) {
		struct walk rest = *w;

		rest.rest = w->rest ? w->rest : words->n - 1;
		complete_statement(at, words, &rest, end);
		return;
	}
	if (arg->name && arg->type == TSH_ARG_EXPRESSION) {
		bool first = w->clause ? !w->in_clause : !w->rest;

		if (first)
			tsh_candidates_of(at, arg);
		else if (!last->quoted)
			add_clauses(at, w);
		complete_expression(at, last, first, end);
		return;
	}
	if (w->clause)
		tsh_candidates_of(at, w->clause);
	else
		complete_slots(at, w);
	if (last->quoted || (w->clause && w->clause->type == TSH_ARG_ARGV))
		return;
	if (!w->clause || w->in_clause)
		add_clauses(at, w);
	if (w->clause || w->rest || (*last->text != '-' && at->ret->n))
		return;
	add_options(at, w, at->cmd->args);
	/* Where nothing else can stand "-o" would be put there at once: only if asked. */
	if (*last->text == '-' && at->cmd->flags & TSH_CMD_PRINTS)
		add_options(at, w, tsh_cmd_common_args);
}

/* Completes the last of the words; the command begins with the one at `from`. */
static void complete_words(struct tsh_session *s, const struct tsh_cut *words, size_t from,
			   size_t end, struct tsh_completion *ret)
{
	const struct tsh_cut_word *last = &words->v[words->n - 1];
	struct walk w = { 0 };
	struct tsh_cursor at = { .s = s, .word = last->text, .events = &w.events, .ret = ret };
	size_t i;

	ret->begin = last->begin;
	ret->quote = last->open;
	if (from == words->n - 1) {
		tsh_candidates_commands(&at);
		return;
	}
	at.cmd = tsh_cmd_find(words->v[from].text);
	if (!at.cmd)
		return;
	w.slot = positional(at.cmd->args);
	for (i = from + 1; i + 1 < words->n; i++)
		take_word(&w, at.cmd, &words->v[i], i);
	at.setting = w.setting;
	complete_last(&at, words, &w, end);
	tsh_strlist_release(&w.events);
	tsh_strlist_release(&w.options);
}

/* A line for sh -c: files. */
static void complete_shell(struct tsh_session *s, const char *line, size_t len,
			   struct tsh_completion *ret)
{
	struct tsh_cursor at = { .s = s, .ret = ret };
	size_t begin = len;
	char *word;

	while (begin && !strchr(" \t\n!|;&<>()'\"", line[begin - 1]))
		begin--;
	word = tsh_xstrndup(line + begin, len - begin);
	at.word = word;
	ret->begin = begin;
	if (*word)
		tsh_candidates_files(&at);
	free(word);
}

/* ---- results ---- */

static int compare(const void *a, const void *b)
{
	const struct tsh_candidate *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static void free_candidate(struct tsh_candidate *c)
{
	free(c->text);
	free(c->help);
}

static void sort(struct tsh_completion *c)
{
	size_t i, kept = 0;

	if (!c->n)
		return;
	qsort(c->v, c->n, sizeof(*c->v), compare);
	for (i = 1; i < c->n; i++) {
		if (!strcmp(c->v[kept].text, c->v[i].text))
			free_candidate(&c->v[i]);
		else
			c->v[++kept] = c->v[i];
	}
	c->n = kept + 1;
}

void tsh_complete_line(struct tsh_session *s, const char *line, size_t len,
		       struct tsh_completion *ret)
{
	struct tsh_cut words = { 0 };
	enum tsh_cut_place place;

	memset(ret, 0, sizeof(*ret));
	place = tsh_cut_line(line, len, &words);
	if ((len && line[0] == '!') || place == TSH_CUT_SHELL)
		complete_shell(s, line, len, ret);
	else if (place == TSH_CUT_COMMAND)
		complete_words(s, &words, 0, len, ret);
	tsh_cut_release(&words);
	sort(ret);
}

char *tsh_completion_typed(const struct tsh_completion *c, size_t i)
{
	const struct tsh_candidate *candidate = &c->v[i];
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	if (c->quote && !strchr(candidate->text, c->quote)) {
		tsh_strbuf_addc(&out, c->quote);
		tsh_strbuf_adds(&out, candidate->text);
		tsh_strbuf_addc(&out, c->quote);
	} else {
		tsh_lexer_quote(&out, candidate->text);
	}
	if (candidate->partial && out.len && strchr("'\"", out.buf[out.len - 1]))
		tsh_strbuf_truncate(&out, out.len - 1);
	return tsh_strbuf_detach(&out);
}

void tsh_completion_release(struct tsh_completion *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		free_candidate(&c->v[i]);
	tsh_vec_release(c);
}

void tsh_complete_words(struct tsh_session *s, char *const *args, struct tsh_strbuf *out)
{
	struct tsh_completion found = { 0 };
	struct tsh_cut words = { 0 };
	const struct tsh_cut_word *last;
	size_t i;

	for (i = 0; args[i]; i++)
		tsh_cut_add(&words, tsh_xstrdup(args[i]), 0, false, '\0');
	if (!words.n)
		tsh_cut_add(&words, tsh_xstrdup(""), 0, false, '\0');
	last = &words.v[words.n - 1];
	complete_words(s, &words, 0, strlen(last->text), &found);
	sort(&found);
	/* In an expression the candidates replace only the end of the word. */
	for (i = 0; i < found.n; i++) {
		tsh_strbuf_add(out, last->text, found.begin);
		tsh_strbuf_addf(out, "%s\t%s\n", found.v[i].text, found.v[i].help);
	}
	tsh_completion_release(&found);
	tsh_cut_release(&words);
}
