/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/safe-file.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "expected.h"
#include "kernel/dryrun/internal.h"
#include "kernel/dryrun/sh-lines.h"
#include "kernel/journal/file.h"
#include "kernel/journal/journal.h"
#include "kernel/sharing/share.h"
#include "lines.h"
#include "pids.h"
#include "probe-lines.h"
#include "probe.h"
#include "setting.h"
#include "trigger.h"
#include "write.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/*
 * The lists of pids, functions and events take one word a write(2) and say how much they took, and a
 * marker is cut to what the kernel takes at once: the rest is the next one. Everywhere else a
 * short write is an error. So is half a word of a list: 145 and 68 are not 14568.
 */
static int write_text(int fd, const char *text, size_t len, unsigned int flags, unsigned int *ret_pieces)
{
	bool piecewise = flags & (TSH_CLASS_LIST | TSH_CLASS_WORDS | TSH_CLASS_PLAIN_TEXT);
	bool words = !(flags & TSH_CLASS_PLAIN_TEXT);
	size_t done = 0;
	ssize_t n;

	do {
		n = write(fd, text + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
		++*ret_pieces;
		if (n > 0 && words && done < len && !is_blank(text[done - 1]) && !is_blank(text[done]))
			return -EIO;
	} while (piecewise && n > 0 && done < len);
	return done == len ? 0 : -EIO;
}

static void tell(const struct tsh_instance *in, const char *path, bool truncate,
		 const char *text)
{
	const struct tsh_dir *dir = in->dir;
	struct tsh_strbuf lines = TSH_STRBUF_INIT;

	if (dir->wrote) {
		tsh_sh_write(&lines, dir->path, in, path, truncate, text);
		dir->wrote(dir->wrote_ctx, lines.buf);
	}
	tsh_strbuf_release(&lines);
}

static int write_once(const struct tsh_instance *in, const char *path, bool truncate,
		      const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	int fd, r = 0;
	char *line;

	if (in->dir->dry)
		return tsh_dry_write(in, path, truncate, text);
	fd = tsh_open_beneath(in->fd, path, O_WRONLY | (truncate ? O_TRUNC : 0));
	if (fd < 0)
		return fd;
	if (text && *text) {
		line = cls->flags & TSH_CLASS_PLAIN_TEXT ? tsh_xstrdup(text) :
							   tsh_xasprintf("%s\n", text);
		in->dir->pieces = 0;
		r = write_text(fd, line, strlen(line), cls->flags, &in->dir->pieces);
		free(line);
	}
	/* ftrace's lists take effect, and report errors, when they are closed. After EINTR,
	 * too, they are. */
	if (close(fd) < 0 && !r && errno != EINTR)
		r = -errno;
	if (!r)
		tell(in, path, truncate, text);
	return r;
}

/*
 * The kernel empties a pid list when it is opened, and an empty one lets every task through
 * until the new pids are written: recording pauses meanwhile.
 */
static bool floods_between(const char *path, bool truncate, const char *text)
{
	return truncate && text && *text && tsh_file_class(path)->compare == TSH_SAME_PIDS;
}

/* What failed once may work the next time: nobody else would switch it on again. */
static int end_pause(const struct tsh_instance *in)
{
	int r = -1, tries;

	for (tries = 0; r && tries < 50; tries++) {
		if (tries)
			usleep(2000);
		r = write_once(in, "tracing_on", false, "1");
	}
	return r;
}

int tsh_write_raw(const struct tsh_instance *in, const char *path, bool truncate,
		  const char *text)
{
	/* A script pauses by itself. */
	bool pauses = !in->dir->dry && floods_between(path, truncate, text) &&
		      tsh_file_number(in, "tracing_on", 0) == 1;
	char *expanded = tsh_expand_expected(in, path);
	int r = tsh_expand_others(in, path), others, on;

	if (!r && pauses)
		r = write_once(in, "tracing_on", false, "0");
	/* Without the pause every task would be let through. */
	if (!r)
		r = write_once(in, path, truncate, text);
	others = tsh_expand_forgotten(in, expanded);
	/* One that failed may have switched it off all the same. */
	on = pauses ? end_pause(in) : 0;
	r = r ? r : others;
	return r ? r : on;
}

/* The option's state before: "name" or "noname" for the name that is written. */
static char *option_before(const char *all, const char *text)
{
	const char *name = !strncmp(text, "no", 2) ? text + 2 : text;
	struct tsh_strlist lines = { 0 };
	char *negated, *before = NULL;

	tsh_strlist_split_lines(&lines, all);
	/* A name may begin with "no" itself: what the kernel lists decides. */
	negated = tsh_xasprintf("no%s", text);
	if (tsh_strlist_has(&lines, text))
		before = tsh_xstrdup(text);
	else if (tsh_strlist_has(&lines, negated))
		before = tsh_xstrdup(negated);
	else if (tsh_strlist_has(&lines, name))
		before = tsh_xstrdup(name);
	free(negated);
	tsh_strlist_release(&lines);
	return before;
}

int tsh_write_image(const struct tsh_instance *in, const char *path, const char *text,
		    char **ret)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	struct tsh_strbuf now = TSH_STRBUF_INIT;
	int r;

	*ret = NULL;
	if (cls->flags & (TSH_CLASS_NO_READ | TSH_CLASS_NO_UNDO))
		return 0;
	if (text && tsh_image_own_probe(in, path, text, &r, ret))
		return r;
	r = tsh_file_read(in, path, &now);
	if (now.len && now.buf[now.len - 1] == '\n')
		tsh_strbuf_truncate(&now, now.len - 1);
	if (r < 0)
		/* EINVAL: it cannot be read at all */
		r = r == -EINVAL ? 0 : r;
	else if (cls->compare == TSH_SAME_OPTION && in->dir->any)
		/* of that kernel it is not known, and only a script goes back */
		*ret = tsh_xstrdup(text);
	else if (cls->compare == TSH_SAME_OPTION)
		*ret = option_before(now.buf ? now.buf : "", text);
	else if (cls->inverse == TSH_BACK_LINES)
		r = tsh_image_events(in, now.buf ? now.buf : "", ret);
	else if (cls->inverse == TSH_BACK_SIZES && now.buf && !strcmp(now.buf, "X"))
		r = tsh_image_sizes(in, ret);
	else if (!(*ret = tsh_expand_size(in, path)))
		*ret = tsh_strbuf_detach(&now);
	tsh_strbuf_release(&now);
	return r;
}

