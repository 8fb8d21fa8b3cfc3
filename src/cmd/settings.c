/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "names.h"
#include "util.h"

static const char *const on_off[] = { "off", "on", NULL };
static const char *const at_exit_names[] = { "ask", "keep", "restore", NULL };
static const char *const precision_names[] = { "us", "ns", NULL };

#define SETTING(field) offsetof(struct tsh_settings, field)

const struct tsh_setting tsh_settings_table[] = {
	{ "format", TSH_SETTING_CHOICE, SETTING(format), tsh_format_names,
	  "how lists and events are printed" },
	{ "time", TSH_SETTING_CHOICE, SETTING(time), tsh_time_style_names,
	  "how the time of an event is printed" },
	{ "precision", TSH_SETTING_BOOL, SETTING(precision_ns), precision_names,
	  "digits of the seconds: us for six, ns for nine" },
	{ "tz", TSH_SETTING_STRING, SETTING(tz), NULL,
	  "time zone, as Europe/Berlin or UTC; empty: the machine's" },
	{ "pipefail", TSH_SETTING_BOOL, SETTING(pipefail), on_off,
	  "a failing program behind | fails the command" },
	{ "show-writes", TSH_SETTING_BOOL, SETTING(show_writes), on_off,
	  "show each write to tracefs as a shell command" },
	{ "at-exit", TSH_SETTING_CHOICE, SETTING(at_exit), at_exit_names,
	  "what becomes of the settings at the end: ask (at the prompt), keep, restore" },
	{ 0 }
};

const struct tsh_setting *tsh_setting_find(const char *name)
{
	const struct tsh_setting *setting;

	for (setting = tsh_settings_table; setting->name; setting++)
		if (!strcmp(setting->name, name))
			return setting;
	return NULL;
}

/* The value as text; borrowed from the settings or the table. */
static const char *setting_text(const struct tsh_settings *set, const struct tsh_setting *setting)
{
	const char *field = (const char *)set + setting->offset;
	const char *text;

	switch (setting->kind) {
	case TSH_SETTING_CHOICE:
		return setting->choices[*(const unsigned int *)(const void *)field];
	case TSH_SETTING_BOOL:
		return setting->choices[*(const bool *)field];
	default:
		text = *(char *const *)(const void *)field;
		return text ? text : "";
	}
}

static int find_choice(const struct tsh_setting *setting, const char *value)
{
	int i;

	for (i = 0; setting->choices[i]; i++)
		if (!strcmp(setting->choices[i], value))
			return i;
	return -1;
}

static int bad_choice(const struct tsh_setting *setting, const char *value, struct tsh_err *err)
{
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	int i;

	for (i = 0; setting->choices[i]; i++)
		tsh_strbuf_addf(&list, "%s%s", i ? ", " : "", setting->choices[i]);
	tsh_err_set(err, TSH_USAGE, "'%s' is no value of '%s'", value, setting->name);
	tsh_err_hint(err, "one of: %s", list.buf);
	tsh_strbuf_release(&list);
	return -1;
}

/*
 * libc takes every zone that it does not know for UTC. A name is a file of the zone
 * database; a rule (POSIX TZ: CET-1CEST, <+03>-3) has digits.
 */
bool tsh_time_zone_is_known(const char *value)
{
	const char *dir = getenv("TZDIR");
	char *path;
	bool there;

	if (!*value || !strcmp(value, "UTC") || !strcmp(value, "GMT") ||
	    (strpbrk(value, "0123456789") && !strchr(value, '/')))
		return true;
	if (*value == '/' || strstr(value, ".."))
		return false;
	path = tsh_xasprintf("%s/%s", dir ? dir : "/usr/share/zoneinfo", value);
	there = access(path, R_OK) == 0;
	free(path);
	return there;
}

static int set_value(struct tsh_settings *set, const struct tsh_setting *setting,
		     const char *value, struct tsh_err *err)
{
	char *field = (char *)set + setting->offset;
	int choice;

	if (setting->kind == TSH_SETTING_STRING) {
		char **text = (char **)(void *)field;

		free(*text);
		*text = *value ? tsh_xstrdup(value) : NULL;
		return 0;
	}
	choice = find_choice(setting, value);
	if (choice < 0)
		return bad_choice(setting, value, err);
	if (setting->kind == TSH_SETTING_BOOL)
		*(bool *)field = choice;
	else
		*(unsigned int *)(void *)field = (unsigned int)choice;
	return 0;
}

int tsh_settings_assign(struct tsh_settings *set, const char *name, const char *value,
			struct tsh_err *err)
{
	return set_value(set, tsh_setting_find(name), value, err);
}

static void list_settings(struct tsh_session *s)
{
	static const struct tsh_column columns[] = {
		{ "setting", TSH_COLUMN_TEXT }, { "value", TSH_COLUMN_TEXT },
		{ "help", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "setting", columns);
	const struct tsh_setting *setting;

	for (setting = tsh_settings_table; setting->name; setting++) {
		tsh_table_row(table);
		tsh_table_text(table, setting->name);
		tsh_table_text(table, setting_text(&s->settings, setting));
		tsh_table_text(table, setting->help);
	}
	tsh_table_end(table);
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

		tsh_fields_text(f, setting->name, setting_text(&s->settings, setting));
		tsh_fields_end(f);
		return 0;
	}
	if (set_value(&s->settings, setting, value->word.text, err) < 0) {
		tsh_err_blame(err, value->word.span);
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
	{ 0 }
};

const struct tsh_cmd tsh_cmd_set = {
	.name = "set", .group = TSH_GROUP_SESSION, .summary = "show or change settings of tracesh",
	.args = set_args, .examples = set_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_IN_CHECK,
	.run = set_run,
};

static int let_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	(void)err;
	s->ops->set_var(s, tsh_args_text(&call->args, "NAME"),
			tsh_args_text(&call->args, "value"));
	return 0;
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
	.args = let_args, .examples = let_examples,
	.flags = TSH_CMD_IN_CHECK,
	.run = let_run,
};
