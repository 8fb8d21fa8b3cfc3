/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/table.h"
#include "help/help.h"

/* Declares help, from the tables of commands and topics. */

/* ---- help ---- */

#define LINE_WIDTH 78
#define LABEL_WIDTH 10

static size_t longest_name(void)
{
	size_t i, longest = 0;

	for (i = 0; tsh_commands[i]; i++)
		if (strlen(tsh_commands[i]->name) > longest)
			longest = strlen(tsh_commands[i]->name);
	return longest;
}

/*
 * Adds bold text to the beginning of a line: tsh_out_line would print the escape sequences as text.
 */
static void add_bold(struct tsh_out *out, const char *text, int width)
{
	tsh_strbuf_addf(&out->data, "%s%-*s%s", tsh_out_style(out, TSH_STYLE_BOLD), width, text,
			tsh_out_style(out, TSH_STYLE_NONE));
}

static void title(struct tsh_out *out, const char *text)
{
	add_bold(out, text, 0);
	tsh_out_line(out, "%s", "");
}

/* Prints a line for each command. */
static void list_commands(struct tsh_out *out)
{
	int width = (int)longest_name();
	unsigned int group;
	size_t i;

	for (group = 0; group < TSH_GROUP_N; group++) {
		title(out, tsh_group_titles[group]);
		for (i = 0; tsh_commands[i]; i++)
			if (tsh_commands[i]->group == group)
				tsh_out_line(out, "  %-*s  %s", width, tsh_commands[i]->name,
					     tsh_commands[i]->summary);
	}
	title(out, "Topics");
	for (i = 0; tsh_topics[i].name; i++)
		tsh_out_line(out, "  %-*s  %s", width, tsh_topics[i].name, tsh_topics[i].summary);
}

/* ---- the one screen ---- */

static void add_name(struct tsh_strbuf *line, const char *name)
{
	tsh_strbuf_addf(line, "%s%s", line->len ? " " : "", name);
}

static void print_names(struct tsh_out *out, const char *label, const struct tsh_strbuf *names)
{
	const char *text = names->buf;

	while (*text) {
		size_t len = strlen(text), width = LINE_WIDTH - LABEL_WIDTH;

		if (len > width)
			for (len = width; len && text[len] != ' '; len--)
				;
		add_bold(out, label, LABEL_WIDTH);
		tsh_out_line(out, "%.*s", (int)len, text);
		text += len;
		text += *text == ' ';
		label = "";
	}
}

static void overview(struct tsh_out *out)
{
	const struct tsh_topic *intro = tsh_topic_find("intro");
	struct tsh_strbuf names = TSH_STRBUF_INIT;
	unsigned int group;
	size_t i;

	for (i = 0; intro->examples[i].text; i++)
		tsh_out_line(out, "  %-44s %s", intro->examples[i].text, intro->examples[i].help);
	for (group = 0; group < TSH_GROUP_N; group++) {
		tsh_strbuf_clear(&names);
		for (i = 0; tsh_commands[i]; i++)
			if (tsh_commands[i]->group == group)
				add_name(&names, tsh_commands[i]->name);
		print_names(out, tsh_group_names[group], &names);
	}
	tsh_strbuf_clear(&names);
	for (i = 0; tsh_topics[i].name; i++)
		add_name(&names, tsh_topics[i].name);
	print_names(out, "topics", &names);
	tsh_out_line(out, "help COMMAND or TOPIC says more, help --all has a line for each, apropos WORD");
	tsh_out_line(out, "searches. TAB completes; ? as the last word tells what can stand there.");
	tsh_strbuf_release(&names);
}