static int refuse(struct tsh_err *err, const char *path, const char *verb, const char *why)
{
	tsh_err_set(err, TSH_FAILED, "'%s' is not %s: %s", path, verb, why);
	err->number = EPERM;
	return -1;
}

static int may_write(const struct tsh_instance *in, const char *path,
		     const struct tsh_file_class *cls, enum tsh_write_how how,
		     struct tsh_err *err)
{
	/* A script may be made for another machine, from its recorded tree. */
	if (in->dir->kind == TSH_DIR_TREE && !in->dir->dry) {
		tsh_err_set(err, TSH_ENVIRONMENT,
			    "'%s' is a recorded tree: nothing in it can be changed",
			    in->dir->path);
		return -1;
	}
	if (in->dir->read_only && !(in->dir->kind == TSH_DIR_TREE && in->dir->dry)) {
		tsh_err_set(err, TSH_FAILED, "'%s' is not written: --read-only was given", path);
		return -1;
	}
	if (cls->flags & TSH_CLASS_NO_WRITE)
		return refuse(err, path, "written", cls->why);
	if ((cls->flags & TSH_CLASS_ADD_ONLY) && how != TSH_WRITE_ADD) {
		refuse(err, path, how == TSH_WRITE_SET ? "set" : "cleared", cls->why);
		tsh_err_hint(err, "append %s LINE", path);
		return -1;
	}
	return tsh_journal_may_begin(in->dir, err);
}

static void hint_remount(struct tsh_err *err, const char *path)
{
	char *word = tsh_typed_word(path);

	tsh_err_hint(err, "'%s' is mounted read-only: mount -o remount,rw %s", path, word);
	free(word);
}

