/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "help.h"
#include "session/cmd.h"

/* Makes the COMMANDS and TOPICS sections of the man page (man(7)) from the tables. */

/* Appends plain text for roff, in which an unescaped '-' is a hyphen, a '\' begins an escape, and a
 * line that begins with '.' or ''' is a request. */
static void add_roff(struct tsh_strbuf *out, const char *text)
{
	for (; *text; text++) {
		bool at_start = !out->len || out->buf[out->len - 1] == '\n';

		if (at_start && (*text == '.' || *text == '\''))
			tsh_strbuf_adds(out, "\\&");
		if (*text == '\\')
			tsh_strbuf_adds(out, "\\e");
		else if (*text == '-')
			tsh_strbuf_adds(out, "\\-");
		else if (*text == '\'')
			tsh_strbuf_adds(out, "\\(aq");
		else if (*text == '^')
			tsh_strbuf_adds(out, "\\(ha");
		else if (*text == '~')
			tsh_strbuf_adds(out, "\\(ti");
		else if (*text == '`')
			tsh_strbuf_adds(out, "\\(ga");
		else
			tsh_strbuf_addc(out, *text);
	}
}

static void add_line(struct tsh_strbuf *out, const char *text)
{
	add_roff(out, text);
	tsh_strbuf_addc(out, '\n');
}

static void add_bold(struct tsh_strbuf *out, const char *text)
{
	tsh_strbuf_adds(out, "\\fB");
	add_roff(out, text);
	tsh_strbuf_adds(out, "\\fR\n");
}

static void add_description(struct tsh_strbuf *out, const struct tsh_cmd *cmd)
{
	struct tsh_strlist paragraphs = { 0 };
	size_t i;

	if (cmd->description)
		tsh_strlist_split_lines(&paragraphs, cmd->description);
	for (i = 0; i < paragraphs.n; i++) {
		if (!paragraphs.v[i][0])
			continue;
		tsh_strbuf_adds(out, ".IP\n");
		add_line(out, paragraphs.v[i]);
	}
	tsh_strlist_release(&paragraphs);
	if (!cmd->alias)
		return;
	tsh_strbuf_adds(out, ".IP\nAlso called\n");
	add_bold(out, cmd->alias);
}

static void add_choices(struct tsh_strbuf *out, const struct tsh_arg *arg)
{
	size_t i;

	if (!arg->choices || arg->type == TSH_ARG_EXPRESSION)
		return;
	tsh_strbuf_adds(out, "(one of: ");
	for (i = 0; arg->choices[i]; i++) {
		if (i)
			tsh_strbuf_adds(out, ", ");
		add_roff(out, arg->choices[i]);
	}
	tsh_strbuf_adds(out, ")\n");
}

static void add_arguments(struct tsh_strbuf *out, const struct tsh_cmd *cmd)
{
	struct tsh_strbuf name = TSH_STRBUF_INIT;
	const struct tsh_arg *arg;
	size_t i;

	if (!tsh_help_nth_argument(cmd, 0))
		return;
	tsh_strbuf_adds(out, ".RS\n");
	for (i = 0; (arg = tsh_help_nth_argument(cmd, i)); i++) {
		tsh_strbuf_clear(&name);
		tsh_help_argument(&name, arg);
		tsh_strbuf_adds(out, ".TP\n");
		add_bold(out, name.buf);
		if (arg->help)
			add_line(out, arg->help);
		add_choices(out, arg);
	}
	tsh_strbuf_adds(out, ".RE\n");
	tsh_strbuf_release(&name);
}

static void add_examples(struct tsh_strbuf *out, const struct tsh_example *examples)
{
	size_t i;

	if (!examples || !examples[0].text)
		return;
	tsh_strbuf_adds(out, ".IP\nExamples:\n.RS\n");
	for (i = 0; examples[i].text; i++) {
		tsh_strbuf_adds(out, ".TP\n");
		add_bold(out, examples[i].text);
		if (examples[i].help)
			add_line(out, examples[i].help);
	}
	tsh_strbuf_adds(out, ".RE\n");
}

static void add_see_also(struct tsh_strbuf *out, const char *see)
{
	if (!see)
		return;
	tsh_strbuf_adds(out, ".IP\nSee also: ");
	add_line(out, see);
}

static void add_command(struct tsh_strbuf *out, const struct tsh_cmd *cmd)
{
	struct tsh_strbuf usage = TSH_STRBUF_INIT;

	tsh_grammar_usage(&usage, cmd->name, cmd->args);
	tsh_strbuf_adds(out, ".TP\n");
	add_bold(out, usage.buf);
	add_line(out, cmd->summary);
	add_description(out, cmd);
	add_arguments(out, cmd);
	add_examples(out, cmd->examples);
	add_see_also(out, cmd->see_also);
	tsh_strbuf_release(&usage);
}

/* Appends a topic. Lines that begin with a blank are a table, which roff does not fill. */
static void add_topic(struct tsh_strbuf *out, const struct tsh_topic *topic)
{
	struct tsh_strlist lines = { 0 };
	bool is_table = false;
	size_t i;

	tsh_strbuf_adds(out, ".TP\n");
	add_bold(out, topic->name);
	add_line(out, topic->summary);
	tsh_strlist_split_lines(&lines, topic->text);
	for (i = 0; i < lines.n; i++) {
		bool was_table = is_table;

		is_table = lines.v[i][0] == ' ';
		if (is_table && !was_table)
			tsh_strbuf_adds(out, ".IP\n.nf\n");
		else if (!is_table)
			tsh_strbuf_adds(out, was_table ? ".fi\n.IP\n" : ".IP\n");
		add_line(out, lines.v[i] + is_table);
	}
	if (is_table)
		tsh_strbuf_adds(out, ".fi\n");
	tsh_strlist_release(&lines);
	add_examples(out, topic->examples);
	add_see_also(out, topic->see_also);
}

void tsh_help_man(const struct tsh_cmd *const *commands, struct tsh_strbuf *out)
{
	unsigned int group;
	size_t i;

	tsh_strbuf_adds(out, ".SH COMMANDS\n");
	for (group = 0; group < TSH_GROUP_N; group++) {
		tsh_strbuf_adds(out, ".SS ");
		add_line(out, tsh_group_titles[group]);
		for (i = 0; commands[i]; i++)
			if (commands[i]->group == group)
				add_command(out, commands[i]);
	}
	tsh_strbuf_adds(out, ".SH TOPICS\n");
	for (i = 0; tsh_topics[i].name; i++)
		add_topic(out, &tsh_topics[i]);
}

static void add_examples_of(struct tsh_strbuf *out, const char *kind, const char *name, const struct tsh_example *example)
{
	for (; example && example->text; example++)
		tsh_strbuf_addf(out, "%s%s\t%s\n", kind, name, example->text);
}

void tsh_help_examples(const struct tsh_cmd *const *commands, struct tsh_strbuf *out)
{
	size_t i;

	for (i = 0; commands[i]; i++)
		add_examples_of(out, "", commands[i]->name, commands[i]->examples);
	for (i = 0; tsh_topics[i].name; i++)
		add_examples_of(out, "topic:", tsh_topics[i].name, tsh_topics[i].examples);
}
