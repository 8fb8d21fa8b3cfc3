/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/file.h"
#include "kernel/journal/others.h"
#include "kernel/journal/setting.h"
#include "kernel/journal/write-lock.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/probe-lines.h"
#include "kernel/tracefs/size.h"

/* Commits settings (the command keep): when another session had set the same before us, it is told
 * not to undo it. */

/* Says whether an entry of ours is about a line of theirs. */
static bool is_about(const struct tsh_journal_entry *mine, const char *line)
{
	char *event;
	bool is;

	if (tsh_share_is_listed(tsh_file_class(mine->path)))
		return tsh_share_names_line(mine, line);
	event = tsh_enabled_event(mine->path);
	is = event && !strcmp(event, line);
	free(event);
	return is;
}

/* Returns the text that their list is to restore, so that the lines of our entry stay as they are.
 * The caller frees it. */
static char *kept_lines(const struct tsh_journal_entry *theirs, const struct tsh_journal_entry *mine)
{
	const struct tsh_file_class *cls = tsh_file_class(theirs->path);
	struct tsh_strlist after = { 0 }, before = { 0 }, came = { 0 }, kept = { 0 };
	char *text;
	size_t i;

	tsh_lines_split(theirs->before, &before);
	tsh_lines_split(theirs->after, &after);
	tsh_lines_without(cls, &after, &before, &came);
	for (i = 0; i < before.n; i++)
		if (tsh_has_line(cls, theirs->after, before.v[i]) || !is_about(mine, before.v[i]))
			tsh_strlist_add(&kept, before.v[i]);
	for (i = 0; i < came.n; i++)
		if (is_about(mine, came.v[i]))
			tsh_strlist_add(&kept, came.v[i]);
	text = tsh_lines_join(&kept);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(&came);
	tsh_strlist_release(&kept);
	return text;
}

/* Does the same for the size of all buffers, when our entry is the size of one CPU. */
static char *kept_size(struct tsh_dir *dir, const struct tsh_journal_entry *theirs,
		       const struct tsh_journal_entry *mine)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	unsigned int *cpus;
	size_t i, n = tsh_share_cpus(dir, theirs, &cpus);
	char *size;

	/* Their value is not changed when the CPUs are unknown, so that they undo it. */
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

/* Returns the text that another session's entry is to restore when our setting stays: nothing of
 * that setting is theirs any more, whatever they had set. The caller frees it. */
static char *kept_text(struct tsh_dir *dir, const struct tsh_journal_entry *theirs,
		       const struct tsh_journal_entry *mine)
{
	if (tsh_share_is_listed(tsh_file_class(theirs->path)))
		return kept_lines(theirs, mine);
	if (tsh_size_cpu(mine->path) >= 0 && tsh_size_cpu(theirs->path) < 0)
		return kept_size(dir, theirs, mine);
	return tsh_xstrdup(theirs->after);
}

/* Prepares to tell another session that our setting stays. Returns 0 or -errno; so do the following
 * functions. */
static int prepare_entry(struct tsh_dir *dir, const struct tsh_other_entry *e, const struct tsh_journal_entry *mine)
{
	const struct tsh_journal_entry *theirs = tsh_other_entry(e);
	const struct tsh_file_class *cls;
	char *before;
	bool same;
	int r = 0;

	if (!theirs || !theirs->after)
		return 0;
	cls = tsh_file_class(theirs->path);
	before = kept_text(dir, theirs, mine);
	same = tsh_share_is_listed(cls) ? tsh_lines_same(cls, before, theirs->after) :
					  tsh_class_equal(cls, before, theirs->after);
	if (strcmp(before, theirs->before) != 0)
		r = tsh_other_prepare(e, before, same);
	free(before);
	return r;
}

