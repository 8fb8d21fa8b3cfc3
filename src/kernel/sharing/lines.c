/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/expected.h"
#include "kernel/journal/others.h"
#include "kernel/journal/setting.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/pids.h"
#include "kernel/tracefs/probe-lines.h"

/* Undoes writes of several sessions to a list, line by line. */

/* Holds the lines that our write added, and those that it removed. */
struct sides {
	struct tsh_strlist came, went;
};

static void release_sides(struct sides *sides)
{
	tsh_strlist_release(&sides->came);
	tsh_strlist_release(&sides->went);
}

/* Says whether a text has another line with the same key, which would replace this one. */
static bool has_rival(const struct tsh_file_class *cls, const char *text, const char *line)
{
	struct tsh_strlist lines = { 0 };
	bool has;

	tsh_lines_split(text, &lines);
	has = tsh_lines_replaced(cls, &lines, line);
	tsh_strlist_release(&lines);
	return has;
}

/* Returns the text of the file after another session's write. When the write was interrupted, it is
 * found by the text that the next write found, or by the present text. Returns NULL when it is
 * unknown. The caller frees it. */
static char *after_write(const struct tsh_other_entries *related, size_t i,
			 const struct tsh_journal_entry *mine, const char *now)
{
	const struct tsh_journal_entry *theirs = tsh_other_entry(&related->v[i]), *next = NULL;
	size_t k;

	if (!theirs || theirs->after)
		return theirs ? tsh_xstrdup(theirs->after) : NULL;
	for (k = i + 1; k < related->n && !next; k++) {
		next = tsh_other_entry(&related->v[k]);
		if (next && (next->number >= TSH_JOURNAL_INHERITED || !tsh_same_setting(theirs, next)))
			return NULL;
	}
	if (!next && !tsh_same_setting(theirs, mine))
		return NULL;
	return tsh_expected_after(related->v[i].other->dir, related->v[i].other->journal, theirs,
				  next ? next->before : now);
}

/* Says whether another session's write is about a line of our list, or uses what the line makes.
 * came: our write added the line, or else removed it. now: the present text of our list. *ret_had:
 * the list had the line before that write. */
static bool touches(const struct tsh_other_entry *e, const struct tsh_journal_entry *mine,
		    const char *their_after, const char *line, bool came, const char *now, bool *ret_had)
{
	const struct tsh_file_class *cls = tsh_file_class(mine->path);
	const struct tsh_journal_entry *theirs = tsh_other_entry(e);
	bool lives = tsh_other_is_alive(e->other), uses = came && lives && tsh_has_line(cls, now, line), has, is;
	char *before, *after = NULL, *event;

	*ret_had = came;
	if (!theirs)
		return false;
	if (uses && ((cls->flags & TSH_CLASS_PROBE && tsh_share_uses_probe(e->other->dir, theirs, line)) ||
		     (cls->flags & TSH_CLASS_TRIGGER && tsh_share_uses_trigger(e->other->dir, theirs, mine, line))))
		return true;
	if (cls->flags & TSH_CLASS_PROBE && !(tsh_file_class(theirs->path)->flags & TSH_CLASS_PROBE))
		return false;
	/* Only entries that use the line can be older than ours. */
	if (e->at <= mine->at || (cls->flags & TSH_CLASS_TRIGGER && !tsh_same_setting(theirs, mine)))
		return false;
	event = tsh_enabled_event(theirs->path);
	if (event && strcmp(event, line) != 0) {
		free(event);
		return false;
	}
	before = tsh_setting_convert_text(theirs, theirs->before, mine);
	if (their_after)
		after = tsh_setting_convert_text(theirs, their_after, mine);
	*ret_had = tsh_has_line(cls, before, line);
	has = after ? tsh_has_line(cls, after, line) : *ret_had;
	is = has != *ret_had;
	/* Does not look for another line with this key in a list of probes that was handed over:
	 * that entry has only its own lines, and an event can have several probes of its name. */
	if (!is && !(cls->flags & TSH_CLASS_PROBE && theirs->number >= TSH_JOURNAL_INHERITED))
		is = (lives && (event || tsh_share_names_line(theirs, line))) ||
		     (after && has_rival(cls, after, line) && !has_rival(cls, before, line));
	free(event);
	free(before);
	free(after);
	return is;
}

/* Says whether another session's write to this file undid our change of the line. Such a line is
 * not handed over: a trigger that is added and removed again would fire in between. */
