/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "complete.h"

#include <string.h>

#include "base/suggest.h"
#include "base/utf8.h"
#include "help/help.h"
#include "lang/filter-place.h"
#include "lang/grammar.h"
#include "session/commands.h"
#include "walk.h"

/* Makes the hint behind the cursor, the usage, and the help for the argument at the cursor. */

/* Holds the place of the cursor in a command; behind `try`, in the nested command. */
struct position {
	struct tsh_cut_text text;
	struct tsh_cut words;
	struct tsh_walk walk;
	enum tsh_cut_place place;
};

static void find_position(const struct tsh_session *s, const char *line, size_t len,
			  struct position *ret)
{
	size_t from = 0;

	*ret = (struct position){ 0 };
	ret->place = len && line[0] == '!' ? TSH_CUT_SHELL :
		     tsh_cut_unaliased(&s->aliases, line, len, &ret->text, &ret->words);
	if (ret->place != TSH_CUT_COMMAND)
		return;
	for (;;) {
		const struct tsh_arg *arg;

		tsh_walk_words(s, &ret->words, from, &ret->walk);
		arg = tsh_walk_argument(&ret->walk);
		if (!ret->walk.cmd || !arg->name || arg->type != TSH_ARG_STATEMENT)
			return;
		from = ret->walk.rest ? ret->walk.rest : ret->words.n - 1;
		tsh_walk_release(&ret->walk);
	}
}

static void release_position(struct position *p)
{
	tsh_walk_release(&p->walk);
	tsh_cut_release(&p->words);
	tsh_cut_text_release(&p->text);
}

/* Returns the word at the cursor; only for a TSH_CUT_COMMAND. */
static const struct tsh_cut_word *last_word(const struct position *p)
{
	return &p->words.v[p->words.n - 1];
}

/* Finds the place of the cursor in a filter. Returns false when there is no filter at the
 * cursor. */
static bool find_filter(const struct position *p, struct tsh_filter_place *ret)
{
	const char *line = p->text.text;
	size_t len = p->text.len;
	const struct tsh_arg *arg = tsh_walk_argument(&p->walk);
	size_t begin;

	if (!p->walk.cmd || !arg->name || arg->type != TSH_ARG_EXPRESSION || p->walk.value_of)
		return false;
	begin = p->words.v[p->walk.rest ? p->walk.rest : p->words.n - 1].begin;
	begin += begin < len && (line[begin] == '"' || line[begin] == '\'');
	tsh_filter_place_find(line + begin, len - begin, ret);
	return true;
}

/* ---- the hint ---- */

static const char *filter_hint(const struct tsh_filter_place *place)
{
	switch (place->at) {
	case TSH_FILTER_AT_FIELD:
		return "FIELD OPERATOR VALUE";
	case TSH_FILTER_AT_OPERATOR:
		return "OPERATOR VALUE";
	case TSH_FILTER_AT_VALUE:
		return "VALUE";
	case TSH_FILTER_AT_JUNCTION:
		return place->depth ? ")" : "[&& FILTER]";
	default:
		return "";
	}
}

static void add_rest(const struct tsh_walk *w, bool in_word, struct tsh_strbuf *out)
{
	struct tsh_grammar_progress given = { .slot = w->slot, .in_slot = w->in_slot > 0,
					      .clause = w->clause, .options = &w->options };

	/* the word that is being typed belongs to this argument */
	if (in_word && w->slot->name && (w->slot->flags & TSH_ARG_MANY))
		given.in_slot = true;
	else if (in_word && w->slot->name)
		given.slot = tsh_walk_positional(w->slot + 1);
	tsh_grammar_rest(out, tsh_cmd_args(w->cmd), &given);
}

/* Appends the hint for a finished name of a command, behind which no blank was typed. */
static void hint_command(const struct tsh_session *s, const char *name, struct tsh_strbuf *out)
{
	const struct tsh_cmd *cmd = tsh_cmd_find_in(s->commands, name);
	struct tsh_grammar_progress given = { 0 };

	if (!cmd)
		return;
	given.slot = tsh_walk_positional(tsh_cmd_args(cmd));
	tsh_grammar_rest(out, tsh_cmd_args(cmd), &given);
}

