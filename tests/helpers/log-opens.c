/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Preloaded: appends the name of each file below /proc that is opened by it to the file OPENS_LOG. */

typedef int open_file(const char *path, int flags, ...);

static int log_open(const char *call, const char *path, int flags, mode_t mode)
{
	open_file *real = (open_file *)dlsym(RTLD_NEXT, call);
	const char *name = getenv("OPENS_LOG");
	int log = name && !strncmp(path, "/proc/", 6) ? real(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (log >= 0) {
		dprintf(log, "%s\n", path);
		close(log);
	}
	return real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return log_open("open", path, flags, mode);
}

#ifdef __GLIBC__
int open64(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return log_open("open64", path, flags, mode);
}
#endif
