/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "write.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/*
 * Writes a text. Files of pids, functions and events may take a part of it, up to a blank, at each
 * write(2); a marker that is too long becomes several. In all other files a short write is an
 * error. It is one also within a word of a list: the kernel would read 14568 as 145 and 68. Returns
 * 0 or -errno; counts calls in *ret_pieces.
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

static int write_once(const struct tsh_instance *in, const char *path, bool truncate,
		      const char *text)
{
	const struct tsh_model *model = tsh_dir_model(in->dir);
	const struct tsh_file_class *cls = tsh_file_class(path);
	int fd, r = 0;
	char *line;

	if (model)
		return model->write(in, path, truncate, text);
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
	/* ftrace's lists take effect, and report errors, when they are closed. EINTR of close(2)
	 * does not undo that. */
	if (close(fd) < 0 && !r && errno != EINTR)
		r = -errno;
	if (!r && in->dir->wrote)
		in->dir->wrote(in->dir->wrote_ctx,
			       &(const struct tsh_wrote){ .in = in, .path = path, .truncate = truncate, .text = text });
	return r;
}

/* The kernel empties a list of tasks when it is opened, and an empty one selects all tasks until
 * the new pids are written: so recording is paused. */
bool tsh_write_pauses(const char *path, bool truncate, const char *text)
{
	return truncate && text && *text && tsh_file_class(path)->compare == TSH_SAME_PIDS;
}

/* Switches recording on again. Tries several times, because nobody else would do it. */
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
	/* A script has lines of its own for the pause. */
	bool pauses = !tsh_dir_is_script(in->dir) && tsh_write_pauses(path, truncate, text) &&
		      tsh_file_number(in, "tracing_on", 0) == 1;
	char *expanded = tsh_expand_expected(in, path);
	int r = tsh_expand_others(in, path), others, on;

	if (!r && pauses)
		r = write_once(in, "tracing_on", false, "0");
	/* The list is not written when the pause failed, since all tasks would be recorded. */
	if (!r)
		r = write_once(in, path, truncate, text);
	others = tsh_expand_forgotten(in, expanded);
	/* A write of 0 that failed may have switched it off all the same. */
	on = pauses ? end_pause(in) : 0;
	r = r ? r : others;
	return r ? r : on;
}

static int refuse(struct tsh_err *err, const char *path, const char *verb, const char *why)
{
	tsh_err_set(err, TSH_FAILED, "'%s' is not %s: %s", path, verb, why);
	err->number = EPERM;
	return -1;
}

static int may_write(const struct tsh_instance *in, const char *path, enum tsh_write_how how, struct tsh_err *err)
{
	const struct tsh_backend *backend = in->dir->backend;
	const struct tsh_file_class *cls = tsh_file_class(path);
	bool is_tree = in->dir->kind == TSH_DIR_TREE;

	/* A script may be made from the recorded tree of another machine. */
	if (is_tree && !tsh_dir_is_script(in->dir)) {
		tsh_err_set(err, TSH_ENVIRONMENT,
			    "'%s' is a recorded tree: nothing in it can be changed",
			    in->dir->path);
		return -1;
	}
	if (in->dir->read_only && !(is_tree && tsh_dir_is_script(in->dir))) {
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
	return backend && backend->may_begin ? backend->may_begin(in->dir, err) : 0;
}

static void hint_remount(struct tsh_err *err, const char *path)
{
	char *word = tsh_typed_word(path);

	tsh_err_hint(err, "'%s' is mounted read-only: mount -o remount,rw %s", path, word);
	free(word);
}

int tsh_write_explain(struct tsh_err *err, const struct tsh_instance *in, const char *path, const char *text,
		      int number)
{
	/* The errno of write(2) for a filter is a code of the parser: ENOENT for a '(' too many,
	 * ESRCH for a quote without an end. */
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
	else if (number == ENOENT && tsh_file_is_top_only(in, path))
		tsh_err_hint(err, TSH_HINT_TOP_ONLY);
	else if (number == ENOENT && !tsh_file_exists(in, path))
		tsh_err_hint(err, "this kernel has no '%s'", path);
	return -1;
}

bool tsh_is_value(const struct tsh_file_class *cls)
{
	return !(cls->flags & (TSH_CLASS_LIST | TSH_CLASS_ADD_ONLY | TSH_CLASS_NO_UNDO));
}

bool tsh_write_truncates(const struct tsh_file_class *cls, enum tsh_write_how how)
{
	return how == TSH_WRITE_CLEAR ||
	       ((how == TSH_WRITE_SET || how == TSH_WRITE_LESS) && (cls->flags & TSH_CLASS_LIST));
}

/* ---- the plain backend ---- */

static int write_plain(struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
		       struct tsh_err *err)
{
	int r = tsh_write_raw(in, path, tsh_write_truncates(tsh_file_class(path), how), text);

	return r < 0 ? tsh_write_explain(err, in, path, text, -r) : 1;
}

static const struct tsh_backend plain_backend = { .write = write_plain };

/* ---- any backend ---- */

static int write_file(struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
		      struct tsh_err *err)
{
	const struct tsh_backend *backend = in->own || !in->dir->backend ? &plain_backend : in->dir->backend;

	return may_write(in, path, how, err) < 0 ? -1 : backend->write(in, path, how, text, err);
}

int tsh_write_check_text(const struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
			 struct tsh_err *err)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	bool is_refused = cls->flags & TSH_CLASS_NO_WRITE || (cls->flags & TSH_CLASS_ADD_ONLY && how != TSH_WRITE_ADD);

	if (is_refused || tsh_write_truncates(cls, how) || !tsh_file_exists(in, path))
		return 0;
	if (tsh_is_trace_file(path)) {
		tsh_err_set(err, TSH_FAILED, "the kernel adds no text to '%s'", path);
		tsh_err_hint(err, "marker puts a line into the trace; clear erases it");
		return -1;
	}
	/* A line of blanks adds nothing to a list. */
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

	if (how == TSH_WRITE_ADD && tsh_is_value(tsh_file_class(path)))
		how = TSH_WRITE_SET;
	r = tsh_write_check_text(in, path, how, plain, err);
	if (!r)
		r = write_file(in, path, how, plain, err);
	free(plain);
	return r;
}
