/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

#include <string.h>

/* Exceeds the length of all columns before an event's text. */
#define HEAD_MAX 256
/* Limits an event's text; a longer one is returned in pieces. */
#define EVENT_MAX (1u << 20)
/* Limits the text that was returned and is still in the buffer. */
#define SPENT_MAX (256u << 10)

void tsh_show_reader_release(struct tsh_show_reader *rd)
{
	tsh_strbuf_release(&rd->buf);
}

static bool fill(struct tsh_show_reader *rd)
{
	if (!rd->eof && (!rd->fill || !rd->fill(rd->ctx, &rd->buf)))
		rd->eof = true;
	return !rd->eof;
}

/* Reads until `wanted` bytes from `at` on are in the buffer, or to the end of the file. Returns
 * false when there is no byte at `at`. */
static bool has_bytes(struct tsh_show_reader *rd, size_t at, size_t wanted)
{
	while (rd->buf.len < at + wanted && fill(rd))
		;
	return rd->buf.len > at;
}

/* Returns the offset of the next line, or of the end of the file. */
static size_t next_line(struct tsh_show_reader *rd, size_t at)
{
	for (;;) {
		const char *newline = NULL;

		if (rd->buf.len > at)
			newline = memchr(rd->buf.buf + at, '\n', rd->buf.len - at);
		if (newline)
			return (size_t)(newline - rd->buf.buf) + 1;
		at = rd->buf.len;
		/* limit a line: the file may have no newlines */
		if (at - rd->begin > EVENT_MAX || !fill(rd))
			return rd->buf.len;
	}
}

size_t tsh_show_header(struct tsh_show_reader *rd, const char **ret)
{
	static const char started[] = "##### CPU ";
	size_t at = 0, begin = rd->begin;

	while (has_bytes(rd, begin + at, sizeof(started) - 1) && rd->buf.buf[begin + at] == '#' &&
	       strncmp(rd->buf.buf + begin + at, started, sizeof(started) - 1))
		at = next_line(rd, begin + at) - begin;
	*ret = at ? rd->buf.buf + begin : "";
	rd->begin += at;
	return at;
}

static void drop_spent(struct tsh_show_reader *rd)
{
	if (rd->begin < SPENT_MAX)
		return;
	/* Do not move it when the whole file is in memory: that saves nothing. */
	if (rd->fill) {
		memmove(rd->buf.buf, rd->buf.buf + rd->begin, rd->buf.len - rd->begin);
		tsh_strbuf_truncate(&rd->buf, rd->buf.len - rd->begin);
		rd->begin = 0;
	}
}

bool tsh_show_next(struct tsh_show_reader *rd, struct tsh_show_item *ret)
{
	struct tsh_show_item following;
	size_t end;

	drop_spent(rd);
	if (!has_bytes(rd, rd->begin, HEAD_MAX))
		return false;
	/* Search for newlines behind the columns only, because a name can contain newlines. */
	tsh_show_parse(&rd->layout, rd->buf.buf + rd->begin, rd->buf.len - rd->begin, ret);
	end = next_line(rd, rd->begin + ret->body);
	while (ret->kind == TSH_SHOW_EVENT && has_bytes(rd, end, HEAD_MAX) &&
	       end - rd->begin < EVENT_MAX &&
	       !tsh_show_parse(&rd->layout, rd->buf.buf + end, rd->buf.len - end, &following))
		end = next_line(rd, end);
	/* set the text now, because reading may have moved the buffer */
	ret->text = rd->buf.buf + rd->begin;
	ret->len = end - rd->begin;
	rd->begin = end;
	return true;
}
