/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journaled.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "kernel/journal/expected.h"
#include "kernel/journal/file.h"
#include "kernel/journal/value.h"
#include "kernel/journal/write-lock.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/backend.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/pids.h"
#include "kernel/tracefs/probe-lines.h"
#include "kernel/tracefs/size.h"
#include "kernel/tracefs/write.h"

/* Writes files, and records their old texts in the journal. */

static int refuse_unreadable(struct tsh_err *err, const char *path, int number)
{
	tsh_err_errno(err, number, "'%s' cannot be read, so it is not written: undo could not "
		      "restore it", path);
	return -1;
}

static void warn_unread(const struct tsh_dir *dir, const char *path, int number)
{
	const struct tsh_journal_hooks *hooks = dir->journal->hooks;
	char *text;

	if (!hooks || !hooks->warn)
		return;
	text = tsh_xasprintf("'%s' cannot be read back: %s; undo cannot tell whether somebody else changes it", path,
			     strerror(number));
	hooks->warn(hooks->ctx, text);
	free(text);
}

/* Reads the result of a write; NULL: unknown. Tries twice, since the file existed just before. The
 * caller frees it. */
static char *read_back(const struct tsh_instance *in, const struct tsh_journal_entry *entry)
{
	char *now;
	int r = tsh_write_image(in, entry->path, entry->text, &now);

	if (r < 0)
		r = tsh_write_image(in, entry->path, entry->text, &now);
	if (r < 0)
		warn_unread(in->dir, entry->path, -r);
	return now;
}

/* Restores the file after a failed write, which may have changed it all the same. Returns false
 * when that fails, too; then the newest entry stays in the journal. */
static bool restore_after_failure(struct tsh_instance *in, struct tsh_journal_entry *entry)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	bool whole = true;
	char *now;

	if (!entry->before)
		return true;
	if (tsh_write_image(in, entry->path, entry->text, &now) < 0)
		return false;
	/* Others may have added to a shared list meanwhile. */
	if (now && (cls->flags & TSH_CLASS_ADD_ONLY))
		entry->after = tsh_expected_after(in->dir, in->dir->journal, entry, now);
	if (now && tsh_class_standing(cls, entry->before, entry->after, now) != TSH_STANDS_BEFORE)
		whole = tsh_restore_file(in, entry, now) == 0;
	free(now);
	/* The part of the text that is in the file now is ours. */
	if (!whole && !(cls->flags & TSH_CLASS_ADD_ONLY)) {
		entry->after = read_back(in, entry);
		if (entry->recorded)
			tsh_journal_file_append_done(in->dir->journal, entry);
	}
	return whole;
}

/* Says whether a write changed nothing: a line that was in a shared list already must not be
 * removed by undo, an empty list need not be restored, nor a value that the kernel reads as the
 * same one. */
static bool changed_nothing(const struct tsh_dir *dir, const struct tsh_file_class *cls,
			    const struct tsh_journal_entry *entry)
{
	/* A script may change something where it runs. */
	if (tsh_dir_is_script(dir) || !entry->before || !entry->after)
		return false;
	if (entry->how == TSH_WRITE_CLEAR)
		return !strcmp(entry->before, entry->after);
	return (cls->flags & TSH_CLASS_ADD_ONLY || (tsh_is_value(cls) && cls->compare != TSH_SAME_ANY)) &&
	       tsh_class_equal(cls, entry->before, entry->after);
}

/* Handles the newest entry when it changed nothing. Keeps it when another session has set the same,
 * so that our value stays when that session ends. Returns true when the entry was dropped. */
static bool drop_unless_shared(const struct tsh_instance *in)
{
	struct tsh_journal *j = in->dir->journal;
	struct tsh_journal_entry *entry = &j->entries.v[j->entries.n - 1];

	if ((tsh_file_class(entry->path)->flags & TSH_CLASS_NO_UNDO) || !entry->before ||
	    tsh_dir_is_script(in->dir) || !tsh_share_is_set(in->dir, j, entry)) {
		tsh_journal_drop_last(j);
		return true;
	}
	free(entry->after);
	entry->after = tsh_xstrdup(entry->before);
	if (!entry->recorded)
		tsh_journal_record(j, in->dir);
	tsh_journal_record_success(j);
	return false;
}

