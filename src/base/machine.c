/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Reads /proc/PID/stat; what is behind field 2, the name in parentheses with whatever bytes. */
static const char *process_fields(pid_t pid, char *text, size_t size)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	(void)tsh_read_small(path, text, size);
	return strrchr(text, ')');
}

static uint64_t start_of(const char *fields)
{
	int field;

	for (field = 2; fields && field < 22; field++)
		fields = strchr(fields + 1, ' ');
	return fields ? strtoull(fields + 1, NULL, 10) : 0;
}

uint64_t tsh_process_start(pid_t pid)
{
	char text[1024];

	return start_of(process_fields(pid, text, sizeof(text)));
}

bool tsh_process_lives(pid_t pid, uint64_t start)
{
	char text[1024];
	const char *fields = process_fields(pid, text, sizeof(text));

	return fields && start_of(fields) == start && strncmp(fields, ") Z", 3) != 0 &&
	       strncmp(fields, ") X", 3) != 0;
}

/* The kernel's ticks since 300 s before its counter was 2^32 (include/linux/jiffies.h,
 * INITIAL_JIFFIES), and the time since it was booted (both kernel/time/timer_list.c). */
static bool read_ticks(uint64_t *ret_jiffies, uint64_t *ret_ns)
{
	static const char last[] = "  .last_jiffies   : ", now[] = "now at ";
	FILE *f = fopen("/proc/timer_list", "re");
	char line[256];

	*ret_jiffies = *ret_ns = 0;
	while (f && fgets(line, sizeof(line), f)) {
		uint64_t n;

		if (!strncmp(line, now, sizeof(now) - 1)) {
			*ret_ns = strtoull(line + sizeof(now) - 1, NULL, 10);
		} else if (!strncmp(line, last, sizeof(last) - 1)) {
			n = strtoull(line + sizeof(last) - 1, NULL, 10);
			/* The CPU that has slept the least. */
			*ret_jiffies = n > *ret_jiffies ? n : *ret_jiffies;
		}
	}
	if (f)
		fclose(f);
	return *ret_jiffies && *ret_ns;
}

unsigned int tsh_kernel_hz(void)
{
	static const unsigned int known[] = { 100, 250, 300, 1000, 24, 32, 48, 64, 128, 200, 256, 512,
					      1024, 1200 };
	const uint64_t second = 1000000000, begin = UINT64_C(1) << 32;
	uint64_t jiffies, ns;
	unsigned int found = 0;
	size_t i;

	if (!read_ticks(&jiffies, &ns))
		return 0;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint64_t want = begin - 300 * known[i] + ns / second * known[i];
		int64_t off = (int64_t)(jiffies - want);

		if (sizeof(long) == 4)
			off = (int32_t)off;
		/* Ticks that nobody needed are not counted at once. */
		if (off > 3 * (int64_t)known[i] || off < -3 * (int64_t)known[i])
			continue;
		if (found)
			return 0;
		found = known[i];
	}
	return found;
}

/* The initial pid namespace (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
bool tsh_sees_all_processes(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == 0xEFFFFFFCu;
}

bool tsh_terminal_moves(void)
{
	const char *term = getenv("TERM");

	return term && *term && strcmp(term, "dumb") != 0;
}
