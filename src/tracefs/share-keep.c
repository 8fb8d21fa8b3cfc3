/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include <stdlib.h>
#include <string.h>

#include "journal-file.h"
#include "lines.h"
#include "others.h"
#include "probe-lines.h"
#include "setting.h"
#include "write.h"

/* Keeping: what others had set before us, and we have asked for as well, they do not take back. */

/* Says whether an entry of ours is about a line of theirs, and whether it wants it to be there. */
static bool wants(const struct tsh_journal_entry *mine, const char *line, bool *ret_there)
{
	const struct tsh_file_class *cls = tsh_file_class(mine->path);
	char *event;
	bool is;

	if (tsh_share_is_listed(cls)) {
		*ret_there = tsh_has_line(cls, mine->after, line);
		return tsh_share_names_line(mine, line);
	}
	*ret_there = *mine->after == '1';
	event = tsh_enabled_event(mine->path);
	is = event && !strcmp(event, line);
	free(event);
	return is;
}

/* Gives what their list goes back to, when the lines that ours is about stay as both want them. */
static char *keep_lines(const struct tsh_journal_entry *theirs, const struct tsh_journal_entry *mine)
{
	const struct tsh_file_class *cls = tsh_file_class(theirs->path);
	struct tsh_strlist after = { 0 }, before = { 0 }, came = { 0 }, kept = { 0 };
	bool there;
	char *text;
	size_t i;

	tsh_lines_split(theirs->before, &before);
	tsh_lines_split(theirs->after, &after);
	tsh_lines_without(cls, &after, &before, &came);
	for (i = 0; i < before.n; i++)
		if (tsh_has_line(cls, theirs->after, before.v[i]) ||
		    !wants(mine, before.v[i], &there) || there)
			tsh_strlist_add(&kept, before.v[i]);
	for (i = 0; i < came.n; i++)
		if (wants(mine, came.v[i], &there) && there)
			tsh_strlist_add(&kept, came.v[i]);
	text = tsh_lines_join(&kept);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(&came);
	tsh_strlist_release(&kept);
	return text;
}

/* Gives the same of a buffer's size, when ours is that of one CPU. */
static char *keep_size(struct tsh_dir *dir, const struct tsh_journal_entry *theirs,
		       const struct tsh_journal_entry *mine)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	unsigned int *cpus;
	size_t i, n = tsh_share_cpus(dir, theirs, &cpus);
	char *size;

	/* What cannot be told to them they take back. */
	if (!n)
		return tsh_xstrdup(theirs->before);
	tsh_strbuf_adds(&text, "X");
	for (i = 0; i < n; i++) {
		bool is_ours = (int)cpus[i] == tsh_size_cpu(mine->path);

		size = tsh_size_of_cpu(is_ours ? theirs->after : theirs->before, (int)cpus[i]);
		if (size)
			tsh_strbuf_addf(&text, "\n%u %s", cpus[i], size);
		free(size);
	}
	free(cpus);
	return tsh_strbuf_detach(&text);
}

/* Gives what an entry of theirs goes back to when what ours has set stays. The caller frees it. */
static char *keep_text(struct tsh_dir *dir, const struct tsh_journal_entry *theirs,
		       const struct tsh_journal_entry *mine)
{
	const struct tsh_file_class *cls = tsh_file_class(theirs->path);
	bool part = tsh_size_cpu(mine->path) >= 0 && tsh_size_cpu(theirs->path) < 0;
	char *wanted, *found, *text;

	if (tsh_share_is_listed(cls))
		return keep_lines(theirs, mine);
	wanted = part ? tsh_xstrdup(mine->after) : tsh_setting_view(mine, mine->after, theirs);
	found = part ? tsh_setting_view(theirs, theirs->after, mine) : tsh_xstrdup(theirs->after);
	if (!wanted || !found || !tsh_class_equal(cls, wanted, found))
		text = tsh_xstrdup(theirs->before);
	else
		text = part ? keep_size(dir, theirs, mine) : tsh_xstrdup(theirs->after);
	free(wanted);
	free(found);
	return text;
}

