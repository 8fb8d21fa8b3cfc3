/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include <string.h>

#include "help.h"

/* help: from the table of commands. */

const char *const tsh_group_titles[TSH_GROUP_N] = {
	[TSH_GROUP_FIND] = "Find what there is",
	[TSH_GROUP_CONTROL] = "Control",
	[TSH_GROUP_FILE] = "Any file of the instance",
	[TSH_GROUP_SEE] = "See",
	[TSH_GROUP_SESSION] = "Session",
};

void tsh_help_argument(struct tsh_strbuf *out, const struct tsh_arg *arg)
{
	const char *word = arg->option ? arg->option : arg->clause;

	if (word)
		tsh_strbuf_adds(out, word);
	if (arg->type == TSH_ARG_FLAG)
		return;
	if (word)
		tsh_strbuf_addc(out, ' ');
	tsh_strbuf_adds(out, arg->name);
	if (arg->flags & TSH_ARG_MANY)
		tsh_strbuf_adds(out, "..");
}

const struct tsh_arg *tsh_help_nth_argument(const struct tsh_cmd *cmd, size_t i)
{
	size_t own = 0;

	while (cmd->args[own].name)
		own++;
	if (i < own)
		return &cmd->args[i];
	if (!(cmd->flags & TSH_CMD_PRINTS) || !tsh_cmd_common_args[i - own].name)
		return NULL;
	return &tsh_cmd_common_args[i - own];
}

/* ---- help ---- */

static size_t longest_name(void)
{
	size_t i, longest = 0;

	for (i = 0; tsh_commands[i]; i++)
		if (strlen(tsh_commands[i]->name) > longest)
			longest = strlen(tsh_commands[i]->name);
	return longest;
}

static void title(struct tsh_out *out, const char *text)
{
	tsh_strbuf_adds(&out->data, tsh_out_style(out, TSH_STYLE_BOLD));
	tsh_strbuf_adds(&out->data, text);
	tsh_strbuf_adds(&out->data, tsh_out_style(out, TSH_STYLE_NONE));
	tsh_strbuf_addc(&out->data, '\n');
}

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
	tsh_out_line(out, "help COMMAND says more. TAB completes.");
}

/* For programs: one command, or all. */
static void table_of_commands(struct tsh_out *out, const struct tsh_cmd *only)
{
	static const struct tsh_column columns[] = {
		{ "command", TSH_COLUMN_TEXT }, { "group", TSH_COLUMN_TEXT },
		{ "usage", TSH_COLUMN_TEXT }, { "summary", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(out, "command", columns);
	struct tsh_strbuf usage = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; tsh_commands[i]; i++) {
		const struct tsh_cmd *cmd = tsh_commands[i];

		if (only && cmd != only)
			continue;
		tsh_strbuf_clear(&usage);
		tsh_grammar_usage(&usage, cmd->name, cmd->args);
		tsh_table_row(table);
		tsh_table_text(table, cmd->name);
		tsh_table_text(table, tsh_group_names[cmd->group]);
		tsh_table_text(table, usage.buf);
		tsh_table_text(table, cmd->summary);
	}
	tsh_table_end(table);
	tsh_strbuf_release(&usage);
}

#define LINE_WIDTH 78

/* A paragraph broken into lines; newlines in the text separate paragraphs. */
static void wrap(struct tsh_out *out, const char *text, const char *indent)
{
	size_t width = LINE_WIDTH - strlen(indent);

	while (*text) {
		size_t len = strcspn(text, "\n"), cut;

		if (len > width) {
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
		if (!arg->choices)
			continue;
		tsh_strbuf_clear(&left);
		for (j = 0; arg->choices[j]; j++)
			tsh_strbuf_addf(&left, "%s%s", j ? ", " : "", arg->choices[j]);
		tsh_out_line(out, "  %*s  one of: %s", (int)width, "", left.buf);
	}
	tsh_strbuf_release(&left);
}

static void help_command(struct tsh_out *out, const struct tsh_cmd *cmd)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

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
	title(out, "Examples");
	for (i = 0; cmd->examples && cmd->examples[i].text; i++) {
		tsh_out_line(out, "  %s", cmd->examples[i].text);
		if (cmd->examples[i].help)
			tsh_out_line(out, "      %s", cmd->examples[i].help);
	}
}

static int help_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *name = tsh_args_text(&call->args, "COMMAND");
	const struct tsh_cmd *cmd = name ? tsh_cmd_find(name) : NULL;

	(void)err;
	if (s->out->format == TSH_FORMAT_JSON || s->out->format == TSH_FORMAT_CSV)
		table_of_commands(s->out, cmd);
	else if (cmd)
		help_command(s->out, cmd);
	else
		list_commands(s->out);
	return 0;
}

static const struct tsh_arg help_args[] = {
	{ .name = "COMMAND", .type = TSH_ARG_COMMAND_NAME, .flags = TSH_ARG_OPTIONAL,
	  .help = "the command to explain" },
	{ 0 }
};

static const struct tsh_example help_examples[] = {
	{ "help", "all commands, a line each" },
	{ "help stream", "one command with its arguments and examples" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_help = {
	.name = "help", .group = TSH_GROUP_SESSION, .summary = "explain commands",
	.args = help_args, .examples = help_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_IN_CHECK,
	.run = help_run,
};
