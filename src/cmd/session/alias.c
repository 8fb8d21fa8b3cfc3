/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/alias.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/table.h"
#include "lang/lexer.h"
#include "session/util.h"

static int check_name(const struct tsh_value *name, struct tsh_err *err)
{
	const char *text = name->word.text, *equals = strchr(text, '=');
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-.");

	if (len && !text[len] && *text != '-' && *text != '.')
		return 0;
	tsh_err_at(err, name->word.span, "'%s' cannot be the name of an alias", text);
	if (equals && equals > text)
		tsh_err_hint(err, "blanks belong around the '=': alias %.*s = %s",
			     (int)(equals - text), text, equals[1] ? equals + 1 : "COMMAND");
	else
		tsh_err_hint(err, "letters, digits, '_', '-' and '.'");
	return -1;
}

/* Returns the text of an alias as it was typed, without quotes around all of it, which a ';' or '|'
 * needs. The caller frees it. */
static char *meaning(const struct tsh_value *command)
{
	const char *text = command->word.text;
	size_t len = command->word.len;

	if (len >= 2 && (*text == '\'' || *text == '"') &&
	    (const char *)memchr(text + 1, *text, len - 1) == text + len - 1)
		return tsh_xstrndup(text + 1, len - 2);
	return tsh_xstrdup(text);
}

/* Refuses a text that does not begin with a command: another alias, or a misspelled word. */
static int check_meaning(const struct tsh_value *command, const char *text, struct tsh_err *err)
{
	struct tsh_strlist names = { 0 };
	struct tsh_lexer lx;
	struct tsh_span word;
	char *first, quote;
	size_t i;

	quote = tsh_lexer_unfinished(text, strlen(text));
	if (quote)
		return tsh_lexer_refuse_quote(command->word.span, quote, err);
	tsh_lexer_init(&lx, text, strlen(text), NULL);
	if (!tsh_lexer_next_command(&lx))
		return tsh_err_at(err, command->word.span, "missing command");
	word = tsh_lexer_peek(&lx);
	first = tsh_xstrndup(text + word.begin, word.end - word.begin);
	if (tsh_cmd_find(first)) {
		free(first);
		return 0;
	}
	tsh_err_at(err, command->word.span, "'%s' is not a command", first);
	for (i = 0; tsh_commands[i]; i++)
		tsh_strlist_add(&names, tsh_commands[i]->name);
	tsh_cmd_suggest(err, first, &names);
	tsh_strlist_release(&names);
	free(first);
	return -1;
}

static int no_alias(const struct tsh_session *s, const struct tsh_value *name, struct tsh_err *err)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_err_at(err, name->word.span, "there is no alias '%s'", name->word.text);
	for (i = 0; i < s->aliases.n; i++)
		tsh_strlist_add(&names, s->aliases.v[i].name);
	tsh_cmd_suggest(err, name->word.text, &names);
	if (!err->hint)
		tsh_err_hint(err, s->aliases.n ? "alias lists them" : "alias NAME = WORD.. makes one");
	tsh_strlist_release(&names);
	return -1;
}

static void list_aliases(struct tsh_session *s, const char *name)
{
	static const struct tsh_column columns[] = {
		{ "alias", TSH_COLUMN_TEXT }, { "command", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "alias", columns);
	size_t i;

	for (i = 0; i < s->aliases.n; i++) {
		if (name && strcmp(name, s->aliases.v[i].name))
			continue;
		tsh_table_texts(table, s->aliases.v[i].name, s->aliases.v[i].text);
	}
	tsh_table_end(table);
}

static int alias_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *name = tsh_args_get(&call->args, "NAME");
	const struct tsh_value *command = tsh_args_get(&call->args, "COMMAND");
	char *text;
	int r;

	if (command && !name)
		return tsh_err_at(err, command->word.span, "missing name before '='");
	if (name && check_name(name, err) < 0)
		return -1;
	if (!command) {
		if (name && !tsh_alias_find(&s->aliases, name->word.text, name->word.len))
			return no_alias(s, name, err);
		list_aliases(s, name ? name->word.text : NULL);
		return 0;
	}
	text = meaning(command);
	r = check_meaning(command, text, err);
	if (!r)
		tsh_alias_set(&s->aliases, name->word.text, text);
	if (!r && tsh_cmd_find(name->word.text))
		tsh_out_note(s->out, "the command '%s' is hidden by it: unalias %s brings it back",
			     name->word.text, name->word.text);
	free(text);
	return r;
}

static const struct tsh_arg alias_args[] = {
	{ .name = "NAME", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL,
	  .help = "the new word; without a command it is shown" },
	{ .name = "COMMAND", .clause = "=", .type = TSH_ARG_STATEMENT, .flags = TSH_ARG_OPTIONAL,
	  .help = "what it stands for: a command and its first arguments" },
	{ 0 }
};

static const struct tsh_example alias_examples[] = {
	{ "alias ll = events --on", "then: ll sched" },
	{ "alias quiet = 'disable; off'", "quotes around it all, for more than one command" },
	{ "alias", "all of them" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_alias = {
	.name = "alias", .group = TSH_GROUP_SESSION,
	.summary = "let a word stand for the start of a command",
	.description = "What is typed behind the word stands behind what it means. In that only "
		       "commands are known, no other aliases, so it may have the name of the "
		       "command that it begins with; in quotes a word is no alias. Those for "
		       "all sessions stand in the file rc, see FILES in tracesh(1).",
	.args = alias_args, .examples = alias_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_PAGES | TSH_CMD_IN_CHECK,
	.defines_with = "COMMAND",
	.run = alias_run,
};

/* ---- unalias ---- */

static int unalias_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *name = tsh_args_get(&call->args, "NAME");

	return tsh_alias_remove(&s->aliases, name->word.text) ? 0 : no_alias(s, name, err);
}

static const struct tsh_arg unalias_args[] = {
	{ .name = "NAME", .type = TSH_ARG_ALIAS, .help = "an alias" },
	{ 0 }
};

static const struct tsh_example unalias_examples[] = {
	{ "alias ll = events --on; unalias ll", "ll is no command any more" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_unalias = {
	.name = "unalias", .group = TSH_GROUP_SESSION, .summary = "forget an alias",
	.args = unalias_args, .examples = unalias_examples,
	.flags = TSH_CMD_IN_CHECK,
	.defines_with = "",
	.run = unalias_run,
};
