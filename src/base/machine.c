/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t tsh_read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;
	int error;

	if (fd >= 0)
		do {
			n = read(fd, buf, size - 1);
		} while (n < 0 && errno == EINTR);
	error = errno;
	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n < 0 ? -error : n;
}

bool tsh_read_line(const char *path, char *buf, size_t size)
{
	bool good = tsh_read_small(path, buf, size) >= 0;

	buf[strcspn(buf, "\n")] = '\0';
	return good;
}

void tsh_boot_id(char *buf, size_t size)
{
	(void)tsh_read_small("/proc/sys/kernel/random/boot_id", buf, size);
	buf[strcspn(buf, "\n\t ")] = '\0';
}

uint64_t tsh_process_start(pid_t pid)
{
	char path[32], text[1024];
	const char *p;
	int field;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	(void)tsh_read_small(path, text, sizeof(text));
	/* Field 2 is the name in parentheses, with whatever bytes; the 22nd is wanted. */
	p = strrchr(text, ')');
	for (field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p + 1, NULL, 10) : 0;
}

bool tsh_terminal_moves(void)
{
	const char *term = getenv("TERM");

	return term && *term && strcmp(term, "dumb") != 0;
}