/* Prints a table for programs: a command, a topic, or all. */
static void table_of_commands(struct tsh_out *out, const struct tsh_cmd *cmd,
			      const struct tsh_topic *topic, bool all)
{
	static const struct tsh_column columns[] = {
		{ "command", TSH_COLUMN_TEXT }, { "group", TSH_COLUMN_TEXT },
		{ "usage", TSH_COLUMN_TEXT }, { "summary", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(out, "command", columns);
	struct tsh_strbuf usage = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; tsh_commands[i]; i++) {
		if (!all && tsh_commands[i] != cmd)
			continue;
		tsh_strbuf_clear(&usage);
		tsh_grammar_usage(&usage, tsh_commands[i]->name, tsh_commands[i]->args);
		tsh_table_texts(table, tsh_commands[i]->name, tsh_group_names[tsh_commands[i]->group],
				usage.buf, tsh_commands[i]->summary);
	}
	for (i = 0; tsh_topics[i].name; i++) {
		if (!all && &tsh_topics[i] != topic)
			continue;
		tsh_table_texts(table, tsh_topics[i].name, "topic", NULL, tsh_topics[i].summary);
	}
	tsh_table_end(table);
	tsh_strbuf_release(&usage);
}

/* Prints text in lines; newlines in it separate paragraphs, and one that begins with a blank is not
 * wrapped. */
static void wrap(struct tsh_out *out, const char *text, const char *indent)
{
	size_t width = LINE_WIDTH - strlen(indent);

	while (*text) {
		size_t len = strcspn(text, "\n"), cut;

		if (len > width && *text != ' ') {
			for (cut = width; cut > 0 && text[cut] != ' '; cut--)
				;
			len = cut ? cut : width;
		}
		tsh_out_line(out, "%s%.*s", indent, (int)len, text);
		text += len;
		if (*text == ' ' || *text == '\n')
			text++;
	}
}

static void help_arguments(struct tsh_out *out, const struct tsh_cmd *cmd)
{
	struct tsh_strbuf left = TSH_STRBUF_INIT;
	const struct tsh_arg *arg;
	size_t i, j, width = 0;

	for (i = 0; (arg = tsh_help_nth_argument(cmd, i)); i++) {
		tsh_strbuf_clear(&left);
		tsh_help_argument(&left, arg);
		width = left.len > width ? left.len : width;
	}
	for (i = 0; (arg = tsh_help_nth_argument(cmd, i)); i++) {
		tsh_strbuf_clear(&left);
		tsh_help_argument(&left, arg);
		tsh_out_line(out, "  %-*s  %s", (int)width, left.buf, arg->help ? arg->help : "");
		if (!arg->choices || arg->type == TSH_ARG_EXPRESSION)
			continue;
		tsh_strbuf_clear(&left);
		for (j = 0; arg->choices[j]; j++)
			tsh_strbuf_addf(&left, "%s%s", j ? ", " : "", arg->choices[j]);
		tsh_out_line(out, "  %*s  one of: %s", (int)width, "", left.buf);
	}
	tsh_strbuf_release(&left);
}

static void help_examples_of(struct tsh_out *out, const struct tsh_example *example)
{
	if (!example || !example->text)
		return;
	title(out, "Examples");
	for (; example->text; example++) {
		tsh_out_line(out, "  %s", example->text);
		if (example->help)
			tsh_out_line(out, "      %s", example->help);
	}
}

static void print_see_also(struct tsh_out *out, const char *see)
{
	if (!see)
		return;
	title(out, "See also");
	wrap(out, see, "  ");
}

static void help_command(struct tsh_out *out, const struct tsh_cmd *cmd)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_grammar_usage(&text, cmd->name, cmd->args);
	title(out, text.buf);
	tsh_strbuf_release(&text);
	tsh_out_line(out, "  %s", cmd->summary);
	if (cmd->alias)
		tsh_out_line(out, "  also called %s", cmd->alias);
	if (cmd->description)
		wrap(out, cmd->description, "  ");
	if (tsh_help_nth_argument(cmd, 0)) {
		title(out, "Arguments");
		help_arguments(out, cmd);
	}
	help_examples_of(out, cmd->examples);
	print_see_also(out, cmd->see_also);
}

static void help_topic(struct tsh_out *out, const struct tsh_topic *topic)
{
	add_bold(out, topic->name, 0);
	tsh_out_line(out, ": %s", topic->summary);
	wrap(out, topic->text, "  ");
	help_examples_of(out, topic->examples);
	print_see_also(out, topic->see_also);
}

/* Prints the help of a name, which can be a command's and a topic's. */
static void help_name(struct tsh_out *out, const char *name)
{
	const struct tsh_cmd *cmd = tsh_cmd_find(name);
	const struct tsh_topic *topic = tsh_topic_find(name);

	if (cmd)
		help_command(out, cmd);
	if (cmd && topic)
		tsh_out_line(out, "%s", "");
	if (topic)
		help_topic(out, topic);
}

/* Prints the text of an alias, with the help of its command. */
static void help_alias(struct tsh_session *s, const char *name, const char *meaning)
{
	char *first = tsh_xstrndup(meaning, strcspn(meaning, " \t;|"));

	tsh_out_line(s->out, "%s is an alias of: %s", name, meaning);
	/* skips its own name, whose help follows */
	if (tsh_cmd_find(first) && strcmp(first, name) != 0) {
		tsh_out_line(s->out, "%s", "");
		help_name(s->out, first);
	}
	if (tsh_cmd_find(name) || tsh_topic_find(name))
		tsh_out_line(s->out, "%s", "");
	free(first);
}

static int help_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *name = tsh_args_text(&call->args, "COMMAND");
	const char *meaning = name ? tsh_alias_find(&s->aliases, name, strlen(name)) : NULL;

	(void)err;
	if (meaning && s->out->format == TSH_FORMAT_TEXT)
		help_alias(s, name, meaning);
	if (s->out->format == TSH_FORMAT_JSON || s->out->format == TSH_FORMAT_CSV)
		table_of_commands(s->out, name ? tsh_cmd_find(name) : NULL,
				  name ? tsh_topic_find(name) : NULL, !name);
	else if (name)
		help_name(s->out, name);
	else if (tsh_args_has(&call->args, "all"))
		list_commands(s->out);
	else
		overview(s->out);
	return 0;
}

static const struct tsh_arg help_args[] = {
	{ .name = "COMMAND", .type = TSH_ARG_COMMAND_NAME, .flags = TSH_ARG_OPTIONAL,
	  .help = "the command or topic to explain" },
	{ .name = "all", .option = "--all", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "all commands and topics, a line each" },
	{ 0 }
};

static const struct tsh_example help_examples[] = {
	{ "help", "one screen: first steps, commands, topics" },
	{ "help --all", "all commands, a line each" },
	{ "help stream", "one command with its arguments and examples" },
	{ "help filters", "a topic" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_help = {
	.name = "help", .group = TSH_GROUP_SESSION, .summary = "explain commands and topics",
	.see_also = "apropos",
	.description = "`COMMAND --help` is the same as `help COMMAND`.",
	.args = help_args, .examples = help_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_PAGES | TSH_CMD_IN_CHECK,
	.run = help_run,
};