static void keep_from(struct tsh_dir *dir, const struct tsh_other_entry *e,
		      const struct tsh_journal_entry *mine)
{
	const struct tsh_journal_entry *theirs = tsh_other_entry(e);
	const struct tsh_file_class *cls;
	char *before;
	bool same;

	if (!theirs || !theirs->after)
		return;
	cls = tsh_file_class(theirs->path);
	before = keep_text(dir, theirs, mine);
	same = tsh_share_is_listed(cls) ? tsh_lines_same(cls, before, theirs->after) :
					  tsh_class_equal(cls, before, theirs->after);
	/* What cannot be told to them they take back. */
	if (strcmp(before, theirs->before) != 0)
		(void)tsh_other_amend(e, before, same);
	free(before);
}

/* Tells who has made an instance that we have set something in it which stays. */
static void keep_instance(const struct tsh_journal_entry *mine, struct tsh_other *other)
{
	struct tsh_journal_entries *entries = &other->journal->entries;
	size_t i;

	for (i = 0; i < entries->n; i++) {
		struct tsh_other_entry e = { other, entries->v[i].number, 0 };

		if (entries->v[i].op == TSH_JOURNAL_MKDIR && !entries->v[i].own && !entries->v[i].kept &&
		    tsh_same_instance(&entries->v[i], mine))
			(void)tsh_other_amend(&e, "", true);
	}
}

/* Gives what an entry of theirs goes back to when what ours uses of it stays; NULL: ours uses nothing of it. The
 * caller frees it. */
static char *keep_used_text(const struct tsh_journal_entry *theirs, const struct tsh_journal_entry *mine)
{
	const struct tsh_file_class *cls = tsh_file_class(theirs->path);
	struct tsh_strlist before = { 0 }, after = { 0 }, came = { 0 };
	char *text = NULL;
	bool uses, any = false;
	size_t i;

	if (theirs->op != TSH_JOURNAL_WRITE || !theirs->before || !theirs->after)
		return NULL;
	if (tsh_share_needs_clock(mine, theirs))
		return tsh_xstrdup(theirs->after);
	if (!(cls->flags & (TSH_CLASS_PROBE | TSH_CLASS_TRIGGER)))
		return NULL;
	tsh_lines_split(theirs->before, &before);
	tsh_lines_split(theirs->after, &after);
	tsh_lines_without(cls, &after, &before, &came);
	for (i = 0; i < came.n; i++) {
		/* Leaves those of the command probe, which go with their session. */
		if (cls->flags & TSH_CLASS_PROBE && tsh_probe_owner(came.v[i]))
			continue;
		uses = cls->flags & TSH_CLASS_PROBE ? tsh_share_uses_probe(NULL, mine, came.v[i]) :
						      tsh_share_uses_trigger(NULL, mine, theirs, came.v[i]);
		if (uses)
			tsh_strlist_add(&before, came.v[i]);
		any = any || uses;
	}
	if (any)
		text = tsh_lines_join(&before);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(&came);
	return text;
}

/* Tells all of them what ours uses of theirs, and what that uses: the event of a probe, what a histogram is made of. */
static void keep_used(struct tsh_others *others, const struct tsh_journal_entry *mine)
{
	size_t n, i;

	for (n = 0; n < others->n; n++) {
		struct tsh_journal_entries *entries = &others->v[n].journal->entries;

		for (i = 0; others->v[n].is_here && i < entries->n; i++) {
			const struct tsh_journal_entry *theirs = &entries->v[i];
			const struct tsh_file_class *cls = tsh_file_class(theirs->path);
			struct tsh_other_entry e = { &others->v[n], theirs->number, 0 };
			char *text = theirs != mine && !theirs->kept ? keep_used_text(theirs, mine) : NULL;
			bool same = text && (tsh_share_is_listed(cls) ? tsh_lines_same(cls, text, theirs->after) : true);

			if (text && strcmp(text, theirs->before) != 0 && tsh_other_amend(&e, text, same) >= 0) {
				keep_instance(&entries->v[i], &others->v[n]);
				keep_used(others, &entries->v[i]);
			}
			free(text);
		}
	}
}

