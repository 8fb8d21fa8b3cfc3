/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "now.h"
#include "number.h"
#include "safe-file.h"

/* FSOPEN_CLOEXEC, FSMOUNT_CLOEXEC and FSCONFIG_CMD_CREATE of linux/mount.h, which older headers
 * lack. */
#define CLOSE_ON_EXEC 1
#define CREATE 6

ssize_t tsh_read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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

void tsh_task_path(char path[TSH_TASK_PATH], pid_t task, const char *file)
{
	(void)snprintf(path, TSH_TASK_PATH, "/proc/%d/task/%d/%s", (int)task, (int)task, file);
}

int tsh_check_proc(struct tsh_err *err)
{
	int fd = open("/proc", O_PATH | O_CLOEXEC);
	bool is_there = fd >= 0 && tsh_is_on_proc(fd);

	if (fd >= 0)
		close(fd);
	if (is_there)
		return 0;
	tsh_err_set(err, TSH_ENVIRONMENT, "/proc is not mounted: nothing can be read of tasks");
	tsh_err_hint(err, "mount -t proc proc /proc");
	return -1;
}

unsigned int tsh_kernel_version(void)
{
	uint64_t major, minor, patch = 0;
	struct utsname name;
	const char *p = name.release;

	if (uname(&name) < 0 || !tsh_parse_u64_prefix(&p, &major) || *p++ != '.' || !tsh_parse_u64_prefix(&p, &minor))
		return 0;
	if (*p++ == '.')
		(void)tsh_parse_u64_prefix(&p, &patch);
	return TSH_KERNEL_VERSION(major, minor) | (patch < 255 ? patch : 255);
}

/* Mounts a procfs that no path leads to (fsmount(2)). Returns a descriptor of its root, or -1. */
static int mount_proc(void)
{
	int folder = -1;
#if defined(SYS_fsopen) && defined(SYS_fsconfig) && defined(SYS_fsmount)
	int fs = (int)syscall(SYS_fsopen, "proc", CLOSE_ON_EXEC);

	if (fs >= 0 && !syscall(SYS_fsconfig, fs, CREATE, NULL, NULL, 0))
		folder = (int)syscall(SYS_fsmount, fs, CLOSE_ON_EXEC, 0);
	if (fs >= 0)
		close(fs);
#endif
	return folder;
}

void tsh_boot_id(char *buf, size_t size)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, fd = open(path, flags), proc;
	ssize_t n;

	/* Ignores a file that is not on procfs: containers mount their own there. */
	if (fd >= 0 && !tsh_is_on_proc(fd)) {
		close(fd);
		proc = mount_proc();
		fd = proc < 0 ? -1 : openat(proc, path + strlen("/proc/"), flags);
		if (proc >= 0)
			close(proc);
	}
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n\t ")] = '\0';
}

/* Returns AT_PAGESZ of an auxiliary vector whose numbers have `size` bytes; 0: it has no such
 * entry, so its numbers have another size. */
static uint64_t parse_page_size(const char *vector, size_t len, size_t size)
{
	uint64_t pair[2];
	size_t at, i;

	for (at = 0; at + 2 * size <= len; at += 2 * size) {
		for (i = 0; i < 2; i++) {
			uint32_t number;

			memcpy(&number, vector + at + i * size, sizeof(number));
			pair[i] = number;
			if (size == sizeof(pair[i]))
				memcpy(&pair[i], vector + at + i * size, sizeof(pair[i]));
		}
		if (pair[0] == AT_PAGESZ)
			return pair[1];
	}
	return 0;
}

unsigned int tsh_task_bits(pid_t task)
{
	char path[TSH_TASK_PATH], vector[1024];
	ssize_t n;

	tsh_task_path(path, task, "auxv");
	n = tsh_read_small(path, vector, sizeof(vector));
	if (n <= 0)
		return 0;
	if (parse_page_size(vector, (size_t)n, sizeof(uint64_t)))
		return 64;
	return parse_page_size(vector, (size_t)n, sizeof(uint32_t)) ? 32 : 0;
}

/* Reads a task's stat. Returns what follows field 2, the name in parentheses, which may have any
 * bytes. */
static const char *process_fields(pid_t pid, char *text, size_t size)
{
	char path[TSH_TASK_PATH];

	tsh_task_path(path, pid, "stat");
	(void)tsh_read_small(path, text, size);
	return strrchr(text, ')');
}

/*
 * Returns field 22, the start time in ticks, without the offset of our time namespace; 0: there is
 * no such field. A negative offset can make the field negative: the kernel prints it as a large
 * number, and the unsigned sums here wrap around to the right one.
 */
static uint64_t start_of(const char *fields)
{
	uint64_t tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK), ticks;
	int64_t offset = tsh_timens_offset(CLOCK_BOOTTIME), ns;
	int field;

	for (field = 2; fields && field < 22; field++)
		fields = strchr(fields + 1, ' ');
	ticks = fields ? strtoull(fields + 1, NULL, 10) : 0;
	if (!ticks || !offset)
		return ticks;
	/* Rounding to ticks can make the time of the first tick after boot negative. */
	ns = (int64_t)(ticks * tick - (uint64_t)offset);
	return ns > 0 ? (uint64_t)ns / tick : 0;
}

uint64_t tsh_process_start(pid_t pid)
{
	char text[1024];

	return start_of(process_fields(pid, text, sizeof(text)));
}

bool tsh_process_is_alive(pid_t pid, uint64_t start)
{
	char text[1024];
	const char *fields = process_fields(pid, text, sizeof(text));

	return fields && start_of(fields) == start && strncmp(fields, ") Z", 3) != 0 &&
	       strncmp(fields, ") X", 3) != 0;
}

uint64_t tsh_pid_namespace(void)
{
	struct stat st;
	int proc, r = stat("/proc/self/ns/pid", &st);

	if (r < 0) {
		proc = mount_proc();
		r = proc < 0 ? -1 : fstatat(proc, "self/ns/pid", &st, 0);
		if (proc >= 0)
			close(proc);
	}
	return r < 0 ? 0 : st.st_ino;
}

bool tsh_is_initial_pid_namespace(void)
{
	struct stat st;

	/* PROC_PID_INIT_INO of include/linux/proc_ns.h */
	return !stat("/proc/self/ns/pid", &st) && st.st_ino == 0xEFFFFFFCu;
}

bool tsh_locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;
	size_t i;

	for (i = 0; i < 3 && !(value && *value); i++)
		value = getenv(names[i]);
	return value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}

bool tsh_terminal_can_move_cursor(void)
{
	const char *term = getenv("TERM");

	return term && *term && strcmp(term, "dumb") != 0;
}
