/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/suggest.h"
#include "kernel/journal/file.h"
#include "kernel/journal/others.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/pids.h"
#include "kernel/journal/setting.h"

/* Undoes lists of tasks, which the kernel changes, too. */

/* ---- whether the kernel may have added children ---- */

static bool is_list(const struct tsh_journal_entry *entry)
{
	return entry->op == TSH_JOURNAL_WRITE && tsh_file_class(entry->path)->compare == TSH_SAME_PIDS;
}

static bool is_option(const struct tsh_journal_entry *entry)
{
	bool names = tsh_file_class(entry->path)->compare == TSH_SAME_OPTION;

	return tsh_glob_match(names ? "*-fork" : "options/*-fork", names ? entry->text : entry->path);
}

bool tsh_tasks_list_children(const struct tsh_journal *j, const struct tsh_journal_entry *list)
{
	size_t i;

	for (i = 0; i < j->entries.n; i++)
		if (is_option(&j->entries.v[i]) && tsh_same_instance(&j->entries.v[i], list))
			return true;
	return false;
}

/* Does as tsh_tasks_list_children with the journals of other sessions. */
static bool others_follow(const struct tsh_others *others, const struct tsh_journal_entry *list)
{
	bool follow = false;
	size_t i;

	for (i = 0; others && i < others->n && !follow; i++)
		follow = others->v[i].is_same_tracefs && tsh_tasks_list_children(others->v[i].journal, list);
	return follow;
}

void tsh_plan_append_forks(const struct tsh_plan *plan, const struct tsh_step *step)
{
	const struct tsh_journal_entry *oldest = &plan->j->entries.v[step->oldest];
	struct tsh_others *others = plan->j->others;
	struct tsh_journal_entry *entry;
	size_t i, k;

	if (!is_option(oldest) && !oldest->forks && !oldest->follows)
		return;
	for (i = 0; i < plan->j->entries.n; i++) {
		entry = &plan->j->entries.v[i];
		if (entry->forks || !is_list(entry) || !tsh_same_instance(entry, oldest))
			continue;
		entry->forks = true;
		if (entry->recorded)
			tsh_journal_file_append_forks(plan->j, entry->number);
	}
	for (i = 0; others && i < others->n; i++) {
		for (k = 0; others->v[i].is_same_tracefs && k < others->v[i].journal->entries.n; k++) {
			entry = &others->v[i].journal->entries.v[k];
			if (!entry->forks && is_list(entry) && tsh_same_instance(entry, oldest))
				(void)tsh_other_note_forks(&others->v[i], entry->number);
		}
	}
}

/* ---- the kernel's changes ---- */

/* Says whether the kernel would add the children of listed tasks without the plan's entries. */
static bool followed_before(const struct tsh_plan *plan, const struct tsh_instance *in,
			    const struct tsh_journal_entry *list)
{
	bool functions = strstr(list->path, "ftrace") != NULL;
	struct tsh_journal_entry option = *list;
	char *value = NULL;
	bool followed;
	size_t i;

	option.path = (char *)(functions ? "options/function-fork" : "options/event-fork");
	option.key = 0;
	for (i = plan->first; i < plan->j->entries.n && !value; i++) {
		const struct tsh_journal_entry *entry = &plan->j->entries.v[i];

		if (entry->op == TSH_JOURNAL_WRITE && entry->before &&
		    (tsh_same_setting(entry, &option) || tsh_is_one_setting(entry, &option)))
			value = tsh_setting_convert_text(entry, entry->before, &option);
	}
	if (!value)
		value = tsh_file_text(in, option.path);
	followed = value && *value == '1';
	free(value);
	return followed;
}

char *tsh_plan_without_ours(const struct tsh_plan *plan, size_t n, const struct tsh_journal_entry *list, const char *tasks)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	const struct tsh_file_class *cls = tsh_file_class(list->path);
	struct tsh_strlist left = { 0 }, before = { 0 }, after = { 0 }, came = { 0 }, rest = { 0 };
	char *text;
	size_t i;

	tsh_lines_split(tasks, &left);
	for (i = 0; i < n; i++) {
		if (!tsh_same_setting(&entries[i], list) || !entries[i].before || !entries[i].after)
			continue;
		tsh_lines_split(entries[i].before, &before);
		tsh_lines_split(entries[i].after, &after);
		tsh_lines_without(cls, &after, &before, &came);
		tsh_lines_without(cls, &left, &came, &rest);
		tsh_strlist_release(&left);
		left = rest;
		rest = (struct tsh_strlist){ 0 };
		tsh_strlist_release(&before);
		tsh_strlist_release(&after);
		tsh_strlist_release(&came);
	}
	text = tsh_lines_join(&left);
	tsh_strlist_release(&left);
	return text;
}

