/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "kernel/journal/file.h"
#include "kernel/journal/others.h"
#include "kernel/journal/setting.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/size.h"

/* Undoes steps whose settings other sessions have written, too. */

/* Limits the settings that are named; the others are counted. */
#define NAMED_MAX 3

/* Counts a setting of the user that stays, and stores its name. */
static void count(const struct tsh_journal_entry *entry, const char *how_much, unsigned int *settings,
		  struct tsh_strlist *names)
{
	char *name, *whole;

	if (!tsh_journal_is_setting(entry))
		return;
	++*settings;
	whole = tsh_plan_name(entry);
	name = tsh_xasprintf("%s%s", whole, how_much);
	free(whole);
	if (tsh_strlist_has(names, name))
		free(name);
	else
		tsh_strlist_add_owned(names, name);
}

/* Reports what becomes of settings, as "3 settings stay: WHY: NAME, NAME". does: the verb, such as
 * "stays: ". */
static void note_handed_over(struct tsh_plan *plan, unsigned int settings, const struct tsh_strlist *names,
			     const char *does,
			     const char *why)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_addf(&text, "%u setting%s %s%s", settings, settings == 1 ? "" : "s", does, why);
	for (i = 0; i < names->n && i < NAMED_MAX; i++)
		tsh_strbuf_addf(&text, "%s %s", i ? "," : ":", names->v[i]);
	if (i < names->n)
		tsh_strbuf_addf(&text, " and %zu more", names->n - i);
	tsh_strlist_add_owned(&plan->report->notes, tsh_strbuf_detach(&text));
}

void tsh_plan_count_handed_over(struct tsh_plan *plan, const struct tsh_journal_entry *entry, pid_t heir, bool in_part)
{
	count(entry, in_part ? " (in part)" : "", &plan->handed_over, &plan->names_handed_over);
	plan->heir = heir;
}

/* Says whether a process works with the heir's journal: the session, its guard, or recover.
 * *ret_gone: the session has ended. */
static bool heir_lives(const struct tsh_plan *plan, bool *ret_gone)
{
	const struct tsh_others *others = plan->j->others;
	bool lives = false;
	size_t i;

	*ret_gone = true;
	for (i = 0; others && i < others->n && !lives; i++) {
		const struct tsh_journal_owner *owner = &others->v[i].owner;

		if (owner->pid != plan->heir)
			continue;
		lives = tsh_other_is_alive(&others->v[i]);
		*ret_gone = !tsh_process_is_alive(owner->pid, owner->starttime);
	}
	return lives;
}

void tsh_plan_note_handed_over(struct tsh_plan *plan)
{
	const char *them = plan->handed_over == 1 ? "it" : "them",
		   *stay = plan->handed_over == 1 ? "stays: " : "stay: ";
	bool gone, lives;
	char *why;

	tsh_plan_note_staying_tasks(plan);
	if (plan->kept)
		note_handed_over(plan, plan->kept, &plan->names_kept, plan->kept == 1 ? "stays: " : "stay: ",
				 plan->kept == 1 ?
				 "another session has kept it, too" : "another session has kept them, too");
	if (plan->existed)
		note_handed_over(plan, plan->existed, &plan->names_existed, plan->existed == 1 ? "stays: " : "stay: ",
				 plan->existed == 1 ? "it had this value before the command" :
				 "they had these values before the command");
	if (!plan->handed_over)
		return;
	lives = heir_lives(plan, &gone);
	/* Recover or the guards undo both. */
	if (lives && gone)
		stay = plan->handed_over == 1 ? "is undone together with " : "are undone together with ";
	why = tsh_xasprintf(!lives ? "process %d has set %s, too, and has ended: recover will restore the old value" :
			    gone ? "those of process %d, which has ended, too" :
			    "process %d has set %s, too, and will restore the old value", (int)plan->heir, them);
	note_handed_over(plan, plan->handed_over, &plan->names_handed_over, stay, why);
	free(why);
}