/* Appends the value that a clause or an option needs. */
static void hint_value(const struct tsh_walk *w, struct tsh_strbuf *out)
{
	const struct tsh_arg *arg = tsh_walk_argument(w);

	if (w->value_of || !w->in_clause) {
		tsh_strbuf_addc(out, ' ');
		tsh_grammar_name(out, arg);
	}
	if (w->value_of)
		add_rest(w, false, out);
}

/* Appends the hint with a blank before it. */
static void add_hint(const struct tsh_session *s, const struct position *p, struct tsh_strbuf *out)
{
	const char *word = last_word(p)->text;
	struct tsh_filter_place place;

	if (!p->walk.cmd && p->walk.from + 1 == p->words.n) {
		hint_command(s, word, out);
	} else if (!p->walk.cmd) {
		return;
	} else if (find_filter(p, &place)) {
		/* prints no hint inside a word of a filter: more of it may follow */
		if (*word || !*filter_hint(&place))
			return;
		tsh_strbuf_addf(out, " %s", filter_hint(&place));
		if (place.at == TSH_FILTER_AT_JUNCTION && !place.depth && p->walk.clause)
			add_rest(&p->walk, false, out);
	} else if (p->walk.value_of || p->walk.clause) {
		if (!*word)
			hint_value(&p->walk, out);
	} else if (*word != '-' && !p->walk.rest) {
		add_rest(&p->walk, *word != '\0', out);
	}
}

void tsh_complete_hint(const struct tsh_session *s, const char *line, size_t len,
		       struct tsh_strbuf *out)
{
	struct tsh_strbuf hint = TSH_STRBUF_INIT;
	struct position p;

	find_position(s, line, len, &p);
	if (len && p.place == TSH_CUT_COMMAND && !last_word(&p)->open) {
		add_hint(s, &p, &hint);
		/* Leaves out the hint's blank when the line ends in one: then the last word is
		 * empty and not in quotes. */
		tsh_strbuf_adds(out, hint.buf + (hint.len && !*last_word(&p)->text &&
						 !last_word(&p)->quoted));
	}
	tsh_strbuf_release(&hint);
	release_position(&p);
}

/* ---- the usage ---- */

static void suggest_command(const struct tsh_session *s, const char *typed, struct tsh_strbuf *out)
{
	const char *alias = tsh_alias_find(&s->aliases, typed, strlen(typed));
	struct tsh_suggest near;
	size_t i;

	if (alias) {
		tsh_strbuf_addf(out, "%s is ", typed);
		tsh_sanitize(out, alias, strlen(alias));
		return;
	}
	tsh_suggest_init(&near, typed);
	for (i = 0; s->commands[i]; i++)
		tsh_suggest_offer(&near, tsh_cmd_name(s->commands[i]));
	if (tsh_suggest_best(&near))
		tsh_strbuf_addf(out, "no such command; did you mean %s?", tsh_suggest_best(&near));
	else
		tsh_strbuf_adds(out, "help lists the commands");
	tsh_suggest_release(&near);
}

/* Appends the message, with control characters of pasted text escaped. */
static void add_no_field(const char *word, struct tsh_strbuf *out)
{
	tsh_strbuf_adds(out, "no field begins with '");
	tsh_sanitize(out, word, strlen(word));
	tsh_strbuf_addc(out, '\'');
}

