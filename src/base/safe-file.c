/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "safe-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "now.h"
#include "number.h"
#include "strbuf.h"
#include "xmalloc.h"

#define LINKS_MAX 40
#define NAMES_MAX 100
#define DEPTH_MAX 32
#define PROC_MAGIC 0x9fa0	/* PROC_SUPER_MAGIC of linux/magic.h */

/* ---- walking along a path ---- */

struct walk {
	int fd;			/* the folder that was reached */
	bool make;		/* make missing folders */
	bool beneath;		/* follow no link, and never go up */
	bool firm;		/* refuse what others can change */
	unsigned int links;	/* links followed so far */
};

static int walk_along(struct walk *w, const char *path, size_t len);

static void enter(struct walk *w, int fd)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = fd;
}

bool tsh_is_on_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_MAGIC;
}

/* Reads the target of a link. Returns its length, or -errno. */
static ssize_t read_target(int fd, char *ret)
{
	ssize_t n = readlinkat(fd, "", ret, PATH_MAX);

	if (n < 0)
		return -errno;
	return n < PATH_MAX ? n : -ENAMETOOLONG;
}

/*
 * Checks that nobody else can replace an entry of a folder. Anybody may create files in a sticky
 * folder, but cannot move ours; a file must have a single name there, because others may have made
 * a hard link to a file of root.
 */
static bool is_firm(int folder, const struct stat *entry)
{
	struct stat st;

	if (fstat(folder, &st) < 0 || (S_ISLNK(entry->st_mode) && !tsh_is_owned(entry)))
		return false;
	return tsh_is_trusted(folder, &st) ||
	       ((st.st_mode & S_ISVTX) && tsh_is_owned(&st) && tsh_is_owned(entry) &&
		(S_ISDIR(entry->st_mode) || entry->st_nlink == 1));
}

