/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "tracesh/journal.h"
#include "tracesh/utf8.h"
#include "write.h"

/*
 * The pid and function lists take one word a write(2) and say how much they took;
 * everywhere else a short write is an error.
 */
static int write_text(int fd, const char *text, size_t len, bool piecewise)
{
	size_t done = 0;
	ssize_t n;

	do {
		n = write(fd, text + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	} while (piecewise && n > 0 && done < len);
	return done == len ? 0 : -EIO;
}

int tsh_write_raw(const struct tsh_instance *in, const char *path, bool truncate,
		  const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	int fd, r = 0;
	char *line;

	fd = tsh_open_beneath(in->fd, path, O_WRONLY | (truncate ? O_TRUNC : 0));
	if (fd < 0)
		return fd;
	if (text && *text) {
		line = cls->flags & TSH_CLASS_PLAIN_TEXT ? tsh_xstrdup(text) :
							   tsh_xasprintf("%s\n", text);
		r = write_text(fd, line, strlen(line), cls->flags & TSH_CLASS_LIST);
		free(line);
	}
	/* ftrace's lists take effect, and report errors, when they are closed. */
	if (close(fd) < 0 && !r)
		r = -errno;
	return r;
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

char *tsh_write_image(const struct tsh_instance *in, const char *path, const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	char *now, *option;

	if (cls->flags & (TSH_CLASS_NO_READ | TSH_CLASS_NO_UNDO))
		return NULL;
	now = tsh_file_text(in, path);
	if (!now || !(cls->flags & TSH_CLASS_OPTIONS))
		return now;
	option = option_before(now, text);
	free(now);
	return option;
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
	if (in->dir->kind == TSH_DIR_TREE) {
		tsh_err_set(err, TSH_ENVIRONMENT,
			    "'%s' is a recorded tree: nothing in it can be changed",
			    in->dir->path);
		return -1;
	}
	if (in->dir->read_only) {
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
	return 0;
}

static int explain_failure(struct tsh_err *err, const struct tsh_instance *in, const char *path,
			   const char *text, int number)
{
	if (text && *text)
		tsh_err_errno(err, number, "cannot write '%.200s' to '%s'", text, path);
	else
		tsh_err_errno(err, number, "cannot clear '%s'", path);
	if (number == EROFS)
		tsh_err_hint(err, "'%s' is mounted read-only: mount -o remount,rw %s",
			     in->dir->path, in->dir->path);
	else if (number == EACCES)
		tsh_err_hint(err, "run it as root");
	else if (number == ENODEV)
		tsh_err_hint(err, "the kernel has switched tracing off after an internal "
			     "error; only a reboot brings it back");
	else if (number == ENOENT)
		tsh_err_hint(err, "this kernel has no '%s'", path);
	return -1;
}

/* A failed write may have changed the file all the same: put it back. */
static void mend(struct tsh_instance *in, const struct tsh_journal_entry *entry)
{
	char *now = tsh_write_image(in, entry->path, entry->text);

	if (entry->before && now && !tsh_class_equal(tsh_file_class(entry->path),
						     entry->before, now))
		tsh_restore_file(in, entry, now);
	free(now);
}

int tsh_file_write(struct tsh_instance *in, const char *path, enum tsh_write_how how,
		   const char *text, struct tsh_err *err)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	bool truncate = how == TSH_WRITE_CLEAR ||
			(how == TSH_WRITE_SET && (cls->flags & TSH_CLASS_LIST));
	struct tsh_journal_entry *entry;
	int r;

	if (may_write(in, path, cls, how, err) < 0)
		return -1;
	if (in->own) {
		r = tsh_write_raw(in, path, truncate, text);
		return r < 0 ? explain_failure(err, in, path, text, -r) : 1;
	}
	entry = tsh_journal_add(in->dir->journal, in, path);
	entry->how = how;
	entry->text = tsh_xstrdup(text ? text : "");
	entry->before = tsh_write_image(in, path, entry->text);
	if (how == TSH_WRITE_SET && entry->before && !(cls->flags & TSH_CLASS_PIDS) &&
	    tsh_class_equal(cls, entry->text, entry->before)) {
		tsh_journal_drop_last(in->dir->journal);
		return 0;
	}
	r = tsh_write_raw(in, path, truncate, text);
	if (r < 0) {
		mend(in, entry);
		tsh_journal_drop_last(in->dir->journal);
		return explain_failure(err, in, path, text, -r);
	}
	/* A bit is what was written; everything else is what the kernel made of it. */
	if (cls->flags & TSH_CLASS_BITS)
		entry->after = tsh_xstrdup(entry->text);
	else
		entry->after = tsh_write_image(in, path, entry->text);
	if (cls->flags & TSH_CLASS_NO_UNDO)
		tsh_journal_drop_last(in->dir->journal);
	return 1;
}
