/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>

/* Preloaded: no file system reserves room. */

int fallocate(int fd, int mode, off_t offset, off_t len)
{
	(void)fd;
	(void)mode;
	(void)offset;
	(void)len;
	errno = EOPNOTSUPP;
	return -1;
}

int fallocate64(int fd, int mode, off64_t offset, off64_t len)
{
	return fallocate(fd, mode, (off_t)offset, (off_t)len);
}
