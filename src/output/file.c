/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tracesh/xmalloc.h"

/* In a directory below /dev that nobody but its owner can write: /dev/shm is none. */
static bool is_device_link(const char *path)
{
	struct stat st;
	char *folder;
	bool is_one;

	if (strncmp(path, "/dev/", 5) || strstr(path, "/../"))
		return false;
	folder = tsh_xstrndup(path, (size_t)(strrchr(path, '/') - path));
	is_one = !stat(folder, &st) && !(st.st_mode & (S_IWGRP | S_IWOTH));
	free(folder);
	return is_one;
}

static int open_once(const char *path, int flags)
{
	int fd = open(path, flags | O_NOFOLLOW, 0666);

	return fd < 0 && errno == ELOOP && is_device_link(path) ? open(path, flags, 0666) : fd;
}

static bool is_pipe(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

/* A pipe that nobody reads yet: until somebody does. */
static int open_heard(const char *path, int flags, const struct tsh_waiter *waiter)
{
	int fd = open_once(path, flags | O_NONBLOCK);
	enum tsh_wait_result result = TSH_WAIT_TIMEOUT;

	while (fd < 0 && errno == ENXIO && result == TSH_WAIT_TIMEOUT && is_pipe(path)) {
		result = tsh_wait(waiter, NULL, 0, 20);
		fd = open_once(path, flags | O_NONBLOCK);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_WRONLY);
	return fd;
}

int tsh_output_open(const char *path, bool keeps, const struct tsh_waiter *waiter,
		    struct tsh_err *err)
{
	int flags = O_WRONLY | O_CREAT | (keeps ? 0 : O_TRUNC) | O_CLOEXEC | O_NOCTTY;
	int fd = waiter ? open_heard(path, flags, waiter) : open_once(path, flags);

	if (fd >= 0)
		return fd;
	if (errno == ELOOP) {
		tsh_err_set(err, TSH_FAILED, "'%s' is a symbolic link", path);
		tsh_err_hint(err, "name the file that it leads to");
	} else {
		tsh_err_errno(err, errno, "cannot open '%s'", path);
		err->status = TSH_FAILED;
	}
	return -1;
}