/* Prepares to tell the session that made an instance that a setting of ours in it stays. */
static int prepare_instance(const struct tsh_journal_entry *mine, struct tsh_other *other)
{
	struct tsh_journal_entries *entries = &other->journal->entries;
	size_t i;
	int r = 0;

	for (i = 0; !r && i < entries->n; i++) {
		struct tsh_other_entry e = { other, entries->v[i].number, 0 };

		if (entries->v[i].op == TSH_JOURNAL_MKDIR && !entries->v[i].own && !entries->v[i].kept &&
		    tsh_same_instance(&entries->v[i], mine))
			r = tsh_other_prepare(&e, "", true);
	}
	return r;
}

/* Returns the text that another session's entry is to restore when the part of it that our entry
 * uses stays, or NULL when it uses nothing of it. The caller frees it. */
static char *kept_used_text(const struct tsh_journal_entry *theirs, const struct tsh_journal_entry *mine)
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
		/* Leaves out probes of the command probe, which are always removed at the end of
		 * their session. */
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

/* Prepares to tell other sessions to leave what our entry uses, such as the event of a probe or of
 * a histogram, and what these settings use themselves. */
static int prepare_used(struct tsh_others *others, const struct tsh_journal_entry *mine)
{
	size_t n, i;
	int r = 0;

	for (n = 0; n < others->n; n++) {
		struct tsh_journal_entries *entries = &others->v[n].journal->entries;

		for (i = 0; !r && others->v[n].is_same_tracefs && i < entries->n; i++) {
			const struct tsh_journal_entry *theirs = &entries->v[i];
			const struct tsh_file_class *cls = tsh_file_class(theirs->path);
			struct tsh_other_entry e = { &others->v[n], theirs->number, 0 };
			char *text = theirs != mine && !theirs->kept ? kept_used_text(theirs, mine) : NULL;
			bool same = text && (!tsh_share_is_listed(cls) || tsh_lines_same(cls, text, theirs->after));

			if (text && strcmp(text, theirs->before) != 0) {
				r = tsh_other_prepare(&e, text, same);
				r = r ? r : prepare_instance(&entries->v[i], &others->v[n]);
				r = r ? r : prepare_used(others, &entries->v[i]);
			}
			free(text);
		}
	}
	return r;
}

/* ---- entries of ours that are kept ---- */

/* Finds our first and last write to the entry's setting; NULL when none has a known text before
 * it. */
static void find_ours(const struct tsh_journal *j, struct tsh_journal_entry *mine,
		      const struct tsh_journal_entry **first, const struct tsh_journal_entry **last)
{
	size_t i;

	*first = *last = NULL;
	for (i = 0; i < j->entries.n; i++) {
		struct tsh_journal_entry *entry = &j->entries.v[i];

		if (entry->number >= TSH_JOURNAL_INHERITED || !entry->before || !tsh_may_be_related(entry, mine) ||
		    !tsh_same_setting(entry, mine))
			continue;
		*first = *first ? *first : entry;
		*last = entry;
	}
}

/* Says whether a write removes lines, and adds none. */
static bool removes_lines(const struct tsh_journal_entry *entry)
{
	return entry->how == TSH_WRITE_LESS || entry->how == TSH_WRITE_CLEAR || !*entry->text || *entry->text == '!' ||
	       *entry->text == '-';
}

/* Says whether our writes to the entry's setting ask for anything. A value does. A list does not,
 * when the last write has undone the first one. */
static bool asks(const struct tsh_journal *j, struct tsh_journal_entry *mine)
{
	const struct tsh_file_class *cls = tsh_file_class(mine->path);
	const struct tsh_journal_entry *first, *last;

	if (!tsh_share_is_listed(cls))
		return true;
	find_ours(j, mine, &first, &last);
	if (!last || last == first || !last->after || !first->after || !removes_lines(last))
		return true;
	return !tsh_lines_same(cls, first->before, last->after) || tsh_lines_same(cls, first->before, first->after);
}

/* Says whether the entry's setting uses anything of others: an event that is disabled again does
 * not. */
