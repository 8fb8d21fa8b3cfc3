/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/xmalloc.h"
#include "gather.h"

/* Finds the time at which a file of JSON lines ends, without reading all of it. */

/* Counts the bytes at the end of a file that are read first. While no time is in them, four times as
 * many are read, up to TAIL_MAX. */
#define TAIL (256 << 10)
#define TAIL_MAX (16 << 20)

/* Finds the latest wall time of an event or a gap in a text. Returns false when there is none. */
static bool find_latest(const char *text, size_t len, int64_t *ret)
{
	const char *end = text + len, *newline, *next;
	struct tsh_host_line line;
	size_t name, begin;
	bool found = false;

	for (; text < end; text = next) {
		newline = memchr(text, '\n', (size_t)(end - text));
		next = newline ? newline + 1 : end;
		len = (size_t)((newline ? newline : end) - text);
		begin = tsh_host_line_find(text, len, &name);
		if (begin == SIZE_MAX || !tsh_host_line_read(text + begin, len - begin, &line) || !line.has_wall ||
		    (line.kind != TSH_HOST_EVENT && line.kind != TSH_HOST_LOST))
			continue;
		if (!found || line.wall > *ret)
			*ret = line.wall;
		found = true;
	}
	return found;
}

/* Reads `tail` bytes at the file's end, and does not move the descriptor's place in it. Returns
 * whether they have a time. */
static bool read_tail(int fd, off_t size, size_t tail, int64_t *ret)
{
	char *text = tsh_xmalloc(tail);
	ssize_t n = pread(fd, text, tail, size > (off_t)tail ? size - (off_t)tail : 0);
	bool found = n > 0 && find_latest(text, (size_t)n, ret);

	free(text);
	return found;
}

static int read_last_time(int fd, int64_t *ret)
{
	struct stat st;
	size_t tail;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	for (tail = TAIL; !read_tail(fd, st.st_size, tail, ret); tail *= 4)
		if (tail >= TAIL_MAX || st.st_size <= (off_t)tail)
			return 0;
	return 1;
}

int tsh_host_last_time(const char *path, int64_t *ret)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : tsh_open_regular(path), result;

	result = fd >= 0 ? read_last_time(fd, ret) : -1;
	if (fd >= 0 && !is_stdin)
		close(fd);
	return result;
}