/* Follows the link `name`, whose O_PATH descriptor is fd. Returns 0 or -errno. */
static int follow(struct walk *w, int fd, const struct stat *st, const char *name)
{
	char target[PATH_MAX];
	ssize_t n;
	int next;

	if (w->beneath || ++w->links > LINKS_MAX || !tsh_is_owned(st))
		return -ELOOP;
	/* Opens the folder by the link itself: the text of a link in /proc (fd/N, cwd, root) is
	 * no path. */
	if (tsh_is_on_proc(fd)) {
		next = openat(w->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (next < 0)
			return -errno;
		enter(w, next);
		return 0;
	}
	n = read_target(fd, target);
	return n < 0 ? (int)n : walk_along(w, target, (size_t)n);
}

/* Makes the folder `name` if nobody else can write to the folder above it (tsh_is_trusted).
 * Returns 0 or -errno, -EPERM when somebody else can. */
static int make_folder(const struct walk *w, const char *name)
{
	struct stat st;

	if (fstat(w->fd, &st) < 0)
		return -errno;
	if (!tsh_is_trusted(w->fd, &st))
		return -EPERM;
	return mkdirat(w->fd, name, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* Enters the folder `name`. Returns 0 or -errno. */
static int step(struct walk *w, const char *name)
{
	int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r = 0;

	if (fd < 0 && errno == ENOENT && w->make) {
		r = make_folder(w, name);
		if (r < 0)
			return r;
		fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (w->firm && !is_firm(w->fd, &st))
		r = -EXDEV;
	else if (S_ISLNK(st.st_mode))
		r = follow(w, fd, &st, name);
	else if (!S_ISDIR(st.st_mode))
		r = -ENOTDIR;
	else
		enter(w, fd);
	if (w->fd != fd)
		close(fd);
	return r;
}

/* Walks along the first `len` bytes of a path. Returns 0 or -errno. */
static int walk_along(struct walk *w, const char *path, size_t len)
{
	const char *end = path + len;
	char name[NAME_MAX + 1];
	int r = 0, root;

	if (len && *path == '/') {
		root = w->beneath ? -1 : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root < 0)
			return w->beneath ? -EXDEV : -errno;
		enter(w, root);
	}
	while (!r && path < end) {
		size_t n = 0;

		while (path + n < end && path[n] != '/')
			n++;
		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, path, n);
		name[n] = '\0';
		if (w->beneath && !strcmp(name, ".."))
			return -EXDEV;
		if (n)
			r = step(w, name);
		path += n + (path + n < end);
	}
	return r;
}

/* Walks from dirfd. Returns the folder, or -errno. */
static int walk_from(int dirfd, const char *path, size_t len, struct walk w)
{
	int r;

	w.fd = openat(dirfd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w.fd < 0)
		return -errno;
	r = walk_along(&w, path, len);
	if (r < 0)
		close(w.fd);
	return r < 0 ? r : w.fd;
}

/* ---- beneath a folder ---- */

int tsh_parent_beneath(int dirfd, const char *path, bool make, const char **ret_name)
{
	const char *slash = strrchr(path, '/');

	*ret_name = slash ? slash + 1 : path;
	if (!**ret_name || !strcmp(*ret_name, ".") || !strcmp(*ret_name, ".."))
		return -EXDEV;
	return walk_from(dirfd, path, slash ? (size_t)(slash - path) + 1 : 0,
			 (struct walk){ .make = make, .beneath = true });
}

static int create(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
			0600);

	return fd < 0 ? -errno : fd;
}

int tsh_create_beneath(int dirfd, const char *path)
{
	const char *name;
	int folder = tsh_parent_beneath(dirfd, path, true, &name), fd;

	if (folder < 0)
		return folder;
	fd = create(folder, name);
	close(folder);
	return fd;
}

/* Creates a file beside `name` with a name that nobody can guess. */
static int create_beside(int folder, const char *name, char **ret_new)
{
	unsigned int tries;
	int fd = -EEXIST;

	for (tries = 0; fd == -EEXIST && tries < NAMES_MAX; tries++) {
		*ret_new = tsh_xasprintf("%.200s.%x%llx", name, (unsigned int)getpid(),
					 (unsigned long long)tsh_now_ns(CLOCK_MONOTONIC));
		fd = create(folder, *ret_new);
		if (fd < 0)
			free(*ret_new);
	}
	return fd;
}

/* Writes a new file in `folder`, then renames it to `name` in the folder `to`. Returns 0 or
 * -errno. */
static int replace(int folder, int to, const char *name, const char *text, size_t len)
{
	char *new_name;
	int fd = create_beside(folder, name, &new_name), r;

	if (fd < 0)
		return fd;
	r = tsh_write_all(fd, text, len);
	if (close(fd) < 0 && !r && errno != EINTR)
		r = -errno;
	if (!r && renameat(folder, new_name, to, name) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(folder, new_name, 0);
	free(new_name);
	return r;
}

int tsh_replace_beneath(int dirfd, const char *path, const char *text, size_t len)
{
	const char *name;
	int folder = tsh_parent_beneath(dirfd, path, true, &name), r;

	if (folder < 0)
		return folder;
	/* Writes the new file in dirfd: a reader of a recording that is not complete looks into
	 * the folder of `path`, and must not find it. */
	r = replace(dirfd, folder, name, text, len);
	close(folder);
	return r;
}

int tsh_rename_beneath(int dirfd, const char *path, const char *name)
{
	const char *old;
	int folder = tsh_parent_beneath(dirfd, path, false, &old), r;

	if (folder < 0)
		return folder;
	r = renameat(folder, old, folder, name) < 0 ? -errno : 0;
	close(folder);
	return r;
}

int tsh_unlink_beneath(int dirfd, const char *path)
{
	const char *name;
	int folder = tsh_parent_beneath(dirfd, path, false, &name), r;

	if (folder < 0)
		return folder;
	r = unlinkat(folder, name, 0) < 0 ? -errno : 0;
	close(folder);
	return r;
}

/* Removes all that is in the folder `name`. Returns false when there is no such folder. */
static bool empty_down(int parent, const char *name, unsigned int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!d && fd >= 0)
		close(fd);
	while (d && depth && (entry = readdir(d))) {
		bool is_folder;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		is_folder = empty_down(fd, entry->d_name, depth - 1);
		(void)unlinkat(fd, entry->d_name, is_folder ? AT_REMOVEDIR : 0);
	}
	if (d)
		closedir(d);
	return d != NULL;
}

int tsh_remove_beneath(int dirfd, const char *name)
{
	int flags = empty_down(dirfd, name, DEPTH_MAX) ? AT_REMOVEDIR : 0;

	return unlinkat(dirfd, name, flags) < 0 ? -errno : 0;
}

void tsh_empty_beneath(int dirfd)
{
	(void)empty_down(dirfd, ".", DEPTH_MAX);
}

/* ---- by a path ---- */

static int open_parent(int from, const char *path, bool firm, char **ret_name)
{
	size_t len = strlen(path), start;
	int fd;

	while (len && path[len - 1] == '/')
		len--;
	for (start = len; start && path[start - 1] != '/'; start--)
		;
	/* keeps "/" itself */
	if (!len && *path)
		start = 1;
	fd = *path ? walk_from(from, path, start, (struct walk){ .firm = firm }) : -ENOENT;
	if (fd >= 0)
		*ret_name = len ? tsh_xstrndup(path + start, len - start) : tsh_xstrdup(".");
	return fd;
}

int tsh_open_parent(const char *path, char **ret_name)
{
	return open_parent(AT_FDCWD, path, false, ret_name);
}

bool tsh_is_named(int fd, int folder, const char *name)
{
	struct stat file, named;

	return !fstat(fd, &file) && !fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) &&
	       named.st_dev == file.st_dev && named.st_ino == file.st_ino;
}