static bool uses(const struct tsh_journal *j, struct tsh_journal_entry *mine)
{
	const struct tsh_journal_entry *first, *last;

	if (!(tsh_file_class(mine->path)->flags & TSH_CLASS_BITS))
		return true;
	find_ours(j, mine, &first, &last);
	return !last || !last->after || *last->after != '0';
}

/* Says whether an entry names a line that `list` has gained or lost. */
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

/* Says whether an entry that was handed over to us is kept with an entry of ours: it is the same
 * setting, or one that ours uses. */
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
	text = uses(j, mine) ? kept_used_text(given, mine) : NULL;
	is = text != NULL;
	free(text);
	return is;
}

/* Finds the entries to keep: those that ask for something, and entries that were handed over and
 * are needed by these. The caller frees the array. */
static bool *find_kept(struct tsh_journal *j, bool all)
{
	struct tsh_journal_entry *v = j->entries.v;
	bool *kept = tsh_xcalloc(j->entries.n + 1, sizeof(*kept)), more = true;
	size_t i, k;

	for (i = 0; i < j->entries.n; i++)
		kept[i] = v[i].number >= TSH_JOURNAL_INHERITED ? all && v[i].op == TSH_JOURNAL_MKDIR :
			  !v[i].unkept && (v[i].op == TSH_JOURNAL_MKDIR || asks(j, &v[i]));
	while (more) {
		more = false;
		for (i = 0; i < j->entries.n; i++)
			for (k = 0; k < j->entries.n && !kept[i]; k++)
				if (kept[k] && v[i].number >= TSH_JOURNAL_INHERITED && !v[k].own &&
				    is_kept_with(j, &v[i], &v[k]))
					kept[i] = more = true;
	}
	return kept;
}

/* Prepares to tell other sessions to leave what they had set before us, when an entry of ours asks
 * for it, too. */
static int prepare_others(struct tsh_dir *dir, struct tsh_journal *j, struct tsh_journal_entry *mine)
{
	struct tsh_other_entries related = { 0 };
	size_t i;
	int r = 0;

	if (mine->op != TSH_JOURNAL_WRITE || mine->how == TSH_WRITE_EXPECTED || !mine->before || !mine->after)
		return 0;
	tsh_share_find(j->others, mine, INT64_MIN, false, &related);
	for (i = 0; !r && i < related.n; i++)
		if (related.v[i].at < mine->at)
			r = prepare_entry(dir, &related.v[i], mine);
	tsh_vec_release(&related);
	return !r && uses(j, mine) ? prepare_used(j->others, mine) : r;
}

/* Prepares to tell the sessions that made the entry's instance that a setting in it stays. */
static int prepare_instances(const struct tsh_journal *j, const struct tsh_journal_entry *mine)
{
	size_t i;
	int r = 0;

	for (i = 0; mine->instance && !mine->own && !r && i < j->others->n; i++)
		if (j->others->v[i].is_same_tracefs)
			r = prepare_instance(mine, &j->others->v[i]);
	return r;
}

/* Says whether two entries of ours are undone together: they are about one value, or one line. */
static bool are_one(struct tsh_journal_entry *a, struct tsh_journal_entry *b)
{
	if (a->op != TSH_JOURNAL_WRITE || b->op != TSH_JOURNAL_WRITE || !a->before || !b->before ||
	    !tsh_may_be_related(a, b))
		return a == b;
	if (tsh_same_setting(a, b))
		return a == b || !tsh_share_is_listed(tsh_file_class(a->path)) || names_line_of(a, b);
	return tsh_is_one_setting(a, b);
}

/* Does not keep a setting, because another session cannot be told of it and will undo it. */
static void report_unkept(struct tsh_plan *plan, struct tsh_journal_entry *mine, int number)
{
	struct tsh_journal_entries *entries = &plan->j->entries;
	size_t i;

	tsh_plan_problem_errno(plan, mine, "not kept: another session has set it, too, and its journal cannot be written", -number);
	for (i = 0; i < entries->n; i++)
		entries->v[i].unkept |= are_one(&entries->v[i], mine);
}

