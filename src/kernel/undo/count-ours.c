/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/journal/journal.h"

#include <stdlib.h>

#include "kernel/journal/others.h"
#include "kernel/journal/value.h"
#include "kernel/sharing/share.h"
#include "kernel/journal/expected.h"
#include "kernel/journal/setting.h"
#include "plan.h"

/* Counts what is left to undo of a journal, without changing anything. */

/* Says whether the file has a value that an interrupted undo of the step has restored, but not the
 * oldest one. */
static bool is_on_the_way(struct tsh_dir *dir, const struct tsh_journal *j, const struct tsh_journal_entry *newest,
			  const struct tsh_journal_entry *oldest, const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);

	for (; newest >= oldest; newest--)
		if (newest->going_back && newest->before && tsh_same_setting(newest, oldest) &&
		    (tsh_class_equal(cls, newest->before, now) || tsh_is_rounded(dir, j, newest, newest->before, now)))
			return !tsh_class_equal(cls, oldest->before, now);
	return false;
}

static enum tsh_standing file_standing(struct tsh_instance *in, const struct tsh_journal *j,
				       const struct tsh_journal_entry *newest, const struct tsh_journal_entry *oldest)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	enum tsh_standing standing = TSH_STANDS_BEFORE;
	char *now, *after = NULL;

	/* A value that cannot be read may still be ours. */
	if (tsh_write_image(in, newest->path, newest->text, &now) < 0)
		return tsh_file_exists(in, newest->path) ? TSH_STANDS_OURS : TSH_STANDS_BEFORE;
	if (now && oldest->before) {
		if (!newest->after)
			after = tsh_expected_after(in->dir, j, newest, now);
		standing = tsh_class_standing(cls, oldest->before, newest->after ? newest->after : after, now);
		if (is_on_the_way(in->dir, j, newest, oldest, now))
			standing = TSH_STANDS_OURS;
	}
	free(after);
	free(now);
	return standing;
}

static enum tsh_standing step_standing(struct tsh_dir *dir, const struct tsh_journal *j,
				       const struct tsh_journal_entry *newest, const struct tsh_journal_entry *oldest)
{
	enum tsh_standing standing = TSH_STANDS_BEFORE;
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;

	if (tsh_instance_open(dir, newest->instance, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return standing;
	}
	if (!newest->identity || !in->identity || newest->identity == in->identity)
		standing = newest->op == TSH_JOURNAL_MKDIR || !newest->before ? TSH_STANDS_OURS :
			   file_standing(in, j, newest, oldest);
	tsh_instance_close(in);
	return standing;
}

/* Says whether another session has written the setting since: then it is handed over to that
 * session. */
static bool is_set_since(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_journal_entry *newest)
{
	struct tsh_others *others = tsh_others_read(dir, j);
	struct tsh_other_entries later = { 0 };
	bool found;

	if (others)
		tsh_share_find(others, newest, newest->at, false, &later);
	found = later.n > 0;
	tsh_vec_release(&later);
	return found;
}

/* Says whether another session, running or not, has written something in the instance. The journal
 * of an orphan that is being counted is one of `others`, too: its first entry in the instance is
 * this mkdir, which does not count. */
static bool is_in_others(const struct tsh_others *others, const struct tsh_journal_entry *made)
{
	size_t i, k;

	for (i = 0; others && i < others->n; i++) {
		const struct tsh_journal_entries *entries = &others->v[i].journal->entries;

		for (k = 0; others->v[i].is_same_tracefs && k < entries->n; k++) {
			if (!tsh_same_instance(&entries->v[k], made))
				continue;
			if (entries->v[k].op != TSH_JOURNAL_MKDIR || entries->v[k].at != made->at)
				return true;
			break;
		}
	}
	return false;
}

unsigned int tsh_journal_other_settings(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_instance *in,
					size_t *ret_users)
{
	const struct tsh_journal_entry made = { .instance = in->name, .identity = in->identity };
	const struct tsh_others *others = tsh_others_read(dir, j);
	unsigned int settings = 0, before;
	size_t i, k;

	*ret_users = 0;
	for (i = 0; others && i < others->n; i++) {
		const struct tsh_journal_entries *entries = &others->v[i].journal->entries;

		if (!others->v[i].is_same_tracefs || !tsh_other_is_alive(&others->v[i]))
			continue;
		for (k = 0, before = settings; k < entries->n; k++)
			settings += tsh_journal_is_setting(&entries->v[k]) && tsh_same_instance(&entries->v[k], &made);
		*ret_users += settings > before;
	}
	return settings;
}

/* Says whether an instance stays: another session has kept settings in it or uses it, or somebody
 * without a journal does. */
static bool stays(const struct tsh_plan *plan, const struct tsh_journal_entry *made)
{
	pid_t heir;

	if (made->own)
		return false;
	return made->kept || tsh_share_instance(plan->dir, plan->j, made, false, &heir) ||
	       (!is_in_others(plan->j->others, made) && tsh_plan_is_used(plan, made));
}

void tsh_journal_count_ours(struct tsh_dir *dir, struct tsh_journal *j,
			    struct tsh_journal_ours *ret)
{
	struct tsh_plan plan = { .dir = dir, .j = j };
	enum tsh_standing *steps;
	size_t i;

	*ret = (struct tsh_journal_ours){ 0 };
	tsh_plan_make(&plan);
	steps = tsh_xcalloc(plan.steps.n + 1, sizeof(*steps));
	for (i = 0; i < plan.steps.n; i++)
		steps[i] = step_standing(dir, j, &j->entries.v[plan.steps.v[i].newest],
					 &j->entries.v[plan.steps.v[i].oldest]);
	for (i = 0; i < j->entries.n; i++) {
		enum tsh_standing standing = steps[plan.step_of[i] - 1];

		ret->theirs += standing == TSH_STANDS_THEIRS && tsh_journal_is_setting(&j->entries.v[i]) &&
			       !is_set_since(dir, j, &j->entries.v[plan.steps.v[plan.step_of[i] - 1].newest]);
		if (standing != TSH_STANDS_OURS)
			continue;
		if (j->entries.v[i].op == TSH_JOURNAL_MKDIR)
			ret->instances += !stays(&plan, &j->entries.v[i]);
		else
			ret->settings += tsh_journal_is_setting(&j->entries.v[i]);
	}
	free(steps);
	free(plan.step_of);
	tsh_vec_release(&plan.steps);
}
