/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/file.h"
#include "kernel/journal/value.h"

/* Counts and reports what a plan has undone, and drops entries. */

int tsh_plan_restore(const struct tsh_plan *plan, struct tsh_instance *in, const struct tsh_journal_entry *entry,
		     const char *now)
{
	const struct tsh_journal_hooks *hooks = plan->j->hooks;
	bool removes = hooks && hooks->removing && tsh_plan_phase(entry) == TSH_PHASE_PROBES;
	void *held = removes ? hooks->removing(hooks->ctx, in, NULL) : NULL;
	int r = tsh_restore_file(in, entry, now);

	if (removes)
		(void)hooks->removing(hooks->ctx, in, held);
	return r;
}

/* Copies what was written, without the texts before and after. */
static void copy_write(struct tsh_journal_entry *copy, const struct tsh_journal_entry *entry)
{
	*copy = (struct tsh_journal_entry){
		.command = entry->command,
		.op = entry->op,
		.instance = entry->instance ? tsh_xstrdup(entry->instance) : NULL,
		.identity = entry->identity,
		.path = tsh_xstrdup(entry->path),
		.how = entry->how,
		.text = entry->text ? tsh_xstrdup(entry->text) : NULL,
	};
}

/* Stores undone entries for redo, by command, the oldest command last. */
static void remember_undone(struct tsh_plan *plan, const bool *back)
{
	struct tsh_journal *j = plan->j;
	size_t end = j->entries.n, begin, i;

	for (; end > plan->first; end = begin) {
		for (begin = end; begin > plan->first && j->entries.v[begin - 1].command ==
							  j->entries.v[end - 1].command;)
			begin--;
		for (i = begin; i < end; i++) {
			if (!back[i - plan->first] || !tsh_journal_is_setting(&j->entries.v[i]))
				continue;
			copy_write(tsh_vec_push(&j->undone), &j->entries.v[i]);
		}
	}
}

/* Forgets the text after an entry that stays in the journal: the file has the old value now, and
 * will have the new one again when a newer entry is undone. */
static void forget_after(struct tsh_journal *j, struct tsh_journal_entry *entry)
{
	free(entry->after);
	entry->after = NULL;
	if (entry->recorded)
		tsh_journal_file_append_done(j, entry);
}

