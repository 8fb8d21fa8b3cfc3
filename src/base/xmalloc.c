/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xmalloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "strbuf.h"

/* Writes directly, because stdio may need memory. */
static void __attribute__((noreturn, cold)) out_of_memory(void)
{
	static const char line[] = "tracesh: out of memory\n";
	ssize_t ignored = write(STDERR_FILENO, line, sizeof(line) - 1);

	(void)ignored;
	abort();
}

void *tsh_xmalloc(size_t size)
{
	/* avoids malloc(0), which may return NULL without a failure */
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *tsh_xaligned(size_t align, size_t size)
{
	void *p = NULL;

	if (posix_memalign(&p, align, size))
		out_of_memory();
	return p;
}

void *tsh_xcalloc(size_t count, size_t size)
{
	void *p = count && size ? calloc(count, size) : calloc(1, 1);

	if (!p)
		out_of_memory();
	return p;
}

void *tsh_xreallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	p = realloc(old, bytes ? bytes : 1);
	if (!p)
		out_of_memory();
	return p;
}

char *tsh_xstrdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(tsh_xmalloc(size), text, size);
}

char *tsh_xstrndup(const char *text, size_t len)
{
	size_t n = strnlen(text, len);
	char *copy = tsh_xmalloc(n + 1);

	memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

char *tsh_xasprintf(const char *fmt, ...)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	tsh_strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	return tsh_strbuf_detach(&sb);
}
