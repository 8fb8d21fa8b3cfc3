/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "kernel/journal/file.h"
#include "kernel/journal/setting.h"
#include "kernel/journal/value.h"
#include "kernel/journal/write-lock.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/size.h"

/*
 * Handles sizes of buffers that were rounded to sub-buffers. The kernel rounds a size up to whole
 * sub-buffers when it is written, and not again when their size changes. An old size, set while
 * sub-buffers were smaller, can only be restored after they are.
 */

/* Returns the size that the step has restored for a CPU, or NULL. The caller frees it. */
static char *size_of(const struct tsh_plan *plan, const struct tsh_step *step, int cpu)
{
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	int its = tsh_size_cpu(newest->path);

	if (!step->size || step->outcome != TSH_OUTCOME_BACK || (its >= 0 && its != cpu))
		return NULL;
	return tsh_size_of_cpu(step->size, cpu);
}

/* Returns the size that the last of the newer steps has restored for a CPU, when `now` is its
 * rounded value; else `now`. Frees now when it returns another text. */
static char *as_written(const struct tsh_plan *plan, size_t number, int cpu, char *now)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	const struct tsh_step *steps = plan->steps.v;
	char *size = NULL, *read = NULL;
	size_t i = number;

	while (!size && i-- > 0)
		if (tsh_same_instance(&entries[steps[i].newest], &entries[steps[number].newest]))
			size = size_of(plan, &steps[i], cpu);
	if (size)
		read = tsh_size_of_cpu(steps[i].sizes_read, cpu);
	if (read && now && !strcmp(read, now)) {
		free(now);
		now = size;
		size = NULL;
	}
	free(read);
	free(size);
	return now;
}

char *tsh_plan_unrounded(const struct tsh_plan *plan, const struct tsh_step *step,
			 const struct tsh_instance *in, char *now)
{
	const char *path = plan->j->entries.v[step->newest].path;
	size_t number = (size_t)(step - plan->steps.v), n, i;
	struct tsh_strbuf all = TSH_STRBUF_INIT;
	char *size, *first = NULL;
	unsigned int *cpus;
	bool differ = false;

	if (tsh_size_cpu(path) >= 0) {
		size = tsh_size_of_cpu(now, tsh_size_cpu(path));
		free(now);
		return as_written(plan, number, tsh_size_cpu(path), size);
	}
	n = tsh_cpus_present(in, &cpus);
	tsh_strbuf_adds(&all, "X");
	for (i = 0; i < n; i++) {
		size = as_written(plan, number, (int)cpus[i], tsh_size_of_cpu(now, (int)cpus[i]));
		if (size)
			tsh_strbuf_addf(&all, "\n%u %s", cpus[i], size);
		differ = differ || (first && size && strcmp(first, size) != 0);
		if (first)
			free(size);
		else
			first = size;
	}
	free(cpus);
	free(now);
	if (first && differ) {
		free(first);
		return tsh_strbuf_detach(&all);
	}
	tsh_strbuf_release(&all);
	return first;
}

void tsh_plan_note_size(struct tsh_step *step, const struct tsh_instance *in, const char *size)
{
	char *read = NULL;

	if (tsh_dir_is_script(in->dir) || tsh_image_sizes(in, &read) < 0)
		return;
	free(step->size);
	free(step->sizes_read);
	step->size = tsh_xstrdup(size);
	step->sizes_read = read;
}

bool tsh_plan_is_rounded(const struct tsh_plan *plan, const struct tsh_step *step)
{
	struct tsh_strlist lines = { 0 };
	bool rounded = false;
	size_t i;

	if (step->size)
		tsh_strlist_split_lines(&lines, step->sizes_read);
	for (i = 1; i < lines.n && !rounded; i++) {
		const char *line = lines.v[i];
		char *wanted;
		uint64_t cpu;

		if (!tsh_parse_u64_prefix(&line, &cpu) || cpu > INT_MAX || *line++ != ' ')
			continue;
		wanted = size_of(plan, step, (int)cpu);
		rounded = wanted && strcmp(wanted, line) != 0;
		free(wanted);
	}
	tsh_strlist_release(&lines);
	return rounded;
}

/* Says whether an older step also restores the size of a CPU. */
static bool is_set_again(const struct tsh_plan *plan, size_t number, int cpu)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	const struct tsh_step *steps = plan->steps.v;
	bool is_set = false;
	size_t i;

	for (i = number + 1; i < plan->steps.n && !is_set; i++) {
		char *size = NULL;

		if (tsh_same_instance(&entries[steps[i].newest], &entries[steps[number].newest]))
			size = size_of(plan, &steps[i], cpu);
		is_set = size;
		free(size);
	}
	return is_set;
}

