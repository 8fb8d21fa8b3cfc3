/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include <stdlib.h>

#include "kernel/tracefs/lines.h"
#include "kernel/journal/setting.h"
#include "kernel/journal/others.h"

/* Finds the session that will undo a value that was set already when ours asked for it. */

/* Says whether a write of another session has changed the setting of ours, so that it will be
 * undone; line: a line of our list, or NULL. A write that changed nothing, or whose change is kept,
 * does not count. */
static bool changes(const struct tsh_journal_entry *theirs, const struct tsh_journal_entry *mine, const char *line)
{
	const struct tsh_file_class *cls = tsh_file_class(mine->path);
	char *before, *after;
	bool does;

	if (!theirs || !theirs->after)
		return theirs != NULL;
	before = tsh_setting_convert_text(theirs, theirs->before, mine);
	after = before ? tsh_setting_convert_text(theirs, theirs->after, mine) : NULL;
	/* Their setting is the size of a CPU, ours that of all. */
	if (!after)
		does = !tsh_class_equal(tsh_file_class(theirs->path), theirs->before, theirs->after);
	else if (line)
		does = tsh_has_line(cls, before, line) != tsh_has_line(cls, after, line);
	else
		does = !tsh_class_equal(cls, before, after);
	free(before);
	free(after);
	return does;
}

/* Says whether both entries name a line that the list has, and the other session's entry changed
 * it. theirs NULL: whether ours names one. */
static bool names_same(const struct tsh_journal_entry *theirs, const struct tsh_journal_entry *mine, const char *now)
{
	struct tsh_strlist lines = { 0 };
	bool names = false;
	size_t i;

	tsh_lines_split(now, &lines);
	for (i = 0; i < lines.n && !names; i++)
		names = tsh_share_names_line(mine, lines.v[i]) &&
			(!theirs || ((!tsh_share_is_listed(tsh_file_class(theirs->path)) ||
				      tsh_share_names_line(theirs, lines.v[i])) &&
				     changes(theirs, mine, lines.v[i])));
	tsh_strlist_release(&lines);
	return names;
}

bool tsh_share_is_in_effect(const struct tsh_journal_entry *entry, const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);

	return tsh_share_is_listed(cls) ? names_same(NULL, entry, now) : tsh_class_equal(cls, entry->after, now);
}

bool tsh_share_has_older_line(const struct tsh_journal *j, size_t first, const struct tsh_journal_entry *entry,
			      const char *now)
{
	bool lists = tsh_share_is_listed(tsh_file_class(entry->path)), is = false;
	size_t i;

	for (i = first; lists && !is && i < j->entries.n && &j->entries.v[i] != entry; i++)
		is = tsh_share_is_related(&j->entries.v[i], (struct tsh_journal_entry *)entry) &&
		     names_same(&j->entries.v[i], entry, now);
	return is;
}

pid_t tsh_share_holder(const struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_journal_entry *entry,
		       const char *now)
{
	struct tsh_others *others = tsh_others_read(dir, j);
	struct tsh_other_entries related = { 0 };
	bool lists = tsh_share_is_listed(tsh_file_class(entry->path));
	pid_t holder = 0;
	size_t i;

	if (!tsh_share_is_in_effect(entry, now))
		return 0;
	tsh_share_find(others, entry, INT64_MIN, false, &related);
	for (i = related.n; i-- > 0 && !holder;)
		if (tsh_other_is_alive(related.v[i].other) && tsh_other_entry(&related.v[i]) &&
		    (lists ? names_same(tsh_other_entry(&related.v[i]), entry, now) :
			     changes(tsh_other_entry(&related.v[i]), entry, NULL)))
			holder = related.v[i].other->owner.pid;
	tsh_vec_release(&related);
	return holder;
}
