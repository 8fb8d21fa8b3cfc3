/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <string.h>

#include "output/columns.h"
#include "session/settings.h"
#include "session/util.h"

/* Declares set and let: settings and variables of the session. */

static void list_settings(struct tsh_session *s)
{
	static const struct tsh_column columns[] = {
		{ "setting", TSH_COLUMN_TEXT }, { "value", TSH_COLUMN_TEXT },
		{ "help", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "setting", columns);
	const struct tsh_setting *setting;

	for (setting = tsh_settings_table; setting->name; setting++) {
		tsh_table_texts(table, setting->name, tsh_setting_text(&s->settings, setting), setting->help);
	}
	tsh_table_end(table);
}

/* Finds what is wrong in a value: in a list of columns the name. */
static struct tsh_span wrong_part(const struct tsh_setting *setting, const struct tsh_word *word)
{
	struct tsh_span span = word->span;
	struct tsh_line_columns parsed;
	struct tsh_err ignored = { 0 };
	const char *name = word->text;

	/* blames the whole word where quotes or a variable shift its bytes */
	if (setting->kind != TSH_SETTING_COLUMNS || span.end - span.begin != word->len)
		return span;
	(void)tsh_line_columns_parse(&parsed, word->text, &ignored);
	tsh_err_release(&ignored);
	while (parsed.n--)
		name += strcspn(name, ",") + 1;
	span.begin += (size_t)(name - word->text);
	span.end = span.begin + strcspn(name, ",");
	return span.end > span.begin ? span : word->span;
}

static int set_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *name = tsh_args_text(&call->args, "SETTING");
	const struct tsh_value *value = tsh_args_get(&call->args, "VALUE");
	const struct tsh_setting *setting = name ? tsh_setting_find(name) : NULL;

	if (!setting) {
		list_settings(s);
		return 0;
	}
	if (!value) {
		struct tsh_fields *f = tsh_fields_begin(s->out, "setting");

		tsh_fields_text(f, setting->name, tsh_setting_text(&s->settings, setting));
		tsh_fields_end(f);
		return 0;
	}
	if (tsh_settings_assign(&s->settings, setting->name, value->word.text, err) < 0) {
		tsh_err_blame(err, wrong_part(setting, &value->word));
		return -1;
	}
	s->ops->settings_changed(s);
	return 0;
}

static const struct tsh_arg set_args[] = {
	{ .name = "SETTING", .type = TSH_ARG_SETTING, .flags = TSH_ARG_OPTIONAL,
	  .help = "its name; without a value it is shown" },
	{ .name = "VALUE", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL,
	  .help = "the new value" },
	{ 0 }
};

static const struct tsh_example set_examples[] = {
	{ "set", "all settings" },
	{ "set time short", "times without the date" },
	{ "set format json", "one JSON object a line" },
	{ "set prompt '%i%n> '", "a short prompt: the instance and how many events are enabled" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_set = {
	.name = "set", .group = TSH_GROUP_SESSION, .summary = "show or change settings of tracesh",
	.description = "In set prompt stand " TSH_PROMPT_HELP ". What is set for all sessions stands "
		       "in the file rc, see FILES in tracesh(1).\n"
		       "set decoders: who prints the events whose text functions of the kernel make: on, libtraceevent "
		       "where it knows them; off, nobody, as name=value; all, libtraceevent prints all events, as trace-cmd does.",
	.see_also = "let keys",
	.args = set_args, .examples = set_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_PAGES | TSH_CMD_IN_CHECK,
	.run = set_run,
};

static int let_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *name = tsh_args_get(&call->args, "NAME");

	if (!s->ops->set_var(s, name->word.text, tsh_args_text(&call->args, "value"), err))
		return 0;
	tsh_err_blame(err, name->word.span);
	return -1;
}

static const struct tsh_arg let_args[] = {
	{ .name = "NAME", .type = TSH_ARG_ASSIGNMENT, .help = "the variable; used as ${NAME}" },
	{ 0 }
};

static const struct tsh_example let_examples[] = {
	{ "let pid = 1", "then: filter sched_switch next_pid == ${pid}" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_let = {
	.name = "let", .group = TSH_GROUP_SESSION, .summary = "set a variable",
	.description = "Variables are ${name}, $1 to $9, $# and $?. Any other $ belongs to the "
		       "kernel's grammars.",
	.see_also = "set batch",
	.args = let_args, .examples = let_examples,
	.flags = TSH_CMD_IN_CHECK,
	.defines_with = "",
	.run = let_run,
};
