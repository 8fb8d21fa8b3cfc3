/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/file.h>

/* Preloaded: runs BEFORE_HOLD, in sh, before the program takes its first shared lock, as of an instance it has made. */

typedef int flock_call(int fd, int how);

int flock(int fd, int how)
{
	flock_call *real = (flock_call *)dlsym(RTLD_NEXT, "flock");
	const char *command = how == (LOCK_SH | LOCK_NB) ? getenv("BEFORE_HOLD") : NULL;

	if (command) {
		unsetenv("LD_PRELOAD");
		unsetenv("BEFORE_HOLD");
		if (system(command))
			abort();
	}
	return real(fd, how);
}