static int explain_failure(struct tsh_err *err, const struct tsh_instance *in, const char *path,
			   const char *text, int number)
{
	/* What write(2) says of a filter is the parser's own code: ENOENT for a '(' too
	 * many, ESRCH for a quote without end. */
	if ((tsh_file_class(path)->flags & TSH_CLASS_FILTER) && tsh_file_exists(in, path) &&
	    number != EACCES && number != EROFS && number != EMFILE && number != ENFILE)
		return tsh_err_set(err, TSH_FAILED, "the kernel refuses '%.200s' for '%s'", text,
				   path);
	if (text && *text)
		tsh_err_errno(err, number, "cannot write '%.200s' to '%s'", text, path);
	else
		tsh_err_errno(err, number, "cannot clear '%s'", path);
	if (number == EROFS)
		hint_remount(err, in->dir->path);
	else if (number == EACCES)
		tsh_err_hint(err, "run it as root");
	else if (number == ENODEV)
		tsh_err_hint(err, "the kernel has switched tracing off after an internal "
			     "error; only a reboot brings it back");
	else if (number == ENOENT && tsh_file_is_tops(in, path))
		tsh_err_hint(err, TSH_HINT_TOPS);
	else if (number == ENOENT && !tsh_file_exists(in, path))
		tsh_err_hint(err, "this kernel has no '%s'", path);
	return -1;
}

static int write_with_no_way_back(struct tsh_err *err, const char *path, int number)
{
	tsh_err_errno(err, number, "'%s' cannot be read, so it is not written: there would be "
		      "no way back", path);
	return -1;
}

/* What the kernel made of it. It was there a moment ago: twice in a row it is not gone. */
static char *read_back(const struct tsh_instance *in, const struct tsh_journal_entry *entry)
{
	char *now;

	if (tsh_write_image(in, entry->path, entry->text, &now) < 0)
		(void)tsh_write_image(in, entry->path, entry->text, &now);
	return now;
}

/*
 * A failed write may have changed the file all the same: put it back. False: that did not
 * work either, and the newest entry stays in the journal.
 */
static bool mend(struct tsh_instance *in, struct tsh_journal_entry *entry)
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
	/* The half of it that is there now is ours, and not somebody else's. */
	if (!whole && !(cls->flags & TSH_CLASS_ADD_ONLY)) {
		entry->after = read_back(in, entry);
		if (entry->recorded)
			tsh_journal_file_done(in->dir->journal, entry);
	}
	return whole;
}

/* Says whether the file is one value, which is set however it is written: an equal one is not written at all. */
static bool is_value(const struct tsh_file_class *cls)
{
	return !(cls->flags & (TSH_CLASS_LIST | TSH_CLASS_ADD_ONLY | TSH_CLASS_NO_UNDO));
}

/* What stood in a shared list already is not ours to take away, nor does a list that was empty come back, or a value that
 * the kernel has read as the one that was there. */
static bool changed_nothing(const struct tsh_dir *dir, const struct tsh_file_class *cls,
			    const struct tsh_journal_entry *entry)
{
	/* Where a script runs it may change something. */
	if (dir->dry || !entry->before || !entry->after)
		return false;
	if (entry->how == TSH_WRITE_CLEAR)
		return !strcmp(entry->before, entry->after);
	return (cls->flags & TSH_CLASS_ADD_ONLY || (is_value(cls) && cls->compare != TSH_SAME_ANY)) &&
	       tsh_class_equal(cls, entry->before, entry->after);
}

/*
 * The newest entry changed nothing. It is kept where another session has set the same, whose end
 * must not take away what we have asked for. True: it is dropped.
 */
static bool drop_unless_shared(const struct tsh_instance *in)
{
	struct tsh_journal *j = in->dir->journal;
	struct tsh_journal_entry *entry = &j->entries.v[j->entries.n - 1];

	if ((tsh_file_class(entry->path)->flags & TSH_CLASS_NO_UNDO) || !entry->before ||
	    in->dir->dry || !tsh_share_is_set(in->dir, j, entry)) {
		tsh_journal_drop_last(j);
		return true;
	}
	free(entry->after);
	entry->after = tsh_xstrdup(entry->before);
	if (!entry->recorded)
		tsh_journal_record(j, in->dir);
	tsh_journal_worked(j);
	return false;
}

static bool truncates(const struct tsh_file_class *cls, enum tsh_write_how how)
{
	return how == TSH_WRITE_CLEAR ||
	       ((how == TSH_WRITE_SET || how == TSH_WRITE_LESS) && (cls->flags & TSH_CLASS_LIST));
}

