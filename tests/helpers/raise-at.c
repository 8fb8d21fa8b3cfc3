/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Preloaded: SIGTERM comes while the program writes a text that ends in RAISE_AT, SIGKILL, or with RAISE_STOP
 * SIGSTOP, right after it has written RAISE_AFTER and a newline. */

typedef ssize_t write_call(int fd, const void *data, size_t len);

ssize_t write(int fd, const void *data, size_t len)
{
	write_call *real = (write_call *)dlsym(RTLD_NEXT, "write");
	const char *at = getenv("RAISE_AT"), *after = getenv("RAISE_AFTER");
	size_t at_len = at ? strlen(at) : 0;
	ssize_t wrote;

	if (at_len && len >= at_len && !memcmp((const char *)data + len - at_len, at, at_len))
		raise(SIGTERM);
	wrote = real(fd, data, len);
	if (after && len == strlen(after) + 1 && wrote == (ssize_t)len && !memcmp(data, after, len - 1))
		raise(getenv("RAISE_STOP") ? SIGSTOP : SIGKILL);
	return wrote;
}