/* ---- what the journals know of a list ---- */

struct writes { const struct tsh_journal_entry **v; size_t n, cap; };

static int by_time(const void *a, const void *b)
{
	const struct tsh_journal_entry *x = *(const struct tsh_journal_entry *const *)a;
	const struct tsh_journal_entry *y = *(const struct tsh_journal_entry *const *)b;

	return (x->at > y->at) - (x->at < y->at);
}

static void add_writes(const struct tsh_journal *j, const struct tsh_journal_entry *list, struct writes *ret)
{
	size_t i;

	for (i = 0; i < j->entries.n; i++) {
		const struct tsh_journal_entry *entry = &j->entries.v[i];

		/* Leaves out entries that were handed over, which do not have the whole list. */
		if (entry->number < TSH_JOURNAL_INHERITED && entry->before && tsh_same_setting(entry, list))
			*tsh_vec_push(ret) = entry;
	}
}

/* Removes from *tasks those that are in the text (was_in), or those that are not in it (!was_in).
 * Adds to *ret those of them that are still the same processes as at the time `at`. */
static void part_tasks(struct tsh_strlist *tasks, const char *text, bool was_in, int64_t at, struct tsh_strlist *ret)
{
	const struct tsh_file_class *cls = tsh_file_class("set_event_pid");
	struct tsh_strlist read = { 0 }, none = { 0 }, in = { 0 }, out = { 0 }, same = { 0 };
	struct tsh_pids_change change = { .before = was_in ? &in : &out, .after = &none, .at = at };
	size_t i;

	tsh_lines_split(text, &read);
	tsh_lines_without(cls, tasks, &read, &out);
	tsh_lines_without(cls, tasks, &out, &in);
	tsh_pids_not_ended(&change, &same);
	for (i = 0; i < same.n; i++)
		tsh_strlist_add(ret, same.v[i]);
	tsh_strlist_release(tasks);
	*tasks = was_in ? out : in;
	tsh_strlist_release(was_in ? &in : &out);
	tsh_strlist_release(&read);
	tsh_strlist_release(&same);
}

/* Finds the tasks that others have removed since our write, because later entries did not find them
 * (change->out), and those that were in the list at some time before (change->older). */
static void find_history(const struct tsh_plan *plan, const struct tsh_journal_entry *oldest, const char *now,
			 struct tsh_pids_change *change)
{
	const struct tsh_file_class *cls = tsh_file_class(oldest->path);
	struct tsh_strlist there = { 0 }, came = { 0 }, others = { 0 }, gone = { 0 };
	struct writes writes = { 0 };
	size_t i;

	add_writes(plan->j, oldest, &writes);
	for (i = 0; plan->j->others && i < plan->j->others->n; i++)
		if (plan->j->others->v[i].is_same_tracefs)
			add_writes(plan->j->others->v[i].journal, oldest, &writes);
	tsh_vec_sort(&writes, by_time);
	tsh_lines_without(cls, change->before, &gone, &there);
	tsh_lines_without(cls, change->now, change->after, &came);
	tsh_lines_without(cls, &came, change->before, &others);
	for (i = 0; i < writes.n; i++) {
		const struct tsh_journal_entry *entry = writes.v[i];
		const char *after = entry->after ? entry->after : "";

		if (entry->at < oldest->at && others.n) {
			part_tasks(&others, entry->before, true, entry->at, &change->older);
			part_tasks(&others, after, true, entry->at, &change->older);
		} else if (entry->at > oldest->at && there.n) {
			part_tasks(&there, entry->before, false, oldest->at, &change->out);
			/* Tasks that a session has removed will be restored by it. */
			part_tasks(&there, after, false, oldest->at, &gone);
		}
	}
	part_tasks(&there, now, false, oldest->at, &change->out);
	tsh_strlist_release(&there);
	tsh_strlist_release(&came);
	tsh_strlist_release(&others);
	tsh_strlist_release(&gone);
	tsh_vec_release(&writes);
}

/* ---- tasks that stay ---- */

/* Stores tasks of a list that may stay. They were added by somebody who is not a session, when the
 * list was empty before; or they are doubtful: orphans of our tasks, or of tasks that were in the
 * list before. */