void tsh_plan_record_restoring(struct tsh_plan *plan, const struct tsh_step *step)
{
	const struct tsh_journal_entry *oldest = &plan->j->entries.v[step->oldest];
	const struct tsh_file_class *cls = tsh_file_class(oldest->path);
	/* Such an entry can be folded into another session's write (src/kernel/sharing/lines.c). */
	bool folds = (cls->flags & TSH_CLASS_ADD_ONLY) && !(cls->flags & TSH_CLASS_PROBE);

	if (oldest->recorded && (folds || !tsh_share_is_listed(cls)) &&
	    (tsh_is_size(oldest->path) || (plan->j->others && plan->j->others->n)))
		tsh_journal_file_append_back(plan->j, oldest->number);
}

/* Lists the texts that the file may have when a killed process has undone a part of the step,
 * newest first. */
static void list_went_back(const struct tsh_plan *plan, const struct tsh_step *step, struct tsh_strlist *ret)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t i;

	if (tsh_share_is_listed(tsh_file_class(entries[step->newest].path)))
		return;
	for (i = step->newest + 1; plan->j->going_back && i-- > step->oldest;)
		if (entries[i].going_back && entries[i].before && tsh_same_setting(&entries[i], &entries[step->newest]))
			tsh_strlist_add(ret, entries[i].before);
}

void tsh_plan_record_emptying(struct tsh_plan *plan, struct tsh_step *step, const struct tsh_rest *rest)
{
	struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	struct tsh_strlist before = { 0 }, after = { 0 }, came = { 0 };

	if (cls->compare != TSH_SAME_PIDS || !newest->recorded || !rest->after)
		return;
	tsh_lines_split(rest->before, &before);
	tsh_lines_split(rest->after, &after);
	tsh_lines_without(cls, &after, &before, &came);
	/* A step is tried twice, so the list may be stored already. */
	if (step->list)
		free(newest->after);
	else
		step->list = newest->after;
	newest->after = tsh_lines_join(&came);
	tsh_journal_file_append_done(plan->j, newest);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(&came);
}

/* Says whether the step has changed nothing in the end. */
static bool is_there_and_back(const struct tsh_file_class *cls, const struct tsh_rest *rest)
{
	bool is_list = cls->compare == TSH_SAME_PIDS || (cls->flags & TSH_CLASS_ADD_ONLY);

	return is_list ? tsh_lines_same(cls, rest->before, rest->after) :
			 tsh_class_equal(cls, rest->before, rest->after);
}

static enum tsh_standing standing_of(const struct tsh_file_class *cls, const struct tsh_rest *rest,
				     const char *now)
{
	enum tsh_standing standing;

	/* Sizes were compared CPU by CPU before. */
	if (rest->shared && cls->compare == TSH_SAME_SIZE)
		return TSH_STANDS_OURS;
	standing = rest->shared ?
		tsh_lines_standing(cls, rest->before, rest->after, now) :
		tsh_class_standing(cls, rest->before, rest->after, now);

	/* The present value does not matter, because nothing of it is ours. */
	if (standing == TSH_STANDS_THEIRS && is_there_and_back(cls, rest))
		return TSH_STANDS_BEFORE;
	return standing;
}

/* Reports a step that asked for a value that was set already, and thus changed nothing: the value
 * stays. */
static void note_asked(struct tsh_plan *plan, struct tsh_step *step, const char *now)
{
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	pid_t holder = tsh_share_holder(plan->dir, plan->j, newest, now);

	/* The older step reports what becomes of it. */
	step->older_undoes_it = tsh_share_has_older_line(plan->j, plan->first, newest, now);
	if (step->older_undoes_it)
		return;
	if (holder)
		tsh_plan_count_handed_over(plan, newest, holder, false);
	else if (tsh_share_is_in_effect(newest, now))
		count(newest, "", &plan->existed, &plan->names_existed);
	else
		return;
	step->is_handed_over = true;
}

/* Reports the sizes of CPUs that stay while those of others are undone. */
static void note_foreign(struct tsh_plan *plan, const struct tsh_journal_entry *newest, const struct tsh_rest *rest,
			 enum tsh_share share)
{
	size_t i;

	for (i = 0; share == TSH_SHARE_OURS && i < rest->foreign.n; i++)
		tsh_plan_note_once(plan, tsh_xasprintf("%s%s%s: changed by somebody else since; left as it is",
						       newest->instance ? newest->instance : "",
						       newest->instance ? "/" : "", rest->foreign.v[i]));
}

