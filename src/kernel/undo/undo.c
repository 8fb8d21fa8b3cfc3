/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/journal/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "kernel/journal/expected.h"
#include "kernel/journal/file.h"
#include "kernel/journal/others.h"
#include "kernel/journal/value.h"
#include "kernel/journal/write-lock.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/probe-lines.h"
#include "kernel/tracefs/size.h"
#include "kernel/tracefs/why-busy.h"
#include "kernel/tracefs/write.h"
#include "plan.h"

/* Undoes the steps of a plan, phase by phase. */

/* ---- one step ---- */

/* Returns false when the step would erase unread events, and is left. */
static bool may_erase(struct tsh_plan *plan, const struct tsh_journal_entry *entry,
		      struct tsh_instance *in, unsigned int what)
{
	const struct tsh_journal_hooks *hooks = plan->j->hooks;
	char *why = NULL;
	int r;

	if (!hooks || !hooks->before_erasing)
		return true;
	r = hooks->before_erasing(hooks->ctx, in, what, &why);
	if (r < 0)
		tsh_plan_problem(plan, entry, why ? why : "unread events would be erased; left as it is");
	plan->report->erasing |= r < 0;
	free(why);
	return r >= 0;
}

/* Holds the arguments of may_erase_user, which saves the events of an instance in which our probe
 * is enabled without a journal entry. */
struct probe_users {
	struct tsh_plan *plan;
	const struct tsh_journal_entry *probe;
	const struct tsh_strlist *asked;
};

static int may_erase_user(void *ctx, struct tsh_instance *in)
{
	const struct probe_users *users = ctx;

	if (tsh_strlist_has(users->asked, in->name ? in->name : ""))
		return 0;
	return may_erase(users->plan, users->probe, in, TSH_ERASES_ALL) ? 0 : -1;
}

static bool may_erase_users(struct tsh_plan *plan, const struct tsh_journal_entry *probe,
			    const struct tsh_strlist *asked)
{
	struct probe_users users = { plan, probe, asked };
	struct tsh_event event;
	bool go_on;

	if (!tsh_probe_owner(probe->text) || !tsh_probe_event(probe->text, &event))
		return true;
	go_on = !tsh_probe_users(plan->dir, &event, may_erase_user, &users);
	tsh_probe_event_release(&event);
	return go_on;
}

/* Returns a glob for the enable file of a probe's event, as exact as the probe's line allows. The
 * caller frees it. */
static char *enable_of(const struct tsh_journal_entry *probe)
{
	const char *name = probe->text + (*probe->text == '!');
	size_t len = strcspn(name, " \t;:/.*?[");
	struct tsh_event event;
	char *path;

	if (!strcmp(probe->path, "synthetic_events") && len && strchr(" \t;", name[len]))
		return tsh_xasprintf("events/synthetic/%.*s/enable", (int)len, name);
	if (!tsh_probe_event(probe->text, &event))
		return tsh_xstrdup("events/*/*/enable");
	path = tsh_xasprintf("events/%s/%s/enable", event.system, event.name);
	tsh_probe_event_release(&event);
	return path;
}

/* Calls may_erase for each instance in which the probe's event was ever enabled, because the kernel
 * erases its buffer when the probe is removed. */
static bool may_erase_all(struct tsh_plan *plan, const struct tsh_journal_entry *probe)
{
	struct tsh_journal_entry *entries = plan->j->entries.v;
	struct tsh_strlist asked = { 0 };
	char *enable = enable_of(probe);
	bool go_on = true;
	size_t i;

	for (i = plan->first; go_on && i < plan->j->entries.n; i++) {
		const char *name = entries[i].instance ? entries[i].instance : "";
		struct tsh_instance *in;
		struct tsh_err err = { 0 };

		if (!tsh_glob_match(enable, entries[i].path) || tsh_strlist_has(&asked, name))
			continue;
		tsh_strlist_add(&asked, name);
		if (!tsh_instance_open(plan->dir, entries[i].instance, &in, &err)) {
			go_on = may_erase(plan, probe, in, TSH_ERASES_ALL);
			tsh_instance_close(in);
		} else if (*name && tsh_instance_exists(plan->dir, name)) {
			tsh_plan_problem(plan, probe, err.message);
			go_on = false;
		}
		tsh_err_release(&err);
	}
	go_on = go_on && may_erase_users(plan, probe, &asked);
	tsh_strlist_release(&asked);
	free(enable);
	return go_on;
}

