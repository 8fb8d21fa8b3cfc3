/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracesh/machine.h"
#include "tracesh/number.h"

int tsh_process_open(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	return -1;
#endif
}

bool tsh_process_signal(int fd, int number)
{
#ifdef SYS_pidfd_send_signal
	return syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) == 0;
#else
	(void)fd;
	(void)number;
	return false;
#endif
}

void tsh_process_rename(const char *name)
{
	char stat[1024], *at;
	uintptr_t begin, end;
	int field;

	prctl(PR_SET_NAME, name);
	if (tsh_read_small("/proc/self/stat", stat, sizeof(stat)) < 0)
		return;
	/* proc(5), /proc/PID/stat: field 48 is where the arguments begin, 49 where they end. */
	at = strrchr(stat, ')');
	for (field = 2; at && field < 48; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return;
	begin = strtoul(at, &at, 10);
	end = strtoul(at, NULL, 10);
	if (!begin || end <= begin)
		return;
	memset((char *)begin, 0, end - begin);
	memcpy((char *)begin, name, strnlen(name, end - begin - 1));
}

static bool is_one_of(const int *keep, size_t n, int fd)
{
	size_t i;

	for (i = 0; i < n && keep[i] != fd; i++)
		;
	return i < n;
}

void tsh_close_all_but(const int *keep, size_t n)
{
	DIR *d = opendir("/proc/self/fd");
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;
	const struct dirent *entry;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!is_one_of(keep, n, fd) && null >= 0)
			dup2(null, fd);
	for (fd = STDERR_FILENO + 1; !d && fd < 1024; fd++)
		if (!is_one_of(keep, n, fd))
			close(fd);
	while (d && (entry = readdir(d))) {
		uint64_t number;

		if (tsh_parse_u64(entry->d_name, &number) < 0)
			continue;
		fd = (int)number;
		if (fd > STDERR_FILENO && fd != dirfd(d) && !is_one_of(keep, n, fd))
			close(fd);
	}
	if (d)
		closedir(d);
}