/* ---- what of ours is kept ---- */

/* Finds our first and last write to the entry's setting; NULL: there is none whose text before is known. */
static void find_ours(const struct tsh_journal *j, struct tsh_journal_entry *mine,
		      const struct tsh_journal_entry **first, const struct tsh_journal_entry **last)
{
	size_t i;

	*first = *last = NULL;
	for (i = 0; i < j->entries.n; i++) {
		struct tsh_journal_entry *entry = &j->entries.v[i];

		if (entry->number >= TSH_JOURNAL_INHERITED || !entry->before || !tsh_may_meet(entry, mine) ||
		    !tsh_same_setting(entry, mine))
			continue;
		*first = *first ? *first : entry;
		*last = entry;
	}
}

/* Says whether our writes to the entry's setting ask for anything: a value does; lines do not when the last write takes
 * back what the first one has done. */
static bool asks(const struct tsh_journal *j, struct tsh_journal_entry *mine)
{
	const struct tsh_file_class *cls = tsh_file_class(mine->path);
	const struct tsh_journal_entry *first, *last;

	if (!tsh_share_is_listed(cls))
		return true;
	find_ours(j, mine, &first, &last);
	if (!last || last == first || !last->after || !first->after)
		return true;
	return !tsh_lines_same(cls, first->before, last->after) || tsh_lines_same(cls, first->before, first->after);
}

/* Says whether the entry's setting uses anything of others: an event that is off again does not. */
static bool uses(const struct tsh_journal *j, struct tsh_journal_entry *mine)
{
	const struct tsh_journal_entry *first, *last;

	if (!(tsh_file_class(mine->path)->flags & TSH_CLASS_BITS))
		return true;
	find_ours(j, mine, &first, &last);
	return !last || !last->after || *last->after != '0';
}

/* Says whether an entry names a line that the list of another one has gained or lost. */
static bool names_line_of(const struct tsh_journal_entry *mine, const struct tsh_journal_entry *list)
{
	struct tsh_strlist lines = { 0 };
	bool names = false;
	size_t i;

	tsh_lines_split(list->before, &lines);
	tsh_lines_split(list->after, &lines);
	for (i = 0; i < lines.n && !names; i++)
		names = tsh_share_names_line(mine, lines.v[i]);
	tsh_strlist_release(&lines);
	return names;
}

/* Says whether what was handed over to us is kept with an entry of ours: it is that setting, or what that uses. */
static bool is_kept_with(const struct tsh_journal *j, struct tsh_journal_entry *given, struct tsh_journal_entry *mine)
{
	char *text;
	bool is;

	if (given->op == TSH_JOURNAL_MKDIR)
		return tsh_same_instance(given, mine);
	if (mine->op == TSH_JOURNAL_MKDIR || !given->before || !given->after)
		return false;
	if (tsh_share_is_related(given, mine))
		return !tsh_same_setting(given, mine) || !tsh_share_is_listed(tsh_file_class(given->path)) ||
		       names_line_of(mine, given);
	text = uses(j, mine) ? keep_used_text(given, mine) : NULL;
	is = text != NULL;
	free(text);
	return is;
}

/* Finds the entries that are kept: what we ask for, and what was handed over that it needs. The caller frees them. */
static bool *find_kept(struct tsh_journal *j, bool all)
{
	struct tsh_journal_entry *v = j->entries.v;
	bool *kept = tsh_xcalloc(j->entries.n + 1, sizeof(*kept)), more = true;
	size_t i, k;

	for (i = 0; i < j->entries.n; i++)
		kept[i] = v[i].number < TSH_JOURNAL_INHERITED ? v[i].op == TSH_JOURNAL_MKDIR || asks(j, &v[i]) :
								all && v[i].op == TSH_JOURNAL_MKDIR;
	while (more) {
		more = false;
		for (i = 0; i < j->entries.n; i++)
			for (k = 0; k < j->entries.n && !kept[i]; k++)
				if (kept[k] && v[i].number >= TSH_JOURNAL_INHERITED && !v[k].own && is_kept_with(j, &v[i], &v[k]))
					kept[i] = more = true;
	}
	return kept;
}

