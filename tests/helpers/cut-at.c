/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Preloaded: SIGKILL comes before or after one of the writes to tracefs and to the journal, as soon as there is a file CUT_AT: the
 * number in it counts two a write. */

#define TRACEFS_MAGIC 0x74726163

typedef ssize_t write_call(int fd, const void *data, size_t len);

/* Counts down to the moment; -1: the file is not there yet. */
static long left = -1;

static void read_number(void)
{
	const char *path = getenv("CUT_AT");
	FILE *file = left < 0 && path ? fopen(path, "re") : NULL;

	if (!file)
		return;
	if (fscanf(file, "%ld", &left) != 1)
		left = -1;
	fclose(file);
}

static void pass_moment(void)
{
	if (!left)
		raise(SIGKILL);
	left -= left > 0;
}

ssize_t write(int fd, const void *data, size_t len)
{
	write_call *real = (write_call *)dlsym(RTLD_NEXT, "write");
	int flags = fcntl(fd, F_GETFL);
	struct statfs fs;
	ssize_t wrote;

	if (flags < 0 || (!(flags & O_APPEND) && (fstatfs(fd, &fs) < 0 || fs.f_type != TRACEFS_MAGIC)))
		return real(fd, data, len);
	read_number();
	pass_moment();
	wrote = real(fd, data, len);
	pass_moment();
	return wrote;
}
