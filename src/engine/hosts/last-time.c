/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/xmalloc.h"
#include "gather.h"

/* Finds the time at which a file of JSON lines ends, without reading all of it. */

/* Limits the bytes at the end of a file that are read for it. */
#define TAIL (256 << 10)

/* Finds the latest wall time of the whole lines in a text. Returns false when there is none. */
static bool find_latest(const char *text, size_t len, int64_t *ret)
{
	const char *end = text + len, *newline;
	struct tsh_host_line line;
	size_t name, begin;
	bool found = false;

	for (; (newline = memchr(text, '\n', (size_t)(end - text))); text = newline + 1) {
		len = (size_t)(newline - text);
		begin = tsh_host_line_find(text, len, &name);
		if (begin == SIZE_MAX || !tsh_host_line_read(text + begin, len - begin, &line) || !line.has_wall)
			continue;
		if (!found || line.wall > *ret)
			*ret = line.wall;
		found = true;
	}
	return found;
}

/* Reads at the file's end, and does not move the descriptor's place in it. */
static bool read_last_time(int fd, int64_t *ret)
{
	struct stat st;
	off_t at;
	char *text;
	ssize_t n;
	bool found;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	at = st.st_size > TAIL ? st.st_size - TAIL : 0;
	text = tsh_xmalloc(TAIL);
	n = pread(fd, text, TAIL, at);
	found = n > 0 && find_latest(text, (size_t)n, ret);
	free(text);
	return found;
}

bool tsh_host_last_time(const char *path, int64_t *ret)
{
	bool is_stdin = !strcmp(path, "-"), found;
	int fd = is_stdin ? STDIN_FILENO : tsh_open_regular(path);

	found = fd >= 0 && read_last_time(fd, ret);
	if (fd >= 0 && !is_stdin)
		close(fd);
	return found;
}