char *tsh_path_of(int fd)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	/* refuses "/a (deleted)" and "(unreachable)/a" */
	return *path == '/' && tsh_is_named(fd, AT_FDCWD, path) ? tsh_xstrdup(path) : NULL;
}

int tsh_open_folder(const char *path, bool make)
{
	return walk_from(AT_FDCWD, path, strlen(path), (struct walk){ .make = make });
}

int tsh_open_file(const char *path, int flags, mode_t mode)
{
	char *name;
	int folder = tsh_open_parent(path, &name), fd;

	if (folder < 0)
		return folder;
	fd = openat(folder, name, flags | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, mode);
	if (fd < 0)
		fd = -errno;
	close(folder);
	free(name);
	return fd;
}

bool tsh_is_own_descriptor(const char *path)
{
	static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr",
					     "/dev/tty" };
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	size_t i, len;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(path, names[i]))
			return true;
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		len = strlen(folders[i]);
		if (!strncmp(path, folders[i], len) && path[len] &&
		    !path[len + strspn(path + len, "0123456789")])
			return true;
	}
	return false;
}

/* Reads the target of a link that may be followed. Returns 0 or -errno. */
static int read_owned_link(int folder, const char *name, char *ret)
{
	int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !tsh_is_owned(&st) || tsh_is_on_proc(fd))
		n = -ELOOP;
	else
		n = read_target(fd, ret);
	close(fd);
	if (n < 0)
		return (int)n;
	ret[n] = '\0';
	return 0;
}

/* Opens a file that is no link. Returns -ELOOP for a link, also with O_PATH. */
static int open_unlinked(int folder, const char *name, int flags)
{
	int fd = openat(folder, name, flags | O_NOFOLLOW);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!(flags & O_PATH) || (!fstat(fd, &st) && !S_ISLNK(st.st_mode)))
		return fd;
	close(fd);
	return -ELOOP;
}

static int open_linked(int from, const char *path, int flags, unsigned int links)
{
	char target[PATH_MAX], *name;
	int folder, fd;

	flags |= O_NOCTTY | O_CLOEXEC;
	if (tsh_is_own_descriptor(path)) {
		fd = open(path, flags);
		return fd < 0 ? -errno : fd;
	}
	folder = open_parent(from, path, false, &name);
	if (folder < 0)
		return folder;
	fd = open_unlinked(folder, name, flags);
	if (fd == -ELOOP && links < LINKS_MAX) {
		fd = read_owned_link(folder, name, target);
		if (!fd)
			fd = open_linked(folder, target, flags, links + 1);
	}
	close(folder);
	free(name);
	return fd;
}

int tsh_open_linked(const char *path, int flags)
{
	return open_linked(AT_FDCWD, path, flags, 0);
}

static int open_firm(int from, const char *path, unsigned int links)
{
	char target[PATH_MAX], *name;
	int folder = open_parent(from, path, true, &name), fd, next = 0;
	struct stat st;
	ssize_t n;

	if (folder < 0)
		return folder;
	fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		next = -errno;
	} else if (!is_firm(folder, &st)) {
		next = -EXDEV;
	} else if (!S_ISLNK(st.st_mode)) {
		next = fd;
		fd = -1;
	} else if (tsh_is_on_proc(fd)) {
		next = openat(folder, name, O_PATH | O_CLOEXEC);
		next = next < 0 ? -errno : next;
	} else {
		n = links < LINKS_MAX ? read_target(fd, target) : -ELOOP;
		if (n >= 0)
			target[n] = '\0';
		next = n < 0 ? (int)n : open_firm(folder, target, links + 1);
	}
	if (fd >= 0)
		close(fd);
	close(folder);
	free(name);
	return next;
}

int tsh_open_protected(const char *path)
{
	return open_firm(AT_FDCWD, path, 0);
}

bool tsh_is_protected(const char *path)
{
	int fd = tsh_open_protected(path);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -ENOENT;
}

int tsh_replace_file(const char *path, const char *text, size_t len)
{
	char *name;
	int folder = tsh_open_parent(path, &name), r;

	if (folder < 0)
		return folder;
	r = tsh_replace_beneath(folder, name, text, len);
	close(folder);
	free(name);
	return r;
}
