/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <errno.h>
#include <string.h>

#include "kernel/tracefs/probe-lines.h"

/* Redoes what was undone. */

static int refuse_other(const struct tsh_journal_entry *entry, struct tsh_err *err)
{
	tsh_err_set(err, TSH_FAILED, "'%s' is not set again in '%s': somebody has made another "
		    "instance of that name since, and nothing is redone", entry->path,
		    entry->instance);
	return -1;
}

/* Moves settings of an instance that is made again to the new one. */
static void move_to(struct tsh_journal *j, const struct tsh_journal_entry *made, uint64_t identity)
{
	uint64_t before = made->identity;
	size_t i;

	for (i = 0; i < j->undone.n; i++) {
		struct tsh_journal_entry *entry = &j->undone.v[i];

		if (entry->identity == before && entry->instance &&
		    !strcmp(entry->instance, made->instance))
			entry->identity = identity;
	}
}

/* Checks the path of a probe, which may lead to another file by now. Returns 0, or -1 with err. */
static int check_path(const struct tsh_journal_entry *entry, struct tsh_err *err)
{
	int r = 0;

	if (tsh_file_class(entry->path)->inverse == TSH_BACK_PROBES)
		r = tsh_probe_check_path(entry->text);
	if (r != -EXDEV && r != -ETIMEDOUT)
		return 0;
	return tsh_err_set(err, TSH_FAILED, "the probe is not made again: %s",
			   r == -EXDEV ? "users other than root can change the path of its program" :
					 "its program's file system does not answer");
}

static int make_again(struct tsh_dir *dir, struct tsh_journal *j,
		      const struct tsh_journal_entry *entry, const struct tsh_rewriter *w, struct tsh_err *err)
{
	struct tsh_instance *in;
	int r;

	if (entry->op == TSH_JOURNAL_MKDIR)
		r = tsh_instance_create(dir, entry->instance, &in, err);
	else
		r = tsh_instance_open(dir, entry->instance, &in, err);
	if (r < 0)
		return -1;
	if (entry->op == TSH_JOURNAL_MKDIR)
		move_to(j, entry, in->identity);
	else if (tsh_plan_is_other(entry, in))
		r = refuse_other(entry, err);
	else if (!tsh_dir_is_script(dir) && check_path(entry, err) < 0)
		r = -1;
	else
		r = w->write(w->ctx, in, entry, err);
	tsh_instance_close(in);
	return r < 0 ? -1 : 0;
}

/* Counts the settings that the last command has changed. */
static unsigned int count_made(const struct tsh_journal *j)
{
	unsigned int made = 0;
	size_t i;

	for (i = j->entries.n; i-- > 0 && j->entries.v[i].command == j->last_command;)
		made += tsh_journal_is_setting(&j->entries.v[i]) &&
			tsh_plan_is_changed(&j->entries.v[i], j->entries.v[i].after);
	return made;
}

int tsh_journal_redo(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_rewriter *w, unsigned int *ret_made,
		     struct tsh_err *err)
{
	const struct tsh_journal_command *command;
	struct tsh_undo_report report = { 0 };
	unsigned int mark = j->last_command;
	size_t first = j->undone.n, i;
	int r = 0;

	while (first > 0 && j->undone.v[first - 1].command == j->undone.v[j->undone.n - 1].command)
		first--;
	if (first == j->undone.n)
		return 0;
	command = tsh_journal_command(j, j->undone.v[first].command);
	tsh_journal_begin(j, command ? command->text : "redo");
	j->redoing = true;
	for (i = first; !r && i < j->undone.n; i++)
		r = make_again(dir, j, &j->undone.v[i], w, err);
	j->redoing = false;
	if (r < 0) {
		tsh_journal_undo_to(dir, j, mark, &report);
		if (report.problems.n)
			tsh_err_hint(err, "%s", report.problems.v[0]);
		tsh_undo_report_release(&report);
		return -1;
	}
	while (j->undone.n > first)
		tsh_journal_entry_release(&j->undone.v[--j->undone.n]);
	*ret_made = count_made(j);
	return 1;
}
