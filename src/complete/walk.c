/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "walk.h"

#include <string.h>

#include "session/commands.h"

/* Matches the words before the cursor with the declared arguments. This is no parser, because the
 * words need not be correct or complete. */

const struct tsh_arg *tsh_walk_positional(const struct tsh_arg *arg)
{
	while (arg->name && (arg->option || arg->clause))
		arg++;
	return arg;
}

static bool accepts_rest(const struct tsh_arg *arg)
{
	return arg->type == TSH_ARG_TEXT || arg->type == TSH_ARG_EXPRESSION ||
	       arg->type == TSH_ARG_STATEMENT || arg->type == TSH_ARG_ARGV ||
	       (arg->type == TSH_ARG_MOMENT && !arg->option);
}

/* Matches "-n 5", "-n5", "--for 10s" and "--for=10s". */
static bool is_option(const struct tsh_arg *arg, const char *word, bool *ret_has_value)
{
	size_t len = arg->option ? strlen(arg->option) : 0;

	if (!len || strncmp(word, arg->option, len) != 0)
		return false;
	*ret_has_value = word[len] != '\0';
	return !word[len] || (arg->type != TSH_ARG_FLAG && (len == 2 || word[len] == '='));
}

static const struct tsh_arg *find_option(const struct tsh_cmd *cmd, const char *word,
					 bool *ret_has_value)
{
	const struct tsh_arg *arg;

	for (arg = tsh_cmd_args(cmd); arg->name; arg++)
		if (is_option(arg, word, ret_has_value))
			return arg;
	for (arg = tsh_cmd_more_args(cmd); arg && arg->name; arg++)
		if (is_option(arg, word, ret_has_value))
			return arg;
	return NULL;
}

static const struct tsh_arg *find_clause(const struct tsh_cmd *cmd, const struct tsh_cut_word *word)
{
	const struct tsh_arg *arg;

	for (arg = tsh_cmd_args(cmd); !word->quoted && arg->name; arg++)
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

bool tsh_walk_can_skip(const struct tsh_arg *arg)
{
	return arg->type == TSH_ARG_CHOICE && (arg->flags & TSH_ARG_OPTIONAL);
}

static void match_positional(struct tsh_walk *w, const char *word, size_t i)
{
	while (w->slot->name && tsh_walk_can_skip(w->slot) && !is_choice(w->slot, word) &&
	       tsh_walk_positional(w->slot + 1)->name)
		w->slot = tsh_walk_positional(w->slot + 1);
	if (!w->slot->name)
		return;
	if (w->slot->type == TSH_ARG_EVENT)
		tsh_strlist_add(&w->events, word);
	if (w->slot->type == TSH_ARG_SETTING)
		w->setting = word;
	if (w->slot->type == TSH_ARG_CHOICE)
		w->choice = word;
	if (w->slot->type == TSH_ARG_PROBE)
		w->probe = word;
	w->in_slot++;
	if (accepts_rest(w->slot)) {
		w->rest = w->rest ? w->rest : i;
	} else if (!(w->slot->flags & TSH_ARG_MANY)) {
		w->slot = tsh_walk_positional(w->slot + 1);
		w->in_slot = 0;
	}
}

/* Matches a word before the last one with its argument. */
static void match_word(struct tsh_walk *w, const struct tsh_cut_word *word, size_t i)
{
	const struct tsh_arg *arg = find_clause(w->cmd, word);
	bool has_value = false;

	if (w->value_of) {
		w->value_of = NULL;
		return;
	}
	/* Leaves words behind "--" to the program there. */
	if (arg && !(w->clause && w->clause->type == TSH_ARG_ARGV)) {
		w->clause = arg;
		w->in_clause = 0;
		w->rest = accepts_rest(arg) ? i + 1 : 0;
		return;
	}
	if (w->clause) {
		w->in_clause++;
		return;
	}
	arg = word->quoted || w->rest ? NULL : find_option(w->cmd, word->text, &has_value);
	if (arg) {
		tsh_strlist_add(&w->options, arg->option);
		w->value_of = arg->type == TSH_ARG_FLAG || has_value ? NULL : arg;
		return;
	}
	match_positional(w, word->text, i);
}

const struct tsh_arg *tsh_walk_argument(const struct tsh_walk *w)
{
	return w->value_of ? w->value_of : w->clause ? w->clause : w->slot;
}

void tsh_walk_words(const struct tsh_session *s, const struct tsh_cut *words, size_t from, struct tsh_walk *ret)
{
	static const struct tsh_arg nothing = { 0 };
	size_t i;

	*ret = (struct tsh_walk){ .from = from, .slot = &nothing };
	if (from + 1 >= words->n)
		return;
	ret->cmd = tsh_cmd_find_in(s->commands, words->v[from].text);
	if (!ret->cmd)
		return;
	ret->slot = tsh_walk_positional(tsh_cmd_args(ret->cmd));
	for (i = from + 1; i + 1 < words->n; i++)
		match_word(ret, &words->v[i], i);
}

void tsh_walk_release(struct tsh_walk *w)
{
	tsh_strlist_release(&w->events);
	tsh_strlist_release(&w->options);
}
