/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

#include <string.h>

/* Longer than all columns before an event's text, with the widest of numbers. */
#define HEAD_MAX 256
/* An event's text that is longer is given out in pieces. */
#define EVENT_MAX (1u << 20)
/* Given out text is dropped from the buffer when there is that much of it. */
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

/* `wanted` bytes from `at` on, or all that there is; false when that is none. */
static bool have(struct tsh_show_reader *rd, size_t at, size_t wanted)
{
	while (rd->buf.len < at + wanted && fill(rd))
		;
	return rd->buf.len > at;
}

/* Where the next line begins, or the end of the file. */
static size_t next_line(struct tsh_show_reader *rd, size_t at)
{
	for (;;) {
		const char *newline = NULL;

		if (rd->buf.len > at)
			newline = memchr(rd->buf.buf + at, '\n', rd->buf.len - at);
		if (newline)
			return (size_t)(newline - rd->buf.buf) + 1;
		at = rd->buf.len;
		/* a file without newlines */
		if (at - rd->begin > EVENT_MAX || !fill(rd))
			return rd->buf.len;
	}
}

size_t tsh_show_header(struct tsh_show_reader *rd, const char **ret)
{
	static const char started[] = "##### CPU ";
	size_t at = 0, begin = rd->begin;

	while (have(rd, begin + at, sizeof(started) - 1) && rd->buf.buf[begin + at] == '#' &&
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
	/* With the whole file in memory nothing is won by moving it. */
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
	if (!have(rd, rd->begin, HEAD_MAX))
		return false;
	/* A name may hold newlines: the lines of an event are counted from its text on. */
	tsh_show_parse(&rd->layout, rd->buf.buf + rd->begin, rd->buf.len - rd->begin, ret);
	end = next_line(rd, rd->begin + ret->body);
	while (ret->kind == TSH_SHOW_EVENT && have(rd, end, HEAD_MAX) &&
	       end - rd->begin < EVENT_MAX &&
	       !tsh_show_parse(&rd->layout, rd->buf.buf + end, rd->buf.len - end, &following))
		end = next_line(rd, end);
	/* the buffer may have moved */
	ret->text = rd->buf.buf + rd->begin;
	ret->len = end - rd->begin;
	rd->begin = end;
	return true;
}