/* Says whether the remaining steps must be planned anew. The caller holds tsh_write_lock. */
static bool is_outdated(struct tsh_plan *plan)
{
	plan->outdated = plan->outdated || tsh_journal_has_news(plan->j);
	return plan->outdated;
}

static enum tsh_outcome remove_instance(struct tsh_plan *plan,
					const struct tsh_journal_entry *entry)
{
	struct tsh_instance *in;
	struct tsh_write_lock lock = { .fd = -1 };
	enum tsh_outcome outcome = tsh_plan_judge_instance(plan, entry, &in);
	pid_t heir;
	char *why;
	int r;

	/* Another session may go on using the instance; then nothing is erased. */
	if (in && outcome == TSH_OUTCOME_NONE && !entry->kept &&
	    !tsh_share_instance(plan->dir, plan->j, entry, false, &heir) && !may_erase(plan, entry, in, TSH_ERASES_ALL))
		outcome = TSH_OUTCOME_FAILED;
	if (in)
		tsh_instance_close(in);
	if (outcome != TSH_OUTCOME_NONE)
		return outcome;
	if (!entry->own && (why = tsh_write_lock_for_undo(plan->dir, &lock)))
		tsh_plan_note_once(plan, why);
	if (!entry->own && is_outdated(plan)) {
		tsh_write_unlock(&lock);
		return TSH_OUTCOME_NONE;
	}
	if (entry->kept && tsh_instance_exists(plan->dir, entry->instance)) {
		tsh_write_unlock(&lock);
		tsh_plan_note_kept(plan, entry);
		return TSH_OUTCOME_GONE;
	}
	/* A session that has set something in the instance gets it. */
	r = entry->own ? 0 : tsh_share_instance(plan->dir, plan->j, entry, true, &heir);
	if (r) {
		tsh_write_unlock(&lock);
		if (r > 0)
			tsh_plan_count_handed_over(plan, entry, heir, false);
		else
			tsh_plan_problem(plan, entry, "another session has set something in it, and its journal cannot "
					 "be written; left as it is");
		return r > 0 ? TSH_OUTCOME_BACK : TSH_OUTCOME_FAILED;
	}
	/* An instance that the user made is not emptied first: settings that are still in it are
	 * somebody else's. */
	r = entry->own ? tsh_instance_remove_whole(plan->dir, entry->instance) :
			 tsh_instance_remove(plan->dir, entry->instance);
	tsh_write_unlock(&lock);
	if (r == -ENOENT)
		return tsh_plan_report_missing_instance(plan, entry, false);
	if (!r)
		tsh_strlist_add(&plan->report->removed, entry->instance);
	else if (r == -EBUSY)
		tsh_plan_problem_busy(plan, entry, "");
	else
		tsh_plan_problem(plan, entry, strerror(-r));
	return r ? TSH_OUTCOME_FAILED : TSH_OUTCOME_BACK;
}

/*
 * Reads a file after a write that failed. Returns true when it has its old value all the same.
 * Otherwise it may have a part of the new text, which is recorded as ours; *ret_now is the text of
 * a list then, or NULL. The caller frees it.
 */
static bool read_after_failure(struct tsh_plan *plan, struct tsh_instance *in,
			       struct tsh_journal_entry *newest, const char *before, char **ret_now)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	bool back = false;
	char *now;

	*ret_now = NULL;
	if (tsh_write_image(in, newest->path, newest->text, &now) < 0 || !now)
		return false;
	if (tsh_class_standing(cls, before, newest->after, now) == TSH_STANDS_BEFORE) {
		back = true;
	} else if (!(cls->flags & TSH_CLASS_ADD_ONLY)) {
		free(newest->after);
		newest->after = now;
		now = NULL;
		if (newest->recorded)
			tsh_journal_file_append_done(plan->j, newest);
	}
	*ret_now = now;
	return back;
}

/* Returns which events writing `before` erases; they are saved first, once. */
static unsigned int erases(const struct tsh_instance *in, const struct tsh_journal_entry *newest,
			   const struct tsh_journal_entry *oldest, const char *before)
{
	return tsh_plan_phase(oldest) == TSH_PHASE_PROBES ? TSH_ERASES_ALL :
							    tsh_write_erases(in, newest->path, TSH_WRITE_SET, before);
}

