/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "safe-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "xmalloc.h"

/* Declares openat2(2) of Linux 5.6, which older headers lack. */
struct open_how_v0 {
	uint64_t flags;
	uint64_t mode;
	uint64_t resolve;
};
#define NO_MAGICLINKS 0x02
#define NO_SYMLINKS 0x04
#define BENEATH 0x08

static int open_by_openat2(int dirfd, const char *path, int flags)
{
#ifdef SYS_openat2
	struct open_how_v0 how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = BENEATH | NO_SYMLINKS | NO_MAGICLINKS,
	};
	long fd;

	do {
		fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
#else
	(void)dirfd, (void)path, (void)flags;
	return -ENOSYS;
#endif
}

static bool is_symlink(int dir, const char *name)
{
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode);
}

/* Opens one component of a path. Returns -ELOOP for a link, as openat2 does, whatever the flags
 * are. */
static int open_component(int dir, const char *name, int flags)
{
	struct stat st;
	int fd;

	do {
		fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0) {
		fd = -errno;
		return fd == -ENOTDIR && is_symlink(dir, name) ? -ELOOP : fd;
	}
	/* checks, because O_PATH opens the link itself */
	if ((flags & O_PATH) && (fstat(fd, &st) < 0 || S_ISLNK(st.st_mode))) {
		close(fd);
		return -ELOOP;
	}
	return fd;
}

/* Does what openat2 does, one component at a time. A '/' at the end asks for a directory. */
static int open_by_components(int dirfd, const char *path, int flags)
{
	size_t len = strlen(path);
	bool is_folder = len && path[len - 1] == '/';
	char *copy = tsh_xstrndup(path, len - is_folder);
	const char *name = copy;
	bool here = !strcmp(copy, ".");
	int dir = here ? dirfd : tsh_parent_beneath(dirfd, copy, false, &name);
	int fd = dir;

	if (dir >= 0 || here)
		fd = open_component(dir, name, flags | (is_folder ? O_DIRECTORY : 0));
	if (dir >= 0 && !here)
		close(dir);
	free(copy);
	return fd;
}

/*
 * Checks that a path has only one spelling. "a/../free_buffer" stays beneath, but
 * kernel/tracefs/class.c would not find it in its table of files. A '/' at the end asks for a
 * directory. Returns 0 or -errno.
 */
static int check_spelling(const char *path)
{
	size_t len;
	int r = 0;

	if (!strcmp(path, "."))
		return 0;
	if (*path == '/')
		return -EXDEV;
	do {
		len = strcspn(path, "/");
		if (len == 2 && !memcmp(path, "..", 2))
			return -EXDEV;
		if (!len || (len == 1 && *path == '.'))
			r = -EINVAL;
		path += len + (path[len] == '/');
	} while (*path);
	return r;
}

int tsh_open_beneath(int dirfd, const char *path, int flags)
{
	int fd = check_spelling(path);

	if (fd < 0)
		return fd;
	fd = open_by_openat2(dirfd, path, flags);
	/* also EPERM: a seccomp profile may not know the call */
	if (fd == -ENOSYS || fd == -EPERM)
		fd = open_by_components(dirfd, path, flags);
	return fd;
}
