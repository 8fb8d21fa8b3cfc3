/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include <stdlib.h>

#include "kernel/journal/file.h"
#include "kernel/journal/others.h"
#include "kernel/journal/setting.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/size.h"

/* Repairs what a kill has interrupted. Finds the result of a write: the next session recorded it as
 * the text before its own write. Drops entries that a killed session had handed over. */

/* Undoes an entry in a list: removes what it added, adds what it removed. */
static void reverse(const struct tsh_journal_entry *theirs, struct tsh_strlist *lines)
{
	const struct tsh_file_class *cls = tsh_file_class(theirs->path);
	struct tsh_strlist before = { 0 }, after = { 0 }, left = { 0 };
	size_t i;

	tsh_lines_split(theirs->before, &before);
	tsh_lines_split(theirs->after ? theirs->after : theirs->before, &after);
	tsh_lines_without(cls, lines, &after, &left);
	for (i = 0; i < before.n; i++)
		if (!tsh_strlist_has(&left, before.v[i]))
			tsh_strlist_add(&left, before.v[i]);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(lines);
	*lines = left;
}

/* Returns the text of a list before the first n entries, which were handed over to their sessions
 * and thus have only their own lines. The caller frees it. */
static char *without_handed_over(const struct tsh_other_entries *later, size_t n, const char *text)
{
	struct tsh_strlist lines = { 0 };
	char *ret;

	tsh_lines_split(text, &lines);
	while (n-- > 0) {
		const struct tsh_journal_entry *theirs = tsh_other_entry(&later->v[n]);

		if (theirs)
			reverse(theirs, &lines);
	}
	ret = tsh_lines_join(&lines);
	tsh_strlist_release(&lines);
	return ret;
}

char *tsh_share_read_after(struct tsh_dir *dir, struct tsh_journal *j,
			   const struct tsh_journal_entry *mine, const char *now)
{
	bool lists = tsh_share_is_listed(tsh_file_class(mine->path));
	struct tsh_other_entries later = { 0 };
	const struct tsh_journal_entry *theirs = NULL;
	size_t i, n = 0;
	char *ret;

	tsh_share_find(tsh_others_read(dir, j), mine, mine->at, false, &later);
	for (i = 0; i < later.n; i++) {
		theirs = tsh_other_entry(&later.v[i]);
		if (theirs && tsh_same_setting(theirs, mine))
			later.v[n++] = later.v[i];
	}
	for (i = 0; i < n; i++) {
		theirs = tsh_other_entry(&later.v[i]);
		if (!lists || theirs->number < TSH_JOURNAL_INHERITED)
			break;
	}
	ret = lists ? without_handed_over(&later, i, i < n ? theirs->before : now) :
		      tsh_xstrdup(i < n ? theirs->before : now);
	tsh_vec_release(&later);
	return ret;
}

/* ---- values that were handed over before a session was killed ---- */

/* Says whether an entry of the killed session restores the same value as the entry that it handed
 * over. */
static bool begins_handed_over(const struct tsh_journal_entry *theirs, const struct tsh_journal_entry *given)
{
	char *before = tsh_setting_convert_text(theirs, theirs->before, given);
	bool begins = before && tsh_class_equal(tsh_file_class(given->path), before, given->before);

	free(before);
	return begins;
}

/* Holds the numbers of entries. */
struct numbers { unsigned int *v; size_t n, cap; };

/* Collects the entry at index `newest`, and the older ones that were undone with it. Collects none
 * when the entry that was handed over restores another value. */
static void find_handed_over(const struct tsh_journal_entries *entries, size_t newest,
			     const struct tsh_journal_entry *given,
			     struct numbers *ret)
{
	bool begins = false;
	size_t i;

	for (i = newest + 1; i-- > 0 && !begins;) {
		if (!tsh_same_setting(&entries->v[i], &entries->v[newest]))
			continue;
		*tsh_vec_push(ret) = entries->v[i].number;
		begins = begins_handed_over(&entries->v[i], given);
	}
	if (!begins)
		ret->n = 0;
}

/* Says whether an entry of a session was handed over as `given`. Entries that are handed over in
 * parts do not count, because the rest is still to be undone: the sizes of all CPUs, and what a
 * trigger has switched. */
static bool is_handed_over(struct tsh_journal_entry *theirs, struct tsh_journal_entry *given)
{
	bool in_part = given->how == TSH_WRITE_EXPECTED ||
		       (tsh_size_cpu(given->path) >= 0 && tsh_size_cpu(theirs->path) < 0);

	return theirs->at == given->at && theirs->number < TSH_JOURNAL_INHERITED && !in_part &&
	       tsh_share_is_related(theirs, given) && !tsh_share_is_listed(tsh_file_class(theirs->path));
}

static bool is_value_handed_over(const struct tsh_journal_entry *entry)
{
	return entry->number >= TSH_JOURNAL_INHERITED && entry->op == TSH_JOURNAL_WRITE && entry->before;
}

static void drop_theirs(struct tsh_other *other, struct tsh_journal_entry *given)
{
	struct tsh_journal_entries *entries = &other->journal->entries;
	struct numbers gone = { 0 };
	size_t k;

	for (k = 0; k < entries->n && !gone.n; k++)
		if (is_handed_over(&entries->v[k], given))
			find_handed_over(entries, k, given, &gone);
	/* Entries that cannot be identified are undone twice. */
	if (gone.n)
		(void)tsh_other_drop(other, gone.v, gone.n);
	tsh_vec_release(&gone);
}

static void drop_ours(struct tsh_journal *j, struct tsh_journal_entry *given)
{
	struct numbers gone = { 0 };
	size_t i, k;

	for (k = 0; k < j->entries.n && !gone.n; k++)
		if (is_handed_over(&j->entries.v[k], given))
			find_handed_over(&j->entries, k, given, &gone);
	if (gone.n && j->file)
		tsh_journal_file_append_gone(j, gone.v, gone.n);
	for (k = j->entries.n; k-- > 0;) {
		for (i = 0; i < gone.n && j->entries.v[k].number != gone.v[i]; i++)
			;
		if (i == gone.n)
			continue;
		j->entries.v[k].recorded = false;
		tsh_journal_drop(j, k);
	}
	tsh_vec_release(&gone);
}

void tsh_share_drop_handed_over(struct tsh_others *others, struct tsh_journal *j)
{
	size_t i, k;

	for (i = 0; i < others->n; i++) {
		struct tsh_journal_entries *theirs = &others->v[i].journal->entries;

		for (k = 0; others->v[i].is_same_tracefs && k < j->entries.n; k++)
			if (is_value_handed_over(&j->entries.v[k]))
				drop_theirs(&others->v[i], &j->entries.v[k]);
		for (k = 0; others->v[i].is_same_tracefs && k < theirs->n; k++)
			if (is_value_handed_over(&theirs->v[k]))
				drop_ours(j, &theirs->v[k]);
	}
}