static enum tsh_outcome write_back(struct tsh_plan *plan, struct tsh_step *step,
				   struct tsh_instance *in, struct tsh_rest *rest, const char *now)
{
	struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	struct tsh_journal_entry whole = plan->j->entries.v[step->oldest];
	char *left = NULL;
	int r;

	whole.before = rest->before;
	whole.after = rest->after;
	tsh_plan_record_restoring(plan, step);
	tsh_plan_record_emptying(plan, step, rest);
	r = tsh_plan_restore(plan, in, &whole, now);
	if (!r || read_after_failure(plan, in, newest, rest->before, &left)) {
		if (tsh_is_size(newest->path))
			tsh_plan_note_size(step, in, rest->before);
		tsh_plan_note_tasks(step, in, newest, now);
		free(left);
		return TSH_OUTCOME_BACK;
	}
	if (r == -EXDEV) {
		if (!newest->left || !plan->quiet_left)
			tsh_plan_problem(plan, newest, "a probe is not made again: users other than root can "
					 "change the path of its program");
		free(left);
		return TSH_OUTCOME_THEIRS;
	}
	tsh_plan_problem_left(plan, &whole, left, r == -ETIMEDOUT ? "its program's file system does not answer" :
								    strerror(-r));
	free(left);
	return TSH_OUTCOME_FAILED;
}

/* Restores a value: newest->after is the expected present text, oldest->before the one to restore.
 * Returns NONE when events have to be saved first. */
static enum tsh_outcome restore_value(struct tsh_plan *plan, struct tsh_step *step,
				      struct tsh_instance *in, const char *now, bool saved)
{
	struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	const struct tsh_journal_entry *oldest = &plan->j->entries.v[step->oldest];
	struct tsh_rest rest = {
		.before = tsh_xstrdup(oldest->before), .after = tsh_xstrdup(newest->after),
	};
	enum tsh_outcome outcome = tsh_plan_judge(plan, step, &rest, now);

	if (outcome == TSH_OUTCOME_NONE && (saved || !erases(in, newest, oldest, rest.before)))
		outcome = write_back(plan, step, in, &rest, now);
	tsh_rest_release(&rest);
	return outcome;
}

/* Saves the events that undoing the step would erase. Returns false when the step is left. */
static bool save_events(struct tsh_plan *plan, const struct tsh_step *step, struct tsh_instance *in)
{
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	const struct tsh_journal_entry *oldest = &plan->j->entries.v[step->oldest];

	return tsh_plan_phase(oldest) == TSH_PHASE_PROBES ? may_erase_all(plan, newest) :
	       may_erase(plan, newest, in, erases(in, newest, oldest, oldest->before));
}

/* Says whether the steps of a phase save events before they erase them. */
static bool may_save(enum tsh_phase phase)
{
	return phase == TSH_PHASE_TRACER_OFF || phase == TSH_PHASE_PROBES ||
	       phase == TSH_PHASE_ERASING || phase == TSH_PHASE_INSTANCES || phase == TSH_PHASE_STAYING;
}

static enum tsh_outcome restore_locked(struct tsh_plan *plan, struct tsh_step *step,
				       struct tsh_instance *in, bool saved)
{
	struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	enum tsh_outcome outcome = TSH_OUTCOME_BACK;
	struct tsh_write_lock lock = { .fd = -1 };
	char *now, *then, *why = tsh_write_lock_for_undo(plan->dir, &lock);
	int r;

	if (why)
		tsh_plan_note_once(plan, why);
	if (is_outdated(plan)) {
		tsh_write_unlock(&lock);
		return TSH_OUTCOME_NONE;
	}
	r = tsh_write_image(in, newest->path, newest->text, &now);
	/* The result of the write is unknown, because we were killed. */
	if (now && !newest->after) {
		then = tsh_share_read_after(plan->dir, plan->j, newest, now);
		newest->after = tsh_expected_after(plan->dir, plan->j, newest, then);
		free(then);
	}
	if (now && tsh_is_size(newest->path))
		now = tsh_plan_unrounded(plan, step, in, now);
	if (now) {
		outcome = restore_value(plan, step, in, now, saved);
	} else if (tsh_file_exists(in, newest->path)) {
		tsh_plan_problem_errno(plan, newest, "cannot be read back; left as it is", -r);
		outcome = TSH_OUTCOME_FAILED;
	} else if (!tsh_plan_hand_over_missing(plan, step)) {
		outcome = TSH_OUTCOME_FAILED;
	}
	tsh_write_unlock(&lock);
	free(now);
	return outcome;
}

