/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tty.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int tsh_tty_open(void)
{
	if (!isatty(STDIN_FILENO))
		return -1;
	return open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

ssize_t tsh_tty_read(int tty, void *buf, size_t len)
{
	ssize_t n = read(tty >= 0 ? tty : STDIN_FILENO, buf, len);

	return n < 0 ? -errno : n;
}