/* Tells others what they had set before us, and we want, too: they do not take it back. */
static void keep_from_others(struct tsh_dir *dir, struct tsh_journal *j, const bool *kept)
{
	struct tsh_others *others = tsh_others_read(dir, j);
	size_t i, k;

	for (i = 0; others->n && i < j->entries.n; i++) {
		struct tsh_journal_entry *mine = &j->entries.v[i];
		struct tsh_other_entries related = { 0 };

		if (!kept[i] || mine->op != TSH_JOURNAL_WRITE || mine->how == TSH_WRITE_EXPECTED || !mine->before ||
		    !mine->after)
			continue;
		tsh_share_find(others, mine, INT64_MIN, false, &related);
		for (k = 0; k < related.n; k++)
			if (related.v[k].at < mine->at)
				keep_from(dir, &related.v[k], mine);
		tsh_vec_release(&related);
		if (uses(j, mine))
			keep_used(others, mine);
	}
}

static void keep_instances(struct tsh_dir *dir, struct tsh_journal *j, const bool *kept)
{
	struct tsh_others *others = tsh_others_read(dir, j);
	size_t i, k;

	for (i = 0; i < j->entries.n; i++)
		for (k = 0; kept[i] && j->entries.v[i].instance && !j->entries.v[i].own && k < others->n; k++)
			if (others->v[k].is_here)
				keep_instance(&j->entries.v[i], &others->v[k]);
}

/* Tells others what we keep of theirs, and takes out of our entries what was handed over to us and is not kept. */
static void part_kept(struct tsh_dir *dir, struct tsh_journal *j, bool all, struct tsh_journal_entries *ret_rest)
{
	size_t i, left = 0;
	bool *kept;

	if (!j->entries.n || (!tsh_others_read(dir, j)->n && !j->inherited))
		return;
	kept = find_kept(j, all);
	keep_from_others(dir, j, kept);
	keep_instances(dir, j, kept);
	for (i = 0; i < j->entries.n; i++) {
		if (!kept[i] && j->entries.v[i].number >= TSH_JOURNAL_INHERITED && j->file->name)
			*(struct tsh_journal_entry *)tsh_vec_push(ret_rest) = j->entries.v[i];
		else
			j->entries.v[left++] = j->entries.v[i];
	}
	j->entries.n = left;
	free(kept);
}

/* Appends it to our journal once more: it is taken back when we end. */
static void inherit_rest(struct tsh_journal *j, struct tsh_journal_entries *rest)
{
	size_t i;

	for (i = 0; i < rest->n; i++) {
		(void)tsh_journal_inherit(j->file->disk.fd, TSH_JOURNAL_INHERITED + j->inherited + (unsigned int)i,
					  TSH_JOURNAL_BY_TIME, &rest->v[i]);
		tsh_journal_entry_release(&rest->v[i]);
	}
	if (rest->n)
		(void)tsh_journal_catch_up(j);
	tsh_vec_release(rest);
}

unsigned int tsh_journal_commit(struct tsh_dir *dir, struct tsh_journal *j, bool all)
{
	struct tsh_journal_entries rest = { 0 };
	struct tsh_write_lock lock = { .fd = -1 };
	unsigned int kept;

	if (j->file) {
		free(tsh_write_lock_for_undo(dir, &lock));
		(void)tsh_journal_catch_up(j);
		part_kept(dir, j, all, &rest);
	}
	kept = tsh_journal_lasting(j);
	tsh_journal_keep(j);
	inherit_rest(j, &rest);
	tsh_write_unlock(&lock);
	return kept;
}
