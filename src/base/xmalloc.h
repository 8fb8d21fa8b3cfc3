/* base/xmalloc.h - memory that is there, or the end */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_XMALLOC_H
#define TRACESH_BASE_XMALLOC_H

#include <stddef.h>

/*
 * Small blocks only. When memory is out these write one line to stderr and
 * abort(): an overcommitting kernel kills before malloc fails, so the way back
 * is the journal's and not an error path that nothing can test.
 */
void *tsh_xmalloc(size_t size);
/* At a multiple of `align`, a power of two; free() frees it. */
void *tsh_xaligned(size_t align, size_t size);
void *tsh_xcalloc(size_t count, size_t size);
void *tsh_xreallocarray(void *old, size_t count, size_t size);
char *tsh_xstrdup(const char *text);
char *tsh_xstrndup(const char *text, size_t len);
/* A formatted string; the caller frees it. */
char *tsh_xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
