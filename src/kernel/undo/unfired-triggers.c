/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/value.h"
#include "kernel/tracefs/lines.h"
#include "kernel/journal/setting.h"
#include "kernel/tracefs/trigger.h"

/* Finds triggers that have not fired, because their whole count is left: a value that they would
 * have switched is somebody else's. */

/* Finds the trigger or the function's command that switches the expected value; NULL unless there
 * is exactly one. */
static const struct tsh_journal_entry *find_trigger(const struct tsh_journal *j,
						    const struct tsh_journal_entry *expected)
{
	const struct tsh_journal_entry *found = NULL, *entry;
	const char *to;
	size_t i, n = 0;

	for (i = 0; i < j->entries.n; i++) {
		const struct tsh_file_class *cls;
		char *path;

		entry = &j->entries.v[i];
		cls = tsh_file_class(entry->path);
		if (!entry->text || !tsh_same_instance(entry, expected) ||
		    !((cls->flags & TSH_CLASS_TRIGGER) || cls->compare == TSH_SAME_FUNCTIONS))
			continue;
		path = tsh_switched_file(entry->text, &to);
		if (path && !strcmp(path, expected->path)) {
			found = entry;
			n++;
		}
		free(path);
	}
	return n == 1 ? found : NULL;
}

/* Says whether the file has the trigger with the count that was written. */
static bool is_whole(const struct tsh_instance *in, const struct tsh_journal_entry *trigger)
{
	const char *count = trigger->text + strcspn(trigger->text, " \t");
	bool is = false;
	char *now;

	while (count > trigger->text && count[-1] >= '0' && count[-1] <= '9')
		count--;
	if (count == trigger->text || count[-1] != ':' || *count < '0' || *count > '9')
		return false;
	if (!tsh_write_image(in, trigger->path, trigger->text, &now) && now)
		is = tsh_lines_have(tsh_file_class(trigger->path), now, trigger->text);
	free(now);
	return is;
}

static bool is_theirs(const struct tsh_plan *plan, const struct tsh_step *step)
{
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	const char *before = plan->j->entries.v[step->oldest].before;
	const struct tsh_journal_entry *trigger = before ? find_trigger(plan->j, newest) : NULL;
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	bool is = false;
	char *now;

	if (!trigger || tsh_instance_open(plan->dir, newest->instance, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return false;
	}
	if (!tsh_plan_is_other(newest, in) && is_whole(in, trigger) &&
	    !tsh_write_image(in, newest->path, newest->text, &now)) {
		is = now && !tsh_class_equal(tsh_file_class(newest->path), before, now);
		free(now);
	}
	tsh_instance_close(in);
	return is;
}

void tsh_plan_skip_unfired(struct tsh_plan *plan)
{
	size_t k;

	for (k = 0; k < plan->steps.n; k++) {
		struct tsh_step *step = &plan->steps.v[k];

		if (step->writes || !step->switches || !is_theirs(plan, step))
			continue;
		step->outcome = TSH_OUTCOME_GONE;
		step->phase = TSH_PHASE_N;
	}
}