/* Reports that tracing is off: the effect of a trigger that has fired is not a write. */
static void note_traceoff(struct tsh_plan *plan, const struct tsh_journal_entry *trigger)
{
	struct tsh_instance *in;
	struct tsh_err ignored = { 0 };
	char *text;

	if (tsh_instance_open(plan->dir, trigger->instance, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return;
	}
	text = tsh_xasprintf("tracing is off in '%s' and stays so: a traceoff has fired, "
			     "or it was off before (on switches it on)", tsh_instance_label(in));
	if (tsh_file_number(in, "tracing_on", 1) || tsh_strlist_has(&plan->report->notes, text))
		free(text);
	else
		tsh_strlist_add_owned(&plan->report->notes, text);
	tsh_instance_close(in);
}

/* Reports the snapshot's memory: the kernel allocates it when a trigger is set, and does not free
 * it; it may have events. */
static void note_snapshot(struct tsh_plan *plan, const struct tsh_journal_entry *trigger)
{
	enum tsh_snapshot_state state;
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	char *text;

	if (tsh_instance_open(plan->dir, trigger->instance, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return;
	}
	state = tsh_snapshot_state(in);
	text = tsh_xasprintf("the snapshot of '%s' still uses memory%s; snapshot free frees it", tsh_instance_label(in),
			     state == TSH_SNAPSHOT_FULL ? " and has events" : "");
	if (state == TSH_SNAPSHOT_NONE || state == TSH_SNAPSHOT_FREE || tsh_strlist_has(&plan->report->notes, text))
		free(text);
	else
		tsh_strlist_add_owned(&plan->report->notes, text);
	tsh_instance_close(in);
}

/* Says whether the plan has restored tracing_on in the trigger's instance. */
static bool switched_back(const struct tsh_plan *plan, const struct tsh_journal_entry *trigger)
{
	const char *name = trigger->instance ? trigger->instance : "";
	size_t i;

	for (i = 0; i < plan->steps.n; i++) {
		const struct tsh_journal_entry *entry =
			&plan->j->entries.v[plan->steps.v[i].newest];

		if (!strcmp(entry->path, "tracing_on") && entry->how != TSH_WRITE_EXPECTED &&
		    !strcmp(entry->instance ? entry->instance : "", name))
			return true;
	}
	return false;
}

/* Says whether one of the writes that step k undoes has the trigger's action. */
static bool has_action(const struct tsh_plan *plan, size_t k, const char *action)
{
	const struct tsh_step *step = &plan->steps.v[k];
	size_t i;

	for (i = step->oldest; i <= step->newest; i++)
		if (plan->step_of[i - plan->first] == k + 1 &&
		    strstr(plan->j->entries.v[i].text, action))
			return true;
	return false;
}

void tsh_plan_note_fired(struct tsh_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->steps.n; i++) {
		const struct tsh_step *step = &plan->steps.v[i];
		const struct tsh_journal_entry *entry = &plan->j->entries.v[step->newest];

		if (step->phase != TSH_PHASE_TRIGGERS || step->outcome != TSH_OUTCOME_BACK || entry->own)
			continue;
		if (has_action(plan, i, "traceoff") && !switched_back(plan, entry))
			note_traceoff(plan, entry);
		if (has_action(plan, i, "snapshot"))
			note_snapshot(plan, entry);
	}
}

/* Says whether the entries of a step stay: a step that failed may be tried again, and a value that
 * is somebody else's may become ours again. */
static bool stays(const struct tsh_step *step)
{
	return step->outcome == TSH_OUTCOME_NONE || step->outcome == TSH_OUTCOME_FAILED || step->outcome == TSH_OUTCOME_THEIRS;
}

/* Reports that the journal could not record what is undone, so that recover may undo it once
 * more. */
static void note_unsaid(struct tsh_plan *plan, int number)
{
	const struct tsh_journal_file *file = plan->j->file;
	char *text = tsh_xasprintf("%s/%s cannot record what was undone (%s): recover will undo the same values again "
				   "if somebody sets them; recover --forget removes the journal", tsh_journal_folder(file->place),
				   file->name, strerror(number));

	if (tsh_strlist_has(&plan->report->notes, text))
		free(text);
	else
		tsh_strlist_add_owned(&plan->report->notes, text);
}

void tsh_plan_finish(struct tsh_plan *plan)
{
	struct tsh_journal *j = plan->j;
	bool *back = tsh_xcalloc(j->entries.n - plan->first + 1, sizeof(*back));
	unsigned int last = 0;
	size_t i;
	int r;

	for (i = plan->first; i < j->entries.n; i++) {
		const struct tsh_journal_entry *entry = &j->entries.v[i];
		const struct tsh_step *step = &plan->steps.v[plan->step_of[i - plan->first] - 1];

		back[i - plan->first] = step->outcome == TSH_OUTCOME_BACK && !step->kept;
		/* Does not count a step that was handed over, unless it is a list of tasks: that
		 * may have been restored in part. */
		if (step->outcome != TSH_OUTCOME_BACK || (step->is_handed_over && !step->before))
			continue;
		if (step->gone) {
			plan->report->gone += tsh_journal_is_setting(entry);
			continue;
		}
		plan->report->settings += tsh_journal_is_setting(entry) || tsh_journal_is_inherited_instance(entry);
		if (!tsh_journal_is_setting(entry))
			continue;
		plan->report->already_restored += step->already_restored;
		if (entry->command == last)
			continue;
		plan->report->commands++;
		last = entry->command;
		*(unsigned int *)tsh_vec_push(&plan->report->back) = last;
	}
	for (i = 0; i < plan->steps.n; i++)
		if (plan->steps.v[i].outcome == TSH_OUTCOME_BACK && !plan->steps.v[i].already_restored &&
		    (!plan->steps.v[i].is_handed_over || plan->steps.v[i].before))
			tsh_plan_add_change(plan, &plan->steps.v[i], &plan->report->changes);
	if (plan->may_redo)
		remember_undone(plan, back);
	for (i = j->entries.n; i-- > plan->first;) {
		const struct tsh_step *step = &plan->steps.v[plan->step_of[i - plan->first] - 1];

		if (step->rounded && step->outcome == TSH_OUTCOME_BACK)
			j->entries.v[i].left = true;
		else if (step->kept && step->outcome == TSH_OUTCOME_BACK && i == step->newest)
			forget_after(j, &j->entries.v[i]);
		else if (!stays(step) && !step->kept)
			tsh_journal_drop(j, i);
		else if (step->outcome == TSH_OUTCOME_THEIRS)
			j->entries.v[i].left = true;
	}
	r = tsh_journal_file_append_left(j);
	if (r < 0 && j->file->loaded && tsh_journal_has_file(j) && !tsh_journal_is_done(j))
		note_unsaid(plan, -r);
	free(back);
}

char *tsh_undo_report_counts(const struct tsh_undo_report *report)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&text, "%u setting%s taken back", report->settings, report->settings == 1 ? "" : "s");
	if (report->gone)
		tsh_strbuf_addf(&text, " (%u %s%s gone already)", report->gone, report->settings ? "more " : "",
				report->gone == 1 ? "was" : "were");
	return tsh_strbuf_detach(&text);
}

char *tsh_undo_report_text(const struct tsh_undo_report *report, bool own)
{
	struct tsh_strbuf names = TSH_STRBUF_INIT;
	size_t i, n = 0;
	char *counts = tsh_undo_report_counts(report), *text;

	for (i = 0; i < report->removed.n; i++)
		if (own || !tsh_instance_owner(report->removed.v[i]))
			tsh_strbuf_addf(&names, "%s'%s'", n++ ? ", " : "", report->removed.v[i]);
	text = tsh_xasprintf("%s%s%s", counts, !n ? "" : n == 1 ? "; removed: instance " : "; removed: instances ", names.buf);
	free(counts);
	tsh_strbuf_release(&names);
	return text;
}
