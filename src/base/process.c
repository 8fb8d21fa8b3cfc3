/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"
#include "number.h"
#include "strbuf.h"

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
	struct pollfd ended = { .fd = fd, .events = POLLIN };

	/* Finds also a process that has ended and is not waited for yet. */
	if (poll(&ended, 1, 0) > 0)
		return false;
#ifdef SYS_pidfd_send_signal
	return syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) == 0;
#else
	(void)fd;
	(void)number;
	return false;
#endif
}

/* Returns the state of a process or thread, read from its file stat, such as 'Z'; 0: there is no
 * such file. */
static char read_state(const char *path)
{
	char stat[1024], *state;

	if (tsh_read_small(path, stat, sizeof(stat)) <= 0)
		return '\0';
	state = strrchr(stat, ')');
	return state && state[1] == ' ' ? state[2] : '\0';
}

bool tsh_process_is_stopped(pid_t pid)
{
	char path[TSH_TASK_PATH], state;

	tsh_task_path(path, pid, "stat");
	state = read_state(path);
	return state == 'T' || state == 't';
}

/* Checks that no thread of a process runs. The first thread may be a zombie while others run. */
static bool are_all_zombies(pid_t pid)
{
	char path[300];
	const struct dirent *entry;
	bool all;
	DIR *d;

	tsh_task_path(path, pid, "stat");
	if (read_state(path) != 'Z')
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	all = d != NULL;
	while (all && (entry = readdir(d))) {
		char state;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", (int)pid, entry->d_name);
		state = read_state(path);
		all = !state || state == 'Z' || state == 'X';
	}
	if (d)
		closedir(d);
	return all;
}

enum tsh_process_end tsh_process_reap(pid_t pid, int *ret_status)
{
	pid_t got;

	*ret_status = 0;
	got = waitpid(pid, ret_status, WNOHANG);
	if (got == pid || (got < 0 && errno != EINTR))
		return TSH_PROCESS_ENDED;
	/* Checks twice: an exec makes another thread the first one, perhaps while we read. */
	if (!are_all_zombies(pid) || !are_all_zombies(pid))
		return TSH_PROCESS_RUNS;
	/* Asks once more: it may have ended meanwhile. */
	got = waitpid(pid, ret_status, WNOHANG);
	if (got == pid)
		return TSH_PROCESS_ENDED;
	*ret_status = 1 << 8;
	return TSH_PROCESS_KEPT;
}

enum tsh_process_end tsh_process_terminate(pid_t pid, int *ret_status)
{
	enum tsh_process_end end;
	int tries;

	kill(pid, SIGTERM);
	for (tries = 0; (end = tsh_process_reap(pid, ret_status)) == TSH_PROCESS_RUNS; tries++) {
		if (tries == 50)
			kill(pid, SIGKILL);
		if (tries == 100)
			break;
		usleep(20000);
	}
	return end;
}

/* Parses "1: FLOCK ADVISORY WRITE 1234 00:0d:1114 0 EOF", the device in hexadecimal. Returns the
 * process when the lock is of that file, otherwise 0. */
static pid_t parse_lock(char *line, const struct stat *st)
{
	char *save = NULL, *word = strtok_r(line, " ", &save), *words[6] = { NULL };
	unsigned long major, minor;
	size_t i;

	for (i = 0; word && i < sizeof(words) / sizeof(words[0]); i++) {
		words[i] = word;
		word = strtok_r(NULL, " ", &save);
	}
	if (!words[5] || strcmp(words[1], "FLOCK") != 0)
		return 0;
	major = strtoul(words[5], &word, 16);
	if (*word++ != ':')
		return 0;
	minor = strtoul(word, &word, 16);
	if (*word++ != ':' || strtoull(word, NULL, 10) != st->st_ino ||
	    makedev(major, minor) != st->st_dev)
		return 0;
	return (pid_t)strtol(words[4], NULL, 10);
}

pid_t tsh_lock_holder(int fd)
{
	char *line = NULL;
	struct stat st;
	size_t cap = 0;
	pid_t found = 0;
	FILE *f;

	if (fstat(fd, &st) < 0)
		return 0;
	f = fopen("/proc/locks", "re");
	while (f && !found && getline(&line, &cap, f) > 0)
		found = parse_lock(line, &st);
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* Limits how much of a status is read: a task has at most 65,536 groups, of 11 bytes each. */
#define STATUS_MAX (1u << 20)

/* Returns what follows the name of a line, or NULL when there is no such line. */
static const char *status_line(const char *status, const char *name)
{
	const char *found = strstr(status, name);

	return found ? found + strlen(name) : NULL;
}

static pid_t number_of(const char *text)
{
	return text ? (pid_t)strtol(text, NULL, 10) : 0;
}

struct tsh_process_numbers tsh_process_numbers(pid_t pid)
{
	struct tsh_process_numbers ret = { 0 };
	struct tsh_strbuf status = TSH_STRBUF_INIT;
	const char *process, *numbers;
	char path[TSH_TASK_PATH];
	int fd;

	tsh_task_path(path, pid, "status");
	fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return ret;
	(void)tsh_strbuf_read(&status, fd, STATUS_MAX);
	close(fd);
	process = status_line(status.buf, "\nTgid:");
	if (process) {
		/* Finds NSpid, which stands behind the groups: STATUS_MAX leaves room for these. */
		numbers = status_line(status.buf, "\nNSpid:");
		ret.process = number_of(process);
		ret.parent = number_of(status_line(status.buf, "\nPPid:"));
		ret.own = numbers ? 0 : pid;
		while (numbers && *numbers == '\t')
			ret.own = (pid_t)strtol(numbers + 1, (char **)&numbers, 10);
	}
	tsh_strbuf_release(&status);
	return ret;
}

bool tsh_process_has_number(pid_t pid)
{
	const struct dirent *entry;
	DIR *d = opendir("/proc");
	bool has = !d;

	while (d && !has && (entry = readdir(d))) {
		pid_t number = number_of(entry->d_name);

		has = number > 0 && (number == pid || tsh_process_numbers(number).own == pid);
	}
	if (d)
		closedir(d);
	return has;
}

void tsh_process_rename(const char *name)
{
	char stat[1024], *at;
	uintptr_t begin, end;
	int field;

	prctl(PR_SET_NAME, name);
	if (tsh_read_small("/proc/self/stat", stat, sizeof(stat)) < 0)
		return;
	/* Skips to field 48 (proc(5), /proc/PID/stat), where the arguments begin; field 49 is
	 * their end. */
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

void tsh_close_all_except(const int *kept, size_t n)
{
	DIR *d = opendir("/proc/self/fd");
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;
	const struct dirent *entry;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!is_one_of(kept, n, fd) && null >= 0)
			dup2(null, fd);
	for (fd = STDERR_FILENO + 1; !d && fd < 1024; fd++)
		if (!is_one_of(kept, n, fd))
			close(fd);
	while (d && (entry = readdir(d))) {
		uint64_t number;

		if (tsh_parse_u64(entry->d_name, &number) < 0)
			continue;
		fd = (int)number;
		if (fd > STDERR_FILENO && fd != dirfd(d) && !is_one_of(kept, n, fd))
			close(fd);
	}
	if (d)
		closedir(d);
}
