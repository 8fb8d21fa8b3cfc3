/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

struct tsh_journal *tsh_journal_new(void)
{
	return tsh_xcalloc(1, sizeof(struct tsh_journal));
}

static void release_entry(struct tsh_journal_entry *entry)
{
	free(entry->instance);
	free(entry->path);
	free(entry->before);
	free(entry->text);
	free(entry->after);
}

static void drop_entry(struct tsh_journal *j, size_t i)
{
	release_entry(&j->entries.v[i]);
	memmove(&j->entries.v[i], &j->entries.v[i + 1],
		(j->entries.n - i - 1) * sizeof(j->entries.v[0]));
	j->entries.n--;
}

void tsh_journal_free(struct tsh_journal *j)
{
	size_t i;

	if (!j)
		return;
	tsh_journal_keep(j);
	for (i = 0; i < j->entries.n; i++)
		release_entry(&j->entries.v[i]);
	tsh_vec_release(&j->entries);
	tsh_vec_release(&j->commands);
	free(j);
}

void tsh_journal_begin(struct tsh_journal *j, const char *text)
{
	struct tsh_journal_command *command = tsh_vec_push(&j->commands);

	command->number = ++j->last_command;
	command->text = tsh_xstrdup(text);
}

struct tsh_journal_entry *tsh_journal_add(struct tsh_journal *j, const struct tsh_instance *in,
					  const char *path)
{
	struct tsh_journal_entry *entry = tsh_vec_push(&j->entries);

	entry->command = j->last_command;
	entry->instance = in->name ? tsh_xstrdup(in->name) : NULL;
	entry->path = tsh_xstrdup(path);
	entry->own = in->own;
	return entry;
}

void tsh_journal_drop_last(struct tsh_journal *j)
{
	if (j->entries.n)
		drop_entry(j, j->entries.n - 1);
}

unsigned int tsh_journal_settings(const struct tsh_journal *j)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < j->entries.n; i++)
		count += !j->entries.v[i].own;
	return count;
}

unsigned int tsh_journal_commands(const struct tsh_journal *j)
{
	unsigned int count = 0, last = 0;
	size_t i;

	for (i = 0; i < j->entries.n; i++) {
		if (j->entries.v[i].own || j->entries.v[i].command == last)
			continue;
		last = j->entries.v[i].command;
		count++;
	}
	return count;
}

unsigned int tsh_journal_mark(const struct tsh_journal *j)
{
	return j->last_command;
}

static void problem(struct tsh_undo_report *report, const struct tsh_journal_entry *entry,
		    const char *why)
{
	char *text;

	if (entry->op == TSH_JOURNAL_MKDIR)
		text = tsh_xasprintf("instance '%s': %s", entry->instance, why);
	else if (entry->instance)
		text = tsh_xasprintf("instances/%s/%s: %s", entry->instance, entry->path, why);
	else
		text = tsh_xasprintf("%s: %s", entry->path, why);
	tsh_strlist_take(&report->problems, text);
}

static void undo_mkdir(struct tsh_dir *dir, const struct tsh_journal_entry *entry,
		       struct tsh_undo_report *report)
{
	int r = tsh_instance_remove(dir, entry->instance);

	if (r < 0 && r != -ENOENT)
		problem(report, entry, r == -EBUSY ? "in use, not removed" : strerror(-r));
	else if (!r && !entry->own)
		report->settings++;
}

static void undo_write(struct tsh_dir *dir, const struct tsh_journal_entry *entry,
		       struct tsh_undo_report *report)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	struct tsh_instance *in;
	struct tsh_err err = { 0 };
	char *now;
	int r;

	if (tsh_instance_open(dir, entry->instance, &in, &err) < 0) {
		/* Gone with its settings: nothing is left of the write. */
		tsh_err_release(&err);
		return;
	}
	now = tsh_write_image(in, entry->path, entry->text);
	if (!now) {
		/* An event of a probe or module that is gone took its files along. */
		if (tsh_file_exists(in, entry->path))
			problem(report, entry, "cannot be read back; left as it is");
	} else if (entry->after && !tsh_class_equal(cls, entry->after, now)) {
		if (!tsh_class_equal(cls, entry->before, now))
			problem(report, entry, "changed by somebody else since; left as it is");
	} else {
		r = tsh_restore_file(in, entry, now);
		if (r < 0)
			problem(report, entry, strerror(-r));
		else
			report->settings++;
	}
	free(now);
	tsh_instance_close(in);
}

static void undo_last(struct tsh_dir *dir, struct tsh_undo_report *report)
{
	struct tsh_journal *j = dir->journal;
	/* A copy: taking back may move the array. */
	struct tsh_journal_entry entry = j->entries.v[j->entries.n - 1];

	j->entries.n--;
	if (entry.op == TSH_JOURNAL_MKDIR)
		undo_mkdir(dir, &entry, report);
	else if (entry.before)
		undo_write(dir, &entry, report);
	else
		problem(report, &entry, "there is no way back");
	release_entry(&entry);
}

void tsh_journal_undo_to(struct tsh_dir *dir, unsigned int mark, struct tsh_undo_report *report)
{
	struct tsh_journal *j = dir->journal;
	unsigned int last = 0;

	while (j->entries.n && j->entries.v[j->entries.n - 1].command > mark) {
		const struct tsh_journal_entry *newest = &j->entries.v[j->entries.n - 1];

		if (!newest->own && newest->command != last) {
			last = newest->command;
			report->commands++;
		}
		undo_last(dir, report);
	}
}

void tsh_journal_undo(struct tsh_dir *dir, unsigned int count, struct tsh_undo_report *report)
{
	struct tsh_journal *j = dir->journal;

	while (count-- && j->entries.n)
		tsh_journal_undo_to(dir, j->entries.v[j->entries.n - 1].command - 1, report);
}

void tsh_journal_keep(struct tsh_journal *j)
{
	size_t i;

	/* Instances of our own go in any case: they are no setting of the user's. */
	for (i = j->entries.n; i-- > 0;)
		if (!j->entries.v[i].own)
			drop_entry(j, i);
	for (i = 0; i < j->commands.n; i++)
		free(j->commands.v[i].text);
	j->commands.n = 0;
}

void tsh_journal_forget_instance(struct tsh_journal *j, const char *name)
{
	size_t i;

	for (i = j->entries.n; i-- > 0;)
		if (j->entries.v[i].instance && !strcmp(j->entries.v[i].instance, name))
			drop_entry(j, i);
}

void tsh_undo_report_release(struct tsh_undo_report *report)
{
	tsh_strlist_release(&report->problems);
	report->commands = report->settings = 0;
}
