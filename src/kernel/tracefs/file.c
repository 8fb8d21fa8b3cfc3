/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/safe-file.h"
#include "tree-file.h"
#include "tree-text.h"

/* Limits what is read of a kernel's file that never ends. */
#define FILE_MAX (256u << 20)
/* Limits the names in a directory. */
#define LIST_MAX 65536

static bool is_text(const struct tsh_instance *in, const char *path)
{
	return in->dir && in->dir->text_fd > 0 && !in->name && !strcmp(path, "trace");
}

/* Duplicates the descriptor, and moves to the start of the file for each reader. */
static int open_text(const struct tsh_dir *dir)
{
	int fd = lseek(dir->text_fd, 0, SEEK_SET) < 0 ? -1 : fcntl(dir->text_fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

/* ---- a tree that is one file ---- */

/* Returns the file that the whole tree is, and the path in it, which the caller frees. NULL: the tree is a folder. */
static const struct tsh_tree_file *file_of(const struct tsh_instance *in, const char *path, char **ret_path)
{
	const struct tsh_tree_file *file = in->dir ? in->dir->file : NULL;

	if (file)
		*ret_path = in->name ? tsh_xasprintf("instances/%s/%s", in->name, path) : tsh_xstrdup(path);
	return file;
}

/* Opens a copy of a file's text in memory. */
static int open_copy(const struct tsh_tree_file *file, const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = file->ops->read(file, path, FILE_MAX, &text), fd;

	fd = r < 0 ? r : memfd_create("tracesh", MFD_CLOEXEC);
	if (r >= 0 && fd < 0)
		fd = -errno;
	if (fd >= 0 && (tsh_write_all(fd, text.buf, text.len) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		fd = -EIO;
	}
	tsh_strbuf_release(&text);
	return fd;
}

int tsh_tree_open_pages(const struct tsh_instance *in, const char *path, struct tsh_tree_pages *ret)
{
	const struct tsh_tree_file *file;
	char *full;
	int r;

	*ret = (struct tsh_tree_pages){ .fd = -1 };
	file = file_of(in, path, &full);
	if (!file)
		return -ENOSYS;
	r = file->ops->open_pages(file, full, ret);
	free(full);
	return r;
}

int tsh_file_open(const struct tsh_instance *in, const char *path, int flags)
{
	bool is_tree = in->dir && in->dir->kind == TSH_DIR_TREE;
	const struct tsh_tree_file *file;
	char *full;
	int fd;

	file = file_of(in, path, &full);
	if (file) {
		fd = flags & O_DIRECTORY ? -ENOTDIR : open_copy(file, full);
		free(full);
		return fd;
	}

	if (in->dir && in->dir->text_fd > 0)
		return is_text(in, path) ? open_text(in->dir) : -ENOENT;
	/* A recorded tree may contain a FIFO or a device. */
	return is_tree && !(flags & O_DIRECTORY) ?
	       tsh_open_regular_beneath(in->fd, path) :
	       tsh_open_beneath(in->fd, path, O_RDONLY | O_NOCTTY | flags);
}

int tsh_file_blame(const struct tsh_instance *in, const char *path, int number, struct tsh_err *err)
{
	bool is_tree = in->dir && in->dir->kind == TSH_DIR_TREE;
	struct stat st;

	number = number < 0 ? -number : number;
	if (in->dir && in->dir->text_fd > 0) {
		tsh_err_set(err, TSH_ENVIRONMENT, "'%s' is a text, and no recording: there is no '%s'", in->dir->path, path);
		tsh_err_hint(err, "show prints it");
		return -1;
	}
	if (is_tree && number == EFBIG && tsh_dir_check_unread(in->dir, err) < 0)
		return -1;
	if (!is_tree || (number != ELOOP && number != EOPNOTSUPP && number != ENXIO) ||
	    fstatat(in->fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return tsh_err_errno(err, number, "cannot read '%s'", path);
	/* Reading failed, so the file is behind a symbolic link to a directory. */
	if (S_ISREG(st.st_mode))
		st.st_mode = S_IFLNK;
	tsh_err_set(err, TSH_FAILED, "'%s' of the recording is %s, not a file", path,
		    tsh_kind_name(st.st_mode));
	tsh_err_hint(err, S_ISLNK(st.st_mode) ?
		     "no link in a recording is followed: put the file itself there" :
		     "record and collect.sh make files alone: do not trust it");
	return -1;
}

static int read_kernel(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out)
{
	const struct tsh_tree_file *file;
	char *full;
	int fd, r;

	if (tsh_file_class(path)->flags & TSH_CLASS_NO_READ)
		return -EPERM;
	file = file_of(in, path, &full);
	if (file) {
		r = tsh_tree_read_file(in, path, file, full, out);
		free(full);
		return r;
	}
	fd = tsh_file_open(in, path, 0);
	if (fd < 0)
		return fd;
	if (in->dir && in->dir->kind == TSH_DIR_TREE)
		r = tsh_tree_read(in, path, fd, out);
	else
		r = tsh_strbuf_read(out, fd, FILE_MAX);
	close(fd);
	return r;
}

int tsh_file_read(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out)
{
	const struct tsh_model *model = tsh_dir_model(in->dir);
	int r = model && !(tsh_file_class(path)->flags & TSH_CLASS_NO_READ) ? model->read(in, path, out) : 0;

	return r ? (r < 0 ? r : 0) : read_kernel(in, path, out);
}

/* Returns the text that was read, without the last newline, or NULL for an error. The caller frees
 * it. */
static char *as_text(int r, struct tsh_strbuf *text)
{
	if (r < 0) {
		tsh_strbuf_release(text);
		return NULL;
	}
	if (text->len && text->buf[text->len - 1] == '\n')
		tsh_strbuf_truncate(text, text->len - 1);
	return tsh_strbuf_detach(text);
}

char *tsh_file_text(const struct tsh_instance *in, const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	return as_text(tsh_file_read(in, path, &text), &text);
}

char *tsh_file_kernel_text(const struct tsh_instance *in, const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	return as_text(read_kernel(in, path, &text), &text);
}

void tsh_file_words(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret)
{
	size_t max = in->dir && in->dir->kind == TSH_DIR_TREE ? TSH_WORDS_MAX : SIZE_MAX;
	char *text = tsh_file_text(in, path);
	size_t left_out = text ? tsh_strlist_split_some(ret, text, max) : 0;

	if (left_out)
		tsh_tree_left_out(in, path, left_out);
	free(text);
}

uint64_t tsh_file_number(const struct tsh_instance *in, const char *path, uint64_t otherwise)
{
	char *text = tsh_file_text(in, path);
	uint64_t value = otherwise;

	if (text)
		text[strcspn(text, " \t\n")] = '\0';
	if (!text || tsh_parse_u64(text, &value) < 0)
		value = otherwise;
	free(text);
	return value;
}

bool tsh_file_exists(const struct tsh_instance *in, const char *path)
{
	const struct tsh_model *model = tsh_dir_model(in->dir);
	int fd = is_text(in, path) ? 1 : model ? model->exists(in, path) : 0;
	const struct tsh_tree_file *file;
	char *full;

	if (fd)
		return fd > 0;
	file = file_of(in, path, &full);
	if (file) {
		fd = file->ops->find(file, full) != TSH_TREE_NONE;
		free(full);
		return fd;
	}
	fd = tsh_open_beneath(in->fd, path, O_PATH);
	if (fd >= 0)
		close(fd);
	/* Any other error does not mean that it is missing: the next access reports it. */
	return fd != -ENOENT && fd != -ENOTDIR && fd != -EXDEV && fd != -EINVAL &&
	       fd != -ELOOP && fd != -ENAMETOOLONG;
}

bool tsh_file_is_top_only(const struct tsh_instance *in, const char *path)
{
	const struct tsh_instance top = { .dir = in->dir, .fd = in->dir ? in->dir->fd : -1 };

	return in->dir && in->name && !tsh_file_exists(in, path) && tsh_file_exists(&top, path);
}

int tsh_file_list(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret)
{
	const struct tsh_model *model = tsh_dir_model(in->dir);
	const struct tsh_tree_file *file;
	size_t before = ret->n;
	char *full;
	int fd;
	struct dirent *entry;
	DIR *d;

	if (model)
		model->list(in, path, ret);
	file = file_of(in, path, &full);
	if (file) {
		fd = file->ops->list(file, full, ret);
		free(full);
		tsh_strlist_sort(ret);
		return ret->n > before ? 0 : fd;
	}
	fd = tsh_file_open(in, path, O_DIRECTORY);
	if (fd < 0)
		return ret->n > before ? 0 : fd;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	while (ret->n - before < LIST_MAX && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			tsh_strlist_add(ret, entry->d_name);
	closedir(d);
	tsh_strlist_sort(ret);
	return 0;
}

static int compare_cpus(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

size_t tsh_cpus_present(const struct tsh_instance *in, unsigned int **ret_cpus)
{
	struct tsh_strlist names = { 0 };
	unsigned int *cpus = NULL;
	size_t i, n = 0;

	if (!tsh_file_list(in, "per_cpu", &names) && names.n)
		cpus = tsh_xcalloc(names.n, sizeof(*cpus));
	for (i = 0; i < names.n; i++) {
		const char *p = names.v[i] + 3;
		uint64_t cpu;

		/* Ignores cpu00, which a recorded tree may have beside cpu0. */
		if (!strncmp(names.v[i], "cpu", 3) && (*p != '0' || !p[1]) && tsh_parse_u64_prefix(&p, &cpu) && !*p &&
		    cpu < TSH_CPU_MAX)
			cpus[n++] = (unsigned int)cpu;
	}
	if (n) {
		qsort(cpus, n, sizeof(*cpus), compare_cpus);
	} else {
		free(cpus);
		cpus = NULL;
	}
	tsh_strlist_release(&names);
	*ret_cpus = cpus;
	return n;
}

/* Limits the depth of directories in a recording. */
#define TREE_DEPTH 16

/* Searches for a file below a directory, and closes the directory. */
static bool is_below(int folder, const struct stat *file, int depth)
{
	DIR *d = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *entry;
	bool found = false;
	struct stat st;

	if (!d && folder >= 0)
		close(folder);
	while (d && !found && (entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		found = st.st_dev == file->st_dev && st.st_ino == file->st_ino;
		if (!found && S_ISDIR(st.st_mode) && depth < TREE_DEPTH)
			found = is_below(tsh_open_beneath(dirfd(d), entry->d_name,
							  O_RDONLY | O_DIRECTORY), file, depth + 1);
	}
	if (d)
		closedir(d);
	return found;
}

bool tsh_dir_has_file(const struct tsh_dir *dir, const struct stat *file)
{
	return dir->kind == TSH_DIR_TREE && S_ISREG(file->st_mode) &&
	       is_below(tsh_open_beneath(dir->fd, ".", O_RDONLY | O_DIRECTORY), file, 0);
}
