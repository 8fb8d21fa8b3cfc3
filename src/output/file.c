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

int tsh_output_open(const char *path, struct tsh_err *err)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;
	int fd = open(path, flags | O_NOFOLLOW, 0666);

	if (fd < 0 && errno == ELOOP && is_device_link(path))
		fd = open(path, flags, 0666);
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
