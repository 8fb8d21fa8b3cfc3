/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include <string.h>

#include "kernel/tracefs/lines.h"

/* Finds the lines of a list that a journal's entry names. */

bool tsh_share_is_listed(const struct tsh_file_class *cls)
{
	return cls->compare == TSH_SAME_PIDS || (cls->flags & TSH_CLASS_ADD_ONLY);
}

/* Says whether an entry replaces a list of tasks, and thus is about each task. An entry that was
 * handed over is only about its own lines. */
static bool replaces(const struct tsh_journal_entry *entry)
{
	return (entry->how == TSH_WRITE_SET || entry->how == TSH_WRITE_CLEAR) &&
	       entry->number < TSH_JOURNAL_INHERITED &&
	       tsh_file_class(entry->path)->compare == TSH_SAME_PIDS;
}

bool tsh_share_names_line(const struct tsh_journal_entry *entry, const char *line)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	struct tsh_strlist words = { 0 };
	bool names = replaces(entry);
	size_t i;

	if (tsh_share_is_listed(cls))
		tsh_lines_written(cls, entry->text, &words);
	for (i = 0; i < words.n && !names; i++)
		names = cls->compare == TSH_SAME_PIDS ? !strcmp(words.v[i], line) :
							tsh_line_is_from(entry->path, line, words.v[i]);
	tsh_strlist_release(&words);
	return names;
}
