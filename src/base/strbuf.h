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
 * A byte string that grows. buf is always followed by a NUL that len does not
 * count, also when the string is empty, so buf can be handed to libc; it may
 * hold NUL bytes itself. Every function that grows it aborts the program when
 * memory is out (see xmalloc.h). What is added must not lie in the string itself.
 *
 * Zeroed memory is an empty string to all of these functions, with a buf of NULL
 * until the first of them that grows it.
 */
struct tsh_strbuf {
	char *buf;
	size_t len;
	size_t cap;
};

#define TSH_STRBUF_INIT { .buf = tsh_strbuf_empty }
/* The buf of all strings without memory; nothing but its NUL is ever written to it. */
extern char tsh_strbuf_empty[1];

void tsh_strbuf_init(struct tsh_strbuf *sb);
/* Frees the content; sb is as after tsh_strbuf_init. */
void tsh_strbuf_release(struct tsh_strbuf *sb);
/* Forgets the content and keeps the memory. */
void tsh_strbuf_clear(struct tsh_strbuf *sb);
/* tsh_strbuf_grow's way to malloc, not to be called otherwise. */
void tsh_strbuf_grow_(struct tsh_strbuf *sb, size_t more);
/* Room for `more` bytes and the NUL beyond len. */
static inline void tsh_strbuf_grow(struct tsh_strbuf *sb, size_t more)
{
	if (__builtin_expect(sb->cap - sb->len <= more, 0))
		tsh_strbuf_grow_(sb, more);
}
/* The caller owns the returned string, frees it with free(); sb is empty. */
char *tsh_strbuf_detach(struct tsh_strbuf *sb);

static inline void tsh_strbuf_add(struct tsh_strbuf *sb, const void *data, size_t len)
{
	tsh_strbuf_grow(sb, len);
	if (len)
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
/* Unsigned decimal, the hot path's printf. */
void tsh_strbuf_addu(struct tsh_strbuf *sb, unsigned long long value);
/*
 * Adds what a file holds from where it stands to its end. 0; -errno of read(2), with what
 * came before; -EFBIG as soon as the string is longer than `max` bytes.
 */
int tsh_strbuf_read(struct tsh_strbuf *sb, int fd, size_t max);
/* The other way round, any bytes. 0, or -errno of write(2), with a part of them written. */
int tsh_write_all(int fd, const char *data, size_t len);
/* Bytes of a file from `offset` on. False: there are not so many, or they cannot be read. */
bool tsh_read_at(int fd, uint64_t offset, void *data, size_t len);
/* Cuts to `len` bytes; nothing when it is shorter. */
void tsh_strbuf_truncate(struct tsh_strbuf *sb, size_t len);
/* Cuts the middle out of each long word of the message that stands from `begin` on, and out of
 * the message: a word of a megabyte says no more than its ends do. */
void tsh_strbuf_shorten(struct tsh_strbuf *sb, size_t begin);
/* Takes the first `len` bytes off. */
void tsh_strbuf_remove(struct tsh_strbuf *sb, size_t len);
/* Cuts blanks, tabs and newlines off the end. */
void tsh_strbuf_rtrim(struct tsh_strbuf *sb);

static inline bool tsh_begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

#endif
