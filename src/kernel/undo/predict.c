/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/expected.h"
#include "kernel/journal/others.h"
#include "kernel/journal/setting.h"
#include "kernel/journal/value.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/size.h"

/* Predicts what undoing everything would do: reads files, and writes nothing. */

struct foresight {
	struct tsh_plan plan;
	struct tsh_rest *rests;		/* what each step would write; .before NULL: nothing */
	bool *goes;			/* whether each step would write */
};

/* Returns the text of a list after a step that restores `before` instead of `after`. Frees text;
 * the caller frees the result. */
static char *with_lines(const struct tsh_file_class *cls, char *text, const char *before, const char *after)
{
	struct tsh_strlist present = { 0 }, b = { 0 }, a = { 0 }, came = { 0 }, left = { 0 }, went = { 0 };
	size_t i;

	tsh_lines_split(text, &present);
	tsh_lines_split(before, &b);
	tsh_lines_split(after, &a);
	tsh_lines_without(cls, &a, &b, &came);
	tsh_lines_without(cls, &b, &a, &went);
	tsh_lines_without(cls, &present, &came, &left);
	for (i = 0; i < went.n; i++)
		tsh_strlist_add(&left, went.v[i]);
	free(text);
	text = tsh_lines_join(&left);
	tsh_strlist_release(&present);
	tsh_strlist_release(&b);
	tsh_strlist_release(&a);
	tsh_strlist_release(&came);
	tsh_strlist_release(&left);
	tsh_strlist_release(&went);
	return text;
}

/* Returns the text that the file of `entry` has after step i, which is about the same setting. now:
 * its text before that step; it is freed. Returns NULL when the text is unknown. The caller frees
 * it. */
static char *read_after(const struct foresight *f, size_t i, const struct tsh_journal_entry *entry, char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	const struct tsh_journal_entry *taken = &f->plan.j->entries.v[f->plan.steps.v[i].newest];
	const struct tsh_rest *rest = &f->rests[i];
	bool is_known = rest->before && rest->after && !(rest->shared && tsh_is_size(taken->path));
	char *before = is_known ? tsh_setting_convert_text(taken, rest->before, entry) : NULL;
	char *after = before ? tsh_setting_convert_text(taken, rest->after, entry) : NULL, *then = now;

	if (!after) {
		free(now);
		then = NULL;
	} else if (tsh_share_is_listed(cls)) {
		then = with_lines(cls, now, before, after);
	} else if (strcmp(before, after) != 0) {
		free(now);
		then = before;
		before = NULL;
	}
	free(before);
	free(after);
	return then;
}

/* Returns the text that the file of step k will have before the step; `now`, the present one, is
 * freed. Returns NULL when that is unknown. The caller frees it. */
static char *predict_before(const struct foresight *f, size_t k, char *now)
{
	struct tsh_journal_entry *entries = f->plan.j->entries.v, *newest = &entries[f->plan.steps.v[k].newest], *other;
	size_t i;

	if (f->plan.steps.v[k].before) {
		free(now);
		return tsh_xstrdup(f->plan.steps.v[k].before);
	}
	for (i = 0; i < f->plan.steps.n && now; i++) {
		other = &entries[f->plan.steps.v[i].newest];
		if (f->goes[i] && i != k && tsh_may_be_related(other, newest) &&
		    (tsh_same_setting(other, newest) || tsh_is_one_setting(other, newest)))
			now = read_after(f, i, newest, now);
	}
	return now;
}

/* Predicts a step whose file has the text `now`, which is freed. */
static void predict_value(struct foresight *f, size_t k, struct tsh_instance *in, char *now)
{
	struct tsh_plan *plan = &f->plan;
	struct tsh_step *step = &plan->steps.v[k];
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	struct tsh_rest *rest = &f->rests[k];
	char *then = NULL;

	if (!newest->after)
		then = tsh_share_read_after(plan->dir, plan->j, newest, now);
	*rest = (struct tsh_rest){
		.before = tsh_xstrdup(plan->j->entries.v[step->oldest].before),
		.after = newest->after ? tsh_xstrdup(newest->after) : tsh_expected_after(plan->dir, plan->j, newest, then),
	};
	free(then);
	tsh_plan_predict_tasks(plan, k);
	now = predict_before(f, k, now);
	if (now && tsh_is_size(newest->path))
		now = tsh_plan_unrounded(plan, step, in, now);
	if (now)
		step->outcome = tsh_plan_judge(plan, step, rest, now);
	f->goes[k] = step->outcome == TSH_OUTCOME_NONE;
	/* Older steps of a list start from these texts, so those of a step that does nothing are
	 * dropped. */
	if (!f->goes[k]) {
		free(step->before);
		free(step->after);
		step->before = step->after = NULL;
	}
	free(now);
}

