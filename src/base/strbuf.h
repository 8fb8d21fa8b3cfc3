/* base/strbuf.h - growing strings */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_STRBUF_H
#define TRACESH_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Holds a byte string that grows. buf always ends in a NUL that len does not count, also when the
 * string is empty, so that it can be given to libc; NULs may also stand within. A function that
 * needs memory and gets none aborts the program (see xmalloc.h). Text that is added must not lie in
 * the string itself.
 *
 * Zeroed memory is an empty string too; its buf is NULL until it grows for the first time.
 */
struct tsh_strbuf {
	char *buf;
	size_t len;
	size_t cap;
};

#define TSH_STRBUF_INIT { .buf = tsh_strbuf_empty }
/* Is the buf of all strings without memory; nothing is ever written to it. */
extern char tsh_strbuf_empty[1];

void tsh_strbuf_init(struct tsh_strbuf *sb);
/* Frees the content; the string is then empty, as after tsh_strbuf_init. */
void tsh_strbuf_release(struct tsh_strbuf *sb);
/* Makes the string empty, and keeps the memory. */
void tsh_strbuf_clear(struct tsh_strbuf *sb);
/* Allocates memory for tsh_strbuf_grow only. */
void tsh_strbuf_grow_(struct tsh_strbuf *sb, size_t more);
/* Makes room for `more` bytes behind len, and a NUL. */
static inline void tsh_strbuf_grow(struct tsh_strbuf *sb, size_t more)
{
	if (__builtin_expect(sb->cap - sb->len <= more, 0))
		tsh_strbuf_grow_(sb, more);
}
/* Returns the string, which the caller frees with free(); sb is then empty. */
char *tsh_strbuf_detach(struct tsh_strbuf *sb);

static inline void tsh_strbuf_add(struct tsh_strbuf *sb, const void *data, size_t len)
{
	tsh_strbuf_grow(sb, len);
	if (!len)
		return;
	memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

static inline void tsh_strbuf_adds(struct tsh_strbuf *sb, const char *text)
{
	tsh_strbuf_add(sb, text, strlen(text));
}

static inline void tsh_strbuf_addc(struct tsh_strbuf *sb, char c)
{
	tsh_strbuf_grow(sb, 1);
	sb->buf[sb->len++] = c;
	sb->buf[sb->len] = '\0';
}

void tsh_strbuf_addn(struct tsh_strbuf *sb, char c, size_t count);
void tsh_strbuf_addf(struct tsh_strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void tsh_strbuf_vaddf(struct tsh_strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Appends an unsigned decimal; quicker than printf. */
void tsh_strbuf_addu(struct tsh_strbuf *sb, unsigned long long value);
/*
 * Appends the rest of a file. Returns 0; -errno of read(2), with what was read before; -EFBIG as
 * soon as the string is longer than `max` bytes.
 */
int tsh_strbuf_read(struct tsh_strbuf *sb, int fd, size_t max);
/* Writes all bytes. Returns 0, or -errno of write(2), when a part may have been written. */
int tsh_write_all(int fd, const char *data, size_t len);
/* Reads `len` bytes of a file at `offset`. Returns false when there are fewer, or on an error. */
bool tsh_read_at(int fd, uint64_t offset, void *data, size_t len);
/* Cuts the string to `len` bytes; leaves a shorter one. */
void tsh_strbuf_truncate(struct tsh_strbuf *sb, size_t len);
/* Cuts the middle out of each long word of the message that begins at `begin`, and out of the
 * message as a whole. */
void tsh_strbuf_shorten(struct tsh_strbuf *sb, size_t begin);
/* Removes the first `len` bytes. */
void tsh_strbuf_remove(struct tsh_strbuf *sb, size_t len);
/* Removes blanks, tabs and newlines at the end. */
void tsh_strbuf_rtrim(struct tsh_strbuf *sb);

static inline bool tsh_begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

#endif