/* Prepares to tell other sessions what is kept. Returns false when some of it could not be told,
 * and is not kept. */
static bool prepare(struct tsh_plan *plan, const bool *kept)
{
	struct tsh_journal_entries *entries = &plan->j->entries;
	bool good = true;
	size_t i;
	int r;

	for (i = 0; i < entries->n; i++) {
		if (!kept[i] || entries->v[i].unkept)
			continue;
		r = prepare_others(plan->dir, plan->j, &entries->v[i]);
		r = r ? r : prepare_instances(plan->j, &entries->v[i]);
		if (r)
			report_unkept(plan, &entries->v[i], r);
		good &= !r;
	}
	return good;
}

/* Prepares to tell other sessions what is kept, and marks the entries that are not. */
static void part_kept(struct tsh_plan *plan, bool all)
{
	struct tsh_journal *j = plan->j;
	bool *kept;
	size_t i;

	if (!j->entries.n || (!tsh_others_read(plan->dir, j)->n && !j->inherited))
		return;
	for (kept = find_kept(j, all); !prepare(plan, kept); kept = find_kept(j, all)) {
		tsh_others_read_again(plan->dir, j);
		free(kept);
	}
	for (i = 0; i < j->entries.n; i++)
		j->entries.v[i].unkept |= !kept[i] && j->entries.v[i].number >= TSH_JOURNAL_INHERITED;
	free(kept);
}

/* Records what is kept, in one record. Returns 0 or -errno. */
static int record_kept(struct tsh_journal *j)
{
	struct tsh_strbuf but = TSH_STRBUF_INIT;
	size_t i;
	int r;

	for (i = 0; i < j->entries.n; i++)
		if (j->entries.v[i].unkept)
			tsh_strbuf_addf(&but, "%s%u", but.len ? " " : "", j->entries.v[i].number);
	r = tsh_journal_file_commit(j, but.buf);
	tsh_strbuf_release(&but);
	return r;
}

/* Appends what was prepared to the journals of other sessions. When we are killed before, or a
 * journal cannot be written, they undo what they had set. */
static void append_prepared(struct tsh_plan *plan)
{
	struct tsh_others *others = plan->j->others;
	size_t i;
	int r;

	for (i = 0; others && i < others->n; i++) {
		r = tsh_other_append(&others->v[i]);
		if (r)
			tsh_strlist_add_owned(&plan->report->problems,
					 tsh_xasprintf("session %d will undo its same setting at its end, because its "
						       "journal cannot be written: %s",
						       (int)others->v[i].owner.pid, strerror(-r)));
	}
}

void tsh_journal_commit(struct tsh_dir *dir, struct tsh_journal *j, bool all, struct tsh_undo_report *report)
{
	struct tsh_plan plan = { .dir = dir, .j = j, .report = report };
	struct tsh_write_lock lock = { .fd = -1 };
	size_t i;
	int r = 0;

	if (j->file) {
		free(tsh_write_lock_for_undo(dir, &lock));
		(void)tsh_journal_catch_up(j);
		part_kept(&plan, all);
		r = j->entries.n ? record_kept(j) : 0;
	}
	if (r) {
		tsh_strlist_add_owned(&report->problems,
				      tsh_xasprintf("nothing is kept, as the journal cannot be written: %s",
						    strerror(-r)));
		for (i = 0; i < j->entries.n; i++)
			j->entries.v[i].unkept = false;
		tsh_others_read_again(dir, j);
	} else {
		report->settings = tsh_journal_count_lasting(j);
		append_prepared(&plan);
		tsh_journal_forget_back(j);
	}
	tsh_write_unlock(&lock);
}
