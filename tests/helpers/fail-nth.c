/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For LD_PRELOAD: counts the calls that reach tracefs below the file layer, and lets one of them fail, or some in a row.
 *	FAIL_NTH	the first that fails; 0: none
 *	FAIL_TIMES	how many in a row; 1 when it is not given
 *	FAIL_CALL	the only one that counts and fails, such as write; not given: all do
 *	FAIL_PATH	the only path that counts, of calls to openat2, as they have it; not given: all do
 *	FAIL_AT		where they count: tracefs; disk: ordinary files in a tmpfs, which the journal's is, and
 *			tmpfs: those and memfds; fallocate(2) counts there, too. Not given: tracefs
 *	FAIL_WITH	EBUSY, EPERM, EINTR, ENODEV, ENOSPC, EDQUOT, EIO, EROFS: the call is not made (close(2) is: the descriptor is
 *			gone in any case); short: half of the bytes are written; late: written, then EIO; kill: SIGKILL
 *			instead of the call; killall: for the processes that it has forked, too
 *	FAIL_LOG	a file that a line "NUMBER CALL" goes to, of each call, or with FAIL_NTH of those that failed
 * Calls that have no bytes to write are carried out with short and late. Only the process that was started counts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define TRACEFS_MAGIC 0x74726163
#define TMPFS_MAGIC 0x01021994
#define FD_MAX 4096
#define FORKED_MAX 64

enum place { PLACE_TRACEFS, PLACE_DISK, PLACE_TMPFS };
enum fault { FAULT_ERROR, FAULT_SHORT, FAULT_LATE, FAULT_KILL, FAULT_KILL_ALL };

static struct {
	unsigned long calls, nth, times;
	enum fault fault;
	enum place place;
	int error, log;
	const char *call, *path;	/* NULL: any */
	pid_t owner;
	bool written[FD_MAX];		/* opened for writing */
	pid_t forked[FORKED_MAX];
	int n_forked;
} state = { .log = -1 };

static int error_of(const char *name)
{
	static const struct { const char *name; int number; } errors[] = {
		{ "EBUSY", EBUSY }, { "EPERM", EPERM }, { "EINTR", EINTR }, { "ENODEV", ENODEV },
		{ "ENOSPC", ENOSPC }, { "EDQUOT", EDQUOT }, { "EIO", EIO }, { "EROFS", EROFS },
	};
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (!strcmp(errors[i].name, name))
			return errors[i].number;
	fprintf(stderr, "fail-nth: FAIL_WITH=%s is not known\n", name);
	_exit(97);
}

__attribute__((constructor)) static void begin(void)
{
	const char *nth = getenv("FAIL_NTH"), *times = getenv("FAIL_TIMES");
	const char *with = getenv("FAIL_WITH"), *log = getenv("FAIL_LOG"), *at = getenv("FAIL_AT");

	state.nth = nth ? strtoul(nth, NULL, 10) : 0;
	state.times = times ? strtoul(times, NULL, 10) : 1;
	state.call = getenv("FAIL_CALL");
	state.path = getenv("FAIL_PATH");
	if (at && !strcmp(at, "disk"))
		state.place = PLACE_DISK;
	else if (at && !strcmp(at, "tmpfs"))
		state.place = PLACE_TMPFS;
	if (with && !strcmp(with, "short"))
		state.fault = FAULT_SHORT;
	else if (with && !strcmp(with, "late"))
		state.fault = FAULT_LATE;
	else if (with && !strcmp(with, "kill"))
		state.fault = FAULT_KILL;
	else if (with && !strcmp(with, "killall"))
		state.fault = FAULT_KILL_ALL;
	else if (with)
		state.error = error_of(with);
	if (log) {
		int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

		state.log = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 500);
		if (fd >= 0)
			close(fd);
	}
	state.owner = getpid();
}

static bool in_tracefs(int fd)
{
	struct statfs st;
	int saved = errno;
	bool is = state.place == PLACE_TRACEFS && state.owner == getpid() && !fstatfs(fd, &st) &&
		  st.f_type == TRACEFS_MAGIC;

	errno = saved;
	return is;
}

/* A memfd has no name. */
static bool in_tmpfs(int fd)
{
	struct statfs fs;
	struct stat st;
	int saved = errno;
	bool is = state.place != PLACE_TRACEFS && state.owner == getpid() && !fstatfs(fd, &fs) &&
		  fs.f_type == TMPFS_MAGIC && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		  (st.st_nlink || state.place == PLACE_TMPFS);

	errno = saved;
	return is;
}

static void die(void)
{
	while (state.fault == FAULT_KILL_ALL && state.n_forked)
		kill(state.forked[--state.n_forked], SIGKILL);
	kill(state.owner, SIGKILL);
}