static bool reverts(const struct tsh_other_entry *e, const struct tsh_journal_entry *mine,
		    const char *their_after, const char *now, const char *line, bool came)
{
	const struct tsh_file_class *cls = tsh_file_class(mine->path);

	if (!their_after || !(cls->flags & TSH_CLASS_ADD_ONLY) || (cls->flags & TSH_CLASS_PROBE) ||
	    !tsh_same_setting(tsh_other_entry(e), mine))
		return false;
	/* The line is as before again, because that session's undo restored it; a session that is
	 * undoing or was killed has not recorded that yet. */
	if ((tsh_other_entry(e)->going_back || !tsh_other_is_alive(e->other)) &&
	    (came ? tsh_has_line(cls, now, line) : !tsh_lines_have(cls, now, line)))
		return false;
	return came ? !tsh_has_line(cls, their_after, line) : tsh_lines_have(cls, their_after, line);
}

/* Moves the lines that another session's write is about to `given`, or to `folded` when that write
 * undid our change. Drops lines that were changed in between. */
static void part_side(const struct tsh_other_entry *e, const struct tsh_journal_entry *mine,
		      const char *their_after, const char *now, bool came, struct tsh_strlist *side,
		      struct tsh_strlist *given, struct tsh_strlist *folded)
{
	size_t i, kept = 0;
	bool had;

	for (i = 0; i < side->n; i++) {
		if (!touches(e, mine, their_after, side->v[i], came, now, &had))
			side->v[kept++] = side->v[i];
		else if (had != came)
			free(side->v[i]);
		else if (reverts(e, mine, their_after, now, side->v[i], came))
			tsh_strlist_add_owned(folded, side->v[i]);
		else
			tsh_strlist_add_owned(given, side->v[i]);
	}
	side->n = kept;
}

/* Says whether the list still has one of our changes. */
static bool have_change(const struct tsh_file_class *cls, const struct sides *given, const char *now)
{
	size_t i;

	for (i = 0; i < given->came.n; i++)
		if (tsh_has_line(cls, now, given->came.v[i]))
			return true;
	for (i = 0; i < given->went.n; i++)
		if (!tsh_has_line(cls, now, given->went.v[i]))
			return true;
	return false;
}

static bool hand_over_lines(const struct tsh_other_entry *e, const struct tsh_journal_entry *mine,
			    const struct sides *given, struct tsh_rest *rest, const char *now)
{
	char *before = tsh_lines_join(&given->went), *after = tsh_lines_join(&given->came);
	bool good = rest->only_predicts || tsh_share_hand_over(e, mine, before, after);

	/* Lines that somebody has undone already do not stay, so they have no heir. */
	if (good && have_change(tsh_file_class(mine->path), given, now))
		rest->heir = e->other->owner.pid;
	free(before);
	free(after);
	return good;
}

/* Changes another session's entry as if ours had not been written: it has nothing to undo for these
 * lines. */
static bool fold_lines(const struct tsh_other_entry *e, const struct sides *folded)
{
	const struct tsh_journal_entry *theirs = tsh_other_entry(e);
	struct tsh_strlist before = { 0 }, left = { 0 };
	bool good;
	char *text;
	size_t i;

	tsh_lines_split(theirs->before, &before);
	tsh_lines_without(tsh_file_class(theirs->path), &before, &folded->came, &left);
	for (i = 0; i < folded->went.n; i++)
		tsh_strlist_add(&left, folded->went.v[i]);
	text = tsh_lines_join(&left);
	good = tsh_other_amend(e, text) >= 0;
	free(text);
	tsh_strlist_release(&left);
	tsh_strlist_release(&before);
	return good;
}

/* Says whether undo would leave no running task in a list of tasks. An empty list records all
 * tasks, so then our lines stay for a session that has listed tasks which have exited. */
static bool would_open(const struct tsh_journal_entry *mine, const struct sides *sides,
		       const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(mine->path);
	struct tsh_strlist present = { 0 }, others = { 0 };
	bool opens = cls->compare == TSH_SAME_PIDS && !sides->went.n && !strstr(mine->path, "notrace");
	size_t i;

	tsh_lines_split(now, &present);
	if (opens)
		tsh_lines_without(cls, &present, &sides->came, &others);
	for (i = 0; i < others.n && opens; i++)
		opens = !tsh_pid_is_alive(others.v[i]);
	tsh_strlist_release(&present);
	tsh_strlist_release(&others);
	return opens;
}

static bool lists_ended_task(const struct tsh_journal_entry *entry)
{
	struct tsh_strlist tasks = { 0 };
	bool ended = false;
	size_t i;

	if (entry->how != TSH_WRITE_CLEAR)
		tsh_strlist_split_words(&tasks, entry->text);
	for (i = 0; i < tasks.n; i++)
		ended = ended || !tsh_pid_is_alive(tasks.v[i]);
	tsh_strlist_release(&tasks);
	return ended;
}

