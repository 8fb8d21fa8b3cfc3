/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "safe-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Opens regular files only: opening a device or a FIFO can have effects. */

int tsh_reopen_regular(int place, int flags)
{
	char name[32];
	struct stat st;
	int fd;

	if (place < 0)
		return place;
	if (fstat(place, &st) < 0) {
		fd = -errno;
	} else if (!S_ISREG(st.st_mode)) {
		fd = S_ISLNK(st.st_mode) ? -ELOOP : -EOPNOTSUPP;
	} else {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
		fd = open(name, (flags & ~O_NOFOLLOW) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			fd = errno == ENOENT || errno == ENOTDIR ? -ENOSYS : -errno;
	}
	close(place);
	return fd;
}

/* Returns the descriptor when it is of a regular file. Otherwise closes it and returns
 * -EOPNOTSUPP. */
static int only_regular(int fd)
{
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	return -EOPNOTSUPP;
}

static int open_at(int dirfd, const char *name, int flags)
{
	int fd = openat(dirfd, name, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int tsh_open_regular_at(int dirfd, const char *name, int flags)
{
	int fd = tsh_reopen_regular(open_at(dirfd, name, O_PATH | (flags & O_NOFOLLOW)), flags);

	return fd == -ENOSYS ? only_regular(open_at(dirfd, name, flags)) : fd;
}

int tsh_open_regular_beneath(int dirfd, const char *path)
{
	int fd = tsh_reopen_regular(tsh_open_beneath(dirfd, path, O_PATH), O_RDONLY);

	return fd == -ENOSYS ? only_regular(tsh_open_beneath(dirfd, path, O_RDONLY | O_NONBLOCK |
									  O_NOCTTY)) : fd;
}

int tsh_open_regular(const char *path)
{
	int fd = tsh_reopen_regular(tsh_open_linked(path, O_PATH), O_RDONLY);

	return fd == -ENOSYS ? only_regular(tsh_open_linked(path, O_RDONLY | O_NONBLOCK)) : fd;
}