/* A call: true when it is one that fails. */
static bool fails(const char *name)
{
	unsigned long number;
	char line[64];
	bool hit;
	int len;

	if (state.call && strcmp(name, state.call) != 0)
		return false;
	number = ++state.calls;
	hit = state.nth && number >= state.nth && number - state.nth < state.times;
	if (hit && state.fault >= FAULT_KILL)
		die();
	if (hit && state.fault != FAULT_ERROR && strcmp(name, "write") != 0)
		hit = false;
	if ((hit || !state.nth) && state.log >= 0) {
		len = snprintf(line, sizeof(line), "%lu %s\n", number, name);
		syscall(SYS_write, state.log, line, (size_t)len);
	}
	return hit;
}

static int failure(void)
{
	errno = state.error;
	return -1;
}

static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		_exit(97);
	return found;
}

static void opened(long fd, unsigned long flags)
{
	if (fd >= 0 && fd < FD_MAX)
		state.written[fd] = (flags & O_ACCMODE) != O_RDONLY && !(flags & O_PATH);
}

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long arg[6], r;
	va_list ap;
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (!real)
		real = (long (*)(long, ...))next("syscall");
	if (number != SYS_openat2)
		return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	if (in_tracefs((int)arg[0]) && (!state.path || !strcmp((const char *)arg[1], state.path)) && fails("openat2"))
		return failure();
	r = real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	opened(r, (unsigned long)*(const uint64_t *)arg[2]);
	return r;
}

int openat(int dir, const char *path, int flags, ...)
{
	static int (*real)(int, const char *, int, ...);
	mode_t mode = 0;
	va_list ap;
	int fd;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	if (!real)
		real = (int (*)(int, const char *, int, ...))next("openat");
	if (in_tracefs(dir) && fails("openat"))
		return failure();
	fd = real(dir, path, flags, mode);
	opened(fd, (unsigned long)flags);
	return fd;
}

ssize_t write(int fd, const void *data, size_t len)
{
	static ssize_t (*real)(int, const void *, size_t);
	ssize_t n;

	if (!real)
		real = (ssize_t (*)(int, const void *, size_t))next("write");
	if (!(in_tracefs(fd) || in_tmpfs(fd)) || !fails("write"))
		return real(fd, data, len);
	if (state.fault == FAULT_SHORT)
		return real(fd, data, len / 2);
	if (state.fault == FAULT_ERROR)
		return failure();
	n = real(fd, data, len);
	if (n < 0)
		return n;
	errno = EIO;
	return -1;
}

int fallocate64(int fd, int mode, int64_t offset, int64_t len)
{
	static int (*real)(int, int, int64_t, int64_t);

	if (!real)
		real = (int (*)(int, int, int64_t, int64_t))next("fallocate64");
	return in_tmpfs(fd) && fails("fallocate") ? failure() : real(fd, mode, offset, len);
}

/* The one without 64 in its name, where offsets have 64 bits anyway. */
#if __SIZEOF_LONG__ == 8
int fallocate(int fd, int mode, off_t offset, off_t len)
{
	return fallocate64(fd, mode, offset, len);
}
#endif

ssize_t read(int fd, void *data, size_t len)
{
	static ssize_t (*real)(int, void *, size_t);

	if (!real)
		real = (ssize_t (*)(int, void *, size_t))next("read");
	return in_tracefs(fd) && fails("read") ? failure() : real(fd, data, len);
}

int close(int fd)
{
	static int (*real)(int);
	bool fail = fd >= 0 && fd < FD_MAX && state.written[fd] && in_tracefs(fd) && fails("close");

	if (!real)
		real = (int (*)(int))next("close");
	opened(fd, O_RDONLY);
	if (!fail)
		return real(fd);
	(void)real(fd);
	return failure();
}

int mkdirat(int dir, const char *path, mode_t mode)
{
	static int (*real)(int, const char *, mode_t);

	if (!real)
		real = (int (*)(int, const char *, mode_t))next("mkdirat");
	return in_tracefs(dir) && fails("mkdirat") ? failure() : real(dir, path, mode);
}

int unlinkat(int dir, const char *path, int flags)
{
	static int (*real)(int, const char *, int);

	if (!real)
		real = (int (*)(int, const char *, int))next("unlinkat");
	return in_tracefs(dir) && fails("unlinkat") ? failure() : real(dir, path, flags);
}

pid_t fork(void)
{
	static pid_t (*real)(void);
	pid_t pid;

	if (!real)
		real = (pid_t (*)(void))next("fork");
	pid = real();
	if (pid > 0 && state.owner == getpid() && state.n_forked < FORKED_MAX)
		state.forked[state.n_forked++] = pid;
	return pid;
}
