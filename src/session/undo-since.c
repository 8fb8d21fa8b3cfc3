/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/journal.h"
#include "read-ahead.h"
#include "util.h"

/* Limits the changes that are printed. */
#define CHANGES_MAX 6

/* Prints a list of changes. indent: stands before each. how: the command that shows the rest (":
 * COMMAND"), or "". */
static void note_changes(struct tsh_session *s, const struct tsh_strlist *changes, const char *indent, const char *how)
{
	size_t n = changes->n > CHANGES_MAX + 1 ? CHANGES_MAX : changes->n, i;

	for (i = 0; i < n; i++)
		tsh_out_note(s->out, "%s%s", indent, changes->v[i]);
	if (n < changes->n)
		tsh_out_note(s->out, "%sand %zu more%s", indent, changes->n - n, how);
}

void tsh_cmd_note_restore(struct tsh_session *s)
{
	struct tsh_undo_report report = { 0 };
	size_t i;

	tsh_journal_changes(s->dir, s->dir->journal, &report);
	tsh_out_note(s->out, report.changes.n ? "restore takes back:" : "restore changes nothing");
	note_changes(s, &report.changes, "  ", ": journal -v");
	note_changes(s, &report.problems, "", "");
	for (i = 0; i < report.notes.n; i++)
		tsh_out_note(s->out, "%s", report.notes.v[i]);
	if (report.gone)
		tsh_out_note(s->out, "%u setting%s gone already", report.gone, report.gone == 1 ? " was" : "s were");
	tsh_undo_report_release(&report);
}

static void note_undone(struct tsh_session *s, const struct tsh_undo_report *report)
{
	char *text = tsh_undo_report_text(report, false);

	tsh_out_note(s->out, "%s", text);
	free(text);
}

static void note_counts(struct tsh_session *s, const struct tsh_undo_report *report, const char *what)
{
	char *counts = tsh_undo_report_counts(report);

	tsh_out_note(s->out, "%s%s", counts, what);
	free(counts);
}

int tsh_cmd_report_undo(struct tsh_session *s, struct tsh_undo_report *report, const char *what,
			struct tsh_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < report->problems.n; i++)
		tsh_out_warn(s->out, "%s", report->problems.v[i]);
	for (i = 0; i < report->notes.n; i++)
		tsh_out_warn(s->out, "%s", report->notes.v[i]);
	if (what && (report->settings || report->gone || !report->notes.n))
		note_counts(s, report, what);
	else if (report->settings || !report->notes.n)
		note_undone(s, report);
	if (what)
		note_changes(s, &report->changes, "  ", "");
	if (report->problems.n) {
		r = tsh_err_set(err, TSH_FAILED, "%zu setting%s could not be taken back",
				report->problems.n, tsh_plural(report->problems.n));
		if (what && tsh_journal_count_settings(s->dir->journal))
			tsh_err_hint(err, "restore tries that again; journal -v shows it");
		else if (!what && tsh_journal_has_file(s->dir->journal))
			tsh_err_hint(err, "tracesh recover tries that again; tracesh recover --forget gives up what "
				     "somebody else has changed since");
	}
	/* Leaves an instance that this undo has removed. Stays in one that somebody else has
	 * removed, so that the user does not work in the top-level instance unasked. */
	if (s->in->name && tsh_strlist_has(&report->removed, s->in->name)) {
		tsh_reader_drop(s, s->in->name);
		tsh_cmd_use_previous_instance(s);
		if (what)
			tsh_out_note(s->out, "in use: %s", tsh_instance_label(s->in));
	}
	tsh_undo_report_release(report);
	return r;
}

unsigned int tsh_cmd_mark(const struct tsh_session *s)
{
	/* subtracts 1: an undo to the journal's mark would leave the entries of the running
	 * command */
	return tsh_journal_mark(s->dir->journal) - 1;
}

static void undo_since(struct tsh_session *s, unsigned int mark, bool says)
{
	struct tsh_undo_report report = { 0 };
	size_t i;

	if (!s->dir)
		return;
	tsh_journal_undo_to(s->dir, s->dir->journal, mark, &report);
	for (i = 0; i < report.problems.n; i++)
		tsh_out_warn(s->out, "%s", report.problems.v[i]);
	for (i = 0; says && i < report.notes.n; i++)
		tsh_out_warn(s->out, "%s", report.notes.v[i]);
	if (says && report.settings) {
		tsh_out_note(s->out, "%u setting%s taken back", report.settings,
			     tsh_plural(report.settings));
		note_changes(s, &report.changes, "  ", "");
	}
	tsh_undo_report_release(&report);
}

void tsh_cmd_undo_since(struct tsh_session *s, unsigned int mark)
{
	undo_since(s, mark, false);
}

void tsh_cmd_undo_file_since(struct tsh_session *s, unsigned int mark)
{
	undo_since(s, mark, true);
}
