/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/safe-file.h"
#include "base/utf8.h"

/* Makes the folder of a recording, and the files in it. */

static bool is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	bool empty = true;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	while (empty && (entry = readdir(d)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	closedir(d);
	return empty;
}

static bool has_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *parent = slash ? tsh_xstrndup(path, (size_t)(slash - path + 1)) : tsh_xstrdup(".");
	bool has = !access(parent, F_OK);

	free(parent);
	return has;
}

/* Hints at a folder below which the user can make one. */
static void hint_writable(struct tsh_err *err)
{
	static const char *const folders[] = { "/tmp", "/var/tmp", "/run", "/dev/shm" };
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (!access(folders[i], W_OK)) {
			tsh_err_hint(err, "use a folder below %s, which can be written to", folders[i]);
			return;
		}
	tsh_err_hint(err, "use a file system in memory: mount -t tmpfs nodev /mnt");
}

static int refuse_folder(const char *path, int number, struct tsh_err *err)
{
	char *word;

	if (number == ENOTEMPTY) {
		tsh_err_set(err, TSH_FAILED, "'%s' exists and is not empty", path);
		word = tsh_typed_word(path);
		tsh_err_hint(err, "record %s-2, or remove it; to print a recording: tracesh "
				  "--tracefs %s drain", *word == '$' ? "NAME" : word, word);
		free(word);
		return -1;
	}
	if (number == ELOOP) {
		tsh_err_set(err, TSH_FAILED, "'%s' leads through a symbolic link of another user", path);
		tsh_err_hint(err, "name the folder that it leads to");
		return -1;
	}
	tsh_err_errno(err, number, "cannot make the folder '%s'", path);
	if (number == ENOENT && !has_parent(path))
		tsh_err_hint(err, "the folder above it must be there: mkdir -p");
	else if (number == ENOENT || number == EROFS || number == EACCES || number == EPERM)
		hint_writable(err);
	else if (number == ENOTDIR)
		tsh_err_hint(err, "a recording is a folder: use another name");
	return -1;
}

/* Refuses a folder in which others can put a link or another folder: root must not write there. */
static int check_owner(int fd, const char *path, struct tsh_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return refuse_folder(path, errno, err);
	if (tsh_is_trusted(fd, &st))
		return 0;
	tsh_err_set(err, TSH_FAILED, "'%s' exists, and other users may write to it", path);
	tsh_err_hint(err, "use a name that does not exist yet: record makes the folder");
	return -1;
}

/* Checks that a folder can become a recording. Returns 0, or -1 with err. */
static int check_folder(int fd, const char *path, struct tsh_err *err)
{
	if (check_owner(fd, path, err) < 0)
		return -1;
	if (!is_empty(fd))
		return refuse_folder(path, ENOTEMPTY, err);
	if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return refuse_folder(path, errno, err);
	return 0;
}

int tsh_record_check(const char *path, struct tsh_err *err)
{
	int fd = tsh_open_folder(path, false), r;

	/* A missing folder is no error here: tsh_tree_make makes it, and reports errors. */
	if (fd < 0)
		return fd == -ENOENT ? 0 : refuse_folder(path, -fd, err);
	r = check_folder(fd, path, err);
	close(fd);
	return r;
}

/* Makes the folder, or opens an existing one. Returns a descriptor or -errno. */
static int make_folder(const char *path, bool *ret_made)
{
	char *name;
	int parent = tsh_open_parent(path, &name), fd;

	if (parent < 0)
		return parent;
	/* Other users have no access: a recording has addresses of the kernel, and shows what other
	 * users do. */
	*ret_made = mkdirat(parent, name, 0700) == 0;
	if (!*ret_made && errno != EEXIST)
		fd = -errno;
	else
		fd = *ret_made ? tsh_open_beneath(parent, name, O_PATH | O_DIRECTORY) :
				 tsh_open_folder(path, false);
	close(parent);
	free(name);
	return fd;
}

int tsh_tree_make(struct tsh_tree *tree, const char *path, struct tsh_err *err)
{
	*tree = (struct tsh_tree){ .fd = -1 };
	tree->fd = make_folder(path, &tree->made);
	if (tree->fd < 0)
		return refuse_folder(path, -tree->fd, err);
	if (check_folder(tree->fd, path, err) < 0) {
		tsh_tree_close(tree);
		return -1;
	}
	tree->path = tsh_path_of(tree->fd);
	if (!tree->path)
		tree->path = tsh_xstrdup(path);
	return 0;
}

void tsh_tree_close(struct tsh_tree *tree)
{
	if (tree->fd >= 0)
		close(tree->fd);
	free(tree->path);
	*tree = (struct tsh_tree){ .fd = -1 };
}

void tsh_tree_remove(struct tsh_tree *tree)
{
	char *name, *moved = tsh_path_of(tree->fd);
	int parent;

	tsh_empty_beneath(tree->fd);
	parent = tree->made ? tsh_open_parent(moved ? moved : tree->path, &name) : -1;
	free(moved);
	if (parent < 0)
		return;
	/* the folder may have been replaced */
	if (tsh_is_named(tree->fd, parent, name))
		(void)unlinkat(parent, name, AT_REMOVEDIR);
	close(parent);
	free(name);
}

int tsh_tree_create(const struct tsh_tree *tree, const char *path)
{
	return tsh_create_beneath(tree->fd, path);
}

int tsh_tree_write(const struct tsh_tree *tree, const char *path, const char *text, size_t len)
{
	return tsh_replace_beneath(tree->fd, path, text, len);
}

int tsh_tree_copy(const struct tsh_tree *tree, const struct tsh_instance *in, const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_file_read(in, path, &text);

	r = r < 0 ? 0 : tsh_tree_write(tree, path, text.buf, text.len);
	tsh_strbuf_release(&text);
	return r;
}

bool tsh_tree_is_hidden(const struct tsh_tree *tree, const char *system, const char *name)
{
	return tree->hidden && !strcmp(system, "task") && tsh_strlist_has(tree->hidden, name);
}