/* Undoes a step in its instance, which was not replaced since. */
static enum tsh_outcome restore_in(struct tsh_plan *plan, struct tsh_step *step,
				   struct tsh_instance *in)
{
	enum tsh_outcome outcome = restore_locked(plan, step, in, false);

	if (outcome == TSH_OUTCOME_NONE && !plan->outdated && step->phase == TSH_PHASE_SIZES &&
	    tsh_plan_removes_instance(plan, &plan->j->entries.v[step->newest])) {
		/* Its events are saved when the instance is removed. */
		step->phase = TSH_PHASE_STAYING;
		return outcome;
	}
	/* Saves events without the lock, because that takes long. */
	if (outcome == TSH_OUTCOME_NONE && !plan->outdated)
		outcome = save_events(plan, step, in) ? restore_locked(plan, step, in, true) :
							TSH_OUTCOME_FAILED;
	return outcome;
}

static enum tsh_outcome restore_step(struct tsh_plan *plan, struct tsh_step *step)
{
	struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	enum tsh_outcome outcome;
	struct tsh_instance *in;

	if (newest->op == TSH_JOURNAL_MKDIR) {
		unsigned int given = plan->handed_over;

		outcome = remove_instance(plan, newest);
		step->is_handed_over = plan->handed_over > given;
		return outcome;
	}
	/* Its events are saved when the instance is removed, and only then. */
	if (step->phase == TSH_PHASE_ERASING && tsh_plan_removes_instance(plan, newest)) {
		step->phase = TSH_PHASE_STAYING;
		return TSH_OUTCOME_NONE;
	}
	if (step->phase == TSH_PHASE_STAYING &&
	    (tsh_dir_is_script(plan->dir) || !tsh_instance_exists(plan->dir, newest->instance)))
		return tsh_dir_is_script(plan->dir) || tsh_strlist_has(&plan->report->removed, newest->instance) ?
			       TSH_OUTCOME_BACK : tsh_plan_report_missing_instance(plan, newest, false);
	outcome = tsh_plan_open(plan, step, &in);
	if (in) {
		outcome = restore_in(plan, step, in);
		tsh_instance_close(in);
	}
	return outcome;
}

/* ---- all steps ---- */

/* Tries a step twice when it fails, but not one that saves events. */
static enum tsh_outcome try_step(struct tsh_plan *plan, struct tsh_step *step)
{
	struct tsh_strlist *problems = &plan->report->problems;
	size_t before = problems->n;
	enum tsh_outcome outcome = restore_step(plan, step);

	if (outcome != TSH_OUTCOME_FAILED || may_save(tsh_plan_phase(&plan->j->entries.v[step->oldest])))
		return outcome;
	while (problems->n > before)
		free(problems->v[--problems->n]);
	step->outcome = outcome;
	return restore_step(plan, step);
}

/* Undoes the steps of a phase. Steps that disable something are repeated after the triggers: a
 * trigger that enables events may have fired in between. */
static void undo_phase(struct tsh_plan *plan, enum tsh_phase phase)
{
	bool triggers = false;
	size_t i;

	for (i = 0; i < plan->steps.n && !plan->outdated; i++) {
		if (plan->steps.v[i].phase != phase)
			continue;
		plan->steps.v[i].outcome = try_step(plan, &plan->steps.v[i]);
		tsh_plan_record_undone(plan, i);
		triggers = triggers || phase == TSH_PHASE_TRIGGERS;
	}
	for (i = 0; triggers && i < plan->steps.n && !plan->outdated; i++)
		/* Does not repeat a step when an older one disables the same: its value would be on
		 * for a moment, and stay on if we are killed. */
		if (plan->steps.v[i].phase == TSH_PHASE_LOAD_OFF &&
		    plan->steps.v[i].outcome == TSH_OUTCOME_BACK && !tsh_plan_has_older(plan, i))
			plan->steps.v[i].outcome = try_step(plan, &plan->steps.v[i]);
}