const char *tsh_plan_resolve_sharing(struct tsh_plan *plan, struct tsh_step *step, struct tsh_rest *rest,
				     const char *now, enum tsh_standing *ret)
{
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	const struct tsh_journal_entry *oldest = &plan->j->entries.v[step->oldest];
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	enum tsh_share share;
	char *others;

	rest->switches = step->switches;
	rest->only_predicts = plan->only_predicts;
	/* An entry of a list that was handed over has only our lines. */
	rest->shared = newest->number >= TSH_JOURNAL_INHERITED && tsh_share_is_listed(cls);
	list_went_back(plan, step, &rest->interrupted);
	tsh_plan_follow_tasks(plan, step, rest, now);
	share = tsh_share_resolve(plan->dir, plan->j, newest, rest, now);
	if (!rest->only_predicts)
		tsh_plan_append_forks(plan, step);
	if (rest->heir && !step->is_handed_over)
		tsh_plan_count_handed_over(plan, newest, rest->heir, share == TSH_SHARE_OURS);
	step->is_handed_over |= rest->heir != 0;
	note_foreign(plan, newest, rest, share);
	if (share == TSH_SHARE_BACK)
		*ret = TSH_STANDS_BEFORE;
	else if (share == TSH_SHARE_THEIRS)
		*ret = is_there_and_back(cls, rest) ? TSH_STANDS_BEFORE : TSH_STANDS_THEIRS;
	else
		*ret = standing_of(cls, rest, now);
	if (share == TSH_SHARE_OURS && *ret == TSH_STANDS_THEIRS && cls->compare == TSH_SAME_PIDS) {
		/* A session that removed our tasks may have restored them at its end. */
		others = tsh_plan_without_ours(plan, step->oldest, newest, now);
		*ret = standing_of(cls, rest, others);
		free(others);
	}
	/* The trigger has fired since, or has not fired yet. */
	if (share == TSH_SHARE_OURS && *ret != TSH_STANDS_OURS && rest->switches && !tsh_share_is_listed(cls) &&
	    !tsh_class_equal(cls, rest->before, now)) {
		free(rest->after);
		rest->after = tsh_xstrdup(now);
		*ret = TSH_STANDS_OURS;
	}
	if (newest->kept && is_there_and_back(cls, rest)) {
		*ret = TSH_STANDS_BEFORE;
		if (!step->is_handed_over)
			count(newest, "", &plan->kept, &plan->names_kept);
		step->is_handed_over = true;
	}
	/* Treats a list of tasks to which we added none as unchanged. */
	if (*ret == TSH_STANDS_OURS && cls->compare == TSH_SAME_PIDS && is_there_and_back(cls, rest) && !rest->forked.n)
		*ret = TSH_STANDS_BEFORE;
	if (*ret == TSH_STANDS_BEFORE && !step->is_handed_over && oldest->after && !tsh_plan_is_changed(oldest,
													oldest->after))
		note_asked(plan, step, now);
	if (share == TSH_SHARE_FAILED)
		return "another session has set it, too, and its journal cannot be written; left as it is";
	return share == TSH_SHARE_UNREAD ? "its CPUs cannot be listed; left as it is" : NULL;
}

bool tsh_plan_hand_over_missing(struct tsh_plan *plan, struct tsh_step *step)
{
	struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	struct tsh_rest rest = { 0 };
	enum tsh_standing standing;
	const char *cannot;
	char *now;

	if (!newest->after || strncmp(newest->path, "events/", strlen("events/")) != 0)
		return true;
	rest.before = tsh_xstrdup(plan->j->entries.v[step->oldest].before);
	rest.after = tsh_xstrdup(newest->after);
	/* A copy, as sharing replaces rest.after. */
	now = tsh_xstrdup(newest->after);
	cannot = tsh_plan_resolve_sharing(plan, step, &rest, now, &standing);
	if (cannot)
		tsh_plan_problem(plan, newest, cannot);
	tsh_rest_release(&rest);
	free(now);
	return !cannot;
}
