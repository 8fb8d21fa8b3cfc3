/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>

#include "kernel/sharing/share.h"

/* Finds out what becomes of a step, by reading the files before anything is written. */

/* Returns the outcome of a step whose instance cannot be opened. */
static enum tsh_outcome cannot_open(struct tsh_plan *plan, const struct tsh_journal_entry *entry,
				    const struct tsh_err *err)
{
	if (entry->instance && !tsh_instance_exists(plan->dir, entry->instance))
		return tsh_plan_report_missing_instance(plan, entry, false);
	tsh_plan_problem(plan, entry, err->message);
	return TSH_OUTCOME_FAILED;
}

enum tsh_outcome tsh_plan_open(struct tsh_plan *plan, const struct tsh_step *step, struct tsh_instance **ret)
{
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	enum tsh_outcome outcome = TSH_OUTCOME_NONE;
	struct tsh_err err = { 0 };

	*ret = NULL;
	if (!plan->j->entries.v[step->oldest].before) {
		tsh_plan_problem(plan, newest, "it cannot be undone");
		return TSH_OUTCOME_LEFT;
	}
	if (tsh_plan_lacks_probe(plan, step)) {
		if (!newest->left || !plan->quiet_left)
			tsh_plan_problem(plan, newest, "its probe was not restored; left as it is");
		return TSH_OUTCOME_THEIRS;
	}
	if (tsh_instance_open(plan->dir, newest->instance, ret, &err) < 0) {
		outcome = cannot_open(plan, newest, &err);
		*ret = NULL;
	} else if (tsh_plan_is_other(newest, *ret)) {
		tsh_instance_close(*ret);
		*ret = NULL;
		outcome = tsh_plan_report_missing_instance(plan, newest, true);
	}
	tsh_err_release(&err);
	return outcome;
}

enum tsh_outcome tsh_plan_judge(struct tsh_plan *plan, struct tsh_step *step, struct tsh_rest *rest, const char *now)
{
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	const struct tsh_journal_entry *oldest = &plan->j->entries.v[step->oldest];
	enum tsh_standing standing;
	const char *cannot = tsh_plan_resolve_sharing(plan, step, rest, now, &standing);
	char *why;

	if (!cannot && standing == TSH_STANDS_THEIRS && tsh_plan_has_failed_newer(plan, step))
		cannot = "a later setting of it could not be undone; left as it is";
	if (cannot) {
		tsh_plan_problem(plan, newest, cannot);
		return TSH_OUTCOME_FAILED;
	}
	if (standing == TSH_STANDS_THEIRS) {
		if (!newest->left || !plan->quiet_left) {
			why = tsh_plan_foreign_reason(newest, now, rest->before);
			tsh_plan_problem(plan, newest, why);
			free(why);
		}
		return TSH_OUTCOME_THEIRS;
	}
	if (standing != TSH_STANDS_BEFORE)
		return TSH_OUTCOME_NONE;
	/* Finds the old value: others have restored it, our writes ended at it, or the rest was
	 * handed over. Writing it again could erase events for nothing. */
	step->already_restored |= step->outcome == TSH_OUTCOME_NONE;
	step->gone = step->already_restored && !step->older_undoes_it &&
		     (!tsh_plan_is_changed(oldest, oldest->after) || tsh_plan_is_changed(oldest, newest->after));
	return TSH_OUTCOME_BACK;
}
