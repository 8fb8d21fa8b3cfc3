/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/journal.h"
#include "session/ask.h"
#include "session/erasing.h"
#include "session/read-ahead.h"
#include "session/util.h"

/* Declares undo, redo, restore and keep. */

/* Limits how many commands a note names: ": buffer 300K; option sym-offset on". */
#define NAMED_MAX 3

static void name_command(const struct tsh_journal *j, unsigned int number, unsigned int n,
			 struct tsh_strbuf *out)
{
	const struct tsh_journal_command *command = tsh_journal_command(j, number);

	if (n <= NAMED_MAX && command)
		tsh_strbuf_addf(out, "%s %s", n == 1 ? ":" : ";", command->text);
	else if (n == NAMED_MAX + 1)
		tsh_strbuf_adds(out, "; ..");
}

/* Closes the readers of all instances but the top one: undo cannot remove an instance whose files
 * are open. */
static void drop_instance_readers(struct tsh_session *s)
{
	size_t i;

	for (i = s->readers.n; i-- > 0;) {
		char *name = i < s->readers.n && s->readers.v[i].instance ?
				     tsh_xstrdup(s->readers.v[i].instance) : NULL;

		if (name)
			tsh_reader_drop(s, name);
		free(name);
	}
}

/* Returns how many of the last commands undo can take back. */
static unsigned int count_last(const struct tsh_journal *j, unsigned int count)
{
	unsigned int mark = tsh_journal_mark_of(j, count), last = 0, n = 0;
	bool fresh = false;
	size_t i;

	for (i = j->entries.n; i-- > 0 && j->entries.v[i].command > mark;)
		fresh = fresh || (!j->entries.v[i].own && !j->entries.v[i].left);
	for (i = j->entries.n; i-- > 0 && j->entries.v[i].command > mark;) {
		const struct tsh_journal_entry *entry = &j->entries.v[i];

		/* Skips an entry that an earlier undo has left: undo tries it again, but it is not
		 * counted. */
		if (entry->own || entry->command == last || (entry->left && fresh))
			continue;
		last = entry->command;
		n++;
	}
	return n;
}

/* Names the commands of which something was taken back, the newest first. */
static void name_back(const struct tsh_journal *j, const struct tsh_undo_report *report, struct tsh_strbuf *out)
{
	unsigned int n = 0, last = UINT32_MAX, next;
	size_t i;

	for (;; last = next) {
		next = 0;
		for (i = 0; i < report->back.n; i++)
			if (report->back.v[i] < last && report->back.v[i] > next)
				next = report->back.v[i];
		if (!next || n > NAMED_MAX)
			return;
		name_command(j, next, ++n, out);
	}
}

/* Notes that there were fewer commands than the user has asked for. verb: "take back", "make
 * again". */
static void note_fewer(struct tsh_session *s, const struct tsh_value *wanted, unsigned int n, const char *verb)
{
	if (wanted && n < wanted->number)
		tsh_out_note(s->out, "there %s only %u command%s to %s", n == 1 ? "was" : "were", n, tsh_plural(n),
			     verb);
}

/* Says what becomes of instances that other sessions have handed over; undo and keep leave them. */
static void note_handed_over(struct tsh_session *s, const char *what)
{
	const struct tsh_journal_entries *entries = &s->dir->journal->entries;
	size_t i;

	for (i = 0; i < entries->n && tsh_journal_is_inherited_instance(&entries->v[i]); i++)
		tsh_out_note(s->out, "instance '%s', handed over by another session, %s", entries->v[i].instance, what);
}

static int check_count(const struct tsh_value *count, struct tsh_err *err)
{
	if (!count || count->number)
		return 0;
	return tsh_err_at(err, count->word.span, "'%s' is no number of commands: at least 1", count->word.text);
}