static void add_stay(struct tsh_plan *plan, const struct tsh_journal_entry *list, const struct tsh_pids_change *change,
		     const char *now, const struct tsh_strlist *doubtful)
{
	const struct tsh_file_class *cls = tsh_file_class(list->path);
	struct tsh_strlist present = { 0 }, came = { 0 }, others = { 0 };
	struct tsh_staying_tasks *stay = NULL;
	char *text;
	size_t i;

	if (!tsh_is_initial_pid_namespace() || !change->before->n) {
		text = tsh_plan_without_ours(plan, plan->j->entries.n, list, now);
		tsh_lines_split(text, &present);
		free(text);
		tsh_lines_without(cls, &present, change->after, &came);
		doubtful = &came;
	}
	for (i = 0; i < plan->staying.n && !stay; i++)
		if (tsh_same_setting(&plan->j->entries.v[plan->staying.v[i].entry], list))
			stay = &plan->staying.v[i];
	if (!stay) {
		stay = tsh_vec_push(&plan->staying);
		*stay = (struct tsh_staying_tasks){ .entry = list - plan->j->entries.v };
	}
	tsh_lines_without(cls, doubtful, change->before, &others);
	tsh_strlist_release(&came);
	tsh_lines_without(cls, &others, &stay->tasks, &came);
	for (i = 0; i < came.n; i++)
		tsh_strlist_add(&stay->tasks, came.v[i]);
	tsh_strlist_release(&present);
	tsh_strlist_release(&came);
	tsh_strlist_release(&others);
}

static void follow(struct tsh_plan *plan, const struct tsh_instance *in, struct tsh_journal_entry *oldest,
		   struct tsh_rest *rest, const char *now)
{
	struct tsh_strlist before = { 0 }, after = { 0 }, present = { 0 }, some = { 0 }, doubtful = { 0 };
	struct tsh_pids_change change = { .before = &before, .after = &after, .now = &present,
					  .at = oldest->at, .handed = oldest->number >= TSH_JOURNAL_INHERITED,
					  .followed = followed_before(plan, in, oldest) };
	size_t i;

	tsh_lines_split(rest->before, &before);
	tsh_lines_split(rest->after, &after);
	tsh_lines_split(now, &present);
	if (change.followed) {
		tsh_pids_not_ended(&change, &some);
		free(rest->before);
		rest->before = tsh_lines_join(&some);
		tsh_strlist_release(&some);
	}
	if (oldest->forks || oldest->follows || others_follow(plan->j->others, oldest) || tsh_pids_follow_forks(in)) {
		/* Children of tasks that were there before are not ours when no option of ours made
		 * the kernel add them. */
		change.followed = change.followed || !oldest->follows;
		find_history(plan, oldest, now, &change);
		tsh_pids_forked(&change, &some, &doubtful);
		for (i = 0; i < some.n; i++)
			tsh_strlist_add(&after, some.v[i]);
		free(rest->after);
		rest->after = tsh_lines_join(&after);
		rest->forked = some;
	}
	if (plan->report)
		add_stay(plan, oldest, &change, now, &doubtful);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(&present);
	tsh_strlist_release(&doubtful);
	tsh_strlist_release(&change.out);
	tsh_strlist_release(&change.older);
}

void tsh_plan_follow_tasks(struct tsh_plan *plan, const struct tsh_step *step, struct tsh_rest *rest,
			   const char *now)
{
	struct tsh_journal_entry *oldest = &plan->j->entries.v[step->oldest];
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;

	if (tsh_file_class(oldest->path)->compare != TSH_SAME_PIDS || !rest->after ||
	    tsh_dir_is_script(plan->dir))
		return;
	if (!tsh_instance_open(plan->dir, oldest->instance, &in, &ignored)) {
		follow(plan, in, oldest, rest, now);
		tsh_instance_close(in);
	}
	tsh_err_release(&ignored);
}

/* ---- reports ---- */

void tsh_plan_note_tasks(struct tsh_step *step, const struct tsh_instance *in, const struct tsh_journal_entry *newest,
			 const char *now)
{
	char *is = tsh_file_class(newest->path)->compare == TSH_SAME_PIDS ? tsh_file_text(in, newest->path) : NULL;

	if (!is)
		return;
	free(step->before);
	free(step->after);
	step->before = tsh_xstrdup(now);
	step->after = is;
}