/* Adds entries for what the triggers, or functions' commands, in a text will switch. How many. */
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

/* Says whether a text that is to be written is there already: a size that is rounded to it, too, which would erase names for
 * nothing. What a script finds is known where it runs. */
static bool is_there(const struct tsh_instance *in, const struct tsh_journal_entry *entry)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	uint64_t asked, is;

	if (entry->how != TSH_WRITE_SET || !entry->before || cls->compare == TSH_SAME_PIDS || cls->compare == TSH_SAME_ANY ||
	    (in->dir->dry && !tsh_dry_text(in, entry->path)))
		return false;
	return tsh_class_equal(cls, entry->text, entry->before) ||
	       (!in->dir->dry && !strcmp(entry->path, "saved_cmdlines_size") && tsh_parse_u64(entry->text, &asked) == 0 &&
		tsh_parse_u64(entry->before, &is) == 0 && tsh_is_names_size(asked, is));
}

static int write_journaled(struct tsh_instance *in, const char *path, enum tsh_write_how how,
			   const char *text, struct tsh_err *err)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	bool truncate = truncates(cls, how);
	struct tsh_journal_entry *entry;
	size_t expected = expect_switched(in, cls, text ? text : "");
	int r;

	entry = tsh_journal_add(in->dir->journal, in, path);
	entry->how = how;
	entry->text = tsh_xstrdup(text ? text : "");
	r = tsh_write_image(in, path, entry->text, &entry->before);
	if (r < 0 && r != -ENOENT && !in->dir->dry) {
		drop_expected(in, expected + 1);
		return write_with_no_way_back(err, path, -r);
	}
	if (is_there(in, entry)) {
		if (drop_unless_shared(in))
			drop_expected(in, expected);
		return 0;
	}
	if (!(cls->flags & TSH_CLASS_NO_UNDO))
		tsh_journal_record(in->dir->journal, in->dir);
	entry->forks = !in->dir->dry && cls->compare == TSH_SAME_PIDS && tsh_pids_follow_forks(in);
	if (entry->forks && entry->recorded)
		tsh_journal_file_forks(in->dir->journal, entry->number);
	/* To list more tasks is one step for the kernel; to list others is two. */
	if (!in->dir->dry && how == TSH_WRITE_SET && cls->compare == TSH_SAME_PIDS && entry->before)
		truncate = !tsh_pids_only_come(entry->before, entry->text);
	r = tsh_write_raw(in, path, truncate, text);
	if (r < 0) {
		/* its count included: else it is another one */
		bool stands = r == -EEXIST && (cls->flags & TSH_CLASS_TRIGGER) && entry->before &&
			      tsh_lines_have(cls, entry->before, entry->text);

		bool dropped = mend(in, entry);

		if (dropped && stands)
			dropped = drop_unless_shared(in);
		else if (dropped)
			tsh_journal_drop_last(in->dir->journal);
		if (dropped)
			drop_expected(in, expected);
		if (stands)
			return 0;
		return explain_failure(err, in, path, text, -r);
	}
	if (cls->flags & TSH_CLASS_PROBE)
		tsh_probe_hold(in->dir, text ? text : "");
	else
		tsh_probe_hold_used(in->dir, path);
	/* A bit is what was written; everything else is what the kernel made of it. */
	if (cls->flags & TSH_CLASS_BITS)
		entry->after = tsh_xstrdup(entry->text);
	else
		entry->after = read_back(in, entry);
	if (!(cls->flags & TSH_CLASS_NO_UNDO) && !changed_nothing(in->dir, cls, entry))
		tsh_journal_worked(in->dir->journal);
	else if (drop_unless_shared(in))
		drop_expected(in, expected);
	return 1;
}

/* A histogram of timestamps sets the instance's clock, for good (trace_events_hist.c,
 * hist_register_trigger). Returns the number of an entry for that, which stands before it
 * happens; 0: there is none. */
