/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include "kernel/journal/others.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/pids.h"

/* Finds tasks that came to a list by a fork, when other sessions have listed tasks, too. */

/* Adds the tasks that a session has listed. */
static void add_named(const struct tsh_other_entries *related, const struct tsh_other *session, struct tsh_strlist *ret)
{
	size_t i;

	for (i = 0; i < related->n; i++) {
		const struct tsh_journal_entry *theirs = tsh_other_entry(&related->v[i]);

		if (related->v[i].other == session && theirs && tsh_share_lists_tasks(theirs))
			tsh_strlist_split_words(ret, theirs->text);
	}
}

/* Says whether a task was in the list before the session wrote to it. */
static bool was_there(const struct tsh_other_entries *related, const struct tsh_other *session, const char *task)
{
	bool was = false;
	size_t i;

	for (i = 0; i < related->n && !was; i++) {
		const struct tsh_journal_entry *theirs = tsh_other_entry(&related->v[i]);

		was = related->v[i].other == session && theirs &&
		      tsh_has_line(tsh_file_class(theirs->path), theirs->before, task);
	}
	return was;
}

bool tsh_share_lists_tasks(const struct tsh_journal_entry *entry)
{
	return entry->how == TSH_WRITE_SET || entry->how == TSH_WRITE_ADD;
}

bool tsh_share_is_last(const struct tsh_other_entries *related, size_t i)
{
	size_t k;

	for (k = i + 1; k < related->n && related->v[k].other != related->v[i].other; k++)
		;
	return k == related->n && tsh_other_is_alive(related->v[i].other);
}

void tsh_share_add_children(const struct tsh_other_entries *related, const struct tsh_other *session,
			    const struct tsh_file_class *cls, const struct tsh_strlist *after,
			    const struct tsh_strlist *forked, const char *now, struct tsh_strlist *ret)
{
	struct tsh_strlist named = { 0 }, present = { 0 }, gone = { 0 }, theirs = { 0 }, listed = { 0 };
	struct tsh_strlist written = { 0 }, ours = { 0 }, all = { 0 }, found = { 0 };
	struct tsh_pids_change change = { .before = &ours, .after = &all, .now = forked, .followed = true };
	size_t i;

	add_named(related, session, &named);
	tsh_lines_split(now, &present);
	tsh_lines_without(cls, &named, &present, &gone);
	tsh_lines_without(cls, &named, &gone, &theirs);
	tsh_lines_without(cls, after, forked, &written);
	tsh_lines_without(cls, &written, &theirs, &ours);
	for (i = 0; i < ours.n; i++)
		tsh_strlist_add(&all, ours.v[i]);
	for (i = 0; i < theirs.n; i++)
		tsh_strlist_add(&all, theirs.v[i]);
	if (named.n)
		tsh_pids_forked(&change, ret, NULL);
	/* Repeats the search with orphans, whose ancestors are unknown: they stay until the last
	 * session ends. */
	change.lost = true;
	tsh_lines_without(cls, forked, ret, &listed);
	change.now = &listed;
	if (named.n)
		tsh_pids_forked(&change, &found, NULL);
	for (i = 0; i < found.n; i++)
		if (!was_there(related, session, found.v[i]))
			tsh_strlist_add(ret, found.v[i]);
	tsh_strlist_release(&named);
	tsh_strlist_release(&present);
	tsh_strlist_release(&gone);
	tsh_strlist_release(&theirs);
	tsh_strlist_release(&listed);
	tsh_strlist_release(&written);
	tsh_strlist_release(&ours);
	tsh_strlist_release(&all);
	tsh_strlist_release(&found);
}

void tsh_share_without_children(struct tsh_others *others, struct tsh_journal_entry *list,
				const struct tsh_strlist *forked, const char *now, struct tsh_strlist *after)
{
	const struct tsh_file_class *cls = tsh_file_class(list->path);
	struct tsh_strlist children = { 0 }, left = { 0 };
	struct tsh_other_entries related = { 0 };
	size_t i;

	if (others && forked->n)
		tsh_share_find(others, list, INT64_MIN, false, &related);
	for (i = 0; i < related.n; i++)
		if (tsh_share_is_last(&related, i))
			tsh_share_add_children(&related, related.v[i].other, cls, after, forked, now, &children);
	tsh_lines_without(cls, after, &children, &left);
	tsh_strlist_release(after);
	*after = left;
	tsh_strlist_release(&children);
	tsh_vec_release(&related);
}

void tsh_share_without_family(struct tsh_others *others, struct tsh_journal_entry *list, struct tsh_strlist *tasks)
{
	const struct tsh_file_class *cls = tsh_file_class(list->path);
	struct tsh_strlist named = { 0 }, none = { 0 }, children = { 0 }, left = { 0 };
	struct tsh_pids_change change = { .before = &none, .after = &named, .now = tasks };
	struct tsh_other_entries related = { 0 };
	size_t i;

	if (others && tasks->n)
		tsh_share_find(others, list, INT64_MIN, false, &related);
	for (i = 0; i < related.n; i++)
		if (tsh_share_is_last(&related, i))
			add_named(&related, related.v[i].other, &named);
	tsh_pids_forked(&change, &children, NULL);
	for (i = 0; i < named.n; i++)
		tsh_strlist_add(&children, named.v[i]);
	tsh_lines_without(cls, tasks, &children, &left);
	tsh_strlist_release(tasks);
	*tasks = left;
	tsh_strlist_release(&named);
	tsh_strlist_release(&children);
	tsh_vec_release(&related);
}
