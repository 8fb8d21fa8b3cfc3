/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/strbuf.h"
#include "state-dir.h"

/* Limits how much of the file's end is read, in bytes. */
#define FILE_READ_MAX (4u << 20)
/* Limits a line, in bytes: a longer one is pasted text, not a command to repeat. */
#define LINE_MAX_BYTES 16384

/* ---- the list ---- */

static void remove_line(struct tsh_strlist *lines, size_t i)
{
	free(lines->v[i]);
	memmove(lines->v + i, lines->v + i + 1, (lines->n - i - 1) * sizeof(*lines->v));
	lines->n--;
}

/* Adds a line, takes over `text`, and removes an equal line before. */
static void add_line(struct tsh_strlist *lines, char *text)
{
	size_t i;

	for (i = lines->n; i-- > 0;)
		if (!strcmp(lines->v[i], text)) {
			remove_line(lines, i);
			break;
		}
	if (lines->n >= TSH_HISTORY_MAX)
		remove_line(lines, 0);
	tsh_strlist_add_owned(lines, text);
}

/* ---- the file's text ---- */

/* Parses the last TSH_HISTORY_MAX commands of the text. Returns how many commands it has. */
static size_t parse(const char *text, struct tsh_strlist *ret)
{
	struct tsh_strlist all = { 0 };
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	size_t i, n;

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *next = text + len + (text[len] == '\n');

		if (*text != '\t')
			tsh_strbuf_clear(&line);
		else
			tsh_strbuf_addc(&line, '\n');
		tsh_strbuf_add(&line, text + (*text == '\t'), len - (*text == '\t'));
		/* Ignores lines with a tab at the very start of the text, which continue no
		 * command. */
		if (*next != '\t' && line.len && line.buf[0] != '\n')
			tsh_strlist_add(&all, line.buf);
		text = next;
	}
	n = all.n;
	for (i = 0; i < n; i++) {
		if (i + TSH_HISTORY_MAX >= n)
			add_line(ret, all.v[i]);
		else
			free(all.v[i]);
		all.v[i] = NULL;
	}
	tsh_strlist_release(&all);
	tsh_strbuf_release(&line);
	return n;
}

static void format_line(struct tsh_strbuf *out, const char *line)
{
	for (; *line; line++) {
		tsh_strbuf_addc(out, *line);
		if (*line == '\n')
			tsh_strbuf_addc(out, '\t');
	}
	tsh_strbuf_addc(out, '\n');
}

/* ---- the file ---- */

/* Checks that the file is a regular one of our own: somebody else may have put another one
 * there. */
static int check_file(int fd, const char *path, struct tsh_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return tsh_err_path(err, errno, "read", path);
	if (!S_ISREG(st.st_mode))
		return tsh_err_set(err, TSH_FAILED, "'%s' is not a regular file", path);
	if (st.st_uid != geteuid())
		return tsh_err_set(err, TSH_FAILED, "'%s' belongs to somebody else", path);
	if (st.st_nlink > 1)
		return tsh_err_set(err, TSH_FAILED, "'%s' has a second hard link", path);
	return 0;
}

/* Locks the file. Gives up after a second: the process that has the lock may be stopped, or may
 * hold it on purpose. */
static bool lock_file(int fd)
{
	int tries;

	for (tries = 0; tries < 100; tries++) {
		/* Goes on without a lock where the file system has none; then two sessions may mix
		 * their lines. */
		if (!flock(fd, LOCK_EX | LOCK_NB) || (errno != EWOULDBLOCK && errno != EINTR))
			return true;
		usleep(10000);
	}
	return false;
}