static unsigned int expect_clock(struct tsh_instance *in, const char *text)
{
	static const char path[] = "trace_clock", attribute[] = ":clock=";
	const char *clock = strstr(text, attribute);
	struct tsh_journal_entry *entry;
	char *before;

	if (strncmp(text, "hist:", strlen("hist:")) != 0 || in->dir->dry ||
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

/* The pause of tsh_write_raw: whoever kills us in it finds the way back in the journal. */
static unsigned int expect_pause(struct tsh_instance *in)
{
	struct tsh_journal_entry *entry;

	if (in->dir->dry || tsh_file_number(in, "tracing_on", 0) != 1)
		return 0;
	entry = tsh_journal_add(in->dir->journal, in, "tracing_on");
	entry->how = TSH_WRITE_EXPECTED;
	entry->before = tsh_xstrdup("1");
	entry->text = tsh_xstrdup("0");
	entry->after = tsh_xstrdup("0");
	tsh_journal_record(in->dir->journal, in->dir);
	tsh_journal_worked(in->dir->journal);
	return entry->number;
}

/* What came of it. */
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
			tsh_journal_file_done(j, entry);
		break;
	}
}

static int write_file(struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
		      struct tsh_err *err)
{
	unsigned int expected = 0, unfiltered;
	const struct tsh_file_class *cls = tsh_file_class(path);
	bool truncate = truncates(cls, how);
	struct tsh_write_lock lock = { .fd = -1 };
	int r;

	if (may_write(in, path, cls, how, err) < 0)
		return -1;
	if (in->own) {
		r = tsh_write_raw(in, path, truncate, text);
		return r < 0 ? explain_failure(err, in, path, text, -r) : 1;
	}
	if (tsh_release_printk(in, path, text, err) < 0)
		return -1;
	if (!(cls->flags & TSH_CLASS_NO_UNDO) && tsh_write_lock(in->dir, path, &lock, err) < 0)
		return -1;
	r = cls->inverse == TSH_BACK_PROBES ? tsh_probe_check_group(in->dir, text ? text : "") : 0;
	if (r < 0) {
		tsh_write_unlock(&lock);
		return tsh_err_set(err, TSH_FAILED, "another session has just taken the group '%s' of "
				   "probes: once more takes another", in->dir->group);
	}
	if (cls->flags & TSH_CLASS_TRIGGER)
		expected = expect_clock(in, text);
	else if (floods_between(path, truncate, text))
		expected = expect_pause(in);
	unfiltered = tsh_expect_unfiltered(in, path, text ? text : "");
	r = write_journaled(in, path, how, text, err);
	tsh_settle_unfiltered(in->dir, unfiltered);
	settle_expected(in, expected);
	tsh_write_unlock(&lock);
	return r;
}

int tsh_write_check_text(const struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
			 struct tsh_err *err)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	bool is_refused = cls->flags & TSH_CLASS_NO_WRITE || (cls->flags & TSH_CLASS_ADD_ONLY && how != TSH_WRITE_ADD);

	if (is_refused || truncates(cls, how) || !tsh_file_exists(in, path))
		return 0;
	if (tsh_is_trace_file(path)) {
		tsh_err_set(err, TSH_FAILED, "the kernel adds no text to '%s'", path);
		tsh_err_hint(err, "marker puts a line into the trace; clear erases it");
		return -1;
	}
	/* Of a list blanks are no line. */
	if (cls->flags & (TSH_CLASS_LIST | TSH_CLASS_WORDS | TSH_CLASS_ADD_ONLY) && text)
		text += strspn(text, " \t\n\v\f\r");
	if (text && *text)
		return 0;
	tsh_err_set(err, TSH_FAILED, "an empty text changes nothing in '%s'", path);
	if (cls->flags & TSH_CLASS_FILTER)
		tsh_err_hint(err, "0 removes the filter");
	else if (!(cls->flags & TSH_CLASS_PLAIN_TEXT))
		tsh_err_hint(err, "cat %s shows what it holds", path);
	return -1;
}

int tsh_file_write(struct tsh_instance *in, const char *path, enum tsh_write_how how,
		   const char *text, struct tsh_err *err)
{
	char *plain = text ? tsh_write_text(path, text) : NULL;
	int r;

	if (how == TSH_WRITE_ADD && is_value(tsh_file_class(path)))
		how = TSH_WRITE_SET;
	r = tsh_write_check_text(in, path, how, plain, err);
	if (!r)
		r = write_file(in, path, how, plain, err);
	free(plain);
	return r;
}
