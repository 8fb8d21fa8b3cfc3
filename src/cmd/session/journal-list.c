/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/journal.h"
#include "session/util.h"

/* Declares journal: lists what was changed. */

/* Adds "14:03:07", without the day: it is today's as a rule, and the table is narrow. */
static void add_time(struct tsh_table *table, struct tsh_time_text *t, int64_t wall)
{
	char text[TSH_TIME_ROOM];
	char *end = tsh_time_text_write(t, text, wall);

	*end = '\0';
	text[strcspn(text, ".")] = '\0';
	tsh_table_text(table, text);
}

/* Adds a row for an instance that another session has handed over. */
static void add_handed_over(struct tsh_table *table, const struct tsh_journal_entry *entry)
{
	char *text = tsh_xasprintf("(instance '%s', handed over by another session; goes with this one)",
				   entry->instance);

	tsh_table_row(table);
	tsh_table_text(table, NULL);
	tsh_table_text(table, NULL);
	tsh_table_number(table, 1);
	tsh_table_text(table, text);
	free(text);
}

static void list_commands(struct tsh_session *s)
{
	static const struct tsh_column columns[] = {
		{ "number", TSH_COLUMN_NUMBER }, { "time", TSH_COLUMN_TEXT },
		{ "settings", TSH_COLUMN_NUMBER }, { "command", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "journal", columns);
	const struct tsh_journal *j = s->dir->journal;
	struct tsh_time_text t;
	size_t begin = 0, end;

	tsh_time_text_init(&t, TSH_TIME_SHORT, false);
	for (; begin < j->entries.n && tsh_journal_is_inherited_instance(&j->entries.v[begin]); begin++)
		add_handed_over(table, &j->entries.v[begin]);
	for (; begin < j->entries.n; begin = end) {
		const struct tsh_journal_command *command =
			tsh_journal_command(j, j->entries.v[begin].command);
		unsigned int settings = 0;

		for (end = begin; end < j->entries.n && j->entries.v[end].command ==
							j->entries.v[begin].command; end++)
			settings += tsh_journal_is_setting(&j->entries.v[end]);
		if (!settings)
			continue;
		tsh_table_row(table);
		tsh_table_number(table, j->entries.v[begin].command);
		if (command)
			add_time(table, &t, command->time);
		else
			tsh_table_text(table, NULL);
		tsh_table_number(table, settings);
		tsh_table_text(table, command ? command->text : NULL);
	}
	tsh_time_text_release(&t);
	tsh_table_end(table);
}

/* Adds a value on one line, cut to fit a table. */
static void add_value(struct tsh_table *table, const struct tsh_file_class *cls, const char *text)
{
	char *value = text ? tsh_class_normalize(cls, text) : NULL;

	if (value && strlen(value) > 60)
		memcpy(value + 57, "...", 4);
	tsh_table_text(table, value);
	free(value);
}

static const char *way_back(const struct tsh_journal_entry *entry)
{
	static const char *const words[] = {
		[TSH_BACK_NONE] = "none", [TSH_BACK_WRITE] = "write", [TSH_BACK_REPLACE] = "replace",
		[TSH_BACK_SIZES] = "CPU by CPU", [TSH_BACK_FUNCTIONS] = "replace",
		[TSH_BACK_LINES] = "line by line", [TSH_BACK_TRIGGERS] = "line by line",
		[TSH_BACK_PROBES] = "line by line", [TSH_BACK_SYNTHETIC] = "line by line",
	};

	if (entry->op == TSH_JOURNAL_MKDIR)
		return "rmdir";
	if (entry->left)
		return "left: changed since";
	return entry->before ? words[tsh_file_class(entry->path)->inverse] : "none";
}

static void list_writes(struct tsh_session *s)
{
	static const struct tsh_column columns[] = {
		{ "number", TSH_COLUMN_NUMBER }, { "instance", TSH_COLUMN_TEXT },
		{ "file", TSH_COLUMN_TEXT }, { "before", TSH_COLUMN_TEXT },
		{ "written", TSH_COLUMN_TEXT }, { "back", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "write", columns);
	const struct tsh_journal *j = s->dir->journal;
	size_t i;

	for (i = 0; i < j->entries.n; i++) {
		const struct tsh_journal_entry *entry = &j->entries.v[i];
		const struct tsh_file_class *cls = tsh_file_class(entry->path);

		tsh_table_row(table);
		if (tsh_journal_is_inherited_instance(entry))
			tsh_table_text(table, NULL);
		else
			tsh_table_number(table, entry->command);
		tsh_table_text(table, tsh_instance_word(entry->instance));
		tsh_table_text(table, entry->op == TSH_JOURNAL_MKDIR ? "(the instance)" : entry->path);
		add_value(table, cls, entry->before);
		if (entry->how == TSH_WRITE_EXPECTED)
			tsh_table_text(table, "(by the trigger)");
		else
			add_value(table, cls, entry->text);
		tsh_table_text(table, way_back(entry));
	}
	tsh_table_end(table);
}

static int journal_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	(void)err;
	if (!s->dir->journal->entries.n)
		tsh_out_note(s->out, "nothing was changed%s",
			     s->dir->journal->undone.n ? "; redo makes what was taken back again" : "");
	else if (tsh_args_has(&call->args, "writes"))
		list_writes(s);
	else
		list_commands(s);
	return 0;
}

static const struct tsh_arg journal_args[] = {
	{ .name = "writes", .option = "-v", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "every write: the file, its text before, and how it is taken back" },
	{ 0 }
};

static const struct tsh_example journal_examples[] = {
	{ "journal", "the commands that changed something" },
	{ "journal -v", "file by file" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_journal = {
	.name = "journal", .group = TSH_GROUP_SESSION,
	.summary = "what was changed, and can be taken back",
	.description = "The commands since the start, or the last keep, that changed a setting, "
		       "oldest first; undo takes the last one back. The same stands in "
		       "/run/tracesh (when that is full, /var/lib/tracesh), for the case that tracesh is "
		       "killed.",
	.see_also = "undo restore keep",
	.args = journal_args, .examples = journal_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES | TSH_CMD_LIVE,
	.run = journal_run,
};