static int undo_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, "N");
	unsigned int count = value ? (unsigned int)value->number : 1;
	struct tsh_strbuf what = TSH_STRBUF_INIT;
	struct tsh_undo_report report = { 0 };
	unsigned int n;
	int r;

	if (check_count(value, err) < 0)
		return -1;
	if (!tsh_journal_count_commands(s->dir->journal)) {
		tsh_out_note(s->out, "there is nothing to take back; %s", s->dir->journal->undone.n ?
			     "redo makes what was taken back again" : "reset lists what others have set");
		note_handed_over(s, "goes at the end, or by restore");
		return 0;
	}
	drop_instance_readers(s);
	n = count_last(s->dir->journal, count);
	tsh_journal_undo(s->dir, s->dir->journal, count, &report);
	name_back(s->dir->journal, &report, &what);
	r = tsh_cmd_report_undo(s, &report, what.buf, err);
	note_fewer(s, value, n, "take back");
	tsh_strbuf_release(&what);
	return r;
}

static const struct tsh_arg undo_args[] = {
	{ .name = "N", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL,
	  .help = "how many commands; one when it is not given" },
	{ 0 }
};

static const struct tsh_example undo_examples[] = {
	{ "undo", "take the last change back" }, { 0 }
};

const struct tsh_cmd tsh_cmd_undo = {
	.name = "undo", .group = TSH_GROUP_SESSION, .summary = "take the last changes back",
	.description = "Undo gives back settings, never events, and says which; redo makes them "
		       "again. A value that somebody else has changed since is left and "
		       "reported.",
	.see_also = "redo journal restore",
	.args = undo_args, .examples = undo_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = undo_run,
};

/* Notes which instance is in use, when redo has created an instance again and has not switched to
 * it. */
static void note_made(struct tsh_session *s, size_t first)
{
	const struct tsh_journal_entries *entries = &s->dir->journal->entries;
	const char *made = NULL;

	for (; first < entries->n; first++)
		if (entries->v[first].op == TSH_JOURNAL_MKDIR)
			made = entries->v[first].instance;
	if (made && (!s->in->name || strcmp(s->in->name, made) != 0))
		tsh_out_note(s->out, "in use: %s (instance use %s goes there)", tsh_instance_label(s->in),
			     tsh_instance_word(made));
}

/* Says whether undo has left a part of the command that redo makes again. */
static bool was_left(const struct tsh_journal *j)
{
	size_t i;

	for (i = 0; j->undone.n && i < j->entries.n; i++)
		if (j->entries.v[i].left &&
		    j->entries.v[i].command == j->undone.v[j->undone.n - 1].command)
			return true;
	return false;
}

/* Writes a setting again; asks before, and says what it erases or replaces, as the command did. */
static int write_again(void *ctx, struct tsh_instance *in, const struct tsh_journal_entry *entry, struct tsh_err *err)
{
	struct tsh_session *s = ctx;
	char *before;
	int r;

	if (tsh_cmd_confirm_write(s, in, entry->path, entry->how, entry->text, err) < 0)
		return -1;
	before = entry->how == TSH_WRITE_SET || entry->how == TSH_WRITE_LESS ? tsh_file_text(in, entry->path) : NULL;
	r = tsh_session_write_in(s, in, entry->path, entry->how, entry->text, err);
	if (r > 0)
		tsh_cmd_note_replaced(s, entry->path, before, entry->text);
	free(before);
	return r;
}

/* Names the commands that redo has not made again, the next one first. */
static void note_refused(struct tsh_session *s, uint64_t wanted)
{
	const struct tsh_journal *j = s->dir->journal;
	struct tsh_strbuf what = TSH_STRBUF_INIT;
	unsigned int n = 0, last = 0;
	size_t i;

	for (i = j->undone.n; i-- > 0 && n <= NAMED_MAX; last = j->undone.v[i].command) {
		if (j->undone.v[i].command == last)
			continue;
		if (n == wanted)
			break;
		name_command(j, j->undone.v[i].command, ++n, &what);
	}
	tsh_out_note(s->out, "not made again%s", what.buf);
	tsh_strbuf_release(&what);
}