/* Adds entries for what the triggers or functions' commands of a text will switch. Returns how
 * many. */
static size_t expect_switched(struct tsh_instance *in, const struct tsh_file_class *cls, const char *text)
{
	struct tsh_strlist lines = { 0 };
	size_t i, n = 0;

	if ((cls->flags & TSH_CLASS_TRIGGER) || cls->compare == TSH_SAME_FUNCTIONS)
		tsh_lines_written(cls, text, &lines);
	for (i = 0; i < lines.n; i++)
		n += tsh_expect_switched(in, lines.v[i]);
	tsh_strlist_release(&lines);
	return n;
}

static void drop_expected(struct tsh_instance *in, size_t n)
{
	while (n--)
		tsh_journal_drop_last(in->dir->journal);
}

/*
 * Says whether the file already has the text that is to be written. For saved_cmdlines_size a
 * number that the kernel rounds to the present one counts, too: writing it would erase the saved
 * names. In a dry run only files that were written count, because the texts where the script runs
 * are unknown.
 */
static bool is_there(const struct tsh_instance *in, const struct tsh_journal_entry *entry)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	const struct tsh_model *model = tsh_dir_model(in->dir);
	uint64_t asked, is;

	if (entry->how != TSH_WRITE_SET || !entry->before || cls->compare == TSH_SAME_PIDS ||
	    cls->compare == TSH_SAME_ANY || (model && !model->is_written(in, entry->path)))
		return false;
	return tsh_class_equal(cls, entry->text, entry->before) ||
	       (!model && !strcmp(entry->path, "saved_cmdlines_size") && tsh_parse_u64(entry->text, &asked) == 0 &&
		tsh_parse_u64(entry->before, &is) == 0 && tsh_is_names_size(asked, is));
}

static int write_journaled(struct tsh_instance *in, const char *path, enum tsh_write_how how,
			   const char *text, struct tsh_err *err)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	bool truncate = tsh_write_truncates(cls, how);
	struct tsh_journal_entry *entry;
	size_t expected = expect_switched(in, cls, text ? text : "");
	int r;

	entry = tsh_journal_add(in->dir->journal, in, path);
	entry->how = how;
	entry->text = tsh_xstrdup(text ? text : "");
	r = tsh_write_image(in, path, entry->text, &entry->before);
	if (r < 0 && r != -ENOENT && !tsh_dir_is_script(in->dir)) {
		drop_expected(in, expected + 1);
		return refuse_unreadable(err, path, -r);
	}
	if (is_there(in, entry)) {
		if (drop_unless_shared(in))
			drop_expected(in, expected);
		return 0;
	}
	if (!(cls->flags & TSH_CLASS_NO_UNDO))
		tsh_journal_record(in->dir->journal, in->dir);
	entry->forks = !tsh_dir_is_script(in->dir) && cls->compare == TSH_SAME_PIDS && tsh_pids_follow_forks(in);
	if (entry->forks && entry->recorded)
		tsh_journal_file_append_forks(in->dir->journal, entry->number);
	/* Does not truncate a list of tasks that only gets longer, so that it is never empty. */
	if (!tsh_dir_is_script(in->dir) && how == TSH_WRITE_SET && cls->compare == TSH_SAME_PIDS && entry->before)
		truncate = !tsh_pids_are_only_added(entry->before, entry->text);
	r = tsh_write_raw(in, path, truncate, text);
	if (r < 0) {
		/* Compares the count, too: with another one it is another trigger. */
		bool stands = r == -EEXIST && (cls->flags & TSH_CLASS_TRIGGER) && entry->before &&
			      tsh_lines_have(cls, entry->before, entry->text);

		bool dropped = restore_after_failure(in, entry);

		if (dropped && stands)
			dropped = drop_unless_shared(in);
		else if (dropped)
			tsh_journal_drop_last(in->dir->journal);
		if (dropped)
			drop_expected(in, expected);
		if (stands)
			return 0;
		return tsh_write_explain(err, in, path, text, -r);
	}
	if (cls->flags & TSH_CLASS_PROBE)
		tsh_probe_hold(in->dir, text ? text : "");
	else
		tsh_probe_hold_used(in->dir, path);
	/* Records the written value of a bit, and the result of any other write. */
	if (cls->flags & TSH_CLASS_BITS)
		entry->after = tsh_xstrdup(entry->text);
	else
		entry->after = read_back(in, entry);
	if (!(cls->flags & TSH_CLASS_NO_UNDO) && !changed_nothing(in->dir, cls, entry))
		tsh_journal_record_success(in->dir->journal);
	else if (drop_unless_shared(in))
		drop_expected(in, expected);
	return 1;
}

