/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/expected.h"
#include "kernel/journal/others.h"
#include "kernel/journal/setting.h"
#include "kernel/tracefs/event.h"
#include "kernel/tracefs/size.h"

void tsh_rest_release(struct tsh_rest *rest)
{
	free(rest->before);
	free(rest->after);
	tsh_strlist_release(&rest->interrupted);
	tsh_strlist_release(&rest->foreign);
	tsh_strlist_release(&rest->forked);
	*rest = (struct tsh_rest){ 0 };
}

/* ---- writes of other sessions ---- */

/* Says whether a write to set_event and one to an event's file are about the same event. */
static bool names_event(const struct tsh_journal_entry *list, const struct tsh_journal_entry *file)
{
	char *event = strcmp(list->path, "set_event") ? NULL : tsh_enabled_event(file->path);
	bool names = !event || tsh_share_names_line(list, event);

	free(event);
	return names;
}

bool tsh_share_is_related(struct tsh_journal_entry *theirs, struct tsh_journal_entry *mine)
{
	if (!tsh_may_be_related(theirs, mine) || theirs->op != TSH_JOURNAL_WRITE || !theirs->before)
		return false;
	return tsh_same_setting(theirs, mine) ||
	       (tsh_is_one_setting(theirs, mine) && names_event(theirs, mine) &&
		names_event(mine, theirs));
}

/* Says whether an entry may use an event: it sets something of an event, makes a probe of one, or
 * made an own instance. */
static bool is_of_event(const struct tsh_journal_entry *entry)
{
	if (entry->op == TSH_JOURNAL_MKDIR)
		return entry->own;
	return entry->op == TSH_JOURNAL_WRITE && entry->before &&
	       (!strncmp(entry->path, "events/", strlen("events/")) || !strcmp(entry->path, "set_event") ||
		tsh_file_class(entry->path)->flags & TSH_CLASS_PROBE);
}

/* Says whether another session's entry may need what ours has set, although it is another setting.
 * flags: those of our file's class. */
static bool may_use(const struct tsh_other *other, const struct tsh_journal_entry *theirs,
		    const struct tsh_journal_entry *mine, unsigned int flags)
{
	if (!is_of_event(theirs))
		return false;
	return (flags & TSH_CLASS_PROBE) || tsh_share_needs_clock(theirs, mine) ||
	       ((flags & TSH_CLASS_TRIGGER) && tsh_share_uses_trigger(other->dir, theirs, mine, mine->text));
}

