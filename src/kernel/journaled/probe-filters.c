/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journaled.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/value.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/probe-lines.h"

/* Records filters that the kernel drops with the event of a removed probe, as if they had been
 * cleared before. */

static const char none[] = "none";

/* Adds an entry for the filter of an event in one instance. */
static void expect_in(struct tsh_instance *in, const char *path)
{
	struct tsh_journal *j = in->dir->journal;
	struct tsh_journal_entry *entry;
	char *before;

	if (tsh_write_image(in, path, "0", &before) < 0 || !before)
		return;
	if (tsh_class_equal(tsh_file_class(path), before, none)) {
		free(before);
		return;
	}
	entry = tsh_journal_add(j, in, path);
	entry->how = TSH_WRITE_SET;
	entry->before = before;
	entry->text = tsh_xstrdup("0");
	entry->after = tsh_xstrdup(none);
	tsh_journal_record(j, in->dir);
	tsh_journal_record_success(j);
}

static void expect_everywhere(struct tsh_dir *dir, const char *path, const struct tsh_strlist *names)
{
	size_t i;

	for (i = 0; i < names->n + 1; i++) {
		struct tsh_err ignored = { 0 };
		struct tsh_instance *in;

		if (tsh_instance_open(dir, i ? names->v[i - 1] : NULL, &in, &ignored) < 0) {
			tsh_err_release(&ignored);
			continue;
		}
		expect_in(in, path);
		tsh_instance_close(in);
	}
}

/* Lists the lines of a text that remove probes. */
static void list_removals(const char *text, struct tsh_strlist *ret)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_lines_split(text, &lines);
	for (i = 0; i < lines.n; i++)
		if (*lines.v[i] == '-' || *lines.v[i] == '!')
			tsh_strlist_add(ret, lines.v[i]);
	tsh_strlist_release(&lines);
}

static bool removes(const struct tsh_strlist *removals, const char *path, const char *probe)
{
	size_t i;

	for (i = 0; i < removals->n; i++)
		if (tsh_line_is_from(path, probe, removals->v[i]))
			return true;
	return false;
}

unsigned int tsh_expect_filter_removal(struct tsh_instance *in, const char *path, const char *text)
{
	unsigned int last = in->dir->journal->last_entry;
	struct tsh_strlist lines = { 0 }, names = { 0 };
	struct tsh_strlist removals = { 0 };
	char *probes, *folder, *filter;
	size_t i;

	if (!tsh_dir_is_script(in->dir) && tsh_file_class(path)->flags & TSH_CLASS_PROBE)
		list_removals(text, &removals);
	if (!removals.n)
		return 0;
	probes = tsh_file_text(in, path);
	if (probes)
		tsh_lines_split(probes, &lines);
	tsh_instance_list(in->dir, &names);
	for (i = 0; i < lines.n; i++) {
		folder = removes(&removals, path, lines.v[i]) ? tsh_probe_folder(lines.v[i]) : NULL;
		if (!folder)
			continue;
		filter = tsh_xasprintf("%sfilter", folder);
		expect_everywhere(in->dir, filter, &names);
		free(filter);
		free(folder);
	}
	tsh_strlist_release(&names);
	tsh_strlist_release(&lines);
	tsh_strlist_release(&removals);
	free(probes);
	return last + 1;
}

/* Says whether the filter is still there. */
static bool has_stayed(struct tsh_dir *dir, const struct tsh_journal_entry *entry)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	bool stayed;
	char *now;

	if (tsh_instance_open(dir, entry->instance, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return false;
	}
	stayed = tsh_write_image(in, entry->path, entry->text, &now) == 0 && now &&
		 tsh_class_equal(tsh_file_class(entry->path), entry->before, now);
	free(now);
	tsh_instance_close(in);
	return stayed;
}

void tsh_drop_filter_removal(struct tsh_dir *dir, unsigned int first)
{
	struct tsh_journal *j = dir->journal;
	size_t i = j->entries.n;

	while (first && i-- > 0 && j->entries.v[i].number >= first)
		if ((tsh_file_class(j->entries.v[i].path)->flags & TSH_CLASS_FILTER) &&
		    has_stayed(dir, &j->entries.v[i]))
			tsh_journal_drop(j, i);
}
