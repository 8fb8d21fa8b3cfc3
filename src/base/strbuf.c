/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "strbuf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "xmalloc.h"

#define FIRST_CAPACITY 64
/* Reads by the page: the kernel's settings and formats fit into one read. */
#define READ_SIZE 4096

/* Limits the unused memory behind a string that is handed out. */
#define SLACK_MAX 256
/* Keep so many bytes of the beginning and of the end of a message, and of a word in it. */
#define MESSAGE_HEAD 1200
#define MESSAGE_TAIL 800
#define WORD_HEAD 300
#define WORD_TAIL 100

char tsh_strbuf_empty[1];

void tsh_strbuf_init(struct tsh_strbuf *sb)
{
	sb->buf = tsh_strbuf_empty;
	sb->len = 0;
	sb->cap = 0;
}

void tsh_strbuf_release(struct tsh_strbuf *sb)
{
	if (sb->cap)
		free(sb->buf);
	tsh_strbuf_init(sb);
}

void tsh_strbuf_clear(struct tsh_strbuf *sb)
{
	sb->len = 0;
	/* writes nothing to the empty string: other threads may use it */
	if (sb->cap)
		sb->buf[0] = '\0';
	else
		sb->buf = tsh_strbuf_empty;
}

void tsh_strbuf_grow_(struct tsh_strbuf *sb, size_t more)
{
	size_t need = sb->len + more + 1;
	size_t cap = sb->cap < FIRST_CAPACITY / 2 ? FIRST_CAPACITY : sb->cap * 2;

	if (!sb->cap) {
		/* sets the shared empty string, which has room for a NUL only */
		sb->buf = tsh_strbuf_empty;
		if (!more)
			return;
	}
	if (need <= more)
		need = SIZE_MAX; /* makes the allocation fail: the sum has overflowed */
	if (cap < need)
		cap = need;
	sb->buf = tsh_xreallocarray(sb->cap ? sb->buf : NULL, cap, 1);
	sb->cap = cap;
	sb->buf[sb->len] = '\0';
}

char *tsh_strbuf_detach(struct tsh_strbuf *sb)
{
	char *text = sb->cap ? sb->buf : tsh_xstrdup("");

	/* shrinks the block, because the caller may keep a "0" from a kernel file that was read
	 * into 4 KB */
	if (sb->cap > sb->len + 1 + SLACK_MAX)
		text = tsh_xreallocarray(text, 1, sb->len + 1);
	tsh_strbuf_init(sb);
	return text;
}

void tsh_strbuf_addn(struct tsh_strbuf *sb, char c, size_t count)
{
	tsh_strbuf_grow(sb, count);
	if (!count)
		return;
	memset(sb->buf + sb->len, c, count);
	sb->len += count;
	sb->buf[sb->len] = '\0';
}

void tsh_strbuf_addf(struct tsh_strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tsh_strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void tsh_strbuf_vaddf(struct tsh_strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	/* makes room first: most formatted texts are short, and fit at the first attempt */
	tsh_strbuf_grow(sb, FIRST_CAPACITY / 2);
	va_copy(again, ap);
	len = vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, ap);
	if (len >= 0 && (size_t)len >= sb->cap - sb->len) {
		tsh_strbuf_grow(sb, (size_t)len);
		len = vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, again);
	}
	va_end(again);
	if (len < 0)
		tsh_strbuf_grow(sb, SIZE_MAX); /* over 2 GB: as good as out of memory */
	sb->len += (size_t)len;
}

static const char digit_pairs[] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

/* Writes the two digits of a number below 100 before `end`. Does not use memcpy(3), for which
 * _FORTIFY_SOURCE would check the room each time. */
static char *write_pair(char *end, uint32_t pair)
{
	end[-2] = digit_pairs[pair * 2];
	end[-1] = digit_pairs[pair * 2 + 1];
	return end - 2;
}

void tsh_strbuf_addu(struct tsh_strbuf *sb, unsigned long long value)
{
	char text[20];
	char *p = text + sizeof(text);
	uint32_t low;

	/* avoids 64-bit division, which is slow on 32-bit boards */
	while (value > UINT32_MAX) {
		p = write_pair(p, (uint32_t)(value % 100));
		value /= 100;
	}
	for (low = (uint32_t)value; low >= 100; low /= 100)
		p = write_pair(p, low % 100);
	if (low >= 10)
		p = write_pair(p, low);
	else
		*--p = (char)('0' + low);
	tsh_strbuf_add(sb, p, (size_t)(text + sizeof(text) - p));
}

int tsh_strbuf_read(struct tsh_strbuf *sb, int fd, size_t max)
{
	ssize_t n;

	for (;;) {
		tsh_strbuf_grow(sb, READ_SIZE);
		n = read(fd, sb->buf + sb->len, sb->cap - sb->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		sb->len += (size_t)n;
		sb->buf[sb->len] = '\0';
		if (sb->len > max)
			return -EFBIG;
	}
}

int tsh_write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

bool tsh_read_at(int fd, uint64_t offset, void *data, size_t len)
{
	char *p = data;

	while (len) {
		ssize_t n = pread(fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

void tsh_strbuf_truncate(struct tsh_strbuf *sb, size_t len)
{
	if (len >= sb->len)
		return;
	sb->len = len;
	sb->buf[len] = '\0';
}

/* Moves a place back to the beginning of a UTF-8 character. */
static size_t character_begin(const char *text, size_t at)
{
	unsigned int n;

	for (n = 0; n < 3 && ((unsigned char)text[at - n] & 0xc0) == 0x80; n++)
		;
	return ((unsigned char)text[at - n] & 0xc0) == 0xc0 ? at - n : at;
}

/* Cuts the middle out of [begin, end) when that is long. Returns the new end. */
static size_t cut_middle(struct tsh_strbuf *sb, size_t begin, size_t end, size_t head, size_t tail)
{
	char text[64];
	size_t len;

	if (end - begin <= head + tail + sizeof(text))
		return end;
	head = character_begin(sb->buf, begin + head);
	tail = character_begin(sb->buf, end - tail);
	len = (size_t)snprintf(text, sizeof(text), " [%zu bytes more] ", tail - head);
	memcpy(sb->buf + head, text, len);
	memmove(sb->buf + head + len, sb->buf + tail, sb->len - tail + 1);
	sb->len -= tail - head - len;
	return end - (tail - head - len);
}

void tsh_strbuf_shorten(struct tsh_strbuf *sb, size_t begin)
{
	size_t at = begin, end;

	if (sb->len - begin <= WORD_HEAD + WORD_TAIL)
		return;
	while (at < sb->len) {
		end = at + strcspn(sb->buf + at, " \n");
		at = cut_middle(sb, at, end, WORD_HEAD, WORD_TAIL) + 1;
	}
	cut_middle(sb, begin, sb->len, MESSAGE_HEAD, MESSAGE_TAIL);
}

void tsh_strbuf_remove(struct tsh_strbuf *sb, size_t len)
{
	if (len > sb->len)
		len = sb->len;
	if (!len)
		return;
	sb->len -= len;
	memmove(sb->buf, sb->buf + len, sb->len);
	sb->buf[sb->len] = '\0';
}

void tsh_strbuf_rtrim(struct tsh_strbuf *sb)
{
	size_t len = sb->len;

	while (len && (sb->buf[len - 1] == ' ' || sb->buf[len - 1] == '\t' ||
		       sb->buf[len - 1] == '\n'))
		len--;
	tsh_strbuf_truncate(sb, len);
}