/* Adds tasks of a list that other sessions have listed, too. */
static void add_listed(const struct tsh_plan *plan, struct tsh_journal_entry *list, const struct tsh_strlist *present,
		       struct tsh_strlist *ret)
{
	const struct tsh_file_class *cls = tsh_file_class(list->path);
	struct tsh_strlist nobodys = { 0 }, listed = { 0 }, none = { 0 }, more = { 0 };
	size_t i;

	tsh_lines_without(cls, present, &none, &nobodys);
	tsh_share_without_listed(plan->j->others, list, &nobodys);
	tsh_lines_without(cls, present, &nobodys, &listed);
	tsh_lines_without(cls, &listed, ret, &more);
	for (i = 0; i < more.n; i++)
		tsh_strlist_add(ret, more.v[i]);
	tsh_strlist_release(&nobodys);
	tsh_strlist_release(&listed);
	tsh_strlist_release(&more);
}

/* Returns the text of a list after the steps newer than k. The caller frees it. */
static char *list_then(const struct tsh_plan *plan, size_t k, const struct tsh_journal_entry *newest)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	char *text;
	size_t i;

	for (i = k; i-- > 0;)
		if (plan->steps.v[i].after && tsh_same_setting(&plan->j->entries.v[plan->steps.v[i].newest], newest))
			return tsh_xstrdup(plan->steps.v[i].after);
	if (tsh_instance_open(plan->dir, newest->instance, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return NULL;
	}
	text = tsh_file_text(in, newest->path);
	tsh_instance_close(in);
	return text;
}

void tsh_plan_predict_tasks(struct tsh_plan *plan, size_t k)
{
	struct tsh_step *step = &plan->steps.v[k];
	struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	const struct tsh_journal_entry *oldest = &plan->j->entries.v[step->oldest];
	struct tsh_strlist before = { 0 }, after = { 0 }, present = { 0 }, is = { 0 };
	struct tsh_rest rest;

	if (tsh_file_class(newest->path)->compare == TSH_SAME_PIDS && oldest->before && newest->after)
		step->before = list_then(plan, k, newest);
	if (!step->before)
		return;
	rest = (struct tsh_rest){ .before = tsh_xstrdup(oldest->before), .after = tsh_xstrdup(newest->after) };
	tsh_plan_follow_tasks(plan, step, &rest, step->before);
	tsh_lines_split(rest.before, &before);
	tsh_lines_split(rest.after, &after);
	tsh_lines_split(step->before, &present);
	tsh_share_without_children(plan->j->others, newest, &rest.forked, step->before, &after);
	tsh_pids_before(&before, &after, &present, &is);
	add_listed(plan, newest, &present, &is);
	step->after = tsh_lines_join(&is);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(&present);
	tsh_strlist_release(&is);
	tsh_rest_release(&rest);
}

/* Reports how many of the stored tasks stay. */
static void note_stay(struct tsh_plan *plan, struct tsh_staying_tasks *stay)
{
	struct tsh_journal_entry *list = &plan->j->entries.v[stay->entry];
	const struct tsh_file_class *cls = tsh_file_class(list->path);
	struct tsh_strlist present = { 0 }, gone = { 0 }, here = { 0 };
	bool sees_all = tsh_is_initial_pid_namespace();
	char *text = list_then(plan, plan->steps.n, list);
	size_t n = 0, i;

	tsh_lines_split(text ? text : "", &present);
	free(text);
	tsh_lines_without(cls, &stay->tasks, &present, &gone);
	tsh_lines_without(cls, &stay->tasks, &gone, &here);
	tsh_share_without_family(plan->j->others, list, &here);
	for (i = 0; i < here.n; i++)
		n += !sees_all || tsh_pid_is_alive(here.v[i]);
	tsh_strlist_release(&present);
	tsh_strlist_release(&gone);
	tsh_strlist_release(&here);
	if (!n)
		return;
	text = tsh_xasprintf("%zu task%s stay%s in '%s': %s", n, n == 1 ? "" : "s", n == 1 ? "s" : "", list->path,
			     !sees_all ? "/proc does not show all processes, so their parents are unknown" :
			     n == 1 ? "others may have listed it" : "others may have listed them");
	if (tsh_strlist_has(&plan->report->notes, text))
		free(text);
	else
		tsh_strlist_add_owned(&plan->report->notes, text);
}

void tsh_plan_note_staying_tasks(struct tsh_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->staying.n; i++) {
		note_stay(plan, &plan->staying.v[i]);
		tsh_strlist_release(&plan->staying.v[i].tasks);
	}
	tsh_vec_release(&plan->staying);
}