/* Adds an entry for the instance's clock, which a histogram of timestamps sets permanently
 * (trace_events_hist.c, hist_register_trigger). It is recorded before the write. Returns its
 * number, or 0 when there is none. */
static unsigned int expect_clock(struct tsh_instance *in, const char *text)
{
	static const char path[] = "trace_clock", attribute[] = ":clock=";
	const char *clock = strstr(text, attribute);
	struct tsh_journal_entry *entry;
	char *before;

	if (strncmp(text, "hist:", strlen("hist:")) != 0 || tsh_dir_is_script(in->dir) ||
	    tsh_write_image(in, path, "", &before) < 0 || !before)
		return 0;
	clock = clock ? clock + strlen(attribute) : "global";
	clock += strspn(clock, " \t");
	entry = tsh_journal_add(in->dir->journal, in, path);
	entry->how = TSH_WRITE_SET;
	entry->before = before;
	entry->text = tsh_xstrndup(clock, strcspn(clock, ": \t"));
	tsh_journal_record(in->dir->journal, in->dir);
	return entry->number;
}

/* Records the pause of tsh_write_raw, so that it is undone when we are killed meanwhile. */
static unsigned int expect_pause(struct tsh_instance *in)
{
	struct tsh_journal_entry *entry;

	if (tsh_dir_is_script(in->dir) || tsh_file_number(in, "tracing_on", 0) != 1)
		return 0;
	entry = tsh_journal_add(in->dir->journal, in, "tracing_on");
	entry->how = TSH_WRITE_EXPECTED;
	entry->before = tsh_xstrdup("1");
	entry->text = tsh_xstrdup("0");
	entry->after = tsh_xstrdup("0");
	tsh_journal_record(in->dir->journal, in->dir);
	tsh_journal_record_success(in->dir->journal);
	return entry->number;
}

/* Records the result of an expected change; drops its entry when nothing has changed. */
static void settle_expected(struct tsh_instance *in, unsigned int number)
{
	struct tsh_journal *j = in->dir->journal;
	size_t i = j->entries.n;

	while (number && i-- > 0 && j->entries.v[i].number >= number) {
		struct tsh_journal_entry *entry = &j->entries.v[i];

		if (entry->number != number)
			continue;
		free(entry->after);
		entry->after = read_back(in, entry);
		if (entry->after && tsh_class_equal(tsh_file_class(entry->path), entry->before,
						    entry->after))
			tsh_journal_drop(j, i);
		else if (entry->recorded)
			tsh_journal_file_append_done(j, entry);
		break;
	}
}

int tsh_journaled_write(struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
			struct tsh_err *err)
{
	unsigned int expected = 0, unfiltered;
	const struct tsh_file_class *cls = tsh_file_class(path);
	bool truncate = tsh_write_truncates(cls, how);
	struct tsh_write_lock lock = { .fd = -1 };
	int r;

	if (tsh_switch_printk_off(in, path, text, err) < 0)
		return -1;
	if (!(cls->flags & TSH_CLASS_NO_UNDO) && tsh_write_lock(in->dir, path, &lock, err) < 0)
		return -1;
	r = cls->inverse == TSH_BACK_PROBES ? tsh_probe_check_group(in->dir, text ? text : "") : 0;
	if (r < 0) {
		tsh_write_unlock(&lock);
		return tsh_err_set(err, TSH_FAILED, "another session has just made the group '%s' of "
				   "probes: repeat the command, it will use another group", in->dir->group);
	}
	if (cls->flags & TSH_CLASS_TRIGGER)
		expected = expect_clock(in, text);
	else if (tsh_write_pauses(path, truncate, text))
		expected = expect_pause(in);
	unfiltered = tsh_expect_filter_removal(in, path, text ? text : "");
	r = write_journaled(in, path, how, text, err);
	tsh_drop_filter_removal(in->dir, unfiltered);
	settle_expected(in, expected);
	tsh_write_unlock(&lock);
	return r;
}
