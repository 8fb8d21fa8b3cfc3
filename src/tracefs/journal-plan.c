/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journal-plan.h"

#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "share.h"
#include "tracesh/suggest.h"

bool tsh_plan_same_instance(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b)
{
	if (a->identity && b->identity && a->identity != b->identity)
		return false;
	return a->instance && b->instance ? !strcmp(a->instance, b->instance) :
					    a->instance == b->instance;
}

/* "noirq-info" is about the option irq-info. */
static const char *option_name(const char *text)
{
	return text + (!strncmp(text, "no", 2) ? 2 : 0);
}

/* trace_options is one file for many settings. */
bool tsh_plan_same_setting(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b)
{
	if (a->op != b->op || !tsh_plan_same_instance(a, b) || strcmp(a->path, b->path))
		return false;
	if (tsh_file_class(a->path)->compare != TSH_SAME_OPTION)
		return true;
	return !strcmp(option_name(a->text), option_name(b->text));
}

bool tsh_plan_is_option(const struct tsh_journal_entry *file, const struct tsh_journal_entry *all)
{
	static const char folder[] = "options/";

	if (strncmp(file->path, folder, strlen(folder)) != 0 ||
	    tsh_file_class(all->path)->compare != TSH_SAME_OPTION)
		return false;
	return !strcmp(file->path + strlen(folder), option_name(all->text));
}

static bool are_event(const struct tsh_journal_entry *file, const struct tsh_journal_entry *all)
{
	return !strcmp(all->path, "set_event") && tsh_glob_match("events/*/*/enable", file->path);
}

/* Two files of the kernel that are one setting. */
static bool are_one(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b)
{
	const struct tsh_file_class *x, *y;

	if (a->op != TSH_JOURNAL_WRITE || b->op != TSH_JOURNAL_WRITE || !tsh_plan_same_instance(a, b) ||
	    !strcmp(a->path, b->path))
		return false;
	x = tsh_file_class(a->path);
	y = tsh_file_class(b->path);
	return tsh_plan_is_option(a, b) || tsh_plan_is_option(b, a) || are_event(a, b) || are_event(b, a) ||
	       (x->flags & y->flags & TSH_CLASS_PROBE) ||
	       (x->compare == TSH_SAME_SIZE && y->compare == TSH_SAME_SIZE &&
		(x->inverse == TSH_BACK_SIZES || y->inverse == TSH_BACK_SIZES));
}

static bool is_value(const struct tsh_journal_entry *entry)
{
	return entry->op == TSH_JOURNAL_WRITE && entry->before &&
	       !(tsh_file_class(entry->path)->flags & TSH_CLASS_ADD_ONLY);
}

/* The older of two writes to a file left what the newer found: nobody was between. */
static bool follows(const struct tsh_journal *j, const struct tsh_journal_entry *older,
		    const struct tsh_journal_entry *newer)
{
	const struct tsh_file_class *cls = tsh_file_class(older->path);

	if (!tsh_plan_same_setting(older, newer) || !is_value(older) || !is_value(newer) ||
	    !older->after || tsh_share_between(j, older, newer))
		return false;
	if (cls->compare == TSH_SAME_PIDS)
		return tsh_lines_same(cls, older->after, newer->before);
	return tsh_class_equal(cls, older->after, newer->before);
}

static bool goes_to(const struct tsh_journal_entry *oldest, const char *value)
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
		return goes_to(oldest, "0") ? TSH_PHASE_LOAD_OFF : TSH_PHASE_LOAD_ON;
	if (!strcmp(oldest->path, "current_tracer") && oldest->before && goes_to(oldest, "nop"))
		return TSH_PHASE_TRACER_OFF;
	if (flags & TSH_CLASS_TRIGGER)
		return TSH_PHASE_TRIGGERS;
	if (flags & TSH_CLASS_PROBE)
		return *oldest->text == '-' || *oldest->text == '!' ? TSH_PHASE_PROBES_BACK :
								      TSH_PHASE_PROBES;
	return flags & TSH_CLASS_ERASES ? TSH_PHASE_ERASING : TSH_PHASE_SETTINGS;
}

/*
 * Children that came to a list while its option to follow forks was on are not somebody
 * else's, also when that option has gone back first.
 */
static bool may_list_children(const struct tsh_journal *j, const struct tsh_journal_entry *list)
{
	size_t i;

	for (i = 0; i < j->entries.n; i++) {
		const struct tsh_journal_entry *entry = &j->entries.v[i];
		bool names = tsh_file_class(entry->path)->compare == TSH_SAME_OPTION;

		if (tsh_plan_same_instance(entry, list) &&
		    tsh_glob_match(names ? "*-fork" : "options/*-fork",
				   names ? entry->text : entry->path))
			return true;
	}
	return false;
}

bool tsh_plan_removes_instance(const struct tsh_plan *plan, const struct tsh_journal_entry *entry)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	pid_t heir;
	size_t i;

	for (i = plan->first; entry->instance && i < plan->j->entries.n; i++)
		if (entries[i].op == TSH_JOURNAL_MKDIR && tsh_plan_same_instance(&entries[i], entry))
			return !tsh_share_instance(NULL, plan->j, &entries[i], false, &heir);
	return false;
}

void tsh_plan_make(struct tsh_plan *plan)
{
	struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t n = plan->j->entries.n, i, k, last;

	plan->step_of = tsh_xcalloc(n - plan->first + 1, sizeof(*plan->step_of));
	for (i = n; i-- > plan->first;) {
		struct tsh_step *step;

		if (plan->step_of[i - plan->first])
			continue;
		step = tsh_vec_push(&plan->steps);
		step->newest = last = i;
		plan->step_of[i - plan->first] = plan->steps.n;
		for (k = i; k-- > plan->first;) {
			if (!tsh_plan_same_setting(&entries[k], &entries[last]))
				continue;
			if (!follows(plan->j, &entries[k], &entries[last]))
				break;
			plan->step_of[k - plan->first] = plan->steps.n;
			last = k;
		}
		step->oldest = last;
		if (tsh_file_class(entries[i].path)->compare == TSH_SAME_PIDS)
			entries[last].forks = may_list_children(plan->j, &entries[i]);
		step->phase = tsh_plan_phase(&entries[last]);
	}
}

void tsh_plan_keep_older(struct tsh_plan *plan)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t i, k;

	for (i = 0; i < plan->steps.n; i++) {
		if (plan->steps.v[i].outcome != TSH_OUTCOME_FAILED &&
		    plan->steps.v[i].outcome != TSH_OUTCOME_THEIRS)
			continue;
		for (k = i + 1; k < plan->steps.n; k++)
			if (are_one(&entries[plan->steps.v[i].newest],
				    &entries[plan->steps.v[k].newest]))
				plan->steps.v[k].kept = true;
	}
}
