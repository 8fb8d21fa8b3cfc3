/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/now.h"
#include "base/xmalloc.h"
#include "internal.h"

/* Reads an input line by line. */

#define CHUNK (128 << 10)
/* Limits a line; an event's is much shorter, as a record has 64 KB at most. */
#define LINE_MAX_LEN (1 << 20)

struct input *input_new(const char *name, int fd)
{
	struct input *in = tsh_xcalloc(1, sizeof(*in));
	struct stat st;

	in->report.name = tsh_xstrdup(name);
	in->fd = fd;
	in->is_live = fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
		      !S_ISBLK(st.st_mode);
	in->cap = CHUNK;
	in->buf = tsh_xmalloc(in->cap);
	return in;
}

void input_free(struct input *in)
{
	size_t i;

	for (i = 0; i < in->streams.n; i++) {
		struct stream *stream = in->streams.v[i];

		while (stream->first) {
			struct held *held = stream->first;

			stream->first = held->next;
			free(held);
		}
		free(stream->label);
		free(stream);
	}
	tsh_vec_release(&in->streams);
	if (in->fd > 0)
		close(in->fd);
	free((char *)(uintptr_t)in->report.name);
	free(in->buf);
	free(in);
}

void input_note_bad(struct input *in)
{
	if (!in->report.bad++)
		in->report.first_bad = in->report.lines;
}

void input_note_untimed(struct input *in)
{
	if (!in->report.untimed++)
		in->report.first_untimed = in->report.lines;
}

/* Gives the line that ends before `end`, where a newline or the end of the input is. */
static bool cut_line(struct input *in, size_t end, const char **ret_text, size_t *ret_len)
{
	bool skipped = in->skips;

	*ret_text = in->buf + in->begin;
	*ret_len = end - in->begin;
	in->begin = end < in->end ? end + 1 : end;
	in->seen = in->begin;
	in->skips = false;
	in->report.lines++;
	if (skipped)
		input_note_bad(in);
	return !skipped;
}

bool input_line(struct input *in, const char **ret_text, size_t *ret_len)
{
	while (in->begin < in->end) {
		const char *newline = memchr(in->buf + in->seen, '\n', in->end - in->seen);

		if (!newline) {
			in->seen = in->end;
			break;
		}
		if (cut_line(in, (size_t)(newline - in->buf), ret_text, ret_len))
			return true;
	}
	if (!in->at_end || (in->begin == in->end && !in->skips))
		return false;
	in->report.is_cut = true;	/* counts only if the line is no whole object */
	return cut_line(in, in->end, ret_text, ret_len);
}

/* Makes room behind the bytes that were read. */
static void make_room(struct input *in)
{
	size_t len = in->end - in->begin;

	if (len >= LINE_MAX_LEN) {
		in->skips = true;
		len = 0;
	}
	if (len && in->begin)
		memmove(in->buf, in->buf + in->begin, len);
	in->seen = len ? in->seen - in->begin : 0;
	in->begin = 0;
	in->end = len;
	if (in->cap - in->end < CHUNK / 2) {
		in->cap *= 2;
		in->buf = tsh_xreallocarray(in->buf, 1, in->cap);
	}
}

int input_fill(struct input *in)
{
	ssize_t n;

	make_room(in);
	do {
		n = read(in->fd, in->buf + in->end, in->cap - in->end);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	in->at_end = n == 0;
	in->end += (size_t)n;
	/* Sets the arrival of a file's lines once: they wait for a silent pipe only once. */
	if (in->is_live || !in->arrival)
		in->arrival = tsh_now_ns(CLOCK_MONOTONIC);
	return 0;
}