static void predict_write(struct foresight *f, size_t k)
{
	struct tsh_plan *plan = &f->plan;
	struct tsh_step *step = &plan->steps.v[k];
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	struct tsh_instance *in;
	char *now;
	int r;

	/* Events are not erased in an instance that will be removed. */
	if ((step->phase == TSH_PHASE_ERASING || step->phase == TSH_PHASE_STAYING) &&
	    tsh_plan_removes_instance(plan, newest)) {
		step->phase = TSH_PHASE_STAYING;
		return;
	}
	step->outcome = tsh_plan_open(plan, step, &in);
	if (!in)
		return;
	r = tsh_write_image(in, newest->path, newest->text, &now);
	if (now) {
		predict_value(f, k, in, now);
	} else if (tsh_file_exists(in, newest->path)) {
		tsh_plan_problem_errno(plan, newest, "cannot be read back; left as it is", -r);
		step->outcome = TSH_OUTCOME_FAILED;
	} else if (tsh_plan_will_restore_probe(plan, step)) {
		f->goes[k] = true;
	} else {
		(void)tsh_plan_hand_over_missing(plan, step);
		step->outcome = TSH_OUTCOME_BACK;
	}
	tsh_instance_close(in);
}

static void predict_instance(struct foresight *f, size_t k)
{
	struct tsh_plan *plan = &f->plan;
	struct tsh_step *step = &plan->steps.v[k];
	const struct tsh_journal_entry *made = &plan->j->entries.v[step->newest];
	struct tsh_instance *in;
	pid_t heir;

	step->outcome = tsh_plan_judge_instance(plan, made, &in);
	if (step->outcome == TSH_OUTCOME_NONE && made->kept)
		tsh_plan_note_kept(plan, made);
	else if (step->outcome == TSH_OUTCOME_NONE && tsh_share_instance(NULL, plan->j, made, false, &heir))
		tsh_plan_count_handed_over(plan, made, heir, false);
	else
		f->goes[k] = step->outcome == TSH_OUTCOME_NONE;
	if (in)
		tsh_instance_close(in);
}

/* Reports the changes, and counts what somebody else has undone already. */
static void report_changes(struct foresight *f, struct tsh_undo_report *report)
{
	struct tsh_plan *plan = &f->plan;
	size_t i;

	for (i = 0; i < plan->steps.n; i++)
		if (f->goes[i] && (!plan->steps.v[i].is_handed_over || plan->steps.v[i].before))
			tsh_plan_add_change(plan, &plan->steps.v[i], &report->changes);
	for (i = 0; i < plan->j->entries.n; i++) {
		const struct tsh_step *step = &plan->steps.v[plan->step_of[i] - 1];

		report->gone += step->gone && !step->is_handed_over && step->outcome == TSH_OUTCOME_BACK &&
				tsh_journal_is_setting(&plan->j->entries.v[i]);
	}
	tsh_plan_note_handed_over(plan);
}

void tsh_journal_changes(struct tsh_dir *dir, struct tsh_journal *j, struct tsh_undo_report *report)
{
	struct foresight f = { .plan = { .dir = dir, .j = j, .report = report, .only_predicts = true } };
	struct tsh_plan *plan = &f.plan;
	enum tsh_phase phase;
	size_t i;

	(void)tsh_others_read(dir, j);
	tsh_plan_make(plan);
	tsh_plan_skip_unfired(plan);
	f.rests = tsh_xcalloc(plan->steps.n + 1, sizeof(*f.rests));
	f.goes = tsh_xcalloc(plan->steps.n + 1, sizeof(*f.goes));
	for (phase = 0; phase < TSH_PHASE_N; phase++)
		for (i = 0; i < plan->steps.n; i++) {
			const struct tsh_journal_entry *newest = &j->entries.v[plan->steps.v[i].newest];

			if (plan->steps.v[i].phase == phase && !newest->own && newest->op == TSH_JOURNAL_MKDIR)
				predict_instance(&f, i);
			else if (plan->steps.v[i].phase == phase && !newest->own)
				predict_write(&f, i);
		}
	report_changes(&f, report);
	for (i = 0; i < plan->steps.n; i++)
		tsh_rest_release(&f.rests[i]);
	free(f.rests);
	free(f.goes);
	free(plan->step_of);
	tsh_plan_release_texts(plan);
	tsh_vec_release(&plan->steps);
}