/* Says whether sub-buffers that this journal has set stay for now, after the plan. */
static bool subbuf_stays(const struct tsh_plan *plan, const struct tsh_journal_entry *size)
{
	const struct tsh_journal_entry *entries = plan->j->entries.v;
	bool stays = false;
	size_t i;

	for (i = 0; i < plan->j->entries.n && !stays; i++)
		stays = tsh_sets_subbuf(&entries[i], size) && !entries[i].left &&
			(i < plan->first || plan->steps.v[plan->step_of[i - plan->first] - 1].outcome ==
						    TSH_OUTCOME_FAILED);
	return stays;
}

static void note_rounded(struct tsh_plan *plan, const struct tsh_instance *in,
			 const struct tsh_journal_entry *size, bool again, pid_t heir)
{
	char *text = tsh_xasprintf("%s in '%s' was rounded up to whole sub-buffers, whose size is another one now",
				   size->path, tsh_instance_label(in));

	if (again)
		tsh_strlist_add_owned(&plan->report->notes,
				 tsh_xasprintf("%s; it will be set again when the sub-buffers are restored", text));
	else if (heir)
		tsh_strlist_add_owned(&plan->report->notes,
				 tsh_xasprintf("%s; process %d will set it again when the sub-buffers are restored", text,
					       (int)heir));
	else
		tsh_strlist_add(&plan->report->notes, text);
	free(text);
}

/* Leaves the step in the journal for later, or hands it over; before and after are the wanted and
 * the rounded sizes, in the form that restore_sizes reads. */
static void set_later(struct tsh_plan *plan, struct tsh_step *step, const struct tsh_instance *in,
		      char *before, char *after)
{
	struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest], given = *newest;
	int cpu = tsh_size_cpu(newest->path);
	pid_t heir = 0;
	bool is_given;

	given.before = cpu < 0 ? before : tsh_size_of_cpu(before, cpu);
	given.after = cpu < 0 ? after : tsh_size_of_cpu(after, cpu);
	given.text = given.after;
	step->rounded = subbuf_stays(plan, newest);
	is_given = !step->rounded && tsh_share_hand_over_size(plan->dir, plan->j, &given, &heir);
	if (!is_given) {
		free(newest->after);
		newest->after = tsh_xstrdup(given.after);
		if (newest->recorded)
			tsh_journal_file_append_done(plan->j, newest);
	}
	if (is_given || step->rounded) {
		note_rounded(plan, in, newest, step->rounded, heir);
	} else {
		tsh_plan_problem(plan, newest, "rounded to the sub-buffers of another session, whose journal cannot be written");
		step->outcome = TSH_OUTCOME_FAILED;
	}
	if (cpu >= 0) {
		free(given.before);
		free(given.after);
	}
}

static void check_size(struct tsh_plan *plan, size_t number, const struct tsh_instance *in)
{
	struct tsh_strbuf before = TSH_STRBUF_INIT, after = TSH_STRBUF_INIT;
	struct tsh_step *step = &plan->steps.v[number];
	unsigned int *cpus;
	size_t i, n = tsh_cpus_present(in, &cpus);
	char *now = NULL;

	tsh_strbuf_adds(&before, "X");
	tsh_strbuf_adds(&after, "X");
	if (tsh_image_sizes(in, &now) < 0)
		n = 0;
	for (i = 0; i < n; i++) {
		char *wanted = size_of(plan, step, (int)cpus[i]), *is = tsh_size_of_cpu(now, (int)cpus[i]);

		if (wanted && is && strcmp(wanted, is) != 0 && !is_set_again(plan, number, (int)cpus[i])) {
			tsh_strbuf_addf(&before, "\n%u %s", cpus[i], wanted);
			tsh_strbuf_addf(&after, "\n%u %s", cpus[i], is);
		}
		free(wanted);
		free(is);
	}
	if (strchr(before.buf, '\n'))
		set_later(plan, step, in, before.buf, after.buf);
	free(now);
	free(cpus);
	tsh_strbuf_release(&before);
	tsh_strbuf_release(&after);
}

void tsh_plan_release_texts(struct tsh_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->steps.n; i++) {
		free(plan->steps.v[i].size);
		free(plan->steps.v[i].sizes_read);
		free(plan->steps.v[i].list);
		free(plan->steps.v[i].before);
		free(plan->steps.v[i].after);
	}
	tsh_strlist_release(&plan->names_existed);
	tsh_strlist_release(&plan->names_kept);
	tsh_strlist_release(&plan->names_handed_over);
}

void tsh_plan_check_sizes(struct tsh_plan *plan)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	size_t i;

	for (i = 0; i < plan->steps.n; i++) {
		const struct tsh_journal_entry *newest = &plan->j->entries.v[plan->steps.v[i].newest];
		struct tsh_write_lock lock = { .fd = -1 };

		if (!plan->steps.v[i].size)
			continue;
		if (!tsh_instance_open(plan->dir, newest->instance, &in, &ignored)) {
			/* The step has already reported that the lock could not be had. */
			free(tsh_write_lock_for_undo(plan->dir, &lock));
			if (!tsh_plan_is_other(newest, in))
				check_size(plan, i, in);
			tsh_write_unlock(&lock);
			tsh_instance_close(in);
		}
		tsh_err_release(&ignored);
	}
}
