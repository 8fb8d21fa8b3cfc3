/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "file.h"
#include "others.h"
#include "kernel/tracefs/probe.h"

struct tsh_journal *tsh_journal_new(void)
{
	return tsh_xcalloc(1, sizeof(struct tsh_journal));
}

void tsh_journal_entry_release(struct tsh_journal_entry *entry)
{
	free(entry->instance);
	free(entry->path);
	free(entry->before);
	free(entry->text);
	free(entry->after);
}

static void forget_undone(struct tsh_journal *j)
{
	size_t i;

	for (i = 0; i < j->undone.n; i++)
		tsh_journal_entry_release(&j->undone.v[i]);
	j->undone.n = 0;
}

bool tsh_journal_is_done(const struct tsh_journal *j)
{
	return !j->entries.n && !j->cut && !j->damaged;
}

bool tsh_journal_has_file(const struct tsh_journal *j)
{
	return j->file && j->file->name;
}

void tsh_journal_free(struct tsh_journal *j)
{
	size_t i;

	if (!j)
		return;
	tsh_others_free(j->others);
	tsh_journal_file_close(j->file, tsh_journal_is_done(j));
	for (i = 0; i < j->entries.n; i++)
		tsh_journal_entry_release(&j->entries.v[i]);
	tsh_vec_release(&j->entries);
	forget_undone(j);
	tsh_vec_release(&j->undone);
	for (i = 0; i < j->commands.n; i++)
		free(j->commands.v[i].text);
	tsh_vec_release(&j->commands);
	free(j);
}

void tsh_journal_disown(struct tsh_journal *j)
{
	size_t i;

	if (j->hooks && j->hooks->disown)
		j->hooks->disown(j->hooks->ctx);
	tsh_journal_file_close(j->file, false);
	j->file = NULL;
	for (i = 0; i < j->entries.n; i++)
		tsh_journal_entry_release(&j->entries.v[i]);
	j->entries.n = 0;
	for (i = 0; i < j->commands.n; i++)
		j->commands.v[i].recorded = false;
	forget_undone(j);
}

void tsh_journal_begin(struct tsh_journal *j, const char *text)
{
	struct tsh_journal_command *command = NULL;

	/* Replaces the last command when it has written nothing, as most commands do. */
	if (j->commands.n && !j->commands.v[j->commands.n - 1].wrote) {
		command = &j->commands.v[j->commands.n - 1];
		free(command->text);
	} else {
		command = tsh_vec_push(&j->commands);
	}
	command->number = ++j->last_command;
	command->time = tsh_now_ns(CLOCK_REALTIME);
	command->text = tsh_xstrdup(text);
}

const struct tsh_journal_command *tsh_journal_command(const struct tsh_journal *j,
						      unsigned int number)
{
	size_t i;

	for (i = j->commands.n; i-- > 0;)
		if (j->commands.v[i].number == number)
			return &j->commands.v[i];
	return NULL;
}

/* ---- entries ---- */

struct tsh_journal_entry *tsh_journal_add(struct tsh_journal *j, const struct tsh_instance *in,
					  const char *path)
{
	struct tsh_journal_entry *entry = tsh_vec_push(&j->entries);

	entry->number = ++j->last_entry;
	entry->command = j->last_command;
	if (j->commands.n)
		j->commands.v[j->commands.n - 1].wrote = true;
	entry->instance = in->name ? tsh_xstrdup(in->name) : NULL;
	entry->path = tsh_xstrdup(path);
	entry->identity = in->identity;
	entry->own = in->own;
	entry->at = tsh_kernel_ns(CLOCK_BOOTTIME);
	return entry;
}

void tsh_journal_record(struct tsh_journal *j, const struct tsh_dir *dir)
{
	struct tsh_journal_entry *entry = &j->entries.v[j->entries.n - 1];
	struct tsh_journal_command *command;

	if (tsh_dir_is_script(dir) || !tsh_journal_file_open(j, dir))
		return;
	command = (struct tsh_journal_command *)tsh_journal_command(j, entry->command);
	if (command && !command->recorded) {
		tsh_journal_file_append_command(j, command);
		command->recorded = true;
	}
	tsh_journal_file_append_entry(j, entry);
	entry->recorded = true;
}

void tsh_journal_record_success(struct tsh_journal *j)
{
	const struct tsh_journal_entry *entry = &j->entries.v[j->entries.n - 1];

	/* Clears the list for redo only now, because a write that the kernel refuses is not a
	 * change by the user. An own entry and the possible effect of a trigger are none,
	 * either. */
	if (!entry->own && entry->how != TSH_WRITE_EXPECTED && !j->redoing)
		forget_undone(j);
	if (entry->recorded)
		tsh_journal_file_append_done(j, entry);
}

