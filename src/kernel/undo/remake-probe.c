/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/sharing/share.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/probe-lines.h"

/*
 * Restores probes that were removed, and whose names were used again since. Our newer probe of that
 * name is removed first, with the settings on it. Then the old probe and its settings are restored,
 * in the journal's order.
 */

static bool is_probe(const struct tsh_journal_entry *entry)
{
	return entry->op == TSH_JOURNAL_WRITE && (tsh_file_class(entry->path)->flags & TSH_CLASS_PROBE);
}

static bool removes(const struct tsh_journal_entry *entry)
{
	return is_probe(entry) && tsh_plan_phase(entry) == TSH_PHASE_PROBES_BACK;
}

/* Lists the probes that an entry has removed. */
static void list_removed(const struct tsh_journal_entry *entry, struct tsh_strlist *ret)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	if (entry->before)
		tsh_lines_split(entry->before, &lines);
	for (i = 0; i < lines.n; i++)
		if (tsh_line_is_from(entry->path, lines.v[i], entry->text))
			tsh_strlist_add(ret, lines.v[i]);
	tsh_strlist_release(&lines);
}

/* Lists the probes that an entry has made; when its write was interrupted, the lines that it
 * wrote. */
static void list_made(const struct tsh_journal_entry *entry, struct tsh_strlist *ret)
{
	struct tsh_strlist before = { 0 }, after = { 0 };

	if (entry->before)
		tsh_lines_split(entry->before, &before);
	tsh_lines_split(entry->after ? entry->after : entry->text, &after);
	tsh_lines_without(tsh_file_class(entry->path), &after, &before, ret);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
}

static bool uses_any(const struct tsh_journal_entry *entry, const struct tsh_strlist *probes)
{
	size_t i;

	for (i = 0; i < probes->n; i++)
		if (tsh_share_uses_probe(NULL, entry, probes->v[i]))
			return true;
	return false;
}

void tsh_plan_close_removed(struct tsh_plan *plan, const struct tsh_journal_entry *entry)
{
	struct tsh_strlist probes = { 0 };
	size_t k;

	if (removes(entry))
		list_removed(entry, &probes);
	for (k = 0; probes.n && k < plan->steps.n; k++)
		if (uses_any(&plan->j->entries.v[plan->steps.v[k].oldest], &probes))
			plan->steps.v[k].closed = true;
	tsh_strlist_release(&probes);
}

/* Says whether a probe of one list has the same event as a probe of the other. */
static bool have_one_event(const struct tsh_strlist *these, const struct tsh_strlist *those)
{
	bool have = false;
	size_t i, k;

	for (i = 0; i < these->n && !have; i++) {
		char *folder = tsh_probe_folder(these->v[i]);

		for (k = 0; folder && k < those->n && !have; k++) {
			char *other = tsh_probe_folder(those->v[k]);

			have = other && !strcmp(folder, other);
			free(other);
		}
		free(folder);
	}
	return have;
}

/* Returns the index of the newest step that removed a probe whose name a newer one of ours has; the
 * number of steps when there is none. */
static size_t find_reused(const struct tsh_plan *plan)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	struct tsh_strlist made = { 0 }, removed = { 0 };
	bool taken = false;
	size_t k;

	for (k = 0; k < plan->steps.n && !taken; k++) {
		const struct tsh_journal_entry *entry = &entries[plan->steps.v[k].oldest];

		if (!is_probe(entry))
			continue;
		if (!removes(entry)) {
			list_made(entry, &made);
			continue;
		}
		list_removed(entry, &removed);
		taken = have_one_event(&removed, &made);
		tsh_strlist_release(&removed);
	}
	tsh_strlist_release(&made);
	return taken ? k - 1 : k;
}

void tsh_plan_remake_removed(struct tsh_plan *plan)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	struct tsh_strlist probes = { 0 };
	size_t first = find_reused(plan), k;

	for (k = first; k < plan->steps.n; k++) {
		const struct tsh_journal_entry *entry = &entries[plan->steps.v[k].oldest];

		if (!is_probe(entry))
			continue;
		plan->steps.v[k].phase = TSH_PHASE_PROBES_AGAIN;
		if (removes(entry))
			list_removed(entry, &probes);
		else
			list_made(entry, &probes);
	}
	for (k = first; k < plan->steps.n; k++)
		if (plan->steps.v[k].phase < TSH_PHASE_PROBES_AGAIN &&
		    uses_any(&entries[plan->steps.v[k].oldest], &probes))
			plan->steps.v[k].phase = TSH_PHASE_PROBES_AGAIN;
	tsh_strlist_release(&probes);
}

/* Says whether a newer step removed the probe of the step's event, and has not been undone yet; or,
 * with `failed`, whether its undo has failed. */
static bool waits_for_probe(const struct tsh_plan *plan, const struct tsh_step *step, bool failed)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	const struct tsh_step *newer;
	bool waits = false;

	if (strncmp(entries[step->oldest].path, "events/", strlen("events/")) != 0)
		return false;
	for (newer = plan->steps.v; newer < step && !waits; newer++) {
		const struct tsh_journal_entry *removal = &entries[newer->oldest];
		struct tsh_strlist probes = { 0 };
		bool is = failed ? newer->outcome == TSH_OUTCOME_FAILED || newer->outcome == TSH_OUTCOME_THEIRS :
				   newer->outcome == TSH_OUTCOME_NONE;

		if (!is || !removes(removal))
			continue;
		list_removed(removal, &probes);
		waits = uses_any(&entries[step->oldest], &probes);
		tsh_strlist_release(&probes);
	}
	return waits;
}

bool tsh_plan_lacks_probe(const struct tsh_plan *plan, const struct tsh_step *step)
{
	return waits_for_probe(plan, step, true);
}

bool tsh_plan_will_restore_probe(const struct tsh_plan *plan, const struct tsh_step *step)
{
	return waits_for_probe(plan, step, false);
}