/* Returns the last write of a running session to the list, when that lists tasks which have exited;
 * else NULL. */
static const struct tsh_other_entry *lister(const struct tsh_other_entries *related)
{
	size_t i;

	for (i = related->n; i-- > 0;) {
		const struct tsh_journal_entry *theirs = tsh_other_entry(&related->v[i]);

		if (theirs && lists_ended_task(theirs) && tsh_share_is_last(related, i))
			return &related->v[i];
	}
	return NULL;
}

static void set_rest(const struct sides *sides, struct tsh_rest *rest)
{
	free(rest->before);
	free(rest->after);
	rest->shared = true;
	rest->before = tsh_lines_join(&sides->went);
	rest->after = tsh_lines_join(&sides->came);
}

void tsh_share_without_listed(struct tsh_others *others, struct tsh_journal_entry *list, struct tsh_strlist *tasks)
{
	struct tsh_other_entries related = { 0 };
	size_t i;

	if (others && tasks->n)
		tsh_share_find(others, list, INT64_MIN, false, &related);
	for (i = 0; i < related.n; i++) {
		const struct tsh_journal_entry *theirs = tsh_other_entry(&related.v[i]);
		struct tsh_strlist listed = { 0 }, left = { 0 };

		if (!theirs || !tsh_share_lists_tasks(theirs) || !tsh_other_is_alive(related.v[i].other))
			continue;
		tsh_strlist_split_words(&listed, theirs->text);
		tsh_lines_without(tsh_file_class(list->path), tasks, &listed, &left);
		tsh_strlist_release(&listed);
		tsh_strlist_release(tasks);
		*tasks = left;
	}
	tsh_vec_release(&related);
}

/* Hands over tasks that came by a fork to sessions because of which they are in the list, too.
 * after: our part of the list, as known before. */
static bool hand_over_children(const struct tsh_other_entries *related, const struct tsh_journal_entry *newest,
			       const struct tsh_strlist *after, const char *now, struct sides *sides,
			       struct tsh_rest *rest)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	bool good = true;
	size_t i;

	for (i = 0; i < related->n && good && rest->forked.n; i++) {
		struct tsh_strlist children = { 0 }, left = { 0 };
		struct sides given = { 0 };

		if (!tsh_share_is_last(related, i))
			continue;
		tsh_share_add_children(related, related->v[i].other, cls, after, &rest->forked, now, &children);
		tsh_lines_without(cls, &sides->came, &children, &left);
		tsh_lines_without(cls, &sides->came, &left, &given.came);
		tsh_strlist_release(&sides->came);
		sides->came = left;
		if (given.came.n)
			good = hand_over_lines(&related->v[i], newest, &given, rest, now);
		release_sides(&given);
		tsh_strlist_release(&children);
	}
	return good;
}

enum tsh_share tsh_share_resolve_lines(const struct tsh_other_entries *related,
				       const struct tsh_journal_entry *newest,
				       struct tsh_rest *rest, const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	struct tsh_strlist before = { 0 }, after = { 0 };
	struct sides sides = { 0 }, given = { 0 }, folded = { 0 };
	const struct tsh_other_entry *e;
	char *their_after;
	bool good = true;
	size_t i;

	tsh_lines_split(rest->before, &before);
	tsh_lines_split(rest->after, &after);
	tsh_lines_without(cls, &after, &before, &sides.came);
	tsh_lines_without(cls, &before, &after, &sides.went);
	for (i = 0; i < related->n && good; i++) {
		e = &related->v[i];
		if (e->at <= newest->at && !(cls->flags & TSH_CLASS_TRIGGER))
			continue;
		their_after = after_write(related, i, newest, now);
		part_side(e, newest, their_after, now, true, &sides.came, &given.came, &folded.came);
		part_side(e, newest, their_after, now, false, &sides.went, &given.went, &folded.went);
		free(their_after);
		if (!rest->only_predicts && (folded.came.n || folded.went.n))
			good = fold_lines(e, &folded);
		if (good && (given.came.n || given.went.n))
			good = hand_over_lines(e, newest, &given, rest, now);
		release_sides(&given);
		release_sides(&folded);
	}
	good = good && hand_over_children(related, newest, &after, now, &sides, rest);
	e = good && would_open(newest, &sides, now) ? lister(related) : NULL;
	if (e && sides.came.n) {
		good = hand_over_lines(e, newest, &sides, rest, now);
		release_sides(&sides);
	}
	set_rest(&sides, rest);
	i = sides.came.n + sides.went.n;
	release_sides(&sides);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	return !good ? TSH_SHARE_FAILED : i ? TSH_SHARE_OURS : TSH_SHARE_BACK;
}