void tsh_journal_drop(struct tsh_journal *j, size_t i)
{
	struct tsh_journal_entry entry = j->entries.v[i];

	memmove(&j->entries.v[i], &j->entries.v[i + 1],
		(j->entries.n - i - 1) * sizeof(j->entries.v[0]));
	j->entries.n--;
	if (entry.recorded)
		tsh_journal_file_append_gone(j, &entry.number, 1);
	tsh_journal_entry_release(&entry);
}

void tsh_journal_drop_last(struct tsh_journal *j)
{
	if (j->entries.n)
		tsh_journal_drop(j, j->entries.n - 1);
}

static bool makes_own_probe(const struct tsh_journal_entry *entry)
{
	return entry->op == TSH_JOURNAL_WRITE &&
	       tsh_file_class(entry->path)->inverse == TSH_BACK_PROBES && *entry->text != '-' &&
	       tsh_probe_owner(entry->text);
}

void tsh_journal_forget_back(struct tsh_journal *j)
{
	size_t i, kept = 0;

	/* Own instances and probes are removed in any case: they are not settings of the user. */
	for (i = 0; i < j->entries.n; i++) {
		j->entries.v[i].own |= makes_own_probe(&j->entries.v[i]);
		if (!j->entries.v[i].own && !j->entries.v[i].unkept) {
			tsh_journal_entry_release(&j->entries.v[i]);
			continue;
		}
		j->entries.v[i].held |= !j->entries.v[i].unkept && j->entries.v[i].op == TSH_JOURNAL_WRITE;
		j->entries.v[i].unkept = false;
		j->entries.v[kept++] = j->entries.v[i];
	}
	j->entries.n = kept;
	forget_undone(j);
}

void tsh_journal_hold(struct tsh_journal *j)
{
	size_t i;

	for (i = 0; i < j->entries.n; i++)
		j->entries.v[i].held = true;
}

unsigned int tsh_journal_forget_left(struct tsh_journal *j)
{
	unsigned int forgotten = 0;
	size_t i;

	for (i = j->entries.n; i-- > 0;) {
		if (!j->entries.v[i].left)
			continue;
		forgotten += tsh_journal_is_setting(&j->entries.v[i]);
		tsh_journal_drop(j, i);
	}
	(void)tsh_journal_file_append_left(j);
	return forgotten;
}

void tsh_journal_forget_instance(struct tsh_journal *j, const char *name)
{
	size_t i;

	for (i = j->entries.n; i-- > 0;)
		if (j->entries.v[i].instance && !strcmp(j->entries.v[i].instance, name))
			tsh_journal_drop(j, i);
}

/* ---- counts ---- */

bool tsh_journal_makes_instance(const struct tsh_journal *j, const char *instance)
{
	size_t i;

	for (i = 0; i < j->entries.n; i++)
		if (j->entries.v[i].op == TSH_JOURNAL_MKDIR && !strcmp(j->entries.v[i].instance, instance))
			return true;
	return false;
}

bool tsh_journal_is_setting(const struct tsh_journal_entry *entry)
{
	return !entry->own && entry->how != TSH_WRITE_EXPECTED &&
	       entry->number < TSH_JOURNAL_INHERITED;
}

bool tsh_journal_is_inherited_instance(const struct tsh_journal_entry *entry)
{
	return entry->op == TSH_JOURNAL_MKDIR && entry->number >= TSH_JOURNAL_INHERITED;
}

unsigned int tsh_journal_count_settings(const struct tsh_journal *j)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < j->entries.n; i++)
		count += tsh_journal_is_setting(&j->entries.v[i]);
	return count;
}

unsigned int tsh_journal_count_lasting(const struct tsh_journal *j)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < j->entries.n; i++)
		count += !j->entries.v[i].unkept &&
			 (tsh_journal_is_inherited_instance(&j->entries.v[i]) ||
			  (tsh_journal_is_setting(&j->entries.v[i]) && !makes_own_probe(&j->entries.v[i])));
	return count;
}

unsigned int tsh_journal_count_commands(const struct tsh_journal *j)
{
	unsigned int count = 0, last = 0;
	size_t i;

	for (i = 0; i < j->entries.n; i++) {
		if (j->entries.v[i].own || j->entries.v[i].held || j->entries.v[i].command == last ||
		    tsh_journal_is_inherited_instance(&j->entries.v[i]))
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