/* Opens and locks the history file. Returns its descriptor, or -1 with err. */
static int open_file(const char *path, int flags, struct tsh_err *err)
{
	struct stat st;
	int fd, tries;

	for (tries = 0; tries < 3; tries++) {
		fd = tsh_open_file(path, flags | O_NONBLOCK, 0600);
		if (fd < 0)
			return tsh_err_path(err, -fd, "open", path);
		if (!lock_file(fd)) {
			close(fd);
			return tsh_err_set(err, TSH_FAILED, "'%s' is locked by another process", path);
		}
		/* Opens the file again when another session has put a shorter one in its place
		 * meanwhile. */
		if (fstat(fd, &st) < 0 || st.st_nlink)
			break;
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		return tsh_err_set(err, TSH_FAILED, "'%s' was replaced three times while it was being opened", path);
	if (check_file(fd, path, err) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int read_file(int fd, const char *path, struct tsh_strbuf *ret, struct tsh_err *err)
{
	bool cut = false;
	struct stat st;
	int r;

	if (!fstat(fd, &st) && st.st_size > (off_t)FILE_READ_MAX)
		cut = lseek(fd, -(off_t)FILE_READ_MAX, SEEK_END) > 0;
	r = tsh_strbuf_read(ret, fd, FILE_READ_MAX);
	if (r < 0 && r != -EFBIG)
		return tsh_err_path(err, -r, "read", path);
	/* Drops the half line at the start. */
	if (cut)
		tsh_strbuf_remove(ret, strcspn(ret->buf, "\n"));
	return 0;
}

/* Replaces a history file that is too long with one that has only the lines of `h`. The lock on the
 * old file keeps other sessions from doing so, too. On an error the old file stays. */
static void shorten(const struct tsh_history *h)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < h->lines.n; i++)
		format_line(&text, h->lines.v[i]);
	(void)tsh_replace_file(h->path, text.buf, text.len);
	tsh_strbuf_release(&text);
}

static void store_identity(struct tsh_history *h, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	h->ino = st.st_ino;
	h->size = st.st_size;
}

/* Says whether no session has written to the file since we last read or wrote it. */
static bool is_unchanged(const struct tsh_history *h)
{
	struct stat st;

	return !lstat(h->path, &st) && st.st_size == h->size && st.st_ino == h->ino;
}

static int load(struct tsh_history *h, const char *path, bool write, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int fd = open_file(path, write ? O_RDWR | O_APPEND | O_CREAT : O_RDONLY, err);
	size_t n;
	int r;

	if (fd < 0)
		return -1;
	r = read_file(fd, path, &text, err);
	if (!r) {
		n = parse(text.buf, &h->lines);
		store_identity(h, fd);
		if (write) {
			h->path = tsh_xstrdup(path);
			/* A file system without modes has those of its mount. */
			(void)fchmod(fd, 0600);
			if (n > 2 * TSH_HISTORY_MAX || text.len > FILE_READ_MAX / 2)
				shorten(h);
		}
	}
	close(fd);
	tsh_strbuf_release(&text);
	return r;
}

int tsh_history_open(struct tsh_history *h, bool write, struct tsh_err *err)
{
	char *path;
	int r = 0;

	*h = (struct tsh_history){ 0 };
	path = write ? tsh_state_file("history", err) : tsh_state_path("history");
	if (write && !path)
		return -1;
	if (write || (path && !access(path, F_OK)))
		r = load(h, path, write, err);
	free(path);
	return r;
}

static int append(struct tsh_history *h, const char *line, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const char *path = h->path;
	int fd = open_file(path, O_RDWR | O_APPEND | O_CREAT, err);
	/* asked before the write: when other sessions have added lines, the file must be read again
	 * even after ours */
	bool is_ours_alone = is_unchanged(h);
	char last = '\n';
	off_t size;
	int r;

	if (fd < 0)
		return -1;
	/* Begins a new line behind half a line, which a killed session or a full disk has left. */
	size = lseek(fd, 0, SEEK_END);
	if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n')
		tsh_strbuf_addc(&text, '\n');
	format_line(&text, line);
	r = tsh_write_all(fd, text.buf, text.len);
	if (is_ours_alone)
		store_identity(h, fd);
	if (close(fd) < 0 && !r)
		r = -errno;
	tsh_strbuf_release(&text);
	return r < 0 ? tsh_err_path(err, -r, "write", path) : 0;
}

bool tsh_history_add(struct tsh_history *h, const char *line, struct tsh_err *err)
{
	bool again;

	if (!*line || strchr(" \t\n", *line) || strlen(line) > LINE_MAX_BYTES)
		return false;
	/* Does not write the same command twice in a row, unless another session has added lines
	 * between. */
	again = h->lines.n && !strcmp(h->lines.v[h->lines.n - 1], line) &&
		(!h->path || is_unchanged(h));
	add_line(&h->lines, tsh_xstrdup(line));
	if (again || !h->path || append(h, line, err) == 0)
		return true;
	free(h->path);
	h->path = NULL;
	return true;
}

bool tsh_history_refresh(struct tsh_history *h)
{
	struct tsh_history now = { 0 };
	struct tsh_err ignored = { 0 };
	bool changed;

	if (!h->path || access(h->path, F_OK) < 0 || is_unchanged(h))
		return false;
	changed = !load(&now, h->path, false, &ignored);
	tsh_err_release(&ignored);
	if (changed) {
		tsh_strlist_release(&h->lines);
		h->lines = now.lines;
		h->ino = now.ino;
		h->size = now.size;
	} else {
		tsh_strlist_release(&now.lines);
	}
	return changed;
}

void tsh_history_release(struct tsh_history *h)
{
	tsh_strlist_release(&h->lines);
	free(h->path);
	h->path = NULL;
}
