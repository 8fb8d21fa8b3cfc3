/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Preloaded: takes away the name UNLINK_OPENED of a file as soon as it is opened by openat(2), as somebody else may. */

static int open_and_unlink(int folder, const char *path, int flags, mode_t mode)
{
	int (*real)(int, const char *, int, ...) = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
	const char *name = getenv("UNLINK_OPENED");
	int fd = real(folder, path, flags, mode);

	if (fd >= 0 && name && !strcmp(path, name) && unlinkat(folder, path, 0) < 0)
		abort();
	return fd;
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return open_and_unlink(folder, path, flags, mode);
}

/* With _FORTIFY_SOURCE */
int __openat_2(int folder, const char *path, int flags)
{
	return open_and_unlink(folder, path, flags, 0);
}
