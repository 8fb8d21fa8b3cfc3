/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "kernel/journal/file.h"
#include "kernel/journal/setting.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/size.h"

static bool is_value(const struct tsh_journal_entry *entry)
{
	return entry->op == TSH_JOURNAL_WRITE && entry->before &&
	       !(tsh_file_class(entry->path)->flags & TSH_CLASS_ADD_ONLY);
}

/* Says whether an older trigger of ours switches the entry's value, so that a change of it is not
 * somebody else's. */
static bool is_switched(const struct tsh_journal *j, const struct tsh_journal_entry *entry)
{
	size_t i;

	for (i = 0; &j->entries.v[i] < entry; i++)
		if (j->entries.v[i].how == TSH_WRITE_EXPECTED && tsh_same_setting(&j->entries.v[i], entry))
			return true;
	return false;
}

/* Says whether the newer of two writes to a file found what the older one left, so that nobody
 * wrote in between. */
static bool follows(const struct tsh_journal *j, const struct tsh_journal_entry *older,
		    const struct tsh_journal_entry *newer)
{
	const struct tsh_file_class *cls = tsh_file_class(older->path);

	if (!tsh_same_setting(older, newer) || !is_value(older) || !is_value(newer) ||
	    !older->after || tsh_share_wrote_between(j, older, newer))
		return false;
	/* Entries of a list that were handed over have only some of its lines. */
	if (cls->compare == TSH_SAME_PIDS)
		return older->number < TSH_JOURNAL_INHERITED && newer->number < TSH_JOURNAL_INHERITED &&
		       tsh_lines_same(cls, older->after, newer->before);
	return tsh_class_equal(cls, older->after, newer->before) ||
	       ((cls->flags & TSH_CLASS_BITS) && is_switched(j, newer));
}

static bool restores(const struct tsh_journal_entry *oldest, const char *value)
{
	char *before = tsh_class_normalize(tsh_file_class(oldest->path), oldest->before);
	bool same = !strcmp(before, value);

	free(before);
	return same;
}

enum tsh_phase tsh_plan_phase(const struct tsh_journal_entry *oldest)
{
	unsigned int flags = tsh_file_class(oldest->path)->flags;

	if (oldest->op == TSH_JOURNAL_MKDIR)
		return oldest->own ? TSH_PHASE_OWN_INSTANCES : TSH_PHASE_INSTANCES;
	if (!strcmp(oldest->path, "set_event"))
		return TSH_PHASE_LOAD_OFF;
	if ((flags & TSH_CLASS_BITS) && oldest->before)
		return restores(oldest, "0") ? TSH_PHASE_LOAD_OFF : TSH_PHASE_LOAD_ON;
	if (!strcmp(oldest->path, "current_tracer") && oldest->before && restores(oldest, "nop"))
		return TSH_PHASE_TRACER_OFF;
	/* A function's command fires as a trigger does. */
	if ((flags & TSH_CLASS_TRIGGER) || tsh_file_class(oldest->path)->compare == TSH_SAME_FUNCTIONS)
		return TSH_PHASE_TRIGGERS;
	if (flags & TSH_CLASS_PROBE)
		return *oldest->text == '-' || *oldest->text == '!' ? TSH_PHASE_PROBES_BACK :
								      TSH_PHASE_PROBES;
	if (tsh_is_size(oldest->path))
		return TSH_PHASE_SIZES;
	return flags & TSH_CLASS_ERASES ? TSH_PHASE_ERASING : TSH_PHASE_SETTINGS;
}

/* Closes the steps of other files that are one setting with the entry's: older entries are undone
 * after it. */
static void close_steps(struct tsh_plan *plan, const struct tsh_journal_entry *entry, size_t newest_of_key)
{
	bool all = !strcmp(entry->path, "set_event");
	size_t k = all ? plan->steps.n : newest_of_key;

	/* Lists of probes are undone line by line, so their steps stay open. */
	if (!all && (tsh_file_class(entry->path)->flags & TSH_CLASS_ADD_ONLY))
		return;
	for (; k; k = all ? k - 1 : plan->steps.v[k - 1].next)
		if (tsh_is_one_setting(entry, &plan->j->entries.v[plan->steps.v[k - 1].oldest]))
			plan->steps.v[k - 1].closed = true;
}

/* Adds the entry at index i to the step of the next newer write to its file, or to a new step. */
static void add_to_plan(struct tsh_plan *plan, size_t i, size_t *newest_of_key)
{
	struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t k = *newest_of_key;
	struct tsh_step *step;

	while (k && !tsh_same_setting(&entries[i], &entries[plan->steps.v[k - 1].oldest]))
		k = plan->steps.v[k - 1].next;
	close_steps(plan, &entries[i], *newest_of_key);
	tsh_plan_close_removed(plan, &entries[i]);
	if (!k || plan->steps.v[k - 1].closed ||
	    !follows(plan->j, &entries[i], &entries[plan->steps.v[k - 1].oldest])) {
		step = tsh_vec_push(&plan->steps);
		step->newest = step->oldest = i;
		step->next = *newest_of_key;
		*newest_of_key = k = plan->steps.n;
	}
	entries[i].forks |= entries[plan->steps.v[k - 1].oldest].forks;
	plan->steps.v[k - 1].oldest = i;
	if (entries[i].how == TSH_WRITE_EXPECTED)
		plan->steps.v[k - 1].switches = true;
	else
		plan->steps.v[k - 1].writes = true;
	plan->step_of[i - plan->first] = k;
}

