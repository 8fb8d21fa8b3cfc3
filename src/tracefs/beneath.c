/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* openat2(2) of Linux 5.6, spelled out for older headers. */
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
	long fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
#else
	(void)dirfd, (void)path, (void)flags;
	return -ENOSYS;
#endif
}

/* The same by hand, one component at a time. */
static int open_by_components(int dirfd, const char *path, int flags)
{
	int dir = dup(dirfd);
	int fd = -EINVAL;

	if (dir < 0)
		return -errno;
	for (;;) {
		size_t len = strcspn(path, "/");
		bool last = path[len] == '\0';
		char name[256];

		fd = -EXDEV;
		if (!len || len >= sizeof(name) || (len == 2 && !memcmp(path, "..", 2)))
			break;
		memcpy(name, path, len);
		name[len] = '\0';
		fd = openat(dir, name,
			    (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
		if (fd < 0 || last)
			break;
		close(dir);
		dir = fd;
		path += len + 1;
	}
	close(dir);
	return fd;
}

/*
 * "a/../free_buffer" stays beneath, and is another spelling than the table of classes
 * knows: 0 when there is one spelling only. A '/' at the end is a directory's.
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
	/* EPERM: a seccomp profile that does not know the call. */
	if (fd == -ENOSYS || fd == -EPERM)
		fd = open_by_components(dirfd, path, flags);
	return fd;
}