static int by_time(const void *a, const void *b)
{
	const struct tsh_other_entry *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void sort_by_time(struct tsh_other_entries *entries)
{
	size_t i;

	/* Sorts only when needed: each journal is in order, and often there is only one. */
	for (i = 1; i < entries->n && entries->v[i - 1].at <= entries->v[i].at; i++)
		;
	if (i < entries->n)
		qsort(entries->v, entries->n, sizeof(*entries->v), by_time);
}

void tsh_share_find(struct tsh_others *others, const struct tsh_journal_entry *mine, int64_t after,
		    bool with_users, struct tsh_other_entries *ret)
{
	unsigned int flags = tsh_file_class(mine->path)->flags;
	struct tsh_journal_entry own = *mine;
	size_t i, k;

	for (i = 0; i < others->n; i++) {
		const struct tsh_journal_entries *entries = &others->v[i].journal->entries;

		for (k = 0; others->v[i].is_same_tracefs && k < entries->n; k++)
			if (entries->v[k].at > after &&
			    (tsh_share_is_related(&entries->v[k], &own) ||
			     (with_users && may_use(&others->v[i], &entries->v[k], mine, flags))))
				*(struct tsh_other_entry *)tsh_vec_push(ret) =
					(struct tsh_other_entry){ &others->v[i],
						entries->v[k].number, entries->v[k].at };
	}
	sort_by_time(ret);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Says whether the entry was handed over before, since a step is tried twice. */
static bool was_handed_over(const struct tsh_journal *theirs, const struct tsh_journal_entry *given)
{
	size_t i;

	for (i = 0; i < theirs->entries.n; i++) {
		const struct tsh_journal_entry *entry = &theirs->entries.v[i];

		if (entry->number >= TSH_JOURNAL_INHERITED && entry->at == given->at &&
		    !strcmp(entry->path, given->path) && same_text(entry->before, given->before) &&
		    same_text(entry->after, given->after))
			return true;
	}
	return false;
}

/* Returns the text of an entry of a list that is handed over in part: only its own lines. Returns
 * NULL when our entry's text can be used. The caller frees it. */
static char *text_of_lines(const struct tsh_journal_entry *mine, const char *before, const char *after)
{
	const struct tsh_file_class *cls = tsh_file_class(mine->path);

	if (cls->compare == TSH_SAME_PIDS)
		return tsh_xstrdup(after);
	if (!tsh_share_is_listed(cls) || (cls->flags & TSH_CLASS_PROBE))
		return NULL;
	return tsh_xasprintf("%s%s%s", after, *after && *before ? "\n" : "", before);
}

bool tsh_share_hand_over(const struct tsh_other_entry *e, const struct tsh_journal_entry *mine,
			 const char *before, const char *after)
{
	const struct tsh_journal_entry *theirs = tsh_other_entry(e);
	struct tsh_journal_entry given = *mine;
	char *b = theirs && before ? tsh_setting_convert_text(mine, before, theirs) : NULL;
	char *a = b ? tsh_setting_convert_text(mine, after, theirs) : NULL;
	char *text = before ? text_of_lines(mine, before, after) : NULL;
	int r = 0;

	given.before = (char *)before;
	given.after = (char *)after;
	if (a && strcmp(mine->path, theirs->path) != 0) {
		given.path = theirs->path;
		given.before = b;
		given.after = given.text = a;
		free(text);
		text = text_of_lines(theirs, b, a);
	}
	if (text)
		given.text = text;
	if (!was_handed_over(e->other->journal, &given))
		r = tsh_other_inherit(e, &given);
	free(text);
	free(a);
	free(b);
	return r >= 0;
}

bool tsh_share_is_relevant(const struct tsh_other_entry *e)
{
	const struct tsh_journal_entry *theirs = tsh_other_entry(e);

	/* Values that will be undone in any case count: those that a trigger may have switched
	 * since, and those whose undo has begun. */
	return theirs && (!theirs->after || theirs->how == TSH_WRITE_EXPECTED || theirs->going_back ||
			  tsh_other_is_alive(e->other) ||
			  !tsh_class_equal(tsh_file_class(theirs->path), theirs->before, theirs->after));
}

/* ---- values ---- */

/* Sets rest->after to the value that the next session found, or to the present one, when that is
 * the result of an undo that was interrupted. */
static void find_went_back(struct tsh_dir *dir, const struct tsh_journal *j, const struct tsh_other_entries *later,
			   const struct tsh_journal_entry *newest, struct tsh_rest *rest, const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	char *found = NULL;
	size_t i;

	for (i = 0; rest->interrupted.n && i < later->n && !found; i++) {
		const struct tsh_journal_entry *theirs = tsh_other_entry(&later->v[i]);

		if (tsh_share_is_relevant(&later->v[i]))
			found = tsh_setting_convert_text(theirs, theirs->before, newest);
	}
	if (!found)
		found = tsh_xstrdup(now);
	for (i = 0; i < rest->interrupted.n && rest->after && !tsh_class_equal(cls, rest->after, found); i++) {
		if (!tsh_class_equal(cls, rest->interrupted.v[i], found) &&
		    !tsh_is_rounded(dir, j, newest, rest->interrupted.v[i], found))
			continue;
		free(rest->after);
		rest->after = tsh_xstrdup(found);
	}
	free(found);
}

/* Says whether somebody without a journal has already restored the value from before ours. */
static bool is_gone(const struct tsh_other_entries *later, const struct tsh_journal_entry *newest,
		    const struct tsh_rest *rest, const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	bool gone = tsh_class_equal(cls, rest->before, now) && !tsh_class_equal(cls, rest->before, rest->after);
	size_t i;

	for (i = 0; i < later->n && gone; i++) {
		const struct tsh_journal_entry *theirs = tsh_other_entry(&later->v[i]);
		char *left = theirs && theirs->after ? tsh_setting_convert_text(theirs, theirs->after, newest) : NULL;

		gone = left && !tsh_class_equal(cls, left, now);
		free(left);
	}
	return gone;
}

static enum tsh_share settle_value(struct tsh_dir *dir, const struct tsh_journal *j,
				   const struct tsh_other_entries *later,
				   const struct tsh_journal_entry *newest, struct tsh_rest *rest,
				   const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	const struct tsh_journal_entry *theirs;
	enum tsh_standing standing;
	char *before;
	size_t i;

	find_went_back(dir, j, later, newest, rest, now);
	for (i = 0; i < later->n; i++) {
		if (!tsh_share_is_relevant(&later->v[i]))
			continue;
		theirs = tsh_other_entry(&later->v[i]);
		before = tsh_setting_convert_text(theirs, theirs->before, newest);
		/* Ignores the size of another CPU; an entry that only needs our clock counts while
		 * its session runs. */
		if (!before && !(tsh_share_needs_clock(theirs, newest) && tsh_other_is_alive(later->v[i].other)))
			continue;
		standing = before ? tsh_class_standing(cls, rest->before, rest->after, before) : TSH_STANDS_OURS;
		free(before);
		if (standing == TSH_STANDS_BEFORE)
			return TSH_SHARE_BACK;
		if (standing == TSH_STANDS_THEIRS)
			return TSH_SHARE_THEIRS;
		if (!rest->only_predicts && !tsh_share_hand_over(&later->v[i], newest, rest->before, rest->after))
			return TSH_SHARE_FAILED;
		rest->heir = is_gone(later, newest, rest, now) ? 0 : later->v[i].other->owner.pid;
		return TSH_SHARE_BACK;
	}
	return TSH_SHARE_OURS;
}

/* ---- buffer sizes, CPU by CPU ---- */

size_t tsh_share_cpus(struct tsh_dir *dir, const struct tsh_journal_entry *entry,
		      unsigned int **ret_cpus)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	size_t n = 0;

	*ret_cpus = NULL;
	if (!tsh_instance_open(dir, entry->instance, &in, &ignored)) {
		n = tsh_cpus_present(in, ret_cpus);
		tsh_instance_close(in);
	}
	tsh_err_release(&ignored);
	return n;
}

/* Settles the size of one CPU, when our step has changed that of all. */
static enum tsh_share settle_cpu(struct tsh_dir *dir, const struct tsh_journal *j,
				 const struct tsh_other_entries *later,
				 const struct tsh_journal_entry *newest, int cpu, struct tsh_rest *rest,
				 const char *now)
{
	char *path = tsh_xasprintf("per_cpu/cpu%d/%s", cpu, newest->path);
	struct tsh_journal_entry one = *newest;
	enum tsh_standing standing;
	enum tsh_share share;

	one.path = path;
	one.key = 0;
	one.text = rest->after;
	share = settle_value(dir, j, later, &one, rest, now);
	if (share == TSH_SHARE_OURS) {
		standing = tsh_class_standing(tsh_file_class(path), rest->before, rest->after, now);
		share = standing == TSH_STANDS_OURS ? TSH_SHARE_OURS :
			standing == TSH_STANDS_BEFORE ? TSH_SHARE_BACK : TSH_SHARE_THEIRS;
	}
	free(path);
	return share;
}

/* Settles the sizes of all CPUs, and leaves in rest what is ours, in the form that restore_sizes
 * reads. */
static enum tsh_share settle_sizes(struct tsh_dir *dir, const struct tsh_journal *j,
				   const struct tsh_other_entries *later,
				   const struct tsh_journal_entry *newest, struct tsh_rest *rest,
				   const char *now)
{
	struct tsh_strbuf before = TSH_STRBUF_INIT, after = TSH_STRBUF_INIT;
	enum tsh_share all = TSH_SHARE_BACK, share;
	unsigned int *cpus;
	size_t i, k, n = tsh_share_cpus(dir, newest, &cpus), ours = 0;

	if (!n)
		return TSH_SHARE_UNREAD;
	tsh_strbuf_adds(&before, "X");
	tsh_strbuf_adds(&after, "X");
	for (i = 0; i < n && all != TSH_SHARE_FAILED; i++) {
		int cpu = (int)cpus[i];
		struct tsh_rest one = { .only_predicts = rest->only_predicts, .before = tsh_size_of_cpu(rest->before,
													cpu),
					.after = tsh_size_of_cpu(rest->after, cpu) };
		char *size = tsh_size_of_cpu(now, cpu), *went_back;

		for (k = 0; k < rest->interrupted.n; k++) {
			went_back = tsh_size_of_cpu(rest->interrupted.v[k], cpu);
			if (went_back)
				tsh_strlist_add_owned(&one.interrupted, went_back);
		}
		if (one.before && one.after && size) {
			share = settle_cpu(dir, j, later, newest, cpu, &one, size);
			if (share == TSH_SHARE_OURS && ++ours) {
				tsh_strbuf_addf(&before, "\n%d %s", cpu, one.before);
				tsh_strbuf_addf(&after, "\n%d %s", cpu, one.after);
			} else if (share != TSH_SHARE_BACK) {
				all = share;
				tsh_strlist_add_owned(&rest->foreign,
						      tsh_xasprintf("per_cpu/cpu%d/%s", cpu, newest->path));
			}
		}
		rest->heir = one.heir ? one.heir : rest->heir;
		free(size);
		tsh_rest_release(&one);
	}
	free(cpus);
	free(rest->before);
	free(rest->after);
	rest->shared = true;
	rest->before = tsh_strbuf_detach(&before);
	rest->after = tsh_strbuf_detach(&after);
	return ours && all != TSH_SHARE_FAILED ? TSH_SHARE_OURS : all;
}

bool tsh_share_hand_over_size(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_journal_entry *size,
			      pid_t *ret_heir)
{
	struct tsh_others *others = tsh_others_read(dir, j);
	struct tsh_other_entry heir = { 0 };
	size_t i, k;

	/* Prefers the first session that set the sub-buffers after the size. */
	for (i = 0; i < others->n; i++) {
		const struct tsh_journal_entries *entries = &others->v[i].journal->entries;

		for (k = 0; others->v[i].is_same_tracefs && k < entries->n; k++)
			if (tsh_sets_subbuf(&entries->v[k], size) &&
			    (!heir.other || (entries->v[k].at > size->at &&
					     (heir.at < size->at || entries->v[k].at < heir.at))))
				heir = (struct tsh_other_entry){ &others->v[i], entries->v[k].number,
								 entries->v[k].at };
	}
	*ret_heir = heir.other ? heir.other->owner.pid : 0;
	/* Places the entry by its time when the heir had set the sub-buffers before our size was
	 * written. */
	if (heir.other && heir.at < size->at)
		heir.number = TSH_JOURNAL_BY_TIME;
	return !heir.other || was_handed_over(heir.other->journal, size) || tsh_other_inherit(&heir, size) >= 0;
}

/* Says whether sizes have to be settled CPU by CPU: the entry is about all CPUs, and they differ,
 * or other sessions have set that of one. */
static bool is_in_parts(const struct tsh_other_entries *later, const struct tsh_journal_entry *newest,
			const struct tsh_rest *rest, const char *now)
{
	const struct tsh_journal_entry *theirs;
	bool includes_tracesh = tsh_is_size(newest->path) && tsh_size_cpu(newest->path) < 0;
	size_t i;

	if (includes_tracesh && (*rest->before == 'X' || *rest->after == 'X' || *now == 'X'))
		return true;
	for (i = 0; includes_tracesh && i < later->n; i++) {
		theirs = tsh_other_entry(&later->v[i]);
		if (theirs && tsh_size_cpu(theirs->path) >= 0)
			return true;
	}
	return false;
}

/* Finds the first later write by which another session has made the event anew, so that its files
 * are new ones. */
static bool find_maker(struct tsh_others *others, const struct tsh_journal_entry *mine, struct tsh_other_entry *ret)
{
	bool found = false;
	size_t i, k;

	for (i = 0; i < others->n && !strncmp(mine->path, "events/", strlen("events/")); i++) {
		const struct tsh_journal_entries *entries = &others->v[i].journal->entries;

		for (k = 0; others->v[i].is_same_tracefs && k < entries->n; k++) {
			if (entries->v[k].at <= mine->at || (found && entries->v[k].at >= ret->at) ||
			    !tsh_share_makes_event(&entries->v[k], mine))
				continue;
			*ret = (struct tsh_other_entry){ &others->v[i], entries->v[k].number, entries->v[k].at };
			found = true;
		}
	}
	return found;
}

enum tsh_share tsh_share_resolve(struct tsh_dir *dir, struct tsh_journal *j,
				 const struct tsh_journal_entry *newest, struct tsh_rest *rest,
				 const char *now)
{
	bool lists = tsh_share_is_listed(tsh_file_class(newest->path));
	struct tsh_other_entries related = { 0 };
	enum tsh_share share = TSH_SHARE_OURS;
	struct tsh_others *others = tsh_others_read(dir, j);
	struct tsh_other_entry maker;

	if (find_maker(others, newest, &maker)) {
		if (!strcmp(rest->before, rest->after))
			return TSH_SHARE_BACK;
		rest->heir = maker.other->owner.pid;
		return rest->only_predicts || tsh_share_hand_over(&maker, newest, rest->before,
								  rest->after) ? TSH_SHARE_BACK :
												TSH_SHARE_FAILED;
	}
	tsh_share_find(others, newest, lists ? INT64_MIN : newest->at, true, &related);
	if (related.n && lists)
		share = tsh_share_resolve_lines(&related, newest, rest, now);
	else if (is_in_parts(&related, newest, rest, now))
		share = settle_sizes(dir, j, &related, newest, rest, now);
	else if (related.n && rest->switches)
		share = tsh_share_resolve_switched(&related, newest, rest, now);
	else
		share = settle_value(dir, j, &related, newest, rest, now);
	tsh_vec_release(&related);
	return share;
}

/* ---- instances ---- */

int tsh_share_instance(const struct tsh_dir *dir, struct tsh_journal *j,
		       const struct tsh_journal_entry *made, bool hand_over, pid_t *ret_heir)
{
	struct tsh_others *others = dir ? tsh_others_read(dir, j) : j->others;
	size_t i, k;
	int r = 0;

	for (i = 0; others && i < others->n; i++) {
		struct tsh_journal_entries *entries = &others->v[i].journal->entries;

		for (k = 0; others->v[i].is_same_tracefs && k < entries->n; k++) {
			struct tsh_other_entry e = { &others->v[i], entries->v[k].number, 0 };

			if (!tsh_same_instance(&entries->v[k], made))
				continue;
			if (!tsh_other_is_alive(e.other))
				break;
			*ret_heir = others->v[i].owner.pid;
			if (!hand_over || tsh_share_hand_over(&e, made, NULL, NULL))
				return 1;
			r = -1;
			break;
		}
	}
	return r;
}

pid_t tsh_journal_other_user(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_instance *in)
{
	const struct tsh_journal_entry made = { .instance = in->name, .identity = in->identity };
	pid_t user = 0;

	return !tsh_dir_is_script(dir) && tsh_share_instance(dir, j, &made, false, &user) ? user : 0;
}

/* ---- writing ---- */

bool tsh_share_is_set(const struct tsh_dir *dir, struct tsh_journal *j,
		      const struct tsh_journal_entry *entry)
{
	struct tsh_others *others = tsh_others_read(dir, j);
	struct tsh_other_entries related = { 0 };
	bool is;

	tsh_share_find(others, entry, INT64_MIN, false, &related);
	is = related.n > 0;
	tsh_vec_release(&related);
	return is;
}

bool tsh_share_wrote_between(const struct tsh_journal *j, const struct tsh_journal_entry *older,
			     const struct tsh_journal_entry *newer)
{
	struct tsh_other_entries related = { 0 };
	bool is = false;
	size_t i;

	if (!j->others)
		return false;
	tsh_share_find(j->others, newer, older->at, false, &related);
	for (i = 0; i < related.n; i++)
		is = is || related.v[i].at < newer->at;
	tsh_vec_release(&related);
	return is;
}
