/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"

#include <stdint.h>
#include <string.h>

#include "cmd/table.h"
#include "lang/lexer.h"
#include "session/commands.h"

/*
 * Makes a command of the words of a command line: tracesh filter sched_switch 'prev_comm ~ "a*"'.
 * The user's shell has removed its quotes, and a word may be an expression with quotes of its own.
 * A word that our lexer reads as one piece of one command is used as it is; any other word is
 * quoted.
 */

/* Says whether a word is an expression, which needs no quotes: it has an operator, or quotes all
 * around. */
static bool is_expression(const char *word)
{
	size_t len = strlen(word);

	if (strpbrk(word, "=<>~&!|("))
		return true;
	return len >= 2 && (*word == '"' || *word == '\'') && word[len - 1] == *word &&
	       !memchr(word + 1, *word, len - 2);
}

static bool is_plain(const char *word)
{
	return *word && !strpbrk(word, " \t\n;|#'\"$\\");
}

/* Says whether a command has an argument that can be more than a word. */
static bool has_text(const char *name)
{
	const struct tsh_cmd *cmd = name ? tsh_cmd_find(name) : NULL;
	const struct tsh_arg *arg;

	for (arg = tsh_cmd_args(cmd); arg && arg->name; arg++)
		if (arg->type == TSH_ARG_EXPRESSION || arg->type == TSH_ARG_TEXT ||
		    arg->type == TSH_ARG_STATEMENT)
			return true;
	return false;
}

/* Says whether a word is an option whose value is an expression or a probe; that is one word
 * then. */
static bool is_one_word(const char *name, const char *word)
{
	const struct tsh_cmd *cmd = tsh_cmd_find(name);
	const struct tsh_arg *arg;

	for (arg = tsh_cmd_args(cmd); arg && arg->name; arg++)
		if (arg->option && !strcmp(arg->option, word) &&
		    (arg->type == TSH_ARG_EXPRESSION || arg->type == TSH_ARG_PROBE))
			return true;
	return false;
}

/* Returns how many words an option of the command takes. */
static size_t option_words(const struct tsh_cmd *cmd, const char *word)
{
	const struct tsh_arg *arg;

	for (arg = tsh_cmd_args(cmd); arg->name; arg++)
		if (arg->option && !strcmp(arg->option, word))
			return arg->type == TSH_ARG_FLAG ? 1 : 2;
	return !strcmp(word, "-o") ? 2 : 1;	/* the option of all commands that print */
}

/* Returns the index of the word with which a text begins (of marker, write) that is the rest of the
 * command; SIZE_MAX: there is no such text. */
static size_t text_begins(char *const *argv)
{
	const struct tsh_cmd *cmd = argv[0] ? tsh_cmd_find(argv[0]) : NULL;
	const struct tsh_arg *arg;
	size_t i = 1;

	for (arg = tsh_cmd_args(cmd); arg && arg->name; arg++) {
		if (arg->option || arg->clause)
			continue;
		while (argv[i] && *argv[i] == '-')
			i += argv[i + 1] ? option_words(cmd, argv[i]) : 1;
		if (!argv[i])
			break;
		if (arg->type == TSH_ARG_TEXT)
			return i;
		i++;
	}
	return SIZE_MAX;
}

/* Quotes the words of a text: the user's shell has removed its quotes, and no character in them is
 * syntax of ours. */
static void quote_text(struct tsh_strbuf *text, char *const *words)
{
	struct tsh_strbuf all = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; words[i]; i++)
		tsh_strbuf_addf(&all, "%s%s", i ? " " : "", words[i]);
	tsh_lexer_quote(text, all.buf);
	tsh_strbuf_release(&all);
}

bool tsh_engine_run_words(struct tsh_engine *e, char *const *argv)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	bool words_only = !has_text(argv[0]), carry_on;
	size_t begins = text_begins(argv), i;

	for (i = 0; argv[i]; i++) {
		const char *word = argv[i];

		if (i)
			tsh_strbuf_addc(&text, ' ');
		if (i == begins) {
			quote_text(&text, argv + i);
			break;
		}
		if (i && !words_only && is_one_word(argv[0], argv[i - 1]))
			tsh_lexer_quote_always(&text, word);
		else if (is_plain(word) ||
			 (!words_only && is_expression(word) && tsh_lexer_is_one_piece(word, '\0')))
			tsh_strbuf_adds(&text, word);
		else
			tsh_lexer_quote(&text, word);
		/* behind this comes a program */
		words_only = words_only || !strcmp(word, "--");
	}
	carry_on = tsh_engine_run_text(e, "<arguments>", text.buf, text.len, NULL);
	tsh_strbuf_release(&text);
	return carry_on;
}