static bool is_one(struct tsh_journal_entry *a, struct tsh_journal_entry *b)
{
	return tsh_may_be_related(a, b) && (tsh_same_setting(a, b) || tsh_is_one_setting(a, b));
}

/* Moves steps that would enable something before an older step that disables it: the oldest write
 * decides the value. */
static void order_phases(struct tsh_plan *plan)
{
	struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t i, k;

	for (i = 0; i < plan->steps.n; i++)
		for (k = i + 1; k < plan->steps.n && plan->steps.v[i].phase == TSH_PHASE_LOAD_ON; k++)
			if (plan->steps.v[k].phase == TSH_PHASE_LOAD_OFF &&
			    is_one(&entries[plan->steps.v[i].newest], &entries[plan->steps.v[k].newest]))
				plan->steps.v[i].phase = TSH_PHASE_LOAD_OFF;
}

void tsh_plan_make(struct tsh_plan *plan)
{
	struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t n = plan->j->entries.n, i, *of_key;

	plan->step_of = tsh_xcalloc(n - plan->first + 1, sizeof(*plan->step_of));
	of_key = tsh_xcalloc(n - plan->first + 1, sizeof(*of_key));
	for (i = n; i-- > plan->first;)
		add_to_plan(plan, i, &of_key[tsh_setting_key(&entries[i]) % (n - plan->first)]);
	free(of_key);
	for (i = 0; i < plan->steps.n; i++) {
		struct tsh_step *step = &plan->steps.v[i];

		if (tsh_file_class(entries[step->newest].path)->compare == TSH_SAME_PIDS)
			entries[step->oldest].follows = tsh_tasks_list_children(plan->j, &entries[step->newest]);
		step->phase = tsh_plan_phase(&entries[step->oldest]);
	}
	order_phases(plan);
	tsh_plan_remake_removed(plan);
}

/* Says whether a newer step of the same setting is still to be undone. */
static bool is_needed(const struct tsh_plan *plan, size_t k)
{
	struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t i;

	for (i = 0; i < k; i++) {
		enum tsh_outcome outcome = plan->steps.v[i].outcome;

		if ((outcome == TSH_OUTCOME_NONE || outcome == TSH_OUTCOME_FAILED ||
		     outcome == TSH_OUTCOME_THEIRS) &&
		    is_one(&entries[plan->steps.v[i].newest], &entries[plan->steps.v[k].newest]))
			return true;
	}
	return false;
}

bool tsh_plan_has_older(const struct tsh_plan *plan, size_t k)
{
	struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t i;

	for (i = k + 1; i < plan->steps.n; i++)
		if (is_one(&entries[plan->steps.v[i].newest], &entries[plan->steps.v[k].newest]))
			return true;
	return false;
}

bool tsh_plan_has_failed_newer(const struct tsh_plan *plan, const struct tsh_step *step)
{
	struct tsh_journal_entry *entries = plan->j->entries.v;
	const struct tsh_step *newer;

	for (newer = plan->steps.v; newer < step; newer++)
		if (newer->outcome == TSH_OUTCOME_FAILED && is_one(&entries[newer->newest], &entries[step->newest]))
			return true;
	return false;
}

void tsh_plan_record_undone(struct tsh_plan *plan, size_t k)
{
	const struct tsh_step *step = &plan->steps.v[k];
	struct { unsigned int *v; size_t n, cap; } gone = { 0 };
	size_t i;

	/* A size that was rounded will be set once more, also by recover when we are killed. */
	if (step->outcome != TSH_OUTCOME_BACK || is_needed(plan, k) || tsh_plan_is_rounded(plan, step))
		return;
	for (i = step->newest + 1; i-- > step->oldest;) {
		struct tsh_journal_entry *entry = &plan->j->entries.v[i];

		if (plan->step_of[i - plan->first] != k + 1 || !entry->recorded)
			continue;
		*tsh_vec_push(&gone) = entry->number;
		entry->recorded = false;
	}
	if (gone.n)
		tsh_journal_file_append_gone(plan->j, gone.v, gone.n);
	tsh_vec_release(&gone);
}

void tsh_plan_require_older(struct tsh_plan *plan)
{
	struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t i, k;

	for (i = 0; i < plan->steps.n; i++) {
		struct tsh_journal_entry *failed = &entries[plan->steps.v[i].newest];

		if (plan->steps.v[i].outcome != TSH_OUTCOME_FAILED &&
		    plan->steps.v[i].outcome != TSH_OUTCOME_THEIRS)
			continue;
		for (k = i + 1; k < plan->steps.n; k++)
			if (tsh_may_be_related(failed, &entries[plan->steps.v[k].newest]) &&
			    tsh_is_one_setting(failed, &entries[plan->steps.v[k].newest]))
				plan->steps.v[k].kept = true;
	}
}