/* Select everything, with instances that were handed over; and everything newer than the entries
 * that are held. */
enum { MARK_ALL = -1, MARK_HELD = -2 };

/* Carries out undo. mark: the newest command that stays, or one of the constants above. Returns
 * true when steps have to be planned anew. */
static bool carry_out(struct tsh_dir *dir, struct tsh_journal *j, int64_t mark, bool may_redo,
		      bool quiet_left, struct tsh_undo_report *report)
{
	struct tsh_plan plan = { .dir = dir, .j = j, .report = report, .may_redo = may_redo,
				 .quiet_left = quiet_left, .reported = report->problems.n };
	enum tsh_phase phase;

	tsh_share_drop_handed_over(tsh_others_read(dir, j), j);
	plan.first = j->entries.n;
	while (plan.first > 0 && j->entries.v[plan.first - 1].command > mark &&
	       !(mark == MARK_HELD && j->entries.v[plan.first - 1].held))
		plan.first--;
	if (plan.first == j->entries.n)
		return false;
	tsh_plan_make(&plan);
	tsh_plan_skip_unfired(&plan);
	for (phase = 0; phase < TSH_PHASE_N; phase++)
		undo_phase(&plan, phase);
	tsh_plan_check_sizes(&plan);
	tsh_plan_require_older(&plan);
	tsh_plan_note_fired(&plan);
	tsh_plan_note_handed_over(&plan);
	tsh_plan_finish(&plan);
	free(plan.step_of);
	tsh_plan_release_texts(&plan);
	tsh_vec_release(&plan.steps);
	return plan.outdated;
}

/* Undoes until nothing is left, because other sessions may hand over entries meanwhile, as long as
 * our file says that we have set something. */
static void undo_newer(struct tsh_dir *dir, struct tsh_journal *j, int64_t mark, bool may_redo,
		       bool quiet_left, struct tsh_undo_report *report)
{
	struct tsh_write_lock lock;
	bool more;

	(void)tsh_journal_catch_up(j);
	do {
		more = carry_out(dir, j, mark, may_redo, quiet_left, report);
		lock.fd = -1;
		if (j->file)
			free(tsh_write_lock_for_undo(dir, &lock));
		more |= tsh_journal_catch_up(j);
		tsh_write_unlock(&lock);
	} while (more);
}

void tsh_journal_undo_to(struct tsh_dir *dir, struct tsh_journal *j, unsigned int mark,
			 struct tsh_undo_report *report)
{
	undo_newer(dir, j, mark ? (int64_t)mark : MARK_ALL, false, false, report);
}

static bool has_fresh(const struct tsh_journal *j)
{
	size_t i;

	for (i = 0; i < j->entries.n; i++)
		if (!j->entries.v[i].own && !j->entries.v[i].held && !j->entries.v[i].left &&
		    !tsh_journal_is_inherited_instance(&j->entries.v[i]))
			return true;
	return false;
}

unsigned int tsh_journal_mark_of(const struct tsh_journal *j, unsigned int count)
{
	unsigned int mark = j->last_command, last = 0;
	bool fresh = has_fresh(j);
	size_t i;

	for (i = j->entries.n; count && i-- > 0;) {
		const struct tsh_journal_entry *entry = &j->entries.v[i];

		if (entry->own || entry->held || (fresh && entry->left) || entry->command == last ||
		    tsh_journal_is_inherited_instance(entry))
			continue;
		last = entry->command;
		mark = last - 1;
		count--;
	}
	return mark;
}

void tsh_journal_undo(struct tsh_dir *dir, struct tsh_journal *j, unsigned int count,
		      struct tsh_undo_report *report)
{
	bool all = count == UINT32_MAX;

	undo_newer(dir, j, all ? MARK_HELD : (int64_t)tsh_journal_mark_of(j, count), true,
		   !all && has_fresh(j), report);
}

void tsh_undo_report_release(struct tsh_undo_report *report)
{
	tsh_strlist_release(&report->changes);
	tsh_strlist_release(&report->problems);
	tsh_strlist_release(&report->notes);
	tsh_strlist_release(&report->removed);
	tsh_vec_release(&report->back);
	report->commands = report->settings = report->already_restored = report->gone = 0;
	report->erasing = false;
}