static int redo_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *count = tsh_args_get(&call->args, "N");
	const struct tsh_rewriter again = { write_again, s };
	uint64_t wanted = count ? count->number : 1;
	struct tsh_journal *j = s->dir->journal;
	struct tsh_strbuf what = TSH_STRBUF_INIT;
	struct tsh_strbuf so = TSH_STRBUF_INIT;
	unsigned int settings = 0, named = 0, n = 0, made;
	size_t first = j->entries.n;
	bool partly = false;
	int r = 1;

	if (check_count(count, err) < 0)
		return -1;
	while (n < wanted && r > 0) {
		bool was = was_left(j);

		r = tsh_journal_redo(s->dir, j, &again, &made, err);
		if (r <= 0)
			break;
		partly = partly || was;
		settings += made;
		n++;
		named += made > 0;
		name_command(j, j->last_command, made ? named : n - named, made ? &what : &so);
	}
	if (settings)
		tsh_out_note(s->out, "%u setting%s made again%s%s", settings, tsh_plural(settings),
			     what.buf, partly ? "; what undo had left stays as it is" : "");
	if (*so.buf)
		tsh_out_note(s->out, "not made again, as it was set already%s", so.buf);
	if (n && !r)
		note_fewer(s, count, n, "make again");
	else if (!r)
		tsh_out_note(s->out, "there is nothing to make again: redo is for what undo and restore took back");
	if (r < 0)
		note_refused(s, wanted - n);
	tsh_strbuf_release(&what);
	tsh_strbuf_release(&so);
	note_made(s, first);
	return r < 0 ? -1 : 0;
}

static const struct tsh_arg redo_args[] = {
	{ .name = "N", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL,
	  .help = "how many commands; one when it is not given" },
	{ 0 }
};

static const struct tsh_example redo_examples[] = {
	{ "redo", "the change that undo took back" }, { 0 }
};

const struct tsh_cmd tsh_cmd_redo = {
	.name = "redo", .group = TSH_GROUP_SESSION,
	.summary = "make changes again that were taken back",
	.description = "What undo and restore took back, command by command, the last taken back "
		       "first. A new change ends it. What erases unread events asks and says so as the command did. "
		       "Where one is refused, those before it stay made, and redo goes on with it.",
	.see_also = "undo",
	.args = redo_args, .examples = redo_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_STEPS,
	.run = redo_run,
};

static const struct tsh_arg no_args[] = { { 0 } };

static int restore_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_undo_report report = { 0 };

	(void)call;
	drop_instance_readers(s);
	tsh_journal_undo(s->dir, s->dir->journal, UINT32_MAX, &report);
	return tsh_cmd_report_undo(s, &report, "", err);
}

static const struct tsh_example restore_examples[] = {
	{ "restore", "everything as it was" }, { 0 }
};

const struct tsh_cmd tsh_cmd_restore = {
	.name = "restore", .group = TSH_GROUP_SESSION,
	.summary = "take all changes since the start, or the last keep, back",
	.see_also = "undo keep",
	.args = no_args, .examples = restore_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = restore_run,
};

int tsh_cmd_commit_all(struct tsh_session *s, bool all, bool says, struct tsh_err *err)
{
	struct tsh_undo_report report = { 0 };
	size_t i;
	int r = 0;

	tsh_journal_commit(s->dir, s->dir->journal, all, &report);
	for (i = 0; i < report.problems.n; i++)
		tsh_out_warn(s->out, "%s", report.problems.v[i]);
	if (says)
		tsh_out_note(s->out, "%u setting%s kept", report.settings, tsh_plural(report.settings));
	if (report.problems.n) {
		r = tsh_err_set(err, TSH_FAILED, "not all settings could be kept");
		tsh_err_hint(err, "where there is no room: df /run /var/lib%s", says ? "; keep tries that again" : "");
	}
	if (says && !report.problems.n)
		note_handed_over(s, s->interactive && s->settings.at_exit == TSH_AT_EXIT_ASK ?
				 "is not kept: quit asks, and keep as the answer keeps it" :
				 "is not kept, and goes at the end: a setting made in it keeps it");
	tsh_undo_report_release(&report);
	return r;
}

static int keep_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	(void)call;
	return tsh_cmd_commit_all(s, false, true, err);
}

static const struct tsh_example keep_examples[] = {
	{ "keep", "the changes so far stay" }, { 0 }
};

const struct tsh_cmd tsh_cmd_keep = {
	.name = "keep", .group = TSH_GROUP_SESSION, .summary = "keep the changes so far (COMMIT)",
	.see_also = "restore",
	.args = no_args, .examples = keep_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS,
	.run = keep_run,
};
