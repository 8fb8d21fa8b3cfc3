/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/setting.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/lines.h"

/* Finds out whether instances can be removed, and what becomes of settings in one that is gone. */

bool tsh_plan_is_other(const struct tsh_journal_entry *entry, const struct tsh_instance *in)
{
	return entry->identity && in->identity && entry->identity != in->identity;
}

bool tsh_plan_is_made_anew(const struct tsh_plan *plan, const struct tsh_journal_entry *entry)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	bool is;

	if (tsh_instance_open(plan->dir, entry->instance, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return false;
	}
	is = tsh_plan_is_other(entry, in);
	tsh_instance_close(in);
	return is;
}

enum tsh_outcome tsh_plan_report_missing_instance(struct tsh_plan *plan, const struct tsh_journal_entry *entry,
						  bool has_other)
{
	/* An own instance of a command, in which nobody has set anything, is not reported. */
	if (tsh_journal_is_setting(entry))
		tsh_plan_note_once(plan, tsh_xasprintf("instance '%s' is gone, and what was set there%s", entry->instance,
						       has_other ? "; somebody has made another one of that name" : ""));
	return TSH_OUTCOME_GONE;
}

static bool has_entry(const struct tsh_journal *j, const struct tsh_journal_entry *made, const char *path)
{
	size_t i;

	for (i = 0; i < j->entries.n; i++)
		if (!strcmp(j->entries.v[i].path, path) && tsh_same_instance(&j->entries.v[i], made))
			return true;
	return false;
}

/* Says whether an entry of ours, not undone yet, may have enabled the event "S:E", or set a trigger
 * of it. */
static bool may_be_ours(const struct tsh_plan *plan, const struct tsh_journal_entry *made, const char *event)
{
	char *system = tsh_xasprintf("events/%.*s/enable", (int)strcspn(event, ":"), event);
	char *folder = tsh_xasprintf("events/%s/", event);
	bool is = false;
	size_t i;

	*strchrnul(folder, ':') = '/';
	for (i = plan->first; !is && i < plan->j->entries.n; i++) {
		const struct tsh_journal_entry *entry = &plan->j->entries.v[i];

		is = plan->steps.v[plan->step_of[i - plan->first] - 1].outcome == TSH_OUTCOME_NONE &&
		     entry->op == TSH_JOURNAL_WRITE && tsh_same_instance(entry, made) &&
		     (!strcmp(entry->path, system) || tsh_share_uses_event(NULL, entry, folder));
	}
	free(system);
	free(folder);
	return is;
}

/* Says whether all events that are enabled in the instance are ours, as far as is known before
 * undo. */
static bool are_all_ours(const struct tsh_plan *plan, const struct tsh_journal_entry *made, const struct tsh_instance *in)
{
	char *text = tsh_file_text(in, "set_event");
	struct tsh_strlist events = { 0 };
	bool are = text != NULL;
	size_t i;

	tsh_lines_split(text ? text : "", &events);
	for (i = 0; are && i < events.n; i++)
		are = may_be_ours(plan, made, events.v[i]);
	tsh_strlist_release(&events);
	free(text);
	return are;
}

bool tsh_plan_has_left(const struct tsh_plan *plan, const struct tsh_journal_entry *made)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	size_t i;

	for (i = 0; i < plan->steps.n && !made->kept; i++)
		if (plan->steps.v[i].outcome == TSH_OUTCOME_THEIRS &&
		    entries[plan->steps.v[i].newest].op == TSH_JOURNAL_WRITE &&
		    tsh_same_instance(&entries[plan->steps.v[i].newest], made))
			return true;
	return false;
}

bool tsh_plan_is_used(const struct tsh_plan *plan, const struct tsh_journal_entry *made)
{
	/* An event that has a trigger counts as enabled. A list of tasks that was ours may still
	 * have children. */
	static const struct { const char *path, *unused; } files[] = {
		{ "events/enable", "0" }, { "current_tracer", "nop" },
		{ "set_event_pid", "" }, { "set_event_notrace_pid", "" },
	};
	struct tsh_instance *in;
	struct tsh_err ignored = { 0 };
	bool used = false;
	pid_t heir;
	size_t i;

	if (tsh_dir_is_script(plan->dir) || made->kept)
		return false;
	if (tsh_plan_has_left(plan, made))
		return true;
	if (tsh_share_instance(plan->dir, plan->j, made, false, &heir))
		return false;
	/* An instance that cannot be opened counts as used. */
	if (tsh_instance_open(plan->dir, made->instance, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return tsh_instance_exists(plan->dir, made->instance);
	}
	for (i = 0; !used && i < sizeof(files) / sizeof(files[0]); i++) {
		char *text = tsh_file_text(in, files[i].path);

		used = (text ? strcmp(text, files[i].unused) != 0 : tsh_file_exists(in, files[i].path)) &&
		       !has_entry(plan->j, made, files[i].path) && (i || !are_all_ours(plan, made, in));
		free(text);
	}
	tsh_instance_close(in);
	return used;
}

bool tsh_plan_removes_instance(const struct tsh_plan *plan, const struct tsh_journal_entry *entry)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	pid_t heir;
	size_t i;

	for (i = plan->first; entry->instance && i < plan->j->entries.n; i++)
		if (entries[i].op == TSH_JOURNAL_MKDIR && tsh_same_instance(&entries[i], entry))
			return !entries[i].kept && !tsh_plan_is_used(plan, &entries[i]) &&
			       !tsh_share_instance(NULL, plan->j, &entries[i], false, &heir);
	return false;
}

enum tsh_outcome tsh_plan_judge_instance(struct tsh_plan *plan, const struct tsh_journal_entry *made,
					 struct tsh_instance **ret)
{
	bool left, used;
	struct tsh_err err = { 0 };

	*ret = NULL;
	if (made->own)
		return tsh_plan_is_made_anew(plan, made) ? TSH_OUTCOME_GONE : TSH_OUTCOME_NONE;
	if (tsh_instance_open(plan->dir, made->instance, ret, &err) < 0) {
		bool exists = tsh_instance_exists(plan->dir, made->instance);

		*ret = NULL;
		if (exists)
			tsh_plan_problem(plan, made, err.message);
		tsh_err_release(&err);
		if (exists)
			return TSH_OUTCOME_FAILED;
		return tsh_dir_is_script(plan->dir) ? TSH_OUTCOME_NONE : tsh_plan_report_missing_instance(plan, made,
													  false);
	}
	/* An instance that was made again has no settings of ours. */
	if (tsh_plan_is_other(made, *ret))
		return tsh_plan_report_missing_instance(plan, made, true);
	left = tsh_plan_has_left(plan, made);
	used = !left && tsh_plan_is_used(plan, made);
	if (used)
		tsh_plan_problem_busy(plan, made, ": somebody has set events, tasks or a tracer in it");
	else if (left && (!made->left || !plan->quiet_left))
		tsh_plan_problem(plan, made, "not removed, as somebody else has changed what was set in it");
	return used || left ? TSH_OUTCOME_THEIRS : TSH_OUTCOME_NONE;
}

void tsh_plan_note_kept(struct tsh_plan *plan, const struct tsh_journal_entry *made)
{
	tsh_plan_note_once(plan, tsh_xasprintf("instance '%s' stays: another session has kept what it has set there",
					       made->instance));
}
