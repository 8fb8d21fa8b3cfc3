/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Preloaded: just before the program writes an oom_score_adj another task writes its own, and, with
 * WRITE_SCORE=N, N into the one that the program is about to write. */

typedef ssize_t pwrite_call(int fd, const void *data, size_t len, off_t offset);

typedef int open_call(const char *path, int flags, ...);


static void be_another(pwrite_call *real, int fd)
{
	const char *score = getenv("WRITE_SCORE");
	int own = open("/proc/self/oom_score_adj", O_RDWR);
	char text[16];
	ssize_t n = own < 0 ? -1 : read(own, text, sizeof(text));

	if (n <= 0 || real(own, text, (size_t)n, 0) != n)
		_exit(1);
	_exit(score && real(fd, score, strlen(score), 0) < 0);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t offset)
{
	pwrite_call *real = (pwrite_call *)dlsym(RTLD_NEXT, "pwrite");
	char link[32], path[128];
	ssize_t n;
	pid_t pid;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	if (strstr(path, "/oom_score_adj")) {
		unsetenv("LD_PRELOAD");
		pid = fork();
		if (!pid)
			be_another(real, fd);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		unsetenv("WRITE_SCORE");
	}
	return real(fd, data, len, offset);
}

static int open_then(const char *path, int flags, int mode)
{
	static int opened;
	open_call *real = (open_call *)dlsym(RTLD_NEXT, "open64");
	pwrite_call *put = (pwrite_call *)dlsym(RTLD_NEXT, "pwrite");
	int fd = real(path, flags, mode);
	const char *later = getenv("WRITE_LATER");
	pid_t pid;

	if (fd < 0 || !later || !*later || !strstr(path, "/oom_score_adj") || ++opened != 2)
		return fd;
	pid = fork();
	if (!pid)
		_exit(put(fd, later, strlen(later), 0) < 0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return fd;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	return open_then(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
