/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/utf8.h"

/* Limit the bytes of one file, and of all files that one command reads. */
#define FILE_MAX (16u << 20)
#define TEXT_MAX (128u << 20)
/* Counts in addition to the bytes of a line, because most readers store something for each line. */
#define LINE_BYTES 32
/* Limits the files that are noted by name. */
#define UNREAD_MAX 65536

static void add_unread(const struct tsh_instance *in, const char *path, uint64_t size, size_t entries)
{
	struct tsh_dir *dir = in->dir;
	struct tsh_unread *unread;

	if (dir->unread.n == UNREAD_MAX)
		return;
	unread = tsh_vec_push(&dir->unread);
	unread->size = size;
	unread->entries = entries;
	unread->path = in->name ? tsh_xasprintf("instances/%s/%s", in->name, path) :
				  tsh_xstrdup(path);
}

static size_t count_lines(const char *text, size_t len)
{
	const char *end = text + len;
	size_t n = 0;

	while ((text = memchr(text, '\n', (size_t)(end - text)))) {
		text++;
		n++;
	}
	return n;
}

/* Returns how many bytes of a file may be read. */
static size_t room_of(const struct tsh_dir *dir)
{
	size_t room = FILE_MAX;

	if (dir->bounds_text)
		room = dir->text_read < TEXT_MAX ? TEXT_MAX - dir->text_read : 0;
	return room < FILE_MAX ? room : FILE_MAX;
}

/* Counts what was read behind the first `before` bytes of out; r: what the reading returned. */
static int count_read(const struct tsh_instance *in, const char *path, uint64_t size, int r, struct tsh_strbuf *out,
		      size_t before)
{
	size_t len = out->len - before;

	in->dir->text_read += len + LINE_BYTES * count_lines(out->buf + before, len);
	if (r == -EFBIG)
		add_unread(in, path, size > len ? size : len, 0);
	if (r < 0)
		tsh_strbuf_truncate(out, before);
	return r;
}

int tsh_tree_read(const struct tsh_instance *in, const char *path, int fd, struct tsh_strbuf *out)
{
	size_t before = out->len, room = room_of(in->dir);
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	r = (uint64_t)st.st_size > room ? -EFBIG : tsh_strbuf_read(out, fd, before + room);
	return count_read(in, path, (uint64_t)st.st_size, r, out, before);
}

int tsh_tree_read_file(const struct tsh_instance *in, const char *path, const struct tsh_tree_file *file,
		       const char *full, struct tsh_strbuf *out)
{
	size_t before = out->len, room = room_of(in->dir);
	int r = file->ops->read(file, full, room, out);

	return count_read(in, path, room, r, out, before);
}

void tsh_tree_left_out(const struct tsh_instance *in, const char *path, size_t entries)
{
	add_unread(in, path, 0, entries);
}

/* Compares by path; files that were not read come before those that were read in part. */
static int compare_unread(const void *a, const void *b)
{
	const struct tsh_unread *x = a, *y = b;
	int r = (x->entries != 0) - (y->entries != 0);

	return r ? r : strcmp(x->path, y->path);
}

size_t tsh_dir_unread(struct tsh_dir *dir)
{
	struct tsh_unread *v = dir->unread.v;
	size_t i, kept = 0;

	if (!dir->unread.n)
		return 0;
	/* Removes duplicates: a file may have been tried more than once. */
	qsort(v, dir->unread.n, sizeof(*v), compare_unread);
	for (i = 1; i < dir->unread.n; i++) {
		if (compare_unread(&v[kept], &v[i]))
			v[++kept] = v[i];
		else
			free(v[i].path);
	}
	dir->unread.n = kept + 1;
	return dir->unread.n;
}

void tsh_dir_forget_unread(struct tsh_dir *dir)
{
	size_t i;

	for (i = 0; i < dir->unread.n; i++)
		free(dir->unread.v[i].path);
	tsh_vec_release(&dir->unread);
	dir->text_read = 0;
}

/* Sets an error that says how many entries were left out. Returns -1. */
static int entries_left_out(const struct tsh_dir *dir, struct tsh_err *err)
{
	const struct tsh_unread *unread = dir->unread.v;
	struct tsh_strbuf files = TSH_STRBUF_INIT;
	size_t i, n = 0;

	for (i = 0; i < dir->unread.n; i++) {
		n += unread[i].entries;
		if (i < 2)
			tsh_strbuf_addf(&files, "%s'%s'", i ? ", " : "", unread[i].path);
	}
	tsh_err_set(err, TSH_FAILED, "%zu entr%s of %s %s left out: no kernel has as many", n,
		    n == 1 ? "y" : "ies", files.buf, n == 1 ? "is" : "are");
	tsh_err_hint(err, "do not trust the recording");
	tsh_strbuf_release(&files);
	return -1;
}

/* Hints at the largest of the first n files that can be read by itself, if there is one. */
static void add_hint(const struct tsh_dir *dir, size_t n, struct tsh_err *err)
{
	const struct tsh_unread *one = NULL;
	size_t i;
	char *word;

	for (i = 0; i < n; i++)
		if (dir->unread.v[i].size <= FILE_MAX && (!one || dir->unread.v[i].size > one->size))
			one = &dir->unread.v[i];
	word = tsh_typed_word(one ? one->path : dir->unread.v[0].path);
	if (one)
		tsh_err_hint(err, "name fewer events, or read one file: cat %s", word);
	else
		tsh_err_hint(err, "no kernel has a file as large as %s: do not trust the recording",
			     word);
	free(word);
}

int tsh_dir_check_unread(struct tsh_dir *dir, struct tsh_err *err)
{
	bool is_full = dir->unread.n == UNREAD_MAX;
	size_t n = 0, all = tsh_dir_unread(dir);
	struct tsh_strbuf size = TSH_STRBUF_INIT;
	uint64_t bytes = 0;

	if (!all)
		return 0;
	for (; n < all && !dir->unread.v[n].entries; n++)
		bytes += dir->unread.v[n].size;
	if (!n)
		return entries_left_out(dir, err);
	tsh_format_size(bytes, &size);
	tsh_err_set(err, TSH_FAILED, "%zu file%s%s of the recording (%s) %s not read: a command "
		    "reads 128 MB of text, 16 MB a file", n, n == 1 ? "" : "s",
		    is_full ? " and more" : "", size.buf, n == 1 ? "was" : "were");
	add_hint(dir, n, err);
	tsh_strbuf_release(&size);
	return -1;
}