/* Appends the usage of the expression at the cursor, instead of that of the command. */
static bool add_expression(const struct position *p, struct tsh_strbuf *out)
{
	struct tsh_filter_place place;
	const char *word;

	if (p->place != TSH_CUT_COMMAND || !find_filter(p, &place))
		return false;
	word = last_word(p)->text + strlen(last_word(p)->text);
	while (word > last_word(p)->text && !strchr(" (!", word[-1]))
		word--;
	if (place.at == TSH_FILTER_AT_FIELD && *word)
		add_no_field(word, out);
	else if (place.at == TSH_FILTER_AT_VALUE && !*word)
		tsh_strbuf_adds(out, "here: a number, or a string in quotes");
	else if (place.at == TSH_FILTER_AT_VALUE || !*filter_hint(&place))
		tsh_strbuf_adds(out, "nothing known begins with this");
	else
		tsh_strbuf_addf(out, "here: %s", filter_hint(&place));
	tsh_strbuf_adds(out, "  (help filters)");
	return true;
}

static void add_usage(const struct tsh_session *s, const struct position *p,
		      struct tsh_strbuf *out)
{
	if (p->place == TSH_CUT_SHELL)
		tsh_strbuf_adds(out, "this is for sh");
	else if (p->place == TSH_CUT_COMMAND && p->walk.cmd)
		tsh_grammar_usage(out, tsh_cmd_name(p->walk.cmd), tsh_cmd_args(p->walk.cmd));
	else if (p->place == TSH_CUT_COMMAND)
		suggest_command(s, p->words.v[p->walk.from].text, out);
	else if (memchr(p->text.text, '$', p->text.len))
		tsh_strbuf_adds(out, "no completion after a variable: its value is not known yet");
	else
		tsh_strbuf_adds(out, "help lists the commands");
}

/* Says whether the cursor is behind `--`. */
static bool is_program(const struct position *p)
{
	return p->place == TSH_CUT_COMMAND && p->walk.cmd && p->walk.clause &&
	       p->walk.clause->type == TSH_ARG_ARGV;
}

void tsh_complete_usage(struct tsh_session *s, const char *line, size_t len,
			struct tsh_strbuf *out)
{
	struct position p;

	find_position(s, line, len, &p);
	if (is_program(&p)) {
		tsh_strbuf_adds(out, "here: a program and its arguments");
	} else if (!add_expression(&p, out)) {
		if (p.place == TSH_CUT_COMMAND && p.walk.cmd)
			tsh_strbuf_adds(out, "usage: ");
		add_usage(s, &p, out);
	}
	release_position(&p);
}

/* ---- the help ---- */

static void explain_argument(const struct tsh_arg *arg, struct tsh_strbuf *out)
{
	tsh_strbuf_adds(out, "  ");
	tsh_help_argument(out, arg);
	if (arg->help)
		tsh_strbuf_addf(out, "  %s", arg->help);
	tsh_strbuf_addc(out, '\n');
}

static void explain_filter(const struct tsh_filter_place *place, struct tsh_strbuf *out)
{
	const char *hint = filter_hint(place);

	if (*hint)
		tsh_strbuf_addf(out, "  here: %s  (help filters)\n", hint);
}

/* Says whether a '?' at the cursor asks for help. A '?' in free text does not. */
static bool is_help_wanted(const struct position *p)
{
	const struct tsh_arg *arg = tsh_walk_argument(&p->walk);

	if (p->place != TSH_CUT_COMMAND || last_word(p)->quoted || *last_word(p)->text)
		return false;
	if (!p->walk.cmd)
		return p->walk.from + 1 == p->words.n;
	return !p->walk.rest || !arg->name ||
	       (arg->type != TSH_ARG_TEXT && arg->type != TSH_ARG_ARGV);
}

bool tsh_complete_explain(struct tsh_session *s, const char *line, size_t len,
			  struct tsh_strbuf *out)
{
	struct tsh_filter_place place;
	const struct tsh_arg *arg;
	struct position p;
	bool wanted;

	find_position(s, line, len, &p);
	wanted = is_help_wanted(&p);
	if (wanted && p.walk.cmd) {
		add_usage(s, &p, out);
		tsh_strbuf_addf(out, "\n  %s\n", tsh_cmd_summary(p.walk.cmd));
		arg = tsh_walk_argument(&p.walk);
		if (arg->name)
			explain_argument(arg, out);
		if (find_filter(&p, &place))
			explain_filter(&place, out);
	}
	release_position(&p);
	return wanted;
}
